# SPDX-License-Identifier: Apache-2.0
"""`micropython checks.py PROGRAM CHECK`: one check of the StackChan board."""

from bench import (
    Bench, FakeTime, Speaker, StackChanBoard, clock, head, lcd, looks, nothing_pushed, picture,
    run_one, same, settled, world)

import asyncio
import binascii
import sys
from math import sin

from fake_modules import Card, Rtc, Wlan

import perch.date
from perch import watchdog
from perch.boards.stackchan_body import Wifi
from perch.link import Link, WebSocket

TURN_MS = 40
# A bench has none.
run_link = Link.run
FEATURES = ["screen", "touch", "lights_questions", "face", "bubble",
            "bubble_picture", "head", "move_duration", "leds", "speaker",
            "open_sound"]
NDEF = b"\x03\x0b\xd1\x01\x07U\x04a.test\xfe"


def nec(*given):
    """Marks and spaces of four bytes, the lowest bit first, in us."""
    lengths = [9000, 4500]
    for byte in given:
        for i in range(8):
            lengths += [560, 1690 if byte >> i & 1 else 560]
    return lengths + [560]


NEC_4_8 = nec(0x04, 0xFB, 0x08, 0xF7)


class Tone:
    """Samples that are made where they are sent: the heap is small."""

    def __init__(self, ms, rate=16000):
        self._size = 2 * rate * ms // 1000
        self.crc32 = 0
        for at in range(0, self._size, 4096):
            self.crc32 = binascii.crc32(
                self[at:min(self._size, at + 4096)], self.crc32)

    def __len__(self):
        return self._size

    def __getitem__(self, part):
        stop = min(part.stop, self._size)
        # No two pieces are the same.
        return bytes((i * 37 >> 4 ^ i >> 10) & 63
                     for i in range(part.start, stop))


def heard(tone):
    Speaker._advance()
    same((world.played_bytes, world.played_crc32 & 0xFFFFFFFF),
         (len(tone), tone.crc32 & 0xFFFFFFFF), "what was heard")
    same(world.silences_ms, [], "gaps")


async def actions():
    bench = Bench()
    same(bench.robot.features, FEATURES, "features")
    await settled(bench)
    same(await bench.act("head.move", yaw=30, pitch=500),
         {"yaw": 30, "pitch": 85})
    await looks(bench, 30, 85)
    await bench.act("head.move", yaw=-400, duration_ms=2000)
    await looks(bench, -128, 85, "limit")
    for gesture in ("nod", "shake"):
        await bench.act("head.gesture", name=gesture)
        await asyncio.sleep_ms(2000)
    await bench.act("head.gesture", name="home")
    await looks(bench, 0, 10, "home")
    nothing_pushed()
    pixels = ["#%06x" % (i * 0x10203) for i in range(12)]
    await bench.act("leds.set", pixels=pixels)
    same(["#%06x" % one for one in world.leds], pixels, "LEDs")
    before = world.refreshes
    await bench.act("leds.effect", name="rainbow", speed=1, seconds=1,
                    palette=["#ff0000", "#00ff00", "#0000ff"] * 2)
    await bench.until(lambda: world.refreshes > before + 5, "an effect")
    await bench.until(lambda: ["#%06x" % one for one in world.leds] == pixels,
                      "the end of the effect")
    await bench.act("bubble", text="Hello you", seconds=2)
    await bench.until(lambda: any("Hello you" in canvas.texts
                                  for canvas in lcd.canvases), "the bubble")
    await bench.act("face", emotion="happy", view="face")
    await bench.act("audio.volume", pct=30)
    same(world.volume, 0.3, "volume")
    same((await bench.show(picture()))["ok"], True, "a card")
    same(lcd.pictures[-1][0], "png")
    pushes = lcd.pushes
    await asyncio.sleep_ms(1000)
    same(lcd.pushes, pushes, "bands over a card")
    await bench.act("screen.clear", layer="card")
    await bench.until(lambda: lcd.pushes > pushes + 5, "the face again")
    samples = Tone(3000)
    ack, reason = await bench.play(samples)
    same((ack["ok"], reason), (True, "end"), "sound")
    heard(samples)
    for command, args in (("brightness", {"pct": 40}),
                          ("power_led", {"on": False}),
                          ("ir_send", {"address": 4, "command": 8})):
        await bench.act("robot", command=command, args=args)
    same((lcd.brightness, world.power_led, world.ir_sent),
         (102, 0, [NEC_4_8]), "own commands")
    await bench.act("robot", command="ir_send",
                    args={"address": 0xBF00, "command": 1})
    same(world.ir_sent[1], nec(0x00, 0xBF, 0x01, 0xFE), "16 bits of address")
    await bench.act("robot", command="screen", args={"on": False})
    same(lcd.brightness, 0, "a dark screen")
    sticker = bench.announce(picture(200))
    number = bench.command("robot", command="sticker", args={
        "id": "s", "x": 10, "y": 100, "tappable": True, "image": sticker})
    bench.parts(1, sticker["stream"], picture(200))
    same((await bench.ack(number))["ok"], True, "a sticker")


async def inputs():
    bench = Bench()
    await settled(bench)
    world.touches = [(160, 120)]
    await bench.input("touch_down")
    world.touches = []
    touch = await bench.input("touch_up")
    same((touch["x"], touch["y"]), (160, 120), "where")
    for zones in ([2, 0, 0], [1, 3, 0], [0, 0, 2], [0, 0, 0]):
        world.zones = zones
        await asyncio.sleep_ms(80)
    same((await bench.input("head_down"))["zone"], 0)
    swipe = await bench.input("head_swipe")
    same((swipe["dir"], swipe["zone"]), ("back", 1))
    same((await bench.input("head_up"))["zone"], 2)

    def shake():
        return (1.9 * sin(clock.us / 35000), 0.0, 1.0)

    world.accel = shake
    burst = await bench.input("imu_burst")
    world.accel = (0.0, 0.0, 1.0)
    if not 40 <= burst["hz"] <= 55 or len(burst["samples"]) != 68:
        raise AssertionError("%d samples at %s Hz" % (
            len(burst["samples"]), burst["hz"]))
    world.proximity = 400
    await bench.input("prox")
    world.card = Card(b"\x04\xa1\xb2\xc3", NDEF + bytes(40))
    tag = await bench.input("nfc_in")
    same((tag["uid"], tag["type"], tag["ndef_b64"]),
         ("04a1b2c3", "NTAG_213", "AwvRAQdVBGEudGVzdP4AAA=="), "tag")
    world.card = None
    same((await bench.input("nfc_out"))["uid"], "04a1b2c3")
    world.ir.receive(NEC_4_8)
    world.ir.receive([9024, 2241, 563])
    remote = await bench.input("ir")
    same((remote["address"], remote["command"]), (4, 8), "NEC")
    world.ir.receive([9024, 2241, 563])
    await asyncio.sleep_ms(200)
    same(len(bench.inputs("ir")), 1, "a repeat code is no press")
    for seen, inverse in ((2, 0xF6), (3, 0xF5)):
        world.ir.receive(nec(0x04, 0xFB, 0x08, inverse))
        remote = await bench.input("ir", seen)
        same(remote["raw_us"], nec(0x04, 0xFB, 0x08, inverse),
             "two bytes of command, which differ in the second")
    world.clicked = True
    same((await bench.input("power_key"))["press"], "short")
    world.held = True
    same((await bench.input("power_key", 2))["press"], "long")
    world.vbus_mv = 0
    same((await bench.input("usb"))["present"], False)
    world.vbus_mv = 5000
    same((await bench.input("usb", 2))["present"], True)
    await asyncio.sleep_ms(4000)
    readings = bench.robot.sensors.readings()
    for name, value in (("battery_pct", 81), ("battery_v", 4.07),
                        ("charging", True),
                        ("light_lux", 77), ("wifi_rssi_dbm", -51),
                        ("ip_address", "192.0.2.7"), ("wifi_ssid", "home"),
                        ("head_yaw_temp_c", 31)):
        same(readings[name], value, name)
    same("battery_ma" in readings, False, "a current that nobody knows")
    same(bench.robot.board.boot_cause(), "power_on")
    same(bench.robot.board.serial(), "stackchan-010203040506")


async def own_movement():
    """The head shakes the sensor: no input, and no dizzy face."""
    bench = Bench()
    await settled(bench)
    world.accel = lambda: (1.9 * sin(clock.us / 35000), 0.0, 1.0)
    await bench.act("head.move", yaw=60, duration_ms=3000)
    await asyncio.sleep_ms(3000)
    world.accel = (0.0, 0.0, 1.0)
    same(bench.inputs("imu_burst"), [])


async def away():
    bench = Bench()
    await settled(bench)
    await bench.show(picture(), name="card")
    shown, pushes = len(lcd.pictures), lcd.pushes
    bench.robot.link._online_at = None
    await asyncio.sleep_ms(2000)
    same(lcd.pushes, pushes, "a card that stays for 3 s")
    await bench.until(lambda: any("Looking for Perch" in canvas.texts
                                  for canvas in lcd.canvases), "a notice")
    same(bench.robot.hello(2, "reconnect")["showing"]["card"], "card")
    bench.robot.link._online_at = 0
    await bench.until(lambda: len(lcd.pictures) == shown + 1, "the card again")
    pushes = lcd.pushes
    await asyncio.sleep_ms(1000)
    same(lcd.pushes, pushes, "bands over the card")
    await bench.show(picture(), layer="question", name="question")
    bench.robot.link._online_at = None
    await asyncio.sleep_ms(5000)
    same(lcd.pushes, pushes, "bands over a question, which can be answered")
    bench.robot.face.show_code("AB-12", "http://192.0.2.1/pair#AB-12")
    await bench.until(lambda: lcd.pushes > pushes, "the code over it")


async def silent_body():
    world.broken = ("body",)
    bench = Bench()
    same(bench.robot.features, [
        "screen", "touch", "lights_questions", "face", "bubble",
        "bubble_picture", "speaker",
        "open_sound"], "features")
    bench.start()
    world.touches = [(1, 2)]
    await bench.input("touch_down")
    same((await bench.show(picture()))["ok"], True)
    same((await bench.play(Tone(2000)))[1], "end")
    refused = await bench.ack(bench.command("head.move", yaw=1))
    same(refused["code"], "unknown")


async def slow_start():
    world.body_tries = 4
    bench = Bench()
    same(bench.robot.features, FEATURES, "features")


async def no_nfc():
    world.broken = ("nfc",)
    bench = Bench()
    same(bench.robot.features, FEATURES, "features")
    await settled(bench)
    await bench.act("leds.set", pixels=["#00ff00"] * 12)
    same(world.leds, [0xFF00] * 12)
    world.zones = [0, 2, 0]
    await bench.input("head_down")
    same([one for one in bench.robot.missing if "nfc" in one.lower()] != [],
         True, "told")


async def dark():
    """A question lights the screen, and the first touch only that."""
    bench = Bench()
    await settled(bench)

    async def set_screen(command, **args):
        await bench.act("robot", command=command, args=args)

    await set_screen("screen", on=False)
    same(lcd.brightness, 0)
    await bench.show(picture(), layer="question", name="w1")
    same(lcd.brightness, 76, "at most 30 % where it was off")
    await set_screen("brightness", pct=20)
    same(lcd.brightness, 51, "what can be read stays")
    await set_screen("brightness", pct=0)
    same(lcd.brightness, 76, "not below 10 %")
    await set_screen("brightness", pct=60)
    await set_screen("screen", on=True)
    same(lcd.brightness, 153)
    await set_screen("screen", on=False)
    await bench.act("screen.clear", layer="question", id="w1")
    same(lcd.brightness, 76, "for the next question")
    await bench.until(lambda: lcd.brightness == 0, "dark after it")
    world.touches = [(5, 5)]
    same((await bench.input("touch_down"))["dark"], True)
    same(lcd.brightness, 76, "lit by a touch")
    world.touches = []
    await bench.input("touch_up")
    await asyncio.sleep_ms(9000)
    same(lcd.brightness, 76)
    await bench.until(lambda: lcd.brightness == 0, "dark after the touch")


async def short_touch():
    """What one sample of the panel saw says that it was no longer."""
    bench = Bench()
    await settled(bench)
    world.touches = [(58, 202)]
    await bench.input("touch_down")
    world.touches = []
    same((await bench.input("touch_up"))["held_ms"], 20, "one sample")
    world.touches = [(58, 202)]
    await bench.input("touch_down", 2)
    await asyncio.sleep_ms(60)
    world.touches = []
    touch = await bench.input("touch_up", 2)
    if not 40 <= touch["held_ms"] <= 120:
        raise AssertionError("held for %d ms" % touch["held_ms"])


async def broken_senses():
    """A sense that fails for good goes, and the others stay."""
    bench = Bench()
    await settled(bench)
    world.broken = ("imu", "prox", "power")
    await asyncio.sleep_ms(6000)
    world.touches = [(7, 8)]
    await bench.input("touch_down")
    same(bench.robot.features, FEATURES, "features")
    world.broken = ("touch",)
    await bench.until(lambda: "touch" not in bench.robot.features, "no touch")
    same(bench.hellos, 1, "another hello")


async def lost_leds():
    bench = Bench()
    await settled(bench)
    world.broken = ("leds",)
    for i in range(3):
        bench.command("leds.set", pixels=["#0000%02x" % (i + 1)] * 12)
        await asyncio.sleep_ms(300)
    same("leds" in bench.robot.features, False)


async def busy():
    """Everything at once while a sound of 12 s plays."""
    await everything()


async def slow_i2c():
    world.i2c_factor = 6
    await everything()


async def everything():
    card = picture(40000)
    bench = Bench()
    await settled(bench)
    await bench.act("leds.effect", name="chase", speed=1, seconds=0)
    samples = Tone(12000, 24000)
    clock.longest_us = 0
    sound = asyncio.create_task(bench.play(samples, 24000))
    for i in range(10):
        await bench.act("head.move", yaw=10 * (i % 3), duration_ms=400)
        await bench.act("bubble", text="It plays and talks " * 5, seconds=1)
        world.touches = [(i, i)]
        world.zones = [i % 4, 1, 0]
        world.proximity = 100 * i
        await asyncio.sleep_ms(600)
        world.touches = []
        await bench.show(card)
        await asyncio.sleep_ms(200)
        await bench.act("screen.clear", layer="card")
    longest = clock.longest_us // 1000
    ack, reason = await sound
    same((ack["ok"], reason), (True, "end"), "sound")
    heard(samples)
    print("longest turn: %d ms" % longest)
    if longest >= TURN_MS:
        raise AssertionError("a turn of %d ms" % longest)


async def other_board():
    world.board = 10
    bench = Bench()
    same((bench.board.model, "head" in bench.robot.features),
         ("cores3", False))


def boot():
    """As the firmware runs boot.py, before main.py."""
    with open(sys.argv[1] + "/boot.py") as file:
        exec(file.read(), {})


async def own_clock():
    boot()
    same(FakeTime.zone, "GMT0", "the zone of boot.py")
    timezone = FakeTime.timezone
    del FakeTime.timezone
    boot()
    FakeTime.timezone = timezone
    FakeTime.zone, FakeTime.zones_stored = None, 0
    bench = Bench()
    board = bench.board
    same((FakeTime.zone, FakeTime.zones_stored), ("GMT0", 1), "the zone")
    StackChanBoard()
    same(FakeTime.zones_stored, 1, "times that the zone was stored")
    same(board.unix_s(), 946684809, "at power-on")
    board.set_unix_s(1795768836)
    same(Rtc.now, (2026, 11, 27, 4, 8, 40, 36, 0), "set")
    same(board.unix_s(), 1795768836, "read")
    # The chip for the time had kept that of Tokyo.
    board.set_unix_s(1795768836 + 32400)
    bench.robot.welcomed(welcome(1795768836))
    same(board.unix_s(), 1795768836, "moved by a time zone, over ws://")
    same(bench.settings.saved, {}, "what an unchecked service is believed")


def welcome(unix_s):
    return {"time_ms": unix_s * 1000, "in_ack": 0, "sensors_ms": 5000}


async def shifted_clock():
    """UIFlow2 checks certificates by its clock plus 30 years."""
    bench = Bench(url="wss://192.0.2.1/robot/v1/link", ca="PEM")
    robot, clock = bench.robot, bench.robot.service_clock
    bench.board.set_unix_s(1795768836)

    async def date_of(_url):
        return 1795768850

    perch.date.date_of = date_of
    bench.start()
    await clock.prepare("certificate has expired")
    same(Rtc.now, (1996, 11, 27, 2, 8, 40, 36, 0), "the chip's clock")
    same(clock.unix_s(), 1795768836, "the program's")
    same(bench.settings.saved, {}, "nothing was proven yet")
    robot.welcomed(welcome(1795768840))
    same(bench.settings.saved, {"seen_s": 1795768840,
                                "tls_shift_s": 946684800}, "proven")
    same(Rtc.now[0], 1996)
    same([text for text in bench.logs() if "30 years" in text] != [], True,
         "in the log")
    same(await bench.act("robot", command="clock", args={}),
         {"unix_s": 1795768840, "tls_shift_s": 946684800})
    # The firmware asks a time server itself, and sets its clock right.
    bench.board.set_unix_s(1795768900)
    same(clock.unix_s(), 1795768900)
    await bench.until(lambda: Rtc.now[0] == 1996, "set back again")
    same(clock.unix_s(), 1795768900)
    # With a later firmware, certificates begin later by a clock of 1996.
    await clock.prepare("certificate not valid yet: wrong clock?")
    same((Rtc.now[0], clock.unix_s()), (2026, 1795768850), "taken back")
    robot.welcomed(welcome(1795768860))
    same(bench.settings.saved["tls_shift_s"], 0)
    await clock.prepare("certificate has expired")
    same(Rtc.now[0], 2026, "a certificate that has expired")


async def no_wifi():
    """The radio is restarted, and after half an hour the chip."""
    asked = []

    async def restart(why):
        asked.append((clock.us - begun) // 60000000)

    wifi = Wifi(Wlan(0), "home", "secret")
    asyncio.create_task(wifi.run(print, restart))
    await asyncio.sleep(60)
    same((wifi.connected, world.radio_starts), (True, 1), "at the start")
    world.wifi, begun = False, clock.us
    await asyncio.sleep(150)
    same(world.radio_starts, 1, "after two and a half minutes")
    await asyncio.sleep(60)
    same(world.radio_starts, 2, "after three and a half")
    world.wifi = True
    await asyncio.sleep(60)
    same(wifi.connected, True, "back")
    world.wifi, begun = False, clock.us
    await asyncio.sleep(1780)
    same((world.radio_starts, asked), (11, []), "a minute before")
    await asyncio.sleep(60)
    same((asked[0], len(asked) > 1), (30, True), "and again")


async def restarts():
    """The chip is restarted where nothing is lost, once in six hours."""
    bench = Bench()
    robot, starts = bench.robot, []
    bench.board.restart = lambda: starts.append(1)

    async def restart(unix_s):
        bench.board.set_unix_s(unix_s)
        await robot.restart("no Wi-Fi")

    async def stop():
        pass

    robot.stop = stop
    await settled(bench)
    await bench.act("head.move", yaw=20, pitch=20)
    await looks(bench, 20, 20)
    await bench.show(picture(), layer="question", name="q")
    await restart(1795768836)
    same(starts, [], "a question shows")
    robot.screen.clear("question")
    world.touches = [(5, 5)]
    await bench.input("touch_down")
    world.touches = []
    await bench.input("touch_up")
    await restart(1795768836)
    same(starts, [], "inputs that the service may not have")
    robot.inputs.ack(2)
    robot.updating = True
    await restart(1795768836)
    same(starts, [], "an update")
    robot.updating = False
    await restart(1795768836)
    same((len(starts), head()), (1, (20, 45)), "at rest")
    same(bench.settings.saved, {"restarted_s": 1795768836,
                                "restarted_why": "no Wi-Fi"})
    await restart(1795768836 + 6 * 3600 - 5)
    # One that has lost its time says nothing.
    await restart(1767225600)
    same(len(starts), 1, "within six hours")
    await restart(1795768836 + 6 * 3600)
    same(len(starts), 2, "after six hours")


async def no_memory():
    """Dials fail for it: the chip is restarted, with taps that wait."""
    bench = Bench()
    robot, starts = bench.robot, []
    bench.board.restart = lambda: starts.append(clock.us)
    robot.link._online_at = robot.head = None

    async def fail(*_args):
        raise MemoryError()

    Link.run, WebSocket.open = run_link, fail
    begun = clock.us
    bench.board.set_unix_s(1795768836)
    for task in (robot.link.run(), watchdog.run()):
        asyncio.create_task(task)
    robot.inputs.report("touch_down", {"x": 5, "y": 5})
    await asyncio.sleep(1780)
    same((robot.link.trouble, starts), ("no memory", []), "before")
    await bench.until(lambda: starts, "a restart", 180000)
    same((starts[0] - begun) // 60000000, 30, "minutes")
    same(bench.settings.saved["restarted_why"],
         "no memory for a connection for half an hour")


async def restarted():
    bench = Bench(restarted_s=1795768836, restarted_why="no Wi-Fi")
    bench.robot.welcomed(welcome(1795769000))
    same("restarted: no Wi-Fi" in bench.logs(), True, "in the log")
    same(bench.settings.saved["restarted_why"], None, "it was told")


async def low_battery():
    bench = Bench()
    await settled(bench)
    await bench.act("head.move", yaw=20, pitch=20)
    await looks(bench, 20, 20)
    world.vbus_mv = 0
    world.battery_pct = 0
    await asyncio.sleep(60)
    same(bench.robot.battery.low, False, "a gauge that has not measured")
    world.battery_pct, world.battery_v = 9, 3.5
    await bench.until(lambda: "head" not in bench.robot.features, "no head")
    same((head(), world.uart._powered_at), ((20, 45), None), "at rest, off")
    await bench.until(lambda: any("Battery low" in canvas.texts
                                  for canvas in lcd.canvases), "the notice")
    await bench.until(lambda: lcd.brightness == 20, "dimmed")
    world.touches = [(160, 220)]
    await bench.input("touch_down")
    world.touches = []
    same(bench.robot.calibration.runs, False, "a calibration by a tap")
    refused = await bench.ack(
        bench.command("robot", command="calibrate_head", args={}))
    same(refused["code"], "busy", "a calibration by its command")
    world.battery_pct = 15
    await asyncio.sleep(60)
    same("head" in bench.robot.features, False, "a little more")
    world.vbus_mv = 5000
    await bench.until(lambda: "head" in bench.robot.features, "the head again")
    await bench.act("head.move", yaw=-20)
    await looks(bench, -20, 45)
    nothing_pushed()


async def said_on_port():
    bench = Bench()
    said = []
    bench.board._say = lambda **line: said.append(line)
    bench.start()
    bench.board.show_code("AB-12", "http://192.0.2.1/pair#AB-12")
    await bench.until(lambda: len(said) == 3, "the code, three times")
    same(said[2], {"e": "code", "code": "AB-12",
                   "uri": "http://192.0.2.1/pair#AB-12"})
    bench.board.tell("sensors", values={})
    bench.board.tell("closed", code=1006, reason="no route", status=None)
    bench.board.tell("session", ms=1, welcome={"much": "more"})
    same(said[3:], [{"e": "closed", "reason": "no route"}, {"e": "session"}])
    await asyncio.sleep_ms(20000)
    same(len(said), 5, "the code of a robot that is paired")


run_one((
    actions, inputs, own_movement, away, silent_body, slow_start, no_nfc,
    broken_senses, lost_leds, busy, slow_i2c, other_board, own_clock,
    shifted_clock, no_wifi, no_memory, restarts, restarted, low_battery,
    said_on_port, dark, short_touch))
