"""HTTP connections to the service: opened with a deadline, kept for the next call, and never reused if they may be half-closed."""

from __future__ import annotations

import io
import os
import re
import selectors
import socket
import ssl
import threading
import time
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any, Callable, List, Optional, Tuple
from urllib.parse import SplitResult, urlsplit

from .forks import renew_in_child

_idle_max = 8
# Shorter than the 65 s after which the service closes idle connections.
_idle_s = 30.0
_connect_s = 10.0


class Deadline:
    """A moment on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left; 0 after the deadline."""
        return max(0.0, self._at - time.monotonic())


def parts_of(url: str, name: str = "base_url") -> Tuple[SplitResult, int, str]:
    """Returns the parts of the URL of a service, its port, and its path before /v1.

    Raises ValueError, which does not quote the URL: it may have a password in it.
    """
    if not isinstance(url, str) or re.search(r"[\x00-\x20\x7f]", url):
        raise ValueError(f"{name}: has white space or a control character in it")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{name}: is not a URL") from None
    if parts.scheme not in ("http", "https") or host is None:
        raise ValueError(f"{name}: is not an http or https URL")
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"{name}: has a user or password in it; the client sends the API key instead")
    if parts.query or parts.fragment:
        raise ValueError(f"{name}: has a query or fragment, which paths would follow")
    return parts, port or (443 if parts.scheme == "https" else 80), parts.path.rstrip("/")


class Connections:
    """A pool of connections of one process. `base_url` may have a path before /v1. Proxy settings of the environment are ignored.

    proxy: http URL of a proxy, through which https connections are tunnelled.
    """

    def __init__(self, base_url: str, ssl_context: Optional[ssl.SSLContext] = None, proxy: Optional[str] = None) -> None:
        url, self._port, self.path = parts_of(base_url)
        self._host = str(url.hostname)
        self._ssl = (ssl_context or ssl.create_default_context()) if url.scheme == "https" else None
        self._proxy = proxy_of(proxy)
        # A request to a proxy names the whole URL.
        self.before_path = f"http://{url.netloc}" if self._proxy is not None and self._ssl is None else ""
        self._new_pool()
        renew_in_child(self)

    def _new_pool(self) -> None:
        self._lock = threading.Lock()
        self._idle: List[Tuple[float, HTTPConnection]] = []
        self._process = os.getpid()

    def in_child(self) -> None:
        """Leaves the idle connections to the parent process."""
        idle = self._idle
        self._new_pool()
        for _, connection in idle:
            # Closes this process' file descriptor alone: nothing is sent, and the parent's connection stays open.
            connection.close()

    def take(self, deadline: Deadline) -> HTTPConnection:
        """Returns an open connection for exclusive use. Raises OSError if none can be opened; nothing was sent in that case."""
        if self._process != os.getpid():
            self.in_child()
        while True:
            with self._lock:
                if not self._idle:
                    break
                since, connection = self._idle.pop()
            if time.monotonic() - since < _idle_s and _quiet(connection):
                return connection
            connection.close()
        return self.dial(deadline)

    def dial(self, deadline: Deadline) -> HTTPConnection:
        seconds = max(0.001, min(_connect_s, deadline.left))
        host, port = self._proxy or (self._host, self._port)
        if self._ssl is None:
            connection = HTTPConnection(host, port, timeout=seconds)
        else:
            connection = HTTPSConnection(host, port, timeout=seconds, context=self._ssl)
            if self._proxy is not None:
                connection.set_tunnel(self._host, self._port)
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def give_back(self, connection: HTTPConnection) -> None:
        """Keeps a connection after a complete response without `Connection: close`."""
        if self._process != os.getpid():
            return connection.close()
        with self._lock:
            self._idle.append((time.monotonic(), connection))
            surplus = self._idle[:-_idle_max]
            del self._idle[:-_idle_max]
        for _, connection in surplus:
            connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()


def proxy_of(proxy: Optional[str]) -> Optional[Tuple[str, int]]:
    if proxy is None:
        return None
    parts, port, _ = parts_of(proxy, "proxy")
    if parts.scheme != "http":
        raise ValueError("proxy: is not an http URL")
    return str(parts.hostname), port


def read_until(connection: HTTPConnection, left: Callable[[], float]) -> None:
    """Has the next response of a connection fail once no time is left, however slowly its bytes arrive. `left`: seconds, asked before each read."""

    class Timed:
        def __init__(self, sock: socket.socket) -> None:
            self._sock = sock

        def makefile(self, _mode: str) -> io.BufferedReader:
            return io.BufferedReader(_TimedSocket(self._sock, left))

    def response(sock: socket.socket, **options: Any) -> HTTPResponse:
        return HTTPResponse(Timed(sock), **options)  # type: ignore[arg-type]

    connection.response_class = response  # type: ignore[assignment]


class _TimedSocket(io.RawIOBase):
    def __init__(self, sock: socket.socket, left: Callable[[], float]) -> None:
        self._sock = sock
        # Keeps the socket open until the response was read, as HTTPResponse expects.
        self._file = sock.makefile("rb", buffering=0)
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        seconds = self._left()
        if seconds <= 0:
            raise socket.timeout("timed out")
        self._sock.settimeout(seconds)
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def hang_up(connection: HTTPConnection) -> None:
    """Shuts a connection down, from any thread; its reader sees the end of the stream."""
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # Already closed.


def _quiet(connection: HTTPConnection) -> bool:
    """Returns whether nothing was received since the last response. Anything received between responses means that the service closed it."""
    if connection.sock is None:
        return False
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return not selector.select(0)
