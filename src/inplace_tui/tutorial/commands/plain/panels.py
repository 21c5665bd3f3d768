"""What can be looked at besides the line that ran: the panels, asked for by name."""

from __future__ import annotations

import re

from inplace_tui.common.rows import Row
from inplace_tui.common.run.facets import FACETS, Facet
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.plain import PlainTexts
from inplace_tui.tutorial.activity.session.view import View, shown
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.commands.plain.typed import TypedCommand
from inplace_tui.tutorial.present import code, output, table, why
from inplace_tui.tutorial.present.why import CellSubject, NodeSubject
from inplace_tui.tutorial.report import plain, plain_lists
from inplace_tui.tutorial.report.plain_lists import Numbered

EXPLAINED = ("requires_grad", "is_leaf", "version", "grad_fn", "grad")
"""The columns that are explained when a tensor is named without one."""

_NODE = re.compile(r"(?:node|节点)\s*(\d{1,9})")

FORECASTS = ("forecast", "backward", "backward?")


def show(typed: TypedCommand, view: View, printer: Printer) -> None:
    room, language = printer.room, printer.language
    match typed.name:
        case "program":
            printer.rows(code.titled_rows(view, room, language))
            printer.rows(plain.position(view, language))
        case "tensors" if typed.rest:
            if (tensor := require_tensor(typed.rest, view, printer)) is not None:
                printer.rows(plain.tensor(tensor, view, room, language))
        case "tensors":
            printer.rows(plain.tensors(view, room, language))
            if left_out := table.left_out(view, language):
                printer.text(left_out)
        case "graph":
            graph = Numbered(view, language, fold=typed.rest != "all")
            printer.rows([*graph.rows(room), *graph.way(room)])
        case "storages" if typed.rest:
            _life(typed.rest, view, printer)
        case "storages":
            printer.rows(plain_lists.lives(view, room, language))
        case "output":
            printer.rows(output.rows(view, room, language))
        case _:
            raise AssertionError(f"no panel {typed.name}")


def _life(name: str, view: View, printer: Printer) -> None:
    storage = plain_lists.storage_called(view, name)
    if storage is None and (tensor := find_tensor(name, view, printer)) is not None:
        storage = tensor.storage
    if storage is None:
        printer.say(PlainTexts.no_storage, name=name)
    else:
        printer.rows(plain_lists.life(view, storage, printer.room, printer.language))


def print_ending(view: View, printer: Printer) -> None:
    """Print why the run ended so, or why that can't be shown yet."""
    hidden = view.mask.outcome or view.has_open_question
    if rows := plain.ending(view, printer.room, printer.language):
        printer.rows(rows)
    else:
        printer.say(PlainTexts.why_hidden if hidden else PlainTexts.why_not_yet)


def parse_why(
    rest: str, view: View, printer: Printer
) -> tuple[Tensor, list[str]] | NodeSubject | None:
    """Return the tensor and the columns, or the node, that `why REST` asks about.

    None after a refusal.
    """
    if found := _NODE.fullmatch(rest):
        node = Numbered(view, printer.language, fold=False).node(int(found[1]))
        if node is None:
            printer.say(PlainTexts.no_node, number=found[1])
        return None if node is None else NodeSubject(node)
    whole = find_tensor(rest, view, printer)
    if whole is not None:
        return whole, list(EXPLAINED)
    # `y grad` or `y.grad`.
    found = re.fullmatch(r"(.+?)(?:\s+|\.)([\w?]+)", rest)
    name, column = (found[1], found[2]) if found else (rest, "")
    tensor = find_tensor(name, view, printer)
    if tensor is None:
        printer.say(PlainTexts.no_tensor, name=name)
        return None
    facet = _facet(column)
    if facet is None:
        columns = ", ".join(each.key for each in FACETS)
        printer.say(PlainTexts.no_column, name=column, columns=columns)
        return None
    return tensor, [facet]


def print_reasons(tensor: Tensor, facets: list[str], view: View, printer: Printer) -> None:
    """Print why columns of a tensor are as they are; what answers two is printed once."""
    answers: dict[str, list[list[Row]]] = {}
    abouts: list[Row] = []
    for facet in facets:
        shown = why.rows(view, CellSubject(tensor.id, facet), printer.room, printer.language)
        about = next(at for at, row in enumerate(shown) if not row.text)
        text = "\n".join(row.text for row in shown[1:about])
        answers.setdefault(text, []).append(shown[:about])
        abouts += shown[about:]
    for alike in answers.values():
        printer.rows(rows[0] for rows in alike)
        printer.rows(alike[0][1:])
    printer.rows(abouts)


def require_tensor(name: str, view: View, printer: Printer) -> Tensor | None:
    """Return the tensor that a command was given; None after a refusal."""
    tensor = find_tensor(name, view, printer)
    if tensor is None:
        key = PlainTexts.no_tensor if name else PlainTexts.no_name
        printer.say(key, name=name)
    return tensor


def find_tensor(name: str, view: View, printer: Printer) -> Tensor | None:
    """Return the tensor of a name, or of a number in the table."""
    if name.isdecimal():
        listed = table.rows(view, printer.room, printer.language)
        ids = [row.target.tensor for row in listed if row.target.tensor is not None]
        place = int(name) - 1
        number = ids[place] if 0 <= place < len(ids) else None
        return view.snapshot.tensors.get(-1 if number is None else number)
    return next((each for each in shown(view) if name in each.names), None)


def _facet(column: str) -> str | None:
    if column.lower() in FORECASTS:
        return "forecast"
    known: dict[str, Facet] = {}
    for facet in FACETS:
        heads = FACET_TEXTS[facet.key][:2]
        names = (facet.key, *facet.fields, *(name for head in heads for name in head.spellings))
        known |= {name.lower(): facet for name in names if name.lower() not in known}
    found = known.get(column.lower())
    return None if found is None else found.key
