"""Every way into a run, and whose rights a program has there.

A program of a lesson or of a pack, and a copy of one until it is saved, can neither
write nor connect, whichever way it is run; one's own program can, on every such way.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.widgets import Input

from inplace_tui.common import paths
from inplace_tui.common.confinement import offered
from inplace_tui.common.run.program import Origin
from inplace_tui.common.trust import Trust
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.signals import ForecastRequested, Move, Moved
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathDialog
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.launch import CourseReader
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.lesson import HoldsDialog, LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from support.keyed import put
from support.rights import Outside, Watched
from support.screens import Stage, opened
from support.whole import WHOLE

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not offered().all, reason="this kernel can't confine programs"),
]

Way = Callable[[Stage, str], Awaitable[None]]
"""Takes the name of the course."""


def run_page(stage: Stage) -> RunScreen:
    assert isinstance(stage.app.page, RunScreen)
    return stage.app.page


async def named(stage: Stage, path: Path) -> None:
    """Type the name of a file where it is asked for."""
    await stage.until(lambda: isinstance(stage.app.screen, PathDialog | ProgramDialog))
    stage.app.screen.query_one(Input).value = str(path)
    await stage.press("enter")


@dataclass(frozen=True)
class Own:
    """A file of the learner's own, and what is to be written to it."""

    path: Path
    outside: Outside


# Of a course, built in or from elsewhere.


async def a_lesson(stage: Stage, name: str, kind: str = "fault") -> None:
    stage.app.open_lesson(f"{name}-{kind}")
    await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
    await stage.ran()


async def its_variants(stage: Stage, name: str) -> None:
    await a_lesson(stage, name)
    await stage.press("R")
    await stage.ran()
    await stage.press("v")
    await stage.until(lambda: "running" not in stage.text)
    await stage.press("2")
    await stage.ran()


async def its_programs_to_break_it(stage: Stage, name: str) -> None:
    await a_lesson(stage, name)
    await stage.press("G", "h")
    await stage.until(lambda: isinstance(stage.app.screen, HoldsDialog))
    await stage.until(lambda: "running" not in stage.text)
    await stage.press("1")
    await stage.ran()


async def x_and_enter(stage: Stage, name: str) -> None:
    await a_lesson(stage, name)
    await stage.press("G")
    page = stage.lesson
    await stage.until(lambda: page.view.fixes is not None and page.view.fixes.over)
    await stage.press("x", "enter")
    await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
    await stage.ran()
    await stage.press("ctrl+r")
    await stage.ran()


async def e(stage: Stage, name: str) -> None:
    await a_lesson(stage, name)
    await stage.press("e")
    await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
    await stage.ran()


async def e_and_an_edit(stage: Stage, name: str) -> None:
    await e(stage, name)
    stage.sandbox.editor.insert("# mine\n")
    await stage.press("ctrl+r")
    await stage.ran()


async def its_fix_in_the_sandbox(stage: Stage, name: str) -> None:
    await e(stage, name)
    await fixed_in_the_editor(stage)


async def a_recovered_copy(stage: Stage, name: str) -> None:
    await e(stage, name)
    stage.sandbox.editor.insert("# mine\n")
    stage.sandbox.save_draft()
    stage.app._recovery.close()  # as the kernel does after kill -9
    await stage.app.pop_screen()
    stage.app.open_sandbox()
    await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
    await stage.until(lambda: "# mine" in stage.sandbox.editor.text)
    await stage.press("ctrl+r")
    await stage.ran()
    stage.sandbox.filing._copy.forget()


async def its_values(stage: Stage, name: str) -> None:
    await a_lesson(stage, name)
    await values(stage)


async def its_forecast(stage: Stage, name: str) -> None:
    await a_lesson(stage, name, "silent")
    await forecast(stage)


async def a_challenge(stage: Stage, name: str) -> None:
    stage.app.open_challenge(f"{name}-task")
    await stage.until(lambda: isinstance(stage.app.page, ChallengeScreen))
    await stage.press("ctrl+r")
    await stage.ran()


OF_A_COURSE: tuple[Way, ...] = (
    its_variants,
    its_programs_to_break_it,
    x_and_enter,
    e_and_an_edit,
    its_fix_in_the_sandbox,
    a_recovered_copy,
    its_values,
    its_forecast,
    a_challenge,
)


# Of one's own.


async def values(stage: Stage) -> None:
    """Have the program run a second time, to look at a tensor in it."""
    await stage.press("G", "1")
    page = run_page(stage)
    await stage.press("t")
    if not isinstance(stage.app.screen, ValuesScreen):
        await stage.press("down", "t")
    await stage.until(lambda: isinstance(stage.app.screen, ValuesScreen))
    await stage.until(lambda: page.runner.session.view() is not None and "[2]" in stage.text)
    await stage.press("escape")


async def forecast(stage: Stage) -> None:
    runner = run_page(stage).runner
    runner.send(Moved(Move.END))
    rows = runner.session.view().snapshot.tensors.values()
    (z,) = (row.id for row in rows if "z" in row.names)
    runner.send(ForecastRequested(z))
    await stage.until(lambda: bool(runner.session.view().found_forecasts))


async def fixed_in_the_editor(stage: Stage) -> None:
    page = stage.sandbox
    await stage.press("G")
    await stage.until(lambda: page.view.fixes is not None and page.view.fixes.over)
    await stage.press("x", "enter")
    await stage.ran()


async def a_file(stage: Stage, own: Own, *, silent: bool = False) -> None:
    put(own.path, own.outside.silent if silent else own.outside.fault)
    before = stage.app.page
    stage.app.open_sandbox(opening=Opening(file=own.path))
    await new_sandbox(stage, before)
    await stage.press("ctrl+r")
    await stage.until(lambda: stage.sandbox.ran_text is not None)
    await stage.ran()


async def new_sandbox(stage: Stage, before: object) -> None:
    """Wait for the page that was asked for, until it takes keys; one before it may be its like."""
    await stage.until(
        lambda: stage.app.page is not before and isinstance(stage.app.page, SandboxScreen)
    )
    await stage.until(lambda: stage.sandbox.focused is not None)


async def its_edit(stage: Stage, own: Own) -> None:
    await a_file(stage, own)
    stage.sandbox.editor.insert("# more\n")
    await stage.press("ctrl+r")
    await stage.ran()
    stage.sandbox.filing._copy.forget()


async def its_own_fix(stage: Stage, own: Own) -> None:
    await a_file(stage, own)
    await fixed_in_the_editor(stage)
    stage.sandbox.filing._copy.forget()


async def its_own_values(stage: Stage, own: Own) -> None:
    await a_file(stage, own)
    await values(stage)


async def its_own_forecast(stage: Stage, own: Own) -> None:
    await a_file(stage, own, silent=True)
    await forecast(stage)


async def what_is_typed(stage: Stage, own: Own) -> None:
    before = stage.app.page
    stage.app.open_sandbox()
    await new_sandbox(stage, before)
    stage.sandbox.editor.insert(own.outside.fault)
    await stage.press("ctrl+r")
    await stage.until(lambda: stage.sandbox.ran_text is not None)
    await stage.ran()


async def what_was_typed_and_recovered(stage: Stage, own: Own) -> None:
    await what_is_typed(stage, own)
    stage.sandbox.save_draft()
    stage.app._recovery.close()
    await stage.app.pop_screen()
    stage.app.open_sandbox()
    await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
    await stage.until(lambda: "exp" in stage.sandbox.editor.text)
    await stage.press("ctrl+r")
    await stage.ran()
    stage.sandbox.filing._copy.forget()


OF_ONES_OWN: dict[Callable[[Stage, Own], Awaitable[None]], int] = {
    a_file: 1,
    its_edit: 2,
    its_own_fix: 2,
    its_own_values: 1,
    its_own_forecast: 1,
    what_is_typed: 1,
    what_was_typed_and_recovered: 2,
}
"""And how often the program runs in place at least: values and forecasts are of runs in a view."""


ALL = WHOLE or os.environ.get("RIGHTS") == "all"
"""Every way for every origin with and without namespaces: else each of them once in four."""


def sampled(ways: list[Way], request: pytest.FixtureRequest) -> list[Way]:
    """Return all ways, or every fourth one: of other ones for the other mode."""
    odd = request.node.callspec.params["real"] == "namespaces"
    return [way for number, way in enumerate(ways) if ALL or number % 4 == odd]


@pytest.fixture(params=["namespaces", "no namespaces"])
def real(request: pytest.FixtureRequest, worker: Worker, unkept: Worker) -> Worker:
    """A worker on a machine with namespaces, and on one without."""
    return worker if request.param == "namespaces" else unkept


async def back(stage: Stage) -> None:
    """Leave everything that is open, saving nothing."""
    while stage.app.screen is not stage.app.screen_stack[0]:
        await stage.app.pop_screen()
    stage.app.show_contents()


@pytest.mark.parametrize("origin", [Origin.BUILT_IN, Origin.PACK])
@pytest.mark.whole(every=4)
async def test_no_way_gives_a_program_of_a_lesson_the_rights_of_the_learner(
    real: Worker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    origin: Origin,
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv(paths.HOME, str(home))
    with Outside(tmp_path / "outside") as outside:
        outside.write_lessons(tmp_path / "built-in", "built")
        outside.write_lessons(home / "packs" / "theirs", "pack")
        monkeypatch.setattr(paths, "built_in_lessons", lambda: tmp_path / "built-in")
        name = "built" if origin is Origin.BUILT_IN else "pack"
        watched = Watched(real)
        packs = CourseReader(Settings("en", trust=True), Trust(paths.trust_file()))
        async with opened(Opening(), home, worker=watched, packs=packs, size=(120, 40)) as stage:
            for way in sampled(list(OF_A_COURSE), request):
                watched.ran.clear()
                await way(stage, name)
                await back(stage)

                # What is shared is a lesson for others, whoever wrote the first one.
                assert set(watched.ran) - {Origin.PACK} <= {origin}, way
                assert watched.ran, way
                assert outside.reached() == (0, 0), way


async def test_a_drill_is_confined(real: Worker, tmp_path: Path) -> None:
    watched = Watched(real)
    async with opened(Opening(), tmp_path, worker=watched) as stage:
        stage.app.open_drill()
        await stage.until(
            lambda: (
                isinstance(stage.app.page, PlaylistScreen) and stage.app.page.program is not None
            )
        )

    assert set(watched.ran) == {Origin.BUILT_IN}


@pytest.mark.whole
async def test_on_every_way_an_own_program_has_the_rights_of_the_learner(
    real: Worker, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """And so the test of the others would see a program that has them."""
    home, path = tmp_path / "home", tmp_path / "own.py"
    with Outside(tmp_path / "outside") as outside:
        watched = Watched(real)
        async with opened(Opening(), home, worker=watched, size=(120, 40)) as stage:
            for way, least in OF_ONES_OWN.items():
                odd = request.node.callspec.params["real"] == "namespaces"
                if not ALL and list(OF_ONES_OWN).index(way) % 2 == odd:
                    continue
                watched.ran.clear()
                await way(stage, Own(path, outside))
                await back(stage)

                assert set(watched.ran) == {Origin.OWN}, way
                files, connections = outside.reached()
                assert min(files, connections) >= least, way


@pytest.mark.whole
async def test_a_copy_is_ones_own_once_it_is_saved(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, saved = tmp_path / "home", tmp_path / "saved.py"
    monkeypatch.setenv(paths.HOME, str(home))
    with Outside(tmp_path / "outside") as outside:
        outside.write_lessons(home / "packs" / "theirs", "pack")
        packs = CourseReader(Settings("en", trust=True), Trust(paths.trust_file()))
        async with opened(Opening(), home, worker=Watched(worker), packs=packs) as stage:
            await e_and_an_edit(stage, "pack")
            before = outside.reached()
            await stage.press("ctrl+s")
            await named(stage, saved)
            await stage.until(saved.exists)
            await stage.press("ctrl+r")
            await stage.ran()

            assert before == (0, 0)
            assert outside.reached() > (0, 0)
