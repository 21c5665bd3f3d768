"""`python -m inplace_tui.blame train.py ARGS`: have Python run a program, and watch it.

The process becomes `python train.py ARGS`, called with the same options of Python: its top level
is Python's own, with none of our frames below it. `startup/sitecustomize.py`, first on PYTHONPATH,
starts the witness before the program and leaves no trace of itself there.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

# Nothing of ours is imported: another Python runs this file by its path.

USAGE = (
    "python -m inplace_tui.blame [--values] [--json FILE] SCRIPT | -m MODULE | -c CODE | -  [ARGS]"
)

MAX_STDIN = 32 * 2**20
"""Bytes of a program that comes through stdin."""

STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")


class CommandLine:
    """What stands before the program on the command line."""

    def __init__(self, arguments: list[str]) -> None:
        self.values = False
        self.json = ""
        rest = list(arguments)
        while rest and rest[0] in ("--values", "--json", "-h", "--help"):
            option = rest.pop(0)
            if option == "--values":
                self.values = True
            elif option == "--json" and rest:
                self.json = own_path(rest.pop(0))
            else:
                stop(f"usage: {USAGE}", 0 if "-h" in option else 2)
        if not rest or (rest[0] in ("-m", "-c") and len(rest) == 1):
            stop(f"usage: {USAGE}", 2)
        if rest[0].startswith("-") and rest[0] not in ("-m", "-c", "-"):
            stop(f"no option of this program: {rest[0]}\nusage: {USAGE}", 2)
        self.program = rest


def stop(message: str, code: int) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(code)


def own_path(path: str) -> str:
    """Return where the findings go, wherever the program goes; each process has its own file."""
    if "RANK" in os.environ and os.environ.get("WORLD_SIZE", "1") != "1":
        path = f"{path}.rank{os.environ['RANK']}"
    try:
        with open(path, "a"):
            return os.path.abspath(path)
    except (OSError, ValueError) as error:
        stop(f"inplace_tui.blame: --json {path}: {error}", 2)


def python_command() -> list[str]:
    """Return how this Python was called, without what it was to run."""
    called = getattr(sys, "orig_argv", None)
    if called is None:  # before Python 3.10
        import subprocess

        return [sys.executable, *subprocess._args_from_interpreter_flags()]  # type: ignore[attr-defined]
    options: list[str] = called[: len(called) - len(sys.argv) + 1]
    ours = options.pop()
    if __spec__ is not None:  # by -m: `-m NAME`, `-um NAME` or `-mNAME`
        flags = (ours if ours.startswith("-") else options.pop()).partition("m")[0]
        options += [flags] if flags != "-" else []
    return options


def keep_stdin() -> bool:
    """Make of a program that comes through a pipe one that can be read again, for its lines."""
    if os.isatty(0) or not hasattr(os, "memfd_create"):
        return False
    try:
        with open(0, "rb", closefd=False) as given:
            content = given.read(MAX_STDIN + 1)
    except OSError:  # it is closed
        return False
    if len(content) > MAX_STDIN:
        stop(f"inplace_tui.blame: the program on stdin has more than {MAX_STDIN} bytes", 2)
    with open(os.memfd_create("stdin"), "wb") as kept:
        kept.write(content)
        kept.flush()
        os.dup2(kept.fileno(), 0)
    os.lseek(0, 0, os.SEEK_SET)
    return True


def main() -> None:
    options = CommandLine(sys.argv[1:])
    if called_by_another():
        stop(
            "inplace_tui.blame: it takes the place of its process, so it comes first: "
            "python -m inplace_tui.blame -m pdb train.py",
            2,
        )
    if sys.flags.ignore_environment or sys.flags.no_site or os.pathsep in STARTUP:
        stop(
            "inplace_tui.blame: Python reads PYTHONPATH, from where the witness starts, neither "
            f"with -E, -I or -S nor with {os.pathsep!r} in a folder's name ({STARTUP})",
            2,
        )
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([STARTUP, before] if before else [STARTUP])
    flags = (options.values, before is not None, options.program[0] == "-" and keep_stdin())
    os.environ["INPLACE_TUI_BLAME"] = "".join(f"{each:d}" for each in flags) + options.json
    os.execv(sys.executable, [*python_command(), *options.program])  # noqa: S606


def called_by_another() -> bool:
    """Whether more than `runpy` is below `main`: a debugger, a profiler, a notebook."""
    try:
        return bool(sys._getframe(5))
    except ValueError:
        return False


if __name__ == "__main__":
    main()
