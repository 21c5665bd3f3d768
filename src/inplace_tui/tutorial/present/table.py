"""The tensor table: a row a tensor, a column a facet, and a few words about one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inplace_tui.common.cells import clean, clip_spans, pad, width, wrap, wrapped
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target, spans
from inplace_tui.common.run.facets import FACETS, Facet
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.snapshot import Tensor, Unreadable, holders, overlap
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import (
    NAME,
    RunFormat,
    element_reader,
    run_format,
    said,
    spell,
    summary,
    tensor_name,
)
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.panels import REASONS, TableTexts
from inplace_tui.tutorial.activity.session.view import (
    HIDDEN,
    Mask,
    View,
    hides,
    is_stale,
    leaves_out,
    may_answer,
    node_name,
    shown,
)
from inplace_tui.tutorial.present import forecast
from inplace_tui.tutorial.state.diff import Diff, diff
from inplace_tui.tutorial.state.watch import module_tensors

GAP = 2
VALUES = 15
"""Fewest cells of the values, whatever else could be shown."""

MIN_VALUES, BESIDE_NAMES = 9, 11
"""Cells that values keep beside long names, for the columns of versions and storages."""

NARROW = 40
"""Cells from which on names have all the room that they are spelled for."""

WIDE_WIDTHS = {"shape": 14, "grad_fn": 18, "grad": 22}
"""Widths of these columns where there is room."""

PINNED = "▴"
"""Before the name of a tensor that the learner pinned."""

CHOSEN = "▸"
"""Before the head and the cell of the column that was chosen."""


@dataclass(frozen=True)
class _TableColumn:
    facet: Facet
    head: str
    width: int


@dataclass(frozen=True)
class _TableLayout:
    """What the rows of one table have in common."""

    view: View
    language: str
    changes: Diff
    selected: int | None
    column: str | None
    keys: Mapping[str, str] | None
    columns: list[_TableColumn]
    room: int


def rows(
    view: View,
    width: int,
    language: str,
    *,
    pointers: bool = False,
    selected: int | None = None,
    column: str | None = None,
    keys: Mapping[str, str] | None = None,
    before: Sequence[Row] = (),
) -> Sequence[Row]:
    """Return the head, one row a tensor, and notes about `selected` or what just changed.

    Rows are made when they are read: of hundreds of tensors only the visible ones cost time. The
    facet `column` has one, however little room. Of the rows `before`, of another moment, those are
    taken over that are the same. Without `keys`, no key is named.
    """
    changes, tensors = diff(view.previous, view.snapshot), in_order(view)
    gone = _gone(view, changes)
    if not tensors and not gone:
        were_some = any(life.born <= view.cursor for life in view.timeline.index.lives.values())
        none = TableTexts.none_left if were_some else TableTexts.none
        return wrapped([Span(say(none, language), Style.DIM)], width)
    written = run_format(view.timeline)
    columns = _columns(view, written, width, language, pointers=pointers, wanted=column)
    page = _TableLayout(view, language, changes, selected, column, keys, columns, width)
    return TableRows(tensors, gone, page, before)


class TableRows(LazyRows):
    """The rows of a table of any number of tensors."""

    def __init__(
        self, tensors: list[Tensor], gone: list[Tensor], page: _TableLayout, before: Sequence[Row]
    ) -> None:
        keys = {column.facet.key for column in page.columns}
        common = (page.language, page.selected, page.column, page.columns, page.room)
        view = page.view
        self._common: object = view.timeline, view.watched, common
        """What all rows depend on; None if it can't be compared."""

        if view.mask != Mask() or "forecast" in keys:
            self._common = None
        self._kept: dict[int, tuple[object, Row]] = {}
        """Tensor -> what its row depends on, and the row."""

        if isinstance(before, TableRows) and self._common and before._common == self._common:
            self._kept = before._kept.copy()
        below = _below(tensors, page)
        first_gone, first_below = 1 + len(tensors), 1 + len(tensors) + len(gone)

        def row(place: int) -> Row:
            if place == 0:
                return _head(page)
            if place < first_gone:
                return self._row_of(tensors[place - 1], page)
            if place < first_below:
                return _gone_row(gone[place - first_gone], page)
            return below[place - first_below]

        super().__init__(first_below + len(below), row)
        self._tensors = tensors

    def _row_of(self, tensor: Tensor, page: _TableLayout) -> Row:
        depends = _row_key(tensor, page.view, page.changes)
        if tensor.id not in self._kept or self._kept[tensor.id][0] != depends:
            self._kept[tensor.id] = depends, _row(tensor, page)
        return self._kept[tensor.id][1]

    def place_of(self, tensor: int) -> int | None:
        """Return the row of a tensor, without making any."""
        places = (place for place, each in enumerate(self._tensors, 1) if each.id == tensor)
        return next(places, None)


def _below(tensors: list[Tensor], page: _TableLayout) -> list[Row]:
    view, room, language, selected = page.view, page.room, page.language, page.selected
    chosen = (tensor for tensor in tensors if tensor.id == selected)
    moved = (tensor for tensor in tensors if _visible_changes(tensor, page))
    subject = next(chosen, None) or next(moved, None)
    if subject is None:
        return []
    changed = None if subject.id in page.changes.new else _visible_changes(subject, page)
    seen = [column.facet for column in page.columns]
    described = notes(subject, view, room, language, changed=changed, seen=seen)
    if subject.id == selected:
        described += about_cell(subject, page.column, view, room, language, keys=page.keys)
    return [Row(), *described]


def in_order(view: View) -> list[Tensor]:
    """Return the tensors that have a row.

    What the learner pinned comes first, then names that the lesson watches, then
    this frame's, then gradients, then other frames'.
    """
    grads = {tensor.grad for tensor in view.snapshot.tensors.values()}
    watched = {name: place for place, name in enumerate(view.watch)}

    def place(tensor: Tensor) -> tuple[int, int, int]:
        pinned = view.watched.pins(tensor)
        if pinned is not None:
            return -1, pinned, tensor.id
        found = [watched[name] for name in tensor.names if name in watched]
        if found:
            return 0, min(found), tensor.id
        elsewhere = bool(tensor.names) and all(":" in name for name in tensor.names)
        return 3 if elsewhere else 2 if tensor.id in grads else 1, tensor.id, 0

    return sorted(_not_left_out(view), key=place)


def _not_left_out(view: View) -> list[Tensor]:
    """Return the tensors that the learner wants to see."""
    tensors, watch = shown(view), view.watched
    if watch.without_modules:
        inside = module_tensors(tensors)
        return [each for each in tensors if each.id not in inside or watch.pins(each) is not None]
    return tensors


def _gone(view: View, changes: Diff) -> list[Tensor]:
    """Return the pinned tensors that no name reaches any more."""
    gone = [view.previous.tensors[number] for number in sorted(changes.gone)]
    if view.watched.without_modules:
        inside = module_tensors(view.previous.tensors.values())
        return [each for each in gone if each.id not in inside]
    return gone


def left_out(view: View, language: str) -> str:
    """Return how many tensors have no row, and why; empty if all have one."""
    if not view.watched.without_modules:
        return ""
    count = len(shown(view)) - len(_not_left_out(view))
    return say(TableTexts.hidden, language, count=count)


def _columns(
    view: View, written: RunFormat, room: int, language: str, *, pointers: bool, wanted: str | None
) -> list[_TableColumn]:
    """Choose what fits, the most wanted first: the same at each step of a run."""
    untaught = view.untaught - {wanted}
    most = max(NAME, room // 3) if room >= NARROW else 8
    names = min(max(written.longest_name, 4), most)
    values = VALUES if room < 90 else VALUES + 8
    left = room - 2 - names - GAP - values
    lacking = min(values - MIN_VALUES, max(0, BESIDE_NAMES - left))
    values, left = values - lacking, left + lacking
    chosen: dict[str, int] = {}
    for facet in sorted(FACETS, key=lambda facet: (facet.key != wanted, facet.priority)):
        if facet.key in ("names", "values") or facet.key in untaught:
            continue
        if facet.key == "data_ptr" and not pointers and wanted != "data_ptr":
            continue
        letters = written.longest_letter if facet.key == "storage" else 0
        need = max(facet.width, letters, width(FACET_TEXTS[facet.key].short[language])) + GAP
        if need > left:
            break
        chosen[facet.key] = need - GAP
        left -= need
    # A shape that is cut is worse than a value less: it takes what the values can spare.
    shape = min(written.longest_shape, WIDE_WIDTHS["shape"])
    more = min(shape - chosen.get("shape", 99), left + values - VALUES)
    if more > 0:
        chosen["shape"] += more
        values -= max(0, more - left)
        left = max(0, left - more)
    # What is left over goes to torch's own words in the head, then to what would be cut most.
    titles = {facet.key: width(FACET_TEXTS[facet.key].title[language]) for facet in FACETS}
    for key, wide in (*titles.items(), *WIDE_WIDTHS.items()):
        more = wide - chosen.get(key, 99)
        if 0 < more <= left - 20:
            chosen[key] += more
            left -= more
    if "grad" in chosen and left > 0:  # a gradient is as long as its values
        more = min(max(0, WIDE_WIDTHS["grad"] - chosen["grad"]), left)
        chosen["grad"] += more
        left -= more
    columns = []
    for facet in FACETS:
        size = {"names": names, "values": values + left}.get(facet.key, chosen.get(facet.key, 0))
        if size:
            title, short = (head[language] for head in FACET_TEXTS[facet.key][:2])
            columns.append(_TableColumn(facet, title if width(title) <= size else short, size))
    return columns


def _head(page: _TableLayout) -> Row:
    heads = [
        f"{CHOSEN if column.facet.key == page.column else ' '} {pad(column.head, column.width)}"
        for column in page.columns
    ]
    return Row(clip_spans([Span("".join(heads).rstrip(), Style.HEADING)], page.room))


def _row(tensor: Tensor, page: _TableLayout) -> Row:
    is_new = tensor.id in page.changes.new
    changed = _visible_changes(tensor, page)
    glyph, style = ("+", Style.NEW) if is_new else ("~", Style.CHANGED)
    pointed = page.column if tensor.id == page.selected else None
    pinned = PINNED if page.view.watched.pins(tensor) is not None else " "
    mark = CHOSEN if pointed == "names" else pinned
    spans = [Span(f"{glyph if is_new or changed else ' '}{mark}", style)]
    for column in page.columns:
        key = column.facet.key
        marked = key in changed and key != "names"
        if column is not page.columns[0]:
            spans.append(Span(CHOSEN if key == pointed else " "))
            spans.append(Span("~" if marked else " ", Style.CHANGED))
        text, span_style = cell(tensor, column.facet, column.width, page.view, page.language)
        if key == "names" and span_style is not Style.MASKED:
            span_style = style if is_new or changed else Style.NAME
        elif marked:
            span_style = Style.CHANGED
        spans.append(Span(pad(text, column.width), span_style))
    return Row(clip_spans(spans, page.room), Target(tensor=tensor.id))


def _visible_changes(tensor: Tensor, page: _TableLayout) -> frozenset[str]:
    """Return the facets that changed, without what a question withholds and what follows."""
    changed = page.changes.changed.get(tensor.id, frozenset()) - {"names", "data_ptr"}
    if page.view.mask.writes:
        return frozenset()  # a mark of change beside a line would say who wrote
    return frozenset(key for key in changed if not leaves_out(page.view, tensor, key))


_KEPT = (3, TableTexts.kept), (3, TableTexts.kept_by), (1, TableTexts.kept_by)
"""How many nodes are named that keep a tensor without a name, and how, the longest first."""


def _gone_row(tensor: Tensor, page: _TableLayout) -> Row:
    """Return the row of a pinned tensor that no name reaches any more."""
    storage, view = tensor.storage, page.view
    word = say(TableTexts.gone, page.language)
    if storage is not None and storage not in view.snapshot.storages:
        word = say(TableTexts.freed, page.language)
    letter = letter_of(storage, view.timeline)
    names = page.columns[0].width
    name = pad(spell(view.timeline, tensor_name(tensor), names), names)
    start = f"∅ {name}  {letter} "
    if storage is not None and storage in view.snapshot.storages:
        for most, text in _KEPT:
            if found := holder_names(storage, view, page.language, most=most):
                word = say(text, page.language, holders=found)
            if width(start + word) <= page.room:
                break
    return Row(clip_spans([Span(start + word, Style.FREED)], page.room))


def _row_key(tensor: Tensor, view: View, changes: Diff) -> object:
    """Return what the row of a tensor depends on, forecasts and questions apart."""
    snapshot = view.snapshot
    grad = snapshot.tensors.get(-1 if tensor.grad is None else tensor.grad)
    return (
        tensor,
        view.previous.tensors.get(tensor.id),
        tensor.id in changes.new,
        changes.changed.get(tensor.id),
        snapshot.tensors.get(-1 if tensor.base is None else tensor.base),
        snapshot.nodes.get(tensor.grad_fn) if isinstance(tensor.grad_fn, int) else None,
        snapshot.storage_of(tensor),
        is_stale(view, tensor.storage),
        grad,
        None if grad is None else snapshot.storage_of(grad),
    )


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
    return NOTHING, Style.DIM


def _values(tensor: Tensor, room: int, view: View, language: str) -> tuple[str, Style]:
    found = element_reader(tensor, view.snapshot)
    if isinstance(found, Unreadable):
        return f"{UNREADABLE} {reason(found, language)}", Style.DIM
    return _summary(tensor, view, room), Style.PLAIN


def _summary(tensor: Tensor, view: View, room: int) -> str:
    decimals = run_format(view.timeline).decimals(view.timeline, tensor, room)
    return summary(tensor, view.snapshot, room, most=decimals)


def _plain(value: object, language: str) -> tuple[str, Style]:
    """Return any field as it is: a facet needs no more than its declaration."""
    if isinstance(value, Unreadable):
        return UNREADABLE, Style.DIM
    if value is None:
        return NOTHING, Style.DIM
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
    return list_of(named, language, more=len(saving) - most)


def _change(
    tensor: Tensor, view: View, language: str, changed: frozenset[str] | None
) -> list[Span]:
    name = said(tensor_name(tensor))
    line = line_name(view.source, view.ran.line) if view.ran else "?"
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
    if tensor.storage is None or leaves_out(view, tensor, "storage"):
        return []
    found, names = [], []
    for other in shown(view):
        if other.storage == tensor.storage and other.id != tensor.id:
            apart = overlap(tensor, other) is False
            name = said(tensor_name(other))
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
