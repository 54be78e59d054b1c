"""What a call sends and how its response is read, for both transports."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import quote, urlencode
from uuid import uuid4

from .errors import failure_of
from .retry import Repeatable


def path_of(base: str, parts: Sequence[str], query: Optional[Mapping[str, object]]) -> str:
    """Returns the path of quoted parts below /v1. Query values of None are omitted; lists become one parameter per entry."""
    text = "/".join([base, "v1", *(quote(part, safe="") for part in parts)])
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"{text}?{urlencode(given, doseq=True)}" if given else text


def request_of(
    own: Mapping[str, str],
    body: Union[Mapping[str, Any], bytes, None],
    *,
    reads: bool,
    waits: bool,
    idempotency_key: Optional[str],
    retries: int,
) -> Tuple[Dict[str, str], Optional[bytes], Repeatable]:
    """Returns the headers and the bytes of a call, and whether it may be repeated."""
    # Two paths answer with a picture unless JSON is requested.
    headers = {**own, "accept": "application/json"}
    # Not for waits: with a key, a question stays up for a while after its caller disconnects.
    if idempotency_key is None and not reads and not waits and retries > 0:
        idempotency_key = uuid4().hex
    if idempotency_key is not None:
        headers["idempotency-key"] = idempotency_key
    sent: Optional[bytes] = None
    if isinstance(body, bytes):
        # The service looks at the bytes, not at the type.
        headers["content-type"] = "image/png" if body[:1] == b"\x89" else "image/jpeg"
        sent = body
    elif body is not None:
        headers["content-type"] = "application/json"
        sent = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    return headers, sent, Repeatable(reads=reads, keyed=idempotency_key is not None, waits=waits)


def answer_of(status: int, text: bytes, retry_after: str) -> Dict[str, Any]:
    """Returns the JSON of a response. Raises PerchError unless its `ok` is true."""
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if status == 200 and isinstance(answer, dict) and answer.get("ok") is not False:
        return answer
    raise failure_of(status, answer, float(retry_after) if retry_after.isdigit() else None)
