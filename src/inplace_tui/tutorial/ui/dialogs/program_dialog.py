"""Asks for a program of the learner's own, or explains the message that it failed with."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import filterfalse, groupby, islice
from pathlib import Path
from typing import NamedTuple, cast

from textual import on
from textual.events import Paste
from textual.widgets import Input
from textual.widgets.input import Selection

from inplace_tui.blame.libraries import is_library
from inplace_tui.common.cells import clean, clip, clip_spans, width, wrapped
from inplace_tui.common.message import Message, explain_message, meaning
from inplace_tui.common.paths import from_here
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts.exporting import ExportTexts
from inplace_tui.common.texts.programs import ProgramTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.leads import leads_of
from inplace_tui.tutorial.ui.dialogs.dialog import FieldDialog
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathInput
from inplace_tui.tutorial.ui.drafts.draft import LastProgram, last_programs
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.program_line import LineError, completed, quoted, read_line
from inplace_tui.tutorial.ui.widgets.lines import Lines

MAX_SHOWN = 500
"""Characters of a message that the field shows."""

_TRACED = re.compile(r'File "([^"\n]+\.py)", line \d')
"""Where a traceback names a file."""

_AS_MODULE = "<frozen runpy>"
"""What is in a traceback of `python -m`."""


class _Offer(NamedTuple):
    """What can be chosen."""

    line: str
    """What the field then says."""

    shown: str
    heading: str = ""
    beside: str = ""
    do: Callable[[], object] | None = None
    """What choosing it does, where it calls no program."""


class _ProgramInput(PathInput):
    """Takes a message of several lines whole."""

    def on_paste(self, event: Paste) -> None:
        if len(event.text.strip().splitlines()) > 1:
            event.stop()
            event.prevent_default()
            cast("ProgramDialog", self.screen).explain(event.text)


class ProgramDialog(FieldDialog[Opening]):
    """Asks how a program is called, and stays until that can be read; a message is explained."""

    FOOTER = ProgramTexts.lead
    PLACEHOLDER = ProgramTexts.field

    def __init__(self, screen: str, unsaved: Iterable[Path] = ()) -> None:
        """Ask what to open on a screen; programs that were not saved are offered first."""
        super().__init__()
        self._screen = screen
        self._unsaved = [LastProgram(path, path.parent, quoted(str(path))) for path in unsaved]
        self._typed = self._unsaved[0].line if self._unsaved else ""
        self._offers: list[_Offer] = []
        self._wrong: LineError | None = None
        self._pasted: str | None = None
        self._message: Message | None = None

    def field(self) -> Input:
        return _ProgramInput(self._typed, self._complete)

    def heading(self) -> str:
        return self.say(ProgramTexts.which if self._screen == "desk" else ScreenTexts.prompt_open)

    # What is offered.

    def _programs(self) -> Iterator[_Offer]:
        """Yield the last programs that have what was typed, then what Tab would make of it."""
        last = (*self._unsaved, *last_programs(self.host.home))
        heading = self.say(ScreenTexts.last_programs)
        for each in {each.path: each for each in last}.values():
            line, shown, folder = each.offered() or ("", "", Path())
            if line and self._typed.strip().lower() in line.lower():
                yield _Offer(line, shown, heading, str(folder))
        before, names = completed(self._typed)
        for name in names:
            head, slash, _ = name.rstrip("/").rpartition("/")
            folder = Path(os.path.expanduser(head + slash)).absolute()
            heading = self.say(ProgramTexts.here, folder=folder)
            yield _Offer(before + quoted(name), name.removeprefix(head + slash), heading)

    def _ways_on(self, pasted: str) -> Iterator[_Offer]:
        """Yield the program in which a traceback begins, and the lesson about its message."""
        traced = filter(os.path.isfile, _TRACED.findall(pasted))
        for name in islice(filterfalse(is_library, traced), 1):
            path = from_here(Path(name))
            line = quoted(str(path))
            if _AS_MODULE in pasted and not path.is_absolute():
                line = f"-m {'.'.join(path.with_suffix('').parts)}".removesuffix(".__main__")
            yield _Offer(line, self.say(ProgramTexts.run_named, name=line))
        if self._message is not None and self.host.course is not None:
            concept = self._message.concept
            leads = leads_of(self.host.course, [] if concept is None else [concept])
            for title, opened in self.host.ways_to_learn(leads):
                yield _Offer("", title(), do=opened)

    def rows(self, room: int) -> list[Row]:
        pasted = self._pasted
        self._offers = list(self._programs() if pasted is None else self._ways_on(pasted))
        parts = [] if self._wrong is None else [self._refusal(self._wrong, room)]
        for heading, offered in groupby(enumerate(self._offers), key=lambda each: each[1].heading):
            head = [Row((Span(clip(clean(heading), room), Style.DIM),))] if heading else []
            for place, offer in offered:
                spans = Span(f" {clean(offer.shown)}"), Span(f"  {clean(offer.beside)}", Style.DIM)
                head.append(Row(clip_spans(spans, room), Target(choice=place)))
            parts.append(head)
        if self._message is not None:
            parts.append(meaning(self._message, self.language, room))
        elif pasted is not None:
            parts.append(wrapped([Span(self.say(ProgramTexts.unknown))], room))
        return [row for part in parts for row in (Row(), *part)][1:]

    def _refusal(self, wrong: LineError, room: int) -> list[Row]:
        """Say what is wrong, below the place in the field where it is."""
        field, told = self.query_one(Input), clean(wrong.text[self.language])
        start = field.content_region.x - self.query_one(Lines).content_region.x
        start += width(field.value[: wrong.at.start]) - round(field.scroll_offset.x)
        marks = "^" * max(1, width(field.value[wrong.at.start : wrong.at.end]))
        pointer = clip(" " * max(0, start) + marks, room, mark="")
        return [Row((Span(pointer, Style.ERROR),)), *wrapped([Span(told, Style.ERROR)], room)]

    # What the learner does.

    def action_move(self, step: int) -> None:
        """Move through what is offered; the field says what Enter would take."""
        super().action_move(step)
        choice = self.query_one(Lines).under_cursor.choice
        if choice is not None and self._pasted is None:
            self._fill(self._offers[choice].line)

    def _complete(self, before: str) -> list[str]:
        """Return what a line may become: that is listed already, if there is anything."""
        kept, names = completed(before)
        if not names:
            self.note(ExportTexts.paths_none)
        return [kept + quoted(name) for name in names]

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._typed = event.value
        if explain_message(event.value) is None:
            self._show()
        else:
            self.explain(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        choice = self.query_one(Lines).under_cursor.choice
        if self._pasted is None:
            self._open(event.value)
        elif choice is not None:
            self.take(choice)

    def take(self, choice: int) -> None:
        offer = self._offers[choice]
        if offer.do is None:
            self._open(offer.line)
        else:
            self.dismiss(None)
            self.host.call_later(offer.do)

    def explain(self, pasted: str) -> None:
        """Say what a message means, and what to do about it."""
        self._show(pasted)
        text = " ".join((self._message.text if self._message else pasted).split())[:MAX_SHOWN]
        self._fill(text)
        # It begins where one looks, and what is typed next stands instead of it.
        self.query_one(Input).selection = Selection(len(text), 0)

    def _open(self, line: str) -> None:
        """Open what a line calls, or say what is wrong with it; a folder is gone into."""
        try:
            self.dismiss(read_line(line, self._screen))
        except LineError as wrong:
            if wrong.at.end == len(line) and not line.endswith(wrong.into):
                line += wrong.into
            self._typed = line
            self._fill(line)
            self._show(wrong=wrong)

    def _fill(self, line: str) -> None:
        """Have a line in the field that nobody typed."""
        field = self.query_one(Input)
        with field.prevent(Input.Changed):
            field.value = line
        field.cursor_position = len(line)

    def _show(self, pasted: str | None = None, *, wrong: LineError | None = None) -> None:
        """Show what a paste means, or what is wrong; without either what can be opened."""
        self._pasted, self._wrong = pasted, wrong
        self._message = None if pasted is None else explain_message(pasted)
        self.first = None if pasted is None else 0
        self.restart()
