"""Notebooks: their cells as a program, and back as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inplace_tui.common.notebook import (
    NotebookError,
    as_python,
    is_in_order,
    left_out,
    read_notebook,
    restored,
    rewritten,
)
from inplace_tui.common.run.files import place_of


def code(count: int | None, source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": count, "outputs": [], "source": source}


def notebook(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}


def written(document: dict[str, Any], **layout: Any) -> bytes:
    return (json.dumps(document, **{"indent": 1, "ensure_ascii": False, **layout}) + "\n").encode()


SOURCES = [
    "x = 1\ny = x % 2\n",
    "%matplotlib inline\nx = 1",
    "!pip install a \\\n    b\nx = 1\n",
    "if x:\n    !ls\nelse:\n    %cd ..\n",
    "files = !ls\nx?\n?x\n",
    "%%time\n%time f(1)\nx = (1\n % 2)\n",
    "%%bash\nls | wc\necho done\n",
    "s = '''\n%not a magic\n!neither\n'''\n",
    "def broken(:\n",
    "",
]


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_not_python_is_a_comment_line_for_line_and_comes_back(source: str) -> None:
    python = as_python(source)

    assert python.count("\n") == source.count("\n")
    assert restored(python) == source
    if source != "def broken(:\n":
        compile(python, "cell", "exec")


def test_python_stays_as_it_is() -> None:
    assert as_python(SOURCES[0]) == SOURCES[0]
    assert as_python(SOURCES[7]) == SOURCES[7]


def test_what_a_program_misses_is_named_and_what_it_does_not_miss_is_not() -> None:
    document = notebook(
        code(2, SOURCES[1]), code(3, SOURCES[3]), code(None, SOURCES[5]), code(1, SOURCES[6])
    )
    text = read_notebook(written(document)).text

    assert left_out(text) == [
        ("In [3]", 2, "!ls"),
        ("In [3]", 4, "%cd .."),
        ("In [1]", 1, "%%bash"),
    ]
    assert not is_in_order(text)


def test_lines_are_named_by_cell_and_number_there() -> None:
    document = notebook(
        {"cell_type": "markdown", "source": "# title"}, code(3, "a = 1\nb = 2"), code(None, "c = 3")
    )
    text = read_notebook(written(document)).text
    lines = text.split("\n")

    assert place_of(text, lines.index("b = 2") + 1).text == "In [3]:2"
    assert place_of(text, lines.index("c = 3") + 1).text == "cell 2:1"


def test_two_cells_with_one_number_are_counted() -> None:
    assert read_notebook(written(notebook(code(1, "a"), code(1, "b")))).names == (
        "cell 1",
        "cell 2",
    )


def test_format_3_is_read_and_written() -> None:
    cell = {"cell_type": "code", "input": ["a = 1\n", "b = 2"], "prompt_number": 7, "outputs": []}
    document = {"worksheets": [{"cells": [cell]}], "metadata": {}, "nbformat": 3}

    found = read_notebook(written(document))

    assert (found.names, found.sources) == (("In [7]",), ("a = 1\nb = 2",))
    after = rewritten(written(document), {0: "a = 1\nb = 3"})
    assert after == written(document).replace(b"b = 2", b"b = 3")


@pytest.mark.parametrize(
    "layout",
    [{}, {"indent": 2}, {"ensure_ascii": True}, {"indent": None, "separators": (",", ":")}],
    ids=str,
)
def test_only_the_changed_cell_is_written_anew(layout: dict[str, Any]) -> None:
    before = written(notebook(code(1, ["a = 'é'\n", "b = 2"]), code(2, "c = 3")), **layout)

    after = rewritten(before, {1: "c = 4"})

    assert after == before.replace(b"c = 3", b"c = 4")


def refusal(content: bytes) -> str:
    with pytest.raises(NotebookError) as caught:
        read_notebook(content)
    return caught.value.text.en


def test_each_unusable_notebook_says_why() -> None:
    other = {"language_info": {"name": "R", "codemirror_mode": "r"}}
    assert refusal(b"{'a': 1").startswith("no notebook: it is not JSON (")
    assert refusal(b"\xff").startswith("no notebook: it is not JSON (")
    assert refusal(b"[]") == "no notebook of format 3 or 4 (Expected `object`, got `array`)"
    assert refusal(b'{"nbformat": 4, "cells": 5}') == (
        "no notebook of format 3 or 4 (Expected `array`, got `int` - at `$.cells`)"
    )
    assert refusal(b'{"nbformat": 4, "metadata": "text", "cells": []}') == (
        "no notebook of format 3 or 4 (Expected `object | null`, got `str` - at `$.metadata`)"
    )
    assert refusal(b'{"nbformat": 4, "cells": [{"cell_type": "code"}]}') == "it has no code cell"
    assert refusal(written(notebook({"cell_type": "markdown", "source": "a"}))) == (
        "it has no code cell"
    )
    assert refusal(written(notebook(code(1, "x"), metadata=other))) == "its language is R"


def test_a_layout_that_can_not_be_kept_is_not_written() -> None:
    before = written(notebook(code(1, "a = 1"))).replace(b'"cells": [', b'"cells":   [')

    with pytest.raises(NotebookError, match="laid out"):
        rewritten(before, {0: "a = 2"})
