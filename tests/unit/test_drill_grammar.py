"""Programs of the drill: whole, small, the same for everybody, and of every kind."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache

import pytest

from inplace_tui.common.run.ending import PREDICTED
from inplace_tui.tutorial.activity.drill.grammar import LEVELS, MAX_LINES, MIN_LINES, Drill, make
from inplace_tui.tutorial.activity.drill.sketch import TAUGHT_BY, Tag

SEEDS = range(60)
EVERY = [pytest.param(level, id=f"level {level}") for level in range(1, LEVELS + 1)]

PINNED = """\
import torch
w = torch.tensor([0.5, -2.0, -3.0], requires_grad=True)
x = torch.tensor([3.0, 2.0, 4.0])
y = w + x
a = y.sigmoid()
w.data.add_(1)
loss = (a ** 2).sum()
loss.backward()
"""


@cache
def drills_of(level: int) -> list[Drill]:
    """Return programs of one level; they are made when the first test asks for them."""
    return [make(seed, level) for seed in SEEDS]


def every_drill() -> list[Drill]:
    return [drill for level in range(1, LEVELS + 1) for drill in drills_of(level)]


def tags_of(drills: list[Drill]) -> set[Tag]:
    return {tag for drill in drills for tag in drill.tags}


def test_a_seed_names_one_program_for_ever() -> None:
    """Whoever changes this program has to give the grammar another version."""
    assert make(103, 1).source == PINNED


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.whole(every=5)
def test_every_program_compiles_and_is_small(level: int) -> None:
    for drill in drills_of(level):
        lines = drill.source.splitlines()
        compile(drill.source, "drill.py", "exec")
        assert lines[0] == "import torch"
        assert MIN_LINES <= len(lines) - 1 <= MAX_LINES
        assert max(map(len, lines)) <= 70


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.whole(every=5)
def test_every_name_is_bound_before_it_is_read(level: int) -> None:
    for drill in drills_of(level):
        bound: set[str] = set()
        for statement in ast.walk(ast.parse(drill.source)):
            if isinstance(statement, ast.Import):
                bound |= {alias.name for alias in statement.names}
        for statement in ast.parse(drill.source).body:
            names = [each for each in ast.walk(statement) if isinstance(each, ast.Name)]
            read = {each.id for each in names if isinstance(each.ctx, ast.Load)}
            assert read <= bound, drill.source
            bound |= {each.id for each in names if isinstance(each.ctx, ast.Store)}


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.whole(every=5)
def test_programs_differ_from_seed_to_seed(level: int) -> None:
    assert len({drill.source for drill in drills_of(level)}) == len(SEEDS)


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.whole(every=5)
def test_every_program_ends_with_a_backward_and_is_about_something(level: int) -> None:
    for drill in drills_of(level):
        assert ".backward(" in drill.source.splitlines()[-1]
        assert drill.tags


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.whole(every=5)
def test_no_ending_is_rare_and_none_is_the_rule(level: int) -> None:
    """As the sketch guesses; that its guesses come true is tested with torch."""
    counts = Counter(drill.guess for drill in drills_of(level))
    assert all(0.12 <= counts[ending] / len(SEEDS) <= 0.45 for ending in PREDICTED)


@pytest.mark.parametrize("cue", [".data", "numpy", "no_grad", "detach", "clone", "[0]", "+= "])
@pytest.mark.whole
def test_no_word_gives_the_ending_away(cue: str) -> None:
    drills = every_drill()
    counts = Counter(drill.guess for drill in drills if cue in drill.source)
    (_, most), *_ = counts.most_common(1)

    assert counts.total() >= 20
    assert most / counts.total() <= 0.7, counts


@pytest.mark.whole
def test_a_higher_level_needs_more_concepts() -> None:
    easy, hard = (
        {tag for drill in drills_of(level) for tag in drill.tags} for level in (1, LEVELS)
    )
    assert easy < hard
    assert _mean(drills_of(1)) < _mean(drills_of(LEVELS))


@pytest.mark.whole
def test_every_concept_turns_up() -> None:
    found = {
        tag for level in range(1, LEVELS + 1) for drill in drills_of(level) for tag in drill.tags
    }
    assert found == set(Tag) == set(TAUGHT_BY)


def _mean(drills: list[Drill]) -> float:
    return sum(len(drill.source.splitlines()) for drill in drills) / len(drills)
