"""The program with its margin: what ran, what is next, and what each line did last."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token

from inplace_tui.common.cells import clean, clip_spans, spans_width, width
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.common.run.files import FilePart, part_of, split_files
from inplace_tui.common.run.outcome import Outcome, Raised, last_line
from inplace_tui.common.run.snapshot import SlotState, Tensor
from inplace_tui.common.run.step import Mutation, Rebound, Step
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import run_format
from inplace_tui.common.source_text import line_text
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.panels import CodeTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.activity.session.view import Gate, View, leaves_out, may_answer

RAN, NEXT, ASKED = "▸", "▹", "?"
BETWEEN = Span("  ")
MIN_NOTE = 8
"""Cells that a note is cut to at least; with less room behind its line it is left out."""

MAX_NAMES = 2
"""More tensors than this in one note are counted."""

_STYLES = (
    (Comment, Style.COMMENT),
    (Keyword.Constant, Style.NUMBER),
    (Keyword, Style.KEYWORD),
    (Operator.Word, Style.KEYWORD),
    (Name.Function, Style.FUNCTION),
    (Name.Class, Style.FUNCTION),
    (Name.Decorator, Style.FUNCTION),
    (String, Style.STRING),
    (Number, Style.NUMBER),
    (Operator, Style.OPERATOR),
    (Token, Style.PLAIN),
)


def current_line(view: View) -> int | None:
    """Return the line to keep visible: the one that ran, or the next."""
    return view.ran.line if view.ran else view.next_line


def shown_part(view: View) -> FilePart:
    """Return the file that is shown: that of the line to keep visible, else the first with code."""
    line = current_line(view)
    if line is not None:
        return part_of(view.source, line)
    parts = split_files(view.source)
    return next((part for part in parts if part.source.strip()), parts[0])


def at_fault(view: View) -> list[int]:
    """Return the lines that had a part in a failure, the one that did it first."""
    told = view.explained
    found = [] if told.blame is None else [write.line for write in told.blame.writes]
    if told.blame is not None:
        saver = None if told.blame.saver is None else told.blame.saver.line
        found += [line for line in (saver, told.blame.reader) if line is not None]
    line = last_line(told.outcome)
    return found if line is None else [*found, line]


@lru_cache(maxsize=8)
def widest(source: str) -> int:
    """Return the cells of the widest row of a file, notes apart."""
    lines = highlighted(source)
    gutter = len(str(len(lines))) + 4
    return gutter + max(map(spans_width, lines), default=0)


def rows(view: View, room: int, language: str, part: FilePart | None = None) -> Sequence[Row]:
    """Return one row a line of one file, with notes behind the code."""
    part = part or shown_part(view)
    blamed, brief = _blamed(view, language), _blamed(view, language, brief=True)
    asked = _asked(view)

    def row(place: int) -> Row:
        number = part.before + place + 1
        mark = _mark(view, number, asked=number in asked)
        notes: tuple[tuple[Span, ...], ...] = ()
        if number in blamed:
            notes = (blamed[number], brief[number])
        elif found := _notes(view, number, language):
            # what the line did when it last ran, then the same in fewer words
            notes = (found, _notes(view, number, language, brief=True))
        if number in asked and not notes:
            notes = ((Span(say(CodeTexts.question, language), Style.MASKED),),)
        ran = view.ran is not None and view.ran.line <= number <= view.ran.end_line
        style = Style.CURRENT if ran else Style.PLAIN
        return _row(part, place, mark, notes, style, room, blamed=number in blamed)

    return LazyRows(len(highlighted(part.source)), row)


@lru_cache(maxsize=512)
def _row(  # noqa: PLR0917  (a row is mostly that of the step before)
    part: FilePart,
    place: int,
    mark: Span,
    notes: tuple[tuple[Span, ...], ...],
    style: Style,
    room: int,
    *,
    blamed: bool,
) -> Row:
    lines = highlighted(part.source)
    number, digits = place + 1, len(str(len(lines)))
    number_style = mark.style if mark.text.strip() else Style.DIM
    gutter = (mark, Span(f" {number:>{digits}}", number_style), BETWEEN)
    target = Target(line=part.before + number)
    noted = _with_notes((*gutter, *lines[place]), notes, room)
    if noted is None:  # its part in a failure is a sign behind the number, then
        sign = Span(f"{notes[-1][0].text[:1]} ", notes[-1][0].style) if blamed else BETWEEN
        noted = (*gutter[:2], sign, *lines[place])
    return Row(noted, target, style)


def titled_rows(view: View, room: int, language: str) -> Sequence[Row]:
    """Return the file of the step, under its name where there are several."""
    found = rows(view, room, language)
    if len(split_files(view.source)) == 1:
        return found
    name = shown_part(view).name or view.main_name
    return [Row((Span(name, Style.HEADING),)), *found]


def notes(view: View, number: int, language: str) -> tuple[Span, ...]:
    """Return what stands beside a line: its part in a failure, else what it did last."""
    return _blamed(view, language).get(number) or _notes(view, number, language)


@lru_cache(maxsize=8)
def highlighted(source: str) -> tuple[tuple[Span, ...], ...]:
    lines: list[list[Span]] = [[]]
    for token, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(source):
        style = next(style for kind, style in _STYLES if token in kind)
        for place, piece in enumerate(text.split("\n")):
            if place:
                lines.append([])
            if piece:
                lines[-1].append(Span(clean(piece), style))
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return tuple(tuple(line) for line in lines)


def quoted(source: str, room: int) -> list[Row]:
    """Return a program without a margin, each line cut to the room there is."""
    return [Row(clip_spans(line, room)) for line in highlighted(source.rstrip())]


def _mark(view: View, number: int, *, asked: bool) -> Span:
    if view.ran is not None and number == view.ran.line:
        return Span(RAN, Style.CHANGED)
    if asked:
        return Span(ASKED, Style.MASKED)
    return Span(NEXT, Style.NEXT) if number == view.next_line else Span(" ")


def _asked(view: View) -> set[int]:
    """Return the lines before which an unanswered question waits."""
    waiting = {step for step, gate in view.gates.items() if gate is not Gate.DONE}
    lines = {view.timeline.steps[step].line for step in waiting if step < len(view.timeline)}
    if view.cursor + 1 in waiting and view.next_line is not None:
        lines.add(view.next_line)
    return lines


def _with_notes(
    spans: tuple[Span, ...], choices: tuple[tuple[Span, ...], ...], room: int
) -> tuple[Span, ...] | None:
    """Put the first of some notes that fits at the right edge; None where there is no room.

    A note covers no code: only the comment behind it.
    """
    code = spans[:-1] if spans[-1].style is Style.COMMENT else spans
    behind = room - width("".join(span.text for span in code).rstrip()) - 3
    notes = _fitting(choices, behind)
    if not notes or behind < min(MIN_NOTE, spans_width(notes)):
        return None
    notes = clip_spans(notes, behind)
    taken = spans_width(notes)
    spans = clip_spans(spans, room - taken - 3)
    gap = room - spans_width(spans) - taken - 1
    return (*spans, Span(" " * gap), *notes)


def _spaced(notes: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(piece for note in notes for piece in (BETWEEN, note))[1:]


_LEFT_BY_ITS_LINE = re.compile(r"\s*(async\s+)?with\b.*:\s*(#.*)?$")
"""A `with` above its block: Python comes to its line once more when the block is left."""


def _fitting(choices: tuple[tuple[Span, ...], ...], room: int) -> tuple[Span, ...]:
    """Return the first notes that fit, with what can be missed left out; else the shortest."""
    kept = [_worth(notes, room) for notes in choices]
    fitting = (notes for notes in kept if spans_width(notes) <= room)
    return next(fitting, min(kept, key=spans_width, default=()))


def _worth(notes: tuple[Span, ...], room: int) -> tuple[Span, ...]:
    """Leave out what can be missed, as long as there is no room: new names, then counts."""
    for style in (Style.NEW, Style.DIM):
        if spans_width(notes) <= room:
            break
        notes = _spaced(n for n in notes if n != BETWEEN and n.style is not style) or notes
    return notes


def _notes(view: View, number: int, language: str, *, brief: bool = False) -> tuple[Span, ...]:
    """Return what the line did when it last ran, up to the cursor."""
    visits = view.timeline.index.visits.get(number, [])
    count = bisect_right(visits, view.cursor)
    if not count:
        return ()
    index = visits[count - 1]
    step = view.ran if view.ran and index == view.cursor else view.timeline.steps[index]
    most = 1 if brief else MAX_NAMES
    notes = _event_notes(view, step, language, most)
    if saves := _saves(view, step, language, most):
        notes.append(Span(saves, Style.SAVED))
    if count > 1 and _LEFT_BY_ITS_LINE.match(line_text(view.source, number)):
        count = (count + 1) // 2
    if count > 1:
        notes.append(Span(say(CodeTexts.visits, language, count=count), Style.DIM))
    return _spaced(notes)


def _event_notes(view: View, step: Step, language: str, most: int) -> list[Span]:
    writes: dict[int | None, tuple[int | None, Mutation]] = {}
    notes: list[Span] = []
    for event in step.events:
        if isinstance(event, Mutation):
            key = event.storage if event.storage is not None else event.tensor
            first = writes[key][0] if key in writes else event.before
            writes[key] = (first, event)
        elif isinstance(event, Rebound) and len(notes) < most:
            name = clean(event.name)
            notes.append(Span(say(CodeTexts.rebound, language, name=name), Style.NEW))
    written = [
        _written(view, step, event, before, language, brief=most < MAX_NAMES)
        for before, event in writes.values()
    ]
    if len(written) > most:
        more = say(CodeTexts.more, language, count=len(written) - most)
        written = [*written[:most], more]
    return [Span(text, Style.CHANGED) for text in written] + notes


def _written(
    view: View, step: Step, event: Mutation, before: int | None, language: str, *, brief: bool
) -> str:
    tensor = _tensor(view, step, event.tensor)
    name = _short_name(view, tensor, event.storage)
    if tensor is not None and leaves_out(view, tensor, "version"):
        return say(CodeTexts.wrote, language, name=name)
    if before is None or event.after == before:
        return say(CodeTexts.wrote if brief else CodeTexts.unseen, language, name=name)
    if event.after is None:
        return say(CodeTexts.refused, language, name=name)
    return f"{name} v{before} → v{event.after}"


def _saves(view: View, step: Step, language: str, most: int) -> str:
    if "graph" in view.untaught:
        return ""
    made = {node.id for node in step.nodes}
    names: dict[str, None] = {}
    for saved in step.saved:
        if saved.node in made and saved.state is not SlotState.FREED:
            tensor = _tensor(view, step, saved.tensor)
            version = "" if saved.version is None else f" v{saved.version}"
            if tensor is not None and leaves_out(view, tensor, "version"):
                version = ""
            names[_short_name(view, tensor, saved.storage) + version] = None
    if not names:
        return ""
    shown = list_of([*names][:most], language, more=len(names) - most)
    return say(CodeTexts.saves, language, names=shown)


def _tensor(view: View, step: Step, number: int | None) -> Tensor | None:
    if number is None:
        return None
    fresh = (tensor for tensor in step.tensors if tensor.id == number)
    return view.snapshot.tensors.get(number) or next(fresh, None)


def _short_name(view: View, tensor: Tensor | None, storage: int | None) -> str:
    """Return a tensor's name as panels spell it, or the letter of its storage without one."""
    if tensor is not None and tensor.names:
        return run_format(view.timeline).spell(clean(tensor.names[0]))
    return f"[{letter_of(storage, view.timeline)}]"


def _reader(verdict: Verdict, outcome: Outcome | None, language: str) -> Span:
    """Return the note of the line that needed the tensor: an error, or only a warning."""
    if verdict is Verdict.SILENTLY_WRONG:
        return Span(say(CodeTexts.reader_silent, language), Style.ERROR)
    if isinstance(outcome, Raised):
        return Span(say(CodeTexts.reader, language), Style.ERROR)
    return Span(say(CodeTexts.reader_warned, language), Style.WARNING)


def _blamed(view: View, language: str, *, brief: bool = False) -> dict[int, tuple[Span, ...]]:
    """Return the lines at fault with their part in it, once that may be known.

    With `brief`, without names and versions.
    """
    marks: dict[int, tuple[Span, ...]] = {}
    if (line := last_line(view.outcome)) is not None:
        key = CodeTexts.reader if isinstance(view.outcome, Raised) else CodeTexts.was_running
        marks[line] = (Span(say(key, language), Style.ERROR),)
    blame = view.blame
    if blame is None or (view.mask.outcome and may_answer(view, view.cursor)):
        return marks
    if blame.reader is not None:
        marks[blame.reader] = (_reader(blame.verdict, view.outcome, language),)
    if blame.saver is not None and blame.saver.line is not None:
        name, version = clean(blame.saver.tensor or blame.tensor or ""), blame.saver.version
        name = run_format(view.timeline).spell(name)
        told = name and version is not None and not brief
        key = CodeTexts.saver if told else CodeTexts.saver_plain
        text = say(key, language, name=name, version=version)
        marks[blame.saver.line] = (Span(text, Style.SAVED),)
    if blame.carried is not None:
        marks[blame.carried.used] = (Span(say(CodeTexts.carrier, language), Style.CHANGED),)
    for write in blame.writes:
        at_fault = write.line == blame.reader and write.after is None
        if blame.verdict.is_refused_write and at_fault:
            continue  # nothing was changed on the line, which is marked as the one that failed
        told = not brief and None not in (write.before, write.after)
        key = CodeTexts.changer_versions if told else CodeTexts.changer
        key = CodeTexts.freer if blame.verdict is Verdict.GRAPH_FREED else key
        text = say(key, language, before=write.before, after=write.after)
        before = marks.get(write.line, ())
        if not any(width(span.text) > 2 and span.style is Style.CHANGED for span in before):
            marks[write.line] = (*before, *([BETWEEN] if before else []), Span(text, Style.CHANGED))
    return marks
