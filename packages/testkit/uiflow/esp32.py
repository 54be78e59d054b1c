# SPDX-License-Identifier: Apache-2.0
"""A stand-in for esp32.NVS as UIFlow2 has it."""

import json

PATH = "/device/nvs.json"


class NVS:
    def __init__(self, namespace):
        self._namespace = namespace
        self._changes = {}

    def get_str(self, key):
        return self._get(key, str)

    def get_u8(self, key):
        return self._get(key, int)

    def get_i32(self, key):
        return self._get(key, int)

    def set_str(self, key, value):
        if not isinstance(value, str):
            raise TypeError("a str is needed")
        self._set(key, value)

    def set_i32(self, key, value):
        if not -(1 << 31) <= value < 1 << 31:
            raise ValueError("not an i32")
        self._set(key, value)

    def set_u8(self, key, value):
        if not 0 <= value <= 255:
            raise ValueError("not a u8")
        self._set(key, value)

    def commit(self):
        kept = _read()
        kept.setdefault(self._namespace, {}).update(self._changes)
        with open(PATH, "w") as file:
            json.dump(kept, file)

    def _set(self, key, value):
        if len(key) > 15:
            raise ValueError("a key has at most 15 characters")
        self._changes[key] = value

    def _get(self, key, kind):
        value = _read().get(self._namespace, {}).get(key)
        if not isinstance(value, kind):
            raise OSError(-0x1102, "ESP_ERR_NVS_NOT_FOUND")
        return value


def firmware_info():
    """The fourth is the version; the others are not used."""
    with open("/device/state.json") as file:
        version = json.load(file)["uiflow"]
    return (0, 0, None, version, "", "", "", "", "", None)


def _read():
    try:
        with open(PATH) as file:
            return json.load(file)
    except OSError:
        return {}
