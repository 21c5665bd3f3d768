"""What operations keep for backward, as it is said and as torch's own nodes have it."""

from __future__ import annotations

import re

import pytest
import torch

from inplace_tui.common.texts.why import FORMULAS, KEEP_RESULT

NODES = torch._C._functions
SAYING_WHICH = {FORMULAS[name] for name in ("Exp", "Relu", "Sin", "Add", "View")}


def kept(node: str) -> set[str]:
    slots = dir(getattr(NODES, node))
    return {slot.removeprefix("_raw_saved_") for slot in slots if slot.startswith("_raw_saved_")}


@pytest.mark.parametrize("name", sorted(KEEP_RESULT))
def test_a_node_that_is_said_to_keep_its_result_does(name: str) -> None:
    word, number = re.fullmatch(r"(\w+?)(\d*)", name).groups()  # type: ignore[union-attr]
    node = f"{name}Backward0" if hasattr(NODES, f"{name}Backward0") else f"{word}Backward{number}"

    assert "result" in kept(node)


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_a_formula_says_of_the_result_what_every_node_of_its_name_does(name: str) -> None:
    for node in filter(re.compile(rf"{name}Backward\d+").fullmatch, dir(NODES)):
        number = node.rpartition("Backward")[2]
        text = FORMULAS.get(f"{name}{number}", FORMULAS[name])
        if text in SAYING_WHICH:
            keeps_result = text in (FORMULAS["Exp"], FORMULAS["Relu"])
            assert ("result" in kept(node)) == keeps_result
            assert keeps_result or bool(kept(node)) == (text is FORMULAS["Sin"])
