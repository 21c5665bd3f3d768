"""What `make test` takes a sample of and `make whole` runs in full.

A test marked `whole` runs in `make whole` only; of a parametrized one marked `whole(every=3)`,
`make test` runs every third. One that loops asks here; of a property of
hypothesis's, which needs no mark, both run some examples.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

WHOLE = os.environ.get("WHOLE") == "1"

PART = os.environ.get("PART", "")
"""`2/6`: of what `make whole` runs, the third of six parts."""


def sample(cases: Iterable[T], every: int) -> list[T]:
    """Return every n-th case, the first among them; with `WHOLE=1` all of them."""
    return list(cases)[:: 1 if WHOLE else every]


def examples(many: int) -> int:
    """Return how many examples hypothesis draws: a fifth, with `WHOLE=1` all of them."""
    return many if WHOLE else max(1, many // 5)


def fuzz_examples(many: int) -> int:
    """Return how many examples of what is sent by no recorder: `FUZZ=` says another number."""
    wanted = os.environ.get("FUZZ")
    return 20_000 if wanted == "all" else int(wanted or examples(many))


def of_part(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of `PART`."""
    part, _, parts = PART.partition("/")
    return [e for e in items if zlib.crc32(e.nodeid.encode()) % int(parts) == int(part)]


def left_out(items: list[pytest.Item]) -> set[str]:
    """Return the ids of the tests that `make test` does not run."""
    marked: dict[str, tuple[int | None, list[str]]] = {}
    for item in items:
        mark = item.get_closest_marker("whole")
        if mark is not None:
            name = item.nodeid.partition("[")[0]
            marked.setdefault(name, (mark.kwargs.get("every"), []))[1].append(item.nodeid)
    out = set()
    for every, ids in marked.values():
        out |= set(ids) - set(sorted(ids)[::every] if every else ())
    return out
