"""What changed from one version of torch to the next, from the files of the survey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from survey.datafile import read

Case = dict[str, Any]
ASKED = ("node", "grads", "keeps", "writes", "result", "backward", "in_place")
PAGE = Path(__file__).with_name("changes.md")


def page(files: list[Path]) -> str:
    lines = ["# What changed between versions of torch", ""]
    known = sorted((read(path) for path in files), key=_version)
    for older, newer in zip(known, known[1:]):
        lines += _between(older, newer)
    return "\n".join(lines)


def _version(data: dict[str, Any]) -> list[int]:
    return [int(part) for part in data["header"]["torch"].split(".")[:2]]


def _between(older: dict[str, Any], newer: dict[str, Any]) -> list[str]:
    before, after = _rows(older), _rows(newer)
    lines = [f"## {older['header']['torch']} to {newer['header']['torch']}", ""]
    lines.append(f"New: {_names(set(after) - set(before))}")
    lines += ["", f"Gone: {_names(set(before) - set(after))}", ""]
    lines += ["| call | what | before | after |", "|---|---|---|---|"]
    for name in sorted(set(before) & set(after)):
        lines += _changed(before[name], after[name])
    return [*lines, ""]


def _rows(data: dict[str, Any]) -> dict[str, list[Case]]:
    return {row["name"]: row["cases"] for row in data["rows"] if "cases" in row}


def _names(names: set[str]) -> str:
    shown = sorted(each for each in names if "(out=)" not in each)
    return ", ".join(f"`{each}`" for each in shown) or "nothing"


def _changed(before: list[Case], after: list[Case]) -> list[str]:
    """Cases of the same call are compared: other calls are other samples."""
    calls = {_asked(case): case for case in before}
    lines = []
    for case in after:
        old = calls.get(_asked(case))
        for key in ASKED if old is not None and "call" in case else ():
            was, now = (old or {}).get(key), case.get(key)
            if was != now:
                lines.append(f"| `{case['call']}` | {key} | {_text(was)} | {_text(now)} |")
    return lines


def _asked(case: Case) -> str:
    return json.dumps([case.get("call"), case.get("setup"), case.get("layer"), case.get("ranks")])


def _text(value: Any) -> str:
    return "" if value is None else json.dumps(value).replace("|", "/")[:160]


def main() -> None:
    from survey.__main__ import DATA

    PAGE.write_text(page(sorted(DATA.glob("torch-*.json"))), encoding="utf-8")


if __name__ == "__main__":
    main()
