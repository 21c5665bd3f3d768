"""The text at the cursor: the author's words, then what the line did."""

from __future__ import annotations

from bisect import bisect_left

from inplace_tui.common.cells import clean, clip, width, wrap, wrapped
from inplace_tui.common.outcome_text import class_name, ending_text
from inplace_tui.common.rows import Row, Span, Style, spans
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.outcome import Completed, Raised, Right, Wrong
from inplace_tui.common.run.snapshot import WHOLE_BYTES, SlotState, Tensor
from inplace_tui.common.run.step import Event, Mutation, Rebound, Step
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import said
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.concepts import concept_name
from inplace_tui.common.texts.panels import NarrationTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.view import (
    View,
    leaves_out,
    may_answer,
    node_name,
    shown,
)
from inplace_tui.tutorial.state.diff import diff

MAX_FACTS = MAX_NAMES = 6
MAX_EVENTS = 40
ROWS_OF_MESSAGE = 3
"""Rows that are enough for an exception's message: all of it is in the output."""

LONG_WORD = 6
"""Cells that a row may leave free, because the next word is longer."""


def rows(view: View, room: int, language: str, *, brief: bool = False) -> list[Row]:
    """Return the words about the step and, at the end, what the lesson closes with."""
    shown, after = words(view, room, language, brief=brief), closing(view, room, language)
    return [*shown, Row(), *after] if after else shown


def words(view: View, room: int, language: str, *, brief: bool = False) -> list[Row]:
    """Return the text, wrapped. Where the author says nothing, the line speaks for itself.

    `brief` leaves the message of the error that ended the run to the panel that explains it.
    """
    if view.narration is not None:
        return narration_rows(view, room, language)
    return [
        Row(line) for fact in _facts(view, room, language, brief=brief) for line in wrap(fact, room)
    ]


def narration_rows(view: View, room: int, language: str) -> list[Row]:
    """Return what the author says about the step, wrapped."""
    return wrapped_paragraphs("" if view.narration is None else view.narration[language], room)


def closing(view: View, room: int, language: str) -> list[Row]:
    """Return the recap, the score, what is next and what to read; nothing before the end."""
    if view.recap is None:
        return []
    title = Row((Span(say(NarrationTexts.recap, language), Style.HEADING),))
    lines = [title, *wrapped_paragraphs(view.recap[language], room)]
    parts: list[str] = []
    if view.score is not None:
        right, total = view.score
        parts.append(say(NarrationTexts.score, language, right=right, total=total))
    if view.after is not None:
        parts.append(say(NarrationTexts.after, language, title=view.after[language]))
    if view.invites:
        parts.append(say(NarrationTexts.own_program, language))
    lines += [Row()] if parts else []
    for part in parts:
        lines += wrapped([Span(part, Style.HEADING)], room)
    for link in view.links:
        page = link.partition("://")[2]  # most fit one row without it
        lines += wrapped([Span(page, Style.DIM)], room)
    return lines


def wrapped_paragraphs(text: str, room: int, style: Style = Style.PLAIN) -> list[Row]:
    """Wrap the paragraphs of a text, with a blank row between them."""
    lines: list[Row] = []
    for part in paragraphs(text, style):
        lines += [Row()] if lines else []
        lines += wrapped(part, room)
    return lines


def paragraphs(text: str, style: Style = Style.PLAIN) -> list[list[Span]]:
    """Split at blank lines; a single line break in the source is a space, or nothing.

    Chinese has no spaces between words, so a break between two of its characters
    leaves none behind.
    """
    return [spans(_unfolded(part), style) for part in text.strip().split("\n\n") if part.strip()]


def _unfolded(text: str) -> str:
    lines = [clean(line.strip()) for line in text.split("\n")]
    joined = lines[0]
    for line in lines[1:]:
        if line.startswith(("- ", "* ", "· ")):
            joined += "\n" + line
        else:
            both_ascii = joined[-1:].isascii() or line[:1].isascii()
            joined += (" " if both_ascii and joined and line else "") + line
    return joined


def _facts(view: View, room: int, language: str, *, brief: bool) -> list[list[Span]]:
    step = view.ran
    if step is None and view.outcome is not None and not len(view.timeline):
        # No line of it ran: it could not be parsed, or has no statement.
        phrase = ending_text(view.outcome, view.truth, language, view.source)
        if isinstance(view.outcome, Raised) and not brief:
            phrase += f": {clean(view.outcome.message.partition(chr(10))[0])}"
        return [[Span(phrase)]]
    if step is None:
        is_loading = view.running and view.next_line is None
        key = NarrationTexts.running if is_loading else NarrationTexts.start
        start = [spans(each[language]) for each in view.bridges]
        start.append([Span(say(key, language), Style.DIM)])
        if view.goal is not None:
            return [spans(view.goal[language], Style.STRONG), *start]
        if not view.teaches:
            return start
        # In English, concepts are named by their ids.
        about = (concept_name(concept, language).replace("-", " ") for concept in view.teaches)
        names = list_of(about, language)
        return [[Span(say(NarrationTexts.goal, language, names=names), Style.STRONG)], *start]
    sentences = [_event(view, event, language) for event in _events(view, step)]
    sentences.append(_made(view, language))
    sentences.append(_saved(view, step, language))
    ended = isinstance(view.outcome, Raised) and (step.raised or "").endswith(view.outcome.message)
    if step.raised is not None and brief and ended:
        error = clean(step.raised.partition(":")[0])
        sentences.append(say(NarrationTexts.raised_briefly, language, error=error))
    elif step.raised is not None:
        lead = width(say(NarrationTexts.raised, language, error=""))
        error = _shortened(clean(step.raised), ROWS_OF_MESSAGE * (room - LONG_WORD) - lead)
        sentences.append(say(NarrationTexts.raised, language, error=error))
    if not step.grad_enabled:
        sentences.append(say(NarrationTexts.no_grad, language))
    if step.inference_mode:
        sentences.append(say(NarrationTexts.inference, language))
    found = list(dict.fromkeys(sentence for sentence in sentences if sentence))
    if not found:
        moved = any(diff(view.previous, view.snapshot).changed.values())
        # Those of tensors: a deep graph holds tens of thousands without one.
        looked_at = map(view.snapshot.storage_of, view.snapshot.tensors.values())
        partly = any(each is not None and each.nbytes > WHOLE_BYTES for each in looked_at)
        unmoved = NarrationTexts.plain_at_ends if partly else NarrationTexts.plain
        key = NarrationTexts.marked if moved else unmoved
        covered = view.mask.saves or view.mask.writes or may_answer(view, step.index)
        key = NarrationTexts.hidden if covered else key
        found = [say(key, language, line=line_name(view.source, step.line))]
    return [spans(sentence) for sentence in found[:MAX_FACTS]]


def _shortened(text: str, room: int) -> str:
    """Return a text in at most `room` cells, cut after a word."""
    kept = clip(text, room)
    return kept if kept == text else f"{kept[:-1].rpartition(' ')[0] or kept[:-1]}…"


def _events(view: View, step: Step) -> list[Event]:
    found = list(step.events[-MAX_EVENTS:])
    eventful, steps = view.timeline.index.eventful, view.timeline.steps
    place = bisect_left(eventful, step.index) - 1
    while place >= 0 and eventful[place] >= step.began and len(found) < MAX_EVENTS:
        found = [*steps[eventful[place]].events[-MAX_EVENTS:], *found]
        place -= 1
    return found[-MAX_EVENTS:]


def _event(view: View, event: object, language: str) -> str:
    if isinstance(event, Rebound):
        return say(NarrationTexts.rebound, language, name=said(clean(event.name)))
    if not isinstance(event, Mutation):
        return ""
    tensor = view.snapshot.tensors.get(-1 if event.tensor is None else event.tensor)
    letter = letter_of(event.storage, view.timeline)
    named = NarrationTexts.target if tensor and tensor.names else NarrationTexts.unnamed
    words = {
        "op": clean(event.op or "?"),
        "target": say(named, language, name=_name(tensor, letter), letter=letter),
        "before": event.before,
        "after": event.after,
    }
    if tensor is not None and leaves_out(view, tensor, "version"):
        text = say(NarrationTexts.wrote_masked, language, **words)
    elif event.before is None or event.before == event.after:
        text = say(NarrationTexts.wrote_unseen, language, **words)
    elif event.after is None:
        return ""  # refused: the exception says so
    else:
        text = say(NarrationTexts.wrote, language, **words)
    text = text.strip()
    return text[:1].upper() + text[1:]


def _name(tensor: Tensor | None, letter: str) -> str:
    return said(clean(tensor.names[0])) if tensor and tensor.names else f"[{letter}]"


def _made(view: View, language: str) -> str:
    new = [
        f"`{_name(tensor, '')}`"
        for tensor in shown(view)
        if tensor.id not in view.previous.tensors and tensor.names
    ]
    names = list_of(new[:MAX_NAMES], language, more=len(new) - MAX_NAMES)
    return say(NarrationTexts.made, language, names=names) if new else ""


def _saved(view: View, step: Step, language: str) -> str:
    made = {node.id: node_name(view, node.id) for node in step.nodes}
    found: dict[str, dict[str, None]] = {}
    for saved in step.saved:
        if saved.node in made and saved.state is not SlotState.FREED:
            tensor = view.snapshot.tensors.get(-1 if saved.tensor is None else saved.tensor)
            letter = letter_of(saved.storage, view.timeline)
            found.setdefault(made[saved.node], {})[f"`{_name(tensor, letter)}`"] = None
    return " ".join(
        say(NarrationTexts.saved, language, node=f"`{node}`", names=list_of(names, language))
        for node, names in list(found.items())[:3]
    )


def outcome_text(view: View, language: str) -> str:
    """Return how the run ended, as a title bar has it."""
    outcome, truth = view.outcome, view.truth
    if outcome is None:
        return ""
    if view.verifying and isinstance(outcome, Completed):
        return say(ScreenTexts.verifying, language)
    if isinstance(outcome, Completed) and isinstance(truth, Wrong):
        return say(ScreenTexts.brief_wrong, language)
    if isinstance(outcome, Completed) and isinstance(truth, Right):
        return say(ScreenTexts.brief_right if truth.asked else ScreenTexts.brief_unasked, language)
    if isinstance(outcome, Raised):  # its line is marked in the code
        in_backward = outcome.in_backward
        key = ScreenTexts.brief_in_backward if in_backward else ScreenTexts.raised_nowhere
        return say(key, language, exception=class_name(outcome))
    return ending_text(outcome, truth, language, view.source)
