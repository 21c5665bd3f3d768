"""What `explain` says of one program. The types are the JSON that it prints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import PurePath

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.enums import StrEnum
from inplace_tui.common.notebook import restored
from inplace_tui.common.outcome_text import ending_text
from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.files import place_of, split_files
from inplace_tui.common.run.fix import AddedTime, Attempt, Fix
from inplace_tui.common.run.lookup import plain_name, step_of
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Truth,
    Wrong,
    last_line,
)
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.python import UsedPython
from inplace_tui.common.run.snapshot import Snapshot
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import line_text, writes_on
from inplace_tui.common.syntax import function_classes, parsed
from inplace_tui.common.verdicts import Verdict
from inplace_tui.common.version_error import version_error
from inplace_tui.diagnosis.blame.modules import Module, modules_of
from inplace_tui.diagnosis.explain.stacks import chain_of, short_path

SCHEMA = 2

_NEAREST = 3
"""How many visits of a line are searched for the name of a tensor."""


class Untried(StrEnum):
    """What the time for replays can be too short for."""

    GRADIENTS = "gradients"
    """To see whether they are right."""

    RECORDING = "recording"
    """To record the run line by line, up to its end."""

    FIXES = "fixes"
    """To try all edits that might help."""


_EXIT_CODES = {
    Ending.RIGHT: 0,
    Ending.RUNS: 0,
    Ending.TIMED_OUT: 3,
    Ending.STOPPED: 3,
    Ending.NOT_JUDGED: 4,
}


def exit_code(ending: Ending) -> int:
    """Return what `explain` exits with; 1 where a fault was found."""
    return _EXIT_CODES.get(ending, 1)


class Error(msgspec.Struct, frozen=True, kw_only=True):
    """What ended the program before its time."""

    type: str
    """The exception's class; `TimedOut`, `Crashed` or `Stopped` where there was none."""

    message: str
    file: str | None
    line: int | None


class NamedModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module that wrote, or whose operation saved."""

    path: str
    """From the line that runs it: `self.reduce[2]`."""

    name: str
    """Its class, with `inplace=True` if it is made so."""

    file: str
    line: int
    """That makes it."""

    is_hooked: bool = False
    """It was not the module that wrote, but a hook on it."""


class Culprit(msgspec.Struct, frozen=True, kw_only=True):
    """A write after the save, or the line without which nothing would have failed."""

    file: str
    """Its file, as the program itself was given: relative to where that is."""

    line: int
    op: str | None
    """`Tensor.add_` (for `+=` too), `Tensor.__setitem__`, `SGD.step`; null for raw memory."""

    tensor: str | None
    """Its shortest name in the frame of the line."""

    version_before: int | None
    version_after: int | None
    """Null where no version counter saw the write, or torch refused it."""

    source: str
    chain: list[str]
    """`file:line function`, outermost first."""

    module: NamedModule | None = None
    """What wrote it, where that was a module that the program makes."""


class Victim(msgspec.Struct, frozen=True, kw_only=True):
    """The line whose operation saved the tensor."""

    file: str | None
    line: int | None
    node: str
    slot: str
    saved_version: int | None
    current_version: int | None
    source: str
    module: NamedModule | None = None
    """Whose operation it was, where that was a module that the program makes."""


class CarriedGraph(msgspec.Struct, frozen=True, kw_only=True):
    """What brought a graph that was used up into another backward."""

    tensor: str
    """The tensor, or what holds it, as the line that made it calls it."""

    file: str
    line: int
    """That uses it after the first backward."""

    source: str
    made_file: str
    made_line: int
    """That made it; the same line where a state is computed from the previous one."""


class WrongGradient(msgspec.Struct, frozen=True, kw_only=True):
    """A gradient that is not what its graph says."""

    tensor: str
    got: str
    true: str


class ShownFix(msgspec.Struct, frozen=True, kw_only=True):
    """A changed program that was run, and in which everything held that must hold."""

    title: str
    file: str
    """The file that it edits."""

    line: int
    diff: str
    source: str
    """The whole of that file, edited."""

    cost_bytes: int
    added_time: AddedTime | None
    """Null where it was not measured."""

    keeps_gradient: bool
    """False where a gradient no longer flows to where it would have."""

    forward_changes: str | None
    """Which values come out other than in the original; null where none do."""

    computes: str | None
    """What it computes instead, where it is the usual way and does not do the same."""

    copied: bool = False
    """It was tried in a copy of the running program, made just before the fault; else in runs from
    the start."""

    held_to: int | None = None
    """The number of the last step (backward) that it was seen to run; null where it was seen to
    run to the program's end."""


class Uncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """Why it is not known whether the gradients are right."""

    reason: Reason
    file: str | None
    line: int | None
    """Of the write or the gradient that it is about; null where it is about no line."""

    op: str | None
    tensor: str | None
    step: int | None
    """The number of the first backward that it is about, of all that the program runs."""

    detail: str
    """Torch's own words, a number or a name, where it is about no line."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `inplace-tui explain --json`."""

    schema: int = SCHEMA
    file: str
    """As it was given."""

    python: UsedPython | None = None
    """Which one it ran with; null in what is no answer of the command line."""

    runs: int
    """How many times the program ran, candidates for fixes included."""

    ending: Ending
    category: Verdict | None
    """Null, too, where what was raised is not about autograd."""

    error: Error | None
    culprits: list[Culprit]
    """In order of time, the one at fault first."""

    victim: Victim | None
    carried: CarriedGraph | None = None
    gradients: list[WrongGradient]
    lesson: str | None
    fixes: list[ShownFix]
    caught: bool = False
    """The program caught the error; `ending` says how it went on."""

    cut_short: bool = False
    """The time for replays was over before everything was tried."""

    not_tried: list[Untried] = []
    """What it was too short for."""

    off_at: int | None = None
    """The line at which recording was switched off; what came after it is not known."""

    off_in: str | None = None
    """Its file."""

    write_unseen: bool = False
    """A gradient is wrong, and no write was seen that did it: of storages above 32 KiB only both
    ends are compared from line to line."""

    doubt: Uncertainty | None = None
    without_gradient: list[str] = []
    """Where the gradients are right: the parameters for which no step of their optimizer found
    one."""

    taken: list[str] = []
    """Where the gradients are right: the Functions of its own whose `backward` was taken as it
    is. What it returns, keeps or writes was not compared with the derivative of the forward."""


class Reruns(Enum):
    """Where a program runs after its first run."""

    IN_VIEW = auto()
    """In a copy of the files that nobody else sees, without a network."""

    IN_PLACE = auto()
    NOT_WANTED = auto()
    """Nowhere: one run was asked for."""

    NOT_POSSIBLE = auto()
    """Nowhere: the machine can't hold a view."""

    @property
    def has_any(self) -> bool:
        return self in (Reruns.IN_VIEW, Reruns.IN_PLACE)


@dataclass(frozen=True, kw_only=True)
class Case:
    """All that is known of a program after its runs."""

    program: Program
    outcome: Outcome
    """Of the first run."""

    truth: Truth
    verdict: Verdict | None
    blame: Blame | None = None
    timeline: Timeline | None = None
    """A recording that ended as the first run did, if there was something to look for."""

    fixes: tuple[Fix, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    """Edits that are no fixes, those that came furthest first; only where there is no fix."""

    tried: int = 0
    """How many edits were run."""

    runs: int
    seconds: float
    caught: Raised | None = None
    """An error of torch's that the program caught, so that it ran to its end."""

    reruns: Reruns = Reruns.IN_VIEW
    not_tried: tuple[Untried, ...] = ()
    """What the time for replays was too short for."""

    @property
    def ending(self) -> Ending:
        found = ending_of(self.outcome, self.truth)
        untried = found is Ending.RUNS and Untried.GRADIENTS in self.not_tried
        return Ending.NOT_JUDGED if untried else found


def explanation(case: Case, *, file: str, lesson: str | None, language: str = "en") -> Explanation:
    """Return what there is to say of a program."""
    truth = case.truth
    differences = truth.differences if isinstance(truth, Wrong) else ()
    off = None if case.timeline is None else case.timeline.off_at
    blame = case.blame
    return Explanation(
        file=file,
        runs=case.runs,
        ending=case.ending,
        category=case.verdict,
        error=_error(case, file),
        culprits=culprits(case, file),
        victim=_victim(case, file),
        carried=_carried(case, file),
        gradients=[WrongGradient(tensor=d.tensor, got=d.got, true=d.true) for d in differences],
        lesson=lesson,
        caught=case.caught is not None,
        cut_short=bool(case.not_tried),
        not_tried=list(case.not_tried),
        off_at=None if off is None else place_of(case.program.source, off).line,
        off_in=None if off is None else file_of(case.program, file, off),
        write_unseen=blame is not None
        and blame.verdict is Verdict.SILENTLY_WRONG
        and not blame.writes
        and blame.switch is None,
        fixes=[_shown_fix(case, fix, file, language) for fix in case.fixes],
        doubt=_uncertainty(case, file),
        without_gradient=list(truth.without_gradient) if isinstance(truth, Right) else [],
        taken=functions_of(case.program.source) if isinstance(truth, Right) else [],
    )


def _carried(case: Case, file: str) -> CarriedGraph | None:
    found = None if case.blame is None else case.blame.carried
    if found is None:
        return None
    source = case.program.source
    return CarriedGraph(
        tensor=found.tensor,
        file=file_of(case.program, file, found.used),
        line=place_of(source, found.used).line,
        source=line_text(source, found.used).strip(),
        made_file=file_of(case.program, file, found.made),
        made_line=place_of(source, found.made).line,
    )


def functions_of(source: str) -> list[str]:
    """Return the Functions that a program defines."""
    return [each.name for each in function_classes(parsed(source))]


def _uncertainty(case: Case, file: str) -> Uncertainty | None:
    doubt = case.truth
    if not isinstance(doubt, NotReproducible):
        return None
    line = doubt.line
    return Uncertainty(
        reason=doubt.reason,
        file=None if line is None else file_of(case.program, file, line),
        line=None if line is None else place_of(case.program.source, line).line,
        op=doubt.op or None,
        tensor=None if line is None else doubt.detail,
        step=doubt.backward,
        detail=doubt.detail if line is None else "",
    )


def _shown_fix(case: Case, fix: Fix, file: str, language: str) -> ShownFix:
    place = place_of(case.program.source, fix.line)
    edited = next(part for part in split_files(fix.source) if part.name == place.file)
    return ShownFix(
        title=fix.title[language],
        file=file_of(case.program, file, fix.line),
        line=place.line,
        diff=fix.diff,
        source=restored(edited.source) if case.program.is_notebook else edited.source,
        cost_bytes=fix.cost_bytes,
        added_time=fix.added_time,
        keeps_gradient=fix.keeps_gradient,
        forward_changes=None if fix.forward_changes is None else fix.forward_changes[language],
        computes=None if fix.computes is None else fix.computes[language],
        copied=fix.copied,
        held_to=fix.held_to,
    )


def file_of(program: Program, file: str, line: int) -> str:
    """Return the file of a line of the whole text, as the program itself was named."""
    name = place_of(program.source, line).file
    if name is not None:
        is_cell = program.path_of(line) == program.filename
        return name if program.module or is_cell else (PurePath(file).parent / name).as_posix()
    return short_path(program.filename, program) if program.module else file


def _error(case: Case, file: str) -> Error | None:
    outcome, source = case.caught or case.outcome, case.program.source
    if isinstance(outcome, Completed):
        return None
    line = last_line(outcome)
    if isinstance(outcome, Raised):
        kind, message = outcome.exception, outcome.message
    else:
        kind, message = type(outcome).__name__, ending_text(outcome, case.truth, "en", source)
    if isinstance(outcome, Crashed) and outcome.last_words.strip():
        message += f": {outcome.last_words.strip().splitlines()[-1]}"
    return Error(
        type=kind,
        message=message,
        file=None if line is None else file_of(case.program, file, line),
        line=None if line is None else place_of(source, line).line,
    )


def culprits(case: Case, file: str = "") -> list[Culprit]:
    blame = case.blame
    if blame is None or (not case.caught and (case.verdict is None or case.ending.is_fine)):
        return []
    if blame.writes:
        return [_culprit(case, blame, write, file) for write in blame.writes]
    line = blame.cut
    unrecorded = blame.verdict is Verdict.NO_GRAD_FN
    if line is None and (unrecorded or blame.verdict is Verdict.SILENTLY_WRONG):
        line = blame.origin if blame.switch is None else blame.switch
    stale = blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
    if line is None and (unrecorded or (case.ending is Ending.RAISES_BEFORE and not stale)):
        # Nothing was written: the line that raised asked for something impossible.
        line = blame.reader
    return [] if line is None else [_culprit(case, blame, _asked_on(case, blame, line), file)]


def _culprit(case: Case, blame: Blame, write: Mutation, file: str) -> Culprit:
    step = None if case.timeline is None else step_of(case.timeline, write)
    seen = write.before is not None and write.before != write.after
    is_first = not any(write is each for each in blame.writes[1:])
    name = blame.tensor if is_first else None
    if case.timeline is not None and step is not None:
        name = _name(case.timeline.at(step.index), write.tensor) or name
    return Culprit(
        file=file_of(case.program, file, write.line),
        line=place_of(case.program.source, write.line).line,
        op=write.op,
        tensor=name,
        version_before=write.before if seen else None,
        version_after=write.after if seen and not blame.verdict.is_refused_write else None,
        source=line_text(case.program.source, write.line).strip(),
        chain=chain_of(case.program, case.timeline, write.line, write.chain, step),
        module=_named_module(case, modules_of(case.program.source, blame).writer, file)
        if is_first
        else None,
    )


def _named_module(case: Case, module: Module | None, file: str) -> NamedModule | None:
    if module is None:
        return None
    path, name, hooked = module.path, module.name, module.is_hooked
    line = place_of(case.program.source, module.line).line
    file = file_of(case.program, file, module.line)
    return NamedModule(path=path, name=name, file=file, line=line, is_hooked=hooked)


def _asked_on(case: Case, blame: Blame, line: int) -> Mutation:
    """Return the line at fault as if it had written, where nothing was."""
    writes = writes_on(case.program.source, line)
    is_reader = blame.cut is None and line == blame.reader
    raised = case.outcome.chain if is_reader and isinstance(case.outcome, Raised) else ()
    op = writes[0].op if len(writes) == 1 and is_reader else None
    return Mutation(line=line, op=op, chain=raised)


def _name(snapshot: Snapshot, tensor: int | None) -> str | None:
    """Return a tensor's shortest name in the frame that ran; else one in another frame."""
    name = plain_name(None if tensor is None else snapshot.tensors.get(tensor))
    elsewhere = name is not None and ":" in name.partition("[")[0]
    return name.partition(":")[2] if name is not None and elsewhere else name


def name_on(case: Case, line: int) -> str | None:
    """Return what the blamed tensor is called on a line: a function has its own name for it."""
    blame, timeline = case.blame, case.timeline
    if blame is None or timeline is None or not blame.writes:
        return None if blame is None else blame.tensor or _written_on(case, blame)
    write = blame.writes[0]
    written = step_of(timeline, write)
    if written is None or write.tensor is None:
        return blame.tensor
    around = timeline.at(written.began - 1), timeline.at(written.index)
    held = [snapshot.tensors.get(write.tensor) for snapshot in around]
    if not any(blame.tensor in each.names for each in held if each is not None):
        return blame.tensor  # it was written through another tensor on its memory
    visits = [step for step in timeline if step.line <= line <= step.end_line]
    visits.sort(key=lambda step: abs(step.index - written.index))
    names = (_name(timeline.at(step.index), write.tensor) for step in visits[:_NEAREST])
    return next((name for name in names if name not in {None, "_"}), blame.tensor)


def _written_on(case: Case, blame: Blame) -> str | None:
    """Return what the source says that the first write wrote, where nobody saw its name."""
    first = next(iter(blame.writes), None)
    spelled = () if first is None else writes_on(case.program.source, first.line)
    found = {each.target for each in spelled if first is not None and each.op == first.op}
    return found.pop() if len(found) == 1 else None


def _victim(case: Case, file: str) -> Victim | None:
    blame = case.blame
    if blame is None or (saver := blame.saver) is None:
        return None
    now = saver.version
    raised = case.caught or case.outcome
    if isinstance(raised, Raised):
        found = version_error(raised.message)
        now = None if found is None else found.now
    source, line = case.program.source, saver.line
    return Victim(
        file=None if line is None else file_of(case.program, file, line),
        line=None if line is None else place_of(source, line).line,
        node=saver.node,
        slot=saver.slot,
        saved_version=saver.version,
        current_version=now,
        source="" if line is None else line_text(source, line).strip(),
        module=_named_module(case, modules_of(source, blame).saver, file),
    )
