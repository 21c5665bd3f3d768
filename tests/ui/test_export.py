"""Taking things out of a run: where they go, and that no answer goes with them."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import msgspec
import pytest
from textual.widgets import Input

from inplace_tui.tutorial.report.documents import TimelineDocument
from inplace_tui.tutorial.ui import clipboard
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog, PromptDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.program_line import completions
from inplace_tui.tutorial.ui.run.exporting import Export
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from support.hostile import ATTACK
from support.screens import Stage, opened

SANDBOX = Opening(screen="sandbox")
LESSON = Opening(screen="lesson", lesson="saved-output")


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports go to the current folder."""
    monkeypatch.chdir(tmp_path)


async def run(stage: Stage, text: str = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n") -> None:
    stage.sandbox.editor.replace_all(text)
    await stage.press("ctrl+r")
    await stage.ran()


def offers(stage: Stage) -> dict[str, Export]:
    page = stage.app.page
    assert isinstance(page, RunScreen)
    return {offer.key: offer for offer in page.exporting.offers()}


def refusal(stage: Stage, key: str) -> str:
    refused = offers(stage)[key].refused
    return "" if refused is None else refused.en


async def take(stage: Stage, key: str) -> None:
    """Choose what is offered under this key, and come to the question for a file."""
    number = list(offers(stage)).index(key) + 1
    await stage.press("Y", str(number))
    await stage.until(lambda: isinstance(stage.app.screen, PromptDialog))


async def accept(stage: Stage, path: Path | None = None) -> None:
    if path is not None:
        stage.app.screen.query_one(Input).value = str(path)
    await stage.press("enter")


async def test_a_panel_is_written_to_a_file_that_is_named_and_said(tmp_path: Path) -> None:
    async with opened(SANDBOX, tmp_path) as stage:
        await run(stage)
        await take(stage, "panel-file")
        await accept(stage)

        written = tmp_path / "sandbox-code.txt"
        await stage.until(written.exists)
        assert written.read_text().splitlines()[0].split() == ["1", "a", "=", "1"]
        assert "sandbox-code.txt" in stage.text


@pytest.mark.whole
async def test_a_file_that_is_there_gets_another_name_or_a_question(tmp_path: Path) -> None:
    (tmp_path / "sandbox-code.txt").write_text("mine")
    async with opened(SANDBOX, tmp_path) as stage:
        await run(stage)
        await take(stage, "panel-file")
        assert stage.app.screen.query_one(Input).value == "sandbox-code-2.txt"
        await accept(stage, tmp_path / "sandbox-code.txt")
        await stage.until(lambda: isinstance(stage.app.screen, AskDialog))
        await stage.press("escape")

        assert (tmp_path / "sandbox-code.txt").read_text() == "mine"


@pytest.mark.whole
async def test_the_timeline_is_the_document_of_run(tmp_path: Path) -> None:
    async with opened(SANDBOX, tmp_path) as stage:
        await run(stage)
        await take(stage, "timeline")
        await accept(stage)

        written = tmp_path / "sandbox-timeline.json"
        await stage.until(lambda: written.exists() and written.stat().st_size > 0)
        document = msgspec.json.decode(written.read_bytes(), type=TimelineDocument, strict=True)
        assert (document.ending, len(document.steps)) == ("right", 5)


@pytest.mark.whole
async def test_the_timeline_of_a_lesson_waits_until_every_question_is_answered(
    tmp_path: Path,
) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.ran()
        assert "answer every question" in refusal(stage, "timeline")

        await stage.press("Y", "5")
        assert "answer every question" in " ".join(stage.text.split())

        while not stage.lesson.runner.session.may_experiment:
            await stage.press("n", "a", "enter", "n", "b", "enter")

        await stage.until(lambda: offers(stage)["timeline"].refused is None)


async def test_in_the_drill_nothing_of_the_run_can_be_taken_before_the_answer(
    tmp_path: Path,
) -> None:
    async with opened(Opening(screen="drill"), tmp_path) as stage:
        offered = offers(stage)

        assert offered["graph-svg"].refused is not None
        assert offered["timeline"].refused is not None

        page = stage.app.page
        assert isinstance(page, RunScreen)
        await stage.until(lambda: page.runner.session.again() is not None)
        assert "answer the question first" in refusal(stage, "page")

        await stage.press("a", "enter", "a", "enter")
        await stage.until(lambda: offers(stage)["page"].refused is None)


@pytest.mark.whole
async def test_of_a_variant_there_is_no_page_before_it_is_predicted(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.ran()
        while not stage.lesson.runner.session.may_experiment:
            await stage.press("n", "a", "enter", "n", "b", "enter")
        assert offers(stage)["page"].refused is None

        await stage.press("v", "2")
        await stage.until(lambda: stage.lesson.view.variant is not None)

        assert stage.lesson.view.awaits_answer
        assert offers(stage)["page"].refused is not None


async def test_before_a_run_there_is_no_timeline(tmp_path: Path) -> None:
    async with opened(SANDBOX, tmp_path) as stage:
        assert "Nothing has run" in refusal(stage, "timeline")
        await run(stage)
        assert offers(stage)["timeline"].refused is None


@pytest.mark.whole
async def test_what_can_not_be_written_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    async with opened(SANDBOX, tmp_path) as stage:
        await run(stage)
        await take(stage, "panel-file")
        await accept(stage, tmp_path / "no" / "such" / "folder.py")

        await stage.until(lambda: "Not saved" in stage.text)


# The clipboard.


def test_a_copy_reaches_the_terminal_through_tmux_and_in_pieces_through_screen() -> None:
    text = "x" * 3000
    inner = f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07"

    in_tmux = clipboard.sequences(text, {"TMUX": "/tmp/tmux"})
    in_screen = clipboard.sequences(text, {"STY": "1.tty"})

    assert in_tmux == f"{inner}\x1bPtmux;\x1b{inner}\x1b\\"
    assert in_screen.startswith(inner)
    pieces = re.findall(r"\x1bP(.*?)\x1b\\", in_screen, re.DOTALL)
    assert "".join(pieces) == inner
    assert max(map(len, pieces)) < 768
    assert clipboard.sequences(text, {}) == inner


@pytest.mark.parametrize("text", [ATTACK, "\ud800\udfff\n\0", "𝛁" * 200_000, "x" * 900_000])
def test_a_copy_is_base64_alone_and_not_without_end(text: str) -> None:
    sent = clipboard.sequences(text, {})
    found = re.fullmatch(r"\x1b\]52;c;([A-Za-z0-9+/]+=*)\x07", sent)

    assert found is not None
    assert base64.b64decode(found[1]) == text.encode("utf-8", "replace")
    assert clipboard.sequences(text + "x" * clipboard.MAX_SENT, {}) == ""


@pytest.mark.whole
async def test_a_panel_too_large_for_some_terminals_is_written_to_a_file_too(
    tmp_path: Path,
) -> None:
    async with opened(SANDBOX, tmp_path, size=(120, 24)) as stage:
        await run(stage, "a = 1\n" + "# a long line of words\n" * 3000)

        await stage.press("y")

        assert (tmp_path / "copied" / "code.txt").read_text().count("long line") == 3000
        assert "more than some terminals take" in stage.text


# Paths.


def test_a_path_is_completed_as_in_a_shell(tmp_path: Path) -> None:
    for name in ("model.py", "mode.txt", ".hidden", "空 格.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "more").mkdir()

    assert completions("mo") == ["mode.txt", "model.py", "more/"]
    assert completions(f"{tmp_path}/mor") == [f"{tmp_path}/more/"]
    assert completions("空") == ["空 格.py"]
    assert completions("") == ["mode.txt", "model.py", "more/", "空 格.py"]
    assert completions(".h") == [".hidden"]
    assert completions("nowhere/x") == []


@pytest.mark.whole
async def test_tab_completes_in_the_question_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("")
    (tmp_path / "mode.txt").write_text("")
    async with opened(SANDBOX, tmp_path) as stage:
        await run(stage)
        await take(stage, "panel-file")
        stage.app.screen.query_one(Input).value = ""
        await stage.press("m", "o", "tab")

        assert stage.app.screen.query_one(Input).value == "mode"
        assert "mode.txt  model.py" in stage.text

        await stage.press("l", "tab")

        assert stage.app.screen.query_one(Input).value == "model.py"


@pytest.mark.whole
async def test_the_run_is_written_as_a_page(tmp_path: Path) -> None:
    async with opened(SANDBOX, tmp_path) as stage:
        await run(stage)
        await take(stage, "page")
        await accept(stage)

        written = tmp_path / "sandbox.html"
        await stage.until(lambda: written.exists() and written.stat().st_size > 0)
        assert written.read_text().startswith("<!DOCTYPE html>")
