"""The desk of one's own program: where its boxes are, what its lane says, what it writes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.geometry import Region, Size

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import Unverified
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.present import desk as lane
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.desk import DeskScreen, arranged
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.desks import FIXED, desk
from support.keyed import COURSE, contents
from support.lent import Lent
from support.screens import opened
from support.views import SOURCE, failing
from support.whole import examples

BOXES = ("changed", "happened", "fixes", "lane", "printed")


@given(
    st.sets(st.sampled_from(BOXES), min_size=1),
    st.lists(st.integers(3, 90), min_size=5, max_size=5),
    st.integers(30, 220),
    st.integers(3, 70),
)
@settings(max_examples=examples(200), deadline=None)
def test_boxes_fill_the_screen_and_none_lies_on_another(
    names: set[str], rows: list[int], width: int, height: int
) -> None:
    needs = {name: need for name, need in zip(BOXES, rows, strict=True) if name in names}

    regions = arranged(needs | {"printed": 3}, Size(width, height))

    whole = Region(0, 0, width, height)
    assert all(whole.contains_region(region) for region in regions.values())
    assert not any(one.overlaps(other) for one, other in combinations(regions.values(), 2))
    assert sum(region.area for region in regions.values()) == whole.area


def test_the_lane_has_a_mark_for_each_line_that_matters() -> None:
    timeline = failing()
    blame = find_blame(timeline, Unverified(), source=SOURCE)
    assert blame is not None
    found = lane.moments(timeline, blame, "en")

    places, marks, said = (row.text for row in lane.rows(found, SOURCE, 60, file="train.py"))

    assert places.split() == ["train.py:3", ":4", ":6"]
    assert marks.replace("━", "").replace("╍", "").split() == ["◆~✗"]
    assert said.split("  ")[0] == "made, saved v0"
    assert said.rstrip().endswith("needed v0")
    (row,) = lane.rows(found, SOURCE, 60, file="train.py", brief=True)
    assert row.text == "train.py:3 ◆ made, saved v0 ━━ :4 ~ v1 ╍╍ :6 ✗ needed v0"


def test_of_a_freed_graph_no_version_is_needed() -> None:
    blame = Blame(
        verdict=Verdict.GRAPH_FREED,
        saver=Saver(line=2, node="ExpBackward0", slot="result", version=2),
        writes=(Mutation(line=3),),
        reader=4,
    )

    (row,) = lane.rows(lane.moments(None, blame, "en"), SOURCE, 70, file="train.py", brief=True)

    assert row.text == "train.py:2 ◆ in the graph ━━ :3 ∅ used up ╍╍ :4 ✗ needed again"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_fix_is_not_taken_back_over_what_was_edited_since(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(SOURCE)
    copy = tmp_path / "fails.py.orig"
    async with opened(Opening(), tmp_path, size=(80, 24), lessons=COURSE) as stage:
        await contents(stage)
        await desk(stage, path)
        await stage.press("2")
        assert path.read_text() == FIXED[1]
        assert copy.read_text() == SOURCE
        path.write_text(FIXED[1] + "# mine\n")

        await stage.press("u")

        assert path.read_text() == FIXED[1] + "# mine\n"
        assert "changed since the fix" in " ".join(stage.text.split())
        path.write_text(FIXED[1])
        await stage.press("u")
        assert path.read_text() == SOURCE
        assert not copy.exists()


@pytest.mark.asyncio(loop_scope="session")
async def test_that_there_is_no_fix_yet_is_said_until_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(SOURCE)
    async with opened(Opening(), tmp_path, size=(80, 24), lessons=COURSE) as stage:
        await contents(stage)
        screen = await desk(stage, path)
        investigation = screen.investigation
        found, investigation.search = investigation.search, FixSearch()
        screen.update_texts()
        await stage.press("1")
        assert "There is no fix" in stage.text

        investigation.search = found
        investigation.on_change()

        await stage.until(lambda: "There is no fix" not in stage.text)
        assert path.read_text() == SOURCE


@pytest.mark.asyncio(loop_scope="session")
async def test_no_fix_is_offered_before_it_is_known_what_happened(tmp_path: Path) -> None:
    """Where parameters got no gradient, fixes are sought before there is a case."""
    path = tmp_path / "fails.py"
    path.write_text(SOURCE)
    async with opened(Opening(), tmp_path, size=(80, 24), lessons=COURSE) as stage:
        await contents(stage)
        screen = await desk(stage, path)
        screen.investigation.case = None
        screen.update_texts()

        await stage.press("1")

        assert path.read_text() == SOURCE


@pytest.mark.asyncio(loop_scope="session")
async def test_what_was_found_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(SOURCE)
    opening = Opening(screen="desk", file=path)
    async with opened(Opening(), tmp_path, size=(80, 24), lessons=COURSE) as stage:
        await contents(stage)
        stage.app.open_desk(opening)
        await stage.until(lambda: isinstance(stage.app.page, DeskScreen))
        first = stage.app.page
        await stage.press("escape")
        assert isinstance(stage.app.page, ContentsScreen)

        stage.app.open_desk(opening)
        await stage.until(lambda: isinstance(stage.app.page, DeskScreen))

        assert isinstance(first, DeskScreen)
        assert isinstance(stage.app.page, DeskScreen)
        assert stage.app.page.investigation is first.investigation


@pytest.mark.asyncio(loop_scope="session")
async def test_a_lesson_leads_back_to_the_desk(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(SOURCE)
    async with opened(Opening(), tmp_path, size=(120, 40), lessons=COURSE) as stage:
        await contents(stage)
        there = await desk(stage, path)
        await stage.press("l")
        await stage.until(lambda: "Practice on programs like it" in stage.text)
        await stage.press("1")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        await stage.press("escape")

        assert stage.app.page is there


@pytest.mark.asyncio(loop_scope="session")
async def test_e_opens_the_file_and_the_line_at_fault(tmp_path: Path) -> None:
    path, other = tmp_path / "train.py", tmp_path / "model.py"
    path.write_text(SOURCE)
    other.write_text(SOURCE)
    async with opened(Opening(), tmp_path, size=(80, 24), lessons=COURSE) as stage:
        await contents(stage)
        there = await desk(stage, path)
        await stage.press("e", "x")
        assert stage.editor.text.split("\n")[3] == "xy.add_(1)"
        await stage.press("ctrl+z", "escape", "escape")
        await stage.until(lambda: stage.app.page is there)
        case = there.investigation.case
        assert case is not None
        assert case.blame is not None
        both = join_files("import model\n", [("model.py", SOURCE)])
        program = msgspec.structs.replace(case.program, source=both, files=(str(other),))
        write = msgspec.structs.replace(case.blame.writes[0], line=6)
        blame = Blame(verdict=case.blame.verdict, writes=(write,))
        there.investigation.case = replace(case, program=program, blame=blame, timeline=None)

        await stage.press("e", "x")

        assert "model.py" in stage.lines[0]
        assert stage.editor.text.split("\n")[3] == "xy.add_(1)"


@pytest.mark.asyncio(loop_scope="session")
async def test_escape_stops_the_first_run_and_what_it_wrote_stays(
    worker: Worker, tmp_path: Path
) -> None:
    path = tmp_path / "runs.py"
    path.write_text("print('here', flush=True)\nwhile True: pass\n")
    lent = Lent(worker)
    async with opened(Opening(), tmp_path, size=(80, 24), lessons=COURSE, worker=lent) as stage:
        await contents(stage)
        stage.app.open_desk(Opening(screen="desk", file=path))
        await stage.until(lambda: "│ here" in stage.text)
        assert stage.lines[-1].startswith(" Esc stop")

        await stage.press("escape")

        page = stage.app.page
        assert isinstance(page, DeskScreen)
        found = page.investigation
        await stage.until(lambda: "You stopped this run" in stage.text)
        assert found.is_over
        assert "│ here" in stage.text
        path.write_text(SOURCE)
        await stage.press("r")
        await stage.until(lambda: found.case is not None and found.case.blame is not None)
        await stage.press("escape")
        assert isinstance(stage.app.page, ContentsScreen)
        await stage.until(lambda: len(found.fixes) > 0)
