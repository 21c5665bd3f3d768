"""The contents: every lesson, how far the learner is, and what to take next."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content

from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.rows import Row
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.widgets.bars import Bar
from inplace_tui.tutorial.ui.widgets.lines import EDGE_KEYS, Lines

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from inplace_tui.tutorial.course import course
    from inplace_tui.tutorial.course.course import LoadedChapter
    from inplace_tui.tutorial.course.lessons import loader
    from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
    from inplace_tui.tutorial.course.paths import LearningPath
    from inplace_tui.tutorial.present import playlist
    from inplace_tui.tutorial.ui import course_rows, path_rows
    from inplace_tui.tutorial.ui.course_rows import Catalogue
    from inplace_tui.tutorial.ui.dialogs import paths
else:
    course = LazyModule("inplace_tui.tutorial.course.course")
    loader = LazyModule("inplace_tui.tutorial.course.lessons.loader")
    playlist = LazyModule("inplace_tui.tutorial.present.playlist")
    course_rows = LazyModule("inplace_tui.tutorial.ui.course_rows")
    path_rows = LazyModule("inplace_tui.tutorial.ui.path_rows")
    paths = LazyModule("inplace_tui.tutorial.ui.dialogs.paths")

Entry: TypeAlias = "LoadedLesson | LoadedChallenge | LoadedChapter"
"""A chapter stands for its checkpoint."""


class CourseList(Lines):
    """Shows lessons and challenges; the one under the cursor is described beside."""

    BINDINGS = [*EDGE_KEYS]  # noqa: RUF012  (Textual's)

    def on_resize(self) -> None:
        """What is beside it has another size, too; also behind a dialog."""
        self.call_later(cast("ContentsScreen", self.screen).update_texts)

    def takes_while_typing(self, key: str) -> bool:
        match key:
            case "escape":
                self.end_filter()
            case "enter" if self.cursor is not None:
                self.action_choose()
            case "enter" if self.typed:
                self.post_message(self.EdgeReached(ScreenTexts.palette_none))
            case "up" | "down":
                self.action_move(1 if key == "down" else -1)
            case "pageup" | "pagedown":
                self.action_page(1 if key == "pagedown" else -1)
            case "home" | "end":
                self.action_edge(1 if key == "end" else -1)
            case _:
                return False
        return True

    def type_instead(self, text: str | None) -> None:
        """List what answers this; all, without a query."""
        self.typed = text
        self.call_later(cast("ContentsScreen", self.screen).show_filtered)

    def end_filter(self) -> None:
        if self.typed is not None:
            self.type_instead(None)


class ContentsScreen(Page):
    """Where the program opens, and where Esc leads back to."""

    BINDINGS = bindings(Where.CONTENTS)
    AUTO_FOCUS = "#course"

    def __init__(self) -> None:
        super().__init__()
        self._pointed: Entry | None = None
        self._in_library = False

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="contents"):
            yield CourseList(id="course")
            yield Lines(id="summary")

    def on_mount(self) -> None:
        """The summary is read, not walked through."""
        self.query_one("#summary").can_focus = False
        self.watch(self.query_one(CourseList), "cursor", self._pointed_at, init=False)
        self.update_texts()

    def update_texts(self) -> None:
        super().update_texts()
        self._show_course()
        self._show_summary()

    @property
    def promoted(self) -> tuple[str, ...]:
        """What is due today comes first."""
        catalogue = self.host.catalogue
        return ("review",) if catalogue is not None and catalogue.due.now else ()

    @property
    def idle(self) -> tuple[str, ...]:
        return () if self.promoted else ("review",)

    @property
    def path(self) -> LearningPath | None:
        """The path that is shown; None is the library."""
        catalogue = self.host.catalogue
        return None if catalogue is None or self._in_library else catalogue.path

    def point_at(self, entry: Entry | None) -> None:
        course, entries = self.query_one(CourseList), self._entries()
        if entry in entries and course.row_of(entries.index(entry)) is None and self.path:
            self._show_library(shown=True)
        if entry in entries and (index := course.row_of(entries.index(entry))) is not None:
            self._pointed = entry
            course.cursor = index
            self.call_after_refresh(course.reveal, index)
            self._show_summary()

    def show_title(self) -> None:
        catalogue = self.host.catalogue
        path = self.path
        here = self.say(ScreenTexts.contents if path is None else path.about.title)
        if path is None and catalogue is not None and catalogue.path is not None:
            here = self.say(PathTexts.title)
        left = Content.assemble((self.say(ScreenTexts.brand), "bold $primary"), "  ", here)
        right = Content("")
        if catalogue is not None and path is not None:
            right = Content(path_rows.how_far(catalogue, path, self.language))
        elif catalogue is not None:
            given = self.host.learner.record.drill.given
            done = [*catalogue.done, *(each.is_done(given) for each in self.host.assigned_drills)]
            right = Content(self.say(ScreenTexts.done_of, done=sum(done), total=len(done)))
        self.query_one("#title", Bar).show(left, right)

    def quiet_status(self) -> tuple[Content, Content]:
        """Say what is typed to list less, what torch is there, or that lessons are being read."""
        listed = self.query_one(CourseList)
        if listed.typed is not None:
            count = sum(row.target.choice is not None for row in listed.rows)
            text = self.say(ScreenTexts.filtered, count=count)
            return Content.assemble(("/", "bold"), f"{listed.typed}▏  ", text), Content("")
        catalogue = self.host.catalogue
        if catalogue is None or not self.host.is_loaded:
            return Content.styled(self.say(ScreenTexts.reading), "$warning"), Content("")
        left = ""
        if self.host.assigned_drills:
            left = self.say(ScreenTexts.assigned_drills, count=len(self.host.assigned_drills))
        elif not catalogue.course.lessons:
            left = self.say(ScreenTexts.no_lessons, folder=str(self.host.lessons_folder))
        elif catalogue.due.now:
            left = self.say(course_rows.today(catalogue.due), back=catalogue.due.back)
        elif catalogue.suggested is None:
            left = self.say(ScreenTexts.all_done if self.path is None else PathTexts.all_known)
        else:
            left = playlist.brief(
                self.host.learner.record.drill, self.language, self.host.keymap.labels
            )
        right = self.host.worker_rest() if self.size.width >= 60 else Content("")
        return Content.styled(left, "$text-muted"), right

    @property
    def trouble(self) -> Content | None:
        """Nothing hides what is typed, nor that lessons are missing while torch is, too."""
        typing = self.query_one(CourseList).typed is not None
        reading = self.host.catalogue is None and self.host.worker_waits()
        return None if typing or reading else super().trouble

    # What the learner does.

    def action_open_lesson(self) -> None:
        """Open what is under the cursor; before the first move, the suggested lesson."""
        if self._pointed is not None:
            self._open(self._pointed)
        else:
            self.action_resume()

    def _open(self, entry: Entry) -> None:
        self.query_one(CourseList).end_filter()
        open_entry(self, entry)

    def action_resume(self) -> None:
        catalogue = self.host.catalogue
        if catalogue is None:
            self.note(ScreenTexts.reading)
        elif catalogue.suggested is not None:
            self.host.open_lesson(catalogue.suggested.lesson.id)
        elif catalogue.path is not None and catalogue.path.challenge is not None:
            self.host.open_challenge(catalogue.path.challenge.id)
        else:
            self.note(ScreenTexts.all_done)

    def action_review(self) -> None:
        if self.host.catalogue is None:
            self.note(ScreenTexts.reading)
        else:
            self.host.open_review()

    def action_library(self) -> None:
        """Show every lesson, or the path again."""
        if self.host.catalogue is None or self.host.catalogue.path is None:
            self.note(PathTexts.no_path)
        else:
            self._show_library(shown=not self._in_library)

    def _show_library(self, *, shown: bool) -> None:
        self._in_library = shown
        self.update_texts()
        self.point_at(self._pointed)

    def action_paths(self) -> None:
        """Ask which path to take; five questions are one of the answers."""
        catalogue = self.host.catalogue
        if catalogue is None or not catalogue.course.paths:
            self.note(PathTexts.no_path)
        else:
            self.host.ask(paths.PathsDialog(catalogue), self._path_chosen)

    def _path_chosen(self, chosen: str) -> None:
        if chosen == paths.PLACEMENT:
            self.host.open_placement()
            return
        self.host.choose_path(chosen)
        self._in_library, self._pointed = False, None
        self.update_texts()

    def action_drill(self) -> None:
        self.host.open_drill()

    def action_challenges(self) -> None:
        """Put the cursor on the first challenge that is not solved."""
        catalogue = self.host.catalogue
        if catalogue is None or not catalogue.course.challenges:
            self.note(ChallengeTexts.none)
        else:
            self.point_at(catalogue.after_challenge() or catalogue.course.challenges[0])

    def action_filter(self) -> None:
        if self.host.catalogue is None:
            self.note(ScreenTexts.reading)
        else:
            self.query_one(CourseList).type_instead("")

    def show_filtered(self) -> None:
        """List what answers, the first of it under the cursor; without a query, all again."""
        course, pointed = self.query_one(CourseList), self._pointed
        self._show_course()
        if course.typed:
            course.cursor = None
            course.scroll_to(y=0, animate=False, force=True, immediate=True)
            if any(row.target.choice is not None for row in course.rows):
                course.action_move(1)
        elif pointed is not None:
            self.point_at(pointed)
        self.show_status()
        self.refresh_bindings()

    def action_introduction(self) -> None:
        self.host.open_welcome()

    def action_ask(self) -> None:
        self.host.ask_for_program()

    def action_sandbox(self) -> None:
        """Open the sandbox with nothing in it, or what was not saved last time."""
        self.host.open_sandbox()

    @on(Lines.RowChosen, "#course")
    def _chosen(self, event: Lines.RowChosen) -> None:
        entry = self._entry(event.target.choice)
        if entry is not None and self.is_active:  # Enter may have been pressed twice
            self._open(entry)

    def _pointed_at(self) -> None:
        """Describe what the cursor came to."""
        entry = self._entry(self.query_one(CourseList).under_cursor.choice)
        if entry is not None:
            self._pointed = entry
            self._show_summary()

    # Drawing.

    def _entries(self) -> tuple[Entry, ...]:
        if (catalogue := self.host.catalogue) is None:
            return ()
        listed = catalogue.course
        return (*listed.lessons, *listed.challenges, *listed.checkpoints)

    def _entry(self, place: int | None) -> Entry | None:
        entries = self._entries()
        return None if place is None or place >= len(entries) else entries[place]

    def _show_course(self) -> None:
        catalogue = self.host.catalogue
        course = self.query_one(CourseList)
        room = course.scrollable_content_region.width
        if catalogue is None or room <= 0:
            return
        query, path = course.typed or "", self.path
        if path is None or query.strip():
            course.draw(course_rows.rows(catalogue, room, self.language, query=query))
        else:
            keys = self.host.keymap.labels
            course.draw(path_rows.rows(catalogue, path, room, self.language, keys))
        if self._pointed is None:
            self.point_at(catalogue.suggested)

    def _show_summary(self) -> None:
        catalogue = self.host.catalogue
        beside = self.query_one("#summary", Lines)
        room = beside.scrollable_content_region.width
        drawn: list[Row] = []
        if catalogue and self.host.is_loaded and room > 0 and self._pointed is not None:
            drawn = _summary(catalogue, self._pointed, room, self.language)
        beside.draw(drawn)


def open_entry(page: Page, entry: Entry) -> None:
    host = page.host
    match entry:
        case loader.LoadedLesson():
            host.open_lesson(entry.lesson.id)
        case course.LoadedChapter():
            host.open_checkpoint(entry.slug)
        case _:
            host.open_challenge(entry.challenge.id)


def waits_for_lessons(where: DOMNode | None, action: str | ActionParseResult) -> bool:
    """Whether what a key does in the contents can be done only once they are listed."""
    name = (action if isinstance(action, str) else action[1]).partition("(")[0]
    at_once = ("ask", "sandbox", "drill", "introduction")
    return isinstance(where, ContentsScreen | CourseList) and name not in at_once


def _summary(catalogue: Catalogue, entry: Entry, room: int, language: str) -> list[Row]:
    if isinstance(entry, loader.LoadedLesson):
        return course_rows.summary(catalogue, entry, room, language)
    if isinstance(entry, course.LoadedChapter):
        return course_rows.checkpoint_summary(catalogue, entry, room, language)
    return course_rows.challenge_summary(catalogue, entry, room, language)
