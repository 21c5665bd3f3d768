"""The challenges as rows of the contents, and the details of one beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.lazy import LazyModule
from inplace_tui.present.cells import clip_spans, pad, width, wrapped
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.progress import ChallengeProgress
from inplace_tui.texts import list_of, say
from inplace_tui.texts.challenges import ChallengeTexts
from inplace_tui.texts.concepts import concept_name
from inplace_tui.texts.screen import ScreenTexts

if TYPE_CHECKING:
    from inplace_tui.present import code, narration
else:  # they come to be known after the list is drawn
    code = LazyModule("inplace_tui.present.code")
    narration = LazyModule("inplace_tui.present.narration")


def heading(room: int, language: str) -> list[Row]:
    title = Span(say(ChallengeTexts.challenges, language), Style.HEADING)
    return [Row(), Row(clip_spans((title,), room))]


def row(
    loaded: LoadedChallenge,
    kept: ChallengeProgress,
    *,
    number: int | None,
    place: int,
    room: int,
    language: str,
) -> Row:
    """Return one challenge's row; one at the end of its chapter has no number of its own."""
    about = loaded.challenge
    glyph, look, word = _state(kept, language)
    par = say(ChallengeTexts.par_of, language, par=about.par)
    right = f"{word}  {par:>{8 - (width(par) - len(par))}}" if room >= 44 else word
    left = max(4, room - 5 - width(right))
    spans = (
        Span(f"  {glyph} ", look),
        Span(pad(f"{'' if number is None else number:>2}  {about.title[language]}", left)),
        Span(" "),
        Span(right, look if word else Style.DIM),
    )
    return Row(clip_spans(spans, room), Target(choice=place))


def _state(kept: ChallengeProgress, language: str) -> tuple[str, Style, str]:
    if kept.solved:
        return "✓", Style.RIGHT, say(ChallengeTexts.mark_solved, language)
    if kept != ChallengeProgress():
        return "~", Style.CHANGED, say(ChallengeTexts.mark_begun, language)
    return " ", Style.PLAIN, ""


def summary(
    loaded: LoadedChallenge, kept: ChallengeProgress, room: int, language: str
) -> list[Row]:
    """Return what there is to know of a challenge before it is opened."""
    about = loaded.challenge
    glyph, look, word = _state(kept, language)
    word = word or say(ChallengeTexts.mark_new, language)
    stars = f"{'●' * about.difficulty}{'○' * (5 - about.difficulty)}"
    facts = [
        f"{say(ScreenTexts.difficulty, language)} {stars}",
        say(ChallengeTexts.par, language, par=about.par),
    ]
    if kept.solved:
        word = say(ChallengeTexts.is_solved, language, lines=kept.lines)
    if kept.shown:
        facts.append(say(ChallengeTexts.was_shown, language))
    listed = wrapped([Span(about.title[language], Style.STRONG)], room)
    listed += [Row(), Row((Span(f"{glyph} {word}".strip(), look),))]
    listed += wrapped([Span(" · ".join(facts), Style.DIM)], room)
    if about.needs:
        needs = [
            Span(say(ChallengeTexts.needs, language), Style.DIM),
            Span(
                list_of((concept_name(each, language) for each in about.needs), language),
                Style.NAME,
            ),
        ]
        listed += wrapped(needs, room)
    listed.append(Row())
    for part in narration.paragraphs(about.task[language]):
        listed += wrapped(part, room)
    return [*listed, Row(), *code.quoted(loaded.code, room)]
