"""Whose a program is, is said where it is made, and only the worker makes rights of it."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import msgspec

from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.ui.drafts.draft import Draft
from support.parsed import parsed

SOURCE = Path(__file__).parents[2] / "src" / "inplace_tui"


def test_nobody_makes_a_program_without_saying_whose_it_is() -> None:
    (field,) = (each for each in msgspec.structs.fields(Program) if each.name == "origin")
    assert field.required
    for made in (Draft, LoadedLesson, LoadedChallenge):
        (origin,) = (each for each in dataclasses.fields(made) if each.name == "origin")
        assert origin.default is origin.default_factory is dataclasses.MISSING


def test_only_ones_own_programs_are_unconfined() -> None:
    assert [each for each in Origin if not each.is_confined] == [Origin.OWN]


def test_only_the_worker_asks_whether_a_program_is_confined() -> None:
    """What others know and hand along, they can forget to."""
    asking = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(parsed(file.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "is_confined":
                asking.add(file.relative_to(SOURCE).parts[:2])
            assert not (isinstance(node, ast.keyword) and node.arg == "confined"), file

    assert asking == {("diagnosis", "record")}


def test_an_origin_is_changed_only_where_a_text_is_saved_or_opened() -> None:
    """A program is replaced with all that it has: no edit says anew whose it is."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(parsed(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("replace"):
                assert "origin" not in [each.arg for each in node.keywords], file
