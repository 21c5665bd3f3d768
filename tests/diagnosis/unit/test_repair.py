"""A repair of several edits: its lines, what can be left out of it, and what it says."""

from __future__ import annotations

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.repair import Repair, fault_of

ORIGINAL = "a\nb\nc\nd\n"


def edit(source: str, line: int, title: str, *, cuts: bool = False) -> Candidate:
    return Candidate(
        kind=title, title=LocalText(en=title, zh=title), line=line, source=source, cuts=cuts
    )


def test_a_line_is_counted_in_the_original_whatever_the_edits_before_it_added() -> None:
    first = edit("new\na\nb\nc\nd\n", 1, "one")
    second = edit("new\na\nb\nC\nd\n", 4, "two", cuts=True)

    repair = Repair(original=ORIGINAL, source=ORIGINAL).then(first).then(second)

    assert [each.line for each in repair.edits] == [1, 3]
    assert repair.source == second.source
    assert repair.candidate().title.en == "one (line 1); two (line 3)"
    assert repair.candidate().cuts


def test_the_same_edit_of_two_lines_is_named_once() -> None:
    repair = Repair(original=ORIGINAL, source=ORIGINAL)
    repair = repair.then(edit("a\nB\nc\nd\n", 2, "one")).then(edit("a\nB\nc\nD\n", 4, "one"))

    assert repair.candidate().title.en == "one (lines 2 and 4)"


def test_each_changed_place_can_be_put_back_alone_with_its_line_ends() -> None:
    original = "a\r\nb\r\nc"
    repair = Repair(original=original, source=original)
    repair = repair.then(edit("A\r\nb\r\nc", 1, "one")).then(edit("A\r\nb\r\nC", 3, "two"))

    shorter = repair.shorter(repair.candidate())
    assert [each.source for each in shorter] == ["a\r\nb\r\nC", "A\r\nb\r\nc"]
    assert [each.title.en for each in shorter] == ["two (line 3)", "one (line 1)"]


def test_an_edit_of_two_places_is_named_as_long_as_one_is_left() -> None:
    repair = Repair(original=ORIGINAL, source=ORIGINAL)
    repair = repair.then(edit("A\nb\nnew\nc\nd\n", 1, "one"))
    repair = repair.then(edit("A\nb\nnew\nc\nD\n", 5, "two"))

    assert [(each.source, each.title.en) for each in repair.shorter(repair.candidate())] == [
        ("a\nb\nnew\nc\nD\n", "one (line 1); two (line 4)"),
        ("A\nb\nc\nD\n", "one (line 1); two (line 4)"),
        ("A\nb\nnew\nc\nd\n", "one (line 1)"),
    ]


def test_nothing_can_be_left_out_of_a_single_place() -> None:
    made = edit("a\nB\nC\nd\n", 2, "one")
    assert Repair(original=ORIGINAL, source=ORIGINAL).then(made).shorter(made) == []


def test_a_fault_is_the_same_one_after_lines_were_added_above_it() -> None:
    def blamed(line: int) -> Blame:
        write = Mutation(line=line, op="Tensor.add_", tensor=1, storage=1)
        return Blame(verdict=Verdict.SAVED_TENSOR_MODIFIED, writes=(write,), reader=line + 1)

    before = fault_of(blamed(2), ORIGINAL, ORIGINAL)

    assert fault_of(blamed(3), ORIGINAL, "new\na\nb\nc\nd\n") == before
    assert fault_of(blamed(3), ORIGINAL, ORIGINAL) != before
