"""Names and values stay as they were first written, in every panel and at every step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.present import code, graph, lanes, table
from inplace_tui.present.cells import width
from inplace_tui.present.run_format import NAME, RunFormat
from support.recording import record
from support.views import at

TRAINING = """
import torch
encoder = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU(), torch.nn.Linear(1, 2))
w = torch.tensor([0.7311, 0.1234], requires_grad=True)
loss = (encoder(w) * w).sum()
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


def test_a_gradient_is_spelled_as_what_it_belongs_to() -> None:
    written = RunFormat()
    parts = ("attention.query.weight", "net.conv1.weight", "net.conv2.weight", "h", "encoder.bias")

    spelled = {name: written.spell(name) for name in parts}

    assert spelled["attention.query.weight"] == "a.q.weight"
    assert spelled["net.conv2.weight"] == "n.c2.weight"
    for name, short in spelled.items():
        assert written.spell(f"{name}.grad") == f"{short}.grad"


def test_a_module_is_spelled_alike_in_all_rows_of_all_panels() -> None:
    view = at(4, record(TRAINING).timeline)

    parts = table.rows(view, 52, "en"), lanes.rows(view, 52, "en"), graph.rows(view, 52, "en")
    shown = [" ".join(row.text for row in part) for part in parts]

    for name in ("e[0].weight", "e[0].bias", "e[2].weight", "e[2].bias"):
        assert all(f" {name} " in each for each in shown)
    assert not any("enc" in each for each in shown)


def test_the_notes_beside_the_code_spell_names_as_the_panels_do() -> None:
    timeline = record(TRAINING).timeline
    view = at(len(timeline) - 1, timeline)
    lines = range(1, view.source.count("\n") + 1)

    beside = " ".join(span.text for line in lines for span in code.notes(view, line, "en"))

    assert "e[0].weight" in beside
    assert "enc" not in beside


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
