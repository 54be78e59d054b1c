# SPDX-License-Identifier: Apache-2.0
"""A stand-in for socket: connects if the test says so."""

import json

SOCK_STREAM = 1


def getaddrinfo(host, port, _family, kind):
    return [(2, kind, 0, host, (host, port))]


class socket:
    def __init__(self, _family, _kind, _protocol):
        pass

    def settimeout(self, _seconds):
        pass

    def connect(self, _address):
        with open("/device/state.json") as file:
            if not json.load(file)["reachable"]:
                raise OSError(113, "EHOSTUNREACH")

    def close(self):
        pass
