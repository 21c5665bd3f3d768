"""Output, timeline, narration and questions as text."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from inplace_tui.common.cells import width
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Span, Style, spans
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    Outcome,
    Raised,
    Stopped,
    TimedOut,
    Wrong,
)
from inplace_tui.common.run.snapshot import Storage
from inplace_tui.common.run.step import Event, Mutation, Muted, Printed, Rebound, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import Gate, Mask, QuestionView, View
from inplace_tui.tutorial.present import narration, output, question, strip, variants
from inplace_tui.tutorial.ui.keymap import Keymap
from support.course import COURSE
from support.views import NARRATION, QUESTION, asking, at, failed, failing, step, timeline


def saying(*events: Event, line: int = 1) -> View:
    return at(0, timeline(step(0, line, events=events)))


def printed(view: View, room: int = 60) -> list[str]:
    return [row.text.rstrip() for row in output.rows(view, room, "en")]


def test_output_stands_beside_the_line_that_wrote_it_up_to_the_cursor() -> None:
    made = timeline(*(step(n, 10 + n, events=(Printed(text=f"{n}\n"),)) for n in range(3)))

    assert printed(at(1, made)) == ["10 │ 0", "11 │ 1"]


def test_a_line_printed_in_parts_is_one_line() -> None:
    view = saying(Printed(text="loss "), Printed(text="0.5\nnext"), Printed(text="\n\n"))

    assert printed(view) == ["1 │ loss 0.5", "1 │ next", "1 │"]


def test_warnings_and_lost_output_are_said_in_order() -> None:
    view = saying(
        Printed(text="a\n"),
        Warned(category="UserWarning", message="careful\nnow", line=1),
        Printed(text="oops\n", stream="stderr"),
        Muted(kept_bytes=1_048_576),
    )

    assert printed(view) == [
        "1 │ a",
        "1 │ warning UserWarning: careful",
        "1 │ now",
        "1 │ oops",
        "1 │ The program writes on; only its first 1,048,576 bytes",
        "  │ are kept.",
    ]


def test_an_exception_that_passes_through_callers_is_said_once() -> None:
    made = timeline(
        step(0, 3, depth=1, raised="ValueError: no"), step(1, 7, raised="ValueError: no")
    )

    assert printed(at(1, made)) == ["3 │ ✗ raised ValueError: no"]


def test_a_flood_is_counted_but_for_its_end() -> None:
    made = timeline(*(step(n, 1, events=(Printed(text="x\n" * 300),)) for n in range(10)))

    lines = printed(at(9, made))

    assert lines[0] == "… 2,000 lines before these"
    assert len(lines) == 1 + output.MAX_LINES


def test_of_a_line_without_end_the_end_is_shown() -> None:
    view = saying(Printed(text="before\n"), Printed(text="中" * 300_000 + "last"))

    lines = printed(view)

    assert lines[0] == "… 1 line before these"
    assert lines[1].startswith("1 │ …中")
    assert lines[-1].endswith("last")
    assert 0.9 * output.MAX_CELLS < sum(map(width, lines)) < 1.2 * output.MAX_CELLS


def test_lines_that_were_there_at_the_step_before_are_not_wrapped_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrapped: list[str] = []

    def wrap(spans: list[Span], room: int) -> list[tuple[Span, ...]]:
        wrapped.extend(span.text for span in spans if span.text)
        return [tuple(spans)]

    monkeypatch.setattr(output, "wrap", wrap)
    made = timeline(*(step(n, 1, events=(Printed(text=f"第 {n} 次\n"),)) for n in range(5)))

    printed(at(3, made))
    wrapped.clear()
    lines = printed(at(4, made))

    assert wrapped == ["第 4 次"]
    assert lines[0].startswith("1 │ 第 0 次")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Completed(), ""),
        (TimedOut(seconds=10.0, line=2), "✗ stopped after 10 s, while line 2 was running"),
        (Stopped(limit="steps", value=100_000), "✗ stopped at its limit of 100,000 steps"),
        (
            Crashed(exit_code=-11, line=2, last_words="Bad\n"),
            "✗ the process was killed by SIGSEGV on line 2\nBad",
        ),
        (Crashed(exit_code=3, line=2), "✗ the process ended itself with exit code 3 on line 2"),
        (
            Crashed(exit_code=-9, worker_died=True),
            "✗ the worker process died, and this run with it",
        ),
    ],
)  # fmt: skip
def test_ends_that_the_program_cannot_tell_of_are_told(outcome: Outcome, said: str) -> None:
    assert output.ended(outcome, "en", "") == said


def timeline_text(view: View, room: int = 60) -> str:
    (row,) = strip.rows(view, room, "en")
    assert width(row.text) <= room
    return row.text.rstrip()


def test_the_timeline_shows_the_cursor_and_the_question_ahead() -> None:
    view = at(2, gates={5: Gate.OPEN}, reachable=4)

    assert timeline_text(view) == "start ●──●──◉──○──○? ┄  step 3"


def test_how_many_steps_follow_a_question_is_not_told() -> None:
    """A run that fails is shorter: its length would give it away."""
    assert "6" not in timeline_text(asking())


def test_a_question_behind_the_last_known_step_leaves_the_end_open() -> None:
    made = timeline(*(step(n, 1) for n in range(3)))
    view = View(source="", timeline=made, cursor=1, reachable=2, gates={3: Gate.OPEN})

    assert timeline_text(view) == "start ●──◉──○? ┄  step 2"


def test_the_end_says_whether_it_failed() -> None:
    assert "✗ end" in timeline_text(failed())
    silent = replace(at(5), outcome=Completed(), truth=Wrong(differences=()))
    assert "✗ end" in timeline_text(silent)
    assert "◉ end" in timeline_text(replace(at(5), outcome=Completed()))


@pytest.mark.parametrize("steps", [1, 10, 25, 40, 55, 1000, 5000])
@pytest.mark.parametrize("room", [12, 30, 60, 180])
def test_any_number_of_steps_fits_any_width(steps: int, room: int) -> None:
    made = Timeline()
    for n in range(steps):
        made.append(step(n, 1))
    view = View(source="", timeline=made, cursor=steps // 2, reachable=steps - 1)

    text = timeline_text(view, room)

    assert "◉" in text or room < 16


def test_a_click_on_a_long_bar_knows_its_step() -> None:
    made = timeline(*(step(n, 1) for n in range(1000)))
    view = View(source="", timeline=made, cursor=0, reachable=999)

    (row,) = strip.rows(view, 80, "en")
    steps = [span.target.step for span in row.spans if span.target and span.target.step is not None]

    assert steps == sorted(steps)
    assert steps[-1] == 999


@pytest.mark.parametrize("cursor", [0, 1, 13, 500, 997, 999])
def test_the_cursor_of_a_long_bar_is_between_what_was_passed_and_what_is_ahead(cursor: int) -> None:
    made = timeline(*(step(n, 1) for n in range(1000)))

    (row,) = strip.rows(View(source="", timeline=made, cursor=cursor, reachable=999), 80, "en")

    cells = [(span.text, span.target.step) for span in row.spans if span.target]
    [here] = [place for place, (text, _) in enumerate(cells) if text == "◉"]
    assert all(text == "━" and (at or 0) < cursor for text, at in cells[1:here])
    assert all(text == "┈" and (at or 0) > cursor for text, at in cells[here + 1 :])


def told(view: View, room: int = 60, language: str = "en") -> list[str]:
    return [row.text for row in narration.rows(view, room, language)]


def test_the_authors_words_are_wrapped_and_code_has_its_look() -> None:
    rows = narration.rows(asking(), 40, "en")

    assert rows[0].spans[0].text == "y.add_(1)"
    assert rows[0].spans[0].style is Style.CODE
    assert all(width(row.text) <= 40 for row in rows)


def test_chinese_is_unfolded_without_spaces() -> None:
    text = LocalText(en="one\ntwo\n\nthree", zh="第一行\n第二行 x\ny 第三行")

    assert told(at(2, narration=text)) == ["one two", "", "three"]
    assert told(at(2, narration=text), language="zh") == ["第一行第二行 x y 第三行"]


def test_a_line_without_a_word_from_the_author_speaks_for_itself() -> None:
    assert told(at(3)) == ["Tensor.add_ wrote y (storage B) in place: version 0 → 1."]
    assert told(at(2)) == ["New: y.", "ExpBackward0 saved y for backward."]
    assert told(at(0)) == ["Line 1 ran; no tensor changed."]
    small = at(1).snapshot
    (storage,) = {each.storage for each in small.tensors.values()}
    assert storage is not None
    large = msgspec.structs.replace(small, storages={storage: Storage(id=storage, nbytes=40_000)})
    assert told(replace(at(0), snapshot=large, previous=large)) == [
        "Line 1 ran; no change was seen. Of storages above 32 KiB",
        "only both ends are compared.",
    ]
    ran = at(3).ran
    assert ran is not None
    silent = replace(at(3), ran=msgspec.structs.replace(ran, events=(), nodes=(), saved=()))
    assert told(silent) == [f"Line {ran.line} ran; ~ in the table marks what changed."]
    assert told(saying(Rebound(name="y", before=1, after=2))) == [
        "The name y now means another tensor; nothing was written."
    ]


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "An unnamed tensor (storage B) was written, and no version counter saw it."),
        ("zh", "没有名字的张量（存储 B）被写入，但版本号没有变化。"),
    ],
)
def test_what_has_no_name_is_not_called_by_its_storage_twice(language: str, written: str) -> None:
    write = Mutation(line=4, storage=2, op="div_", before=0, after=0)
    ran = at(3).ran
    assert ran is not None

    view = replace(at(3), ran=msgspec.structs.replace(ran, events=(write,)))

    assert "".join(told(view, language=language)).replace(" ", "") == written.replace(" ", "")


def test_a_line_that_calls_says_what_the_calls_did() -> None:
    made = failing()
    write = made.steps[3].events
    called = timeline(*made.steps[:3], step(3, 4, events=write), step(4, 5, began=3))

    assert told(at(4, called)) == ["Tensor.add_ wrote y (storage B) in place: version 0 → 1."]


def test_a_line_whose_effects_are_hidden_does_not_say_that_there_are_none() -> None:
    view = at(5, gates={5: Gate.PASSED}, mask=Mask(outcome=True), ran=step(5, 6))

    assert told(view) == ["Line 6 ran; what it did is hidden until you answer."]


def test_a_run_without_a_step_says_how_it_ended_not_what_is_next() -> None:
    unparsed = Raised(
        exception="builtins.SyntaxError", message="invalid syntax", line=3, in_backward=False
    )
    view = replace(at(-1), timeline=Timeline(), outcome=unparsed)

    said = " ".join(row.text for row in narration.rows(view, 60, "en"))

    assert said == "SyntaxError on line 3: invalid syntax"


def test_an_odd_backtick_stays_what_it_is() -> None:
    assert [span.text for span in spans("a `b` c ` d")] == ["a ", "b", " c ` d"]


def test_what_to_read_on_follows_the_recap() -> None:
    recap = LocalText(en="Remember.", zh="记住。")
    page = "https://docs.pytorch.org/docs/stable/notes/autograd.html"

    lines = told(at(5, narration=NARRATION, recap=recap, links=(page,)))

    assert lines[-2:] == ["Remember.", "docs.pytorch.org/docs/stable/notes/autograd.html"]


def test_the_message_of_the_error_that_ended_a_run_is_left_to_the_panel_that_explains_it() -> None:
    made = timeline(step(0, 3, raised="ValueError: no such thing"))
    ended = Raised(exception="ValueError", message="no such thing", line=3, in_backward=False)

    def words(outcome: Outcome | None, *, brief: bool) -> list[str]:
        view = replace(at(0, made), outcome=outcome)
        return [row.text for row in narration.words(view, 60, "en", brief=brief)]

    whole = ["This line raised ValueError: no such thing"]
    assert words(ended, brief=True) == ["This line raised ValueError; Why has the message."]
    assert words(ended, brief=False) == whole
    assert words(Completed(), brief=True) == whole  # it was caught
    assert words(None, brief=True) == whole  # a question is open, or the run goes on


def test_the_recap_follows_at_the_end() -> None:
    lines = told(at(5, narration=NARRATION, recap=LocalText(en="Remember.", zh="记住。")))

    assert lines[-3:] == ["", "To take with you", "Remember."]


def asked(view_question: QuestionView, language: str = "en") -> list[str]:
    view = at(4, question=view_question)
    return [row.text.rstrip() for row in question.rows(view, 60, language, keys=Keymap().labels)]


def test_an_open_question_can_be_answered_by_letter() -> None:
    lines = asked(QUESTION)
    rows = question.rows(at(4, question=QUESTION), 60, "en")

    assert lines[2:5] == [
        "  a  Runs. The gradient is right.",
        "  b  Runs. The gradient is wrong.",
        "  c  Raises an error.",
    ]
    assert [row.target.choice for row in rows[2:5]] == [0, 1, 2]
    assert lines[-2:] == [
        "a–c or ↑↓ mark, Enter answers · Esc later · H hint 0/2",
        "A answer · U guess",
    ]


def test_a_locked_question_promises_no_key_that_answers() -> None:
    view = at(4, question=QUESTION)
    lines = [row.text for row in question.rows(view, 70, "en", keys=Keymap().labels, locked=True)]

    assert lines[-2:] == [
        "Answers are locked for a class. A shows the right one. · Esc later",
        "H hint 0/2",
    ]


def test_after_a_first_wrong_try_that_choice_is_spent() -> None:
    again = replace(QUESTION, status=QuestionStatus.AGAIN, tried=("wrong",), feedback=NARRATION)
    rows = question.rows(at(4, question=again), 60, "en")

    assert [row.target.choice for row in rows[2:5]] == [0, None, 2]
    assert "✗ b  Runs. The gradient is wrong.  tried" in asked(again)
    assert "✗ Not right. One more try." in asked(again)


def test_right_and_wrong_have_a_glyph_a_word_and_a_style() -> None:
    wrong = replace(QUESTION, status=QuestionStatus.WRONG, tried=("wrong",), right="raises")
    styles = {
        row.text.strip(): row.spans[0].style
        for row in question.rows(at(5, question=wrong), 60, "en")
        if row.text.startswith(("✓", "✗"))
    }

    assert styles == {
        "✗ 2  Runs. The gradient is wrong.  incorrect": Style.WRONG,
        "✓ 3  Raises an error.  correct answer": Style.RIGHT,
        "✗ wrong": Style.WRONG,
    }


def test_while_an_answer_is_checked_nothing_is_judged() -> None:
    checking = replace(QUESTION, status=QuestionStatus.CHECKING, tried=("raises",))

    assert "▸ c  Raises an error.  your choice" in asked(checking)
    assert "… checking by running it" in asked(checking)


def test_hints_are_counted() -> None:
    hinted = replace(QUESTION, hints=(LocalText(en="Look at `exp`.", zh="看看 `exp`。"),))

    assert "Hint 1 of 2" in asked(hinted)
    assert "提示 1/2" in asked(hinted, "zh")


def test_an_edit_of_several_lines_is_shown_as_several() -> None:
    loaded = next(each for each in COURSE.lessons if each.lesson.id == "leaf-lost")
    listed = [row.text for row in variants.rows(loaded, {}, {}, shown=None, room=80, language="en")]

    first = listed.index("      4: w = w * w")
    assert listed[first + 1] == "         w0.data *= 10"
