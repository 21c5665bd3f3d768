"""What changed from one version of torch to the next, from the files of the survey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from survey.datafile import read

Case = dict[str, Any]
ASKED = ("node", "grads", "keeps", "writes", "result", "backward", "in_place", "exp before it")
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
    lines = [
        f"## {older['header']['torch']} to {newer['header']['torch']}",
        "",
        f"Only in the newer file (new, or new to its tests): {_names(set(after) - set(before))}",
        "",
        f"Only in the older file: {_names(set(before) - set(after))}",
        "",
        "| call | what | before | after |",
        "|---|---|---|---|",
    ]
    alike: dict[str, list[str]] = {}
    for name in sorted(set(before) & set(after)):
        for call, change in _changed(name, before[name], after[name]):
            alike.setdefault(change, []).append(call)
    for change, calls in alike.items():
        lines.append(f"| {', '.join(dict.fromkeys(calls))} | {change} |")
    return [*lines, ""]


def _rows(data: dict[str, Any]) -> dict[str, list[Case]]:
    return {row["name"]: row["cases"] for row in data["rows"] if "cases" in row}


def _names(names: set[str]) -> str:
    shown = sorted(each for each in names if "(out=)" not in each)
    return ", ".join(f"`{each}`" for each in shown) or "nothing"


def _changed(name: str, before: list[Case], after: list[Case]) -> list[tuple[str, str]]:
    """Cases of the same call with the same inputs are compared: others are other samples."""
    old, new = _by_call(before), _by_call(after)
    changes = []
    for asked in old:
        for key in ASKED if asked in new else ():
            was, now = (_comparable(key, cases[asked].get(key)) for cases in (old, new))
            if was != now and "not tried" not in f"{was} {now}":
                called = new[asked].get("call", name)
                call = f"`{called}`" if _is_named_in(name, called) else f"`{name}`: `{called}`"
                changes.append((call, f"{key} | {_text(was)} | {_text(now)}"))
    return changes


def _is_named_in(name: str, call: str) -> bool:
    told_by_its_call = name.startswith(("torch.", "F.", "Tensor.", "distributed."))
    return told_by_its_call and name.rsplit(".", maxsplit=1)[-1] in call


def _by_call(cases: list[Case]) -> dict[str, Case]:
    """Without those that one call is not enough to tell apart."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        asked = [case.get(key) for key in ("call", "inputs", "setup", "layer", "ranks", "dtype")]
        found.setdefault(json.dumps(asked), []).append(case)
    return {asked: same[0] for asked, same in found.items() if len(same) == 1}


def _comparable(key: str, value: Any) -> Any:
    """Without what hangs on the values of a sample."""
    if key == "keeps" and value:
        return {p: {n: c.split(",")[0] for n, c in kept.items()} for p, kept in value.items()}
    if key == "writes" and value:
        return {n: count for n, (count, *changed) in value.items() if count or changed == [True]}
    return value


def _text(value: Any) -> str:
    return "" if value is None else json.dumps(value).replace("|", "/")[:200]


def main() -> None:
    from survey.__main__ import DATA

    PAGE.write_text(page(sorted(DATA.glob("torch-*.json"))), encoding="utf-8")


if __name__ == "__main__":
    main()
