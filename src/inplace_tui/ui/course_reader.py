"""Reads the lessons that the program shows, and knows which packs the learner trusts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from inplace_tui import paths
from inplace_tui.lazy import LazyModule
from inplace_tui.model.lesson import LocalText
from inplace_tui.trust import Trust

if TYPE_CHECKING:
    from inplace_tui import confinement
    from inplace_tui.drive import course_cache, packs
    from inplace_tui.drive.packs import Library, Pack
    from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
    from inplace_tui.engine.course.course import Course
    from inplace_tui.engine.lessons.loader import LoadedLesson
    from inplace_tui.present import trust as asking
else:
    confinement = LazyModule("inplace_tui.confinement")
    course_cache = LazyModule("inplace_tui.drive.course_cache")
    packs = LazyModule("inplace_tui.drive.packs")
    asking = LazyModule("inplace_tui.present.trust")


class CourseReader:
    """Reads the lessons, and knows whose programs may run."""

    def __init__(
        self,
        lessons: Path | None,
        trust: Trust,
        *,
        trusting: bool = False,
        one_more: Path | None = None,
        course_filter: Callable[[Course], Course] | None = None,
    ) -> None:
        self._lessons = lessons
        self._trust = trust
        self._trusting = trusting
        self._one_more = one_more
        self._course_filter = course_filter
        self._library: Library | None = None

    def read(self, _: Path) -> Course:
        self._library = packs.read_library(
            self._lessons,
            paths.built_in_lessons(),
            paths.packs(),
            one_more=self._one_more,
            cache=course_cache.CourseCache(paths.cache()),
        )
        if self._trusting:
            for pack in self._library.packs:
                self._trust.add(pack.digest, pack.folder)
        course = self._library.course
        return course if self._course_filter is None else self._course_filter(course)

    def untrusted(self, loaded: LoadedLesson | LoadedChallenge) -> Pack | None:
        if self._library is None:
            return None
        return packs.untrusted(self._library, loaded, self._trust.digests)

    def question(self, pack: Pack, language: str) -> str:
        return asking.question(str(pack.folder), confinement.offered(), language)

    def trust_pack(self, pack: Pack) -> LocalText | None:
        """Trust a pack from now on; return why that could not be kept."""
        self._trust.add(pack.digest, pack.folder)
        return self._trust.notice
