"""Whether an edit of a challenge reaches its goal, and what holds and what doesn't.

The edited program was run; nothing here guesses. Besides the goal there are
rules that close the cheap ways to it: lines that must stay and run, values that
must come out as before, and fair play, whatever the goal. What the program that is to be
edited does itself is not held against anybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problems, fill
from inplace_tui.common.run import values
from inplace_tui.common.run.elements import Element
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.snapshot import EMPTY, Snapshot, Tensor, Unreadable
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.texts.challenges import GradingTexts
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.course import edits
from inplace_tui.tutorial.course.lesson import MEND, ROLES, Claim, TensorClaim
from inplace_tui.tutorial.course.lessons.check import Verified
from inplace_tui.tutorial.course.lessons.claims import (
    FIELDS,
    FinishedRun,
    close,
    goes_as_far,
    how_it_ended,
    is_slip,
    mismatches,
    needs_truth,
    parts,
    read,
)
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge

MODULES = frozenset({"torch", "numpy", "copy", "math", "contextlib"})
"""What an edit may import; everything else is not about tensors."""

BACK_DOORS = frozenset(
    {
        *("exec", "eval", "compile", "globals", "locals", "vars"),
        *("getattr", "setattr", "delattr"),
        *("exit", "quit", "open", "input", "breakpoint"),
        *("register_hook", "register_post_accumulate_grad_hook", "register_prehook"),
        *("register_forward_hook", "register_forward_pre_hook", "register_module_forward_hook"),
        *("register_full_backward_hook", "register_full_backward_pre_hook"),
        *("register_multi_grad_hook", "saved_tensors_hooks", "increment_version", "Function"),
    }
)
"""Names with which anything could be made to look like anything."""

HARMLESS = frozenset({"_version", "_base", "_is_view", "__name__", "__main__", "__init__"})
"""Private names that may be used: the lessons name them, or every program does."""


def violations(before: str, after: str, number: Callable[[int], object]) -> Iterator[LocalText]:
    """Yield what in an edited program is against the rules, as its text shows."""
    for line in edits.shared_lines(after):
        if not edits.shared_lines(before):
            yield fill(GradingTexts.crowded, line=number(line))
    for use in _new(edits.imports(before), edits.imports(after)):
        if use.name not in MODULES:
            yield fill(GradingTexts.import_, name=use.name, line=number(use.line))
    for use in _new(edits.uses(before), edits.uses(after)):
        # A variable of the program's own may be called `_x`.
        private = use.name.startswith("__" if use.own else "_") and use.name not in HARMLESS
        if use.name in BACK_DOORS or private:
            yield forbidden(use, number)
    modules = edits.bound(before) | edits.bound(after)
    known = Counter((store.root, store.attributes) for store in edits.stores(before))
    for store in edits.stores(after):
        if store.root in modules and not known[store.root, store.attributes]:
            called = number(store.line)
            yield fill(GradingTexts.module_changed, name=store.root, line=called)


def forbidden(use: edits.Use, number: Callable[[int], object]) -> LocalText:
    return fill(GradingTexts.forbidden, name=use.name, line=number(use.line))


def _new(before: list[edits.Use], after: list[edits.Use]) -> Iterator[edits.Use]:
    """Yield the uses of names that the program did not have, or had less often."""
    known = Counter(use.name for use in before)
    often = Counter(use.name for use in after)
    for use in after:
        if often[use.name] > known[use.name]:
            yield use


def caught(timeline: Timeline) -> int | None:
    """Return the line of an exception that the program survived; None if there was none."""
    return next((step.line for step in timeline if step.raised is not None), None)


def written_by_hand(name: str, source: str, timeline: Timeline) -> int | None:
    """Return the line that wrote the gradient of a tensor, other than a backward did.

    Setting it to None or to zeros is what every training loop does.
    """
    spelled = {each.line: each.spelled for each in edits.statements(source)}
    before: tuple[int, object] | None = None
    for step in timeline:
        now = _gradient(name, timeline.at(step.index))
        is_backward = "'backward'" in spelled.get(step.line, "")
        if now is not None and now != before and any(now[1]) and not is_backward:
            return step.line
        before = now
    return None


def _gradient(name: str, snapshot: Snapshot) -> tuple[int, tuple[Element, ...]] | None:
    tensor = snapshot.named(name)
    if tensor is None or tensor.grad is None or tensor.grad not in snapshot.tensors:
        return None
    read = values.flat(snapshot.tensors[tensor.grad], snapshot)
    return None if isinstance(read, Unreadable) else (tensor.grad, tuple(read[0]))


_OF_THE_END = ("match", *ROLES)
"""Fields of a claim about a run that ended as claimed."""

Numbering = Callable[[int], object]
"""Returns what a line of the program that ran is called where the verdict is read."""

_ROOM = 48
"""Cells that values may take in a sentence."""


@dataclass(frozen=True)
class References:
    """The runs against which an edit is held."""

    start: Timeline
    """Of the program as it was."""

    solution: Timeline


@dataclass(frozen=True)
class GoalPart:
    """One thing that was asked for, and whether it is so."""

    holds: bool | None
    """None where the program did not run, so that nothing can be said of it."""

    text: LocalText


@dataclass(frozen=True)
class Grade:
    """The result of an edit."""

    goal: tuple[GoalPart, ...]
    """What the goal asks for."""

    broken: tuple[GoalPart, ...]
    changed: int
    par: int

    @property
    def marks(self) -> tuple[GoalPart, ...]:
        """What fails first: the goal, then the rules; what was not judged comes last."""
        order = (False, True, None)
        return tuple(sorted(self.goal + self.broken, key=lambda mark: order.index(mark.holds)))

    @property
    def solved(self) -> bool:
        return all(mark.holds for mark in self.marks)

    @property
    def at_par(self) -> bool:
        """Whether it took no more lines than the shortest solution that is known."""
        return self.changed <= self.par

    @property
    def lines(self) -> LocalText:
        longer = self.solved and not self.at_par
        text = GradingTexts.lines_over_par if longer else GradingTexts.lines
        return fill(text, changed=self.changed, par=self.par)


@dataclass(frozen=True)
class EditedRun(FinishedRun):
    """A run of an edited program that knows where the kept lines are in it."""

    number: Numbering = str


def finished(loaded: LoadedChallenge, run: FinishedRun, number: Numbering = str) -> EditedRun:
    anchors = edits.located(loaded.code, loaded.kept, run.source)
    return EditedRun(run.timeline, run.truth, anchors, run.source, number)


def grade(
    loaded: LoadedChallenge, run: FinishedRun, references: References, number: Numbering = str
) -> Grade:
    """Return the result of an edit; `number` says what a line of it is called by now."""
    run = finished(loaded, run, number)
    changed = edits.lines_changed(loaded.code, run.source)
    wanted, unparsed = loaded.challenge.goal, _unparsed(run)
    if unparsed is not None:
        goal = tuple(GoalPart(holds=None, text=_wanted(part, run)) for _, part in parts(wanted))
        return Grade(goal, (unparsed,), changed, loaded.challenge.par)
    goal, broken = tuple(_goal(wanted, run)), [*_broken(loaded, run, references)]
    if all(mark.holds for mark in goal):  # it takes a look at every step
        broken += _by_hand(wanted, run)
    return Grade(goal, tuple(broken), changed, loaded.challenge.par)


def _unparsed(run: EditedRun) -> GoalPart | None:
    """Say that a program that can't be parsed did not run, and where parsing failed."""
    outcome = run.timeline.outcome
    if run.timeline.steps or not isinstance(outcome, Raised) or edits.tree(run.source) is not None:
        return None
    why, _, _ = outcome.message.partition("\n")
    if outcome.line is None:
        return _not(GradingTexts.unparsed, why=why)
    return _not(GradingTexts.unparsed_at, line=run.number(outcome.line), why=why)


def _goal(goal: Claim, run: EditedRun) -> Iterator[GoalPart]:
    """Yield what the goal asks for; of a run that ends otherwise, not how it should have."""
    astray = not goes_as_far(run, goal.ends)
    for path, part in parts(goal):
        if astray and path[0] in _OF_THE_END:
            continue
        what, holds = _wanted(part, run), not mismatches(part, run, None)
        yield GoalPart(holds=holds, text=what if holds else _but(what, _seen(part, run)))


def _but(what: LocalText, seen: LocalText | None) -> LocalText:
    return what if seen is None else fill(GradingTexts.but, what=what, seen=seen)


def _broken(loaded: LoadedChallenge, run: EditedRun, references: References) -> Iterator[GoalPart]:
    if edits.tree(run.source) is None:
        yield _not(GradingTexts.not_python)
        return
    if not edits.lines_changed(loaded.code, run.source):
        yield _not(GradingTexts.unchanged)
        return
    yield from _kept(loaded, run, references)
    yield from _same(loaded, run, references)
    for name in loaded.challenge.once:
        rows = (row for step in run.timeline for row in step.tensors)
        if (count := len({row.id for row in rows if name in row.names})) > 1:
            yield _not(GradingTexts.once, name=name, count=count)
    for use in edits.uses(run.source):
        if use.name in loaded.challenge.forbid:
            yield GoalPart(holds=False, text=forbidden(use, run.number))
    for text in violations(loaded.code, run.source, run.number):
        yield GoalPart(holds=False, text=text)
    if _is_to_complete(loaded):
        yield from _caught(run, references)
    if loaded.challenge.goal.ends is Ending.RIGHT and run.ending.is_complete:
        yield from _cut(run, references, always=loaded.id.endswith(MEND))


def _not(text: LocalText, /, **values: object) -> GoalPart:
    return GoalPart(holds=False, text=fill(text, **values))


def _kept(loaded: LoadedChallenge, run: EditedRun, references: References) -> Iterator[GoalPart]:
    """Lines that must stay are there and run as often as in the solution.

    Of a run that ended in another way than it should, only that is reported: the rest did not run.
    """
    stopped = not goes_as_far(run, loaded.challenge.goal.ends)
    solved = edits.located(loaded.code, loaded.kept, loaded.solved_code)
    code = loaded.code.split("\n")
    for name, line in loaded.kept.items():
        if name not in run.anchors:
            yield _not(GradingTexts.dropped, code=code[line - 1].strip())
            continue
        there = run.anchors[name]
        wanted = _visits(references.solution, solved[name])
        if not _is_to_complete(loaded):
            wanted = min(wanted, 1)  # what raises need not get as far as the solution does
        visits = _visits(run.timeline, there)
        if visits < wanted and not stopped:
            called = run.number(there)
            yield _not(GradingTexts.not_run, line=called, wanted=wanted, visits=visits)


def _is_to_complete(loaded: LoadedChallenge) -> bool:
    ends = loaded.challenge.goal.ends
    return ends is not None and ends.is_complete


def _visits(timeline: Timeline, line: int) -> int:
    return sum(step.line == line for step in timeline)


def _same(loaded: LoadedChallenge, run: EditedRun, references: References) -> Iterator[GoalPart]:
    before, after = end(references.start), end(run.timeline)
    for name in loaded.challenge.same:
        what = fill(GradingTexts.same, name=name)
        was, now = before.named(name), after.named(name)
        if now is None or was is None:
            seen = fill(GradingTexts.no_tensor, name=name)
            yield GoalPart(holds=False, text=_but(what, seen))
        elif not _equal(was, before, now, after):
            was_text = values.summary(was, before, _ROOM)
            seen = fill(GradingTexts.is_now, was=was_text, now=values.summary(now, after, _ROOM))
            yield GoalPart(holds=False, text=_but(what, seen))


def _equal(was: Tensor, before: Snapshot, now: Tensor, after: Snapshot) -> bool:
    if (was.shape, was.dtype) != (now.shape, now.dtype):
        return False
    old, new = values.flat(was, before), values.flat(now, after)
    if isinstance(old, Unreadable) or isinstance(new, Unreadable):
        return False
    return all(
        mine == other if isinstance(mine, complex) else close(mine, other)
        for mine, other in zip(old[0], new[0], strict=True)
    )


def end(timeline: Timeline) -> Snapshot:
    return timeline.at(len(timeline) - 1) if timeline.steps else EMPTY


def _caught(run: EditedRun, references: References) -> Iterator[GoalPart]:
    """What failed and was caught is not mended."""
    line = caught(run.timeline)
    raised = isinstance(run.timeline.outcome, Raised)
    if line is not None and not raised and caught(references.solution) is None:
        yield _not(GradingTexts.caught, line=run.number(line))


def _cut(run: EditedRun, references: References, *, always: bool) -> Iterator[GoalPart]:
    """A leaf has the gradient that it has in the solution: that of a cut graph is right, too.

    Part of one is found missing where all that both compute has the same values; `always`, where
    no goal of its own can name the numbers.
    """
    solved, found = end(references.solution), end(run.timeline)
    for name in sorted(_leaves(references.solution) - _leaves(run.timeline)):
        if found.named(name) is not None:
            yield _not(GradingTexts.cut, name=name)
    wanted, present = solved.by_name, found.by_name
    computed = [name for name in wanted if wanted[name].is_leaf is False and name in present]
    if always or all(_equal(wanted[name], solved, present[name], found) for name in computed):
        for name in sorted(wanted.keys() & present.keys()):
            leaf, _, is_grad = name.rpartition(".grad")
            if leaf and not is_grad and not _equal(wanted[name], solved, present[name], found):
                text = GradingTexts.other_gradient if always else GradingTexts.cut_partly
                yield _not(text, name=leaf)


def _leaves(timeline: Timeline) -> set[str]:
    """Return the names of the leaves that ever have a gradient."""
    rows = [row for step in timeline for row in step.tensors]
    return {
        name for row in rows if row.is_leaf is True and row.grad is not None for name in row.names
    }


def _by_hand(goal: Claim, run: EditedRun) -> Iterator[GoalPart]:
    """Gradients that the goal names come from backward."""
    for name, claim in goal.tensors.items():
        if claim.grad in (UNSET, None):
            continue
        line = written_by_hand(name, run.source, run.timeline)
        if line is not None:
            yield _not(GradingTexts.by_hand, name=name, line=run.number(line))


_OTHER = {
    "shares": GradingTexts.shares,
    "apart": GradingTexts.apart,
    "view_of": GradingTexts.view_of,
}
"""By the field of a claim that names another tensor."""


def _wanted(part: Claim, run: EditedRun) -> LocalText:
    """Say what one part of a goal asks for."""
    if part.ends is not None:
        return ENDINGS[part.ends]
    for text, wanted in (
        (GradingTexts.match, part.match),
        (GradingTexts.warns, part.warns),
        (GradingTexts.prints, part.prints),
    ):
        if wanted is not None:
            return fill(text, text=wanted.strip())
    for text, anchor in (
        (GradingTexts.raised_by, part.raised_by),
        (GradingTexts.saved_by, part.saved_by),
        (GradingTexts.changed_by, part.changed_by),
    ):
        if anchor is not None:
            line = run.anchors.get(anchor.partition("#")[0])
            return fill(text, line="?" if line is None else run.number(line))
    ((name, claim),) = part.tensors.items()
    return _wanted_of(name, claim)


def _wanted_of(name: str, claim: TensorClaim) -> LocalText:
    for field in TensorClaim.__struct_fields__:
        value = getattr(claim, field)
        if value is UNSET:
            continue
        if field == "view_of" and value is None:
            return fill(GradingTexts.no_view, name=name)
        if field in _OTHER:
            return fill(_OTHER[field], name=name, other=value)
        return fill(GradingTexts.field, field=_spelled(name, field), value=_python(value))
    return fill(GradingTexts.field, field=name, value="")


def _spelled(name: str, field: str) -> str:
    if field == "values":
        return name
    return f"{name}._version" if field == "version" else f"{name}.{field}"


def _python(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_python, value))}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _seen(part: Claim, run: EditedRun) -> LocalText | None:
    """Say what was there instead, if that is short."""
    outcome = run.timeline.outcome
    if part.ends is not None:
        return _ended(run)
    if part.match is not None and isinstance(outcome, Raised):
        return fill(GradingTexts.other_message, seen=outcome.message)
    if (part.raised_by or part.saved_by or part.changed_by) is not None:
        line = _line_seen(part, run)
        return None if line is None else fill(GradingTexts.another_line, line=run.number(line))
    for name, claim in part.tensors.items():
        return _seen_of(name, claim, end(run.timeline))
    return None


def _line_seen(part: Claim, run: EditedRun) -> int | None:
    """Return the line that raised, that saved what the fault is about, or that changed it."""
    outcome = run.timeline.outcome
    if part.raised_by is not None:
        return outcome.line if isinstance(outcome, Raised) else None
    found = find_blame(run.timeline, run.truth, source=run.source)
    places = () if found is None else found.writes if part.saved_by is None else (found.saver,)
    return next((each.line for each in places if each is not None), None)


def _ended(run: EditedRun) -> LocalText:
    """Say how it ended; the message of an error stands where the error is."""
    outcome = run.timeline.outcome
    if isinstance(outcome, Raised) and outcome.line is not None:
        key = GradingTexts.raised_in_backward if outcome.in_backward else GradingTexts.raised
        name = outcome.exception.rpartition(".")[2]
        return fill(key, exception=name, line=run.number(outcome.line))
    return how_it_ended(run)


def _seen_of(name: str, claim: TensorClaim, snapshot: Snapshot) -> LocalText | None:
    tensor = snapshot.named(name)
    if tensor is None:
        return fill(GradingTexts.no_tensor, name=name)
    for field in FIELDS:
        if getattr(claim, field) is not UNSET:
            seen = read(field, tensor, snapshot)
            known = not isinstance(seen, Unreadable)
            return fill(GradingTexts.it_is, seen=_python(seen)) if known else None
    if claim.values is UNSET and claim.grad is UNSET:
        return None
    of_grad = None if tensor.grad is None else snapshot.tensors.get(tensor.grad)
    numbers = of_grad if claim.values is UNSET else tensor
    seen = "None" if numbers is None else _numbers(numbers, snapshot)
    return fill(GradingTexts.it_is, seen=seen)


def _numbers(tensor: Tensor, snapshot: Snapshot) -> str:
    text = values.summary(tensor, snapshot, _ROOM)
    return f"[{text}]" if tensor.shape and not text.startswith(("[", "⊘")) else text


# Whether a challenge is one: it isn't won as it is, its solution wins, and no deletion does.


def attempts(loaded: LoadedChallenge) -> list[tuple[str, int | None]]:
    """Return the programs that must be run to judge a challenge.

    With each stands the line whose statement it is without, if it is the start without one.
    """
    solved = loaded.solved_code
    probes = [
        (source, line)
        for line, source in edits.deletions(loaded.code)
        if edits.tree(source) is not None and edits.lines_changed(solved, source)
    ]
    return [(loaded.code, None), (solved, None), *probes]


def verified_by(loaded: LoadedChallenge, run: FinishedRun) -> bool:
    """Whether the replays of a run are worth their time: all but gradients may be so."""
    goal = loaded.challenge.goal
    return needs_truth(goal) and goes_as_far(run, goal.ends)


def judge(loaded: LoadedChallenge, runs: Mapping[str, FinishedRun]) -> Verified:
    """Return everything that is wrong with a challenge."""
    judging = _ChallengeChecker(loaded, runs)
    if judging.start():
        judging.solution()
    if not judging.problems:
        judging.deletions()
    claims = len(list(parts(loaded.challenge.goal))) + len(loaded.challenge.same)
    return Verified(judging.problems.sorted(), programs=len(runs), claims=claims)


class _ChallengeChecker:
    def __init__(self, loaded: LoadedChallenge, runs: Mapping[str, FinishedRun]) -> None:
        self.problems = Problems(loaded.path)
        self._loaded = loaded
        self._runs = runs
        self._start = finished(loaded, runs[loaded.code])
        self._solution = finished(loaded, runs[loaded.solved_code])
        self._references = References(self._start.timeline, self._solution.timeline)

    def _note(self, text: LocalText, *path: str | int) -> None:
        self.problems.say(self._loaded.where(*path), text)

    def start(self) -> bool:
        """There is something to do, and what must come out the same is there.

        False if the rest would follow from what is wrong with one of the programs.
        """
        about, goal = self._loaded.challenge, self._loaded.challenge.goal
        for run, key in ((self._start, "code"), (self._solution, "solution")):
            if not isinstance(run.timeline.outcome, Completed | Raised) or is_slip(run, [goal]):
                self._note(fill(AuthoringTexts.no_run, how=how_it_ended(run)), key)
                return False
        changed = edits.lines_changed(self._loaded.code, self._loaded.solved_code)
        if changed < about.par:
            self._note(fill(AuthoringTexts.over_par, changed=changed, par=about.par), "par")
        numbers = (claim for each in goal.tensors.values() for claim in (each.grad, each.values))
        is_open = all(each is UNSET for each in numbers) and not self._loaded.id.endswith(MEND)
        if goal.ends is Ending.RIGHT and is_open:
            self._note(AuthoringTexts.cut_wins, "goal", "ends")
        if not list(parts(goal)):
            self._note(AuthoringTexts.claims_nothing, "goal")
        elif not mismatches(goal, self._start, None):
            self._note(AuthoringTexts.start_wins, "goal")
        snapshot = end(self._start.timeline)
        for key, names in (("same", about.same), ("once", about.once)):
            for index, name in enumerate(names):
                if snapshot.named(name) is None:
                    self._note(fill(AuthoringTexts.same_missing, name=name), key, index)
        return True

    def solution(self) -> None:
        """The solution wins, by the rules."""
        for path, part in parts(self._loaded.challenge.goal):
            for reason in mismatches(part, self._solution, None):
                self._note(fill(AuthoringTexts.solution_fails, why=reason), "goal", *path)
        found = grade(self._loaded, self._solution, self._references)
        for mark in found.broken:
            self._note(fill(AuthoringTexts.solution_fails, why=mark.text), "solution")

    def deletions(self) -> None:
        """To take a line away is no answer, unless it is the answer."""
        code = self._loaded.code.split("\n")
        for source, line in attempts(self._loaded):
            if line is None:
                continue
            if grade(self._loaded, self._runs[source], self._references).solved:
                text = fill(AuthoringTexts.deletion_wins, line=line, code=code[line - 1].strip())
                self._note(text, "goal")
