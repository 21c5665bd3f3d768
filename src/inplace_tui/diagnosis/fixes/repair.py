"""A fix of several edits: each was made because the one before it moved the fault on."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import groupby

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.files import line_name, lines_of, whole_lines
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.texts.fixes import FixStepTexts
from inplace_tui.common.verdicts import Verdict

MAX_EDITS = 8
"""Edits of one repair; what takes more is another program."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What tells one fault of a program from another, in lines of the original."""

    verdict: Verdict
    written: tuple[int, ...]
    saved: int | None
    slot: str
    needed: int | None
    error: str = ""
    """What was raised, where nobody is blamed for it."""


def fault_of(blame: Blame, original: str, source: str) -> Fault:
    lines = LineMap(original, source)
    saver = blame.saver
    return Fault(
        verdict=blame.verdict,
        written=tuple(dict.fromkeys(lines.original(each.line) for each in blame.writes)),
        saved=None if saver is None or saver.line is None else lines.original(saver.line),
        slot="" if saver is None else f"{saver.node}.{saver.slot}",
        needed=None if blame.reader is None else lines.original(blame.reader),
    )


class LineMap:
    """Which line of the original a line of an edited program is, or stands for."""

    def __init__(self, original: str, source: str) -> None:
        old, new = lines_of(original), lines_of(source)
        self._blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()

    def original(self, line: int) -> int:
        """Return the line of the original; of inserted ones, the line that follows them."""
        for _, i, j, k, m in self._blocks:
            if k < line <= m:
                return i + min(line - k, max(j - i, 1))
        return line


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """Edits of one program, in the order in which they were made."""

    original: str
    edits: tuple[Candidate, ...] = ()
    """Each one's `source` is the program with all before it."""

    lines: tuple[int, ...] = ()
    """The line of the original that each edit is about."""

    @property
    def source(self) -> str:
        return self.edits[-1].source if self.edits else self.original

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(each.kind for each in self.edits)

    def then(self, candidate: Candidate) -> Repair:
        line = LineMap(self.original, self.source).original(candidate.line)
        return Repair(
            original=self.original, edits=(*self.edits, candidate), lines=(*self.lines, line)
        )

    def candidate(self) -> Candidate:
        return msgspec.structs.replace(
            self.edits[0],
            kind="+".join(each.kind for each in self.edits),
            title=self._title(),
            line=min(self.lines),
            source=self.source,
            cost_bytes=sum(each.cost_bytes for each in self.edits),
            cuts=any(each.cuts for each in self.edits),
            own_truth=any(each.own_truth for each in self.edits),
            usual=any(each.usual for each in self.edits),
            rebuilt=tuple(name for each in self.edits for name in each.rebuilt),
        )

    def shorter(self) -> list[Repair]:
        """Return what is left if one changed place is put back as it was, for each of them."""
        old, new = whole_lines(self.original), whole_lines(self.source)
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        blocks = matcher.get_opcodes()
        changed = [at for at, block in enumerate(blocks) if block[0] != "equal"]
        found = []
        for dropped in changed if len(changed) > 1 else ():
            text = "".join(
                "".join(old[i:j] if at == dropped else new[k:m])
                for at, (_, i, j, k, m) in enumerate(blocks)
            )
            _, first, last, _, _ = blocks[dropped]
            there = [blocks[at][1:3] for at in changed if at != dropped]
            kept = [
                at
                for at, line in enumerate(self.lines)
                if not first < line <= max(last, first + 1)
                or any(i < each <= max(j, i + 1) for i, j in there for each in self._places(at))
            ] or [0]
            edits = [self.edits[at] for at in kept]
            edits[-1] = msgspec.structs.replace(edits[-1], source=text)
            lines = tuple(self.lines[at] for at in kept)
            found.append(Repair(original=self.original, edits=tuple(edits), lines=lines))
        return found

    def _places(self, at: int) -> list[int]:
        """Return the lines of the original that an edit changed, or wrote something above."""
        before = self.edits[at - 1].source if at else self.original
        lines = LineMap(self.original, before)
        changed = changed_lines(before, self.edits[at].source)
        return [lines.original(line) for first, end, _ in changed for line in range(first, end)] + [
            lines.original(first) for first, end, _ in changed if first == end
        ]

    def _title(self) -> LocalText:
        """Say what the edits do; the same on several lines only once."""
        pairs = sorted(zip(self.lines, self.edits, strict=True), key=lambda pair: pair[0])
        titles: list[LocalText] = []
        for title, group in groupby(pairs, key=lambda pair: pair[1].title):
            lines = list(dict.fromkeys(line for line, _ in group))
            titles.append(_placed(title, [line_name(self.original, line) for line in lines]))
        joined = titles[0]
        for title in titles[1:]:
            joined = fill(FixStepTexts.then, one=joined, other=title)
        return joined


def changed_lines(before: str, after: str) -> list[tuple[int, int, str]]:
    """Return what replaces which lines: the first, the one behind the last, and the new text."""
    old, new = whole_lines(before), whole_lines(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (i + 1, j + 1, "".join(new[k:m]))
        for kind, i, j, k, m in matcher.get_opcodes()
        if kind != "equal"
    ]


def _placed(title: LocalText, lines: Sequence[str]) -> LocalText:
    if len(lines) == 1:
        return fill(FixStepTexts.on_line, title=title, line=lines[0])
    rest = tuple(lines[:-1])
    return fill(FixStepTexts.on_lines, title=title, lines=rest, last=lines[-1])
