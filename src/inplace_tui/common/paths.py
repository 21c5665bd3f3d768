"""Where things are: the lessons that came with the program, and what is kept for a learner."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import platformdirs

import inplace_tui

HOME = "INPLACE_TUI_HOME"
"""Environment variable: keep everything in this folder instead."""

LEARNER = "INPLACE_TUI_LEARNER"
"""Environment variable: shuffle choices by this number instead of the learner's own.

A class that goes through a lesson together has them in one order; 0 is that of the file.
"""

_ID = re.compile(r"[a-z0-9-]+")

NOWHERE = Path(os.devnull, "no-home")
"""Stands for the folder of a user who has none: nothing is there, and nothing can be made."""


def home() -> Path:
    """Return the folder for what is kept between sessions. It need not exist."""
    chosen = os.environ.get(HOME)
    return expanded(chosen) if chosen else _of_user(platformdirs.user_data_path)


def _of_user(find: Callable[..., Path]) -> Path:
    try:
        return find("inplace-tui", appauthor=False)
    except RuntimeError:  # no HOME, and no such user
        return NOWHERE


def from_here(path: Path) -> Path:
    """Return the shorter path, if it lies below the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def expanded(chosen: str) -> Path:
    """Return the path that a person typed, `~` being the home folder."""
    try:
        return Path(chosen).expanduser()
    except RuntimeError:  # `~nobody` is no user, then it is a name
        return Path(chosen)


def learner_number() -> int | None:
    chosen = os.environ.get(LEARNER, "")
    return int(chosen) if chosen.isdecimal() else None


def progress_file() -> Path:
    return home() / "progress.json"


def unsaved() -> Path:
    """Return the folder of copies of what was not saved, and of sets that are being saved."""
    return home() / "unsaved"


def keymap_file() -> Path:
    """Return the file of a learner's own keys, which they write themselves."""
    folder = home() if os.environ.get(HOME) else _of_user(platformdirs.user_config_path)
    return folder / "keymap.toml"


def trust_file() -> Path:
    return home() / "trusted.json"


def packs() -> Path:
    """Return the folder of packs: lessons from elsewhere, shown below the built-in ones."""
    return home() / "packs"


def cache() -> Path:
    """Return the folder of what can be made again at any time."""
    return home() / "cache" if os.environ.get(HOME) else _of_user(platformdirs.user_cache_path)


def introduction() -> Path:
    return built_in_lessons() / "introduction.yaml"


def built_in_lessons() -> Path:
    """Return the folder of the lessons: beside the code in a wheel, else in the checkout."""
    package = Path(inplace_tui.__file__).resolve().parent
    installed = package / "lessons"
    return installed if installed.is_dir() else package.parents[1] / "lessons"


def corners() -> Path:
    """Return the folder of what general sentences of lessons are tried with, as Python files."""
    return built_in_lessons() / "corners"


def lesson_files(folder: Path, identity: str) -> list[Path]:
    """Return the files of the lessons with that id in a course, from the names of its files alone.

    Reading the whole course takes longer than anything else that a command does.
    """
    if _ID.fullmatch(identity) is None:
        return []
    return [
        path
        for path in folder.glob(f"*/*-{identity}.yaml")
        # `output` would find `01-saved-output.yaml`, too, and challenges are no lessons.
        if path.stem.partition("-")[2] == identity and (path.parent / "chapter.yaml").is_file()
    ]
