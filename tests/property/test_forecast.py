"""What the graph is read to say is what torch then does, or nothing is said."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inplace_tui.tutorial.forecast.forecast import Forecast, StepForecasts, Unknown
from support.extra_backwards import try_backwards
from support.foretold import contradiction
from support.programs import programs
from support.recording import Recorded, record
from support.whole import examples

QUICK = settings(
    deadline=None,
    max_examples=examples(8),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

VARIABLES = ("a", "b", "c", "d")
_some = st.sampled_from(VARIABLES)
_lines = st.one_of(
    st.builds(
        "{} = {}.{}()".format,
        _some,
        _some,
        st.sampled_from(["exp", "sin", "relu", "clone", "sigmoid", "sqrt", "tanh", "neg"]),
    ),
    st.builds("{} = {} {} {}".format, _some, _some, st.sampled_from("+-*/"), _some),
    st.builds("{} = {}[:2].repeat(2)".format, _some, _some),
    st.builds("{} = {}[{}]".format, _some, _some, st.sampled_from([":", "::1", "[3, 2, 1, 0]"])),
    st.builds("{} = torch.stack([{}, {}]).sum(0)".format, _some, _some, _some),
    st.builds("{} = {}.{}".format, _some, _some, st.sampled_from(["detach()", "data", "view(4)"])),
    st.builds("{} = {}.softmax(0)".format, _some, _some),
    st.builds("{}.{}".format, _some, st.sampled_from(["add_(1)", "mul_(2)", "sin_()", "exp_()"])),
    st.builds("{} {}= {}".format, _some, st.sampled_from("+*"), _some),
    st.builds("{}[{}] = {}".format, _some, st.sampled_from(["0", ":2", ":"]), st.just("3")),
    st.builds("{}[:2] = {}[2:]".format, _some, _some),
    st.builds("{}[1:].mul_({}[1:])".format, _some, _some),
    st.builds("{}.data.{}".format, _some, st.sampled_from(["mul_(2)", "add_(1)", "zero_()"])),
    st.builds("{}.detach().numpy()[0] = 7".format, _some),
    st.builds("{}.detach().{}".format, _some, st.sampled_from(["add_(1)", "logical_not_()"])),
    st.builds("{}.data = {}.detach().clone()".format, _some, _some),
    st.builds("{}.detach_()".format, _some),
    st.builds("{}.sum().backward({})".format, _some, st.sampled_from(["", "retain_graph=True"])),
    st.builds("{} = {}.exp(); {}.data.add_(1)".format, _some, _some, _some),
    st.builds("{} = {}.exp().add_(1)".format, _some, _some),
    st.just("x.grad = None"),
    st.just("x.data.add_(0.5)"),
    st.just("a = x * x.grad"),
)


def _guarded(line: str) -> str:
    return f"try:\n    {line}\nexcept RuntimeError:\n    pass\n"


views_and_writes = st.lists(_lines, min_size=2, max_size=9).map(
    lambda lines: (
        "import torch\nx = torch.tensor([1., 2., 3., 4.], requires_grad=True)\n"
        + "a = b = c = d = x * 1\n"
        + "".join(map(_guarded, lines))
    )
)


FIRST_NODE = "import torch\nx = torch.ones(4, requires_grad=True)\na = x * 1\n"
"""Its graph begins with the first node of its process, whose sequence number is 0."""


VIEW_OF_DETACHED = [
    *("import torch", "x = torch.tensor([1., 2., 3., 4.], requires_grad=True)", "a = b = x * 1"),
    *("a = a[:]", "a[1:].mul_(a[1:])", "b.detach_()", "a = a.exp()"),
]
"""Who asks, before `b` is detached, whether `a` is a leaf gives it a graph that it keeps."""


@given(views_and_writes)
@example("\n".join(VIEW_OF_DETACHED))
@example(FIRST_NODE + "a.sum().backward()\na = a.exp()\na.add_(1)\n")
@QUICK
@pytest.mark.whole
def test_forecasts_among_views_and_writes_come_true(source: str) -> None:
    """At every statement and for every tensor."""
    assert contradictions(source) == []


@given(programs)
@QUICK
def test_forecasts_in_any_program_come_true(source: str) -> None:
    """Hooks, Functions, modules, checkpoints and all."""
    assert contradictions(source) == []


def contradictions(source: str, said: Counter[str] | None = None) -> list[str]:
    """Return every forecast that does not come true.

    Args:
        source: of a program without functions of its own, or none that matter.
        said: counts the forecasts by their kind.
    """
    recorded = record(source)
    bare, true = try_backwards(source, clone=False), try_backwards(source, clone=True)
    found = []
    alike = True
    for statement, after, cloned in zip(ast.parse(source).body, bare, true, strict=False):
        alike = alike and after.state == cloned.state
        index = _last_step(recorded, statement)
        if index is None:
            continue
        for name, told in _forecasts(recorded, index, source).items():
            if said is not None:
                said[type(told).__name__] += 1
                if isinstance(told, Unknown):
                    said[told.why] += 1
            wanted = cloned.tries.get(name) if alike else None
            problem = contradiction(told, after.tries.get(name), wanted)
            if problem:
                found.append(f"after line {statement.end_lineno}, {name}: {told}: {problem}")
    return found


def _last_step(recorded: Recorded, statement: ast.stmt) -> int | None:
    """Return the last step that belongs to a statement of the module."""
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    steps = [s.index for s in recorded.steps if s.line in lines and s.depth == 0]
    return steps[-1] if steps else None


def _forecasts(recorded: Recorded, index: int, source: str) -> dict[str, Forecast]:
    reading = StepForecasts(recorded.timeline, index, source)
    rows = recorded.timeline.at(index).tensors.values()
    return {name: reading.of(row.id) for row in rows for name in row.names if name.isidentifier()}
