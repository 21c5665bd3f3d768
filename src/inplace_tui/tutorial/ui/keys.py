"""Every action once: its id, its keys, where it applies.

Bindings, the footer, the help page and the command palette are made from this
table, so that none of them can promise a key which another does not know. What
an action is called stands in `common/texts/actions.py`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.keys import KEY_NAME_REPLACEMENTS, format_key

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.texts import say
from inplace_tui.common.texts.actions import HELP, LABELS


class Where(StrEnum):
    """The part of the program in which an action is offered."""

    EVERYWHERE = "everywhere"
    CONTENTS = "contents"
    WELCOME = "welcome"
    DESK = "desk"
    RUN = "run"
    """Whatever shows a run: a lesson or the sandbox."""

    LESSON = "lesson"
    SANDBOX = "sandbox"
    CHALLENGE = "challenge"
    DRILL = "drill"
    VALUES = "values"
    """A tensor that was opened."""

    QUESTION = "question"
    """While the panel of an open question has the focus; bound by that panel."""

    PANEL = "panel"
    """Bound by the panels themselves; listed here for their labels."""


@dataclass(frozen=True)
class Action:
    """One thing that a learner can do."""

    id: str
    keys: tuple[str, ...]
    """In Textual's names; the first is the one that is shown."""

    where: Where
    rank: int = 0
    """Place in the footer, the smallest first; 0 is never shown there."""

    argument: int | None = None
    """The number that a digit key hands to its action."""

    does: str = ""
    """What it runs, where that is one of several things that one method does."""

    @property
    def call(self) -> str:
        return self.does or (
            self.name if self.argument is None else f"{self.name}({self.argument})"
        )

    @property
    def name(self) -> str:
        """The key of its texts: digits share theirs."""
        return self.id.partition(".")[0]

    def label(self, language: str) -> str:
        """Two or three words, as in the footer."""
        return say(LABELS[self.name], language)

    def help(self, language: str) -> str:
        return say(HELP[self.name], language)

    @property
    def key(self) -> str:
        """Its first key, as people write it."""
        return shown(self.keys[0])


PANEL_DIGITS = 6
"""The first panels have digits; any others are reached by their tabs."""

ACTIONS = (
    # Stepping.
    Action("next", ("n", "right", "space"), Where.RUN, rank=2, does="go('next')"),
    Action("back", ("N", "left"), Where.RUN, rank=3, does="go('back')"),
    Action("into", ("s",), Where.RUN, rank=14, does="go('into')"),
    Action("out", ("f",), Where.RUN, rank=15, does="go('out')"),
    Action("to_call", ("S",), Where.RUN, does="go('to_call')"),
    Action("to_return", ("F",), Where.RUN, does="go('to_return')"),
    Action("continue", ("c",), Where.RUN, rank=4, does="go('continue')"),
    Action("continue_back", ("C",), Where.RUN, does="go('continue_back')"),
    Action("start", ("g", "home"), Where.RUN, does="go('start')"),
    Action("end", ("G", "end"), Where.RUN, rank=16, does="go('end')"),
    Action("restart", ("R",), Where.RUN, rank=17),
    Action("last_write", ("B",), Where.RUN, does="go_to_write(-1)"),
    Action("next_write", ("b",), Where.RUN, does="go_to_write(1)"),
    Action("goto", ("number_sign",), Where.RUN),
    Action("scrub", ("full_stop",), Where.RUN, does="scrub(1)"),
    Action("scrub_back", ("comma",), Where.RUN, does="scrub(-1)"),
    Action("lanes_in", ("plus", "equals_sign"), Where.RUN, does="zoom_lanes(1)"),
    Action("lanes_out", ("minus",), Where.RUN, does="zoom_lanes(-1)"),
    # Questions.
    *(
        Action(f"choice.{n}", (letter,), Where.QUESTION, rank=1, argument=n)
        for n, letter in enumerate("abcdef", 1)
    ),
    Action("line_up", ("K", "shift+up"), Where.LESSON, rank=1, does="move_line(-1)"),
    Action("line_down", ("J", "shift+down"), Where.LESSON, rank=1, does="move_line(1)"),
    Action("commit", ("enter",), Where.LESSON, rank=1),
    Action("guess", ("U",), Where.LESSON),
    Action("hint", ("H",), Where.LESSON, rank=5),
    Action("answer", ("A",), Where.LESSON, rank=6),
    Action("question", ("Q",), Where.LESSON, rank=7),
    # The lesson.
    Action("variants", ("v",), Where.LESSON, rank=9),
    Action("holds", ("h",), Where.LESSON, rank=10),
    Action("mend", ("m",), Where.LESSON, rank=10),
    Action("present", (), Where.LESSON),
    Action("edit", ("e",), Where.LESSON, rank=10),
    Action("next_lesson", ("right_square_bracket",), Where.LESSON, rank=26),
    Action("previous_lesson", ("left_square_bracket",), Where.LESSON),
    # Panels.
    *(
        Action(f"panel.{n}", (str(n),), Where.RUN, rank=13, argument=n)
        for n in range(1, PANEL_DIGITS + 1)
    ),
    Action("next_panel", ("tab",), Where.RUN, rank=20, does="cycle(1)"),
    Action("previous_panel", ("shift+tab",), Where.RUN, does="cycle(-1)"),
    Action("why", ("w",), Where.RUN, rank=11),
    Action("fixes", ("x",), Where.RUN, rank=12),
    Action("op", ("I",), Where.RUN, rank=19),
    Action("to_node", ("j",), Where.RUN, rank=17),
    Action("zoom", ("z",), Where.RUN, rank=18),
    Action("copy", ("y",), Where.RUN, rank=21),
    Action("export", ("Y",), Where.RUN, rank=21),
    Action("pointers", ("p",), Where.RUN, rank=22),
    Action("open_tensor", ("t",), Where.RUN, rank=13),
    Action("pin", ("P",), Where.RUN),
    Action("modules", ("M",), Where.RUN),
    Action("leave", ("escape",), Where.RUN, rank=12),
    # The sandbox.
    Action("type", ("i", "enter"), Where.SANDBOX, rank=1),
    Action("save", ("ctrl+s", "W"), Where.SANDBOX, rank=12),
    Action("save_as", (), Where.SANDBOX),
    Action("open", ("ctrl+o", "O"), Where.SANDBOX, rank=12),
    Action("run", ("ctrl+r", "f5", "ctrl+j"), Where.SANDBOX, rank=1),
    Action("find", ("ctrl+f",), Where.SANDBOX, rank=5),
    Action("find_next", ("ctrl+g",), Where.SANDBOX),
    Action("complete", ("ctrl+space", "ctrl+@"), Where.SANDBOX),
    Action("comment", ("ctrl+slash", "ctrl+underscore"), Where.SANDBOX),
    # A challenge.
    Action("hint.challenge", ("H",), Where.CHALLENGE, rank=5),
    Action("answer.challenge", ("A",), Where.CHALLENGE, rank=6),
    Action("reset", ("D",), Where.CHALLENGE, rank=8),
    Action("next_challenge", ("right_square_bracket",), Where.CHALLENGE, rank=26),
    # The drill.
    Action("next_drill", ("enter", "right_square_bracket"), Where.DRILL, rank=1),
    Action("taught", ("o",), Where.DRILL, rank=8),
    # The contents.
    Action("open_lesson", ("enter",), Where.CONTENTS, rank=1),
    Action("resume", ("c",), Where.CONTENTS, rank=2),
    Action("ask.contents", ("a",), Where.CONTENTS, rank=2),
    Action("review", ("r",), Where.CONTENTS, rank=8),
    Action("drill", ("d",), Where.CONTENTS, rank=3),
    Action("sandbox", ("e",), Where.CONTENTS, rank=3),
    Action("library", ("b",), Where.CONTENTS, rank=5),
    Action("paths", ("p",), Where.CONTENTS, rank=5),
    Action("challenges", ("x",), Where.CONTENTS, rank=9),
    Action("introduction", ("I",), Where.CONTENTS, rank=7),
    Action("filter", ("slash",), Where.CONTENTS, rank=4),
    # The welcome.
    Action("onward", ("enter", "n", "right", "space"), Where.WELCOME, rank=1),
    Action("backward", ("N", "left"), Where.WELCOME, rank=2),
    Action("learn", ("l",), Where.WELCOME, rank=3),
    Action("ask", ("a",), Where.WELCOME, rank=4),
    Action("play", ("p",), Where.WELCOME, rank=5),
    Action("leave.welcome", ("escape",), Where.WELCOME, rank=6),
    # The desk.
    *(Action(f"take.{n}", (str(n),), Where.DESK, rank=1, argument=n) for n in range(1, 10)),
    Action("undo", ("u",), Where.DESK, rank=2),
    Action("rerun", ("r",), Where.DESK, rank=3),
    Action("stepping", ("s",), Where.DESK, rank=4),
    Action("write_page", ("m",), Where.DESK, rank=5),
    Action("about", ("l",), Where.DESK, rank=6),
    Action("why.desk", ("w",), Where.DESK, rank=7),
    Action("edit.desk", ("e",), Where.DESK, rank=8),
    Action("whole", ("enter", "z"), Where.DESK),
    Action("next_box", ("tab",), Where.DESK),
    Action("previous_box", ("shift+tab",), Where.DESK),
    Action("leave.desk", ("escape",), Where.DESK, rank=9),
    # A tensor that was opened.
    Action("gradient", ("m",), Where.VALUES, rank=1),
    Action("plane_after", ("right_square_bracket",), Where.VALUES, rank=5, does="turn(1)"),
    Action("plane_before", ("left_square_bracket",), Where.VALUES, rank=6, does="turn(-1)"),
    Action("odd", ("exclamation_mark",), Where.VALUES, rank=7),
    # Inside a panel.
    Action("choose_row", ("enter",), Where.PANEL, rank=12, does="choose"),
    Action("search", ("slash",), Where.PANEL),
    Action("next_match", ("semicolon",), Where.PANEL, does="match(1)"),
    Action("previous_match", ("apostrophe",), Where.PANEL, does="match(-1)"),
    # Everywhere.
    Action("language", ("L",), Where.EVERYWHERE, rank=23),
    Action("theme", ("T",), Where.EVERYWHERE, rank=24),
    Action("commands", ("colon", "ctrl+p"), Where.EVERYWHERE, rank=25),
    Action("help", ("question_mark", "f1"), Where.EVERYWHERE),
    Action("quit", ("q", "ctrl+q"), Where.EVERYWHERE),
)

BY_ID = {action.id: action for action in ACTIONS}

PINNED = ("help", "quit")
"""Shown at the end of the footer, however narrow it is."""


def bindings(*places: Where, only: Collection[str] = (), of: str = "") -> list[BindingType]:
    """Return the bindings of every action of these places, or of some.

    The id of a binding is the id of its action, so that a keymap can move it.
    """
    return [
        Binding(
            ",".join(action.keys),
            f"{of}{action.call}",
            say(LABELS[action.name], "en"),
            id=action.id,
        )
        for action in ACTIONS
        if action.where in places and action.keys and (not only or action.id in only)
    ]


def find(identity: str | None) -> Action | None:
    """Return the action of a binding's id; None for a binding that is not ours."""
    return None if identity is None else BY_ID.get(identity)


def shown(key: str) -> str:
    """Return a key as people write it: `Ctrl-R`, `?`, `Space`."""
    *modifiers, last = key.split("+")
    named = {"escape": "Esc", "pageup": "PageUp", "pagedown": "PageDown"}
    capital = ("home", "end", "space", "enter", "tab", "backspace")
    if last in named:
        text = named[last]
    elif last in capital or last[1:].isdigit():
        text = last.capitalize()
    else:
        text = format_key(last)
    if modifiers:
        return "-".join([*(part.capitalize() for part in modifiers), text.capitalize()])
    return text


UNDO = shown("ctrl+z")
"""Textual's own key in an editor."""

_TWINS = {0xFF01 + at: 0x21 + at for at in range(0x5E)}
_TWINS |= str.maketrans("\u3000。、《》【】“”‘’￥·—…", " ./<>[]\"\"''$`_^")
"""What a Chinese input method types where ASCII was meant."""


def ascii_twin(character: str) -> str:
    """Return what a full-width character stands for; others as they are.

    >>> ascii_twin("ｎ"), ascii_twin("？"), ascii_twin("n")
    ('n', '?', 'n')
    """
    return character.translate(_TWINS)


def ascii_key(event: Key) -> Key:
    twin = None if event.character is None else ascii_twin(event.character)
    return event if twin is None or twin == event.character else Key(key_name(twin), twin)


def takes_key(key: str) -> bool:
    """Whether a line in which one searches takes a key that means something else elsewhere."""
    function = key[0] == "f" and key[1:].isdigit()
    return not function and (not key.startswith("ctrl+") or key == "ctrl+u")


def key_name(character: str) -> str:
    """Return Textual's name of the key that types a character, as bindings have it.

    >>> key_name("?"), key_name("n")
    ('question_mark', 'n')
    """
    name = character
    if not character.isalnum():
        name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)
