"""Which fixes are shown, in which order; and what names held."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.snapshot import Elements, Snapshot, Storage, Tensor, Unreadable
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import parsed, read_too_early
from inplace_tui.diagnosis.drive.fixes import (
    MAX_FIXES,
    TriedCandidate,
    added_time,
    best_attempts,
    best_fixes,
)
from inplace_tui.diagnosis.fixes.trial import Failed, Passed
from inplace_tui.diagnosis.fixes.value_history import content_of, starts_with, value_histories

SOURCE = "a\nb\nc\n"


def tried(
    kind: str, source: str, *, order: int = 0, keeps_loss: bool = True, delivered: str = "w"
) -> TriedCandidate:
    """Return a candidate that passed."""
    title = LocalText(en=kind, zh=kind)
    return TriedCandidate(
        candidate=Candidate(kind=kind, title=title, line=1, source=source),
        order=order,
        verdict=Passed(
            keeps_loss=keeps_loss,
            keeps_gradient=True,
            forward_changes=None,
            delivered=frozenset(delivered.split()),
        ),
    )


def titles(*found: TriedCandidate) -> list[str]:
    return [fix.title.en for fix in best_fixes(SOURCE, list(found))]


def test_what_keeps_the_loss_comes_first_then_the_smallest_change() -> None:
    large = tried("large", "x\ny\nc\n", order=0)
    small = tried("small", "x\nb\nc\n", order=2)
    other = tried("other loss", "x\nb\nc\n", order=1, keeps_loss=False)

    assert titles(other, large, small) == ["small", "large", "other loss"]


def test_of_two_changes_of_one_line_the_likelier_comes_first() -> None:
    assert titles(
        tried("second", "x\nb\nc\n", order=7), tried("first", "a\nlonger\nc\n", order=3)
    ) == ["first", "second"]


def test_no_more_than_a_few_are_shown() -> None:
    assert len(titles(*(tried(str(i), f"{i}\nb\nc\n", order=i) for i in range(9)))) == MAX_FIXES


def test_what_failed_is_not_shown() -> None:
    passed = tried("passed", "x\nb\nc\n")
    failed = TriedCandidate(candidate=passed.candidate, order=0, verdict=Failed("a", "raised"))

    assert best_fixes(SOURCE, [failed]) == []


@pytest.mark.parametrize(
    ("exception", "message", "shown"),
    [
        ("RuntimeError", "saved tensor that has been detached in-place", True),
        ("NameError", "name 'total' is not defined", False),
        ("AttributeError", "'list' object has no attribute 'clone'", False),
        ("AssertionError", "1", False),
    ],
)
def test_only_an_error_of_torchs_speaks_against_an_edit(
    exception: str, message: str, shown: bool
) -> None:
    edit = tried("edit", "x\nb\nc\n").candidate
    ended = Raised(exception=exception, message=message, line=1, in_backward=False)
    failed = TriedCandidate(candidate=edit, order=0, verdict=Failed("a", message, ended))

    assert [each.message for each in best_attempts([failed])] == [message] * shown


def test_two_fixes_of_one_kind_have_not_one_title() -> None:
    assert titles(tried("same", "x\nb\nc\n"), tried("same", "a\nx\nc\n", order=1)) == ["same"]


def test_a_fix_in_which_a_leaf_gets_nothing_that_it_gets_in_another_is_not_shown() -> None:
    assert titles(
        tried("loses b", "x\nb\nc\n", delivered="a"),
        tried("keeps both", "x\ny\nc\n", delivered="a b"),
    ) == ["keeps both"]


@pytest.mark.parametrize(
    ("original", "edited", "added"),
    [
        ((0.31, 0.30, 0.34), (0.36, 0.35, 0.41), (0.05, 0.01)),
        ((0.010, 0.011, 0.012), (0.012, 0.011, 0.012), (0.001, 0.01)),
        ((1.0, 1.5, 1.7), (2.0, 2.0, 2.0), (1.0, 0.5)),
        ((20.0,), (21.0,), (1.0, 2.0)),
    ],
    ids=["added", "too short to tell", "as noisy as its runs", "one run each"],
)
def test_added_time_is_that_of_the_shortest_runs_and_its_noise_that_of_their_likes(
    original: tuple[float, ...], edited: tuple[float, ...], added: tuple[float, ...]
) -> None:
    found = added_time(original, edited)

    assert (found.runs, found.run_seconds) == (len(original), min(original))
    assert (found.seconds, found.noise_seconds) == pytest.approx(added)


VIEWS = {
    "itself": lambda t: t,
    "transposed": lambda t: t.t(),
    "a column": lambda t: t[:, 1],
    "a row": lambda t: t[1],
    "every other": lambda t: t.flatten()[1::2],
    "expanded": lambda t: t[:1].expand(4, 3),
}


def recorded(view: torch.Tensor, whole: torch.Tensor) -> tuple[Tensor, Snapshot]:
    """Return a view as a recording has it."""
    data = bytes(whole.view(-1).view(torch.uint8).tolist())
    tensor = Tensor(
        id=1,
        names=("v",),
        shape=tuple(view.shape),
        stride=tuple(view.stride()),
        offset=view.storage_offset(),
        dtype=str(view.dtype).removeprefix("torch."),
        storage=1,
    )
    storages = {1: Storage(id=1, nbytes=len(data), data=data)}
    return tensor, Snapshot(tensors={1: tensor}, storages=storages, nodes={}, saved={})


@given(
    name=st.sampled_from(sorted(VIEWS)),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.int16, torch.bool, torch.bfloat16]),
    numbers=st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_a_view_and_a_copy_of_it_hold_the_same(
    name: str, dtype: torch.dtype, numbers: list[int]
) -> None:
    """However the elements lie in memory; the copy is torch's own."""
    whole = torch.tensor(numbers).reshape(4, 3).to(dtype)
    view = VIEWS[name](whole)
    copy = view.contiguous().clone()

    assert content_of(*recorded(view, whole)) == content_of(*recorded(copy, copy)) is not None


def test_one_other_element_makes_another_content() -> None:
    whole = torch.arange(6.0)
    other = whole.clone()
    other[5] = -1

    assert content_of(*recorded(whole, whole)) != content_of(*recorded(other, other))


def test_a_sample_is_compared_as_it_is_and_the_unreadable_not_at_all() -> None:
    _, snapshot = recorded(torch.zeros(1), torch.zeros(1))
    sample = Tensor(id=2, names=(), shape=(9,), dtype="float32", values=Elements(b"1", b"2"))
    refused = Tensor(id=3, names=(), shape=(9,), dtype="float32", values=Unreadable("no"))

    assert content_of(sample, snapshot) is not None
    assert content_of(refused, snapshot) is None


def line(index: int, value: float) -> Step:
    """Return a step after which `v` holds one number."""
    tensor, snapshot = recorded(torch.tensor([value]), torch.tensor([value]))
    storages = tuple(snapshot.storages.values())
    return Step(index=index, line=1, end_line=1, began=index, tensors=(tensor,), storages=storages)


def test_a_value_that_follows_itself_is_told_once() -> None:
    timeline = Timeline()
    for index, value in enumerate((1.0, 1.0, 2.0, 1.0)):
        timeline.append(line(index, value))

    moments = value_histories(timeline)["v"]

    assert [moment.step for moment in moments] == [0, 2, 3]
    assert starts_with(moments, moments[:2])
    assert not starts_with(moments[:2], moments)
    assert not starts_with(moments[1:], moments[:1])


def test_of_edits_that_raise_the_same_as_before_one_tells_it() -> None:
    def failed(
        title: str, order: int, message: str, exception: str = "RuntimeError"
    ) -> TriedCandidate:
        ended = Raised(exception=exception, message=message, line=1, in_backward=True)
        made = tried(title, f"{title}\nb\nc\n").candidate
        return TriedCandidate(candidate=made, order=order, verdict=Failed("a", message, ended))

    stale = (
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [torch.FloatTensor [{}]], which is output 0 of ExpBackward0, is at version 1; "
        "expected version 0 instead. Hint: enable anomaly detection"
    )
    freed = (
        "Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after "
        "calling backward."
    )
    before = Raised(exception="RuntimeError", message=stale.format(3), line=1, in_backward=True)
    found = best_attempts(
        [
            failed("copied", 0, stale.format(2)),
            failed("moved", 1, stale.format(3)),
            failed("again", 2, freed),
            failed("tuple", 3, "'tuple' object does not support item assignment", "TypeError"),
        ],
        before,
    )

    assert [(each.title.en, each.condition, each.message) for each in found] == [
        ("copied", "again", ""),
        ("again", "a", "Trying to backward through the graph a second time"),
    ]


@pytest.mark.parametrize(
    ("source", "early"),
    [
        ("y = y.clone()\ny = 1\n", {("", "y")}),
        ("x = 1\nx = x.clone()\n", set()),
        ("from m import x\nx = x.clone()\n", set()),
        ("def f(a):\n    a = a + 1\n", set()),
        ("def f():\n    total = total + 1\n", {("f", "total")}),
        ("def f():\n    global total\n    total = total + 1\n", set()),
        ("for x in rows:\n    s += x\n    s = x * 2\n", {("", "s")}),
        ("rows = [row.clone() for row in x]\nrow = rows[0]\n", set()),
    ],
)
def test_a_name_that_is_read_before_it_is_bound_is_found(
    source: str, early: set[tuple[str, str]]
) -> None:
    assert read_too_early(parsed(source)) == early
