"""A lesson in front of a learner, with real runs."""

from __future__ import annotations

import asyncio

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from support.patience import PATIENCE

OPEN = (QuestionStatus.OPEN, QuestionStatus.AGAIN)


async def started(
    subject: LoadedLesson | Session, worker: Worker, kept: list[SaveProgress]
) -> SessionRunner:
    """Start a lesson, or go on with one, and wait until its run is over and its truth is known."""
    changed = asyncio.Event()
    session = subject if isinstance(subject, Session) else Session(subject)
    runner = SessionRunner(session, worker, on_change=changed.set, on_progress=kept.append)
    runner.start()
    async with asyncio.timeout(PATIENCE):
        while runner.session.view().running or runner.session.view().verifying:
            changed.clear()
            await changed.wait()
    return runner


def step_on(runner: SessionRunner) -> View | None:
    """Press the key for the next line; None if nothing came of it."""
    before = runner.session.view()
    runner.send(Moved(Move.NEXT))
    after = runner.session.view()
    moved = (before.cursor, before.question) != (after.cursor, after.question)
    return after if moved else None


async def until_judged(runner: SessionRunner) -> View:
    """Wait until an answer was judged, and the right one is known: orders are run for that."""
    async with asyncio.timeout(PATIENCE):
        while True:
            view = runner.session.view()
            asked = view.question
            if asked is None or asked.status in OPEN or asked.right is not None:
                return view
            await asyncio.sleep(0.01)
