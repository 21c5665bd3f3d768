"""Runs every bench, one after the other, and says at the end which promises are kept.

Exits with 1 where one is not.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

BENCHES = (
    "opening",
    "stepping",
    "letters",
    "answering",
    "steps",
    "graph",
    "recording",
    "explain",
    "fixing",
    "witness",
    "long",
    "guesses",
)
HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run these; return 0 if all that is promised is kept."""
    ended: list[tuple[str, int, float]] = []
    for name in names or [each for each in BENCHES if (HERE / f"{each}.py").exists()]:
        print(f"== {name}", flush=True)
        began = perf_counter()
        code = subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False).returncode
        ended.append((name, code, perf_counter() - began))
    print("== in all")
    for name, code, seconds in ended:
        print(f"  {name:10} {'kept' if code == 0 else 'NOT KEPT':9} {seconds:4.0f} s")
    return 0 if all(code == 0 for _, code, _ in ended) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
