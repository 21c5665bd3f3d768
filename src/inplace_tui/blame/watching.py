"""Starts the witness once the program imports torch, and says at its end what was found.

Imports what Python has loaded at its start anyway: the program is not to notice.
"""

from __future__ import annotations

import importlib
import io
import os
import sys

from inplace_tui.blame.program import PYTHON_HOOK, STDIN, chain, found_in, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from inplace_tui.blame.report import Finding
    from inplace_tui.blame.witness import Witness


NOTES = sys.version_info >= (3, 11)
"""Whether Python shows those of an error in its traceback."""


class Watching:
    """A witness that starts once the program imports torch: what it sets before that counts."""

    def __init__(self, *, values: bool = False, notes: bool = True) -> None:
        self._how = {"values": values, "notes": notes}
        self.witness: Witness | None = None
        self.own: Any = None
        """The module of the witness, however the program changes what can be imported."""
        if "torch" in sys.modules:
            self._start()
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, *_: Any) -> Any:
        """Return how torch is found, with a start of the witness at the end of its import."""
        if name != "torch":
            return None
        import importlib.util

        self.stop_waiting()
        spec = importlib.util.find_spec(name)
        loader = None if spec is None else spec.loader
        if loader is None:
            return spec
        execute = loader.exec_module

        def execute_and_start(module: Any) -> None:
            del loader.exec_module
            execute(module)
            self._start()

        loader.exec_module = execute_and_start  # type: ignore[method-assign]
        return spec

    def _start(self) -> None:
        self.own = importlib.import_module("inplace_tui.blame.witness")
        self.witness = self.own.start(**self._how)

    def stop_waiting(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def stop(self) -> None:
        self.stop_waiting()
        if self.own is not None:
            self.own.stop()

    @property
    def findings(self) -> list[Finding]:
        return [] if self.witness is None else self.witness.findings

    def refused(self, error: BaseException) -> None:
        if self.witness is not None:
            self.witness.refused(error)


def start_for_program(*, values: bool, is_stdin: bool, json: str) -> None:
    """Watch the program that Python is about to run; say at its end what was found."""
    import atexit

    if is_stdin:
        place = os.lseek(0, 0, os.SEEK_CUR)
        os.lseek(0, 0, os.SEEK_SET)
        STDIN.extend(os.read(0, os.fstat(0).st_size).decode(errors="replace").splitlines())
        os.lseek(0, place, os.SEEK_SET)
    dumps = importlib.import_module("json").dumps if json else None  # the program may have another
    PYTHON_HOOK.append(sys.excepthook)
    atexit.register(finish, Watching(values=values), json, dumps)


def finish(watching: Watching, path: str, dumps: Any) -> None:
    """Say what Python's traceback does not show. Nothing is imported: the program may do that."""
    try:
        if watching.own is not None:
            last: Any = getattr(sys, "last_value", None)
            by_python = NOTES and getattr(sys, "excepthook", None) is PYTHON_HOOK[0]
            shown = [found_in(each) for each in chain(last)] if by_python else []
            watching.refused(last)
            watching.stop()
            report = watching.own.report
            for each in watching.findings:
                if not any(each is one for one in shown):
                    say(f"{report.heading(each)}\n{report.text(each)}")
        if dumps is not None:
            with io.open(path, "w", encoding="utf-8") as opened:  # noqa: UP020  # not the program's
                opened.write(dumps({"findings": watching.findings}, indent=2) + "\n")
    except Exception as ours:
        say(f"inplace_tui.blame: could not say all that was found: {type(ours).__name__}: {ours}")
