"""A program is asked for until it can be opened; a message of torch's is explained instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input

from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.drafts.draft import last_programs, remember
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.keyed import COURSE
from support.screens import Stage, opened

TRACEBACK = """\
Traceback (most recent call last):
  File "{script}", line 9, in <module>
    loss.backward()
  File "/x/site-packages/torch/_tensor.py", line 648, in backward
    torch.autograd.backward(
RuntimeError: one of the variables needed for gradient computation has been modified by an \
inplace operation: [torch.FloatTensor [4, 3]], which is output 0 of SigmoidBackward0, is at \
version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that \
failed to compute its gradient, with torch.autograd.set_detect_anomaly(True).
"""


def wrapped(text: str) -> str:
    """Return what a terminal of 60 columns shows of it."""
    parts = (line[at : at + 60] for line in text.splitlines() for at in range(0, len(line), 60))
    return "\n".join(parts)


def coloured(text: str) -> str:
    return text.replace("RuntimeError", "\x1b[1;31mRuntimeError\x1b[0m")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "pkg").mkdir(parents=True)
    for name in ("train.py", "model.py", "pkg/fit.py"):
        (folder / name).write_text("x = 1\n")
    monkeypatch.chdir(folder)
    return folder


async def asked(stage: Stage) -> list[Opening | None]:
    """Ask for a program, and return the list in which the answer will be."""
    answers: list[Opening | None] = []
    stage.app.push_screen(ProgramDialog("desk"), answers.append)
    await stage.until(lambda: isinstance(stage.app.screen, ProgramDialog))
    await stage.press()
    return answers


async def typed(stage: Stage, text: str) -> None:
    """Have it come in one piece, as what is typed fast does, too."""
    stage.app.screen.query_one(Input).post_message(Paste(text))
    await stage.press()


def field(stage: Stage) -> str:
    return stage.app.screen.query_one(Input).value


async def test_a_typo_is_told_below_it_and_mended_where_it_is(
    tmp_path: Path, project: Path
) -> None:
    async with opened(Opening(), tmp_path / "home", size=(120, 30)) as stage:
        answers = await asked(stage)

        await typed(stage, "python trian.py --lr '3 e'")
        await stage.press("enter")

        lines = [line[line.index("│") :] for line in stage.lines if "│" in line]
        place = next(at for at, line in enumerate(lines) if "^^^^" in line)
        assert lines[place].index("^") == lines[0].index("trian.py")
        assert "There is no trian.py" in lines[place + 1]
        assert answers == []

        await stage.press("home", *["right"] * 9, "delete", "delete", *"ai", "enter")

        (opening,) = answers
        assert opening is not None
        assert (opening.file, opening.arguments) == (Path("train.py"), ("--lr", "3 e"))


async def test_a_wide_space_divides_words_and_a_click_runs_what_is_offered(
    tmp_path: Path, project: Path
) -> None:
    async with opened(Opening(), tmp_path / "home") as stage:
        first = await asked(stage)
        await typed(stage, "ｔｒａｉｎ．ｐｙ")
        await stage.press("\u3000", "３", "enter")
        second = await asked(stage)
        place = next(at for at, line in enumerate(stage.lines) if "  model.py" in line)
        await stage.pilot.click(offset=(stage.lines[place].index("model.py"), place))
        await stage.press()

        found = [each and (each.file, each.arguments) for each in (*first, *second)]
        assert found == [(Path("train.py"), ("3",)), (Path("model.py"), ())]


async def test_folders_are_gone_into_and_names_completed(tmp_path: Path, project: Path) -> None:
    async with opened(Opening(), tmp_path / "home") as stage:
        answers = await asked(stage)

        await stage.press("enter")
        assert "Type the path" in stage.text
        await stage.press(*"pkg", "enter")
        assert (field(stage), "fit.py" in stage.text, answers) == ("pkg/", True, [])
        await stage.press("tab", "enter")

        assert [each and each.file for each in answers] == [Path("pkg/fit.py")]


@pytest.mark.parametrize("size", [(80, 24), (40, 20)])
@pytest.mark.whole(every=2)
async def test_a_program_is_offered_again_as_it_was_called(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    home = tmp_path / "home"
    remember(home, project / "pkg" / "fit.py", "-m pkg.fit --fast")
    remember(home, project / "train.py", "LR=3 python train.py --name 'a b'")
    remember(home, project / "train.py")  # opened, and not called in another way
    async with opened(Opening(), home, size=size) as stage:
        answers = await asked(stage)
        assert "python train.py --name 'a b'" in stage.text

        await stage.press("down", "down")
        assert field(stage) == "-m pkg.fit --fast"
        await stage.press("up", "enter")

        (opening,) = answers
        assert opening is not None
        assert (opening.arguments, opening.environment) == (("--name", "a b"), (("LR", "3"),))

    monkeypatch.chdir(tmp_path)  # where there is no such module
    found = filter(None, (each.offered() for each in last_programs(home)))
    assert [line for line, _, _ in found] == ["LR=3 python project/train.py --name 'a b'"]


@pytest.mark.parametrize("change", [str, wrapped, coloured], ids=lambda it: it.__name__)
@pytest.mark.whole(every=3)
async def test_a_pasted_traceback_is_explained_and_leads_to_its_program(
    tmp_path: Path, project: Path, change: Callable[[str], str]
) -> None:
    async with opened(Opening(), tmp_path / "home", lessons=COURSE, size=(100, 50)) as stage:
        answers = await asked(stage)
        await stage.press(*"tra")

        await typed(stage, change(TRACEBACK.format(script="train.py")))

        assert field(stage).startswith("one of the variables")
        for said in ("shape [4, 3]", "SigmoidBackward0 made it", "written in place once"):
            assert said in " ".join(stage.text.replace("│", " ").split())
        assert "Run train.py" in stage.text

        await stage.press("enter")
        assert [each and each.file for each in answers] == [Path("train.py")]


async def test_the_lesson_about_a_message_is_a_key_away(tmp_path: Path, project: Path) -> None:
    async with opened(Opening(), tmp_path / "home", lessons=COURSE) as stage:
        answers = await asked(stage)

        await typed(stage, TRACEBACK.splitlines()[-1])
        await stage.press("enter")

        assert answers == [None]
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))


async def test_an_unknown_message_is_no_file(tmp_path: Path, project: Path) -> None:
    async with opened(Opening(), tmp_path / "home") as stage:
        await asked(stage)

        await typed(stage, 'Traceback:\n  File "train.py", line 1\nKeyError: 1\n')
        assert "doesn't know this message" in stage.text
        assert "Run train.py" in stage.text

        await typed(stage, "model.py\n")
        assert field(stage) == "model.py"
