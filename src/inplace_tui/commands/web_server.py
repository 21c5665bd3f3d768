"""The program's screens behind a web page, by textual-serve; loads that, which is an extra.

Whoever can open the page can run programs, so a visit from another page is refused: a
browser would let any site that its user looks at connect to a server on this machine.
"""

from __future__ import annotations

import shlex

from aiohttp import web
from textual_serve.server import Server

from inplace_tui.runner.process import module
from inplace_tui.settings import Settings
from inplace_tui.texts.command import CommandTexts

POLICY = "style-src 'self' 'unsafe-inline'; font-src 'self' data:; frame-ancestors 'none'"
"""No font is fetched from elsewhere, and no other page can frame this one."""

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
        origin = request.headers.get("Origin")
        wanted = self.public_url.partition("://")[2]
        if request.host != wanted or (origin is not None and origin != self.public_url):
            raise web.HTTPForbidden
        if request.path == "/ws" and origin is None:
            raise web.HTTPForbidden
        response = await handler(request)
        if request.path == "/" and isinstance(response, web.Response) and response.text:
            response.text = self._translated(response.text).replace("</body>", f"{FOCUS}</body>")
        if not response.prepared:
            response.headers["Content-Security-Policy"] = POLICY
        return response

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
    server.serve()
    return 0
