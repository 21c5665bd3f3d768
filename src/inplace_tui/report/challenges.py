"""Challenges as the commands print them: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.course.course import Course
from inplace_tui.model.lesson import LocalText
from inplace_tui.present.cells import pad, width
from inplace_tui.progress import ChallengeProgress, Record
from inplace_tui.texts import say
from inplace_tui.texts.command import CommandTexts


class ChallengeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One challenge of `list --json`."""

    id: str
    path: str
    title: LocalText
    task: LocalText
    difficulty: int
    needs: list[str]
    par: int
    forbid: list[str]


def challenge_document(loaded: LoadedChallenge) -> ChallengeDocument:
    challenge = loaded.challenge
    return ChallengeDocument(
        id=challenge.id,
        path=loaded.path,
        title=challenge.title,
        task=challenge.task,
        difficulty=challenge.difficulty,
        needs=challenge.needs,
        par=challenge.par,
        forbid=challenge.forbid,
    )


def listed(course: Course, record: Record, language: str) -> Iterator[str]:
    """Yield a heading, and a line a challenge: ✓ is one that is solved, ~ one begun."""
    if not course.challenges:
        return
    yield ""
    yield say(CommandTexts.challenges, language)
    longest = max(len(each.challenge.id) for each in course.challenges)
    widest = max(width(each.challenge.title[language]) for each in course.challenges)
    for each in course.challenges:
        about = each.challenge
        kept = record.challenges.get(about.id)
        title = pad(about.title[language], widest)
        par = say(CommandTexts.par, language, par=about.par)
        yield f" {mark(kept)} {about.id:<{longest}}  {title}  {par}"


def progress(record: Record, course: Course, language: str) -> Iterator[str]:
    if not record.challenges:
        return
    known = {each.challenge.id: each.challenge for each in course.challenges}
    ids = [*known, *sorted(record.challenges.keys() - known.keys())]
    longest = max(map(len, ids))
    for key in ids:
        kept = record.challenges.get(key)
        if kept is None:
            continue
        gone = say(CommandTexts.progress_gone, language)
        title = known[key].title[language] if key in known else gone
        how = say(CommandTexts.challenge_begun, language)
        if kept.solved:
            how = say(CommandTexts.solved_in, language, lines=kept.lines)
        values = {"mark": mark(kept), "id": key.ljust(longest), "title": title, "how": how}
        yield say(CommandTexts.challenge_line, language, **values)
    solved = sum(each.solved for key, each in record.challenges.items() if key in known)
    yield say(CommandTexts.challenges_sum, language, solved=solved, total=len(known))


def mark(kept: ChallengeProgress | None) -> str:
    if kept is None:
        return " "
    return "✓" if kept.solved else "~"
