"""Sessions on a real terminal, each killed at a random moment.

What counts as confirmed is what the terminal had received when the program died,
down to the last byte. All sessions share one home, so that a file that were lost
in the hundredth would be missed in the hundred-and-first.
"""

from __future__ import annotations

import asyncio
import random
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.progress import Progress
from support.processes import marked, none_left
from support.terminal import Terminal

LESSON = "saved-output"
QUESTION = "will-it-run"
TOLD = re.compile(r"[✓✗] (?:right|wrong)")
MAX_ROUNDS = 4
CTRL_R = "\x12"
FAR = 0.5
"""Seconds after a key within which the end may come. An answer is kept in a few milliseconds."""

RESTLESS = """\
import os, signal, subprocess, torch
signal.signal(signal.SIGTERM, signal.SIG_IGN)
x = torch.ones(2)
for new in (False, True): subprocess.Popen(["sleep", "1000"], start_new_session=new)
if os.fork() == 0: os.setsid()
while True: x.add_(1)
"""
RUNNING = "add_ wrote x"


@dataclass
class Tally:
    """What all sessions together have confirmed."""

    kills: int = 0
    answers: int = 0
    """In drills."""

    lessons: int = 0
    """Answers in lessons, the second tries among them."""

    runs: int = 0
    """Sessions with a program that was running, and had started others."""

    complaints: list[str] = field(default_factory=list)


class Killing:
    """One home, and the sessions in it."""

    def __init__(self, home: Path, seed: str) -> None:
        self.home = home
        self.tally = Tally()
        self._seed = seed
        self._drilled = 0
        """Answers that the file had after the last session."""

        self._marker = ""
        """In the environment of all that the session at hand starts."""

    def session(self, number: int) -> None:
        """Play one, kill it, and look what is left."""
        draw = random.Random(f"{self._seed} {number}")
        play = draw.choice((self._plain_drill, self._lesson, self._sandbox))
        found = len(self.tally.complaints)
        self._marker = f"killed-{secrets.token_hex(8)}"
        play(draw)
        self.tally.kills += 1
        broken = [each.name for each in self.home.glob("*broken*")]
        if broken:
            self._complain(f"set aside: {broken}")
        self.tally.complaints[found:] = [
            f"{self._seed} {number}: {each}" for each in self.tally.complaints[found:]
        ]

    # What is played. A session is left where the iterator is not asked any further.

    def _plain_drill(self, draw: random.Random) -> None:
        with self._terminal("drill", "--plain") as terminal:
            keys = self._drill_keys(terminal, draw)
            self._until_death(terminal, keys, draw, steps=3 * MAX_ROUNDS)
            confirmed = len(TOLD.findall(terminal.text))
        kept = self._progress().record.drill.total.answered
        if not confirmed <= kept - self._drilled <= confirmed + 1:
            self._complain(f"{confirmed} told, {kept - self._drilled} kept")
        self.tally.answers += confirmed
        self._drilled = kept

    def _drill_keys(self, terminal: Terminal, draw: random.Random) -> Iterator[str]:
        for round_ in range(1, MAX_ROUNDS + 1):
            terminal.wait_for("4  Raises in backward()", times=round_)
            yield f"{draw.randint(1, 4)}\n"
            terminal.wait_for("How sure are you?", times=round_)
            yield f"{draw.randint(1, 3)}\n"
            terminal.wait_for("Enter: next program.", times=round_)
            yield "\n"

    def _lesson(self, draw: random.Random) -> None:
        self._progress().reset(LESSON)
        with self._terminal("lesson", LESSON) as terminal:
            self._until_death(terminal, self._lesson_keys(terminal), draw, steps=5)
            text = terminal.text
        answer = self._progress().lesson(LESSON).answers.get(QUESTION)
        status = None if answer is None else answer.status
        if "RuntimeError in backward" in text:
            self.tally.lessons += 2
            wanted: tuple[QuestionStatus | None, ...] = (QuestionStatus.RIGHT,)
        elif "One more try" in text:
            self.tally.lessons += 1
            wanted = (QuestionStatus.AGAIN, QuestionStatus.RIGHT)
        else:
            wanted = (None, QuestionStatus.AGAIN)
        if status not in wanted:
            self._complain(f"{status} kept, {wanted} wanted")

    def _lesson_keys(self, terminal: Terminal) -> Iterator[str]:
        terminal.wait_for("question ahead   step 0")
        yield "c"
        terminal.wait_for("add_ wrote into the memory of y")
        yield "n"
        terminal.wait_for("a–d or ↑↓ mark")
        yield "a\r"
        terminal.wait_for("One more try")
        yield "d\r"
        terminal.wait_for("RuntimeError in backward")
        yield "q"

    def _sandbox(self, draw: random.Random) -> None:
        file = self.home / "restless.py"
        file.write_text(RESTLESS)
        with self._terminal("sandbox", str(file)) as terminal:
            self._until_death(terminal, self._sandbox_keys(terminal), draw, steps=2)
            self.tally.runs += RUNNING in terminal.text
        if file.read_text() != RESTLESS:
            self._complain("the file was changed")

    def _sandbox_keys(self, terminal: Terminal) -> Iterator[str]:
        terminal.wait_for("restless.py", "quit")
        yield CTRL_R
        terminal.wait_for(RUNNING)
        yield "\t"

    def _terminal(self, *arguments: str) -> Terminal:
        return Terminal(*arguments, home=self.home, KILLED=self._marker)

    def _until_death(
        self, terminal: Terminal, keys: Iterator[str], draw: random.Random, *, steps: int
    ) -> None:
        """Press keys until the moment that was drawn, and kill the program."""
        last = draw.randrange(steps + 1)
        if last == 0:
            time.sleep(draw.random() * 2)  # while it begins
        for number, key in enumerate(keys, 1):
            if number > last:
                break
            terminal.type(key)
        # Half of the time right after the key, where an answer is being kept.
        time.sleep(draw.random() * (FAR if draw.random() < 0.5 else FAR / 25))
        terminal.kill()
        try:
            asyncio.run(none_left(partial(marked, self._marker)))
        except TimeoutError:
            self._complain(f"left running: {marked(self._marker)}")

    def _progress(self) -> Progress:
        progress = Progress(self.home / "progress.json")
        if progress.notice is not None:
            self._complain(progress.notice.en)
        return progress

    def _complain(self, what: str) -> None:
        self.tally.complaints.append(what)
