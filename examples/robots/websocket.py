# SPDX-License-Identifier: Apache-2.0
"""A WebSocket client (RFC 6455), as far as the link needs one.

Python's standard library has none. No fragments and no extensions: the
service sends neither.
"""
import base64
import secrets
import socket
import ssl
import urllib.parse

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Ended(Exception):
    """The connection is over: a close code, or the HTTP status of a refusal.

    `pair`: the service does not know the token.
    """

    def __init__(self, code, pair=False):
        super().__init__(code)
        self.code, self.pair = code, pair


class WebSocket:
    def __init__(self, address, protocol, token):
        url = urllib.parse.urlsplit(address)
        port = url.port or {"ws": 80, "wss": 443}[url.scheme]
        self.socket = socket.create_connection((url.hostname, port), 10)
        if url.scheme == "wss":
            self.socket = ssl.create_default_context().wrap_socket(
                self.socket, server_hostname=url.hostname)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        self.socket.sendall("\r\n".join([
            f"GET {url.path} HTTP/1.1", f"Host: {url.netloc}",
            "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
            f"Sec-WebSocket-Protocol: {protocol}",
            f"Authorization: Bearer {token}", "", ""]).encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.read()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        status = int(head.split()[1])
        if status != 101:
            self.socket.close()
            raise Ended(status, b"\r\nperch-link: pair" in head.lower())

    def read(self):
        data = self.socket.recv(65536)
        if not data:
            raise Ended(1006)
        self.data += data

    def frames(self, wait_s):
        """Yields (opcode, payload) of what arrives within `wait_s`."""
        self.socket.settimeout(wait_s)
        try:
            if not self.complete():
                self.read()
        except (TimeoutError, socket.timeout):
            return
        finally:
            self.socket.settimeout(10)
        while self.complete():
            start, size = self.complete()
            opcode, payload = self.data[0] & 15, self.data[start:start + size]
            self.data = self.data[start + size:]
            if opcode == CLOSE:
                raise Ended(int.from_bytes(payload[:2], "big") or 1005)
            if opcode == PING:
                self.send(payload, PONG)
            yield opcode, payload

    def complete(self):
        """Returns where the payload starts and its size, or None."""
        if len(self.data) < 2:
            return None
        size, start = self.data[1], 2
        if size > 125:
            start = 4 if size == 126 else 10
            size = int.from_bytes(self.data[2:start], "big")
        return (start, size) if len(self.data) >= start + size else None

    def send(self, payload, opcode=TEXT):
        """A client masks what it sends. At most 65,535 bytes."""
        size, mask = len(payload), secrets.token_bytes(4)
        head = bytes([0x80 | opcode, 0x80 | min(size, 126)])
        if size > 125:
            head += size.to_bytes(2, "big")
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)
