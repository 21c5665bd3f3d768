"""Help tells of the keys that work, and of no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.texts import say
from inplace_tui.common.texts.glossary import WORDS
from inplace_tui.tutorial.present.lanes import legend_parts
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog
from inplace_tui.tutorial.ui.dialogs.help import Group, keys_of, live_help
from inplace_tui.tutorial.ui.dialogs.help import rows as help_rows
from inplace_tui.tutorial.ui.keys import shown
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.lines import Lines
from support.screens import opened


def told(groups: list[Group]) -> dict[str, str]:
    return {" ".join(map(shown, each.keys)): each.text for _, found in groups for each in found}


async def test_help_follows_the_open_question(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson="saved-output")
    async with opened(opening, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        before = told(live_help(stage.app.screen, "en"))
        await stage.press("c", "n")
        after = told(live_help(stage.app.screen, "en"))

        assert before["1 2 3 4 5 6"] == "Go to the panel of this number."
        assert after["1 2 3 4 5 6"] == before["1 2 3 4 5 6"]
        assert after["a b"] == "Mark this choice; nothing is answered yet."
        assert after["A"] == "Give up and show the answer."
        assert "A" not in before
        assert "H" not in after  # this question has no hints

        await stage.press("b", "enter", "n", "n")

        assert told(live_help(stage.app.screen, "en"))["H"] == "Show the next hint."


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.whole(every=2)
async def test_the_key_that_leads_to_the_words_is_named_where_there_is_room(
    tmp_path: Path, width: int
) -> None:
    opening = Opening(screen="lesson", lesson="saved-output")
    async with opened(opening, tmp_path, size=(width, 24)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.press("question_mark")
        last = stage.text
        await stage.press("end")

        assert ("End: what words mean." in last) is (width == 80)
        assert "Esc closes." in last
        assert say(WORDS[-1].text, "en").replace("`", "")[:40] in stage.text


@pytest.mark.parametrize("key", ["x", "f5", "m"])
@pytest.mark.whole(every=3)
async def test_no_key_of_a_dialog_is_silent(key: str, tmp_path: Path) -> None:
    async with opened(Opening(screen="lesson", lesson="saved-output"), tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.press("question_mark")
        before = stage.text
        await stage.press(key)
        said = f"{shown(key)} does nothing here."

        assert said in stage.text

        await stage.press("pagedown", "pageup")

        assert stage.text == before

        await stage.press("pageup")

        assert "This is the top." in stage.text


async def test_no_digit_of_a_dialog_is_silent(tmp_path: Path) -> None:
    async with opened(Opening(screen="contents"), tmp_path) as stage:
        dialog = AskDialog(lambda: "Which?", [("a", lambda: "This"), ("b", lambda: "That")])
        await stage.app.push_screen(dialog)
        await stage.until(lambda: "That" in stage.text)

        await stage.press("3")

        assert "3 does nothing here." in stage.text
        assert stage.app.screen is dialog

        await stage.press("2")

        assert stage.app.screen is not dialog


@pytest.mark.whole
async def test_help_in_the_editor_leaves_out_the_letters(tmp_path: Path) -> None:
    async with opened(Opening(screen="sandbox"), tmp_path) as stage:
        keys = told(live_help(stage.app.screen, "en"))

        assert keys["Ctrl-R F5 Ctrl-J" if "Ctrl-R F5 Ctrl-J" in keys else "F5 Ctrl-R Ctrl-J"]
        assert keys["Ctrl-Q"] == "Quit. Progress is kept."
        assert "n" not in keys


async def test_help_opens_and_closes_and_names_the_panel(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson="saved-output")
    async with opened(opening, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.press("2", "?")

        assert "In this panel: Graph" in stage.text

        await stage.press("end")
        assert say(WORDS[-1].text, "en").split()[-1] in stage.text
        await stage.press("home")
        assert "In this panel: Graph" in stage.text

        await stage.press("?")

        assert isinstance(stage.app.screen, LessonScreen)


async def test_help_speaks_chinese(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path, language="zh") as stage:
        await stage.press("f1")

        assert "这里可用的按键" in stage.text
        assert "打开这一课" in stage.text or "上下移动" in stage.text


@pytest.mark.whole
async def test_no_key_that_types_is_told_of_in_the_editor(tmp_path: Path) -> None:
    async with opened(Opening(screen="sandbox"), tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.until(lambda: stage.sandbox.editor.has_focus)
        keys = keys_of(live_help(stage.app.screen, "en"))

        await stage.press("+", "-", "=")

        assert stage.sandbox.editor.text == "+-="
        assert not {"plus", "minus", "equals_sign"} & set(keys)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.whole(every=2)
async def test_the_help_explains_the_words(tmp_path: Path, language: str) -> None:
    async with opened(Opening(), tmp_path, language=language) as stage:
        await stage.press("question_mark")

        page = stage.app.screen.query_one(Lines).text
        assert all(say(word.text, language).split("`")[1] in page for word in WORDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_legend_of_the_help_breaks_between_marks(language: str) -> None:
    for room in range(40, 120, 7):
        page = [row.text for row in help_rows([], room, language)]

        assert not [line for line in page if "`" in line]
        assert all(any(part in line for line in page) for part in legend_parts(language))
