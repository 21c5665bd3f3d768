"""Shows what the terminal really sends for a key, and what it would do here."""

from __future__ import annotations

import sys
import termios
import tty

from textual.events import Key

from inplace_tui.common import paths
from inplace_tui.common.cells import clean, pad, sanitize
from inplace_tui.common.command.output import echo, print_message
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.common.texts.keymap import KeyTexts
from inplace_tui.tutorial.commands.launch import has_terminal
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.keymap import Keymap, load
from inplace_tui.tutorial.ui.keys import ACTIONS, ascii_key, shown
from inplace_tui.tutorial.ui.textual_private.terminal_input import read_keys

LEAVES = "q"
"""Pressed twice."""

_ASK_FOR_MORE, _NO_MORE = "\x1b[>1u", "\x1b[<u"
"""The kitty protocol, by which Textual asks terminals to distinguish keys; so does this."""

_WIDTHS = (16, 12, 22)


def show_keys(settings: Settings) -> int:
    """Show keys until somebody leaves."""
    if not has_terminal():
        raise CommandError(ErrorTexts.no_keyboard)
    language = settings.language
    path = paths.keymap_file()
    keymap = load(path)
    there = str(path) if path.exists() else f"{path} ({say(KeyTexts.no_file, language)})"
    print_message(say(KeyTexts.file, language, path=there))
    for problem in keymap.problems:
        print_message(f"! {problem.text(language)}")
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard, termios.TCSANOW)
        echo(_ASK_FOR_MORE, nl=False, ours=True)
        # Asked for only now: a key that came before would have been echoed, not shown.
        echo(say(KeyTexts.lead, language) + "\r", ours=True)
        columns = (KeyTexts.key, KeyTexts.character, KeyTexts.bytes, KeyTexts.action)
        heads = (say(each, language) for each in columns)
        echo(_line(*heads) + "\r", ours=True)
        _listen(keyboard, keymap, language)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        echo(_NO_MORE, nl=False, ours=True)
    return 0


def _listen(keyboard: int, keymap: Keymap, language: str) -> None:
    last = None
    for key, sent in read_keys(keyboard):
        echo(sanitize(_described(key, sent, keymap, language)) + "\r", ours=True)
        name = None if key is None else ascii_key(key).key
        if name == "ctrl+c" or name == last == LEAVES:
            return
        last = name


def _described(key: Key | None, sent: bytes, keymap: Keymap, language: str) -> str:
    raw = sent.hex(" ")
    if key is None:
        return _line(say(KeyTexts.not_a_key, language), "", raw, "")
    typed, name = clean(key.character) if key.character else "-", ascii_key(key).key
    found = [each for each in ACTIONS if name in keymap.keys(each.id)]
    labels = dict.fromkeys(f"{each.label(language)} ({each.id})" for each in found)
    actions = list_of(labels, language) or say(KeyTexts.none, language)
    return _line(shown(key.key), typed, raw, actions)


def _line(*cells: str) -> str:
    *first, last = cells
    padded = (pad(cell, size) for cell, size in zip(first, _WIDTHS, strict=True))
    return f"{' '.join(padded)} {last}".rstrip()
