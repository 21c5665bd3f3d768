"""What changed between two snapshots."""

from __future__ import annotations

import math

from inplace_tui.common.run.snapshot import EMPTY, Elements, Snapshot, Tensor
from inplace_tui.tutorial.state.diff import Diff, changed_facets, diff
from support.views import at, storage, tensor


def snapshot(tensors: list[Tensor], *numbers: float) -> Snapshot:
    return Snapshot(
        tensors={t.id: t for t in tensors}, storages={1: storage(1, *numbers)}, nodes={}, saved={}
    )


X = tensor(1, "x")


def test_a_write_in_place_changes_version_values_and_grad_fn() -> None:
    view = at(3)

    assert diff(view.previous, view.snapshot) == Diff(
        new=frozenset(), gone=frozenset(), changed={2: frozenset({"version", "values", "grad_fn"})}
    )


def test_tensors_come_and_go() -> None:
    here = snapshot([X], 1, 2, 3)

    assert diff(EMPTY, here).new == {1}
    assert diff(here, EMPTY).gone == {1}
    assert diff(here, here) == Diff(frozenset(), frozenset(), {})


def test_a_nan_that_stays_is_no_change() -> None:
    before, after = snapshot([X], 1, math.nan, 3), snapshot([X], 1, math.nan, 3)

    assert diff(before, after).changed == {}


def test_minus_zero_is_a_change() -> None:
    before, after = snapshot([X], 0.0, 1, 2), snapshot([X], -0.0, 1, 2)

    assert changed_facets(1, before, after) == {"values"}


def test_a_write_elsewhere_in_the_storage_does_not_change_a_view() -> None:
    head = tensor(1, "head", shape=(2,))
    before, after = snapshot([head], 1, 2, 3), snapshot([head], 1, 2, 99)

    assert diff(before, after).changed == {}


def test_every_alias_of_a_written_element_changes() -> None:
    last = tensor(5, "last", shape=(), stride=(), offset=2, storage=1)
    before, after = snapshot([X, last], 1, 2, 3), snapshot([X, last], 1, 2, 99)

    assert diff(before, after).changed == {1: frozenset({"values"}), 5: frozenset({"values"})}


def test_accumulation_into_the_same_gradient_changes_the_cell_of_its_owner() -> None:
    owner = tensor(2, "w", grad=1, storage=9)
    before, after = snapshot([X, owner], 1, 2, 3), snapshot([X, owner], 2, 4, 6)

    assert diff(before, after).changed[2] == {"grad"}


def test_a_sample_is_compared_by_what_was_recorded() -> None:
    old = tensor(1, "x", values=Elements(head=b"1234", tail=b"5678", whole=False))
    new = tensor(1, "x", values=Elements(head=b"1234", tail=b"5670", whole=False))

    assert changed_facets(1, snapshot([old], 1), snapshot([new], 1)) == {"values"}
