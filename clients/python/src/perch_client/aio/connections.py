"""HTTP/1.1 over asyncio's streams: connections that are opened with a deadline and kept for the next call."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from typing import Any, Dict, List, Optional, Tuple
from weakref import WeakKeyDictionary

from ..connections import Deadline, parts_of, proxy_of
from ..forks import renew_in_child
from ..transport import TooLong

_idle_max = 8
# Shorter than the 65 s after which the service closes idle connections.
_idle_s = 30.0
_connect_s = 10.0
_line_bytes_max = 1024 * 1024
_headers_max = 100


class BrokenResponse(Exception):
    """What was received is not an HTTP response, or it broke off."""


class Response:
    """A response whose body is read with `read` or line by line with `readline`."""

    def __init__(self, reader: asyncio.StreamReader, status: int, headers: Dict[str, str]) -> None:
        self.status = status
        self.headers = headers
        self._reader = reader
        self._chunked = "chunked" in headers.get("transfer-encoding", "").lower()
        length = headers.get("content-length", "")
        self.length: Optional[int] = int(length) if length.isdigit() and not self._chunked else None
        self._ahead = b""

    @property
    def keeps_connection(self) -> bool:
        """Whether the connection can be used again after the body."""
        return self.headers.get("connection", "").lower() != "close" and (self._chunked or self.length is not None)

    async def read(self, bytes_max: int) -> bytes:
        if self.length is not None:
            if self.length > bytes_max:
                raise TooLong
            return await self._reader.readexactly(self.length)
        parts: List[bytes] = []
        size = 0
        while True:
            part = await self._part()
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > bytes_max:
                raise TooLong

    async def readline(self) -> bytes:
        """Returns a line with its end, or what was left before the body ended."""
        while b"\n" not in self._ahead:
            part = await self._part()
            if not part or len(self._ahead) > _line_bytes_max:
                line, self._ahead = self._ahead, b""
                return line
            self._ahead += part
        line, _, self._ahead = self._ahead.partition(b"\n")
        return line + b"\n"

    async def _part(self) -> bytes:
        """Returns the next bytes of the body; empty at its end."""
        if not self._chunked:
            return await self._reader.read(65536)
        size = int((await self._reader.readline()).split(b";")[0], 16)
        part = await self._reader.readexactly(size)
        await self._reader.readexactly(2)
        return part


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader = reader
        self._writer = writer
        self._host = host

    @property
    def is_open(self) -> bool:
        return not (self._reader.at_eof() or self._writer.transport.is_closing())

    async def request(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Response:
        """Sends a request. Returns the response once its headers are there."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {self._host}", *(f"{name}: {value}" for name, value in headers.items())]
        if body is not None or method == "POST":
            lines.append(f"content-length: {len(body or b'')}")
        head = "\r\n".join(lines)
        if "\n" in head.replace("\r\n", ""):
            raise ValueError("a header or a path contains a line break")
        self._writer.write(f"{head}\r\n\r\n".encode("latin-1") + (body or b""))
        await self._writer.drain()
        while True:
            status, received = await self._head()
            # 1xx: the response itself follows.
            if status >= 200:
                return Response(self._reader, status, received)

    async def _head(self) -> Tuple[int, Dict[str, str]]:
        start = (await self._reader.readuntil(b"\n")).decode("latin-1").split(" ")
        if len(start) < 2 or not start[0].startswith("HTTP/1.") or not start[1].strip().isdigit():
            raise BrokenResponse("the response is not HTTP")
        headers: Dict[str, str] = {}
        for _ in range(_headers_max):
            line = (await self._reader.readuntil(b"\n")).decode("latin-1").strip()
            if line == "":
                return int(start[1]), headers
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        raise BrokenResponse("the response has too many headers")

    def close(self) -> None:
        self._writer.close()


class Connections:
    """A pool of connections of one process, for each event loop that uses it. `base_url` may have a path before /v1.

    Proxy settings of the environment are ignored. proxy: http URL of a proxy, through which https connections are tunnelled.
    """

    def __init__(self, base_url: str, ssl_context: Optional[ssl.SSLContext] = None, proxy: Optional[str] = None) -> None:
        url, self._port, self.path = parts_of(base_url)
        self._hostname = str(url.hostname)
        self._host = url.netloc
        self._ssl = (ssl_context or ssl.create_default_context()) if url.scheme == "https" else None
        self._proxy = proxy_of(proxy)
        # A request to a proxy names the whole URL.
        self.before_path = f"http://{url.netloc}" if self._proxy is not None and self._ssl is None else ""
        self.in_child()
        renew_in_child(self)

    def in_child(self) -> None:
        """Leaves the connections to the parent process."""
        # A connection works in the loop that opened it alone, and goes with it.
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, List[Tuple[float, Connection]]] = WeakKeyDictionary()
        self._process = os.getpid()

    @property
    def _idle(self) -> List[Tuple[float, Connection]]:
        if self._process != os.getpid():
            self.in_child()
        return self._pools.setdefault(asyncio.get_running_loop(), [])

    async def take(self, deadline: Deadline) -> Connection:
        """Returns an open connection for exclusive use. Raises OSError or asyncio.TimeoutError if none can be opened; nothing was sent then."""
        # Lets the event loop notice connections that the service has closed.
        await asyncio.sleep(0)
        idle = self._idle
        while idle:
            since, connection = idle.pop()
            if time.monotonic() - since < _idle_s and connection.is_open:
                return connection
            connection.close()
        return await self.dial(deadline)

    async def dial(self, deadline: Deadline) -> Connection:
        opening = self._open() if self._proxy is None else self._open_by_proxy(*self._proxy)
        reader, writer = await asyncio.wait_for(opening, max(0.001, min(_connect_s, deadline.left)))
        return Connection(reader, writer, self._host)

    async def _open(self) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._hostname, self._port, ssl=self._ssl, limit=_line_bytes_max)

    async def _open_by_proxy(self, host: str, port: int) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._ssl is None:
            return await asyncio.open_connection(host, port, limit=_line_bytes_max)
        loop = asyncio.get_running_loop()
        found = (await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))[0]
        sock = socket.socket(*found[:3])
        try:
            sock.setblocking(False)
            await loop.sock_connect(sock, found[4])
            await _tunnel(loop, sock, f"[{self._hostname}]" if ":" in self._hostname else self._hostname, self._port)
            tls: Dict[str, Any] = {"ssl": self._ssl, "server_hostname": self._hostname}
            return await asyncio.open_connection(sock=sock, limit=_line_bytes_max, **tls)
        except BaseException:
            sock.close()
            raise

    def give_back(self, connection: Connection) -> None:
        """Keeps a connection after a complete response without `Connection: close`."""
        idle = self._idle
        idle.append((time.monotonic(), connection))
        for _, surplus in idle[:-_idle_max]:
            surplus.close()
        del idle[:-_idle_max]

    def close(self) -> None:
        """Closes the idle connections of the running loop."""
        idle = self._idle
        for _, connection in idle:
            connection.close()
        idle.clear()


async def _tunnel(loop: asyncio.AbstractEventLoop, sock: socket.socket, host: str, port: int) -> None:
    await loop.sock_sendall(sock, f"CONNECT {host}:{port} HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode("ascii"))
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        # The bytes after the head belong to TLS.
        received = await loop.sock_recv(sock, 1)
        head += received
        if not received or len(head) > 65536:
            raise OSError("the proxy closed the connection")
    status = head.split(b" ", 2)[1][:3].decode("ascii", "replace")
    if status != "200":
        raise OSError(f"the proxy answered with status {status}")
