# SPDX-License-Identifier: Apache-2.0
"""`micropython head_checks.py PROGRAM CHECK`: one check of the head."""

from bench import (
    LEVEL, Bench, head, lcd, looks, nothing_pushed, picture, run_one, same,
    settled, world)

import asyncio
import gc
import random

import fake_servos
from fake_clock import clock


def rails():
    """When the power of the servos was switched on, in s since the first."""
    cycles = world.uart.cycles_ms
    return [(one - cycles[0]) // 1000 for one in cycles]


async def quiet():
    """Nothing else polls or draws: that takes most of a computer's time."""
    world.broken = ("imu", "prox", "touch", "nfc")
    bench = Bench()
    bench.start()
    await asyncio.sleep_ms(8000)
    await bench.show(picture())
    return bench


async def hanging(how):
    """Every movement that is not answered, and back after a second off."""
    bench = Bench()
    await settled(bench)
    world.uart.hung = how
    await bench.act("head.move", yaw=20)
    await bench.until(lambda: "head" not in bench.robot.features, "left out")
    same((bench.robot.head, bench.hellos), (None, 1), "another hello")
    same(world.uart._powered_at, None, "the rail is off")
    await bench.until(lambda: any("Head off" in canvas.texts
                                  for canvas in lcd.canvases), "the reason")
    same((await bench.ack(bench.command("head.move", yaw=1)))["code"],
         "unknown")
    same((await bench.show(picture()))["ok"], True)
    await bench.until(lambda: "head" in bench.robot.features, "back")
    same((bench.hellos, bench.robot.head.pitch), (2, 45), "another hello")
    same(len(rails()), 2, "times that the power came on")
    await bench.act("head.move", yaw=20)
    await looks(bench, 20, 45)
    same(bench.logs()[-1] != "", True)
    nothing_pushed()


async def hung_bus():
    await hanging("all")


async def hung_replies():
    await hanging("replies")


async def hung_reads():
    await hanging("reads")


async def never_cured():
    """Three times in an hour, later and later, and then once an hour."""
    bench = await quiet()
    hellos = bench.hellos
    world.uart.cures = False
    world.uart.hung = "all"
    await bench.act("head.move", yaw=20)
    await asyncio.sleep_ms(4 * 3600000)
    times = rails()[1:]
    same(len(times), 6, "times in four hours")
    for at in times:
        if len([one for one in times if at <= one < at + 3600]) > 3:
            raise AssertionError("more than three in an hour: %r" % times)
    waits = [(b - a) // 10 for a, b in zip(times, times[1:])]
    same(waits, sorted(waits), "growing waits")
    same(bench.hellos - hellos, 1, "one hello")
    same(world.uart._powered_at, None, "the rail is off")


async def dead_servos():
    """Those that have never replied are left alone after three times."""
    world.uart.hung, world.uart.cures = "all", False
    await quiet()
    await asyncio.sleep_ms(3 * 3600000)
    same(len(rails()), 4, "times that the power came on")


async def hung_at_stop():
    """The head would be pulled into the stop as the power comes on."""
    bench = await quiet()
    await bench.act("head.move", pitch=84)
    await looks(bench, 0, 84)
    world.uart.hung = "all"
    await bench.act("head.move", pitch=60)
    await asyncio.sleep_ms(3600000)
    same((len(rails()), world.uart._powered_at), (1, None), "off for good")
    same([one for one in bench.logs() if "until a restart" in one] != [],
         True, "told")


async def power_up():
    """Neither the goal that was kept nor the way to the rest is a lurch."""
    for servo, place, kept in ((1, 300, 700), (2, 610, 880)):
        world.uart.servos[servo].place = float(place)
        world.uart.servos[servo].goal = kept
    # Just after a try: the next one is 50 ms later.
    fake_servos.WAKE_MS = 205
    bench = Bench()
    bench.start()
    servos = world.uart.servos.values()
    first = [servo.position for servo in servos]
    await asyncio.sleep_ms(1400)
    pulled = max(abs(servo.position - place)
                 for servo, place in zip(servos, first))
    if pulled > 100:
        raise AssertionError("pulled by %d positions" % pulled)
    world.uart.fastest = 0
    await looks(bench, 0, 45, "the rest")
    # 15 degrees a second on average, 22 where it is fastest: 72 positions,
    # and the rounding of a step.
    if world.uart.fastest > 150:
        raise AssertionError("%d a second" % world.uart.fastest)
    nothing_pushed()


async def turned_as_motor():
    world.uart.servos[1].limits = [0, 0]
    bench = Bench()
    await settled(bench)
    same(world.uart.servos[1].limits, [0, 1000])
    same([one for one in bench.logs() if "as a motor" in one] != [], True)


async def reversals():
    """Eased, 50 goals a second; both axes turn back at half the speed."""
    bench = Bench()
    await settled(bench)
    uart = world.uart
    await bench.act("head.move", yaw=60, pitch=80, duration_ms=1)
    await asyncio.sleep_ms(150)
    goals = uart.goals
    await asyncio.sleep_ms(200)
    if not 16 <= uart.goals - goals <= 21:
        raise AssertionError("%d goals in 200 ms" % (uart.goals - goals))
    await looks(bench, 60, 80)
    # One position in 20 ms is 50 a second.
    if not 400 <= uart.fastest <= 650:
        raise AssertionError("%d a second" % uart.fastest)
    uart.fastest = 0
    await bench.act("head.move", yaw=-60, pitch=10)
    await asyncio.sleep_ms(300)
    before = head()
    # In the middle of it, back again.
    await bench.act("head.move", yaw=60, pitch=80)
    steps = [before]
    for _ in range(60):
        await asyncio.sleep_ms(20)
        steps.append(head())
    await looks(bench, 60, 80)
    if uart.fastest > 434:
        raise AssertionError("both back at %d a second" % uart.fastest)
    ways = [b[0] - a[0] for a, b in zip(steps, steps[1:])]
    turns = max(abs(b - a) for a, b in zip(ways, ways[1:]))
    if turns > 3:
        raise AssertionError("yaw changes by %d degrees in 20 ms" % turns)
    for _ in range(8):
        await bench.act("head.gesture", name="shake")
        await bench.act("head.gesture", name="nod")
        await asyncio.sleep_ms(350)
    nothing_pushed()


async def stuck_servo():
    bench = await quiet()
    servo = world.uart.servos[1]
    servo.held = True
    for yaw in (50, 40, 60):
        same("head" in bench.robot.features, True, "%r" % bench.logs())
        await bench.act("head.move", yaw=yaw)
        await bench.until(lambda: not servo.torque,
                          "torque off: it does not push")
        await asyncio.sleep_ms(3000)
    same("head" in bench.robot.features, False, "given up at the third")
    same([one for one in bench.logs() if "stuck" in one] != [], True)
    if servo.stalled_ms > 1800:
        raise AssertionError("pushed for %d ms" % servo.stalled_ms)
    await asyncio.sleep_ms(900000)
    same((len(rails()), world.uart._powered_at), (1, None), "off for good")


async def wrong_zero():
    """The zero of another firmware: seen as a stall, and ended."""
    bench = Bench(yaw_zero=450, pitch_zero=125)
    bench.start()
    await asyncio.sleep_ms(60000)
    pitch = world.uart.servos[2]
    if not 0 < pitch.stalled_ms < 1500:
        raise AssertionError("pushed for %d ms" % pitch.stalled_ms)
    same(pitch.torque, False)


async def uncalibrated(zeros):
    world.zeros = zeros
    bench = Bench()
    same("head" in bench.robot.features, False, "the feature")
    bench.start()
    await asyncio.sleep_ms(30000)
    same((world.uart.writes, world.uart._powered_at), (0, None), "no torque")
    same([canvas for canvas in lcd.canvases
          if "Head off" in canvas.texts] != [], True, "the reason")
    same([one for one in bench.robot.missing if "not calibrated" in one]
         != [], True, "the log")
    same((await bench.ack(bench.command("head.move", yaw=1)))["code"],
         "unknown")
    return bench


async def no_zeros():
    await uncalibrated(None)


async def default_zeros():
    """What firmwares store without a measurement counts as nothing."""
    await uncalibrated(fake_servos.FORMER_ZEROS)


async def tap(bench, x, y):
    world.touches = [(x, y)]
    await asyncio.sleep_ms(100)
    world.touches = []
    await asyncio.sleep_ms(600)


def shows(text):
    return any(text in canvas.texts[-9:] for canvas in lcd.canvases)


async def by_hand(bench):
    """Somebody holds the head level, and says so."""
    await bench.until(lambda: shows("It is level"), "the question")
    await bench.until(lambda: world.uart._off_at is None, "power")
    await asyncio.sleep_ms(1000)
    for number, servo in world.uart.servos.items():
        same(servo.torque, False, "a hand can turn the head")
        servo.position = LEVEL[number] + number
    await tap(bench, 240, 190)
    await bench.until(lambda: shows("< your left"), "the side")
    await asyncio.sleep_ms(6000)
    yaw, pitch = head()
    same((yaw < -20, pitch), (True, 46), "to the robot's right")


async def calibrated():
    bench = await uncalibrated(None)
    await bench.show(picture(), name="card")
    await tap(bench, 160, 220)
    same(shows("It is level"), False, "a card covers the hint")
    await bench.act("screen.clear", layer="card")
    await asyncio.sleep_ms(500)
    before = len(bench.inputs("touch_up"))
    await tap(bench, 160, 220)
    await by_hand(bench)
    # The robot's right is to the left of who stands before it.
    await tap(bench, 80, 190)
    same(bench.settings.saved, {
        "yaw_zero": LEVEL[1] + 1, "pitch_zero": LEVEL[2] + 2, "yaw_sign": -1,
        "yaw_limits": (0, 1000), "pitch_limits": (0, 1000)})
    same(len(bench.inputs("touch_up")), before, "its touches are no input")
    await bench.until(lambda: "head" in bench.robot.features, "the feature")
    await looks(bench, 0, 46, "rest")
    await bench.act("head.move", yaw=30, pitch=20)
    await looks(bench, 30, 21)
    await asyncio.sleep_ms(8000)
    same(shows("Head off"), False, "the hint")
    nothing_pushed()


async def calibrated_again():
    """By its command, of a head that works and turns the other way."""
    bench = Bench()
    await settled(bench)
    same([one["name"] for one in bench.robot.own.declared()
          if one["class"] == "program"][-1], "calibrate_head")
    same(await bench.act("robot", command="calibrate_head", args={}),
         {"why": ""})
    same((await bench.ack(bench.command(
        "robot", command="calibrate_head", args={})))["code"], "busy")
    await by_hand(bench)
    await tap(bench, 240, 190)
    same(bench.settings.saved["yaw_sign"], 1)
    await bench.until(lambda: "head" in bench.robot.features, "the feature")
    await bench.act("head.move", yaw=30)
    await looks(bench, -30, 46)


async def not_level():
    """A head that is held up is asked for once more."""
    bench = await uncalibrated(None)
    await tap(bench, 160, 220)
    await bench.until(lambda: world.uart._off_at is None, "power")
    await asyncio.sleep_ms(1000)
    world.uart.servos[2].position = LEVEL[2] + 150
    await tap(bench, 240, 190)
    await bench.until(lambda: shows("Unusual. Is it level?"), "once more")
    await tap(bench, 240, 190)
    await asyncio.sleep_ms(1000)
    same(shows("Unusual. Is it level?"), True, "the second of two quick taps")
    await by_hand(bench)


async def cancelled():
    bench = await uncalibrated(None)
    await tap(bench, 160, 220)
    await bench.until(lambda: world.uart._off_at is None, "power")
    await asyncio.sleep_ms(1000)
    await tap(bench, 80, 190)
    await bench.until(lambda: shows("Nothing was changed"), "the end")
    same((bench.settings.saved, world.uart._powered_at), ({}, None))
    await asyncio.sleep_ms(8000)
    # A question is worth more, and nobody's touch answers for the head.
    await tap(bench, 160, 220)
    await asyncio.sleep_ms(2000)
    await bench.show(picture(), layer="question", name="w1")
    await asyncio.sleep_ms(1000)
    await tap(bench, 240, 190)
    touch = bench.inputs("touch_up")[-1]
    same((touch["x"], touch["y"]), (240, 190), "an answer")
    same((bench.settings.saved, world.uart._powered_at), ({}, None))
    same((await bench.ack(bench.command(
        "robot", command="calibrate_head", args={})))["code"], "busy")


async def touched_at_start():
    """What the zones read as the rail comes up is nobody's hand."""
    bench = Bench()
    bench.start()
    await asyncio.sleep_ms(10000)
    same(bench.inputs("head_down"), [])
    world.zones = [2, 0, 0]
    await bench.input("head_down")
    world.zones = [0, 0, 0]
    await bench.input("head_up")
    world.uart.hung = "all"
    await bench.act("head.move", yaw=20)
    await asyncio.sleep_ms(20000)
    same(len(rails()), 2, "power again")
    same(len(bench.inputs("head_down")), 1, "at another power-up")


async def constants():
    """The program's numbers, held against what the sources say."""
    from perch import head as own_head
    from perch import scs, senses, servos
    from perch.boards import stackchan

    same((scs.LIMITS, scs.TORQUE, scs.GOAL, scs.POSITION),
         (fake_servos.SCSCL_MIN_ANGLE_LIMIT_L,
          fake_servos.SCSCL_TORQUE_ENABLE,
          fake_servos.SCSCL_GOAL_POSITION_L,
          fake_servos.SCSCL_PRESENT_POSITION_L), "registers")
    same((servos.YAW, servos.PITCH),
         (fake_servos.YAW_ID, fake_servos.PITCH_ID), "ids")
    same(servos.PER_DEGREE, fake_servos.STEPS / fake_servos.DEGREES)
    same(servos.POSITION_MAX, fake_servos.POSITIONS[1])
    same((-own_head.YAW_MAX, own_head.YAW_MAX), fake_servos.ANGLES[1])
    low, high = fake_servos.PITCH_STOPS
    same(low < own_head.PITCH_MIN and own_head.PITCH_MAX < high, True,
         "no goal at a stop")
    same(own_head.REST[1], fake_servos.REST_PITCH)
    same(own_head.HOME, (0, 10), "face forward")
    first = servos.WAKE_MS + (servos.READ_TRIES - 1) * servos.READ_EVERY_MS
    same(servos.WAKE_MS < fake_servos.WAKE_MS < first, True, "wake")
    same(servos.RAIL_OFF_MS, 1000)
    same((servos.READ_TRIES, servos.READ_EVERY_MS), (5, 50))
    same(senses.HeadTouch.ARMED_MS, 3000)
    same(fake_servos.FORMER_ZEROS[2] in stackchan.UNMEASURED, True)
    for number, (least, most) in fake_servos.MEASURED_ZEROS.items():
        from perch.calibration import USUAL

        low, high = USUAL[number]
        for zero in (least, most, fake_servos.VENDOR_ZEROS[number]):
            same(low < zero < high, True, "usual")
            same(zero in stackchan.UNMEASURED, False)
    # 0.10.0 drove with these, to the left at rising positions.
    same(fake_servos.RISING, "right")


async def at_rest():
    bench = Bench()
    await settled(bench)
    await bench.act("robot", command="brightness", args={"pct": 100})
    await bench.act("head.move", yaw=30, pitch=10)
    await looks(bench, 30, 10)
    await bench.until(lambda: not world.uart.servos[1].torque
                      and not world.uart.servos[2].torque, "torque off")
    same(head(), (30, 45), "the pose without torque")
    same((bench.robot.head.pitch, bench.robot.head.moving), (45, False))
    # So it does before an update restarts the chip.
    await bench.act("head.move", pitch=10)
    await looks(bench, 30, 10)
    await bench.robot.head.rest()
    same((head(), bench.robot.head.moving), ((30, 45), False))
    await bench.until(lambda: not world.uart.servos[1].torque, "torque off")
    # Somebody turns it by hand: it does not jump back.
    world.uart.servos[1].position = 600
    await bench.act("head.move", yaw=0, duration_ms=2000)
    await looks(bench, 0, 45, "home")
    same(lcd.brightness, 255)
    await asyncio.sleep_ms(310000)
    same(lcd.brightness, 20, "dim")
    world.touches = [(5, 5)]
    await bench.until(lambda: lcd.brightness == 255, "bright again")
    same((await bench.input("touch_down"))["dark"], True, "a dim screen")
    world.touches = []
    await bench.input("touch_up")
    world.touches = [(5, 5)]
    same("dark" in await bench.input("touch_down", 2), False, "a bright one")
    world.touches = []
    await bench.show(picture(), layer="question", show_ms=400000)
    await asyncio.sleep_ms(310000)
    same(lcd.brightness, 30 * 255 // 100, "a question that nobody answers")


async def stored_settings():
    """Of 0.10.0: zeros and side by hand, which win."""
    world.zeros = fake_servos.FORMER_ZEROS
    bench = Bench(yaw_sign=1, yaw_zero=LEVEL[1], pitch_zero=LEVEL[2])
    await settled(bench)
    await bench.act("head.move", yaw=30)
    await looks(bench, -30, 45)
    nothing_pushed()


HOURS_S = 7200
# When the bus hangs, and how. After the fourth in an hour the head is left
# out for another one.
HANGS = ((400, "all"), (1300, "reads"), (2300, "replies"), (3300, "all"))


async def hours():
    """Two robot hours of movements, with a bus that hangs four times."""
    bench = await quiet()
    hellos = bench.hellos
    random.seed(39)
    began, hangs, away, free = clock.us, list(HANGS), 0, []
    while True:
        second = (clock.us - began) // 1000000
        if second >= HOURS_S:
            break
        if hangs and second >= hangs[0][0]:
            world.uart.hung = hangs.pop(0)[1]
        if "head" not in bench.robot.features:
            away += 1
        elif random.random() < 0.3:
            bench.command("head.gesture", name=random.choice(
                ("nod", "shake", "home")))
        else:
            bench.command(
                "head.move", yaw=random.randint(-100, 100),
                pitch=random.randint(14, 78),
                duration_ms=random.choice((1, 300, 2000)))
        world.zones = random.choice(([0, 0, 0], [0, 2, 0]))
        await asyncio.sleep_ms(random.choice((150, 900, 3000, 8000, 50000)))
        bench.sent.clear()
        bench.robot.inputs.ack(bench.robot.inputs.seq)
        gc.collect()
        if second // 60 > len(free):
            free.append(gc.mem_free() // 1024)
    same(hangs, [], "all of them")
    same("head" in bench.robot.features, True, "the head at the end")
    times = rails()[1:]
    same(len(times), len(HANGS), "times that the power came on: %r" % times)
    for at in times:
        if len([one for one in times if at <= one < at + 3600]) > 3:
            raise AssertionError("more than three in an hour: %r" % times)
    # A hello without the head, and one with it, for each.
    same(bench.hellos - hellos, 2 * len(HANGS), "hellos")
    nothing_pushed()
    if world.uart.fastest > 650:
        raise AssertionError("%d a second" % world.uart.fastest)
    half = len(free) // 2
    print("free: %d KB, %d KB; away %d times; longest turn %d ms" % (
        min(free[5:half]), min(free[half:]), away,
        clock.longest_us // 1000))
    if min(free[5:half]) - min(free[half:]) > 8:
        raise AssertionError("the memory shrinks")
    if clock.longest_us > 40000:
        raise AssertionError("a turn of %d ms" % (clock.longest_us // 1000))


run_one((
    hours,
    hung_bus, hung_replies, hung_reads, never_cured, dead_servos,
    hung_at_stop, power_up, turned_as_motor, reversals, stuck_servo,
    wrong_zero, no_zeros, default_zeros, calibrated, calibrated_again,
    not_level, cancelled, touched_at_start, constants, at_rest,
    stored_settings))
