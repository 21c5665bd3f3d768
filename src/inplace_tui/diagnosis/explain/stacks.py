"""The stack at a write: which line of which function called which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.files import line_name, place_of, split_files
from inplace_tui.common.run.lookup import calls_to, step_of
from inplace_tui.common.run.outcome import StackFrame
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline


def chain_of(
    program: Program,
    timeline: Timeline | None,
    line: int,
    frames: Sequence[StackFrame],
    step: Step | None,
) -> list[str]:
    """Return a stack as `file:line function`, outermost first."""
    if not frames:
        own = _frame(program, line, "<module>" if step is None else step.function)
        calls = [] if timeline is None or step is None else list(calls_to(timeline, step))
        around = [_frame(program, each.line, each.function) for each in reversed(calls)]
        frames = [*around, own]
    return [f"{_named(each, program)} {each.function}" for each in frames]


def own_files(program: Program) -> set[str]:
    """Return the program's own files, as stacks name them."""
    own = {short_path(path, program) for path in (program.filename, *program.files)}
    if program.is_notebook:
        own |= {part.name for part in split_files(program.source) if part.name}
    return own


def folded(chain: Sequence[str], program: Program) -> str:
    """Return a stack for people: of libraries only where the last line is."""
    own = own_files(program)
    found: list[str] = []
    left_out = False
    for index, place in enumerate(chain):
        is_own = place.rpartition(" ")[0].rpartition(":")[0] in own
        if not is_own and index < len(chain) - 1:
            left_out = bool(found)
            continue
        if left_out:
            found.append("…")
        left_out = False
        found.append(place)
    return " → ".join(found)


def _named(frame: StackFrame, program: Program) -> str:
    """Return the place of a frame; in a notebook, that in its cell."""
    if frame.file == program.filename and program.is_notebook:
        return line_name(program.source, frame.line)
    return f"{short_path(frame.file, program)}:{frame.line}"


def _frame(program: Program, line: int, function: str) -> StackFrame:
    """Return a line of the program's whole text as a frame."""
    path = program.path_of(line)
    if path != program.filename:
        line = place_of(program.source, line).line
    return StackFrame(file=path, line=line, function=function)


def short_path(path: str, program: Program) -> str:
    """Return a path as a reader of the program would name it.

    Below the program's folder it is relative to that; in a library it begins
    with the package's name. A module of which no file is known here has its own name.
    """
    if path == f"<module {program.module}>":
        return str(program.module)
    parts = PurePath(path).parts
    if "site-packages" in parts:
        last = len(parts) - 1 - parts[::-1].index("site-packages")
        return "/".join(parts[last + 1 :])
    if program.folder is not None and PurePath(path).is_relative_to(program.folder):
        return PurePath(path).relative_to(program.folder).as_posix()
    return PurePath(path).name if path == program.filename else path


def step_to_follow(timeline: Timeline, blame: Blame) -> Step | None:
    """Return the step whose calls hide where the first write is spelled.

    None where the line itself spells it: a method of a tensor is written in C.
    """
    write = next(iter(blame.writes), None)
    if write is None or (write.op or "").startswith("Tensor."):
        return None
    return step_of(timeline, write)


def with_stacks(blame: Blame, step: Step, followed: Timeline) -> Blame:
    """Return the blame with the stacks that a run which followed `step` has seen."""
    same = next((s for s in followed if (s.line, s.visit) == (step.line, step.visit)), None)
    events = [] if same is None else same.mutations
    seen = {(each.storage, each.before): each for each in events if each.chain}
    writes = tuple(
        msgspec.structs.replace(write, chain=found.chain)
        if any(write is each for each in step.events)
        and (found := seen.get((write.storage, write.before))) is not None
        else write
        for write in blame.writes
    )
    return msgspec.structs.replace(blame, writes=writes)
