"""The declarations of what can be seen of a tensor."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.facets import FACET_OF, FACETS
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.tutorial.course.lesson import TensorClaim


def test_every_field_of_a_claim_has_a_facet_that_a_mask_can_name() -> None:
    claimed = {field.name for field in msgspec.structs.fields(TensorClaim)}

    assert claimed - FACET_OF.keys() == set()


def test_every_facet_reads_fields_that_a_tensor_has() -> None:
    fields = {field.name for field in msgspec.structs.fields(Tensor)}

    assert {name for facet in FACETS for name in facet.fields} <= fields


def test_every_field_of_a_tensor_is_somewhere_in_the_table() -> None:
    fields = {field.name for field in msgspec.structs.fields(Tensor)}
    shown = {name for facet in FACETS for name in facet.fields}

    assert fields - shown == {"id", "is_parameter", "is_subclass"}
