"""A learner's own keys: a TOML file that names actions and the keys they get.

    next = "j"
    back = ["k", "left"]
    choice.1 = "1"

What can't be done is said with its place, and leaves the action its usual keys;
the rest of the file holds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path, PurePath

from textual.app import App
from textual.keys import key_to_character
from textual.screen import Screen

from inplace_tui.common.atomic_files import read_whole
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import FilePosition, Problem, did_you_mean, fill
from inplace_tui.common.texts.keymap import KeymapTexts
from inplace_tui.tutorial.ui.keys import (
    ACTIONS,
    BY_ID,
    Action,
    Where,
    ascii_twin,
    find,
    key_name,
    shown,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
}
_MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "alt": "alt", "meta": "alt", "shift": "shift"}

NAMES = frozenset(
    (
        *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert"),
        *("delete", "backspace", "tab", "enter", "escape", "space"),
        *_ALIASES,
        *(f"f{number}" for number in range(1, 25)),
        *(key_name(chr(code)) for code in range(0x21, 0x7F)),
    )
)
"""Every key by itself. An input method's full-width forms are taken for their twins."""

_ODD = {"ctrl+at": "ctrl+@"}
"""Keys with another name in Textual: what a terminal sends for Ctrl-Space."""

SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+left_square_bracket": "escape"}
"""Keys that a terminal sends like another key."""


def parse_key(text: str) -> str | None:
    """Return Textual's name of a key: `Ctrl-R`, `ctrl+r`, `?`, `Shift-Tab`; None if it is none.

    >>> parse_key("Ctrl-R"), parse_key("?"), parse_key("Shift+n"), parse_key("Hyper-x")
    ('ctrl+r', 'question_mark', 'N', None)
    """
    if len(text) == 1:
        return _single(text)
    *written, last = re.split(r"[-+](?=.)", text.strip())
    modifiers = {_MODIFIERS.get(each.lower()) for each in written}
    name = _single(last) if len(last) == 1 else _named(last)
    if name is None or None in modifiers:
        return None
    if name.isalpha() and len(name) == 1 and modifiers:
        name = name.upper() if modifiers == {"shift"} else name.lower()
        if modifiers == {"shift"}:
            return name
        if "shift" in modifiers:
            return None  # a terminal sends the same without it
    key = "+".join([*(each for each in ("alt", "ctrl", "shift") if each in modifiers), name])
    return _ODD.get(key, key)


def types_text(key: str) -> bool:
    if key_to_character(key) is not None and "+" not in key:
        return True
    return key in NAMES and not re.fullmatch(r"f\d+", key)


def _single(character: str) -> str | None:
    twin = ascii_twin(character)
    if len(twin) != 1 or not twin.isascii() or not twin.isprintable():
        return None
    return "space" if twin == " " else key_name(twin)


def _named(name: str) -> str | None:
    lower = name.lower()
    return _ALIASES.get(lower, lower) if lower in NAMES else None


MAX_BYTES = 2**16
"""Every key of every action takes a tenth of it."""

Keys = dict[str, tuple[str, ...]]
"""The keys of each action, by its id, in Textual's names."""

USUAL: Keys = {action.id: action.keys for action in ACTIONS}

_SCREENS = tuple(
    {Where.EVERYWHERE, Where.PANEL, *more}
    for more in (
        (Where.CONTENTS,),
        (Where.WELCOME,),
        (Where.DESK,),
        (Where.RUN, Where.LESSON),
        (Where.RUN, Where.SANDBOX),
        (Where.RUN, Where.SANDBOX, Where.CHALLENGE),
        (Where.RUN, Where.LESSON, Where.DRILL),
    )
)
"""Whose actions are offered together."""

_WHILE_ASKED = frozenset(
    (
        "commit",
        "guess",
        "hint",
        "answer",
        "question",
        "leave",
        "line_up",
        "line_down",
        "quit",
        "help",
    )
)
"""What a key that marks a choice may not take; it takes others while its panel has the focus."""

_RESERVED = frozenset(
    ("up", "down", "pageup", "pagedown", "less_than_sign", "greater_than_sign", "ctrl+c")
)
"""What moves in every panel, and what copies or interrupts."""

_NAME = re.compile(r"""[\w."'\s-]+""")
_TABLE = re.compile(r"\s*\[([^\[\]]+)\]")
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class Keymap:
    """The keys as they are now, and what is wrong with the file."""

    own: Keys = field(default_factory=dict)
    """Of the actions that were moved."""

    problems: tuple[Problem, ...] = ()

    def keys(self, *actions: str) -> frozenset[str]:
        """Return the keys of these actions, moved or not."""
        return frozenset(key for each in actions for key in self.own.get(each, USUAL[each]))

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The first key of each action, as people write it: for texts that name one.

        >>> Keymap().labels["end"], Keymap().labels["run"]
        ('G', 'Ctrl-R')
        """
        return {name: shown(keys[0]) for name, keys in {**USUAL, **self.own}.items() if keys}

    def bound(self) -> dict[str, str]:
        """Return it as Textual takes it; empty if nothing was moved.

        All actions are in it: of two that share a key Textual would lose the one
        that is left out.
        """
        if not self.own:
            return {}
        return {name: ",".join(keys) for name, keys in {**USUAL, **self.own}.items() if keys}

    def message(self, language: str) -> str | None:
        """Return what is wrong, in one line that begins with what matters; None if nothing is."""
        if not self.problems:
            return None
        problem = self.problems[0]
        first = replace(problem, path=PurePath(problem.path).name).text(language)
        more = len(self.problems) - 1
        return fill(KeymapTexts.more, first=first, count=more)[language] if more else first


def load(path: Path) -> Keymap:
    """Read a keymap; a file that is not there is an empty one."""
    try:
        text = read_whole(path, MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        return Keymap()
    except (OSError, UnicodeError) as failure:
        message = fill(KeymapTexts.unreadable, why=getattr(failure, "strerror", None) or failure)
        return Keymap(problems=(Problem(str(path), 1, 1, message),))
    return read(text, str(path))


def read(text: str, path: str) -> Keymap:
    try:
        return _Reading(text, path).keymap(tomllib.loads(text))
    except RecursionError:
        return Keymap(problems=(Problem(path, 1, 1, KeymapTexts.too_deep),))
    except ValueError as failure:  # a number of thousands of digits is no error of TOML's
        at = _AT.search(str(failure))
        located = at is not None and at.group(1) is not None
        line, column = map(int, at.groups()) if at and located else (text.count("\n") + 1, 1)
        message = fill(KeymapTexts.no_toml, why=_AT.sub("", str(failure)))
        return Keymap(problems=(Problem(path, line, column, message),))


class _Reading:
    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._places = _places(text)
        self._problems: list[Problem] = []

    def keymap(self, document: Mapping[str, object]) -> Keymap:
        own: Keys = {}
        for name, value in _flat(document):
            action = find(name)
            if action is None:
                self._say(name, KeymapTexts.no_action, hint=did_you_mean(name, USUAL))
            elif keys := self._keys(name, value):
                own[name] = keys
        while clash := _clash(own):
            *both, key = clash
            # Who gives way was moved, and stands further down in the file.
            other, mine = sorted(both, key=lambda each: (each in own, self._place(each)))
            self._say(mine, KeymapTexts.conflict, key=shown(key), other=other)
            del own[mine]
        ordered = sorted(self._problems, key=lambda problem: (problem.line, problem.column))
        return Keymap(own, tuple(ordered))

    def _keys(self, name: str, value: object) -> tuple[str, ...]:
        """Return the keys of one entry; none if it can't be used."""
        named = value if isinstance(value, list) else [value]
        keys = [self._key(name, each) for each in named]
        if not keys:
            self._say(name, KeymapTexts.no_keys)
        usable = tuple(dict.fromkeys(key for key in keys if key is not None))
        if len(keys) != sum(key is not None for key in keys):
            return ()
        if name == "quit" and usable and all(map(types_text, usable)):
            self._say(name, KeymapTexts.locked_in)
            return ()
        return usable

    def _key(self, name: str, written: object) -> str | None:
        if not isinstance(written, str) or not written:
            self._say(name, KeymapTexts.no_keys)
            return None
        key = parse_key(written)
        if key is None:
            hint = did_you_mean(written.lower(), NAMES)
            self._say(name, KeymapTexts.no_key, key=written, hint=hint)
        elif key in SAME:
            self._say(name, KeymapTexts.same_key, key=shown(key), other=shown(SAME[key]))
        elif key in _RESERVED:
            self._say(name, KeymapTexts.taken, key=shown(key))
        else:
            return key
        return None

    def _place(self, name: str) -> FilePosition:
        return self._places.get(name, FilePosition(1, 1))

    def _say(self, name: str, text: LocalText, **values: object) -> None:
        line, column = self._place(name)
        message = fill(text, name=name, **values)
        self._problems.append(Problem(self._path, line, column, message))


def _clash(own: Keys) -> tuple[str, str, str] | None:
    """Return two actions that would have one key on one screen, and the key.

    Those that share one anyway may share any: which of them is meant is decided
    by what is open.
    """
    now = {**USUAL, **own}
    for places in _SCREENS:
        there = [action for action in ACTIONS if action.where in places]
        there += [action for action in ACTIONS if action.where is Where.QUESTION]
        for one, other in combinations(there, 2):
            if not {one.id, other.id} & own.keys() or set(one.keys) & set(other.keys):
                continue
            asked = [each.where is Where.QUESTION for each in (one, other)]
            if asked[0] != asked[1] and not {one.id, other.id} & _WHILE_ASKED:
                continue
            for key in now[one.id]:
                if key in now[other.id]:
                    return one.id, other.id, key
    return None


def _flat(table: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """Yield the entries; `choose.1` and `[choose]` with `1` are the same to TOML."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _places(text: str) -> dict[str, FilePosition]:
    """Return the position of each entry, which `tomllib` does not give."""
    places: dict[str, FilePosition] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        before, equals, _ = line.partition("=")
        if equals and _NAME.fullmatch(before):
            name = re.sub(r"""["'\s]""", "", before)
            column = len(line) - len(line.lstrip()) + 1
            places.setdefault(table + name, FilePosition(number, column))
        elif heading := _TABLE.match(line):
            table = re.sub(r"""["'\s]""", "", heading.group(1)) + "."
    return places


def keymap_of(app: App[object]) -> Keymap:
    """Return the keys of an app; those of a program that is none of ours are the usual ones."""
    keymap = getattr(app, "keymap", None)
    return keymap if isinstance(keymap, Keymap) else Keymap()


def live_keys(screen: Screen[object]) -> dict[Action, str]:
    """Return the actions that work now, in the order of their table, and a key for each.

    The key is the first one that works: in an editor letters type, so that only
    Ctrl-Q quits there.
    """
    bound: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        if active.enabled and active.binding.id is not None:
            bound.setdefault(active.binding.id, []).append(key)
    own = keymap_of(screen.app).own
    live = {}
    for action in ACTIONS:
        keys = bound.get(action.id)
        if keys:
            usual = [key for key in own.get(action.id, action.keys) if key in keys]
            live[action] = shown((usual or keys)[0])
    return live


def key_of(identity: str, screen: Screen[object]) -> str:
    """Return the key of an action: where letters are typed, it is not the usual one."""
    usual = BY_ID[identity]
    return live_keys(screen).get(usual, usual.key)
