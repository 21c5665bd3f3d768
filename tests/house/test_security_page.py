"""The page on security names the test that holds each of its promises, and each exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"tests/[a-z_/]+\.py", PAGE))

    assert len(named) > 20
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_every_row_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line]
    heads = ("| program |", "| promise |", "| when this happens |")
    free = ("| your own files", "| lessons, challenges, drills")
    unheld = [row for row in rows if not row.startswith((*heads, *free)) and "tests/" not in row]

    assert unheld == []


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert set(re.findall(r"`make ([a-z]+)`", PAGE)) <= targets
