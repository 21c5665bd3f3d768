"""Which steps there are, in which order, and what each says of its line."""

from __future__ import annotations

import pytest

from support.recording import bare, record


def visits(source: str) -> list[tuple[int, int]]:
    return [(step.line, step.visit) for step in record(source).steps]


def test_every_line_is_a_step_that_says_which_comes_next() -> None:
    recorded = record("a = 1\nb = 2\n\nc = 3\n")

    assert recorded.first_line == 1
    assert [(s.index, s.line, s.then) for s in recorded.steps] == [
        (0, 1, 2),
        (1, 2, 4),
        (2, 4, None),
    ]


def test_a_statement_on_several_lines_is_one_step() -> None:
    (step,) = record("a = max(\n  1,\n  min(\n    2,\n    3),\n)\n").steps

    assert (step.line, step.end_line) == (1, 6)


def test_several_statements_on_one_line_are_one_step() -> None:
    assert visits("a = 1; b = 2\nc = 3") == [(1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("for i in range(2):\n  a = i", [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3)]),
        ("for i in range(2): a = i", [(1, 1), (1, 2), (1, 3)]),
        ("for i in range(\n  2): a = i", [(1, 1), (1, 2), (1, 3)]),
        ("i = 0\nwhile i < 2: i += 1", [(1, 1), (2, 1), (2, 2)]),
        (
            "i = 0\nwhile True:\n  i += 1\n  if i > 1: break",
            [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (4, 2)],
        ),
    ],
)
def test_a_line_that_runs_again_is_a_new_visit(
    source: str, expected: list[tuple[int, int]]
) -> None:
    assert visits(source) == expected


def test_leaving_a_with_block_is_a_step_of_its_own() -> None:
    source = "import torch\nwith torch.no_grad():\n  a = 1\nb = 2\n"

    steps = record(source).steps

    assert [(s.line, s.visit, s.grad_enabled) for s in steps] == [
        (1, 1, True),
        (2, 1, False),
        (3, 1, False),
        (2, 2, True),
        (4, 1, True),
    ]


CALLS = """\
def outer(x):
    y = inner(x)
    return y
def inner(x):
    return x + 1
a = outer(inner(1))
b = 2
"""


def test_the_lines_of_a_function_come_before_the_line_that_called_it() -> None:
    steps = record(CALLS).steps

    assert [(s.line, s.began, s.depth, s.function, s.then) for s in steps] == [
        (1, 0, 0, "<module>", 4),
        (4, 1, 0, "<module>", 6),
        (5, 2, 1, "inner", 6),
        (5, 3, 2, "inner", 2),
        (2, 3, 1, "outer", 3),
        (3, 5, 1, "outer", 6),
        (6, 2, 0, "<module>", 7),
        (7, 7, 0, "<module>", None),
    ]


def test_a_generator_runs_where_it_is_asked() -> None:
    source = "def g():\n  yield 1\n  yield 2\nfor v in g():\n  a = v\n"

    assert visits(source) == [(1, 1), (2, 1), (4, 1), (5, 1), (3, 1), (4, 2), (5, 2), (4, 3)]


@pytest.mark.parametrize(
    "source",
    [
        "a = [n * 2 for n in range(5)]",
        "a = {n: n for n in range(5)}",
        "a = sum(n for n in range(5))",
        "class A:\n  b = 1\n  c = 2",
    ],
)
def test_comprehensions_and_class_bodies_belong_to_their_line(source: str) -> None:
    assert visits(source) == [(1, 1)]


def test_a_lambda_is_a_call() -> None:
    steps = record("f = lambda: 1\na = f()\n").steps

    assert [(s.line, s.function, s.depth) for s in steps] == [
        (1, "<module>", 0),
        (1, "<lambda>", 1),
        (2, "<module>", 0),
    ]


CAUGHT = """\
def bad():
    raise ValueError("no")
try:
    bad()
except ValueError:
    a = 1
"""


def test_an_exception_is_told_by_every_line_that_it_left_also_if_caught() -> None:
    steps = record(CAUGHT).steps

    assert [(s.line, s.raised) for s in steps] == [
        (1, None),
        (3, None),
        (2, "ValueError: no"),
        (4, "ValueError: no"),
        (5, None),
        (6, None),
    ]
    assert steps[2].then == 4


def test_the_end_of_an_iterator_is_no_exception() -> None:
    source = """\
class Once:
    def __iter__(self): return self
    def __next__(self): raise StopIteration
for a in Once():
    pass
"""

    assert [s.raised for s in record(source).steps if s.line == 4] == [None]


def test_an_exception_passes_a_with_and_an_except_that_does_not_match() -> None:
    source = """\
import torch
try:
    with torch.no_grad():
        1 / 0
except ValueError:
    pass
"""

    recorded = record(source)

    assert [(s.line, s.visit) for s in recorded.steps if s.raised] == [(4, 1), (3, 2), (5, 1)]
    assert recorded.ending.error == "ZeroDivisionError: division by zero"


def test_the_text_of_an_exception_runs_no_code_of_the_program() -> None:
    source = """\
asked = []
class Own(Exception):
    def __str__(self):
        asked.append(1)
        return "own"
try:
    raise Own()
except Own:
    pass
print(asked)
"""

    recorded = record(source)

    assert recorded.ending.printed == "[]\n"
    assert recorded.step(7).raised == "Own"


BACKWARD = """\
import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
def hook(g):
    raise ValueError("hook")
{}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y.add_(1); y.sum().backward()", True),
        ("y.add_(1); torch.autograd.grad(y.sum(), x)", True),
        ("y.register_hook(hook); y.sum().backward()", True),
        ("y.backward()", True),
        ("x.add_(1)", False),
    ],
)
def test_a_step_says_whether_a_backward_raised(line: str, expected: bool) -> None:
    last = record(BACKWARD.format(line)).steps[-1]

    assert (last.raised is not None, last.in_backward) == (True, expected)


def test_a_line_of_a_hook_that_raises_was_in_backward_too() -> None:
    recorded = record(BACKWARD.format("y.register_hook(hook); y.sum().backward()"))

    assert recorded.step(5).in_backward


def test_the_steps_before_a_limit_are_kept() -> None:
    recorded = record("while True: pass", max_steps=20)

    assert [s.visit for s in recorded.steps] == list(range(1, 21))
    assert recorded.ending.error == "KeyboardInterrupt: limit"


def test_a_program_of_exactly_as_many_steps_as_allowed_ends_by_itself() -> None:
    assert record("a = 1\nb = 2", max_steps=2).ending.error is None


def test_a_program_that_takes_tracing_away_runs_on() -> None:
    source = "import sys\na = 1\nsys.settrace(None)\nb = 2\nprint(b)\n"

    recorded = record(source)

    assert recorded.ending == bare(source)
    assert [s.line for s in recorded.steps] == [1, 2, 3]
    assert recorded.faults == ()


def test_a_program_may_trace_itself() -> None:
    source = """\
import sys
seen = []
def own(frame, event, arg):
    seen.append(event)
    return own
def f():
    return 1
sys.settrace(own)
f()
sys.settrace(None)
print(seen)
"""

    assert record(source).ending == bare(source)


def test_a_signal_handler_that_raises_is_the_programs_own() -> None:
    source = """\
import signal
def late(*_):
    raise TimeoutError("late")
signal.signal(signal.SIGALRM, late)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    while True:
        pass
except TimeoutError as error:
    print(error)
"""

    assert record(source).ending.printed == "late\n"


@pytest.mark.whole
def test_endless_recursion_is_caught_as_it_is_bare() -> None:
    source = "def f():\n    f()\ntry:\n    f()\nexcept RecursionError:\n    print('deep')\n"

    assert record(source).ending == bare(source)


def test_an_empty_program_has_no_steps() -> None:
    recorded = record("# nothing\n")

    assert (recorded.steps, recorded.first_line, recorded.ending.error) == ((), None, None)
