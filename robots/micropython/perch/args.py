# SPDX-License-Identifier: Apache-2.0
"""Checks arguments of commands; each function returns the value."""


class Nack(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message


def bad_args(message):
    return Nack("bad_args", message)


def text_arg(args, name, chars_max=4096):
    value = args.get(name)
    if not isinstance(value, str):
        raise bad_args(name + ": a string")
    if len(value) > chars_max:
        raise bad_args("%s: at most %d characters" % (name, chars_max))
    return value


def number_arg(args, name, low, high):
    value = args.get(name)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise bad_args("%s: a number from %s to %s" % (name, low, high))
    return value


def integer_arg(args, name, low, high):
    value = number_arg(args, name, low, high)
    if int(value) != value:
        raise bad_args(name + ": an integer")
    return int(value)


def bool_arg(args, name):
    value = args.get(name)
    if not isinstance(value, bool):
        raise bad_args(name + ": true or false")
    return value


def choice_arg(args, name, choices):
    value = args.get(name)
    if value not in choices:
        raise bad_args("%s: one of %s" % (name, ", ".join(choices)))
    return value


def color_arg(value, name):
    """Returns #rrggbb in lower case."""
    try:
        if len(value) == 7 and value[0] == "#":
            int(value[1:], 16)
            return value.lower()
    except (TypeError, ValueError):
        pass
    raise bad_args(name + ": #rrggbb")


def color_args(args, name, count):
    value = args.get(name)
    if not isinstance(value, list) or len(value) != count:
        raise bad_args("%s: %d colours" % (name, count))
    return [color_arg(color, name) for color in value]
