"""What an explanation says of a case, as data and as a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.cells import width
from inplace_tui.common.command.programs import program_of_module
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.fix import AddedTime, Attempt, Fix
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Crashed,
    Difference,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    StackFrame,
    Stopped,
    TimedOut,
    Truth,
    Unverified,
    Wrong,
)
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.sentences import SentenceBuilder
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.explain.explanation import Case, Culprit, Untried, culprits, explanation
from inplace_tui.diagnosis.explain.findings import github, sarif
from inplace_tui.diagnosis.explain.report import rows
from inplace_tui.diagnosis.explain.stacks import short_path, step_to_follow, with_stacks
from support.views import failed

SOURCE = """\
import torch
def scale(t):
\tt.mul_(2)  # twice
x = torch.ones(2, requires_grad=True)
数 = "宽"; y = x.exp()
scale(y)
y.sum().backward()
"""
STALE = Raised(
    exception="RuntimeError",
    message="modified by an inplace operation: [torch.FloatTensor [2]], which is output 0 of Exp, "
    "is at version 1; expected version 0 instead.",
    line=7,
    in_backward=True,
)
WRITE = Mutation(
    line=3, column=1, end_line=3, end_column=10, op="Tensor.mul_", tensor=2, before=0, after=1
)
WRONG = Wrong(differences=(Difference(tensor="x", line=7, got="1. 1.", true="2. 2."),))


def timeline() -> Timeline:
    """Return `scale(y)` and what came before it: the callee's line finishes first."""
    told = Timeline()
    y = Tensor(id=2, names=("y",), shape=(2,), dtype="float32")
    steps = [
        Step(index=0, line=5, end_line=5, began=0, tensors=(y,)),
        Step(
            index=1,
            line=3,
            end_line=3,
            began=1,
            depth=1,
            function="scale",
            events=(WRITE,),
            tensors=(msgspec.structs.replace(y, names=("t", "y"), version=1),),
        ),
        Step(
            index=2, line=6, end_line=6, began=1, tensors=(msgspec.structs.replace(y, version=1),)
        ),
        Step(index=3, line=7, end_line=7, began=3, raised="RuntimeError"),
    ]
    for step in steps:
        told.append(step)
    return told


def case(
    outcome: Outcome = STALE,
    truth: Truth = Unverified(),  # noqa: B008 - frozen
    *,
    verdict: Verdict | None = Verdict.SAVED_TENSOR_MODIFIED,
    blame: Blame | None = None,
    fixes: tuple[Fix, ...] = (),
) -> Case:
    return Case(
        program=Program(
            source=SOURCE, filename="/home/me/train.py", folder="/home/me", origin=Origin.OWN
        ),
        outcome=outcome,
        truth=truth,
        verdict=verdict,
        blame=blame,
        timeline=timeline(),
        fixes=fixes,
        runs=5,
        seconds=1.25,
    )


BLAME = Blame(
    verdict=Verdict.SAVED_TENSOR_MODIFIED,
    tensor="y",
    saver=Saver(line=5, node="ExpBackward0", slot="result", version=0, is_output=True),
    writes=(WRITE,),
    reader=7,
)


@pytest.mark.parametrize(
    ("outcome", "truth", "ending"),
    [
        (Completed(), Right(), Ending.RIGHT),
        (Completed(), Unverified(), Ending.RUNS),
        (Completed(), NotReproducible(reason=Reason.RUNS_DIFFER), Ending.NOT_JUDGED),
        (Completed(), WRONG, Ending.WRONG),
        (STALE, Unverified(), Ending.RAISES_IN_BACKWARD),
        (msgspec.structs.replace(STALE, in_backward=False), Unverified(), Ending.RAISES_BEFORE),
        (TimedOut(seconds=2), Unverified(), Ending.TIMED_OUT),
        (Stopped(limit="steps", value=9), Unverified(), Ending.STOPPED),
        (Crashed(exit_code=-11), Unverified(), Ending.CRASHED),
        (Cancelled(), Unverified(), Ending.CANCELLED),
    ],
)
def test_an_outcome_has_its_word(outcome: Outcome, truth: Truth, ending: Ending) -> None:
    found = case(outcome, truth)

    assert found.ending is ending_of(outcome, truth) is ending


def test_gradients_that_there_was_no_time_for_are_not_judged() -> None:
    found = case(Completed(), Unverified())

    assert replace(found, not_tried=(Untried.GRADIENTS,)).ending is Ending.NOT_JUDGED
    assert replace(found, not_tried=(Untried.FIXES,)).ending is Ending.RUNS


def test_a_culprit_is_called_as_its_own_line_calls_it_and_has_its_callers() -> None:
    told = explanation(case(blame=BLAME), file="train.py", lesson="saved-output")

    assert told.culprits == [
        Culprit(
            file="train.py",
            line=3,
            op="Tensor.mul_",
            tensor="t",
            version_before=0,
            version_after=1,
            source="t.mul_(2)  # twice",
            chain=["train.py:6 <module>", "train.py:3 scale"],
        )
    ]
    assert told.victim is not None
    assert (told.victim.saved_version, told.victim.current_version) == (0, 1)
    assert (told.file, told.lesson, told.runs) == ("train.py", "saved-output", 5)


def test_a_module_without_a_file_has_its_own_name() -> None:
    program = program_of_module("pytest", ("-q",))

    assert short_path(program.filename, program) == "pytest"


def test_a_write_that_no_counter_saw_has_no_versions() -> None:
    unseen = msgspec.structs.replace(WRITE, before=None, after=None, op=None)
    blame = msgspec.structs.replace(BLAME, verdict=Verdict.SILENTLY_WRONG, writes=(unseen,))

    told = explanation(
        case(Completed(), WRONG, verdict=Verdict.SILENTLY_WRONG, blame=blame),
        file="train.py",
        lesson=None,
    )

    assert (told.culprits[0].op, told.culprits[0].version_before) == (None, None)
    assert [(g.tensor, g.got, g.true) for g in told.gradients] == [("x", "1. 1.", "2. 2.")]


@pytest.mark.parametrize(
    ("got", "true", "said"),
    [
        ("1. 1.", "2. 2.", "x.grad came out as 1. 1.; the saved values give 2. 2."),
        ("1 2 3 4 5", "1 2 3 9 5", "x.grad[3] came out as 4; the saved values give 9."),
        ("[1 2 3] [4 5 6]", "[1 2 3] [4 5 7]", "x.grad.flatten()[5] came out as 6; "),
    ],
)
def test_of_a_long_gradient_the_first_wrong_element_is_told(got: str, true: str, said: str) -> None:
    differs = Difference(tensor="x", line=7, got=got, true=true)
    build = SentenceBuilder(SOURCE, "en", marks=False)

    sentence = explain.difference(build, Wrong(differences=(differs,)), BLAME)

    assert "".join(span.text for span in sentence.spans).startswith(said)


def test_a_refused_write_has_no_version_after_it() -> None:
    refused = msgspec.structs.replace(WRITE, after=None)
    blame = Blame(verdict=Verdict.LEAF_MODIFIED, tensor="y", writes=(refused,), reader=3)
    raised = msgspec.structs.replace(STALE, in_backward=False, line=3)

    told = explanation(
        case(raised, verdict=Verdict.LEAF_MODIFIED, blame=blame), file="train.py", lesson=None
    )

    assert (told.culprits[0].version_before, told.culprits[0].version_after) == (0, None)


def test_where_nothing_was_written_the_line_that_raised_is_at_fault() -> None:
    raised = msgspec.structs.replace(STALE, in_backward=False, line=4)
    blame = Blame(verdict=Verdict.INTEGER_GRADIENT, tensor="x", reader=4)

    told = explanation(
        case(raised, verdict=Verdict.INTEGER_GRADIENT, blame=blame), file="train.py", lesson=None
    )

    assert [(each.line, each.tensor) for each in told.culprits] == [(4, "x")]


def test_a_lost_leaf_s_culprit_is_the_line_that_took_its_name() -> None:
    raised = msgspec.structs.replace(STALE, exception="TypeError", in_backward=False, line=7)
    blame = Blame(verdict=Verdict.LEAF_LOST, tensor="x", reader=7, cut=5)

    told = explanation(
        case(raised, verdict=Verdict.LEAF_LOST, blame=blame), file="train.py", lesson=None
    )

    assert [each.line for each in told.culprits] == [5]


def test_only_a_call_that_hides_its_write_is_followed() -> None:
    steps = timeline()
    step = steps.steps[1]
    hidden = msgspec.structs.replace(WRITE, op="SGD.step")
    seen = msgspec.structs.replace(step, events=(hidden,))
    other = Timeline()
    for each in (steps.steps[0], seen):
        other.append(each)

    assert step_to_follow(steps, BLAME) is None
    assert step_to_follow(other, msgspec.structs.replace(BLAME, writes=(hidden,))) is seen


def test_what_a_followed_run_saw_belongs_to_the_same_write() -> None:
    steps = timeline()
    place = StackFrame(file="/usr/site-packages/torch/optim/sgd.py", line=9, function="step")
    followed = Timeline()
    followed.append(steps.steps[0])
    chained = msgspec.structs.replace(WRITE, chain=(place,))
    followed.append(msgspec.structs.replace(steps.steps[1], events=(chained,)))

    found = with_stacks(BLAME, steps.steps[1], followed)

    told = explanation(case(blame=found), file="train.py", lesson=None)
    assert told.culprits[0].chain == ["torch/optim/sgd.py:9 step"]


def page(told: Case, language: str = "en", room: int = 100) -> list[str]:
    found = rows(told, file="train.py", leads=Leads(), language=language, room=room)
    return [row.text for row in found]


def test_carets_stand_under_the_expression_behind_tabs_and_wide_characters() -> None:
    lines = page(case(blame=BLAME))

    write = lines.index("3 │     t.mul_(2)")
    assert lines[write + 1].split(" the")[0].rstrip() == "  │     ^^^^^^^^^"
    save = next(index for index, line in enumerate(lines) if line.startswith("5 │ "))
    before = lines[save].index("x.exp()")
    caret = lines[save + 1].index("^")
    assert width(lines[save][:before]) == width(lines[save + 1][:caret])
    assert lines[save + 1].count("^") == len("x.exp()")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("room", [40, 60, 100])
def test_no_line_of_the_page_is_wider_than_the_room(language: str, room: int) -> None:
    fix = Fix(
        title=LocalText(
            "Write a copy of the thing that the op has saved", zh="写入副本，不动保存的那一份"
        ),
        line=3,
        diff="@@ -1 +1 @@\n-a\n+b",
        source="b",
        cost_bytes=3 * 2**20,
        keeps_gradient=False,
        forward_changes=LocalText("y is another", zh="y 变了"),
    )

    lines = page(case(blame=BLAME, fixes=(fix,)), language, room)

    assert max(map(width, lines)) <= room
    assert any("3.0 MiB" in line for line in lines)


def test_a_program_that_is_fine_takes_two_lines() -> None:
    lines = page(case(Completed(), Right(), verdict=None))

    assert lines[0] == "train.py: runs, and its gradients are right"
    assert len(lines) == 2


def test_who_asked_for_no_gradient_is_not_told_that_they_are_right() -> None:
    asked_nothing = page(case(Completed(), Right(asked=False), verdict=None))

    assert asked_nothing[0] == "train.py: runs; it asks for no gradient"


def test_who_asks_for_input_is_told_that_there_is_none() -> None:
    outcome = Raised(exception="EOFError", message="EOF", line=4, in_backward=False)

    assert any("and else empty" in line for line in page(case(outcome, verdict=None)))


@pytest.mark.parametrize(
    "outcome",
    [
        TimedOut(seconds=2, line=4),
        Crashed(exit_code=-6, line=4),
        Raised(exception="SyntaxError", message="invalid syntax", line=99, in_backward=False),
        Raised(exception="KeyError", message="'x'", line=None, in_backward=False),
    ],
)
def test_every_other_ending_has_a_page(outcome: Outcome) -> None:
    for language in ("en", "zh"):
        lines = page(case(outcome, verdict=None), language)

        assert len(lines) >= 3


FIXED = Fix(
    title=LocalText(en="Scale a new one", zh="算一个新的"),
    line=3,
    diff="-\tt.mul_(2)",
    source=SOURCE.replace("t.mul_(2)", "return t.mul(2)"),
)


def test_findings_of_a_pull_request_name_the_fault_first_and_escape_what_they_quote() -> None:
    told = case(blame=BLAME, fixes=(FIXED,))

    fault, *others = github(told, file="a,b:c.py", language="en")

    assert fault.startswith("::error file=a%2Cb%3Ac.py,line=3,title=saved-tensor-modified::")
    facts = "keeps the gradient · costs no memory · leaves the forward as it is"
    assert fault.endswith(f"Scale a new one%0A{facts}%0A-\tt.mul_(2)")
    assert [each.partition("::notice file=a%2Cb%3Ac.py,line=")[2][:1] for each in others] == [
        "5",
        "7",
    ]


def test_what_is_fine_is_no_finding() -> None:
    fine = case(Completed(), Right(), verdict=None)

    assert list(github(fine, file="x.py", language="en")) == []
    told: Any = sarif([("x.py", fine)], "en")
    assert told["runs"][0]["results"] == []


def test_an_editor_gets_place_rule_and_replacement() -> None:
    took = AddedTime(seconds=0.5, noise_seconds=0.1, run_seconds=2.0, runs=3)
    fixed = msgspec.structs.replace(FIXED, cost_bytes=12, added_time=took)
    told: Any = sarif([("sub dir/数.py", case(blame=BLAME, fixes=(fixed,)))], "en")

    [run] = told["runs"]
    [result] = run["results"]
    place = result["locations"][0]["physicalLocation"]
    [change] = result["fixes"][0]["artifactChanges"]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == [result["ruleId"]]
    assert place["artifactLocation"]["uri"] == "sub%20dir/%E6%95%B0.py"
    assert place["region"] == {"startLine": 3}
    assert result["fixes"][0]["properties"] == {
        "cost_bytes": 12,
        "added_time": {"seconds": 0.5, "noise_seconds": 0.1, "run_seconds": 2.0, "runs": 3},
        "keeps_gradient": True,
        "forward_changes": None,
        "computes": None,
        "copied": False,
        "held_to": None,
    }
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 3, "startColumn": 1, "endLine": 4, "endColumn": 1},
            "insertedContent": {"text": "\treturn t.mul(2)  # twice\n"},
        }
    ]


def test_an_error_of_python_s_is_a_finding_at_its_line() -> None:
    raised = Raised(exception="KeyError", message="'x'", line=6, in_backward=False)

    [fault] = github(case(raised, verdict=None), file="x.py", language="en")

    assert fault == "::error file=x.py,line=6,title=inplace-tui::KeyError: 'x'"


def test_where_nothing_works_it_is_said_how_far_each_got_and_what_to_answer() -> None:
    attempts = (
        Attempt(title=LocalText(en="Copy it", zh="复制"), line=3, condition="d", message=""),
        Attempt(title=LocalText(en="Move it", zh="移动"), line=6, condition="a", message="no [/b]"),
    )
    told = replace(case(blame=BLAME), attempts=attempts)

    found = page(told)

    assert "- Copy it (line 3): it runs, and what was to be written is nowhere" in found
    assert "- Move it (line 6): it raises another error: no [/b]" in found
    assert any(line.startswith("Your choice: ") for line in found)


def test_the_usual_way_stands_under_a_heading_of_its_own() -> None:
    usual = msgspec.structs.replace(FIXED, computes=LocalText(en="another loss", zh="另一个损失"))

    found = page(case(blame=BLAME, fixes=(FIXED, usual)))

    heading = found.index("Common alternatives. They run, but compute something different:")
    assert found.index("1. Scale a new one") < heading < found.index("2. Scale a new one")
    assert any(row.startswith("   another gradient: another loss · ") for row in found[heading:])


@pytest.mark.parametrize("reason", Reason)
def test_where_nothing_can_be_told_it_says_why_and_what_would_tell(reason: Reason) -> None:
    line = 5 if reason in (Reason.UNREACHED, Reason.CUT_UPDATE, Reason.WRITTEN) else None
    doubtful = NotReproducible(reason=reason, detail="it", line=line)

    lines = page(case(Completed(), doubtful, verdict=None), room=300)

    assert any("can't be told" in line for line in lines)
    assert any(line.startswith("What would tell: ") for line in lines)


def test_an_error_of_another_kind_is_placed_in_the_user_s_own_code_and_libraries_are_folded() -> (
    None
):
    places = [
        ("train.py", 6, "<module>"),
        ("train.py", 3, "scale"),
        ("torch/functional.py", 9, "f"),
    ]
    chain = tuple(StackFrame(file=file, line=at, function=name) for file, at, name in places)
    error = Raised(exception="KeyError", message="'b'", line=3, in_backward=False, chain=chain)

    lines = page(case(error, verdict=None))

    assert lines[0] == "train.py: ends with KeyError, which is not about autograd"
    through = "train.py:6 <module> → train.py:3 scale → torch/functional.py:9 f"
    assert any(line.endswith(f"raises it; through {through}") for line in lines)


@pytest.mark.parametrize(("origin", "switch", "named"), [(None, None, 7), (5, None, 5), (5, 3, 3)])
def test_where_no_graph_is_the_line_that_switched_it_off_is_at_fault(
    origin: int | None, switch: int | None, named: int
) -> None:
    blame = Blame(verdict=Verdict.NO_GRAD_FN, reader=7, origin=origin, switch=switch)

    told = case(blame=blame, verdict=Verdict.NO_GRAD_FN)

    assert [each.line for each in culprits(told)] == [named]
    at_fault = [line for line in page(told) if "the line at fault: " in line]
    assert len(at_fault) == (0 if origin is None else 1)


@pytest.mark.parametrize(
    ("tried", "said"), [(0, "No rewrite is known"), (3, "None of the fixes that were tried worked")]
)
def test_that_none_was_tried_is_not_told_as_that_none_is_a_fix(tried: int, said: str) -> None:
    shown = replace(case(blame=BLAME), tried=tried)

    page = rows(shown, file="train.py", leads=Leads(), language="en", room=200)

    assert any(said in "".join(span.text for span in row.spans) for row in page)


@pytest.mark.parametrize(
    ("reason", "op"), [(Reason.WRITTEN, "Tensor.mul_"), (Reason.CUT_UPDATE, "")]
)
def test_a_doubt_about_a_line_names_line_tensor_and_step_in_json_and_in_text(
    reason: Reason, op: str
) -> None:
    doubt = NotReproducible(reason=reason, detail="net.weight", line=3, op=op, backward=7)
    found = case(Completed(), doubt, verdict=None)

    told = explanation(found, file="train.py", lesson=None).doubt

    assert told is not None
    assert (told.file, told.line, told.op) == ("train.py", 3, op or None)
    assert (told.reason, told.tensor, told.step, told.detail) == (reason, "net.weight", 7, "")
    text = " ".join(page(found, room=500))
    assert all(part in text for part in ("line 3", "net.weight", "backward no. 7", op))


def test_a_doubt_about_no_line_says_in_json_what_it_is() -> None:
    doubt = NotReproducible(reason=Reason.REPLAY_TOO_SLOW, detail="9")

    told = explanation(case(Completed(), doubt, verdict=None), file="a.py", lesson=None).doubt

    assert told is not None
    assert (told.reason, told.detail, told.line, told.tensor) == (doubt.reason, "9", None, None)


@pytest.mark.parametrize("truth", [Right(), WRONG])
def test_where_right_is_said_so_is_of_which_functions_the_backward_was_believed(
    truth: Truth,
) -> None:
    source = "import torch\nclass Double(torch.autograd.Function): ...\n"
    program = Program(source=source, origin=Origin.OWN)
    found = replace(case(Completed(), truth, verdict=None), program=program)

    told = explanation(found, file="train.py", lesson=None).taken

    assert told == (["Double"] if truth == Right() else [])
    said = "What the backward of `Double` returns was taken as it is"
    assert (said in " ".join(page(found, room=500))) == (truth == Right())
    view = replace(failed(), outcome=Completed(), truth=truth, blame=None, program=program)
    lines = [row.text for row in explain.rows(view, 500, "en")]
    assert any(said in line for line in lines) == (truth == Right())
