"""The interpreter that a program is to run with: the project's own, whose results count."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Annotated, TypeAlias

import msgspec

from inplace_tui.common.atomic_files import read_start
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError, reason_of
from inplace_tui.common.decodable import decodable
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.python import UsedPython, Why
from inplace_tui.common.system import PORTABLE
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import WHY_PYTHON, ErrorTexts

PYTHON = (3, 10)
TORCH = (2, 2)
"""The earliest that a worker may serve with; whether it does, it finds out itself."""

PATIENCE = 30.0
"""Seconds in which an interpreter must say what it is."""

LONGEST = 65_536
"""Bytes of an answer that are read at most."""

IN_VENV = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
IN_CONDA = "python.exe" if sys.platform == "win32" else "bin/python"
"""Where an environment has its interpreter; nothing else that lies there is ever started."""

ACTIVE = {"VIRTUAL_ENV": (Why.VIRTUAL_ENV, IN_VENV), "CONDA_PREFIX": (Why.CONDA_PREFIX, IN_CONDA)}
"""Variables that name the active environment: those of `activate`, `uv run` and `conda`."""

_WHO = """\
import sys
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]
import json
try:
    from importlib.metadata import version
    torch = version("torch")
except Exception:
    torch = None
print(json.dumps({"python": sys.version.split()[0], "torch": torch}))
"""


_Version: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\d+\.\d+", max_length=100)]


class Versions(msgspec.Struct, frozen=True):
    """What an interpreter has."""

    python: _Version
    torch: _Version | None

    @property
    def fit(self) -> bool:
        """Whether a worker can serve there."""
        return (
            _numbers(self.python) >= PYTHON
            and self.torch is not None
            and _numbers(self.torch) >= TORCH
        )


@functools.cache
def versions(python: Path) -> Versions:
    """Ask an interpreter what it has; nothing of the current folder is imported for that.

    Raises:
        OSError: it can't be started, or does not answer as Python would.
    """
    try:
        return msgspec.json.decode(_answer(python), type=decodable(Versions))
    except ValueError as failure:  # nothing, too much, no JSON, not UTF-8
        raise OSError("it does not answer as Python does") from failure


def _answer(python: Path) -> bytes:
    """Return the first line that an interpreter prints; what it started ends with it.

    It prints into a file: a process that it leaves behind would hold the end of a pipe.
    """
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        with said.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603 - named by the user, or where one belongs
                [str(python.absolute()), "-c", _WHO],  # a name alone is looked for in `PATH`
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        until = monotonic() + PATIENCE
        try:
            while process.poll() is None and not _is_said(said) and monotonic() < until:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.01)
        finally:
            with suppress(ProcessLookupError):
                if sys.platform == "win32" or PORTABLE:
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return read_start(said, LONGEST).partition(b"\n")[0]


def _is_said(said: Path) -> bool:
    """Tell whether all is there that will be looked at."""
    beginning = read_start(said, LONGEST)
    return b"\n" in beginning or len(beginning) >= LONGEST


def text_of(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version.

    >>> _numbers("2.6.0+debian")
    (2, 6)
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def has_torch() -> bool:
    """Tell whether our own environment has one."""
    return importlib.util.find_spec("torch") is not None


def choose(named: Path | None, environment: Mapping[str, str], folder: Path) -> UsedPython:
    """Return the interpreter of a program in `folder`.

    The one that is named, if only by `python -m inplace_tui`; else the first with a torch of the
    active environment, as `python FILE` would take it, of the project's, and of our own.
    """
    if named is not None:
        return UsedPython(path=str(named), why=Why.NAMED)
    if Path(sys.argv[0]).parts[-2:] == ("inplace_tui", "__main__.py") and has_torch():
        return UsedPython(path=sys.executable, why=Why.NAMED)
    for why, python in _candidates(environment, folder):
        if os.path.realpath(python.parent) == os.path.realpath(Path(sys.executable).parent):
            if has_torch():
                return UsedPython(path=sys.executable, why=why)
            continue
        with suppress(OSError):
            if python.is_file() and versions(python).torch is not None:
                return UsedPython(path=str(python), why=why)
    return UsedPython(path=sys.executable, why=Why.OWN)


def _candidates(environment: Mapping[str, str], folder: Path) -> Iterator[tuple[Why, Path]]:
    """Yield where interpreters would be, in the order in which they are asked."""
    for name, (why, place) in ACTIVE.items():
        if home := environment.get(name):
            yield why, Path(home, place)
    for above in (folder, *folder.parents):
        for found in (above / ".venv", above / "venv"):
            if _is_ours(found):
                yield Why.PROJECT, found / IN_VENV
        if (above / ".git").exists() or str(above) == os.path.expanduser("~"):
            return


def _is_ours(found: Path) -> bool:
    """Tell whether a folder that was merely found is an environment that nobody else made."""
    try:
        owner = found.stat().st_uid
    except OSError:
        return False
    is_own = not hasattr(os, "getuid") or owner in (0, os.getuid())
    return is_own and (found / "pyvenv.cfg").is_file()


def python_for(named: Path | None, folder: str | None, language: str) -> UsedPython:
    """Return the interpreter of a program in `folder`; say which, if it is not plainly ours.

    Raises:
        CommandError: the one that was named is none, or has no torch.
    """
    used = choose(named, os.environ, Path(folder or "").absolute())
    if named is not None:
        _require_torch(named)
        return used
    is_passed_over = used.why is Why.OWN and not ACTIVE.keys().isdisjoint(os.environ)
    if used.other is not None or is_passed_over:
        why = say(WHY_PYTHON[used.why], language)
        print_message(say(ErrorTexts.used_python, language, path=used.path, why=why))
    return used


def recorder_for(named: Path | None, folder: str | None, language: str) -> UsedPython:
    """Return the same; raise a CommandError, too, where the recorder can't serve."""
    used = python_for(named, folder, language)
    lack = lack_of(used.other)
    if lack is not None:
        raise CommandError(lack)
    return used


def lack_of(python: Path | None) -> LocalText | None:
    """Return why the recorder can't serve in another interpreter, which has a torch."""
    if python is None or (found := versions(python)).fit:
        return None
    return fill(ErrorTexts.python_unfit, **_words(python, found))


def _require_torch(python: Path) -> None:
    try:
        found = versions(python)
    except OSError as error:
        raise CommandError(ErrorTexts.python_not_run, path=python, why=reason_of(error)) from error
    if found.torch is None:
        raise CommandError(ErrorTexts.python_bare, **_words(python, found))


def _words(python: Path, found: Versions) -> dict[str, object]:
    needed = {"wanted_python": text_of(PYTHON), "wanted_torch": text_of(TORCH)}
    return {"path": python, "python": found.python, "torch": found.torch, **needed}
