"""The worker in another interpreter: a practitioner's own torch and packages."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import msgspec

from inplace_tui.runner.process import here

PYTHON = "3.11"
TORCH = "2.13"
"""What the worker reads from memory lies there as these have it."""

PATIENCE = 30.0
"""Seconds in which an interpreter must say what it is."""

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


class Versions(msgspec.Struct, frozen=True):
    """What an interpreter has."""

    python: str
    torch: str | None

    @property
    def fit(self) -> bool:
        """Whether a worker can serve there."""
        return _is(self.python, PYTHON) and self.torch is not None and _is(self.torch, TORCH)


async def versions(python: Path) -> Versions:
    """Ask an interpreter what it has; nothing of the current folder is imported for that.

    Raises:
        OSError: it can't be started, or does not answer as Python would.
    """
    process = await asyncio.create_subprocess_exec(
        _named(python),
        "-c",
        _WHO,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        told = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        return msgspec.json.decode(told, type=Versions)
    except (TimeoutError, ValueError) as failure:  # too long a line, no JSON, not UTF-8
        raise OSError("it does not answer as Python does") from failure
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _named(python: Path) -> str:
    """Return it as a path: a name alone would be looked for in `PATH`."""
    return str(python.absolute())


def _is(version: str, wanted: str) -> bool:
    return version == wanted or version.startswith(f"{wanted}.")


_HERE = """\
import runpy, sys
from importlib.machinery import PathFinder
folders = {folders!r}
class Here:
    def __init__(self, *names):
        self.names = names
    def find_spec(self, name, path=None, target=None):
        if name in self.names:
            return PathFinder.find_spec(name, [folders[name]])
sys.meta_path.insert(0, Here("inplace_tui"))
sys.meta_path.append(Here("msgspec"))
sys.argv[0] = "inplace_tui.worker"
runpy.run_module("inplace_tui.worker", run_name="__main__", alter_sys=True)
"""
"""Finds our package and its one dependency where they are installed here, and
nothing else: not our torch. Ours comes before another release of it that the
interpreter may have; the dependency comes after what it has itself."""

_NEEDED = ("inplace_tui", "msgspec")


def command(python: Path | None) -> list[str]:
    """Return the command line of a worker, without its descriptor.

    Args:
        python: the interpreter; None for the one that runs this.
    """
    if python is None:
        return here()
    return [_named(python), "-P", "-c", _HERE.format(folders=_folders())]


def _folders() -> dict[str, str]:
    """Return for each package that the worker needs the folder that it lies in."""
    found: dict[str, str] = {}
    for name in _NEEDED:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        found[name] = str(Path(spec.origin).parent.parent)
    return found
