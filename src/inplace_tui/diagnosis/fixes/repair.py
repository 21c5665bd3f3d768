"""A fix of several edits: each was made because the one before it moved the fault on."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import lru_cache, partial, reduce
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.files import line_name, whole_lines
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.texts.fixes import FixStepTexts

MAX_EDITS = 8
"""Edits of one repair; what takes more is another program."""


Fault: TypeAlias = tuple[object, ...]
"""What tells one fault of a program from another, in lines of the original."""


def fault_of(blame: Blame, original: str, source: str) -> Fault:
    line, saver = partial(original_line, original, source), blame.saver
    written = tuple(dict.fromkeys(line(each.line) for each in blame.writes))
    needed = None if blame.reader is None else line(blame.reader)
    if saver is None:
        return blame.verdict, written, needed
    saved = None if saver.line is None else line(saver.line)
    return blame.verdict, written, needed, saved, saver.node, saver.slot


class PlacedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One of several edits, in lines of the original."""

    candidate: Candidate
    line: int
    places: frozenset[int]
    """The lines that it changed, or wrote something above."""


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """Edits of one program, in the order in which they were made."""

    original: str
    source: str
    edits: tuple[PlacedEdit, ...] = ()

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(each.candidate.kind for each in self.edits)

    def then(self, candidate: Candidate) -> Repair:
        line = partial(original_line, self.original, self.source)
        places = frozenset(map(line, _touched(changed_lines(self.source, candidate.source))))
        edit = PlacedEdit(candidate=candidate, line=line(candidate.line), places=places)
        return msgspec.structs.replace(self, source=candidate.source, edits=(*self.edits, edit))

    def candidate(self) -> Candidate:
        edits = [each.candidate for each in self.edits]
        return Candidate(
            kind="+".join(each.kind for each in edits),
            title=self._title(),
            line=min(each.line for each in self.edits),
            source=self.source,
            cost_bytes=sum(each.cost_bytes for each in edits),
            cuts=any(each.cuts for each in edits),
            own_truth=any(each.own_truth for each in edits),
            usual=any(each.usual for each in edits),
            rebuilt=tuple(name for each in edits for name in each.rebuilt),
        )

    def shorter(self) -> list[Repair]:
        """Return what is left if one changed place is put back as it was, for each of them."""
        changes = changed_lines(self.original, self.source)
        found = []
        for dropped in changes if len(changes) > 1 else ():
            left = [each for each in changes if each is not dropped]
            lines = ["", *whole_lines(self.original)]
            for first, end, text in reversed(left):
                lines[first:end] = [text]
            there = set(_touched(left))
            edits = tuple(each for each in self.edits if each.places & there)
            made = msgspec.structs.replace(
                self, source="".join(lines), edits=edits or self.edits[:1]
            )
            found.append(made)
        return found

    def _title(self) -> LocalText:
        """Say what the edits do; the same on several lines only once."""
        titles: list[LocalText] = []
        by_line = sorted(self.edits, key=attrgetter("line"))
        for title, group in groupby(by_line, key=attrgetter("candidate.title")):
            *lines, last = dict.fromkeys(line_name(self.original, each.line) for each in group)
            if lines:
                text = fill(FixStepTexts.on_lines, title=title, lines=tuple(lines), last=last)
            else:
                text = fill(FixStepTexts.on_line, title=title, line=last)
            titles.append(text)
        return reduce(lambda one, two: fill(FixStepTexts.then, one=one, other=two), titles)


Change: TypeAlias = tuple[int, int, str]
"""What replaces which lines: the first, the one behind the last, and the new text."""


@lru_cache(maxsize=8)  # each line of an edit asks for the same
def changed_lines(before: str, after: str) -> list[Change]:
    old, new = whole_lines(before), whole_lines(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (i + 1, j + 1, "".join(new[k:m]))
        for kind, i, j, k, m in matcher.get_opcodes()
        if kind != "equal"
    ]


def _touched(changes: list[Change]) -> Iterator[int]:
    for first, end, _ in changes:
        yield from range(first, max(end, first + 1))


def original_line(original: str, source: str, line: int) -> int:
    """Return the line that one of an edited program is; of inserted ones, that which follows."""
    added = 0
    for first, end, text in changed_lines(original, source):
        count = len(whole_lines(text))
        if line < first + added:
            break
        if line < first + added + count:
            return first + min(line - first - added, max(end - first - 1, 0))
        added += count - (end - first)
    return line - added
