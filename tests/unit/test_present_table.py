"""The tensor table as text."""

from __future__ import annotations

import pytest

from inplace_tui.common.cells import width
from inplace_tui.common.rows import Style
from inplace_tui.common.run.snapshot import Elements, Saved, Storage, Tensor, Unreadable
from inplace_tui.tutorial.activity.session.view import Mask, View
from inplace_tui.tutorial.present import table
from support.views import at, step, storage, tensor, timeline


def text(view: View, room: int = 100, language: str = "en", **options: int) -> list[str]:
    return [row.text.rstrip() for row in table.rows(view, room, language, **options)]  # type: ignore[arg-type]


def moment(*tensors: Tensor, **fields: object) -> View:
    """Return the view after one step that made these tensors."""
    stored = {t.storage for t in tensors if t.storage is not None}
    storages = tuple(storage(number, 1, 2, 3) for number in sorted(stored))
    return at(0, timeline(step(0, 1, tensors=tensors, storages=storages)), **fields)


@pytest.mark.parametrize("room", [20, 36, 56, 76, 96, 120, 196])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_row_fits_at_every_width(room: int, language: str) -> None:
    rows = table.rows(at(3), room, language, pointers=True, selected=2)

    assert max(width(row.text) for row in rows) <= room


def test_the_columns_depend_on_the_width_alone() -> None:
    """A step must not move the columns under the reader's eyes."""
    heads = {text(at(cursor), 76)[0] for cursor in (1, 2, 3, 4, 5)}

    assert len(heads) == 1


def test_narrow_tables_keep_name_version_storage_and_values() -> None:
    assert text(at(3), 36)[0].split() == ["name", "ver", "st", "values"]


def test_a_name_takes_the_room_that_is_left_before_it_is_cut() -> None:
    """The width of the panel beside code and words on 120 columns."""
    rows = text(moment(tensor(1, "lin.weight", storage=1)), 53)

    assert rows[0].split() == ["name", "ver", "st", "leaf", "req", "values"]
    assert rows[1].split()[1] == "lin.weight"


@pytest.mark.parametrize("room", [118, 198])
def test_a_gradient_takes_what_the_values_can_spare(room: int) -> None:
    tensors = (
        tensor(1, "a", storage=1, shape=(2, 2), stride=(2, 1), grad=2),
        tensor(2, "a.grad", storage=2, shape=(2, 2), stride=(2, 1)),
    )
    storages = storage(1, 3, 3, 3, 3), storage(2, 1, 1, 1, 1)
    made = at(0, timeline(step(0, 1, tensors=tensors, storages=storages)))

    assert text(made, room)[1].count("[1. 1.] [1. 1.]") == 1
    assert "[3. 3.] [3. 3.]" in text(made, room)[1]


@pytest.mark.parametrize("room", [76, 112])
def test_a_shape_takes_room_from_the_values_before_it_is_cut(room: int) -> None:
    rows = text(moment(tensor(1, "x", storage=None, shape=(64, 128))), room)

    assert "[64,128]" in rows[1]


def test_wide_tables_use_torchs_own_words() -> None:
    head = text(at(3), 196)[0].split()

    assert {"_version", "is_leaf", "requires_grad", "grad_fn", "grad", "dtype"} <= set(head)


def test_watched_tensors_come_first_and_gradients_and_callers_last() -> None:
    b, a = tensor(1, "b"), tensor(2, "a", grad=4)
    other, grad = tensor(3, "main:a"), tensor(4, "a.grad")

    lines = text(moment(b, a, other, grad, watch=("a",)))

    assert [line[2:8].strip() for line in lines[1:5]] == ["a", "b", "a.grad", "main:a"]


def test_two_names_for_one_tensor_stand_in_one_row() -> None:
    assert "y = z" in text(moment(tensor(1, "y", names=("y", "z"))))[1]


def test_a_change_has_a_glyph_words_and_a_style() -> None:
    row = table.rows(at(3), 76, "en")[2]

    assert row.text.startswith("~ y")
    assert "~0→1" in row.text
    assert Style.CHANGED in {span.style for span in row.spans if "0→1" in span.text}
    assert text(at(3), 76)[4] == "~ y changed by line 4: _version, grad_fn, values"


def test_a_name_bound_anew_shows_the_new_tensor_and_what_became_of_the_old() -> None:
    """`y = y + 1` after `y = x.exp()`: the graph alone keeps the old one."""
    old, new = tensor(2, "y"), tensor(3, "y")
    kept = Saved(node=7, slot="result", tensor=2, storage=2, version=0)
    view = at(1, timeline(
        step(0, 1, tensors=(old,), storages=(storage(2, 1, 2, 3),), saved=(kept,)),
        step(1, 2, tensors=(new,), gone=(2,), storages=(storage(3, 2, 3, 4),)),
    ))  # fmt: skip

    lines = text(view)

    assert lines[1].startswith("+ y")
    assert lines[2] == "∅ y     A no name left, kept by ?.result v0"


def test_a_tensor_whose_storage_went_with_it_is_freed() -> None:
    view = at(1, timeline(
        step(0, 1, tensors=(tensor(2, "y"),), storages=(storage(2, 1, 2, 3),)),
        step(1, 2, gone=(2,), freed=(2,)),
    ))  # fmt: skip

    assert text(view)[1] == "∅ y     A freed"


def test_a_view_shares_the_letter_and_says_whether_it_shares_elements() -> None:
    base = tensor(1, "x")
    head = tensor(2, "head", shape=(1,), storage=1, base=1, is_view=True)
    tail = tensor(3, "tail", shape=(1,), offset=2, storage=1, base=1, is_view=True)

    lines = text(moment(base, head, tail), selected=2)

    assert [line.split()[2] for line in lines[1:4]] == ["[3]", "[1]", "[1]"]
    assert "storage A also belongs to x, tail (other elements)" in lines


def test_a_sample_says_that_it_is_one() -> None:
    values = Elements(head=b"\0" * 128, tail=b"\0" * 128, whole=False)
    big = tensor(1, "big", shape=(10**8,), values=values)

    lines = text(moment(big), selected=1)

    assert "(64/100000000)" in lines[1]
    assert "a sample: the first 32 and the last 32 of 100,000,000 elements" in lines


def test_where_torch_refuses_to_answer_the_cell_says_so() -> None:
    odd = tensor(1, "v", is_leaf=Unreadable("no"), grad_fn=Unreadable("no"), version=None)

    row = text(moment(odd), 120)[1]

    assert row.count("⊘") == 2
    assert "–" in row


def test_an_empty_run_has_no_table() -> None:
    assert text(at(-1)) == ["No tensors yet."]
    assert text(at(-1), language="zh") == ["还没有张量。"]


def test_where_no_tensor_is_left_earlier_steps_are_named() -> None:
    made = step(0, 1, tensors=(tensor(1, "x", storage=1),), storages=(storage(1, 1, 2),))
    run = timeline(made, step(1, 2, gone=(1,), freed=(1,)), step(2, 3))

    assert text(at(-1, run)) == ["No tensors yet."]
    assert text(at(2, run)) == [
        "No tensors here: nothing names one any more. Earlier steps have them."
    ]


def test_why_values_are_missing_is_said_in_the_learners_language() -> None:
    gone = tensor(1, "x")
    made = timeline(step(0, 1, tensors=(gone,), storages=(Storage(id=1, nbytes=0),)))

    assert "⊘ storage resized to 0 bytes" in text(at(0, made), selected=1)
    assert "⊘ 存储被缩减为 0 字节" in text(at(0, made), language="zh", selected=1)


def test_a_mask_is_explained_where_a_column_shows_it() -> None:
    legend = "▒▒ hidden until you answer"
    made = moment(tensor(1, "x", version=0), mask=Mask(cells=frozenset({("*", "dtype")})))

    assert legend in text(made, 300, selected=1)
    assert "▒▒" not in "".join(text(made, 76, selected=1))
