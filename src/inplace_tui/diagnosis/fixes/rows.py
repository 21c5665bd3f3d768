"""What could be written instead: each fix with its change, its cost, and what it keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from textwrap import dedent

from inplace_tui.common.blame import Blame
from inplace_tui.common.cells import clean, clip, hanging, pad, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target, more, spans
from inplace_tui.common.run.files import lines_of, place_of
from inplace_tui.common.run.fix import AddedTime, Attempt, Fix, FixSearch
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import say
from inplace_tui.common.texts.explain import ATTEMPTS, AuthorTexts, ExplainTexts, MarkTexts
from inplace_tui.common.texts.fixes import FixListTexts
from inplace_tui.common.verdicts import Verdict

DIFF = {"+": Style.RIGHT, "-": Style.WRONG, "@": Style.DIM}
"""The style of a line of a diff, by its first character."""

BESIDE = 140
"""Cells from which on a change is shown as two columns."""

BETWEEN = " │ "

_QUESTIONS = {
    Verdict.SAVED_TENSOR_MODIFIED: AuthorTexts.which_value,
    Verdict.SILENTLY_WRONG: AuthorTexts.which_value,
    Verdict.LEAF_MODIFIED: AuthorTexts.part_or_update,
}

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

LEAD = "   "
"""What stands before all but the first line of a fix."""


def rows(
    search: FixSearch | None,
    room: int,
    language: str,
    *,
    blame: Blame | None = None,
    source: str = "",
    keys: Mapping[str, str] | None = None,
) -> list[Row]:
    """Return the fixes as they follow the explanation: of each change two lines.

    A row that belongs to a fix has its place as `choice`. With `keys`, the head says which one
    shows the fixes whole.
    """
    if search is None:
        return []
    head = _plain(FixListTexts.head, room, language, Style.HEADING)
    if keys is not None:
        head = [
            more(row.spans, Target(action="fixes"))
            for row in _plain(FixListTexts.head_key, room, language, Style.HEADING, keys=keys)
        ]
    found = head if search.found else []
    changes = [fix.forward_changes for fix in search.found]
    for place, fix in enumerate(search.found):
        brief = [Row((Span(LEAD), line)) for line in _brief(fix, room - len(LEAD), language)]
        first = changes.index(fix.forward_changes)
        same_as = first if fix.forward_changes is not None and first < place else None
        found += _fix(fix, place, brief, room, language, same_as=same_as)
    return [*found, *search_status(search, blame, source, room, language)]


def page(
    fixes: Sequence[Fix],
    search: FixSearch,
    room: int,
    language: str,
    *,
    blame: Blame | None = None,
    source: str = "",
) -> list[Row]:
    """Return the list of fixes, each with its whole change."""
    found: list[Row] = []
    for place, fix in enumerate(fixes):
        draw = _side_by_side if room >= BESIDE else _unified
        inner = draw(dedented(fix.diff), room - len(LEAD))
        lines = [Row((Span(LEAD), *spans)) for spans in inner]
        found += [*_fix(fix, place, lines, room, language), Row()]
    status = search_status(search, blame, source, room, language)
    return [*found, *status] if status else found[:-1]


def dedented(diff: str) -> list[str]:
    """Return the lines of a diff, each hunk without the indentation that all its lines share."""
    found: list[str] = []
    for hunk in filter(None, re.split(r"^(?=@@ |--- |\+\+\+ )", diff, flags=re.MULTILINE)):
        head, *lines = lines_of(hunk)
        codes = dedent("\n".join(line[1:] for line in lines)).split("\n")
        found += [head, *(line[:1] + code for line, code in zip(lines, codes, strict=False))]
    return found


def _unified(lines: Sequence[str], room: int) -> list[tuple[Span, ...]]:
    return [(Span(clip(line[:1] + clean(line[1:]), room), _look(line)),) for line in lines]


def _side_by_side(lines: Sequence[str], room: int) -> list[tuple[Span, ...]]:
    """Return a diff as two columns: what was there, and what takes its place."""
    half = (room - len(BETWEEN)) // 2

    def cell(line: str) -> Span:
        return Span(pad(clip(line[:1] + clean(line[1:]), half), half), _look(line))

    found: list[tuple[Span, ...]] = []
    for sign, group in groupby(lines, key=lambda line: line[:1] in ("-", "+")):
        changed = list(group)
        old = [line for line in changed if not sign or line[0] == "-"]
        new = [line for line in changed if not sign or line[0] == "+"]
        pairs = zip_longest(old, new, fillvalue="")
        found += [(cell(one), Span(BETWEEN, Style.DIM), cell(other)) for one, other in pairs]
    return found


def search_status(
    search: FixSearch, blame: Blame | None, source: str, room: int, language: str
) -> list[Row]:
    """Return whether the search is running, found nothing, or was cut short."""
    if not search.over:
        key = FixListTexts.looking if search.total is None else FixListTexts.trying
    elif search.no_view:
        key = FixListTexts.no_view
    elif search.total == 0:
        key = FixListTexts.nothing_to_try
    elif search.cut_short:
        key = FixListTexts.cut_short
    elif not search.found:
        key = FixListTexts.none_passed
    else:
        return []
    status = _plain(key, room, language, Style.DIM, tried=search.tried, total=search.total)
    if not search.over or search.found or search.no_view:
        return status
    notes = unfixed(search.attempts, blame, source, language)
    return [*status, *(row for each in notes for row in wrapped(spans(each), room))]


def unfixed(
    attempts: Sequence[Attempt], blame: Blame | None, source: str, language: str
) -> Iterator[str]:
    """Yield how far the edits got that came furthest, and what only the author can answer."""
    for each in attempts:
        yield say(
            ExplainTexts.attempt,
            language,
            title=each.title[language],
            line=place_of(source, each.line).text,
            ended=say(ATTEMPTS[each.condition], language, message=clean(each.message)),
        )
    question = None if blame is None else _QUESTIONS.get(blame.verdict)
    if blame is None or question is None or not blame.writes:
        return
    tensor = say(MarkTexts.it, language) if blame.tensor is None else clean(blame.tensor)
    yield say(question, language, tensor=tensor, line=place_of(source, blame.writes[0].line).text)


def facts(fix: Fix, language: str, *, same_as: int | None = None) -> list[str]:
    """Return what becomes of the gradient, what it costs, and what it changes before that.

    `same_as` is the place of a fix that changes the same, and that stands above this one.
    """
    costs = say(ExplainTexts.free, language)
    if fix.cost_bytes:
        costs = say(ExplainTexts.costs, language, size=_size(fix.cost_bytes))
    gradient = say(ExplainTexts.keeps if fix.keeps_gradient else ExplainTexts.cuts, language)
    # Of what computes something else, values were compared until the first update only.
    forward = [] if fix.computes is not None else [say(ExplainTexts.forward_same, language)]
    if fix.computes is not None:
        gradient = say(ExplainTexts.another, language, what=fix.computes[language])
    if fix.forward_changes is not None:
        forward = [say(ExplainTexts.forward_changes, language, what=fix.forward_changes[language])]
    if same_as is not None:
        forward = [say(ExplainTexts.forward_as, language, number=same_as + 1)]
    return [gradient, costs, *_time(fix.added_time, language), *forward, *_seen(fix, language)]


def _seen(fix: Fix, language: str) -> list[str]:
    """Say how it was tried, where that was not in whole runs from the start alone."""
    if fix.held_to is not None:
        text = ExplainTexts.copied_held if fix.copied else ExplainTexts.held
        return [say(text, language, step=fix.held_to)]
    return [say(ExplainTexts.copied, language)] if fix.copied else []


def _time(added: AddedTime | None, language: str) -> list[str]:
    if added is None:
        return []
    if added.seconds is None:
        return [say(ExplainTexts.time_unknown, language)]
    if not added.is_measurable:
        return [say(ExplainTexts.time_same, language)]
    text = ExplainTexts.time_added if added.seconds > 0 else ExplainTexts.time_saved
    times = abs(added.seconds), added.run_seconds, added.noise_seconds
    seconds, run, noise = map(_seconds, times)
    return [say(text, language, seconds=seconds, run=run, noise=noise)]


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _fix(
    fix: Fix, place: int, change: list[Row], room: int, language: str, *, same_as: int | None = None
) -> list[Row]:
    target = Target(choice=place)
    head = [] if fix.computes is None else _plain(FixListTexts.usual, room, language, Style.DIM)
    title = spans(fix.title[language], Style.STRONG)
    found = [more(row.spans, target) for row in head]
    found += hanging(Span(f"{place + 1}  ", Style.NAME), title, room, target)
    found += [Row(row.spans, target) for row in change]
    phrase = spans(" · ".join(facts(fix, language, same_as=same_as)))
    return [*found, *hanging(Span(LEAD), phrase, room, target)]


def _brief(fix: Fix, room: int, language: str) -> list[Span]:
    """Return the first line that goes and the first that comes, and how many more there are.

    Where lines only move, both are the same: then it says from where to where.
    """
    lines = lines_of(fix.diff)
    # Above a change of another file than the main one stands its name.
    named = [Span(clip(lines[0][4:], room), Style.DIM)] if fix.diff.startswith("--- ") else []
    gone, come = _changed_lines(lines)
    if gone and sorted(gone.values()) == sorted(come.values()):
        (old, code), count = next(iter(gone.items())), len(gone)
        new = next(line for line, text in come.items() if text == code)
        moved = say(FixListTexts.moves, language, old=old, new=new, code=clean(quoted_text(code)))
        found, shown = [Span(clip(moved, room), Style.RIGHT)], 1
    else:
        found = [
            Span(clip(f"{sign} {clean(quoted_text(code))}", room), _look(sign))
            for sign, changed in (("-", gone), ("+", come))
            for code in list(changed.values())[:1]
        ]
        count, shown = len(gone) + len(come), len(found)
    if count > shown:
        more = say(FixListTexts.more, language, count=count - shown)
        found.append(Span(clip(more, room), Style.DIM))
    return [*named, *found]


def _changed_lines(diff: Sequence[str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the lines that go and those that come, by their number, without indentation."""
    gone: dict[int, str] = {}
    come: dict[int, str] = {}
    old = new = 1
    left = [0, 0]
    """How many lines of the old and of the new text this hunk still has."""

    for line in diff:
        if not any(left):
            if begins := _HUNK.match(line):  # else the name of a file
                old, new = int(begins[1]), int(begins[3])
                left = [int(count or 1) for count in begins.group(2, 4)]
            continue
        if line[:1] == "-":
            gone[old] = line[1:].strip()
        elif line[:1] == "+":
            come[new] = line[1:].strip()
        old, left[0] = old + (line[:1] != "+"), left[0] - (line[:1] != "+")
        new, left[1] = new + (line[:1] != "-"), left[1] - (line[:1] != "-")
    return gone, come


def _look(line: str) -> Style:
    return DIFF.get(line[:1], Style.CODE)


def _plain(text: LocalText, room: int, language: str, style: Style, **values: object) -> list[Row]:
    return wrapped((Span(say(text, language, **values), style),), room)


def _size(count: int) -> str:
    for unit, factor in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"
