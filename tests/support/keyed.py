"""Places in the program where a key is about to be pressed, each opened anew in one running app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.step import Step
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.activity.session.signals import Move, Moved, Restarted, StepChosen
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.loader import (
    LoadedChallenge,
    LoadedLesson,
    load_challenge,
    load_lesson,
)
from inplace_tui.tutorial.present.lanes import LaneOptions
from inplace_tui.tutorial.progress import Record
from inplace_tui.tutorial.ui.drafts.draft import AT_THE_END
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel, LanesPanel, Panel, TensorTable
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import CourseList
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.theme import THEMES
from support.played import AT_BACK, ERROR, LESSON, RAISED, RAISES, STEPS, step
from support.screens import FIRST, LAST, Stage, course
from support.stand_in import Run, StandIn
from support.views import SOURCE, failing

PROGRAM = """\
import torch


def double(x):
    y = x * 2
    return y


net = torch.nn.Linear(2, 1)
odd = torch.tensor([[[1.0, 2.0]], [[float("nan"), 4.0]]])
x = torch.ones(2, requires_grad=True)
y = double(x).exp()
z = y.detach().clone()
z.add_(1)
z.mul_(2)
loss = net(y).sum()
print(loss.shape)
"""
"""A bit of everything: a call, writes, a graph, planes with a NaN, a module."""

LONG = "for n in range(300):\n    pass\n"
"""More steps than columns."""


SIX = load_lesson(
    AT_BACK.format(id="six")
    + """
    ask:
      id: version
      kind: attribute
      prompt: {en: which, zh: which}
      choices:
"""
    + "".join(
        f"        - {{id: is{n}, when: {{tensors: {{y: {{version: {n}}}}}}}, "
        f"text: {{en: v{n}, zh: v{n}}}, why: {{en: no{n}, zh: no{n}}}}}\n"
        for n in range(6)
    )
    + """
      hints: [{en: first hint, zh: h1}]
recap: {en: recap, zh: recap}
""",
    "six.yaml",
    origin=Origin.BUILT_IN,
)

ORDER = load_lesson(
    AT_BACK.format(id="order")
    + """
    ask:
      id: cure
      kind: order
      prompt: {en: put them right, zh: 重排}
      lines: [exp, mutate, back]
      goal: {ends: runs}
      why: [{when: {ends: raises_in_backward}, say: {en: still refused, zh: 还是报错}}]
      right: {en: that works, zh: 可行}
recap: {en: recap, zh: recap}
""",
    "order.yaml",
    origin=Origin.BUILT_IN,
)

FREE = load_lesson(
    AT_BACK.format(id="free")
    + """
    say: {en: said, zh: said}
variants:
  - {id: data, swap: {mutate: y.data.add_(1)}, expect: {ends: runs}, title: {en: v, zh: v}}
recap: {en: recap, zh: recap}
mend:
  keep: [make, exp, back]
  solution: {mutate: y = y + 1}
  explain: {en: explained, zh: 解说}
holds:
  - id: odd
    title: {en: odd, zh: odd}
    code: |
      y.add_(2)
    expect: {ends: runs}
""",
    "free.yaml",
    origin=Origin.BUILT_IN,
)

_CHALLENGE = """
schema: 1
id: {id}
title: {{en: Write to it, zh: 写它}}
task: {{en: "Bring `y` to version 1.", zh: "让 `y` 到版本 1。"}}
difficulty: 2
code: |
  x = make()     #@ make
  y = x.exp()    #@ exp
goal: {{ends: runs, tensors: {{y: {{version: 1}}}}}}
keep: [make, exp]
par: 1
solution: {{exp: "y = x.exp()  #@ exp\\ny.add_(1)"}}
explain: {{en: Every write counts., zh: 每次写入都计数。}}
hints: [{{en: first hint, zh: 提示甲}}]
"""


def challenge(identity: str) -> LoadedChallenge:
    """Return one of which nothing is known yet."""
    return load_challenge(
        _CHALLENGE.format(id=identity), f"challenges/1-{identity}.yaml", origin=Origin.BUILT_IN
    )


LESSONS: tuple[LoadedLesson, ...] = (FIRST, LESSON, SIX, ORDER, FREE, LAST)
COURSE = Course(course(LESSONS).chapters, (), (challenge("write-it"), challenge("write-again")))
DRILLED = DrillOptions(seed=11, level=1)

Enter = Callable[[Stage], Awaitable[None]]

Before = str | Callable[[Stage], None]
"""A key, or something done to the program."""


async def knowing(worker: Worker) -> StandIn:
    """Return a stand-in that tells what a real worker recorded of the program."""
    source = Program(source=PROGRAM, filename="sandbox.py", origin=Origin.OWN)
    timeline = await record(worker, source, Limits())
    assert timeline.outcome is not None
    failed: Run = ((*STEPS[:3], RAISED), ERROR)
    made = failing()
    assert made.outcome is not None
    real: Run = (tuple(timeline), timeline.outcome)
    long: Run = (tuple(step(n, 2, then=2) for n in range(300)), Completed())
    told: dict[str, Run] = {**RAISES, **dict.fromkeys((SIX.code, ORDER.code), failed)}
    told[SOURCE] = (tuple(made), made.outcome)
    return StandIn({PROGRAM: real, LONG: long, **told})


async def contents(stage: Stage) -> None:
    """As the program opens, with nothing done yet."""
    app = stage.app
    app.learner.record = Record(introduced=True)
    app.watches.clear()
    app._clipboard = ""
    app.theme = THEMES[0].name
    for _ in app.screen_stack:  # what a desk opened leads back to it
        app.show_contents()
        await stage.pilot.pause()
    app.screen.query_one(CourseList).end_filter()


def lesson(identity: str, *, asks: bool = False) -> Enter:
    """At the start of a lesson that has run, or where its question is asked."""

    async def enter(stage: Stage) -> None:
        page = stage.app.screen
        if isinstance(page, LessonScreen) and page.lesson.lesson.id == identity:
            page.send(Restarted())
        else:
            await contents(stage)
            stage.app.open_lesson(identity)
            await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        if asks:
            await stage.press("c")
            assert stage.lesson.view.question is not None

    return enter


def shown(source: str = PROGRAM, *, cursor: int = -1) -> Enter:
    """In the sandbox, with a run that is over."""

    async def enter(stage: Stage) -> None:
        page = stage.app.page
        if isinstance(page, SandboxScreen) and page.program_shown() == Program(
            source=source, filename="sandbox.py", origin=Origin.OWN
        ):
            await again(stage, page)
        else:
            await contents(stage)
            stage.app.open_sandbox(program=Program(source=source, origin=Origin.OWN), cursor=cursor)
            await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.ran()
        run(stage).send(Moved(Move.START if cursor < 0 else Move.END))
        await stage.pilot.pause()

    return enter


async def again(stage: Stage, page: SandboxScreen) -> None:
    """Make a screen as it opened: to open one anew takes long."""
    while stage.app.screen is not page:
        await stage.app.pop_screen()
    stage.app.watches.clear()
    layout = page.panel_layout
    layout.editing = False
    layout.zoomed, layout.chosen, layout.companion = None, "state", "lanes"
    page.query_one(TensorTable).pointers = False
    for each in page.panels:
        each.cursor = None
        each.close_search()
        each.scroll_to(y=0, animate=False, force=True, immediate=True)
    page.query_one(LanesPanel)._options = LaneOptions()
    page.query_one(CodePanel).focus()
    page.refresh_view()


ended = shown(cursor=AT_THE_END)
failed = shown(SOURCE, cursor=AT_THE_END)


def written(path: Path, text: str = PROGRAM) -> Enter:
    """In the editor, with a file of which nothing ran."""

    async def enter(stage: Stage) -> None:
        page = stage.app.page
        opened = isinstance(page, SandboxScreen) and page.filing.file and page.ran_text is None
        if opened and has(path, text):
            assert isinstance(page, SandboxScreen)
            while stage.app.screen is not page:
                await stage.app.pop_screen()
            stage.sandbox.editor.load_text(text)
            stage.sandbox.edit(editing=True)
            return
        put(path, text)
        await contents(stage)
        stage.app.open_sandbox(opening=Opening(file=path))
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.until(lambda: stage.sandbox.editor.has_focus)

    return enter


def table(name: str) -> Enter:
    """At the end of the run, with a tensor chosen in the table."""

    async def enter(stage: Stage) -> None:
        await ended(stage)
        await stage.press("1")
        choose(name)(stage)
        await stage.pilot.pause()

    return enter


def opened_tensor(name: str) -> Enter:
    """A tensor that was opened."""

    async def enter(stage: Stage) -> None:
        await table(name)(stage)
        await stage.press("t")

    return enter


def panel(name: str) -> Enter:
    """In a panel, at the end of the run."""

    async def enter(stage: Stage) -> None:
        await ended(stage)
        run(stage).panel_layout.choose(name)
        await stage.until(lambda: len(run(stage).panel(name).rows) > 0)  # there is a row to go to
        await stage.press("down")

    return enter


async def tried(stage: Stage) -> None:
    """In a challenge, outside of its editor."""
    await contents(stage)
    stage.app.open_challenge("write-it")
    await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))
    await stage.press("escape")


async def drilled(stage: Stage) -> None:
    """In the drill, where a program is to be predicted."""
    await contents(stage)
    stage.app.open_drill(DRILLED)
    await stage.until(
        lambda: isinstance(stage.app.page, PlaylistScreen) and drill(stage) is not None
    )
    await stage.pilot.pause()


def drill(stage: Stage) -> object:
    """Return the program of the drill in front."""
    assert isinstance(stage.app.page, PlaylistScreen)
    return stage.app.page.program


def has(path: Path, text: str) -> bool:
    """Return whether a file has this text."""
    return path.exists() and path.read_text(encoding="utf-8") == text


def put(path: Path, text: str) -> None:
    """Write a file."""
    path.write_text(text, encoding="utf-8")


# What is done before the key.


async def do(stage: Stage, before: Before) -> None:
    """Do what comes before the key."""
    if callable(before):
        before(stage)
        await stage.pilot.pause()
    else:
        await stage.press(before)


def choose(name: str) -> Callable[[Stage], None]:
    """Choose a tensor in the table."""

    def act(stage: Stage) -> None:
        tensors = run(stage).view.snapshot.tensors.values()
        number = next(each.id for each in tensors if name in each.names)
        widget = run(stage).query_one(TensorTable)
        rows = [place for place, row in enumerate(widget.rows) if row.target.tensor == number]
        widget.cursor = rows[0]
        widget.selected = number

    return act


def after(line: str) -> Callable[[Stage], None]:
    """Show the moment after a line of the program ran, the last time that it did."""

    def act(stage: Stage) -> None:
        view = run(stage).view
        steps = [each.index for each in view.timeline if line in text_of(stage, each)]
        run(stage).send(StepChosen(steps[-1]))

    return act


def text_of(stage: Stage, ran: Step) -> str:
    """Return the line of a step."""
    return run(stage).view.source.splitlines()[ran.line - 1]


def run(stage: Stage) -> RunScreen:
    """Return the page in front, which shows a run."""
    assert isinstance(stage.app.page, RunScreen)
    return stage.app.page


def in_front(stage: Stage) -> Panel:
    """Return the panel that has the keys."""
    assert isinstance(stage.app.focused, Panel)
    return stage.app.focused


def typed(text: str) -> Callable[[Stage], None]:
    """Put a text into the editor, as pasted."""
    return lambda stage: stage.editor.load_text(text)
