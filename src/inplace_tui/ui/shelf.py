"""The lessons that the program shows, and the question that a pack's lesson comes after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from inplace_tui import paths
from inplace_tui.later import Later
from inplace_tui.texts import say
from inplace_tui.texts.packs import TRUST
from inplace_tui.trust import Trust

if TYPE_CHECKING:
    from inplace_tui import confinement
    from inplace_tui.drive import packs
    from inplace_tui.drive.packs import Library, Pack
    from inplace_tui.engine.lessons.loader import Course
    from inplace_tui.present import trust as asking
    from inplace_tui.ui.app import InplaceApp
    from inplace_tui.ui.dialogs import dialog
else:
    confinement = Later("inplace_tui.confinement")
    packs = Later("inplace_tui.drive.packs")
    asking = Later("inplace_tui.present.trust")
    dialog = Later("inplace_tui.ui.dialogs.dialog")


class Shelf:
    """Reads the lessons, and knows whose programs may run."""

    def __init__(self, lessons: Path | None, trust: Trust, *, trusting: bool = False) -> None:
        """Read nothing yet.

        Args:
            lessons: the folder that was asked for; None is the course with its packs.
            trust: what the learner trusts.
            trusting: trust every pack as it is when it is read.
        """
        self._lessons = lessons
        self._trust = trust
        self._trusting = trusting
        self._library: Library | None = None

    def read(self, _: Path) -> Course:
        """Read all lessons."""
        self._library = packs.read_library(self._lessons, paths.built_in_lessons(), paths.packs())
        if self._trusting:
            for pack in self._library.packs:
                self._trust.add(pack.digest, pack.folder)
        return self._library.course

    def asks_first(self, app: InplaceApp, path: str, opening: Callable[[], None]) -> bool:
        """Whether a file's program has to wait for an answer; `opening` is called after a yes."""
        library = self._library
        pack = None if library is None else packs.untrusted(library, path, self._trust.digests)
        if pack is None:
            return False

        def answered(answer: str | None) -> None:
            if answer == "trust":
                self._believe(app, pack)
                opening()

        def asked() -> str:
            return asking.question(str(pack.folder), confinement.offered(), app.language)

        answers = [("trust", lambda: say(TRUST, "trust", app.language))]
        app.push_screen(dialog.Ask(asked, answers), answered)
        return True

    def _believe(self, app: InplaceApp, pack: Pack) -> None:
        self._trust.add(pack.digest, pack.folder)
        if self._trust.notice is not None and app.page is not None:
            app.page.notice(self._trust.notice[app.language], wrong=True)
