# SPDX-License-Identifier: Apache-2.0
"""The commands of the link: arguments are checked on receipt."""

import asyncio

from perch import args as check
from perch.args import Nack, bad_args
from perch.commands import Prepared
from perch.face import EMOTIONS, VIEWS
from perch.head import GESTURES
from perch.leds import EFFECTS
from perch.screen import LAYERS
from perch.speaker import RATES, Sound

PICTURE_MS = 10000
DAY_MS = 86400000
ANY = 1e9


def prepare(robot, name, args):
    """Returns a Prepared. @raise Nack"""
    try:
        feature, command = COMMANDS.get(name, (None, None))
        if command is None:
            raise Nack("unknown", "no command %s" % name)
        if feature is not None and feature not in robot.features:
            raise Nack("unknown", "this robot has no " + feature)
        return command(robot, args)
    except Exception:
        robot.media.refuse(args.get("stream"))
        raise


def simply(act):
    """Returns a Prepared that calls `act`."""

    async def run(_job):
        result = act()
        return {} if result is None else result

    return Prepared(run)


def with_picture(robot, announced, use):
    """Returns a Prepared that calls `use` with the whole picture."""
    picture = robot.media.expect_picture(announced)

    async def run(_job):
        try:
            await asyncio.wait_for_ms(picture.whole.wait(), PICTURE_MS)
        except asyncio.TimeoutError:
            picture.release()
            raise Nack("hardware", "%d of %d bytes of the picture arrived"
                       % (picture.received, picture.bytes))
        if picture.error is not None:
            raise picture.error
        result = use(picture)
        return {} if result is None else result

    return Prepared(run, lambda: robot.media.end(picture.stream))


def show(robot, args):
    layer = check.choice_arg(args, "layer", LAYERS)
    name = check.text_arg(args, "id", 64)
    show_ms = None
    if layer == "question" or args.get("show_ms") is not None:
        show_ms = check.number_arg(args, "show_ms", 1, DAY_MS)
    return with_picture(
        robot, args, lambda p: robot.screen.show(layer, name, p, show_ms))


def clear(robot, args):
    layer = check.choice_arg(args, "layer", LAYERS)
    name = args.get("id")
    if name is not None:
        check.text_arg(args, "id", 64)
    return simply(lambda: {"cleared": robot.screen.clear(layer, name)})


def bubble(robot, args):
    text = check.text_arg(args, "text", 200)
    seconds = check.number_arg(args, "seconds", 0, 3600)

    def say(picture=None):
        if robot.screen is not None and robot.screen.covered:
            raise Nack("card_showing", "a picture covers the face")
        robot.face.say(text, seconds, picture)

    # The service sends what the fonts of a chip lack as a picture.
    if args.get("stream") is not None:
        return with_picture(robot, args, say)
    return simply(say)


def face(robot, args):
    emotion, view = args.get("emotion"), args.get("view")
    if emotion is None and view is None:
        raise bad_args("emotion or view")
    if emotion is not None:
        check.choice_arg(args, "emotion", EMOTIONS)
    if view is not None:
        check.choice_arg(args, "view", VIEWS)
    return simply(lambda: robot.face.set(emotion, view))


def move(robot, args):
    yaw, pitch = args.get("yaw"), args.get("pitch")
    if yaw is None and pitch is None:
        raise bad_args("yaw or pitch")
    for name in ("yaw", "pitch"):
        if args.get(name) is not None:
            check.number_arg(args, name, -ANY, ANY)
    ms = args.get("duration_ms")
    if ms is not None:
        check.integer_arg(args, "duration_ms", 1, 10000)
    return simply(lambda: robot.head.move(yaw, pitch, ms))


def gesture(robot, args):
    name = check.choice_arg(args, "name", GESTURES)
    return simply(lambda: robot.head.gesture(name))


def set_leds(robot, args):
    pixels = check.color_args(args, "pixels", robot.leds.count)
    return simply(lambda: robot.leds.set(pixels))


def run_effect(robot, args):
    name = check.choice_arg(args, "name", EFFECTS)
    color, palette = args.get("color"), None
    if color is not None:
        color = check.color_arg(color, "color")
    if name == "rainbow":
        palette = check.color_args(args, "palette", 6)
    effect = {
        "name": name,
        "color": color,
        "palette": palette,
        "speed": check.number_arg(args, "speed", 0.01, 100),
        "seconds": check.number_arg(args, "seconds", 0, ANY),
    }
    return simply(lambda: robot.leds.run(effect))


def play(robot, args):
    check.choice_arg(args, "format", ("pcm_s16le",))
    rate = check.integer_arg(args, "rate", 1, 1000000)
    if rate not in RATES:
        raise bad_args("rate: 16000 or 24000")
    size = None
    if args.get("bytes") is not None:
        size = check.integer_arg(args, "bytes", 2, 0xFFFFFFFF)
        if size % 2:
            raise bad_args("bytes: whole samples of 2 bytes")
    volume = args.get("volume")
    if volume is not None:
        check.number_arg(args, "volume", 0, 100)
    stream = check.integer_arg(args, "stream", 0, 0xFFFF)
    name = check.text_arg(args, "id", 64)
    sound = Sound(robot.speaker, stream, name, rate, size)
    robot.media.expect(sound)

    async def run(job):
        def settle(how):
            sound.settle = None
            if how == "underrun":
                job.refuse(Nack("hardware", "broke off before it began"))
            else:
                job.finish({} if how == "begun" else {"replaced": True})

        if sound.done is not None:
            settle(sound.done)
            return None
        sound.settle = settle
        if volume is not None:
            robot.speaker.set_volume(volume)
        robot.speaker.play(sound)
        return None

    return Prepared(run, lambda: robot.media.end(stream))


def stop(robot, _args):
    return simply(lambda: robot.speaker.stop())


def set_volume(robot, args):
    pct = check.number_arg(args, "pct", 0, 100)
    return simply(lambda: robot.speaker.set_volume(pct))


def own(robot, args):
    name = check.text_arg(args, "command")
    given = args.get("args") or {}
    if not isinstance(given, dict):
        raise bad_args("args: an object")
    return robot.own.prepare(robot, name, given)


def update(robot, args):
    version = check.text_arg(args, "version", 64)
    return simply(lambda: robot.updater.start(version))


COMMANDS = {
    "screen.show": ("screen", show),
    "screen.clear": ("screen", clear),
    "bubble": ("bubble", bubble),
    "face": ("face", face),
    "head.move": ("head", move),
    "head.gesture": ("head", gesture),
    "leds.set": ("leds", set_leds),
    "leds.effect": ("leds", run_effect),
    "audio.play": ("speaker", play),
    "audio.stop": ("speaker", stop),
    "audio.volume": ("speaker", set_volume),
    "robot": (None, own),
    "update": (None, update),
}
