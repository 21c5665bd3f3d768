"""The table of actions: what product.md promises, and that nothing in it collides."""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key as KeyPress

from inplace_tui.common.texts.actions import HELP, LABELS
from inplace_tui.tutorial.ui.keys import ACTIONS, Where, ascii_twin, find, key_name
from inplace_tui.tutorial.ui.textual_private.terminal_input import InputParser
from inplace_tui.tutorial.ui.widgets.bars import GAP, Key, fit

PROMISED = {
    "next": "n right space",
    "back": "N left",
    "into": "s",
    "out": "f",
    "to_call": "S",
    "to_return": "F",
    "continue": "c",
    "continue_back": "C",
    "start": "g home",
    "end": "G end",
    "restart": "R",
    "last_write": "B",
    "why": "w",
    "variants": "v",
    "edit": "e",
    "hint": "H",
    "answer": "A",
    "choice.1": "a",
    "choice.6": "f",
    "panel.1": "1",
    "panel.6": "6",
    "next_panel": "tab",
    "zoom": "z",
    "copy": "y",
    "pointers": "p",
    "language": "L",
    "help": "question_mark f1",
    "commands": "colon ctrl+p",
    "quit": "q ctrl+q",
    "run": "ctrl+r f5 ctrl+j",
    "leave": "escape",
    "type": "i enter",
}
"""As product.md has them, in Textual's names."""

SCREENS = [
    {Where.EVERYWHERE, Where.CONTENTS},
    {Where.EVERYWHERE, Where.RUN, Where.LESSON},
    {Where.EVERYWHERE, Where.RUN, Where.SANDBOX},
]


@pytest.mark.parametrize(("identity", "keys"), PROMISED.items())
@pytest.mark.whole(every=8)
def test_every_action_has_the_keys_that_it_was_promised(identity: str, keys: str) -> None:
    action = find(identity)

    assert action is not None
    assert " ".join(action.keys) == keys


@pytest.mark.parametrize("places", SCREENS)
def test_no_key_means_two_things_on_one_screen(places: set[Where]) -> None:
    """Digits do, by intent: which of the two holds is decided by the open question."""
    actions = [each for each in ACTIONS if each.where in places and each.argument is None]
    keys = [key for each in actions for key in each.keys]

    assert len(keys) == len(set(keys))


def test_every_action_is_named_and_explained() -> None:
    names = {action.name for action in ACTIONS}

    assert names == set(LABELS) == set(HELP)


@given(st.characters(min_codepoint=0x21, max_codepoint=0x7E))
def test_every_full_width_form_has_its_ascii_twin(character: str) -> None:
    """Unicode's full-width block is ASCII moved by 0xFEE0."""
    assert ascii_twin(chr(ord(character) + 0xFEE0)) == character


@given(st.characters(max_codepoint=0x7F))
def test_ascii_stays_what_it_is(character: str) -> None:
    assert ascii_twin(character) == character


labels = st.text(st.sampled_from("ab 帮助退出"), min_size=1, max_size=8)
keys = st.builds(Key, key=st.sampled_from(["n", "Ctrl-Q", "?"]), label=labels, call=st.just(""))


@given(st.lists(keys, max_size=12), st.lists(keys, min_size=1, max_size=2), st.integers(0, 200))
def test_the_footer_keeps_what_is_pinned_and_cuts_the_rest_from_the_end(
    offered: list[Key], pinned: list[Key], room: int
) -> None:
    kept = fit(offered, pinned, room)

    assert kept[-len(pinned) :] == pinned
    assert kept[: -len(pinned)] == list(itertools.islice(offered, len(kept) - len(pinned)))


@given(st.lists(keys, max_size=12), st.lists(keys, min_size=1, max_size=2), st.integers(0, 200))
def test_the_footer_is_never_wider_than_its_room_but_for_what_is_pinned(
    offered: list[Key], pinned: list[Key], room: int
) -> None:
    kept = fit(offered, pinned, room)
    wide = sum(key.content.cell_length for key in kept) + len(GAP) * (len(kept) - 1)

    assert wide <= room or kept == pinned


def test_a_key_is_called_what_the_terminal_makes_of_its_character() -> None:
    typed = string.punctuation + string.ascii_letters + string.digits + "！？，：é中"
    pressed = [each for letter in typed for each in InputParser().feed(letter.encode())]

    assert [each.key for each in pressed if isinstance(each, KeyPress)] == [*map(key_name, typed)]
