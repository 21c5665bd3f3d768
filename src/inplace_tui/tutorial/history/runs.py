"""The runs of one sandbox, newest last: kept within bounds, so that a day of work fits."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.outcome import Cancelled, Outcome, Truth, Unverified
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import verdict_of_run

MAX_RUNS = 50
MAX_BYTES = 128 * 2**20
"""Of all timelines together, as `weight` has it; the newest run is kept whatever it weighs."""

STEP_BYTES, PART_BYTES, REPEATED_BYTES = 250, 250, 52
"""What a step costs by itself, and what each record costs the first time and again:
measured, and right within a half for programs of any kind."""


@dataclass(frozen=True, eq=False)
class KeptRun:
    """One run that is over. Two of them are never equal: each happened once."""

    number: int
    """Counted from 1 in the order in which they began."""

    began: str
    """As a clock shows it: `14:03:09`."""

    seconds: float | None
    """From its first line to its last; None where it was over before anybody saw it."""

    program: Program
    timeline: Timeline
    truth: Truth | None = None
    """None while the replays go on."""

    @property
    def outcome(self) -> Outcome:
        return self.timeline.outcome or Cancelled()

    @property
    def known_truth(self) -> Truth:
        """What the replays showed, if they showed anything yet."""
        return self.truth or Unverified()

    @property
    def verdict(self) -> Verdict | None:
        return verdict_of_run(self.timeline, self.known_truth)


class History:
    """The runs, oldest first."""

    def __init__(self, *, most_runs: int = MAX_RUNS, most_bytes: int = MAX_BYTES) -> None:
        self.runs: tuple[KeptRun, ...] = ()
        self.dropped = 0
        """Old ones that had to go."""

        self._most_runs, self._most_bytes = most_runs, most_bytes
        self._numbered = 0

    def keep(
        self, program: Program, timeline: Timeline, *, began: str, seconds: float | None
    ) -> None:
        """Keep a run that has ended."""
        self._numbered += 1
        self.runs = (*self.runs, KeptRun(self._numbered, began, seconds, program, timeline))
        self._make_room(0, least=1)

    def add_truth(self, timeline: Timeline, truth: Truth) -> None:
        """The replays of a kept run are over."""
        self.runs = tuple(
            replace(run, truth=truth) if run.timeline is timeline else run for run in self.runs
        )

    def make_room(self, growing: Timeline) -> None:
        """Let old runs go as soon as they do not fit beside one that goes on."""
        self._make_room(weight(growing), least=0)

    def _make_room(self, needed: int, *, least: int) -> None:
        while len(self.runs) > least and (
            len(self.runs) > self._most_runs
            or needed + sum(weight(run.timeline) for run in self.runs) > self._most_bytes
        ):
            self.runs = self.runs[1:]
            self.dropped += 1


def weight(timeline: Timeline) -> int:
    first = STEP_BYTES * len(timeline) + PART_BYTES * timeline.index.parts
    return first + REPEATED_BYTES * timeline.repeated + timeline.index.recorded


@dataclass(frozen=True)
class TextChange:
    """What changed in a program's text, in one line."""

    line: int
    """The first line that differs, in the newer text; where lines went, the one before them."""

    before: str | None
    """That line as it was; None if it is new."""

    after: str | None
    more: int
    """Further lines that differ."""


def text_change(before: str, after: str) -> TextChange | None:
    old, new = lines_of(before), lines_of(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if not changes:
        return None
    # A comment above is not what the change is about, unless nothing else changed.
    for _, top, bottom, start, end in (*changes, changes[0]):
        if any(
            line.strip() and line.strip()[0] != "#" for line in old[top:bottom] + new[start:end]
        ):
            break
    total = sum(max(b - t, e - s) for _, t, b, s, e in changes)
    return TextChange(
        line=start + 1 if end > start else max(1, start),
        before=old[top] if bottom > top else None,
        after=new[start] if end > start else None,
        more=total - 1,
    )
