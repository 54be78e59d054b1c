# SPDX-License-Identifier: Apache-2.0
"""Opens connections, and sends JSON by POST."""

import asyncio
import json

BODY_BYTES_MAX = 8192


def parse_url(url):
    """Returns (is TLS, host, port, path)."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("http", "https", "ws", "wss"):
        raise ValueError("not an address: " + url)
    tls = scheme in ("https", "wss")
    place, _, path = rest.partition("/")
    host, _, port = place.partition(":")
    return tls, host, int(port) if port else 443 if tls else 80, "/" + path


def http_base(link_url):
    """Returns the http(s) address of the host that has the link."""
    tls, host, port, _ = parse_url(link_url)
    return "%s://%s:%d" % ("https" if tls else "http", host, port)


def is_plain(url):
    """Whether others in the network can read and change what is sent."""
    if not url.startswith("ws://"):
        return False
    host = parse_url(url)[1]
    return host != "localhost" and not host.startswith("127.")


async def open_stream(tls, host, port, ca=None, checked=True):
    """Connects; TLS only with the certificate of an authority in PEM.

    The chip has no list of authorities, and a connection without checks
    would give the token to anybody: `checked` is False where nothing secret
    is sent and nothing received is relied on.
    """
    if tls and checked and not ca:
        raise ValueError("TLS needs the setting ca, an authority in PEM")
    address = host
    if host.endswith(".local"):
        # Only robots that need it have the memory for it.
        from perch.names import NAMES

        address = await NAMES.address_of(host)
    if not tls:
        return (await asyncio.open_connection(address, port))[0]
    import tls as tls_module

    context = tls_module.SSLContext(tls_module.PROTOCOL_TLS_CLIENT)
    if checked:
        context.verify_mode = tls_module.CERT_REQUIRED
        context.load_verify_locations(ca.encode() + b"\0")
    else:
        context.verify_mode = tls_module.CERT_NONE
    opened = await asyncio.open_connection(
        address, port, ssl=context, server_hostname=host
    )
    return opened[0]


FOREIGN = "certificate is not correctly signed"
EXPIRED = "certificate has expired"
EARLY = "certificate not valid yet: wrong clock?"
CERTIFICATES = (
    ("not correctly signed", FOREIGN),
    ("does not match", "certificate does not match the name"),
    ("has expired", EXPIRED),
    ("in the future", EARLY),
)


def explained(error):
    """Returns what to tell about a connection that failed."""
    text = str(error).strip()
    for said, meaning in CERTIFICATES:
        if said in text:
            return meaning
    return text


def close_stream(stream):
    """Closes the socket, which `close` of a stream does not do."""
    stream.s.close()


async def read_head(stream):
    """Returns (status, headers in lower case)."""
    line = await stream.readline()
    parts = line.split(None, 2)
    if len(parts) < 2 or not parts[0].startswith(b"HTTP/1."):
        raise OSError("no HTTP response")
    status = int(parts[1])
    headers = {}
    for _ in range(64):
        line = (await stream.readline()).strip()
        if not line:
            return status, headers
        name, _, value = line.decode().partition(":")
        headers[name.strip().lower()] = value.strip()
    raise OSError("more than 64 header lines")


async def post_json(url, body, token=None, ca=None):
    """Returns (status, the object of the answer)."""
    tls, host, port, path = parse_url(url)
    stream = await open_stream(tls, host, port, ca)
    try:
        text = json.dumps(body).encode()
        lines = [
            "POST %s HTTP/1.0" % path,
            "Host: %s:%d" % (host, port),
            "Content-Type: application/json",
            "Content-Length: %d" % len(text),
        ]
        if token:
            lines.append("Authorization: Bearer " + token)
        stream.write("\r\n".join(lines + ["", ""]).encode() + text)
        await stream.drain()
        status, _ = await read_head(stream)
        answer = b""
        while len(answer) < BODY_BYTES_MAX:
            part = await stream.read(1024)
            if not part:
                break
            answer += part
    finally:
        close_stream(stream)
    try:
        read = json.loads(answer)
    except ValueError:
        read = {}
    return status, read if isinstance(read, dict) else {}
