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


def fault_of(blame: Blame, original: str, source: str) -> tuple[object, ...]:
    """Return what tells one fault of a program from another, in lines of the original."""

    def line(at: int | None) -> int | None:
        return None if at is None else original_line(original, source, at)

    written, saver = tuple(dict.fromkeys(line(each.line) for each in blame.writes)), blame.saver
    saved = None if saver is None else (line(saver.line), saver.node, saver.slot)
    return blame.verdict, written, line(blame.reader), saved


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """Edits of one program, in the order in which they were made."""

    original: str
    source: str
    edits: tuple[Candidate, ...] = ()
    """About lines of the original."""

    places: tuple[frozenset[int], ...] = ()
    """The lines of the original that each of them changed, or wrote something above."""

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(each.kind for each in self.edits)

    def then(self, candidate: Candidate) -> Repair:
        line = partial(original_line, self.original, self.source)
        places = frozenset(map(line, _touched(changed_lines(self.source, candidate.source))))
        return Repair(
            original=self.original,
            source=candidate.source,
            edits=(*self.edits, msgspec.structs.replace(candidate, line=line(candidate.line))),
            places=(*self.places, places),
        )

    def candidate(self) -> Candidate:
        edits = self.edits
        return Candidate(
            kind="+".join(each.kind for each in edits),
            title=self._title(),
            line=min(each.line for each in edits),
            source=self.source,
            cost_bytes=sum(each.cost_bytes for each in edits),
            cuts=any(each.cuts for each in edits),
            own_truth=any(each.own_truth for each in edits),
            usual=any(each.usual for each in edits),
            rebuilt=tuple(name for each in edits for name in each.rebuilt),
        )

    def shorter(self, whole: Candidate) -> list[Candidate]:
        """Return what is left if one changed place is put back as it was, for each of them."""
        changes = changed_lines(self.original, whole.source)
        found = []
        for dropped in changes if len(changes) > 1 else ():
            left = [each for each in changes if each is not dropped]
            lines = ["", *whole_lines(self.original)]
            for first, end, text in reversed(left):
                lines[first:end] = [text]
            pairs, there = zip(self.edits, self.places, strict=True), set(_touched(left))
            edits = tuple(edit for edit, places in pairs if places & there) or self.edits[:1]
            made = msgspec.structs.replace(self, source="".join(lines), edits=edits)
            found.append(made.candidate())
        return found

    def _title(self) -> LocalText:
        """Say what the edits do; the same on several lines only once."""
        titles: list[LocalText] = []
        by_line = sorted(self.edits, key=attrgetter("line"))
        for title, group in groupby(by_line, key=attrgetter("title")):
            *lines, last = dict.fromkeys(line_name(self.original, each.line) for each in group)
            many = fill(FixStepTexts.on_lines, title=title, lines=tuple(lines), last=last)
            titles.append(many if lines else fill(FixStepTexts.on_line, title=title, line=last))
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
