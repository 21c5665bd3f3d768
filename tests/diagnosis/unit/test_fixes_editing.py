"""Edits at exact places: what is not meant stays as it was written."""

from __future__ import annotations

import ast

import pytest

from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.fix import counterparts, diff, size
from inplace_tui.diagnosis.fixes.editing import Edit, EditError, Text


def text(source: str) -> tuple[Text, list[ast.stmt]]:
    """Return a program's text and the statements of its first level."""
    found = Text(source)
    return found, found.tree.body


def test_a_node_is_found_behind_letters_of_several_bytes() -> None:
    found, [statement] = text('größe = {"中文": f(x)}  # 注\n')
    call = next(node for node in ast.walk(statement) if isinstance(node, ast.Call))

    assert found.of(call) == "f(x)"
    assert found.applied([found.replace(call, "g")]) == 'größe = {"中文": g}  # 注\n'


def test_insertions_at_one_place_stand_in_the_order_they_were_given() -> None:
    found, _ = text("a\n")

    assert found.applied([Edit(0, 0, "1"), Edit(0, 1, "b"), Edit(0, 0, "2")]) == "12b\n"


def test_edits_that_overlap_or_change_nothing_are_refused() -> None:
    found, _ = text("abc\n")

    with pytest.raises(EditError):
        found.applied([Edit(0, 2, "x"), Edit(1, 3, "y")])
    with pytest.raises(EditError):
        found.applied([Edit(0, 1, "a")])


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("y = x", "y = x.clone()"),
        ("y = f(x)[0]", "y = f(x)[0].clone()"),
        ("y = a + b", "y = (a + b).clone()"),
        ("y = (a + b)", "y = (a + b).clone()"),
        ("y = -a", "y = (-a).clone()"),
        ("y = lambda: 0", "y = (lambda: 0).clone()"),
    ],
)
def test_a_method_binds_to_the_whole_expression(source: str, changed: str) -> None:
    found, [statement] = text(source)
    assert isinstance(statement, ast.Assign)

    assert found.applied(found.append(statement.value, ".clone()")) == changed


def test_an_argument_keeps_the_parentheses_of_its_call() -> None:
    found, [statement] = text("f(a + b)")
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)

    edited = found.applied(found.append(statement.value.args[0], ".clone()"))

    assert edited == "f((a + b).clone())"


BLOCK = "if a:\n\tb = 1  # why\n\t# about c\n\tc = 2"


def test_a_statement_is_written_before_and_behind_another_with_its_indentation() -> None:
    found, [block] = text(BLOCK)
    assert isinstance(block, ast.If)
    first, last = block.body

    assert found.applied(found.before(last, "x")) == BLOCK.replace("\tc", "\tx\n\tc")
    assert found.applied(found.after(first, "x")) == BLOCK.replace("why\n", "why\n\tx\n")
    assert found.applied(found.after(last, "x")) == BLOCK + "\n\tx"


def test_a_statement_that_shares_its_line_gets_a_semicolon() -> None:
    found, [block, other, _] = text("if a: b()\nc(); d()\n")
    assert isinstance(block, ast.If)

    assert found.applied(found.before(block.body[0], "x")) == "if a: x; b()\nc(); d()\n"
    assert found.applied(found.after(other, "x")) == "if a: b()\nc(); x; d()\n"


def test_a_block_does_not_hang_on_a_shared_line() -> None:
    found, [first, *_] = text("a(); b()\n")

    with pytest.raises(EditError):
        found.applied(found.wrapped(first, first, "with c:"))


def test_what_is_wrapped_goes_in_one_level_and_strings_stay() -> None:
    source = 'def f():\n  a("""\n  kept\n""")\n\n  b()\n'
    found, [function] = text(source)
    assert isinstance(function, ast.FunctionDef)
    first, last = function.body

    edited = found.applied(found.wrapped(first, last, "with c:"))

    assert edited == 'def f():\n  with c:\n    a("""\n  kept\n""")\n\n    b()\n'


def test_a_moved_statement_takes_the_comment_above_it_along() -> None:
    source = "a()\n# about b\nb()\nwith c:\n    d()\n"
    found, [_, moved, block] = text(source)
    assert isinstance(block, ast.With)

    edited = found.applied(found.moved([moved], block.body[0], behind=True))

    assert edited == "a()\nwith c:\n    d()\n    # about b\n    b()\n"


def test_a_moved_statement_leaves_the_border_of_its_file_where_it_is() -> None:
    found, [_, moved, last] = text(join_files("a()\n", [("m.py", "# about b\nb()\nc()\n")]))

    edited = found.applied(found.moved([moved], last, behind=True))

    assert edited == join_files("a()\n", [("m.py", "c()\n# about b\nb()\n")])


def test_a_statement_is_moved_behind_the_last_line_without_an_end() -> None:
    found, [first, last] = text("a()\nb()")

    assert found.applied(found.moved([first], last, behind=True)) == "b()\na()"


def test_line_ends_of_windows_are_kept() -> None:
    found, [_, last] = text("a()\r\nb()\r\n")

    assert found.applied(found.before(last, "x")) == "a()\r\nx\r\nb()\r\n"


def test_a_form_feed_ends_no_line() -> None:
    found, [first, last] = text("a = 1 \x0c\nb = 2\n")

    assert (found.of(first), found.of(last)) == ("a = 1", "b = 2")


def test_a_decorated_function_begins_at_its_decorator() -> None:
    found, [function] = text("@d\ndef f(): ...\n")

    assert found.applied(found.before(function, "x")) == "x\n@d\ndef f(): ...\n"


def test_a_change_is_as_large_as_its_lines_and_then_its_characters() -> None:
    source = "a\nbb\nc\n"

    assert size(source, "a\nbbbb\nc\n") == (1, 2)
    assert size(source, "a\nx\nbb\nc\n") == (1, 1)
    assert size(source, "bb\na\nc\n")[0] == 2


def test_a_diff_shows_two_lines_around_the_change() -> None:
    assert diff("1\n2\n3\n4\n", "1\n2\n3\nx\n").splitlines() == [
        "@@ -2,3 +2,3 @@",
        " 2",
        " 3",
        "-4",
        "+x",
    ]


def test_a_line_is_followed_to_where_it_stands_now() -> None:
    before, after = "a\nb\nc\n", "x\na\nb\ny\n"

    assert counterparts(before, after, {2}) == {1, 3, 4}
