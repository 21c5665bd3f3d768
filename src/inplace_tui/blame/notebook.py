"""`%load_ext inplace_tui`, then `%%blame` on a cell, or `%blame on` for all that follow.

`%%inplace` runs a cell, too, and shows below it the page of what `explain` finds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from html import escape
from traceback import walk_stack
from typing import Any

from inplace_tui.blame import frames, report
from inplace_tui.blame.witness import Witness, start, stop, watch


def register(shell: Any) -> None:
    """Give a shell of IPython the magics `blame` and `inplace`."""
    session, explaining = BlameMagic(shell), InplaceMagic(shell)
    shell.register_magic_function(session.blame, magic_kind="line_cell", magic_name="blame")
    shell.register_magic_function(explaining.inplace, magic_kind="cell", magic_name="inplace")


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


_FRAME = (
    '<div><iframe sandbox="allow-scripts" style="width:100%;height:45em;border:0;resize:vertical"'
    ' srcdoc="{}"></iframe></div>'
)


class InplaceMagic:
    """Explains a cell with all that ran before it, in processes of their own."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._failed: set[int] = set()
        """Numbers of cells that failed: what follows is explained without them."""

        self._after(getattr(shell, "last_execution_result", None))
        shell.events.register("post_run_cell", self._after)

    def inplace(self, line: str, cell: str) -> None:
        """Run a cell, and show the page of what was found: `%%inplace [options of explain]`."""
        sources = self._shell.history_manager.input_hist_raw
        result = self._shell.run_cell(cell)
        number = len(sources) - 1
        if not result.success:
            self._failed.add(number)
        cells = [
            {"cell_type": "code", "execution_count": at, "source": text}
            for at, text in enumerate(sources)
            if at == number or (at and at not in self._failed)
        ]
        page, said = _page(cells, f"In [{number}]", line.split())
        if not page:
            print(said, file=sys.stderr)
            return
        framed = _FRAME.format(escape(page))
        self._shell.display_pub.publish({"text/html": framed, "text/plain": said})

    def _after(self, result: Any) -> None:
        count = getattr(result, "execution_count", None)
        if count is not None and not result.success:
            self._failed.add(count)


def _page(cells: list[dict[str, Any]], title: str, options: list[str]) -> tuple[str, str]:
    """Return the page about some cells, run from the folder of the notebook; and what is said."""
    document = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}
    command = [sys.executable, "-m", "inplace_tui", "explain", "--format", "html", *options]
    folder = os.getcwd() if os.access(os.getcwd(), os.W_OK) else None
    with tempfile.NamedTemporaryFile("w", suffix=".ipynb", prefix=".inplace-", dir=folder) as file:
        json.dump(document, file)
        file.flush()
        done = subprocess.run([*command, file.name], capture_output=True, check=False)  # noqa: S603  # our own
    page, said = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return page.replace(escape(file.name), title), said.replace(file.name, title)


def _running(cells: dict[str, int]) -> int | None:
    """Return the number of the cell that called this."""
    files = (frame.f_code.co_filename for frame, _ in walk_stack(sys._getframe()))
    return next((cells[file] for file in files if file in cells), None)
