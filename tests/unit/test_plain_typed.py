"""What can be typed where there is no screen."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from inplace_tui.tutorial.commands.plain.shell import parse_answer
from inplace_tui.tutorial.commands.plain.typed import (
    DRILL,
    LESSON,
    SANDBOX,
    CommandGroup,
    TypedCommand,
    help_lines,
    parse_line,
)
from inplace_tui.tutorial.course.lessons.kinds.kind import CodeLine, OrderView


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("", TypedCommand("next")),
        ("   ", TypedCommand("next")),
        ("ｂ", TypedCommand("back")),
        ("？", TypedCommand("help")),
        ("quit", TypedCommand("quit")),
        ("exit", TypedCommand("quit")),
        ("变体 data", TypedCommand("variants", "data")),
        ("why y.Grad", TypedCommand("why", "y.Grad")),
        ("gr", TypedCommand("graph")),
        ("con", None),
        ("nonsense", None),
        ("４", (4,)),
        ("2, 1，3", (2, 1, 3)),
        ("2 1 3", (2, 1, 3)),
        ("n", TypedCommand("next")),
        ("N", TypedCommand("back")),
        ("2.5", None),
        ("-1", None),
    ],
)
def test_a_line_means_one_thing_or_nothing(line: str, typed: object) -> None:
    assert parse_line(line, LESSON) == typed


def test_a_letter_may_mean_another_thing_in_the_sandbox() -> None:
    assert parse_line("r", LESSON) == TypedCommand("reopen")
    assert parse_line("r", SANDBOX) == TypedCommand("run")
    assert parse_line("hint", SANDBOX) is None


@pytest.mark.parametrize("groups", [LESSON, SANDBOX, DRILL], ids=["lesson", "sandbox", "drill"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_that_is_listed_is_understood_and_no_word_means_two_things(
    groups: Mapping[str, CommandGroup], language: str
) -> None:
    names = [name for group in groups.values() for name in group]
    lines = [line.strip() for line in help_lines(groups, language) if line.startswith("  ")]

    words = [word for line in lines for word in line.split("  ")[0].split(" [")[0].split(" / ")]
    typed = [word.removesuffix(" N") for word in words]
    meant = [parse_line(word, groups) for word in typed]
    assert {typed.name for typed in meant if isinstance(typed, TypedCommand)} == set(names)
    assert len(typed) == len(set(typed))


@pytest.mark.parametrize("typed", [(1, 2), (2, 1, 3), (3, 2, 1), (4, 1, 2, 3)])
def test_an_order_is_given_by_the_places_that_the_lines_have(typed: tuple[int, ...]) -> None:
    lines = tuple(CodeLine(name, 1, "") for name in "abcd"[: len(typed)])

    given = parse_answer(OrderView(lines), typed)

    assert given == " ".join("abcd"[place - 1] for place in typed)


@pytest.mark.parametrize("typed", [(), (1,), (1, 1), (0, 1), (1, 2, 3)])
def test_what_leaves_a_line_out_or_has_it_twice_is_no_order(typed: tuple[int, ...]) -> None:
    lines = (CodeLine("a", 1, ""), CodeLine("b", 2, ""))

    assert parse_answer(OrderView(lines), typed) is None
