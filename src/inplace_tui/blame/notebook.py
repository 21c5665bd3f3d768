"""`%load_ext inplace_tui`, then `%%blame` on a cell, or `%blame on` for all that follow."""

from __future__ import annotations

import sys
from typing import Any

from inplace_tui.blame import frames, report
from inplace_tui.blame.witness import Witness, start, stop, watch


def register(shell: Any) -> None:
    """Give a shell of IPython the magic `blame`."""
    session = BlameMagic(shell)
    shell.register_magic_function(session.blame, magic_kind="line_cell", magic_name="blame")


class BlameMagic:
    """What the magic does in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._reported = 0
        self._on = False

    def blame(self, line: str, cell: str | None = None) -> None:
        """Run a cell and name who is to blame: `%%blame [--values]`; `%blame on|off`."""
        values = "--values" in line.split()
        if cell is not None:
            self._cell(cell, values=values)
        elif "on" in line.split():
            self._switch(on=True, values=values)
        elif "off" in line.split():
            self._switch(on=False)
        else:
            print("%%blame [--values] for one cell, %blame on [--values], %blame off")

    def _cell(self, cell: str, *, values: bool) -> None:
        cells = self._cells()
        known, number = dict(cells), _running(cells)
        # The line of `%%blame` counts; another magic has to stand on the first line.
        first = "" if cell.lstrip().startswith("%%") else "#\n"
        with watch(values=values, notes=False) as witness:
            result = self._shell.run_cell(first + cell)
            if number is not None:  # IPython counts what a cell runs as the next cell
                cells.update({at: number for at, each in cells.items() if known.get(at) != each})
            self._report(witness, result)

    def _switch(self, *, on: bool, values: bool = False) -> None:
        events = self._shell.events
        if on and not self._on:
            start(values=values, notes=False)
            events.register("post_run_cell", self._after)
        elif not on and self._on:
            events.unregister("post_run_cell", self._after)
            stop()
        self._on, self._reported = on, 0

    def _after(self, result: Any) -> None:
        self._report(start(), result)

    def _cells(self) -> dict[str, int]:
        """Return the numbers of cells by their files: from IPython 8."""
        return getattr(self._shell.compile, "_filename_map", {})

    def _report(self, witness: Witness, result: Any) -> None:
        error = getattr(result, "error_in_exec", None)
        if error is not None:
            witness.refused(error)
        for file, number in self._cells().items():
            frames.DISPLAY_NAMES[file] = f"In [{number}]"
        first = self._reported if self._on else 0
        for each in witness.findings[first:]:
            print(report.text(each), file=sys.stderr)
        self._reported = len(witness.findings)


def _running(cells: dict[str, int]) -> int | None:
    """Return the number of the cell that called this."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in cells:
            return cells[frame.f_code.co_filename]
        frame = frame.f_back  # type: ignore[assignment]
    return None
