"""Who may drive the lab: whoever has its token, from a page that it served itself."""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE: Final = "thinpipe-lab"
LOOPBACK: Final = re.compile(r"(localhost|127(\.\d+){3}|\[::1\])(:\d+)?", re.IGNORECASE)

POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "connect-src 'self'",
        "font-src 'self'",
        "img-src 'self' data: blob:",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
"""The page loads nothing from elsewhere, and no other page shows it in a frame."""


def kept_token() -> str:
    """Return the user's token, which outlives the server so that open pages find back to it.

    It is in a file that only the user can read; where there can be none, it is a new one.
    """
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    file = Path(state, "thinpipe", "lab-token")
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as writing:
                writing.write(secrets.token_urlsafe(24))
        token = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        token = ""
    return token or secrets.token_urlsafe(24)


class Access:
    """Refuses requests without the token, from another origin, or under another host's name.

    The token comes once with the address (``/?token=``) and is a cookie from then on. A name that
    is not loopback's would be one that a foreign page lets point here (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app: Final = app
        self._token: Final = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(headers, is_socket=scope["type"] == "websocket")
        if refusal is None and self._has_cookie(HTTPConnection(scope)):
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal or "no token"})
            return
        query = parse_qs(scope["query_string"].decode("ascii", "replace"))
        if refusal is None and self._is_token(query.get("token", [""])[0]):
            back = RedirectResponse(scope["path"] or "/", status_code=303)
            back.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            await back(scope, receive, send)
            return
        said = refusal or "open the address that `thinpipe lab` printed: it has the token"
        await PlainTextResponse(f"{said}\n", status_code=403)(scope, receive, send)

    def _refusal(self, headers: Mapping[str, str], *, is_socket: bool) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not LOOPBACK.fullmatch(host):
            return f"not served under the name {host!r}"
        if origin is None:
            return "a socket needs an origin" if is_socket else None
        return None if origin.partition("://")[2] == host else "another origin may not drive it"

    def _has_cookie(self, request: HTTPConnection) -> bool:
        return self._is_token(request.cookies.get(COOKIE, ""))

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())
