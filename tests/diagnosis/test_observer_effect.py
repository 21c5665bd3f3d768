"""The idea of the project: a recorded run ends as the bare one does.

And what is said of each saved tensor is what backward then does.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inplace_tui.common.run.snapshot import SlotState, Snapshot, Unreadable
from inplace_tui.diagnosis.record.compat import SHOWS_DATA
from inplace_tui.diagnosis.record.readings import Readings
from inplace_tui.diagnosis.record.torch_asked import AskedReadings
from inplace_tui.diagnosis.record.torch_memory import measure
from support.programs import programs
from support.recording import Recorded, bare, named, record
from support.whole import examples

QUICK = settings(
    deadline=None,
    max_examples=examples(80),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
asked = pytest.mark.skipif(not SHOWS_DATA, reason="torch shows what was saved from 2.9 on")
RARER = settings(QUICK, max_examples=examples(30))


@given(programs)
@QUICK
def test_recorded_and_bare_runs_end_the_same(source: str) -> None:
    """Same exception, output, warnings, values and gradients, and not one node more."""
    end_the_same(source, record(source))


@asked
@given(programs)
@RARER
def test_they_do_where_torch_is_read_through_python(source: str) -> None:
    end_the_same(source, record(source, by=AskedReadings))


def end_the_same(source: str, recorded: Recorded) -> None:
    expected = bare(source)

    assert recorded.faults == ()
    if recorded.ending != expected:
        assume(bare(source) == expected)  # memory that nobody initialised
    assert recorded.ending == expected


VARIABLES = ("a", "b", "c", "d")
_some = st.sampled_from(VARIABLES)
_lines = st.one_of(
    st.builds(
        "{} = {}.{}()".format, _some, _some, st.sampled_from(["exp", "sin", "relu", "clone"])
    ),
    st.builds("{} = {} {} {}".format, _some, _some, st.sampled_from("+*/"), _some),
    st.builds("{} = {}[:2].repeat(2)".format, _some, _some),
    st.builds("{} = torch.stack([{}, {}]).sum(0)".format, _some, _some, _some),
    st.builds("{} = {}.detach()".format, _some, _some),
    st.builds("{} = {}.view(4)".format, _some, _some),
    st.builds("{}.{}".format, _some, st.sampled_from(["add_(1)", "mul_(2)", "sin_()", "exp_()"])),
    st.builds("{} += {}".format, _some, _some),
    st.builds("{}[0] = 3".format, _some),
    st.builds("{}.data.mul_(2)".format, _some),
)


@given(st.lists(_lines, min_size=2, max_size=9), _some)
@QUICK
def test_backward_raises_exactly_if_a_slot_below_it_is_stale(lines: list[str], root: str) -> None:
    """What the screen marks stale is what torch refuses, and nothing else is."""
    stale_as_torch_says(lines, root, measure)


@asked
@given(st.lists(_lines, min_size=2, max_size=9), _some)
@RARER
def test_so_it_does_where_torch_is_read_through_python(lines: list[str], root: str) -> None:
    stale_as_torch_says(lines, root, AskedReadings)


def stale_as_torch_says(lines: list[str], root: str, by: Callable[[], Readings]) -> None:
    body = "".join(f"try:\n    {line}\nexcept RuntimeError:\n    pass\n" for line in lines)
    source = f"import torch\nx = torch.ones(4, requires_grad=True)\na = b = c = d = x * 1\n{body}"
    source += f"loss = {root}.sum()\nloss.backward()\n"

    recorded = record(source, by=by)

    last = recorded.steps[-1]
    before = recorded.timeline.at(last.index - 1)
    error = last.raised or ""
    is_known = not isinstance(named(before, "loss").grad_fn, Unreadable)
    if is_known and "does not require grad" not in error and not _hides(before):
        assert ("modified by an inplace operation" in error) == _stale_below(before, "loss")


def _below(snapshot: Snapshot, name: str) -> set[int]:
    """Return the nodes that a backward from a tensor visits."""
    root = named(snapshot, name).grad_fn
    waiting, seen = [root] if isinstance(root, int) else [], set[int]()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [edge.node for edge in snapshot.nodes[node].inputs if edge is not None]
    return seen


def _hides(snapshot: Snapshot) -> bool:
    """Whether a node below the loss does not show what it saved."""
    return any(snapshot.nodes[node].opaque for node in _below(snapshot, "loss"))


def _stale_below(snapshot: Snapshot, name: str) -> bool:
    nodes = _below(snapshot, name)
    return any(
        saved.state is SlotState.STALE for saved in snapshot.saved.values() if saved.node in nodes
    )
