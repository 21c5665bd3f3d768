"""Goldens of the screen as plain text, so that a person can read the difference."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual import _wait, screen
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from support import drawn

GOLDENS = Path(__file__).parent / "goldens"
UPDATE = "UPDATE_GOLDENS"

_CLOCK, _SECONDS = re.compile(r"\d\d:\d\d:\d\d"), re.compile(r"\d\.\d\d (?=s\b|秒)")
"""What is another each time."""

QUICK = 2
"""So many times as fast are a screen's refreshes, and a pilot who waits until they are over."""

Matches = Callable[[App[None], str], bool]


def screen_text(app: App[None]) -> str:
    """Return what the terminal shows, without colours."""
    text = drawn.text(app).rstrip("\n") + "\n"
    return _SECONDS.sub("0.00 ", _CLOCK.sub("12:34:56", text))


@pytest.fixture(autouse=True, scope="session")
def quickly() -> Iterator[None]:
    """Wait less between keys, for what is drawn sooner: the one stays longer than the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screen, "UPDATE_PERIOD", screen.UPDATE_PERIOD / QUICK)
        patch.setattr(_wait, "SLEEP_GRANULARITY", _wait.SLEEP_GRANULARITY / QUICK)
        patch.setattr(_wait, "SLEEP_IDLE", _wait.SLEEP_IDLE / QUICK)
        yield


@pytest.fixture(autouse=True, scope="session")
def parsed_once() -> Iterator[None]:
    """Parse what styles all apps once, not for each: an eighth of the time of these tests."""
    parse: Callable[..., list[RuleSet]] = Stylesheet._parse_rules
    known: dict[object, list[RuleSet]] = {}

    def remembered(sheet: Stylesheet, *source: object, **named: object) -> list[RuleSet]:
        asked = (frozenset(sheet._variables.items()), source, *named.items())
        if asked not in known:
            known[asked] = parse(sheet, *source, **named)
        return known[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", remembered)
        yield


@pytest.fixture
def matches_golden() -> Matches:
    """Compare the screen with `goldens/<name>.txt`; with UPDATE_GOLDENS=1 write it anew."""

    def matches(app: App[None], name: str) -> bool:
        golden, now = GOLDENS / f"{name}.txt", screen_text(app)
        if os.environ.get(UPDATE) == "1":
            GOLDENS.mkdir(exist_ok=True)
            golden.write_text(now, encoding="utf-8")
        expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
        assert now == expected, f"{golden.name} differs; {UPDATE}=1 writes it anew"
        return True

    return matches
