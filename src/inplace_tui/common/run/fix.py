"""A candidate that might help, a fix that was run and does, and the search for them."""

from __future__ import annotations

import difflib

import msgspec

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.files import lines_of, split_files
from inplace_tui.common.run.probes import Span

CONTEXT = 2
"""Lines of a diff that are shown around a change."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An edited program of which nothing is known before it was run."""

    kind: str
    """The rewrite that made it."""

    title: LocalText
    line: int
    """The line of the original that it is about."""

    source: str
    cost_bytes: int = 0
    """Memory that it takes beyond the original, each time the line runs."""

    cuts: bool = False
    """Something is no longer recorded by autograd, by `detach` or `no_grad`."""

    own_truth: bool = False
    """The original's gradients are no measure for it."""

    usual: bool = False
    """It is how such programs are usually written, and computes something else than this one."""

    rebuilt: tuple[str, ...] = ()
    """Names that are given their last values at once, or computed again from other ones."""

    copied: tuple[Span, ...] = ()
    """Where expressions stand that it copies, if that is all that it does."""

    @property
    def kinds(self) -> frozenset[str]:
        """Its rewrites: where they are several, `kind` has them with a `+` between them."""
        return frozenset(self.kind.split("+"))


class AddedTime(msgspec.Struct, frozen=True, kw_only=True):
    """The processor time that a fix adds to a run, measured in replays of both programs."""

    seconds: float | None
    """Negative where it saves some; null where there was nothing to compare it with, because the
    original does not run to its end in a replay either."""

    noise_seconds: float = 0.0
    """The noise of the measurement: a smaller difference counts as none."""

    run_seconds: float = 0.0
    """What a replay of the original takes."""

    runs: int = 0
    """How often each of the two was measured."""

    @property
    def is_measurable(self) -> bool:
        return self.seconds is not None and abs(self.seconds) > self.noise_seconds


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """A changed program that was run, and in which everything that must hold held."""

    title: LocalText
    line: int
    """The line of the original that it is about."""

    diff: str
    """Unified, without the name of the main file."""

    source: str
    cost_bytes: int = 0
    """Memory that it takes beyond the original, each time the line runs."""

    added_time: AddedTime | None = None
    """None until it was measured."""

    keeps_gradient: bool = True
    """False where a gradient no longer flows to where it would have."""

    forward_changes: LocalText | None = None
    """Which values come out other than in the original; None where none do."""

    computes: LocalText | None = None
    """What it computes instead, where it is the usual way and does not do the same."""

    copied: bool = False
    """It was tried in a copy of the program, which had run as it is up to just before the fault;
    else from the start."""

    held_to: int | None = None
    """The number of the last backward that it was seen to run; None where it was seen to run to
    the program's end."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """An edit that is no fix, and what speaks against it."""

    title: LocalText
    line: int
    condition: str
    """`a` it raises another error, `again` the same one, `b` a gradient is another one, `c` values
    before the fault are others, `d` what was to be written is lost."""

    message: str
    """What is raised, in short, where that is another error."""


class FixSearch(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried by now, and how that ended."""

    found: tuple[Fix, ...] = ()
    """The best first; a better one that is found later comes before them."""

    attempts: tuple[Attempt, ...] = ()
    """Edits that are no fixes, those that came furthest first; only where it is over and there
    is no fix."""

    tried: int = 0
    total: int | None = None
    """How many rewrites there are to try; None until the program was looked through."""

    over: bool = False
    cut_short: bool = False
    """The time was over before all were tried."""

    no_view: bool = False
    """None was tried: the program can't run again without changing files."""


def in_order(listed: tuple[Fix, ...], found: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Return what is listed from now on: a fix keeps its number, whatever is found after it."""
    known, now = {fix.source for fix in listed}, {fix.source: fix for fix in found}
    kept = (now.get(fix.source, fix) for fix in listed)  # its time is measured last
    return (*kept, *(fix for fix in found if fix.source not in known))


def diff(before: str, after: str) -> str:
    """Return what differs; in a program of several files, under the names of others than the main.

    Raises:
        ValueError: the two programs have not the same files.
    """
    found: list[str] = []
    for old, new in zip(split_files(before), split_files(after), strict=True):
        lines = list(
            difflib.unified_diff(lines_of(old.source), lines_of(new.source), n=CONTEXT, lineterm="")
        )[2:]
        if lines and old.name is not None:
            found += [f"--- {old.name}", f"+++ {old.name}"]
        found += lines
    return "\n".join(found)


def size(before: str, after: str) -> tuple[int, int]:
    """Return how large a change is: in lines first, then in characters."""
    old, new = lines_of(before), lines_of(after)
    lines = characters = 0
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            lines += max(j - i, m - k)
            characters += abs(sum(map(len, new[k:m])) - sum(map(len, old[i:j])))
    return lines, characters


def counterparts(before: str, after: str, lines: set[int]) -> set[int]:
    """Return the lines of an edited program that are new, changed, or stand for `lines`."""
    old, new = lines_of(before), lines_of(after)
    found: set[int] = set()
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found |= {line - i + k for line in lines if i < line <= j}
        else:
            found |= set(range(k + 1, m + 1))
    return found
