"""The command: survey the torch of this Python, and write what was found."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from survey.datafile import SCHEMA, merged, write
from survey.processes import Pool

DATA = Path(__file__).parents[1] / "src" / "inplace_tui" / "common" / "ops"
Answers = list[tuple[str, list[Any], float]]


def main() -> None:
    options = _options()
    began = time.monotonic()
    pool = Pool(options.workers, wanted=options.only)
    answers = pool.run()
    rows = merged([row for _, found, _ in answers for row in found])
    version = ".".join(pool.torch.split(".")[:2])
    path = options.to or DATA / f"torch-{version}.json"
    header = {
        "schema": SCHEMA,
        "torch": pool.torch.split("+")[0],
        **_counts(answers, rows, pool.methods),
        "not_tried": NOT_TRIED,
    }
    write(path, header, rows)
    _report(answers, header, path, time.monotonic() - began)


NOT_TRIED = {
    "torch.compile": "backend aot_eager, of functions, methods and out=: a layer is what it calls",
    "devices": "the CPU alone: no other can be counted on",
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="survey", description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="tasks whose name has one of these in it")
    parser.add_argument("--to", type=Path, help="the file to write")
    return parser.parse_args()


def _counts(answers: Answers, rows: list[Any], methods: list[str]) -> dict[str, Any]:
    known = {row["name"] for row in rows if "cases" in row}
    listed = [found for task, found, _ in answers if task.startswith("op_db ")]
    return {
        "rows": len(rows),
        "untried": sum("untried" in row for row in rows),
        "methods": [sum(f"Tensor.{name}" in known for name in methods), len(methods)],
        "op_db": [sum(_answered(found) for found in listed), len(listed)],
    }


def _answered(rows: list[Any]) -> bool:
    return any("cases" in row for row in rows)


def _report(answers: Answers, header: dict[str, Any], path: Path, seconds: float) -> None:
    slowest = sorted(answers, key=lambda each: -each[2])[:8]
    lines = [f"{path}: {path.stat().st_size} bytes, {seconds:.0f} s", str(header)]
    lines += [f"  {each[2]:.1f} s  {each[0]}" for each in slowest]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
