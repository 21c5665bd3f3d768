"""What there is to say of one tensor: in a cell of the table, and in words below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inplace_tui.common.cells import clean, wrap
from inplace_tui.common.rows import Row, Span, Style, spans
from inplace_tui.common.run.facets import FACETS, Facet
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.snapshot import Tensor, Unreadable, holders, overlap
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import element_reader, run_format, spell, summary, tensor_name
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.panels import REASONS, CodeTexts, TableTexts
from inplace_tui.tutorial.activity.session.view import (
    HIDDEN,
    View,
    hides,
    is_stale,
    may_answer,
    node_name,
    shown,
)
from inplace_tui.tutorial.present import forecast

NOTHING = "–"

UNREADABLE = "⊘"


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


def notes(
    tensor: Tensor,
    view: View,
    room: int,
    language: str,
    *,
    changed: frozenset[str] | None,
    seen: Iterable[Facet] = FACETS,
) -> list[Row]:
    """Return the notes, wrapped.

    `changed` are the facets that changed at this step, None where the tensor is new. What masks
    those that are `seen` beside these notes is explained.
    """
    found = [_change(tensor, view, language, changed), *_sharing(tensor, view, language)]
    values = element_reader(tensor, view.snapshot)
    if isinstance(values, Unreadable):
        found.append([Span(f"{UNREADABLE} {reason(values, language)}", Style.DIM)])
    elif not values.whole and not hides(view, tensor, "values"):
        words = {"head": values.head, "tail": values.tail, "count": f"{values.count:,}"}
        found.append([Span(say(TableTexts.sample, language, **words), Style.DIM)])
    if any(hides(view, tensor, facet.key) for facet in seen):
        found.append([Span(say(TableTexts.masked, language), Style.MASKED)])
    return [Row(line) for note in found for line in wrap(note, room)]


def about_cell(
    tensor: Tensor,
    column: str | None,
    view: View,
    room: int,
    language: str,
    *,
    keys: Mapping[str, str] | None = None,
) -> list[Row]:
    """Return what the chosen column shows, and what backward from the chosen tensor would do.

    With `keys`, it says which of them explains the cell.
    """
    found: list[list[Span]] = []
    sentence = None if tensor.grad_fn is None else forecast.sentence(view, tensor, language)
    if sentence is not None:
        found.append(spans(sentence))
    facet = next((facet for facet in FACETS if facet.key == column), None)
    if facet is not None:
        about = FACET_TEXTS[facet.key].about[language]
        if keys is not None:
            about = say(TableTexts.column, language, about=about, keys=keys)
        title = Span(FACET_TEXTS[facet.key].title[language], Style.STRONG)
        found.append([title, *spans(f"  {about}", Style.DIM)])
    return [Row(line) for note in found for line in wrap(note, room)]


def reason(why: Unreadable, language: str) -> str:
    """Return why values can't be shown: in the learner's words where the reason is ours."""
    return say(REASONS[why.reason], language) if why.reason in REASONS else clean(why.reason)


def holder_names(storage: int, view: View, language: str, *, most: int = 3) -> str:
    """Return the nodes that saved a storage, with the versions they saved."""
    hidden = any(
        hides(view, tensor, "version")
        for tensor in view.snapshot.tensors.values()
        if tensor.storage == storage
    )
    named = []
    saving = holders(view.snapshot, storage)
    for saved in saving[:most]:
        version = "" if saved.version is None or hidden else f" v{saved.version}"
        node = view.snapshot.nodes.get(saved.node)
        slot = "" if node is not None and node.is_compiled else f".{clean(saved.slot)}"
        named.append(f"{node_name(view, saved.node)}{slot}{version}")
    if len(saving) > most:
        named.append(say(CodeTexts.more, language, count=len(saving) - most))
    return list_of(named, language)


def _spelled(tensor: Tensor, view: View) -> str:
    return run_format(view.timeline).spell(tensor_name(tensor))


def _change(
    tensor: Tensor, view: View, language: str, changed: frozenset[str] | None
) -> list[Span]:
    name, line = _spelled(tensor, view), line_name(view.source, view.ran.line) if view.ran else "?"
    if changed is None:
        text = say(TableTexts.new, language, line=line)
        return [Span(f"+ {name}", Style.NEW), Span(f" {text}")]
    if not changed:
        return [Span(name, Style.STRONG)]
    titles = (FACET_TEXTS[each.key].title[language] for each in FACETS if each.key in changed)
    facets = list_of(titles, language)
    text = say(TableTexts.changed, language, line=line, facets=facets)
    return [Span(f"~ {name}", Style.CHANGED), Span(f" {text}")]


def _sharing(tensor: Tensor, view: View, language: str) -> list[list[Span]]:
    if tensor.storage is None or hides(view, tensor, "storage"):
        return []
    found, names = [], []
    for other in shown(view):
        if other.storage == tensor.storage and other.id != tensor.id:
            apart = overlap(tensor, other) is False
            name = _spelled(other, view)
            names.append(say(TableTexts.apart, language, name=name) if apart else name)
    letter = letter_of(tensor.storage, view.timeline)
    if names:
        others = list_of(names, language)
        found.append([Span(say(TableTexts.shares, language, letter=letter, names=others))])
    hidden = view.mask.outcome and may_answer(view, view.cursor)
    if not hidden and (named := holder_names(tensor.storage, view, language)):
        text = say(TableTexts.held, language, holders=named)
        found.append([Span(f"{letter}  ", Style.STRONG), Span(text, Style.SAVED)])
    return found
