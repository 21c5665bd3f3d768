"""Blame from what the witness saw in the first run, where a recording knows less or nothing."""

from __future__ import annotations

import msgspec

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.run.outcome import Raised, Witnessed, WitnessPlace
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.source_text import METHODS
from inplace_tui.common.verdicts import Verdict

CHECKPOINT = "checkpoint"
"""The slot of what a checkpoint keeps beside the nodes, as the witness names it."""


def blame_of(seen: Witnessed, program: Program) -> Blame | None:
    """Return who is to blame, by what the witness saw; None for what it does not tell."""
    saved = seen.saved
    if seen.category != Verdict.SAVED_TENSOR_MODIFIED or saved is None:
        return None
    slot, saver = (saved.slot or "").removeprefix("_saved_"), None
    if saved.op is not None:
        saver = Saver(
            line=_line(program, saved),
            node=saved.op,
            slot=slot,
            version=saved.version,
            is_output=slot == "result",
            tensor=saved.name,
        )
    writes = [_mutation(program, each) for each in seen.writes]
    return Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED,
        tensor=saved.name,
        saver=saver,
        writes=tuple(each for each in writes if each is not None),
        reader=None if seen.reader is None else _line(program, seen.reader),
    )


def completed(found: Blame | None, seen: tuple[Witnessed, ...], program: Program) -> Blame | None:
    """Return the blame of a recording with what only the witness knows."""
    first = next((blame for each in seen if (blame := blame_of(each, program))), None)
    if first is None or found is None:
        return found or first
    if found.verdict is not first.verdict:
        return found
    has_line = found.saver is not None and found.saver.line is not None
    knows = first.saver is not None and first.saver.line is not None
    if not has_line and knows:
        found = msgspec.structs.replace(found, saver=first.saver)
    elif found.saver and first.saver and first.saver.slot == CHECKPOINT:
        saver = msgspec.structs.replace(found.saver, slot=CHECKPOINT)
        found = msgspec.structs.replace(found, saver=saver)
    theirs, mine = ({each.line for each in one.writes} for one in (first, found))
    updated = found.writes and (found.writes[0].op or "").endswith(".step")
    if len(seen) == 1 and theirs and mine.isdisjoint(theirs) and knows and not updated:
        # It followed the very tensor; a recording takes one that has no name by its looks.
        return msgspec.structs.replace(first, reader=found.reader)
    return found if found.writes else msgspec.structs.replace(found, writes=first.writes)


def caught_error(seen: tuple[Witnessed, ...], program: Program) -> Raised | None:
    """Return the last error that the witness saw, as if the program had not caught it."""
    each = seen[-1] if seen else None
    place = None if each is None else each.reader or each.writer
    if each is None or place is None:
        return None
    error, line, chain = each.error, _line(program, place), place.frames[::-1]
    stale = each.category == Verdict.SAVED_TENSOR_MODIFIED
    return Raised(
        exception=error.type, message=error.message, line=line, in_backward=stale, chain=chain
    )


def located(outcome: Raised, program: Program) -> Raised:
    """Return an ending with its innermost line in a program that has more files by now."""
    lines = (program.line_of(each.file, each.line) for each in reversed(outcome.chain))
    line = next((line for line in lines if line is not None), None)
    return msgspec.structs.replace(outcome, line=line)


def _line(program: Program, place: WitnessPlace) -> int | None:
    """Return the innermost line of the program's own in a stack."""
    lines = (program.line_of(each.file, each.line) for each in place.frames)
    return next((line for line in lines if line is not None), None)


def _mutation(program: Program, write: WitnessPlace) -> Mutation | None:
    line = _line(program, write)
    if line is None:
        return None
    op = METHODS.get(write.op or "", write.op)
    op = op if op is None or "." in op or op.startswith(("_f", "torch")) else f"Tensor.{op}"
    before, after, chain = write.version, write.version_after, write.frames[::-1]
    return Mutation(line=line, op=op, before=before, after=after, chain=chain)
