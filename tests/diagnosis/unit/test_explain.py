"""How a run ended, said in two languages; who did it, in two lines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inplace_tui.common import cells
from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.rows import Style
from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    Unverified,
)
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.explain.rows import explanation, rows
from support.explained import ExplainedRun

SOURCE = 'x = make()\ny = x.exp()\ny.add_(1);  "`in place`"  # late\ny.sum().backward()\n'
BLAME = Blame(
    verdict=Verdict.SAVED_TENSOR_MODIFIED,
    tensor="y",
    saver=Saver(line=2, node="ExpBackward0", slot="result", version=0, is_output=True),
    writes=(Mutation(line=3, op="Tensor.add_", before=0, after=1),),
    reader=4,
)
ERROR = Raised(exception="RuntimeError", message="modified [/b]", line=4, in_backward=True)


def said(
    outcome: Outcome, truth: Truth | None = None, blame: Blame | None = None, language: str = "en"
) -> list[str]:
    sentences = explanation(outcome, truth or Unverified(), blame, source=SOURCE, language=language)
    return [sentence.text for sentence in sentences]


def test_two_lines_name_who_saved_and_who_changed() -> None:
    assert said(ERROR, blame=BLAME)[:2] == [
        "Line 2 `y = x.exp()` saved y at version 0 (ExpBackward0 keeps its result).",
        'Line 3 `y.add_(1); "`in place`"` changed it to version 1; '
        "backward on line 4 needed version 0.",
    ]


def test_a_custom_function_that_needed_it_is_named() -> None:
    source = """\
class Twice(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x
class Trainer:
    def backward(self):
        self.loss.backward()
"""

    def needed(reader: int, language: str) -> str:
        blame = replace(BLAME, reader=reader)
        found = explanation(ERROR, Unverified(), blame, source=source, language=language)
        return found[1].text

    assert "; the backward of Twice, on line 4, needed version 0." in needed(4, "en")
    assert "；Twice 的 backward（第 4 行）需要的是版本 0。" in needed(4, "zh")
    assert "; backward on line 8 needed version 0." in needed(8, "en")


def test_the_same_in_chinese() -> None:
    assert said(ERROR, blame=BLAME, language="zh")[:2] == [
        "第 2 行 `y = x.exp()` 保存了版本 0 的 y（ExpBackward0 保存的是自己的结果）。",
        '第 3 行 `y.add_(1); "`in place`"` 把它改到了版本 1；第 4 行的反向传播需要的是版本 0。',
    ]


def test_each_line_leads_to_its_line_of_the_program() -> None:
    view = ExplainedRun(source=SOURCE, timeline=Timeline(), outcome=ERROR, blame=BLAME)

    assert [row.target.line for row in rows(view, 200, "en")][:2] == [2, 3]


def test_a_hidden_outcome_is_not_explained() -> None:
    view = ExplainedRun(source=SOURCE, timeline=Timeline(), blame=BLAME)

    assert rows(view, 80, "en") == []


def test_backquotes_in_a_program_do_not_end_its_quotation() -> None:
    [_, changed, *_] = explanation(ERROR, Unverified(), BLAME, source=SOURCE, language="en")

    [code] = [span for span in changed.spans if "add_" in span.text]
    assert (code.text, code.style) == ('y.add_(1); "`in place`"', Style.CODE)


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_row_is_wider_than_the_panel(width: int, language: str) -> None:
    view = ExplainedRun(source=SOURCE, timeline=Timeline(), outcome=ERROR, blame=BLAME)

    assert all(cells.width(row.text) <= width for row in rows(view, width, language))


@pytest.mark.parametrize(
    ("outcome", "truth", "expected"),
    [
        (Completed(), Right(), "every gradient is right"),
        (Completed(), NotReproducible(reason=Reason.RUNS_DIFFER), "two runs of it delivered"),
        (TimedOut(seconds=10.0, line=3), None, "Still running after 10 s"),
        (Stopped(limit="steps", value=100_000), None, "100,000 lines"),
        (Crashed(exit_code=3, line=3), None, "exit code 3"),
        (Crashed(exit_code=-11, line=3), None, "SIGSEGV"),
        (Crashed(exit_code=-9, line=3), None, "memory ran out"),
        (Crashed(exit_code=-9, worker_died=True), None, "run the program again"),
        (Cancelled(), None, "run the program again"),
        (ERROR, None, "RuntimeError: modified [/b]"),
        (
            Raised(exception="SyntaxError", message="bad", line=3, in_backward=False),
            None,
            "can't be parsed",
        ),
    ],
)
def test_every_ending_says_what_happened(
    outcome: Outcome, truth: Truth | None, expected: str
) -> None:
    text = " ".join(said(outcome, truth))

    assert expected.lower() in text.lower()


@pytest.mark.parametrize("outcome", [TimedOut(seconds=1.0, line=3), Crashed(exit_code=-11, line=3)])
def test_an_ending_from_outside_says_where_the_program_was(outcome: Outcome) -> None:
    assert 'It was at line 3 `y.add_(1); "`in place`"`.' in said(outcome)


def test_last_words_are_quoted_without_what_moves_the_cursor() -> None:
    crashed = Crashed(exit_code=1, last_words="first\nFatal: \x1b[2J done\n")

    assert said(crashed)[-1] == "Its last words: Fatal: ␛[2J done"


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_blame_that_knows_nothing_still_says_what_it_means(verdict: Verdict, language: str) -> None:
    sentences = said(ERROR, blame=Blame(verdict=verdict), language=language)

    assert verdict.meaning[language].replace("`", "") in [
        each.replace("`", "") for each in sentences
    ]
