"""Programs that Python can't parse, or that nothing can go through that calls itself."""

from __future__ import annotations

import ast

import pytest

from inplace_tui.common.notebook import as_python
from inplace_tui.common.own_files import OWN, with_files
from inplace_tui.common.run.outcome import Outcome, Raised, StackFrame, Unverified
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import EMPTY
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.torch_names import TorchNames
from inplace_tui.common.syntax import compiled, parse, parsed
from inplace_tui.diagnosis.blame.classify import is_syntax_error
from inplace_tui.diagnosis.explain.rows import OutcomeSentences
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.tutorial.course.edits import statements
from inplace_tui.tutorial.editor.completion import TypedName, completions, names_in

UNPARSABLE = {
    "signs": f"x = {'-' * 50_000}1",
    "terms": f"x = {'+'.join(['1'] * 20_000)}",
    "attributes": f"x = a{'.a' * 20_000}",
    "brackets": f"x = {'[' * 500}",
    "branches": "if x: pass\n" + "elif y: pass\n" * 20_000,
    "a zero byte": "x = 1\0",
    "half a character": "x = '\ud800'",
    "a long number": f"x = {'9' * 5_000}",
}

DEEP = {
    "signs": f"x = {'-' * 900}1",
    "terms": f"x = {'+'.join(['y'] * 900)}",
    "calls": f"x = a{'.a(1)' * 450}",
    "branches": "if x: pass\n" + "elif y: pass\n" * 900,
    "else": f"x = {'1 if y else ' * 900}2",
}
"""Python runs these, and `ast.unparse` can't print them."""


@pytest.mark.parametrize("source", UNPARSABLE.values(), ids=UNPARSABLE)
def test_what_python_cannot_parse_is_an_answer_to_everybody_who_asks(source: str) -> None:
    with pytest.raises(SyntaxError):
        parse(source)
    with pytest.raises(SyntaxError):
        compiled(source)
    program = Program(source=source, origin=Origin.OWN, filename="main.py", folder="/nowhere")

    assert with_files(program, OWN) == program
    assert statements(source) == []
    assert parsed(source).body == []
    with pytest.raises(SyntaxError):
        FaultSite(source, None, Timeline())
    assert as_python(source) == source


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP)
def test_a_tree_that_is_too_deep_to_be_printed_is_handed_to_nobody_who_would(source: str) -> None:
    assert isinstance(parse(source, deep=True), ast.Module)
    assert parsed(source).body == []
    assert statements(source) == []
    with pytest.raises(SyntaxError, match="deeply"):
        FaultSite(source, None, Timeline())
    assert (
        completions(names_in(source, 0, TorchNames(members={})), TypedName("", source[4:]), EMPTY)
        == []
    )
    with pytest.raises(SyntaxError, match="deeply"):
        parse(source)


def test_a_tree_that_is_handed_on_can_be_printed() -> None:
    ast.unparse(parse(f"x = {'+'.join(['y'] * 190)}"))


def raised(exception: str, *frames: str, line: int | None = None) -> Raised:
    chain = tuple(StackFrame(file=each, line=1, function="f") for each in frames)
    return Raised(exception=exception, message="bad", line=line, in_backward=False, chain=chain)


@pytest.mark.parametrize(
    ("outcome", "nothing_ran"),
    [
        (raised("SyntaxError", line=1), True),
        (raised("TabError", line=1), True),
        (raised("MemoryError"), True),
        (raised("RecursionError"), True),
        (raised("SyntaxError", "main.py", line=3), False),  # of `eval("1 +")`, of an import
        (raised("SyntaxError", "main.py", "ast.py", line=3), False),
        (raised("MemoryError", "main.py", line=3), False),
        (raised("RecursionError", "main.py", line=3), False),
        (raised("ValueError", line=3), False),
    ],
)
def test_nothing_ran_is_said_of_a_program_that_was_not_parsed_alone(
    outcome: Outcome, nothing_ran: bool
) -> None:
    said = OutcomeSentences("x\ny\nz", "en").ending(outcome, Unverified())

    assert is_syntax_error(outcome) is nothing_ran
    assert any("Nothing ran" in each.text for each in said) is nothing_ran
