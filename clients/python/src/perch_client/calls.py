"""What a call sends and how its response is read, for both transports."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import quote, urlencode
from uuid import uuid4

from .errors import failure_of
from .retry import Repeatable

_token = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Set by the client itself for each call.
_own_headers = frozenset(("authorization", "host", "connection", "content-length", "transfer-encoding", "content-type", "accept", "idempotency-key"))


def headers_of(api_key: str, user_agent: str, more: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """Returns the headers of each call. Raises ValueError, which quotes no value."""
    if not isinstance(api_key, str) or not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise ValueError("api_key: is empty, or has a space, a line break or another character in it that no key has")
    headers = {"authorization": f"Bearer {api_key}", "user-agent": user_agent}
    for name, value in (more or {}).items():
        if not _token.fullmatch(name) or name.lower() in _own_headers:
            raise ValueError(f"headers: {name!r} is no name of a header, or the client sets it")
        if not isinstance(value, str) or not re.fullmatch(r"[\t\x20-\x7e\xa0-\xff]*", value):
            raise ValueError(f"headers: the value of {name!r} has a character in it that no header has")
        headers[name.lower()] = value
    return headers


def path_of(base: str, parts: Sequence[str], query: Optional[Mapping[str, object]]) -> str:
    """Returns the path of quoted parts below /v1. Query values of None are omitted; lists become one parameter per entry.

    Raises ValueError for a part that a proxy would resolve into another path.
    """
    for part in parts:
        if part in ("", ".", ".."):
            raise ValueError(f"{part!r} is no id")
    text = "/".join([base, "v1", *(quote(part, safe="") for part in parts)])
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{text}?{urlencode(given, doseq=True)}" if given else text


def request_of(
    own: Mapping[str, str],
    body: Union[Mapping[str, Any], bytes, None],
    *,
    reads: bool,
    waits: bool,
    persists: bool,
    idempotency_key: Optional[str],
    retries: int,
) -> Tuple[Dict[str, str], Optional[bytes], Repeatable]:
    """Returns the headers and the bytes of a call, and whether it may be repeated."""
    # Two paths answer with a picture unless JSON is requested.
    headers = {**own, "accept": "application/json"}
    # Not for waits: with a key, a question stays up for a while after its caller disconnects.
    if idempotency_key is None and (persists or (not reads and not waits and retries > 0)):
        idempotency_key = uuid4().hex
    if idempotency_key is not None:
        if not re.fullmatch(r"[\x21-\x7e]+", idempotency_key):
            raise ValueError("idempotency_key: is empty, or has a character in it that no header has")
        headers["idempotency-key"] = idempotency_key
    sent: Optional[bytes] = None
    if isinstance(body, bytes):
        # The service looks at the bytes, not at the type.
        headers["content-type"] = "image/png" if body[:1] == b"\x89" else "image/jpeg"
        sent = body
    elif body is not None:
        headers["content-type"] = "application/json"
        sent = json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    return headers, sent, Repeatable(reads=reads, keyed=idempotency_key is not None, waits=waits, persists=persists)


def answer_of(status: int, text: bytes, headers: Mapping[str, str], promised: Mapping[str, type]) -> Dict[str, Any]:
    """Returns the JSON of a response, whose headers have names in lower case. Raises PerchError unless its `ok` is true and it has what is promised.

    promised: the names and types of fields without which a response is not from a Perch service.
    """
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if status == 200 and isinstance(answer, dict) and answer.get("ok", "openapi" in promised) is True:
        if all(isinstance(answer.get(name), kind) for name, kind in promised.items()):
            return answer
    raise failure_of(status, answer, headers)
