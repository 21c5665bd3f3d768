"""40x10: small, and still everything says what it is and how to go on."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content

from inplace_tui.common.language import LANGUAGES
from inplace_tui.tutorial.ui.dialogs.dialog import RowsDialog
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.bars import Bar, KeyBar
from pictures import screen_svg
from support.course import COURSE
from support.screens import SAVED_OUTPUT, opened

SHEETS = {"contents": ("p",), "lesson": ("Y", "question_mark"), "sandbox": ("question_mark",)}


class BarHost(App[None]):
    """Shows a bar, and nothing else."""

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self.bar = bar

    def compose(self) -> ComposeResult:
        yield self.bar


async def test_every_sheet_has_a_title_and_says_how_it_is_left(tmp_path: Path) -> None:
    for screen, keys in SHEETS.items():
        async with opened(
            replace(SAVED_OUTPUT, screen=screen), tmp_path, size=(40, 10), lessons=COURSE
        ) as stage:
            await stage.press("escape" if screen == "sandbox" else "f12")
            for key in keys:
                await stage.press(key)
                sheet = stage.app.screen
                assert isinstance(sheet, RowsDialog)
                for stage.app.language in LANGUAGES:
                    await stage.pilot.pause()
                    told = (sheet.heading(), sheet.footer())

                    assert [text for text in told if text not in stage.text] == [], key
                await stage.press("escape")


async def test_the_palette_offers_a_line_each(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path, size=(40, 10)) as stage:
        await stage.press("ctrl+p")
        palette = stage.app.screen
        assert isinstance(palette, PaletteDialog)
        offered = [command.title.en for command in palette.results()[:6]]

        assert [
            text for text, line in zip(offered, stage.lines[2:], strict=False) if text not in line
        ] == []


NOTICES = (
    "gradients.py was changed elsewhere since it was opened, 12 lines",
    "文件 gradients.py 打开之后在别处被修改过，共有十二行与这里的不同",
)


async def test_a_notice_goes_on_in_the_line_of_keys(tmp_path: Path) -> None:
    async with opened(SAVED_OUTPUT, tmp_path, size=(40, 10)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        keys = stage.lines[-1]
        for notice in NOTICES:
            stage.lesson.notice(notice)
            await stage.pilot.pause()
            told = "".join(stage.lines[-2:])

            assert re.sub(r"\s", "", told) == re.sub(r"\s", "", notice)

            await stage.pilot.click(KeyBar, offset=(keys.index("quit"), 0))
            await stage.press("down")

            assert stage.lines[-1] == keys


async def test_what_is_cut_ends_beside_the_mark_of_the_cut() -> None:
    title = Content("哪一行 改了它？ one, two")
    bar = Bar()
    async with BarHost(bar).run_test(size=(title.cell_length + 2, 1)) as pilot:
        bar.show(title)
        for room in range(1, title.cell_length + 1):
            await pilot.resize_terminal(room + 2, 1)
            shown = bar.render().plain.rstrip()

            assert title.plain.startswith(shown.removesuffix("…"))
            assert cell_len(shown) <= room
            assert " …" not in shown


async def test_a_picture_of_the_screen_has_all_that_is_seen(tmp_path: Path) -> None:
    async with opened(SAVED_OUTPUT, tmp_path, size=(40, 10)) as stage:
        shown = re.sub(r"&#160;|\s", "", re.sub(r"<[^>]*>", "", screen_svg(stage.app)))

        assert "Spots" not in shown
        assert [line for line in stage.lines if re.sub(r"[\s&'<>\"]", "", line) not in shown] == []


async def test_in_a_picture_wide_characters_are_as_wide_as_in_the_terminal(tmp_path: Path) -> None:
    async with opened(SAVED_OUTPUT, tmp_path, size=(40, 10), language="zh") as stage:
        drawn = re.findall(r'textLength="([^"]*)"[^>]*>([^<\n]+)<', screen_svg(stage.app))
        lengths = {round(float(length) / cell_len(unescape(text)), 2) for length, text in drawn}

        assert any(cell_len(line) > len(line) for line in stage.lines)
        assert len(lengths) == 1
