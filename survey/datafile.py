"""The file of one torch version: a row a line, sorted, the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]
SCHEMA = 1


def merged(rows: list[Row]) -> list[Row]:
    """Torch's list has some callables several times: their cases are one row's."""
    found: dict[str, Row] = {}
    for row in sorted(rows, key=lambda each: (str(each["name"]), json.dumps(each))):
        known = found.setdefault(row["name"], row)
        if known is not row:
            _take(known, row)
    _share_out_aliases(found)
    return sorted(found.values(), key=lambda each: (str(each.get("of", "")), str(each["name"])))


def _share_out_aliases(rows: dict[str, Row]) -> None:
    """A name leads to one row: to its own, or to that of the operation it is called after."""
    owners: dict[str, str] = {}
    for row in rows.values():
        for alias in row.get("aliases", []):
            is_called_so = alias.rsplit(".", maxsplit=1)[-1].rstrip("_") == row.get("of")
            if alias not in owners or is_called_so:
                owners[alias] = row["name"]
    for row in rows.values():
        aliases = row.pop("aliases", [])
        kept = [each for each in aliases if owners[each] == row["name"] and each not in rows]
        if kept:
            row["aliases"] = kept


def _take(known: Row, more: Row) -> None:
    aliases = dict.fromkeys([*known.get("aliases", []), *more.get("aliases", [])])
    if aliases:
        known["aliases"] = list(aliases)
    cases = known.get("cases", [])
    answers = [_answer(each) for each in cases]
    cases += [each for each in more.get("cases", []) if _answer(each) not in answers]
    if cases:
        known["cases"] = cases
        known.pop("untried", None)


def _answer(case: Row) -> Row:
    return {
        k: v for k, v in case.items() if k not in ("samples", "call", "inputs", "setup", "loss")
    }


def write(path: Path, header: Row, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_text(header, rows), encoding="utf-8")


def _text(header: Row, rows: list[Row]) -> str:
    lines = ",\n".join(_line(row) for row in rows)
    return f'{{"header": {_line(header)},\n"rows": [\n{lines}\n]}}\n'


def _line(value: Row) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(path: Path) -> Row:
    return dict(json.loads(path.read_text(encoding="utf-8")))
