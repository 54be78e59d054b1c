"""HTTP connections to the service: opened with a deadline, kept for the next call, and never reused if they may be half-closed."""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
import time
from http.client import HTTPConnection, HTTPSConnection
from typing import List, Optional, Tuple
from urllib.parse import SplitResult, urlsplit

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


def parts_of(base_url: str) -> Tuple[SplitResult, str]:
    """Returns the parts of the URL of a service, and its path before /v1. Raises ValueError unless it is an http or https URL."""
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or url.hostname is None:
        raise ValueError(f"base_url: {base_url!r} is not an http or https URL")
    return url, url.path.rstrip("/")


class Connections:
    """A pool of connections. `base_url` may have a path before /v1. Proxy settings of the environment are ignored."""

    def __init__(self, base_url: str, ssl_context: Optional[ssl.SSLContext] = None) -> None:
        url, self.path = parts_of(base_url)
        self._host = str(url.hostname)
        self._port = url.port
        self._ssl = (ssl_context or ssl.create_default_context()) if url.scheme == "https" else None
        self._lock = threading.Lock()
        self._idle: List[Tuple[float, HTTPConnection]] = []

    def take(self, deadline: Deadline) -> HTTPConnection:
        """Returns an open connection for exclusive use. Raises OSError if none can be opened; nothing was sent in that case."""
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
        if self._ssl is None:
            connection = HTTPConnection(self._host, self._port, timeout=seconds)
        else:
            connection = HTTPSConnection(self._host, self._port, timeout=seconds, context=self._ssl)
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def give_back(self, connection: HTTPConnection) -> None:
        """Keeps a connection after a complete response without `Connection: close`."""
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
