"""Messages about notebooks."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class NotebookTexts:
    """Why one can't be run or written, and what a program misses of it."""

    no_json = T("no notebook: it is not JSON ({why})")
    no_notebook = T("no notebook of format 3 or 4 ({why})")
    no_python = T("its language is {language}")
    no_code = T("it has no code cell")
    unusable = T("{path} can't be read: {why}.")
    layout = T(
        "its JSON is laid out in a way of its own, so writing it would change more than the cells"
    )
    other_cells = T(
        "cells can't be added, removed or renamed here; their border lines stay as they are"
    )
    unwritten = T("{path} can't be written: {why}.")
    left_out = T("{file}: of IPython's lines, these are left out: {lines}")
    order = T("{file}: its cells were run in another order; here they run from top to bottom.")
    annotations = T("--format {form} names lines of files, and a notebook's cells have none.")
