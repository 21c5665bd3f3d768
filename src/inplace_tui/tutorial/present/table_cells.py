"""What one cell of the tensor table says, in as much room as there is."""

from __future__ import annotations

from inplace_tui.common.cells import clean
from inplace_tui.common.rows import Style
from inplace_tui.common.run.facets import Facet
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import element_reader, run_format, spell, summary, tensor_name
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import TableTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import forecast
from inplace_tui.tutorial.present.masking import HIDDEN, hides, is_stale
from inplace_tui.tutorial.present.tensor_notes import UNREADABLE, reason

NOTHING = "–"


def cell(tensor: Tensor, facet: Facet, room: int, view: View, language: str) -> tuple[str, Style]:
    """Return the text and style of a cell; nothing that an open question hides."""
    if hides(view, tensor, facet.key):
        return HIDDEN, Style.MASKED
    match facet.key:
        case "names":
            phrase = spell(view.timeline, tensor_name(tensor), room), Style.NAME
        case "storage":
            phrase = letter_of(tensor.storage, view.timeline), Style.STRONG
        case "version":
            phrase = _version(tensor, room, view, language)
        case "values":
            phrase = _values(tensor, room, view, language)
        case "base" | "grad" | "grad_fn":
            phrase = _linked(tensor, facet.key, room, view, language)
        case "forecast":
            phrase = forecast.cell(view, tensor, language)
        case "data_ptr" if tensor.data_ptr is not None:
            phrase = f"{tensor.data_ptr:#x}", Style.DIM
        case _:
            phrase = _plain(getattr(tensor, facet.fields[0]), language)
    return phrase


def _linked(tensor: Tensor, key: str, room: int, view: View, language: str) -> tuple[str, Style]:
    """Return what a cell says of another tensor, or of a node."""
    snapshot = view.snapshot
    if key == "base" and (tensor.is_view or tensor.base is not None):
        base = snapshot.tensors.get(-1 if tensor.base is None else tensor.base)
        return (
            spell(view.timeline, tensor_name(base), room) if base else say(TableTexts.yes, language)
        ), Style.PLAIN
    if key == "grad" and tensor.grad in snapshot.tensors:
        return _summary(snapshot.tensors[tensor.grad], view, room), Style.PLAIN
    if key == "grad_fn" and isinstance(tensor.grad_fn, Unreadable):
        return _plain(tensor.grad_fn, language)
    if key == "grad_fn" and tensor.grad_fn in snapshot.nodes:
        return clean(snapshot.nodes[tensor.grad_fn].name), Style.PLAIN
    return _empty()


def _values(tensor: Tensor, room: int, view: View, language: str) -> tuple[str, Style]:
    found = element_reader(tensor, view.snapshot)
    if isinstance(found, Unreadable):
        return f"{UNREADABLE} {reason(found, language)}", Style.DIM
    return _summary(tensor, view, room), Style.PLAIN


def _summary(tensor: Tensor, view: View, room: int) -> str:
    decimals = run_format(view.timeline).decimals(view.timeline, tensor, room)
    return summary(tensor, view.snapshot, room, most=decimals)


def _empty() -> tuple[str, Style]:
    return NOTHING, Style.DIM


def _plain(value: object, language: str) -> tuple[str, Style]:
    """Return any field as it is: a facet needs no more than its declaration."""
    if isinstance(value, Unreadable):
        return UNREADABLE, Style.DIM
    if value is None:
        return _empty()
    if isinstance(value, bool):
        return say(TableTexts.yes if value else TableTexts.no, language), (
            Style.PLAIN if value else Style.DIM
        )
    if isinstance(value, tuple):
        return f"[{','.join(map(str, value))}]", Style.PLAIN
    return clean(str(value)), Style.PLAIN


def _version(tensor: Tensor, room: int, view: View, language: str) -> tuple[str, Style]:
    old = view.previous.tensors.get(tensor.id)
    if (
        isinstance(tensor.version, int)
        and old is not None
        and isinstance(old.version, int)
        and old.version != tensor.version
    ):
        change = f"{old.version}→{tensor.version}"
        return (change if len(change) <= room else f"{tensor.version}"), Style.CHANGED
    if is_stale(view, tensor.storage) and isinstance(tensor.version, int):
        return f"{tensor.version} !", Style.STALE
    return _plain(tensor.version, language)
