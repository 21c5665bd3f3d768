"""The program and its margin as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.rows import Style
from inplace_tui.common.run.outcome import Completed, Crashed, TimedOut
from inplace_tui.common.run.step import Mutation, Rebound
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.present import code
from support.recording import record
from support.views import SOURCE, asking, at, failed, failing, step, storage, tensor, timeline


def text(view: View, room: int = 70, language: str = "en") -> list[str]:
    return [row.text.rstrip() for row in code.rows(view, room, language)]


def test_every_line_is_there_as_it_was_written() -> None:
    assert [line[5:] for line in text(at(-1))] == SOURCE.splitlines()


def test_the_line_that_ran_and_the_next_one_are_marked() -> None:
    marks = [line[0] for line in text(at(2))]

    assert marks == [" ", " ", "▸", "▹", " ", " "]


def test_a_line_says_what_it_saved_and_wrote_once_it_ran() -> None:
    before, after = text(at(1)), text(at(3))

    assert not before[2].endswith("saves y v0")
    assert after[2].endswith("saves y v0")
    assert after[3].endswith("y v0 → v1")


def test_a_waiting_question_marks_its_line() -> None:
    assert text(asking())[5][0] == "?"
    assert text(asking())[5].endswith("? question")
    assert "?" not in text(at(4, gates={5: Gate.DONE}))[5]


def test_after_a_failure_saver_changer_and_reader_are_named() -> None:
    lines = text(failed())

    assert lines[2].endswith("◆ saved here: y v0")
    assert lines[3].endswith("~ changed here: v0 → v1")
    assert lines[5].endswith("✗ failed here")


def test_what_was_saved_is_called_what_it_was_called_on_that_line() -> None:
    saver = Saver(line=3, node="ExpBackward0", slot="result", version=0, tensor="top")
    stale = Blame(verdict=Verdict.SAVED_TENSOR_MODIFIED, tensor="y", saver=saver, reader=6)

    assert text(replace(failed(), blame=stale))[2].endswith("◆ saved here: top v0")


def test_a_refused_write_is_not_said_to_have_changed_anything() -> None:
    write = Mutation(line=4, op="Tensor.add_", tensor=2)
    refused = Blame(verdict=Verdict.LEAF_MODIFIED, tensor="y", writes=(write,), reader=4)

    lines = text(replace(failed(), blame=refused))

    assert lines[3].endswith("✗ failed here")
    assert "changed" not in "".join(lines)


def test_a_backward_that_freed_the_graph_is_not_said_to_have_changed_it() -> None:
    first = Mutation(line=4, op="Tensor.backward", tensor=2)
    freed = Blame(verdict=Verdict.GRAPH_FREED, tensor="y", writes=(first,), reader=6)

    assert text(replace(failed(), blame=freed))[3].endswith("~ freed here")


def test_a_line_that_only_warned_is_not_called_a_failure() -> None:
    read = Blame(verdict=Verdict.NON_LEAF_GRAD_READ, tensor="y", reader=5)

    lines = text(at(4, outcome=Completed(), blame=read))

    assert lines[4].endswith("! warned here")
    assert "failed" not in "".join(lines)


def test_a_line_too_long_for_its_note_is_cut_and_the_note_is_not() -> None:
    view = replace(at(3), source=SOURCE.replace("y.add_(1)", "y.add_(1)  # " + "long " * 20))

    line = text(view, 50)[3]

    assert line.endswith("y v0 → v1")
    assert "…" in line
    assert len(line) <= 50


def test_what_can_be_missed_goes_before_the_code_is_cut() -> None:
    made = timeline(
        *(
            step(n, 1, visit=n + 1, events=(Rebound(name="loss", before=n, after=n + 1),))
            for n in range(2)
        )
    )
    view = replace(at(1, made), source="loss = (h - state).pow(2).sum()\n")

    assert text(view, 70)[0].endswith("loss is a new tensor  run 2×")
    assert text(view, 50)[0].endswith("run 2×")
    assert "(h - state).pow(2).sum() " in text(view, 50)[0]


def test_a_loop_shows_the_last_visit_and_how_many_there_were() -> None:
    def write(n: int) -> Mutation:
        return Mutation(line=2, tensor=1, storage=1, before=n, after=n + 1)

    made = timeline(
        step(0, 1, tensors=(tensor(1, "x"),), storages=(storage(1, 1, 2, 3),)),
        *(step(n, 2, visit=n, events=(write(n - 1),)) for n in (1, 2, 3)),
    )

    assert text(at(2, made), 80)[1].endswith("x v1 → v2  run 2×")
    assert text(at(3, made), 80)[1].endswith("x v2 → v3  run 3×")


def test_no_note_cuts_a_line_that_has_room() -> None:
    code = "hidden = torch.sigmoid(weights * 2) + y"
    rebound = step(0, 1, events=(Rebound(name="hidden", before=1, after=2),))
    view = replace(at(0, timeline(rebound)), source=f"{code}\n")

    for room in range(len(code) + 5, 80):
        assert code in text(view, room)[0]
    assert text(view, 70)[0].endswith("hidden is a new tensor")
    assert text(view, 50)[0].endswith(code)


@pytest.mark.parametrize(
    ("line", "visits", "said"),
    [
        ("with torch.no_grad():", 2, ""),
        ("with torch.no_grad():  # quietly", 4, "run 2×"),
        ("with torch.no_grad(): x.add_(1)", 2, "run 2×"),
        ("for _ in range(1):", 2, "run 2×"),
    ],
)
def test_a_block_that_is_left_by_the_line_of_its_with_was_run_once(
    line: str, visits: int, said: str
) -> None:
    made = timeline(*(step(n, 1, visit=n + 1) for n in range(visits)))
    view = replace(at(visits - 1, made), source=f"{line}\n")

    assert text(view, 70)[0].partition(line)[2].strip() == said


def test_two_writes_of_one_line_to_one_counter_are_one_note() -> None:
    writes = tuple(Mutation(line=1, tensor=1, storage=1, before=n, after=n + 1) for n in range(3))
    made = timeline(
        step(0, 1, tensors=(tensor(1, "x"),), storages=(storage(1, 1, 2, 3),), events=writes)
    )

    assert text(at(0, made))[0].endswith("x v0 → v3")


def test_a_write_that_no_version_saw_says_so() -> None:
    made = timeline(
        step(0, 1, tensors=(tensor(1, "x"),), storages=(storage(1, 1, 2, 3),),
             events=(Mutation(line=1, tensor=1, storage=1),)),
    )  # fmt: skip

    assert text(at(0, made))[0].endswith("x written, version kept")
    assert text(at(0, made), language="zh")[0].endswith("x 被写入，版本号不变")


def test_a_name_bound_anew_is_no_write() -> None:
    made = timeline(step(0, 1, events=(Rebound(name="x", before=1, after=2),)))

    assert text(at(0, made))[0].endswith("x is a new tensor")


def test_a_run_that_was_killed_shows_where_it_was() -> None:
    view = at(3)

    for outcome in (TimedOut(seconds=10, line=5), Crashed(exit_code=-9, line=5)):
        assert text(replace(view, outcome=outcome))[4].endswith("… was running")


def test_a_statement_over_several_lines_is_lit_as_one() -> None:
    made = timeline(step(0, 2, end_line=4))
    rows = code.rows(at(0, made), 70, "en")

    assert [row.style is Style.CURRENT for row in rows] == [False, True, True, True, False, False]


def test_tokens_have_the_looks_of_python() -> None:
    spans = code.highlighted('def f(x):\n    return "a"  # why\n')

    assert {(s.text, s.style) for line in spans for s in line} >= {
        ("def", Style.KEYWORD),
        ("f", Style.FUNCTION),
        ("# why", Style.COMMENT),
    }
    assert "".join(span.text for span in spans[1]) == '    return "a"  # why'


def test_an_unfinished_program_is_shown_all_the_same() -> None:
    view = View(source='x = (1,\n"""', timeline=failing())

    assert [line[5:] for line in text(view)] == ["x = (1,", '"""']


def test_a_note_without_room_says_less_before_it_is_cut() -> None:
    source = "import torch\nweight = torch.ones(2)\nmean = torch.ones(2)\n"
    source += "weight.add_(1), mean.mul_(2)\n"
    made = record(source).timeline
    view = replace(at(len(made) - 1, made), source=source)

    beside = [text(view, room)[3].partition("mean.mul_(2)")[2].strip() for room in range(50, 75)]

    told = list(dict.fromkeys(note for note in beside if "…" not in note))
    assert told == ["weight v0 → v1  and 1 more", "weight v0 → v1  mean v0 → v1"]
