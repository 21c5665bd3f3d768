"""Whether a challenge's texts fit a small screen, in every language."""

from __future__ import annotations

from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import Grade
from inplace_tui.engine.problems import Problem, Problems
from inplace_tui.present import challenge
from inplace_tui.present.cells import width
from inplace_tui.present.challenge import ChallengeAttempt
from inplace_tui.texts import LANGUAGES
from inplace_tui.texts.authoring import AuthoringTexts
from inplace_tui.ui.arrangement import BARS, TASK, Needs, plan

WIDTH, HEIGHT = 80, 24
TITLE = 44
"""Cells of a title beside its number and its state."""

VERDICT = 2
"""Rows for the result of a run, below the task."""


def overflow_problems(loaded: LoadedChallenge) -> tuple[Problem, ...]:
    """Return a problem for each text that does not fit a screen of 80x24."""
    problems = Problems(loaded.path)
    about = loaded.challenge
    stage = plan(WIDTH, HEIGHT - BARS, Needs(code_rows=1, task_rows=HEIGHT))
    room, line = stage.regions[TASK].height - 1, WIDTH - 3
    solved = Grade((), (), about.par, about.par)
    for language in LANGUAGES:
        cells = width(about.title[language])
        if cells > TITLE:
            problems.add(
                loaded.where("title", language), AuthoringTexts.too_wide, cells=cells, room=TITLE
            )
        rows = len(challenge.rows(ChallengeAttempt(loaded), line, language))
        if rows > room - VERDICT:
            at = loaded.where("task", language)
            problems.add(at, AuthoringTexts.too_long, rows=rows, room=room - VERDICT)
        attempt = ChallengeAttempt(loaded, grade=solved)
        total = len(challenge.rows(attempt, line, language))
        rows = total - challenge.verdict_at(attempt, line, language)
        if rows > room:
            problems.add(
                loaded.where("explain", language), AuthoringTexts.too_long, rows=rows, room=room
            )
    return problems.sorted()
