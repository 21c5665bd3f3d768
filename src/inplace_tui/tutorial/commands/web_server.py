"""The program's screens behind a web page, by textual-serve; loads that, which is an extra.

Whoever can open the page can run programs, so a visit from another page is refused: a
browser would let any site that its user looks at connect to a server on this machine.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import shlex
from contextlib import suppress
from typing import ClassVar
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve import server as textual_server
from textual_serve.app_service import AppService
from textual_serve.server import Server

from inplace_tui.common.command.parser import CommandError, reason_of
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts
from inplace_tui.diagnosis.runner.process import module
from inplace_tui.tutorial.settings import Settings

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


MAX_COLUMNS, MAX_ROWS = 1000, 500
"""No screen shows more, and a frame needs memory for each cell."""

ENDING = 1.5
"""Seconds that a session has for its end, and what is kept at it, when the server ends."""

LEAVING = 15.0
"""The same where its page alone is closed: nobody waits, and it may be slow."""


class BoundedSession(AppService):
    """A session of a browser: of a size that exists, and gone when its page is."""

    running: ClassVar[set[BoundedSession]] = set()

    async def start(self, width: int, height: int) -> None:
        self.running.add(self)
        await super().start(*_bounded(width, height))

    async def on_data(self, payload: bytes) -> None:
        with suppress(ConnectionResetError):  # its page is gone, what it keeps is not kept yet
            await super().on_data(payload)

    async def set_terminal_size(self, width: int, height: int) -> None:
        await super().set_terminal_size(*_bounded(width, height))

    async def stop(self, patience: float = LEAVING) -> None:
        """Ask it to end; kill it if its page or itself doesn't answer."""
        with suppress(asyncio.TimeoutError):  # before 3.11 another class than the builtin one
            await asyncio.wait_for(super().stop(), patience)
            if self._process is not None:  # to kill what has ended takes it from who waits for it
                await asyncio.wait_for(self._process.wait(), patience)
        self._task = None
        self.running.discard(self)
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


def _bounded(width: int, height: int) -> tuple[int, int]:
    return max(1, min(int(width), MAX_COLUMNS)), max(1, min(int(height), MAX_ROWS))


class OwnPageServer(Server):
    """Serves the page to browsers that know its address, and sessions to that page."""

    language = "en"
    """Of what the page says where there is no session."""

    def __init__(self, *given: str | int, **named: str) -> None:
        super().__init__(*given, **named)
        self._pages: set[asyncio.Transport | None] = set()

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002
        """End all sessions, and wait for no page: it may have stopped reading."""
        await asyncio.gather(*(each.stop(ENDING) for each in [*BoundedSession.running]))
        for page in [*self._pages]:
            if page is not None:
                page.abort()

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
        page = request.transport
        self._pages.add(page)
        try:
            response = await handler(request)
        finally:
            self._pages.discard(page)
        if request.path == "/" and isinstance(response, web.Response) and response.text:
            text = ELSEWHERE.sub("", response.text)
            for said in (CommandTexts.session_ended, CommandTexts.session_restart):
                text = text.replace(f">{said.en}<", f">{said[self.language]}<")
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


def serve(settings: Settings, host: str, port: int) -> int:
    arguments = ["--lang", settings.language]
    if settings.lessons is not None:
        arguments += ["--lessons", str(settings.lessons.absolute())]
    if settings.trust:
        arguments.append("--trust")
    textual_server.AppService = BoundedSession
    started = "exec " + shlex.join([*module("inplace_tui"), *arguments])
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
