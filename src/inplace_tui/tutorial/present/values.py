"""The facts of an opened tensor: what it is, its statistics, the cell under the cursor."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inplace_tui.common.cells import clean, clip, clip_spans, flow, flow_spans, width, wrapped
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.elements import FORMATS, Element
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.common.run.statistics import Statistics
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import element_reader, is_contiguous, tensor_name, text
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.tutorial.activity.session.view import HIDDEN, View, hides
from inplace_tui.tutorial.state.element_source import (
    ElementSource,
    Plane,
    RecordedElements,
    offset_of,
)


def facts_rows(tensor: Tensor, view: View, room: int, language: str) -> list[Row]:
    """Return what a tensor is, in as many lines as that takes, but what a question hides."""
    parts = [shape_text(tensor.shape), tensor.dtype]
    if tensor.layout != "strided":
        parts.append(tensor.layout)
    if tensor.device != "cpu":
        parts.append(tensor.device)
    if isinstance(tensor.version, int):
        hidden = hides(view, tensor, "version")
        parts.append(
            say(ValueTexts.version, language, version=HIDDEN if hidden else tensor.version)
        )
    if tensor.storage is not None and not hides(view, tensor, "storage"):
        parts.append(
            say(ValueTexts.storage, language, letter=letter_of(tensor.storage, view.timeline))
        )
    if tensor.is_view and not hides(view, tensor, "base"):
        base = view.snapshot.tensors.get(-1 if tensor.base is None else tensor.base)
        named = ValueTexts.view if base is None else ValueTexts.view_of
        parts.append(say(named, language, name=base and tensor_name(base)))
    if tensor.stride and not hides(view, tensor, "base"):
        parts.append(say(ValueTexts.stride, language, stride=shape_text(tensor.stride)))
        if tensor.offset:
            parts.append(say(ValueTexts.offset, language, offset=tensor.offset))
        whole = is_contiguous(tensor)
        parts.append(say(ValueTexts.contiguous if whole else ValueTexts.scattered, language))
    count = math.prod(tensor.shape)
    form = FORMATS.get(tensor.dtype)
    if form is not None and tensor.layout == "strided":
        parts.append(say(ValueTexts.bytes, language, count=count * form.size))
    return [Row((Span(line),)) for line in flow(parts, room, "  ")]


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as torch writes it.

    >>> shape_text((2, 3))
    '[2, 3]'
    """
    return f"[{', '.join(map(str, shape))}]"


def statistics_rows(
    stats: Statistics | None, dtype: str, room: int, language: str, plane: Plane
) -> list[Row]:
    """Return the statistics, flowing over as many lines as they need."""
    if stats is None:
        return [Row((Span(clip(say(ValueTexts.counting_soon, language), room), Style.DIM),))]
    parts: list[Span] = []
    if not stats.whole:
        percent = 100 * stats.seen // max(1, stats.count)
        parts.append(Span(say(ValueTexts.counting, language, percent=percent), Style.WARNING))
    named = (
        (ValueTexts.min, stats.minimum),
        (ValueTexts.max, stats.maximum),
        (ValueTexts.mean, stats.mean),
        (ValueTexts.std, stats.std),
        (ValueTexts.norm, stats.norm),
    )
    for name, number in named:
        if number is not None:
            written = str(number) if isinstance(number, int) else text(number, "float64")
            parts.append(Span(f"{say(name, language)} {written}", Style.PLAIN))
    if stats.count:
        share = 100 * stats.zeros / max(1, stats.seen)
        parts.append(Span(f"{say(ValueTexts.zeros, language)} {stats.zeros:,} ({share:.3g} %)"))
    if stats.non_finite:
        places = [shape_text(plane.index(place)) for place in stats.odd if place < plane.count]
        more = " …" if stats.non_finite > len(stats.odd) else ""
        counts = {"nan": f"{stats.nan:,}", "inf": f"{stats.positive + stats.negative:,}"}
        listed = list_of(places, language) + more
        parts.append(Span(say(ValueTexts.odd, language, places=listed, **counts), Style.STALE))
        parts.append(Span(say(ValueTexts.of_finite, language), Style.DIM))
    if dtype.startswith("complex"):
        parts.append(Span(say(ValueTexts.absolute, language), Style.DIM))
    return [Row(line) for line in flow_spans(parts, room, "  ")]


def sample_rows(tensor: Tensor, view: View, room: int, language: str) -> list[Row]:
    """Return what was recorded of a tensor that can't be read whole: its ends, marked as such."""
    found = element_reader(tensor, view.snapshot)
    if isinstance(found, Unreadable) or found.whole:
        return []
    count = f"{found.count:,}"
    phrase = say(ValueTexts.sample, language, head=found.head, tail=found.tail, count=count)
    places = (*range(found.head), *range(found.count - found.tail, found.count))
    ends = [text(found.element(place), tensor.dtype) for place in places]
    ends.insert(found.head, "…")
    rows = wrapped([Span(phrase, Style.DIM)], room)
    return [*rows, *(Row((Span(line),)) for line in flow(ends, room, "  "))]


def exactly(element: Element, dtype: str) -> str:
    """Return every digit that distinguishes an element from its neighbours.

    >>> exactly(0.10000000149011612, "float32"), exactly(True, "bool")
    ('0.10000000149011612', 'True')
    """
    return str(element) if dtype == "bool" or isinstance(element, int) else repr(element)


def cell_rows(
    place: int | None,
    sources: tuple[ElementSource | None, ElementSource | None, ElementSource | None],
    tensor: Tensor,
    view: View,
    *,
    room: int,
    language: str,
) -> list[Row]:
    """Return what there is to say of one element."""
    now, before, grad = sources
    if place is None or now is None:
        return []
    number = now.at(place)
    name = clean(tensor_name(tensor)).partition(" = ")[0]
    index = Plane(now.shape).index(place)
    head = f"{name}[{', '.join(map(str, index))}]" if index else f"{name}"
    value = "…" if number is None else exactly(number, now.dtype)
    first = [Span(head, Style.NAME), Span(f" = {value}", Style.STRONG)]
    parts: list[tuple[str, Style]] = []
    old = None if before is None else before.at(place)
    if old is not None and number is not None:
        changed = repr(number) != repr(old)
        word = exactly(old, now.dtype) if changed else say(ValueTexts.same, language)
        mark = "~ " if changed else ""
        phrase = mark + say(ValueTexts.before, language, value=word)
        parts.append((phrase, Style.CHANGED if changed else Style.DIM))
    slope = None if grad is None or grad.shape != now.shape else grad.at(place)
    if slope is not None and grad is not None:
        phrase = say(ValueTexts.grad, language, value=exactly(slope, grad.dtype))
        parts.append((phrase, Style.PLAIN))
    at = offset_of(tensor, index)
    form = FORMATS.get(tensor.dtype)
    if at is not None and form is not None and not hides(view, tensor, "storage"):
        letter = letter_of(tensor.storage, view.timeline)
        phrase = say(ValueTexts.byte, language, byte=at * form.size, letter=letter)
        parts.append((phrase, Style.DIM))
    rows = [first]
    for phrase, style in parts:
        used = sum(width(span.text) for span in rows[-1])
        if used + 3 + width(phrase) <= room:
            rows[-1] += [Span("   "), Span(phrase, style)]
        else:
            rows.append([Span(phrase, style)])
    return [Row(clip_spans(row, room)) for row in rows]


def comparison(
    now: RecordedElements,
    before: RecordedElements | Unreadable | None,
    earlier: int | None,
    *,
    name: str,
    language: str,
) -> tuple[str, Style]:
    """Return how much changed since the earlier step, or why that is unknown."""
    if earlier is None or before is None:
        return say(ValueTexts.not_before, language, name=name), Style.DIM
    if isinstance(before, Unreadable):
        return say(ValueTexts.before_unreadable, language, reason=clean(before.reason)), Style.DIM
    step = earlier + 1
    if now.shape != before.shape or now.dtype != before.dtype:
        was = f"{shape_text(before.shape)} {before.dtype}"
        return say(ValueTexts.before_unreadable, language, reason=was), Style.DIM
    pairs = zip(now.elements, before.elements, strict=True)
    changed = sum(repr(one) != repr(other) for one, other in pairs)
    if not changed:
        return say(ValueTexts.unchanged, language, step=step), Style.DIM
    count = f"{len(now.elements):,}"
    return say(
        ValueTexts.changed, language, changed=f"{changed:,}", count=count, step=step
    ), Style.CHANGED
