"""Runs a program up to one visit of a line, and there tries a backward from one tensor.

In a process of its own, which ends with that try: the run that a learner looks
at is not disturbed by it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from traceback import walk_tb
from types import CodeType
from typing import NoReturn

import torch
from msgspec import structs

from inplace_tui.common.run.outcome import Completed, Outcome
from inplace_tui.common.run.program import Backward, ExtraBackward
from inplace_tui.common.run.step import Event, Step
from inplace_tui.diagnosis.protocol.messages import BackwardRan, LineRecorded, Report
from inplace_tui.diagnosis.record.compat import ENGINES
from inplace_tui.diagnosis.record.naming import names
from inplace_tui.diagnosis.record.process import errors
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.recording.recorder import Recorder


def run_extra_backward(
    wanted: ExtraBackward,
    files: OwnFiles,
    code: CodeType,
    namespace: dict[str, object],
    *,
    log: list[Event],
    send: Callable[[Report], None],
    leave: Callable[[Outcome], NoReturn],
) -> None:
    """Run the program until the line has finished, try, and leave.

    Reports that line, then the backward, then how it ended. Returns only where the
    program never gets there.
    """

    def emit(step: Step) -> None:
        if (step.line, step.visit) == (wanted.line, wanted.visit):
            # The only one that is reported, and so the first.
            send(LineRecorded(step=structs.replace(step, index=0, began=0)))
            leave(_try(wanted.tensor, files, send))

    def stop() -> NoReturn:
        leave(Completed())

    Recorder(
        code=code,
        files=files,
        namespace=namespace,
        log=log,
        emit=emit,
        max_steps=sys.maxsize,
        on_limit=stop,
    ).run()


def _try(name: str, files: OwnFiles, send: Callable[[Report], None]) -> Outcome:
    named = names.named_tensors(files.frames())
    tensor = next((found for called, found in named if called == name), None)
    if tensor is None:
        return Completed()  # and no backward is reported
    try:
        # Whatever mode the line is in: asked is what its graph would do.
        with torch.inference_mode(False), torch.enable_grad():
            tensor.sum().backward()
    except BaseException as error:
        if all(frame.f_code not in ENGINES for frame, _ in walk_tb(error.__traceback__)):
            # Not reported yet: it was refused before it began.
            refused = Backward(line=None, gradients=(), raised=errors.class_name(error))
            send(BackwardRan(backward=refused))
        return errors.ending(error, files)
    return Completed()
