"""Libraries that a program imports: imported once, so that replays are forked with them.

Nothing may be left of that but the modules. A trial in a process and a view of its own shows
whether it is so; where it starts a thread, writes a file or sets a variable, each replay
imports them itself.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn

from inplace_tui.diagnosis.record.process import linux, namespace, view
from inplace_tui.diagnosis.record.process.libraries import surroundings
from inplace_tui.diagnosis.record.process.system import end

PATIENCE = 60.0
"""Seconds for all imports."""

_FINE = 42
"""An exit code that no library gives by itself."""


def import_once(
    names: Sequence[str], wanted: str, forget: Callable[[], None], processes: int
) -> None:
    """Import modules here, if a trial shows that it leaves nothing else.

    Args:
        names: of the modules.
        wanted: the `surroundings` after the first run of the program that imports them.
        forget: what is to be closed in whatever is forked from here.
        processes: that may be there at once in the trial.
    """
    if not _is_fine(names, wanted, forget, processes):
        return
    gc.disable()
    try:
        for name in names:
            importlib.import_module(name)
    except Exception as error:  # a library may raise anything
        os.write(2, f"{name}: {error!r}\n".encode(errors="replace"))
    gc.freeze()
    gc.enable()


def _is_fine(names: Sequence[str], wanted: str, forget: Callable[[], None], processes: int) -> bool:
    def live() -> NoReturn:
        code = 0
        try:
            code = _FINE if _leaves_nothing(names, wanted) else 0
        finally:
            end(code)

    keeper = namespace.begin(
        live, forget=forget, given=(), most=processes, scratch=False, in_view=True
    )
    waiting = select.poll()
    waiting.register(keeper.ending_pipe, select.POLLIN)
    waiting.poll(PATIENCE * 1_000)
    with suppress(ProcessLookupError):
        os.kill(keeper.pid, signal.SIGKILL)
    _, status = os.waitpid(keeper.pid, 0)
    ended, _ = keeper.ending(status)
    return os.waitstatus_to_exitcode(ended) == _FINE


def _leaves_nothing(names: Sequence[str], wanted: str) -> bool:
    """Import modules, in a view, and return whether they left nothing else behind."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    left = view.files_left()
    try:
        for name in names:
            importlib.import_module(name)
    except BaseException:
        return False
    tasks = len(os.listdir("/proc/self/task"))
    return (
        tasks == 1
        and not linux.children()
        and view.files_left() == left
        and surroundings() == wanted
    )
