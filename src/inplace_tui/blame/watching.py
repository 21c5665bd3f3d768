"""Starts the witness once the program imports torch, and says at its end what was found.

Imports what Python has loaded at its start anyway: the program is not to notice.
"""

from __future__ import annotations

import importlib
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
        from inplace_tui.blame.witness import start

        self.witness = start(**self._how)

    def stop_waiting(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def stop(self) -> None:
        self.stop_waiting()
        if self.witness is not None:
            from inplace_tui.blame.witness import stop

            stop()

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
        STDIN.extend(os.pread(0, os.fstat(0).st_size, 0).decode(errors="replace").splitlines())
    if json:
        importlib.import_module("json")  # now: later the program's folder comes first
    PYTHON_HOOK.append(sys.excepthook)
    atexit.register(finish, Watching(values=values), json)


def finish(watching: Watching, path: str) -> None:
    """Say what Python's traceback does not show. Nothing of the program's is believed here."""
    try:
        last: Any = getattr(sys, "last_value", None)
        by_python = getattr(sys, "excepthook", None) is PYTHON_HOOK[0]
        shown = [found_in(each) for each in chain(last)] if by_python and NOTES else []
        watching.refused(last)
        watching.stop()
        if watching.findings:
            from inplace_tui.blame import report

            for each in watching.findings:
                if not any(each is one for one in shown):
                    say(f"{report.heading(each)}\n{report.text(each)}")
        if path:
            write(path, watching.findings)
    except Exception as ours:
        say(f"inplace_tui.blame: could not say all that was found: {type(ours).__name__}: {ours}")


def write(path: str, findings: list[Finding]) -> None:
    import io
    import json

    try:
        with io.open(path, "w", encoding="utf-8") as opened:  # noqa: UP020  # `open` may be the program's
            opened.write(json.dumps({"findings": findings}, indent=2) + "\n")
    except OSError as error:
        say(f"inplace_tui.blame: --json {path}: {error}")
