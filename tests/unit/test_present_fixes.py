"""Fixes as rows: below the explanation in short, in their list whole."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from inplace_tui.common.cells import spans_width
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.fix import AddedTime, Attempt, Fix, FixSearch
from inplace_tui.common.run.outcome import Completed, NotReproducible, Raised, StackFrame
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.fixes.rows import facts, page, rows
from support.views import SOURCE, failed

REFUSED = "element 0 of tensors does not require grad and does not have a grad_fn"
DIFF = """@@ -2,4 +2,5 @@
 y = x.exp()
-y.add_(1)
+with torch.no_grad():
+    z = y.add(1)  # [/b]
 y.sum().backward()"""
FIX = Fix(
    title=LocalText(en="Compute a new `y` instead", zh="计算一个新的 `y`"),
    line=4,
    diff=DIFF,
    source="fixed",
    cost_bytes=12,
)
OTHER = Fix(
    title=LocalText(en="Detach `y`", zh="对 `y` 调用 detach"),
    line=4,
    diff="-a\n+b",
    source="other",
    keeps_gradient=False,
    forward_changes=LocalText(en="`z` is 1", zh="`z` 是 1"),
)


def texts(search: FixSearch, language: str = "en", room: int = 90) -> list[str]:
    return [row.text for row in rows(search, room, language)]


def test_a_fix_is_its_title_two_lines_of_its_change_and_what_it_keeps() -> None:
    assert texts(FixSearch(found=(FIX,), tried=3, total=3, over=True)) == [
        "Fixes that were run, and work",
        "1  Compute a new y instead",
        "   - y.add_(1)",
        "   + with torch.no_grad():",
        "   … 1 more changed line",
        "   keeps the gradient · copies 12 B · leaves the forward as it is",
    ]


def test_nothing_is_said_of_the_forward_of_what_computes_something_else() -> None:
    """Its rounds after the first update were not compared, and start over may mean other values."""
    other = msgspec.structs.replace(FIX, computes=LocalText(en="no round continues", zh="不续"))

    assert facts(other, "en") == ["another gradient: no round continues", "copies 12 B"]


def test_a_hunk_is_shown_without_the_indentation_that_all_of_it_has() -> None:
    deep = " " * 16
    diff = (
        f"--- model.py\n@@ -7,3 +7,3 @@\n {deep}if on:\n-{deep}    h += x\n+{deep}    h = h + x\n"
        " \n@@ -90 +90 @@\n-    y += 1\n+    y = y + 1\n"
    )
    fix = msgspec.structs.replace(FIX, diff=diff)

    lines = [row.text.strip() for row in page([fix], FixSearch(over=True, found=(fix,)), 40, "en")]

    assert lines[1:10] == [
        "--- model.py", "@@ -7,3 +7,3 @@", "if on:", "-    h += x", "+    h = h + x", "",
        "@@ -90 +90 @@", "-y += 1", "+y = y + 1",
    ]  # fmt: skip


def test_what_it_cuts_and_changes_is_said_too() -> None:
    last = texts(FixSearch(found=(OTHER,), over=True, tried=1, total=1))[-1]

    assert last == "   cuts the gradient · costs no memory · changes the forward: z is 1"


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (
            AddedTime(seconds=0.004, noise_seconds=0.005, run_seconds=0.3, runs=3),
            "no measurable time",
        ),
        (
            AddedTime(seconds=0.0124, noise_seconds=0.005, run_seconds=0.31, runs=3),
            "adds 12 ms to a run of 310 ms (±5 ms)",
        ),
        (
            AddedTime(seconds=-1.25, noise_seconds=0.5, run_seconds=24.0, runs=1),
            "saves 1.2 s of a run of 24.0 s (±500 ms)",
        ),
        (AddedTime(seconds=None), "time not compared (the original fails)"),
    ],
)
def test_the_time_that_a_fix_takes_stands_beside_what_it_copies(
    added: AddedTime, said: str
) -> None:
    timed = msgspec.structs.replace(FIX, added_time=added)

    assert facts(timed, "en") == [
        *("keeps the gradient", "copies 12 B", said),
        "leaves the forward as it is",
    ]


def test_of_the_usual_way_the_other_gradient_and_the_values_are_told() -> None:
    usual = msgspec.structs.replace(OTHER, computes=LocalText(en="one backward", zh="一次"))

    assert facts(usual, "en") == [
        *("another gradient: one backward", "costs no memory"),
        "changes the forward: `z` is 1",
    ]


def test_code_in_a_title_has_its_look() -> None:
    title = rows(FixSearch(found=(FIX,), over=True), 90, "en")[1]

    assert Span("y", Style.CODE) in title.spans
    assert title.target.choice == 0


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (FixSearch(), "looking for fixes…"),
        (FixSearch(tried=3, total=8), "looking for fixes… (3 of 8 tried)"),
        (FixSearch(found=(OTHER,), tried=1, total=8), "looking for fixes… (1 of 8 tried)"),
        (FixSearch(tried=0, total=0, over=True), "No rewrite is known for this failure."),
        (
            FixSearch(tried=3, total=8, over=True, cut_short=True),
            "The time for trying was over: 3 of 8 rewrites were run.",
        ),
    ],
)
def test_how_far_the_search_is_stands_below(search: FixSearch, said: str) -> None:
    assert texts(search)[-1] == said


def test_that_nothing_passed_is_said() -> None:
    assert texts(FixSearch(tried=8, total=8, over=True))[0].startswith(
        "No rewrite passed: 8 were run"
    )


def test_the_list_has_the_whole_change_and_one_blank_row_between() -> None:
    listed = page((FIX, OTHER), FixSearch(found=(FIX, OTHER), over=True), 90, "en")

    said = [row.text for row in listed]
    assert said[1:7] == [f"   {line}" for line in DIFF.splitlines()]
    assert [said.index(""), said[9], said[-1][:8]] == [8, "2  Detach y", "   cuts "]
    assert {row.target.choice for row in listed if row.text} == {0, 1}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("room", [20, 36, 76, 180])
def test_nothing_is_wider_than_the_room(room: int, language: str) -> None:
    search = FixSearch(found=(FIX, OTHER), tried=2, total=9)

    drawn = [*rows(search, room, language), *page(search.found, search, room, language)]

    assert max(spans_width(row.spans) for row in drawn) <= room


def test_fixes_come_before_the_words_of_torch() -> None:
    view = replace(failed(), fixes=FixSearch(found=(FIX,), tried=1, total=1, over=True))

    said = [row.text for row in explain.rows(view, 80, "en")]

    places = [said.index(line) for line in said if line.startswith(("1  ", "RuntimeError:"))]
    assert len(places) == 2
    assert said[places[0]].startswith("1  ")


@pytest.mark.parametrize("drawn", ["panel", "list"])
def test_where_nothing_works_it_is_said_how_far_each_got_and_what_to_answer(drawn: str) -> None:
    attempts = (
        Attempt(title=LocalText(en="Copy `y`", zh="复制"), line=3, condition="d", message=""),
        Attempt(title=LocalText(en="Move it", zh="移动"), line=6, condition="a", message="no [/b]"),
    )
    search = FixSearch(attempts=attempts, tried=2, total=2, over=True)
    view = replace(failed(), fixes=search)

    if drawn == "panel":
        said = [row.text for row in explain.rows(view, 200, "en")]
    else:
        shown = page((), search, 200, "en", blame=view.blame, source=view.source)
        said = [row.text for row in shown]

    assert "- Copy y (line 3): it runs, and what was to be written is nowhere" in said
    assert "- Move it (line 6): it raises another error: no [/b]" in said
    assert any(line.startswith("Your choice: should the gradient use") for line in said)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("reason", Reason)
def test_where_nothing_can_be_told_of_ones_own_program_it_says_what_would_tell(
    reason: Reason, language: str
) -> None:
    own = Program(source=SOURCE, origin=Origin.OWN)
    line = 3 if reason in (Reason.UNREACHED, Reason.CUT_UPDATE, Reason.WRITTEN) else None
    truth = NotReproducible(reason=reason, detail="it", line=line)
    view = replace(failed(), outcome=Completed(), truth=truth, blame=None, program=own)
    blamed = replace(view, blame=failed().blame)
    lesson = replace(view, program=Program(source=SOURCE, origin=Origin.BUILT_IN))
    begins = {"en": "What would tell: ", "zh": "要能判断："}[language]

    said = [row.text for row in explain.rows(view, 300, language)]

    assert any(line.startswith(begins) for line in said)
    assert any(begins in row.text for row in explain.rows(blamed, 300, language))
    assert not any(begins in row.text for row in explain.rows(lesson, 300, language))


def test_an_error_of_another_kind_is_placed_with_the_calls_that_led_to_it() -> None:
    own = Program(source=SOURCE, origin=Origin.OWN, filename="train.py")
    places = [("train.py", 6, "<module>"), ("torch/a.py", 3, "a"), ("torch/b.py", 9, "b")]
    chain = tuple(StackFrame(file=file, line=at, function=name) for file, at, name in places)
    error = Raised(exception="KeyError", message="'b'", line=6, in_backward=False, chain=chain)
    of_torch = Raised(exception="RuntimeError", message=REFUSED, line=6, in_backward=True)
    view = replace(failed(), outcome=error, blame=None, program=own)

    said = [row.text for row in explain.rows(view, 300, "en")]

    assert said[-1] == (
        "This is not about autograd. It was raised through "
        "train.py:6 <module> → … → torch/b.py:9 b."
    )
    unblamed = replace(view, outcome=of_torch)
    assert not any("autograd" in row.text for row in explain.rows(unblamed, 300, "en"))


def test_without_a_search_nothing_is_said_of_fixes() -> None:
    assert "ixes" not in "\n".join(row.text for row in explain.rows(failed(), 80, "en"))


def test_on_a_wide_screen_a_change_is_two_columns() -> None:
    wide = [row.text for row in page([FIX], FixSearch(found=(FIX,), over=True), 150, "en")]
    halves = [tuple(each.strip() for each in row.split(" │ ")) for row in wide if " │ " in row]

    assert halves == [
        ("@@ -2,4 +2,5 @@", "@@ -2,4 +2,5 @@"),
        ("y = x.exp()", "y = x.exp()"),
        ("-y.add_(1)", "+with torch.no_grad():"),
        ("", "+    z = y.add(1)  # [/b]"),
        ("y.sum().backward()", "y.sum().backward()"),
    ]
    assert all(len(row) <= 150 for row in wide)


def test_a_line_that_only_moves_is_not_shown_as_the_same_line_twice() -> None:
    moved = "@@ -3,4 +3,4 @@\n y = x.exp()\n+y.sum().backward()\n y += 1\n-y.sum().backward()"
    search = FixSearch(found=(msgspec.structs.replace(FIX, diff=moved),), over=True)

    assert texts(search)[2:-1] == ["   line 5 moves to line 4: y.sum().backward()"]
    assert texts(search, "zh")[2:-1] == ["   第 5 行移到第 4 行：y.sum().backward()"]


def test_of_several_lines_that_move_the_others_are_counted() -> None:
    moved = "@@ -1,3 +1,4 @@\n-a()\n-b()\n c()\n+with d:\n+    a()\n+    b()"
    order = "@@ -1,3 +1,3 @@\n-a()\n-b()\n c()\n+a()\n+b()"

    assert texts(FixSearch(found=(msgspec.structs.replace(FIX, diff=order),), over=True))[2:-1] == [
        "   line 1 moves to line 2: a()",
        "   … 1 more changed line",
    ]
    assert texts(FixSearch(found=(msgspec.structs.replace(FIX, diff=moved),), over=True))[2:4] == [
        "   - a()",
        "   + with d:",
    ]
