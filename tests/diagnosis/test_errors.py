"""Exceptions as they are told; Python's own printing is the oracle."""

from __future__ import annotations

import linecache
import traceback
from types import TracebackType

import pytest

from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.diagnosis.record.process import errors
from inplace_tui.diagnosis.record.process.own_files import OwnFiles

FILENAME = "learner.py"


def raised(source: str, namespace: dict[str, object] | None = None) -> Raised:
    """Run `source` as the learner's file and tell what left it."""
    linecache.cache[FILENAME] = (len(source), None, source.splitlines(keepends=True), FILENAME)
    try:
        exec(compile(source, FILENAME, "exec"), namespace or {"__name__": "__main__"})
    except BaseException as error:  # noqa: BLE001 - whatever the source raises
        _forget_caller(error)
        return errors.raised(error, OwnFiles(source, FILENAME))
    raise AssertionError("nothing was raised")


def _forget_caller(error: BaseException) -> None:
    """Drop this file's frame, as the child's own frames are dropped."""
    trace = error.__traceback__
    while isinstance(trace, TracebackType) and trace.tb_frame.f_code.co_filename != FILENAME:
        trace = trace.tb_next
    error.__traceback__ = trace


@pytest.mark.parametrize(
    "source",
    [
        "1 / 0",
        "def f(n):\n    return g(n)\ndef g(n):\n    return 1 // n\nf(0)",
        "try:\n    {}['a']\nexcept KeyError:\n    int('x')",
        "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
        "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])",
        "e = ValueError('noted')\ne.add_note('a note')\nraise e",
    ],
)
def test_the_traceback_is_what_python_prints(source: str) -> None:
    try:
        exec(compile(source, FILENAME, "exec"), {"__name__": "__main__"})
    except Exception as error:  # noqa: BLE001 - whatever the source raises
        _forget_caller(error)
        linecache.cache[FILENAME] = (0, None, source.splitlines(keepends=True), FILENAME)
        expected = "".join(traceback.format_exception(error))

    assert raised(source).traceback == expected


def test_the_line_is_the_innermost_of_the_learner_s_file() -> None:
    told = raised("import json\ndef read():\n    return json.loads('[')\nread()")

    assert told.line == 3
    assert [place.function for place in told.chain] == [
        "<module>",
        "read",
        "loads",
        "decode",
        "raw_decode",
    ]


@pytest.mark.parametrize(
    "body",
    ["def __str__(self): raise RuntimeError", "def __str__(self): return 3", "__str__ = None"],
)
def test_an_exception_that_can_not_be_read_is_told_all_the_same(body: str) -> None:
    told = raised(f"class Odd(Exception):\n    {body}\nraise Odd('no')")

    assert (told.exception, told.line, told.message) == ("Odd", 3, "<Odd: its __str__ failed>")
    assert told.traceback


def test_a_book_of_a_message_is_cut_in_the_middle() -> None:
    told = raised("raise ValueError('a' * 10**7 + 'z')")

    assert len(told.message) <= errors.MAX_TEXT + 10
    assert told.message.endswith("z")


@pytest.mark.parametrize(
    ("line", "in_backward"),
    [
        ("y.sum().backward()", True),
        ("torch.autograd.backward(y.sum())", True),
        ("torch.autograd.grad(y.sum(), x)", True),
        ("x.add_(1)", False),
        ("y.backward()", True),
        ("loop = x.register_hook(lambda g: 1 / 0); x.sum().backward()", True),
        ("try: y.sum().backward()\nexcept RuntimeError as e: raise ValueError from e", False),
    ],
)
def test_it_is_known_whether_backward_was_on_the_stack(line: str, in_backward: bool) -> None:
    told = raised(
        "import torch\nx = torch.ones(2, requires_grad=True)\n"
        f"y = x.exp()\nwith torch.no_grad(): y.add_(1)\n{line}"
    )

    assert told.in_backward is in_backward


@pytest.mark.parametrize("code", [None, 0, False])
def test_leaving_with_success_is_an_end_like_any_other(code: object) -> None:
    assert errors.ending(SystemExit(code), OwnFiles("", FILENAME)) == Completed()


def test_chains_that_bite_their_tail_end() -> None:
    told = raised("a, b = ValueError(1), ValueError(2)\na.__cause__ = b\nb.__cause__ = a\nraise a")

    assert told.message == "1"
