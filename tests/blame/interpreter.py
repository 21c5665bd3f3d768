"""The Python that the witness is tested with: this one, or that of TEST_PYTHON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON = os.environ.get("TEST_PYTHON", sys.executable)
SOURCE = Path(__file__).parents[2] / "src"
HERE = Path(__file__).parent
# Memory that nobody initialised holds the same byte wherever it is (glibc; elsewhere, garbage).
FILLED_MEMORY = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=85"

_LOGGED_AT = re.compile(r"(?m)^[IWE]\d{4} [\d:.]+ \d+ ")
"""When a line of torch's log was written, and by which process."""


def environment(**more: str) -> dict[str, str]:
    """Return what a Python without this project's packages needs."""
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1", **more}


@dataclass(frozen=True)
class Run:
    """How a program ended, and what was found."""

    end: dict[str, Any]
    findings: list[dict[str, Any]]

    @property
    def comparable(self) -> dict[str, Any]:
        """The end without the notes of the witness, and without when torch logged what."""
        raised, logged = self.end.get("raised"), self.end.get("error_out", "")
        end = {**self.end, "error_out": _LOGGED_AT.sub("", logged)}
        return end if raised is None else {**end, "raised": raised[:3]}


class Programs:
    """A process that runs programs, each in a fork of its own."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [PYTHON, str(HERE / "ends.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment(GLIBC_TUNABLES=FILLED_MEMORY),
        )

    def run(self, source: str, *, watched: bool, **how: int) -> Run:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(
            json.dumps({"source": source, "watched": watched, **how}),
            file=self._process.stdin,
            flush=True,
        )
        answer = json.loads(self._process.stdout.readline())
        return Run(answer["end"], answer["findings"])

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


def python(
    *arguments: str, cwd: Path, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the interpreter under test."""
    return subprocess.run(
        [PYTHON, *arguments],
        cwd=cwd,
        input=stdin,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
