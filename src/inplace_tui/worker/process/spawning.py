"""`torch.multiprocessing.spawn` of one process, which is run where it can be watched."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from torch.multiprocessing import ProcessExitedException, ProcessRaisedException

from inplace_tui.worker.process.own_files import OURS


def spawn_one_here() -> None:
    """Have a single process that is waited for run in this one; it ends as it would there."""
    module = sys.modules["torch.multiprocessing.spawn"]
    package = sys.modules["torch.multiprocessing"]
    start = module.start_processes

    def start_processes(  # noqa: PLR0917  # torch's signature
        fn: Callable[..., object],
        args: tuple[Any, ...] = (),
        nprocs: int = 1,
        join: bool = True,
        daemon: bool = False,
        start_method: str = "spawn",
    ) -> object:
        if nprocs != 1 or not join:
            return start(fn, args, nprocs, join, daemon, start_method)
        _run(fn, args)
        return None

    vars(module)["start_processes"] = vars(package)["start_processes"] = start_processes


def _run(fn: Callable[..., object], args: tuple[Any, ...]) -> None:
    try:
        fn(0, *args)
    except KeyboardInterrupt:
        return  # as torch has it
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code == 0:
            return
        text = f"process 0 terminated with exit code {code}"
        raise ProcessExitedException(text, 0, os.getpid(), code) from None
    except Exception as error:
        report = traceback.TracebackException.from_exception(error)
        own = [each for each in report.stack if not each.filename.startswith(OURS)]
        report.stack = traceback.StackSummary.from_list(own)
        text = f"\n\n-- Process 0 terminated with the following error:\n{''.join(report.format())}"
        raise ProcessRaisedException(text, 0, os.getpid()) from None
