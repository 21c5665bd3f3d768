"""The worker in another interpreter: a practitioner's own torch and packages."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Annotated, TypeAlias

import msgspec

import inplace_tui
from inplace_tui.common.decodable import decodable

PYTHON = (3, 10)
TORCH = (2, 2)
"""The earliest that a worker may serve with; whether it does, it finds out itself."""

PATIENCE = 30.0
"""Seconds in which an interpreter must say what it is."""

LONGEST = 65_536
"""Bytes of an answer that are read at most."""

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


async def versions(python: Path) -> Versions:
    """Ask an interpreter what it has; nothing of the current folder is imported for that.

    Raises:
        OSError: it can't be started, or does not answer as Python would.
    """
    answer = await asyncio.to_thread(_answer, python)
    try:
        return msgspec.json.decode(answer, type=decodable(Versions))
    except ValueError as failure:  # nothing, too much, no JSON, not UTF-8
        raise OSError("it does not answer as Python does") from failure


def _answer(python: Path) -> bytes:
    """Return the first line that an interpreter prints; what it started ends with it.

    A process that it leaves behind may hold the pipe, so its end is not waited for.
    """
    process = subprocess.Popen(  # noqa: S603 - the interpreter that the user names
        [_named(python), "-c", _WHO],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    answer, until = b"", monotonic() + PATIENCE
    try:
        while b"\n" not in answer and len(answer) < LONGEST and monotonic() < until:
            ended = process.poll() is not None  # looked at first: what it printed is there by then
            ready, _, _ = select.select([process.stdout], [], [], 0 if ended else 0.1)
            chunk = os.read(process.stdout.fileno(), LONGEST) if ready else b""
            if not chunk and (ready or ended):
                break
            answer += chunk
        return answer.partition(b"\n")[0]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def _named(python: Path) -> str:
    """Return it as a path: a name alone would be looked for in `PATH`."""
    return str(python.absolute())


def text_of(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version.

    >>> _numbers("2.6.0+debian")
    (2, 6)
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


async def active(environment: Mapping[str, str], folder: Path) -> Path | None:
    """Return the Python of the active environment, if that has a torch."""
    homes = [environment.get("VIRTUAL_ENV"), environment.get("CONDA_PREFIX"), folder / ".venv"]
    for python in (Path(home, "bin", "python") for home in homes if home):
        with suppress(OSError):
            if python.exists() and (await versions(python)).torch is not None:
                return python
    return None


_PACKAGE = Path(inplace_tui.__file__).parent


def command(python: Path | None) -> list[str] | None:
    """Return the command line of a worker, without its descriptor; None of one in our own."""
    if python is None:
        return None
    return [_named(python), str(_PACKAGE / "diagnosis" / "record" / "elsewhere.py")]


def witness(python: Path | None, arguments: Sequence[str]) -> list[str]:
    """Return the command line of a witness; arguments as `python -m inplace_tui.blame` has."""
    main = str(_PACKAGE / "blame" / "__main__.py")
    return [sys.executable if python is None else _named(python), main, *arguments]
