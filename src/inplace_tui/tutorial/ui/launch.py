"""Launches the program on this terminal, with the lessons of packs that the learner trusts."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import MAX_USER_FILE, read_whole
from inplace_tui.common.command.output import print_message
from inplace_tui.common.decodable import decodable
from inplace_tui.common.glyphs import fitting, lacks_glyphs
from inplace_tui.common.language import of_locale
from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.common.trust import Trust
from inplace_tui.tutorial.ui.app import InplaceApp
from inplace_tui.tutorial.ui.keymap import load
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.theme import TextFilter

if TYPE_CHECKING:
    from inplace_tui.common import confinement
    from inplace_tui.common import trust as asking
    from inplace_tui.diagnosis.runner.process import BegunProcess
    from inplace_tui.tutorial import progress
    from inplace_tui.tutorial.course.course import Course
    from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
    from inplace_tui.tutorial.drive import packs
    from inplace_tui.tutorial.drive.packs import Library, Pack
    from inplace_tui.tutorial.settings import Settings
else:
    confinement = LazyModule("inplace_tui.common.confinement")
    packs = LazyModule("inplace_tui.tutorial.drive.packs")
    progress = LazyModule("inplace_tui.tutorial.progress")
    asking = LazyModule("inplace_tui.common.trust")


@dataclass
class CourseReader:
    """Reads the lessons, and knows whose programs may run."""

    settings: Settings
    trust: Trust
    _library: Library | None = None

    def read(self, _: Path) -> Course:
        self._library = packs.own_library(self.settings.lessons, self.settings.one_more)
        if self.settings.trust:
            for pack in self._library.packs:
                self.trust.add(pack.digest, pack.folder)
        course, select = self._library.course, self.settings.course_filter
        return course if select is None else select(course)

    def untrusted(self, loaded: LoadedLesson | LoadedChallenge) -> Pack | None:
        if self._library is None:
            return None
        return packs.untrusted(self._library, loaded, self.trust.digests)

    def question(self, pack: Pack, language: str) -> str:
        return asking.question(str(pack.folder), confinement.offered(), language)


class Preferences(msgspec.Struct, frozen=True):
    """What the first frame needs of a learner's progress; None is what nobody chose."""

    language: str | None = None
    theme: str | None = None


def load_preferences(path: Path) -> Preferences:
    """Read them, and nothing else; `Progress` reports what is wrong with the file."""
    try:
        content = read_whole(path, MAX_USER_FILE)
        return msgspec.json.decode(content, type=decodable(Preferences))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Preferences()


def run_app(
    settings: Settings, opening: Opening, *, wide: bool = False, begun: BegunProcess | None = None
) -> int:
    """Open the program on this terminal; return its exit code."""
    kept = load_preferences(paths.progress_file())
    reader = CourseReader(settings, Trust(paths.trust_file()))
    app = InplaceApp(
        opening=opening,
        progress=lambda: progress.Progress(paths.progress_file()),
        home=paths.home(),
        lessons_folder=settings.lessons or paths.built_in_lessons(),
        read=reader.read,
        packs=reader,
        glyphs=_glyphs(wide=wide),
        theme=kept.theme or "",
        keymap=load(paths.keymap_file()),
        begun=begun,
        guided=True,
        language=settings.chosen or kept.language or of_locale(os.environ),
    )
    code = app.run()
    if app.refusal:
        print_message(say(ErrorTexts.worker_refused, app.language, why=app.refusal))
    if app.return_code:
        return 70
    return 0 if code is None else code


def _glyphs(*, wide: bool) -> TextFilter | None:
    """Return what stands between us and a console that lacks our glyphs; None where none does."""
    encoding = "ascii" if sys.__stderr__ is None else sys.__stderr__.encoding
    if not wide and not lacks_glyphs(encoding):
        return None
    return TextFilter(lru_cache(maxsize=8192)(partial(fitting, encoding=encoding, narrow=wide)))
