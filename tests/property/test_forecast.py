"""What the graph is read to say is what torch then does, or nothing is said."""

from __future__ import annotations

import ast
import re
from collections import Counter

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inplace_tui.engine.forecast import (
    Forecast,
    NotNeeded,
    Raises,
    Reading,
    Runs,
    Unknown,
)
from inplace_tui.engine.verdict import Verdict, classify, version_error
from support.programs import programs
from support.recording import Recorded, record
from support.rehearsing import After, Tried, rehearse

QUICK = settings(
    deadline=None,
    max_examples=8,
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


@given(views_and_writes)
@QUICK
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
    bare, true = rehearse(source, clone=False), rehearse(source, clone=True)
    found = []
    alike = True
    for statement, after, cloned in zip(ast.parse(source).body, bare, true, strict=False):
        alike = alike and after.state == cloned.state
        index = _last_step(recorded, statement)
        if index is None:
            continue
        for name, told in _forecasts(recorded, index).items():
            if said is not None:
                said[type(told).__name__] += 1
                if isinstance(told, Unknown):
                    said[told.why] += 1
            problem = _contradiction(told, name, after, cloned if alike else None)
            if problem:
                found.append(f"after line {statement.end_lineno}, {name}: {told}: {problem}")
    return found


def _last_step(recorded: Recorded, statement: ast.stmt) -> int | None:
    """Return the last step that belongs to a statement of the module."""
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    steps = [s.index for s in recorded.steps if s.line in lines and s.depth == 0]
    return steps[-1] if steps else None


def _forecasts(recorded: Recorded, index: int) -> dict[str, Forecast]:
    reading = Reading(recorded.timeline, index)
    rows = recorded.timeline.at(index).tensors.values()
    return {name: reading.of(row.id) for row in rows for name in row.names if name.isidentifier()}


def _contradiction(told: Forecast, name: str, bare: After, cloned: After | None) -> str | None:
    """Return what torch did instead; None where the forecast came true or said nothing."""
    tried = bare.tries.get(name)
    if isinstance(told, Unknown) or (tried is None and isinstance(told, NotNeeded)):
        return None
    if tried is None:
        return "it has no graph"
    if isinstance(told, NotNeeded):
        return None if told.leaf else f"it requires grad: {tried.error}"
    if isinstance(told, Raises):
        return _other_error(told, tried)
    true = None if cloned is None else cloned.tries.get(name)
    if tried.error is not None or true is None or true.error is not None:
        return tried.error  # or the replay took another way before
    right = _close(tried, true)
    return None if right == isinstance(told, Runs) else f"gradients right: {right}"


def _other_error(told: Raises, tried: Tried) -> str | None:
    if tried.error is None:
        return "it runs"
    if not told.first:
        return None
    if told.verdict is Verdict.NOT_A_SCALAR:
        return None if "real scalar outputs" in tried.error else tried.error
    if classify(tried.error) is not told.verdict:
        return tried.error
    if told.verdict is Verdict.SAVED_TENSOR_MODIFIED:
        error = version_error(tried.error)
        if error is None or (error.expected, error.now) != (told.saved, told.now):
            return tried.error
    return None


def _close(got: Tried, true: Tried) -> bool:
    if len(got.gradients) != len(true.gradients):
        return False
    for one, other in zip(got.gradients, true.gradients, strict=True):
        if one is None or other is None or one[0] != other[0]:
            if one != other:
                return False
            continue
        numbers = torch.frombuffer(bytearray(one[1] or bytes(16)), dtype=torch.complex128)
        wanted = torch.frombuffer(bytearray(other[1] or bytes(16)), dtype=torch.complex128)
        finite = wanted[torch.isfinite(wanted)].abs()
        largest = float(finite.max()) if len(finite) else 0.0
        exact = re.search(r"float(32|64)", one[0]) is not None
        allowed = (2e-6 if exact else 2e-2) * largest
        if not torch.allclose(numbers, wanted, rtol=0, atol=allowed, equal_nan=True):
            return False
    return True
