"""Names and values stay as they were first written, in every panel and at every step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.cells import shorten, width
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import NAME, RunFormat, run_format, summary
from inplace_tui.tutorial.present import code, graph, lanes, narration, table, why
from inplace_tui.tutorial.present.why import CellSubject
from support.recording import record
from support.views import at

TRAINING = """
import torch
feature_encoder = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU(), torch.nn.Linear(1, 2))
w = torch.tensor([0.7311, 0.1234], requires_grad=True)
loss = (feature_encoder(w) * w).sum()
loss.backward()
with torch.no_grad():
    w.mul_(-123.4567)
a_variable_with_a_long_name = w.detach()
"""

names = st.lists(
    st.from_regex(r"(layers\.|model)\[[0-9]{1,2}\]\.(weight|bias)(\.grad)?", fullmatch=True)
    | st.text("ab", min_size=10, max_size=30),
    unique=True,
    max_size=30,
)


@given(names)
def test_no_two_names_are_spelled_alike(names: list[str]) -> None:
    written = RunFormat()

    spelled = [written.spell(name) for name in names]

    assert len(set(spelled)) == len(names)
    assert all(width(each) <= NAME for each in spelled)
    assert spelled == [written.spell(name) for name in names]


PARAMETERS = [
    f"{model}.blocks[{at}].{layer}.{what}"
    for model in ("student", "teacher")
    for at in (0, 1, 11)
    for layer in ("attention.query", "fc", "norm")
    for what in ("weight", "bias")
]


@pytest.mark.parametrize("room", [NAME, 30, 60])
def test_names_of_a_transformer_and_of_what_adam_keeps_can_be_told_apart(room: int) -> None:
    written = RunFormat()
    kept = ("step", "exp_avg", "exp_avg_sq")
    names = [*PARAMETERS, *(f"{each}.grad" for each in PARAMETERS)]
    names += [f"optimizer.state[{each}]['{key}']" for each in PARAMETERS for key in kept]

    spelled = {name: written.spell(name, room) for name in names}

    assert len(set(spelled.values())) == len(names)
    assert all(width(each) <= room for each in spelled.values())
    assert all(any(map(str.isdecimal, each)) for each in spelled.values())
    for name in names[: len(PARAMETERS) // 2]:  # the first to come say what they are
        for what in (name, f"{name}.grad"):
            assert spelled[what].endswith(what.rpartition(".")[2])
        for key in kept:
            assert spelled[f"optimizer.state[{name}]['{key}']"].rstrip("~23").endswith(key)
    if room == 60:
        assert spelled[f"optimizer.state[{names[0]}]['exp_avg']"] == f"{names[0]}.exp_avg"
        assert all(spelled[name] == name for name in PARAMETERS)


def test_a_module_is_spelled_alike_in_all_rows_of_all_panels() -> None:
    view = at(4, record(TRAINING).timeline)

    parts = table.rows(view, 52, "en"), lanes.rows(view, 52, "en"), graph.rows(view, 52, "en")
    shown = [" ".join(row.text for row in part) for part in parts]

    for name in ("[0].weight", "[0].bias", "[2].weight", "[2].bias"):
        for each in shown:
            spelled = {part for part in each.split() if part.endswith(name)}
            assert spelled <= {f"feature_encoder{name}", shorten(f"feature_encoder{name}", 22)}
            assert spelled


def test_the_notes_beside_the_code_spell_names_as_the_panels_do() -> None:
    timeline = record(TRAINING).timeline
    view = at(len(timeline) - 1, timeline)
    lines = range(1, view.source.count("\n") + 1)

    beside = " ".join(span.text for line in lines for span in code.notes(view, line, "en"))

    assert "feature_enc…[0].weight" in beside
    assert "feature_encoder" not in beside


def test_columns_and_values_stay_from_step_to_step() -> None:
    timeline = record(TRAINING).timeline

    rows = [table.rows(at(step, timeline), 58, "en") for step in range(3, len(timeline))]

    heads = {each[0].text for each in rows}
    assert len(heads) == 1
    values = [next(row.text for row in each if " w " in f"{row.text} ") for each in rows]
    assert {each.rstrip().split("  ")[-1].strip(" ~") for each in values} == {
        "0.73 0.12",
        "-90.26 -15.23",
    }


def test_a_number_that_fits_at_some_steps_only_is_short_at_all_of_them() -> None:
    timeline = record("""
import torch
w = torch.full((2, 2), 0.123456)
w.mul_(1000.)
w.div_(1000.)
""").timeline
    tensors = [timeline.at(step).tensors for step in range(1, len(timeline))]
    w = next(each for each in tensors[0].values() if each.names == ("w",))

    decimals = run_format(timeline).decimals(timeline, w, 9)
    shown = [summary(w, timeline.at(step), 9, most=decimals) for step in range(1, len(timeline))]

    assert shown == ["[0.12 …", "[123.46 …", "[0.12 …"]


def test_a_name_stands_in_full_where_there_is_room() -> None:
    written = RunFormat()

    assert written.spell("norm.num_batches_tracked") == "…num_batches_tracked"
    assert written.spell("norm.num_batches_tracked", 24) == "norm.num_batches_tracked"
    assert written.spell("a_name_of_twenty_cell") == "a_name_of_twenty_cell"


def test_sentences_say_names_in_full() -> None:
    timeline = record(TRAINING).timeline
    steps = [at(step, timeline) for step in range(len(timeline))]
    weight = next(
        tensor for tensor in steps[-1].snapshot.tensors.values() if "0].weight" in tensor.names[0]
    )

    told = [row.text for view in steps for row in narration.rows(view, 200, "en")]
    told += [
        row.text for row in why.rows(steps[-1], CellSubject(weight.id, "requires_grad"), 200, "en")
    ]

    assert sum("feature_encoder[0].weight" in line for line in told) > 2
    assert not any("…[" in line for line in told)


@pytest.mark.whole
def test_no_two_storages_of_a_long_run_look_alike() -> None:
    loop = "import torch\nfor i in range(400):\n    x = torch.ones(2)\n    y = torch.ones(2)\n"
    timeline = record(loop).timeline
    view = at(len(timeline) - 1, timeline)

    rows = [row.text for row in table.rows(view, 46, "en")]

    letters = [letter_of(each.storage, timeline) for each in view.snapshot.tensors.values()]
    assert [len(each) for each in letters] == [3, 3]
    assert all(any(f" {each} " in row for row in rows) for each in letters)


def test_a_long_name_leaves_room_for_version_and_storage_and_is_the_same_in_all_panels() -> None:
    timeline = record("import torch\na_quite_long_name_for_a_tensor = torch.ones(3)\n").timeline
    view = at(len(timeline) - 1, timeline)

    head, *below = table.rows(view, 46, "en")
    [name] = {written for row in below if (written := row.text[2:24].strip())}

    assert head.text.split() == ["name", "ver", "st", "values"]
    assert "…" in name
    assert any(name in row.text for row in lanes.rows(view, 46, "en"))
