# SPDX-License-Identifier: Apache-2.0
"""A stand-in for network.WLAN of an ESP32: one access point."""

import json

STA_IF = 0
IDLE, CONNECTING, GOT_IP = 1000, 1001, 1010
NO_AP_FOUND, WRONG_PASSWORD = 201, 202


class WLAN:
    _status = IDLE
    _ssid = ""
    _looks = 0
    _last_reason = None

    def __init__(self, interface):
        if interface != STA_IF:
            raise ValueError("only the station is known")
        with open("/device/state.json") as file:
            WLAN._last_reason = WLAN._last_reason or json.load(file)["wifiReason"]

    def active(self, on=None):
        return True

    def disconnect(self):
        WLAN._status = IDLE

    def connect(self, ssid, password):
        with open("/device/state.json") as file:
            wifi = json.load(file)["wifi"]
        WLAN._ssid, WLAN._looks = ssid, 0
        if ssid != wifi["ssid"]:
            WLAN._status = NO_AP_FOUND
        elif password != wifi["password"]:
            WLAN._status = WRONG_PASSWORD
        else:
            WLAN._status = GOT_IP

    def status(self):
        """It connects for a while first, in which the reason of the last failure stays."""
        WLAN._looks += 1
        if WLAN._status != IDLE and WLAN._looks < 3:
            return WLAN._last_reason or CONNECTING
        if WLAN._status in (NO_AP_FOUND, WRONG_PASSWORD):
            WLAN._last_reason = WLAN._status
        return WLAN._status

    def isconnected(self):
        return WLAN._status == GOT_IP and WLAN._looks >= 3

    def config(self, name):
        if name != "ssid":
            raise ValueError("unknown config param")
        return WLAN._ssid

    def ifconfig(self):
        return ("192.0.2.20", "255.255.255.0", "192.0.2.1", "192.0.2.1")
