"""Which variables were bound anew is found from identities alone."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.diagnosis.record.naming.cache import Variables
from inplace_tui.diagnosis.record.naming.names import Scope

VALUES = (torch.ones(1), torch.zeros(1), torch.ones(2), 1, "text", None)
CODE = compile("0", "program.py", "eval")

_names = st.sampled_from("abcdefghijkl")
_values = st.integers(0, len(VALUES) - 1)
_writes = st.lists(st.tuples(_names, _values), max_size=6)


def tensors(variables: dict[str, object]) -> dict[str, object]:
    return {k: v for k, v in variables.items() if isinstance(v, torch.Tensor)}


@given(_writes, st.sets(_names), st.lists(_writes, max_size=5), st.booleans(), st.booleans())
def test_changes_are_those_that_were_made(
    first: list[tuple[str, int]],
    deleted: set[str],
    lines: list[list[tuple[str, int]]],
    stored: bool,
    has_other_keys: bool,
) -> None:
    variables: dict[str, object] = {k: VALUES[v] for k, v in first}
    if has_other_keys:
        variables[0] = 0  # type: ignore[index]  # its items have another form
    for name in deleted & variables.keys():
        del variables[name]
    watched = Variables(Scope(0, CODE, "", variables))
    for writes in lines:
        before = dict(variables)
        for name, value in writes:
            variables[name] = VALUES[value]

        changes = watched.changes(variables, stored=stored)

        assert changes is not None
        old, now = tensors(before), tensors(variables)
        assert {name: (was, is_) for name, was, is_ in changes} == {
            name: (id(old[name]) if name in old else None, now.get(name))
            for name in variables
            if old.get(name) is not now.get(name)
        }
        assert watched.bound() == [id(value) for value in now.values()]


def test_another_tensor_is_told_without_taking_all_down() -> None:
    variables: dict[str, object] = dict.fromkeys("abcdefgh", VALUES[0])
    del variables["c"]
    watched = Variables(Scope(0, CODE, "", variables))
    variables["f"] = VALUES[1]

    changes = watched.changes(variables, stored=False)

    assert changes == [("f", id(VALUES[0]), VALUES[1])]


@pytest.mark.parametrize(("name", "value"), [("a", None), ("b", [torch.ones(1)])])
def test_what_is_deleted_or_holds_others_must_be_taken_down_anew(name: str, value: object) -> None:
    variables: dict[str, object] = {"a": VALUES[0], "b": VALUES[1]}
    watched = Variables(Scope(0, CODE, "", variables))

    if value is None:
        del variables[name]
    else:
        variables[name] = value

    assert watched.changes(variables, stored=True) is None
