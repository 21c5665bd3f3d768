"""The program's screens behind a web page, by textual-serve; loads that, which is an extra.

Whoever can open the page can run programs, so a visit from another page is refused: a
browser would let any site that its user looks at connect to a server on this machine.
"""

from __future__ import annotations

import ipaddress
import os
import re
import shlex
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from inplace_tui.commands.parser import CommandError, reason_of
from inplace_tui.runner.process import module
from inplace_tui.settings import Settings
from inplace_tui.texts.command import CommandTexts, ErrorTexts

POLICY = "style-src 'self' 'unsafe-inline'; font-src 'self' data:; frame-ancestors 'none'"
"""No font is fetched from elsewhere, and no other page can frame this one."""

ELSEWHERE = re.compile(r'<link[^>]*"https:[^>]*>')
"""The page's own style sheet is served by http."""

HEAD = '<meta name="viewport" content="width=device-width, initial-scale=1">'
"""A phone then has the columns that can be read on it, and not those of a wide page."""

FOCUS = """
<script>
let focused;
new MutationObserver(() => {
  const next = document.querySelector(".-closed .closed-dialog button")
    ?? document.querySelector(".-first-byte .terminal textarea");
  if (next && next !== focused) (focused = next).focus();
}).observe(document.body, {attributes: true, childList: true, subtree: true});
</script>
"""
"""Keys reach the terminal without a click first, and the button when a session has ended."""


ANY = ("0.0.0.0", "::")  # noqa: S104  # only what --host says
"""Hosts that stand for all addresses of this machine; visitors use one of these."""


class OwnPageServer(Server):
    """Serves the page to browsers that know its address, and sessions to that page."""

    language = "en"
    """Of what the page says where there is no session."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guarded)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: web.Handler) -> web.StreamResponse:
        origin, host = request.headers.get("Origin"), request.host
        if not self._is_own(host) or origin not in {None, f"http://{host}"}:
            raise web.HTTPForbidden
        if request.path == "/ws" and origin is None:
            raise web.HTTPForbidden
        response = await handler(request)
        if request.path == "/" and isinstance(response, web.Response) and response.text:
            text = self._translated(ELSEWHERE.sub("", response.text))
            text = text.replace("<head>", f"<head>{HEAD}").replace("</body>", f"{FOCUS}</body>")
            response.text = text.replace(f"//{self._address}", f"//{host}")
        if not response.prepared:
            response.headers["Content-Security-Policy"] = POLICY
        return response

    @property
    def _address(self) -> str:
        return str(self.public_url).partition("://")[2]

    def _is_own(self, host: str) -> bool:
        """Whether a visitor asked for this server: by its address, or by any number of it.

        A site could make a name of its own lead here, but not a number.
        """
        if host == self._address or self.host not in ANY:
            return host == self._address
        try:
            asked = urlsplit(f"//{host}")
            ipaddress.ip_address(asked.hostname or "")
            return bool((asked.port or 80) == self.port)
        except ValueError:
            return False

    def _translated(self, page: str) -> str:
        for text in (CommandTexts.session_ended, CommandTexts.session_restart):
            page = page.replace(f">{text.en}<", f">{text[self.language]}<")
        return page


def serve(settings: Settings, host: str, port: int) -> int:
    """Serve until interrupted."""
    arguments = ["--lang", settings.language]
    if settings.lessons is not None:
        arguments += ["--lessons", str(settings.lessons.absolute())]
    if settings.trust:
        arguments.append("--trust")
    started = shlex.join([*module("inplace_tui"), *arguments])
    named = f"[{host}]" if ":" in host else host
    address = f"http://{named}" if port == 80 else f"http://{named}:{port}"
    server = OwnPageServer(started, host, port, title="inplace-tui", public_url=address)
    server.language = settings.language
    try:
        server.serve()
    except OSError as error:
        number = error.errno or 0  # asyncio words the system's errors at length
        why = reason_of(OSError(number, os.strerror(number)) if number > 0 else error)
        raise CommandError(ErrorTexts.cannot_serve, address=address, why=why) from error
    return 0
