"""`explain` where no recorder can serve: one run of each program, watched by the witness."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from inplace_tui.common.bounded_reads import MAX_USER_FILE, read_whole
from inplace_tui.common.command.output import print_json, print_message
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.diagnosis.runner import interpreter


class WitnessedProgram(NamedTuple):
    """What the witness is to run."""

    name: str
    given: tuple[str, ...]
    """On its command line: a file, or `-m` and a module."""

    stdin: bytes
    """Which, for `-`, is the program itself."""


def run_witness(
    python: Path | None,
    programs: Sequence[WitnessedProgram],
    arguments: Sequence[str],
    *,
    lacks: str,
    as_json: bool,
    language: str,
) -> int:
    """Run programs where they are, each once; return 1 if one of them raised.

    `lacks` says why there is no recorder. With `as_json`, what was found is printed as JSON, and
    what the programs print goes to stderr.
    """
    print_message(say(ErrorTexts.witness_instead, language, why=lacks))
    is_fine = True
    for name, given, stdin in programs:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "findings.json")
            sys.stdout.flush()
            done = subprocess.run(  # noqa: S603  # the user's own interpreter and program
                interpreter.witness(python, ["--json", str(report), *given, *arguments]),
                stdout=sys.stderr if as_json else None,
                input=stdin,
                check=False,
            )
            is_fine &= done.returncode == 0
            if as_json:
                print_json(
                    {
                        "file": name,
                        "lacks": lacks,
                        "exit_code": done.returncode,
                        **_findings(report),
                    }
                )
    return 0 if is_fine else 1


def _findings(report: Path) -> dict[str, Any]:
    """Return what the witness wrote; nothing where it came to no end, or was no witness."""
    try:
        return msgspec.json.decode(read_whole(report, MAX_USER_FILE), type=dict[str, Any])
    except (OSError, ValueError, RecursionError):
        return {}
