"""The program around its screens: start, languages, themes, palette, quitting."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual._context import active_app

from inplace_tui.common.texts.screen import THEME_NAMES
from inplace_tui.diagnosis.protocol.messages import Loading, Refused, Starting
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.theme import THEMES
from support import drawn
from support.screens import opened
from support.stand_in import READY, StandIn

CONTENTS = Opening()
LESSON = Opening(screen="lesson", lesson="saved-output")


class _Watchful(StandIn):
    """Notes what was on the screen when it was started."""

    seen = ""

    async def start(self) -> None:
        self.seen = drawn.text(active_app.get())
        await super().start()


async def test_the_first_frame_is_drawn_before_the_worker_starts(tmp_path: Path) -> None:
    worker = _Watchful()
    async with opened(CONTENTS, tmp_path, worker=worker):
        pass

    assert "Contents" in worker.seen
    assert "quit" in worker.seen


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (Starting(), "starting the Python process"),
        (Loading(what="torch"), "loading torch"),
        (Loading(what="optimizers"), "loading torch.optim"),
        (Refused(reason="No module named 'torch'"), "No module named 'torch'"),
    ],
)
@pytest.mark.whole(every=4)
async def test_waiting_for_the_worker_has_a_reason(
    tmp_path: Path, state: Loading | Refused | Starting, said: str
) -> None:
    worker = StandIn(waits=True)
    async with opened(CONTENTS, tmp_path, size=(100, 24), worker=worker) as stage:
        worker.say(state)
        await stage.press()

        assert said in stage.lines[-2]
        await stage.press("slash", "z")
        assert stage.lines[-2].startswith(" /z")  # what is typed is seen


async def test_a_refusal_says_how_to_install(tmp_path: Path) -> None:
    worker = StandIn(waits=True)
    async with opened(CONTENTS, tmp_path, size=(160, 24), worker=worker) as stage:
        worker.say(Refused(reason="No module named 'torch' (pip install torch==2.13.0)"))
        await stage.press()

        assert "pip install torch==2.13.0" in stage.lines[-2]
        assert "pip install torch==2.13.0" in stage.app.refusal


async def test_a_lesson_can_be_opened_and_read_while_torch_loads(tmp_path: Path) -> None:
    worker = StandIn(waits=True)
    async with opened(LESSON, tmp_path, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        worker.say(Loading(what="torch"))
        await stage.press("n")
        waiting = stage.text
        worker.say(READY)
        await stage.until(lambda: len(stage.lesson.view.timeline) > 0)
        await stage.press("n")

        assert "y = x.exp()" in waiting
        assert "torch is being loaded: done as soon as the program runs." in waiting
        assert stage.lesson.view.cursor == 1  # both were pressed, the first of them early


async def test_a_new_worker_is_told_of(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        stage.worker.say(Starting(after_death=-9))
        await stage.press()

        assert "The worker process died" in stage.lines[-2]
        assert len(stage.lesson.view.timeline) > 0


async def test_the_language_changes_everywhere_at_once_and_is_kept(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.press("L")

        assert "第 2/3 课" in stage.lines[0]
        assert "退出" in stage.lines[-1]
        assert stage.app.learner.record.language == "zh"

        await stage.press("escape")

        assert "目录" in stage.lines[0]
        assert "第一步" in stage.text


async def test_the_theme_goes_round(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        seen = []
        for _ in THEMES:
            seen.append(stage.app.theme)
            await stage.press("T")
            assert f"theme: {THEME_NAMES[stage.app.theme].en}" in stage.text

        assert seen == [theme.name for theme in THEMES]
        assert stage.app.theme == THEMES[0].name


@pytest.mark.whole
async def test_a_theme_is_chosen_in_the_palette_and_kept(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press(":", *"colour-blind")
        await stage.until(lambda: "theme: colour-blind safe" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: stage.app.theme == "inplace-colour-blind")
    async with opened(CONTENTS, tmp_path) as again:
        assert again.app.theme == "inplace-colour-blind"


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ｑ"])
@pytest.mark.whole(every=3)
async def test_quit_quits(tmp_path: Path, key: str) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.press(key)
        await stage.until(lambda: stage.app._exit)

        assert stage.app.return_value == 0


async def test_escape_never_quits(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.press(*["escape"] * 5)

        assert isinstance(stage.app.screen, ContentsScreen)
        assert not stage.app._exit


@pytest.mark.parametrize("opening", [CONTENTS, LESSON, Opening(screen="sandbox")])
@pytest.mark.whole
async def test_quit_and_help_are_in_the_last_line_at_every_size(
    tmp_path: Path, opening: Opening
) -> None:
    missing = []
    async with opened(opening, tmp_path, size=(200, 60)) as stage:
        for size in [(200, 60), (120, 40), (80, 24), (46, 20), (40, 10), (30, 5)]:
            await stage.pilot.resize_terminal(*size)
            for language, words in (("en", ("help", "quit")), ("zh", ("帮助", "退出"))):
                stage.app.language = language
                await stage.pilot.pause()
                missing += [(size, word) for word in words if word not in stage.lines[-1]]

    assert missing == []


async def test_full_width_keys_act_as_their_ascii_twins(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("ｎ", "\u3000", "Ｎ")

        assert stage.lesson.view.cursor == 0

        await stage.press("？")

        assert isinstance(stage.app.screen, HelpDialog)


async def test_the_palette_finds_a_lesson_by_its_title_in_any_language(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path) as stage:
        await stage.press("：")
        await stage.press(*"最后的话")
        await stage.until(lambda: "Last words" in stage.text)
        await stage.press("down", "enter")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        assert stage.lesson.lesson.lesson.id == "last-words"


@pytest.mark.parametrize("typed", ["3", "last-words"])
@pytest.mark.whole(every=2)
async def test_the_palette_finds_a_lesson_by_its_number_and_id(typed: str, tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        await stage.press("colon", *typed, "enter")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        assert stage.lesson.lesson.lesson.id == "last-words"


@pytest.mark.whole
async def test_the_palette_has_what_works_on_the_screen_below(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("ctrl+p")
        await stage.press(*"next")
        await stage.until(lambda: "Run the next line" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: stage.lesson.view.cursor == 0)

        assert isinstance(stage.app.screen, LessonScreen)


async def test_a_click_on_the_footer_does_what_its_key_does(tmp_path: Path) -> None:
    async with opened(LESSON, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        column = stage.lines[-1].index("n next")
        await stage.pilot.click(offset=(column, len(stage.lines) - 1))
        await stage.pilot.pause()

        assert stage.lesson.view.cursor == 0


async def test_an_unknown_lesson_is_named_and_the_contents_are_there(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson="no-such-lesson")
    async with opened(opening, tmp_path) as stage:
        await stage.until(lambda: "no-such-lesson" in stage.text)

        assert "First steps" in stage.text


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Ctrl-C does not quit here: q does."), ("zh", "Ctrl-C 在这里不会退出；退出请按 q。")],
)
async def test_ctrl_c_says_which_key_quits(tmp_path: Path, language: str, said: str) -> None:
    async with opened(CONTENTS, tmp_path, language=language) as stage:
        await stage.press("ctrl+c")

        assert said in stage.text
        assert not len(stage.app._notifications)
