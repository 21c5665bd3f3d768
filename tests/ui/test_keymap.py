"""A learner's own keys: they take effect, and mistakes in them are told with their place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.app import App
from textual.binding import BindingsMap
from textual.keys import key_to_character

from inplace_tui.common.language import LANGUAGES
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog, live_help
from inplace_tui.tutorial.ui.keymap import NAMES, USUAL, load, parse_key, read
from inplace_tui.tutorial.ui.keys import ACTIONS, Action, Where, bindings, shown
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.bars import KeyBar
from support.screens import opened
from support.texts import tables

FREE = "f9"
STAYING = {"Enter", "Esc", "Tab"}
"""Also what every dialog and every list answers to."""

SHOWN = (
    "challenges", "drill", "exporting", "fixes", "lanes", "panels", "screen", "session",
    "blame",
)  # fmt: skip
"""Said on screens; plain mode has commands, which stay."""

LESSON = Opening(screen="lesson", lesson="saved-output")
BOUND = [action for action in ACTIONS if action.keys and action.where is not Where.PANEL]


@pytest.mark.whole
def test_every_action_can_be_moved() -> None:
    """Its keys are gone and the new one runs it; all else is where it was."""
    assert [action.id for action in BOUND if not can_be_moved(action)] == []


def can_be_moved(action: Action) -> bool:
    places = [place for place in Where if place is action.where or place is Where.EVERYWHERE]
    usual, moved = BindingsMap(bindings(*places)), BindingsMap(bindings(*places))

    moved.apply_keymap(read(f"{action.id} = '{FREE}'", "k").bound())

    calls = {key: {each.action for each in found} for key, found in moved.key_to_bindings.items()}
    before = {key: {each.action for each in found} for key, found in usual.key_to_bindings.items()}
    return calls == {FREE: {action.call}} | {
        key: found - {action.call} for key, found in before.items() if found != {action.call}
    }


async def test_rows_are_chosen_with_another_key(tmp_path: Path) -> None:
    keymap = read("choose_row = 'f9'\n", "k")
    async with opened(Opening(), tmp_path, keymap=keymap) as stage:
        await stage.press("f9")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        assert len(stage.app.screen_stack) > 1


@pytest.mark.whole
async def test_a_lesson_is_stepped_with_other_keys_and_says_so(tmp_path: Path) -> None:
    text = "next = ['E', 'right']\nback = 'k'\nhelp = 'Ctrl-B'\nquit = ['X', 'Ctrl-X']\n"
    async with opened(LESSON, tmp_path, keymap=read(text, "k"), size=(120, 40)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("n", "E", "E", "k")

        assert stage.lesson.view.cursor == 0
        bar = stage.app.screen.query_one(KeyBar).text
        assert bar.startswith("E next  k back")
        assert bar.endswith("Ctrl-B help  X quit")
        told = [each.keys for _, found in live_help(stage.app.screen, "en") for each in found]
        assert ("E", "right") in told
        assert ("n", "right", "space") not in told

        await stage.press(":")
        await stage.until(lambda: re.search(r"next +E ", stage.text) is not None)
        await stage.press("escape", "ctrl+b")

        assert isinstance(stage.app.screen, HelpDialog)

        await stage.press("ctrl+b", "q")

        assert not stage.app._exit

        await stage.press("X")
        await stage.until(lambda: stage.app._exit)


async def test_texts_name_the_keys_that_were_given(tmp_path: Path) -> None:
    text = """
        choice = {1 = '1', 2 = 'k'}
        leave = 'F9'
        answer = 'E'
        why = 'V'
    """
    async with opened(LESSON, tmp_path, keymap=read(text, "k"), size=(120, 40)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c")

        assert "F9 later" in stage.text
        assert "E answer" in stage.text
        assert "1/k or ↑↓ mark" in stage.text

        await stage.press("n")

        assert "press F9 to leave it" in stage.text


def test_no_text_of_the_screen_has_a_key_that_can_be_moved_written_into_it() -> None:
    movable = {shown(key) for keys in USUAL.values() for key in keys} - STAYING
    named = re.compile(r"(?:[Pp]ress |按 ?|[(（])`?([A-Z][a-z]+-\S|F\d|[A-Za-z])(?=[`\s.,;:)）]|$)")
    found = [
        (module, each[language])
        for module in SHOWN
        for _, table in tables(module)
        for each in table.values()
        for language in LANGUAGES
        if any(key in movable for key in named.findall(each[language]))
    ]

    assert found == []


WRONG = [
    ('nxt = "j"', "1:1: no action is called 'nxt' (did you mean 'next'?)"),
    ('next = "Entr"', "1:1: no key is called 'Entr' (did you mean 'enter'?)"),
    ('next = "Hyper-x"', "1:1: no key is called 'Hyper-x'"),
    ("next = []", "1:1: 'next' needs a key, like \"n\", or a list of keys"),
    ("next = 3", "1:1: 'next' needs a key, like \"n\", or a list of keys"),
    ('next = "c"', "1:1: c would be 'next' and 'continue' on one screen; 'next' keeps its keys"),
    ('next = "L"', "1:1: L would be 'next' and 'language' on one screen; 'next' keeps its keys"),
    ('next = "Ctrl-M"', "1:1: a terminal sends Ctrl-M as Enter; 'next' keeps its keys"),
    ('next = "PageUp"', "1:1: "),
    ('quit = "x"', "1:1: "),
    ('zoom = "0"\n\n[panel]\n2 = "0"', "4:1: 0 would be 'panel.2' and 'zoom' on one screen"),
    ("next =", "1:1: not TOML: Invalid value"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_mistake_is_told_with_its_place_and_changes_nothing(text: str, said: str) -> None:
    keymap = read(text, "keymap.toml")

    assert [str(problem).startswith(f"keymap.toml:{said}") for problem in keymap.problems] == [True]
    assert keymap.own.keys() <= {"zoom"}


def test_the_rest_of_a_file_with_mistakes_holds() -> None:
    keymap = read('next = "c"\nback = "k"\nquit = "x"\nchoice.1 = "1"\n', "k")

    assert keymap.own == {"back": ("k",), "choice.1": ("1",)}
    assert len(keymap.problems) == 2


def test_keys_can_be_exchanged() -> None:
    keymap = read('next = "c"\ncontinue = "n"\n', "k")

    assert keymap.problems == ()
    assert keymap.own == {"next": ("c",), "continue": ("n",)}


async def test_mistakes_are_shown_when_the_program_opens(tmp_path: Path) -> None:
    keymap = read('nxt = "j"\nbck = "k"\n', "keymap.toml")
    async with opened(Opening(), tmp_path, keymap=keymap, size=(120, 24)) as stage:
        assert isinstance(stage.app.screen, ContentsScreen)
        assert "keymap.toml:1:1: no action is called 'nxt'" in stage.text
        assert "1 more" in stage.text


def test_a_file_that_is_not_there_moves_nothing(tmp_path: Path) -> None:
    keymap = load(tmp_path / "keymap.toml")

    assert keymap.problems == ()
    assert keymap.bound() == {}


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "keymap.toml").write_bytes(b"\xff\xfe")

    assert len(load(tmp_path / "keymap.toml").problems) == 1
    assert len(load(tmp_path).problems) == 1


def test_every_key_of_ours_can_be_written_as_textual_has_it() -> None:
    keys = {key for keys in USUAL.values() for key in keys}

    assert [key for key in keys if parse_key(key) != key] == []


def test_textual_knows_every_name() -> None:
    assert [name for name in NAMES if not is_known(name)] == []


def is_known(name: str) -> bool:
    known = App._normalize_keymap({"next": parse_key(name) or ""})
    character = key_to_character(name)
    lone = character is None or len(name) == 1 or parse_key(character) in (name, None)
    return known["next"] == parse_key(name) and lone


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 20_000, "1:1: nested too deeply"),
        ("a" + ".a" * 3_000 + " = 1", "1:1: nested too deeply"),
        (f"next = {'9' * 5_000}", "not TOML: Exceeds the limit"),
        (" " * 60_000 + "nxt = 'j'", "1:60001: no action is called 'nxt'"),
    ],
    ids=["brackets", "tables", "digits", "spaces"],
)
def test_what_python_refuses_to_read_is_said_as_any_mistake(text: str, said: str) -> None:
    problems = read(text, "keymap.toml").problems

    assert [said in each.text("en") for each in problems] == [True]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_small_screen_shows_where_all_that_is_wrong_is_told(language: str) -> None:
    far = "/home/somebody/.config/inplace-tui/keymap.toml"
    said = read("next = 'E'\nback = 'E'\nfrobnicate = 'k'\n", far).message(language)

    assert said is not None
    assert "inplace-tui keys" in said[:40]
    assert "keymap.toml:2:1: E" in said[:76]


@pytest.mark.whole
async def test_digits_that_were_moved_are_named_one_by_one(tmp_path: Path) -> None:
    keymap = read("panel.1 = '!'\n", "k")
    async with opened(LESSON, tmp_path, keymap=keymap, size=(200, 60)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()

        assert "!/2/3/4/5/6 panel" in stage.app.screen.query_one(KeyBar).text
