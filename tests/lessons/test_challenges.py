"""Challenges: every one can be won, and none by a trick."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_tui.common.run.program import Limits, Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.challenges.grading import Grade, References, grade
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.edits import lines_changed
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, load_challenge
from inplace_tui.tutorial.drive.check import check_challenges, references, run_attempt
from support.challenges import GOOD, with_lines
from support.course import COURSE
from support.whole import sample

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation"
)


@pytest.fixture(scope="module")
def course() -> Course:
    return COURSE


def challenge(course: Course, name: str) -> LoadedChallenge:
    found = course.find_challenge(name)
    assert found is not None
    return found


REFERENCES: dict[str, References] = {}
"""What attempts at a challenge of the course are compared with, by its id: run once."""


async def known_of(worker: Worker, loaded: LoadedChallenge) -> References:
    if loaded.challenge.id not in REFERENCES:
        REFERENCES[loaded.challenge.id] = await references(worker, loaded)
    return REFERENCES[loaded.challenge.id]


async def graded(worker: Worker, loaded: LoadedChallenge, source: str) -> Grade:
    known = await known_of(worker, loaded)
    return grade(loaded, await run_attempt(worker, loaded, source), known)


@pytest.mark.whole(every=1)
async def test_every_challenge_can_be_won_at_par_and_by_no_deletion(
    course: Course, worker: Worker
) -> None:
    wrong = []
    async for each in check_challenges(sample(course.challenges, 20), worker):
        wrong += [str(problem) for problem in each.verified.problems]

    assert wrong == []
    assert len(course.challenges) >= 12


# Tricks.


def general_tricks(code: str) -> Iterator[tuple[str, str]]:
    """Yield what somebody tries who does not want to think about the task."""
    body = textwrap.indent(code, "    ")
    lines = code.rstrip().split("\n")
    last = ast.parse(code).body[-1].lineno - 1
    before, end = "\n".join(lines[:last]), "\n".join(lines[last:])
    inner = textwrap.indent(end, "    ")
    yield "leave first", f"raise SystemExit\n{code}"
    yield "leave with sys", f"import sys\nsys.exit()\n{code}"
    yield "leave before the end", f"{before}\nraise SystemExit\n{end}"
    yield "kill the process", f"{before}\nimport os\nos._exit(0)\n{end}"
    yield "catch everything", f"try:\n{body}\nexcept Exception:\n    pass\n"
    yield "catch the end", f"{before}\ntry:\n{inner}\nexcept Exception:\n    pass\n"
    yield (
        "suppress it",
        f"import contextlib\n{before}\nwith contextlib.suppress(Exception):\n{inner}\n",
    )
    yield "never call it", f"def main():\n{body}\n"
    yield "never run it", f"if False:\n{body}\n"
    yield "claim that it failed", f"{code}\nraise RuntimeError({MODIFIED!r})\n"
    yield "no gradients at all", code.replace("requires_grad=True", "requires_grad=False")
    yield "nothing at all", ""
    yield "not even Python", f"{code}\n("


@pytest.mark.whole
async def test_no_general_trick_wins_any_challenge(course: Course, worker: Worker) -> None:
    won = []
    for place, loaded in enumerate(sample(course.challenges, 5)):
        known = await known_of(worker, loaded)
        # Every other one, so that each trick is tried on half of them: runs take their time.
        for name, source in list(general_tricks(loaded.code))[place % 2 :: 2]:
            if grade(loaded, await run_attempt(worker, loaded, source), known).solved:
                won.append((loaded.challenge.id, name))

    assert won == []


HOOK = "{0}.register_hook(lambda g: torch.tensor([0., 0., 0.1865]))"

TRICKS = [
    (
        "fix-leaf-update",
        "another leaf with a gradient written by hand",
        "w -= 0.5 * w.grad",
        "w = torch.tensor([0., 0.], requires_grad=True)\n"
        "with torch.no_grad():\n"
        "    w += 0\n"
        "w.grad = torch.tensor([2., -4.])",
        "`w.grad` was written by line 8, not by backward",
    ),
    (
        "fix-leaf-update",
        "the forbidden attribute by its name",
        "w -= 0.5 * w.grad",
        'getattr(w, "data").sub_(0.5 * w.grad)',
        "`data` is not allowed: line 5",
    ),
    (
        "fix-leaf-update",
        "two statements on a line",
        "w -= 0.5 * w.grad",
        "with torch.no_grad(): w -= 0.5 * w.grad",
        "one statement a line, please: line 5",
    ),
    (
        "fix-relu",
        "a hook that returns the right numbers",
        "h = torch.sigmoid(x) - 0.5",
        "h = torch.sigmoid(x) - 0.5\n" + HOOK.format("x"),
        "`register_hook` is not allowed: line 5",
    ),
    (
        "fix-relu",
        "the forbidden copy under another name",
        "import torch\n",
        "import torch\nfrom copy import deepcopy as other\n",
        "`deepcopy` is not allowed: line 2",
    ),
    (
        "fix-two-losses",
        "the second gradient worked out by hand",
        "second.backward()",
        "x.grad += 2 * h.detach() ** 2",
        "`x.grad` was written by line 7, not by backward",
    ),
    (
        "fix-two-losses",
        "the second gradient written through another name",
        "second.backward()",
        "g = x.grad\ng.add_(2 * h.detach() ** 2)",
        "`x.grad` was written by line 8, not by backward",
    ),
    (
        "fix-two-losses",
        "the trunk computed again",
        "second = (h * h).sum()\nfirst.backward()",
        "first.backward()\nh = torch.exp(x)\nsecond = (h * h).sum()",
        "`h` is computed once; found: 2×",
    ),
    (
        "fix-hidden-state",
        "only one step",
        "    loss.backward()",
        "    loss.backward()\n    break",
        "line 4 runs 4×; found: 1×",
    ),
    (
        "break-sigmoid",
        "backward itself exchanged",
        "y = torch.sigmoid(x)",
        "y = torch.sigmoid(x)\n"
        f"def fail(self):\n    raise RuntimeError({MODIFIED!r})\n"
        "torch.Tensor.backward = fail",
        "`torch` may not be changed: line 6",
    ),
    (
        "break-sigmoid",
        "the error forged in a hook",
        "y = torch.sigmoid(x)",
        "y = torch.sigmoid(x)\n"
        f"def fail(g):\n    raise RuntimeError({MODIFIED!r})\n"
        "y.register_hook(fail)",
        "raised by line 8; found: line 5",
    ),
    (
        "count-to-three",
        "the counter moved",
        "y.add_(1)\ny.sum",
        "y.add_(1)\ntorch.autograd.graph.increment_version(y)\ny.sum",
        "`increment_version` is not allowed: line 6",
    ),
    (
        "count-to-three",
        "code from a string",
        "y.add_(1)\ny.sum",
        'y.add_(1)\nexec("y.add_(0)")\ny.sum',
        "`exec` is not allowed: line 6",
    ),
    (
        "fix-without-clone",
        "the result written down",
        "y += 10",
        "y = torch.tensor([11., 12.7182817], requires_grad=True)",
        "`x.grad` is [1, 2.718]; found: None",
    ),
    (
        "fix-without-clone",
        "no write any more",
        "y += 10\n",
        "",
        "`y` ends as before; found: 1. 2.7183, was 11. 12.7183",
    ),
    (
        "fix-gan-order",
        "one step left out",
        "opt_d.step()\n",
        "",
        "`opt_d.step()` must stay; found: no such line",
    ),
    (
        "break-silently",
        "a gradient spoilt afterwards",
        "loss.backward()",
        "loss.backward()\nx.grad.zero_()",
        "runs, and a gradient is silently wrong; found: runs, and every gradient is right",
    ),
    (
        "fix-numpy",
        "a failure that is caught",
        "loss.backward()",
        "try:\n    torch.ones(2) + torch.ones(3)\n"
        "except RuntimeError:\n    batch.data *= 10\nloss.backward()",
        "line 9 raises, and the program catches it: that mends nothing",
    ),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [pytest.param(*each[:1], *each[2:], id=f"{each[0]}: {each[1]}") for each in TRICKS],
)
@pytest.mark.whole(every=4)
async def test_a_trick_is_named_and_does_not_win(
    course: Course, worker: Worker, *, name: str, old: str, new: str, said: str
) -> None:
    loaded = challenge(course, name)
    assert old in loaded.code

    found = await graded(worker, loaded, loaded.code.replace(old, new))

    assert said in [mark.text.en for mark in found.marks if not mark.holds]
    assert not found.solved


# Honest attempts.

HONEST = [
    ("break-sigmoid", "print(x.grad)", "print(x.grad)", None),
    ("break-sigmoid", "loss = y.sum()", "loss = y.sum()\ny[0] = 0.", 1),
    ("count-to-three", "y.add_(1)\ny.sum", "y.add_(0.5)\ny.add_(0.5)\ny.sum", 2),
    ("fix-leaf-update", "w -= 0.5 * w.grad", "torch.optim.SGD([w], lr=0.5).step()", 1),
    ("break-silently", "loss = y.sum()", "loss = y.sum()\ny.detach().numpy()[0] = 7", 1),
    ("fix-numpy", "batch.numpy()", "batch.numpy().copy()", 1),
    ("fix-relu", "relu(h, inplace=True)", "relu(h * 1, inplace=True)", 1),
    ("fix-hidden-state", "    loss.backward()", "    loss.backward()\n    h.detach_()", 1),
]


@pytest.mark.parametrize(("name", "old", "new", "lines"), HONEST)
@pytest.mark.whole(every=4)
async def test_another_way_wins_too(
    course: Course, worker: Worker, *, name: str, old: str, new: str, lines: int | None
) -> None:
    loaded = challenge(course, name)
    assert old in loaded.code

    found = await graded(worker, loaded, loaded.code.replace(old, new))

    assert (found.solved, found.changed) == (lines is not None, lines or 0), found.marks


ENDINGS = [
    ("while True: pass", "stopped after 1 s, while line 7 was running"),
    ("import os\nos._exit(3)", "the process ended itself with exit code 3 on line 8"),
    ("raise KeyboardInterrupt", "raises KeyboardInterrupt on line 7"),
]


@pytest.mark.parametrize(("end", "said"), ENDINGS)
@pytest.mark.whole(every=3)
async def test_however_a_run_ends_it_is_judged(
    course: Course, worker: Worker, end: str, said: str
) -> None:
    loaded = challenge(course, "count-to-three")
    known = await known_of(worker, loaded)
    edited = f"{loaded.code}{end}\n"

    found = grade(loaded, await run_attempt(worker, loaded, edited, Limits(seconds=1)), known)

    assert not found.solved
    assert said in found.marks[0].text.en


async def test_par_is_what_the_solution_changes(course: Course) -> None:
    """Not more: who changes fewer lines than par thinks that something is wrong."""
    changed = {
        each.challenge.id: lines_changed(each.code, each.solved_code) for each in course.challenges
    }

    assert changed == {each.challenge.id: each.challenge.par for each in course.challenges}


async def test_more_lines_than_par_win_and_are_over_par(course: Course, worker: Worker) -> None:
    loaded = challenge(course, "count-to-three")

    found = await graded(
        worker, loaded, loaded.code.replace("y.add_(1)\ny.sum", "y.add_(0.5)\ny.add_(0.5)\ny.sum")
    )

    assert (found.solved, found.at_par, found.lines.en) == (
        True,
        False,
        "lines changed: 2 (the shortest solution: 1)",
    )


async def test_lines_behind_an_error_are_not_held_against_the_learner(
    course: Course, worker: Worker
) -> None:
    loaded = challenge(course, "fix-first-loop")

    found = await graded(worker, loaded, loaded.code.replace("-score.mean()", "-score.sum()"))

    assert not found.goal[0].holds
    assert found.broken == ()


async def test_another_line_that_saved_is_said_beside_the_one_that_is_wanted(
    course: Course, worker: Worker
) -> None:
    loaded = challenge(course, "break-sigmoid")
    own = loaded.code.replace("loss = y.sum()", "z = y.exp()\nz.mul_(2)\nloss = (y + z).sum()")

    found = await graded(worker, loaded, own)

    assert not found.solved
    assert [mark.text.en for mark in found.marks if not mark.holds] == [
        "saved by line 3; found: line 4"
    ]


async def test_what_does_not_parse_is_said_to_not_have_run_and_its_goal_is_not_judged(
    course: Course, worker: Worker
) -> None:
    loaded = challenge(course, "fix-first-loop")

    found = await graded(worker, loaded, f"{loaded.code}x = (1\n")

    first, *others = found.marks
    last = len(loaded.code.splitlines()) + 1
    assert not found.solved
    assert (first.holds, first.text.en) == (
        False,
        f"did not run: line {last} is not valid Python ('(' was never closed)",
    )
    assert others
    assert {(mark.holds, "found" in mark.text.en) for mark in others} == {(None, False)}


# Faults of the author.

FAULTS = [
    ("goal: {ends: right}", "12:1: the program reaches the goal as it is"),
    (
        "goal: {ends: raises_in_backward, match: freed, saved_by: exp}",
        "12:34: with the solution: claimed that the message has 'freed'; it is: one of the",
    ),
    ("goal: {}", "12:1: claims nothing"),
    ("same: [los]", "14:8: no tensor is called 'los' at the end of the program as it is"),
    (
        "same: [loss]\nonce: [los]",
        "15:8: no tensor is called 'los' at the end of the program as it is",
    ),
    (
        'solution: {exp: "y = x.exp()  #@ exp\\ny.zero_()"}',
        "16:1: with the solution: `loss` ends as before; found: 0., was 5.4366",
    ),
    (
        'solution: {loss: "loss = y.sum() + exit()  #@ loss"}',
        "16:1: with the solution: `exit` is not allowed: line 4",
    ),
]


async def told(worker: Worker, text: str) -> list[str]:
    loaded = load_challenge(text, "c.yaml", origin=Origin.BUILT_IN)
    return [
        str(problem).removeprefix("c.yaml:")
        async for each in check_challenges([loaded], worker)
        for problem in each.verified.problems
    ]


async def test_the_example_in_the_documentation_is_a_true_challenge(worker: Worker) -> None:
    page = Path(__file__).parents[2] / "docs" / "lesson-authoring.md"
    section = page.read_text(encoding="utf-8").split("\n## Challenges")[1]

    assert await told(worker, section.split("```yaml\n")[1].split("```")[0]) == []


async def test_a_true_challenge_has_no_problems(worker: Worker) -> None:
    assert await told(worker, GOOD) == []


@pytest.mark.parametrize(("lines", "said"), FAULTS, ids=[each[0] for each in FAULTS])
@pytest.mark.whole(every=3)
async def test_what_is_not_true_is_reported_where_it_is(
    worker: Worker, lines: str, said: str
) -> None:
    found = await told(worker, with_lines(lines))

    assert any(each.startswith(said) for each in found), found


MEND = """\
schema: 1
id: mend
title: {en: Mend it, zh: 修好它}
task: {en: "Make it run.", zh: "让它正常运行。"}
difficulty: 1
code: |
  import torch
  x = torch.ones(2, requires_grad=True)  #@ make
  w = torch.ones(2, requires_grad=True)  #@ weight
  y = (x * w).exp()                      #@ exp
  y.add_(1)                              #@ write
  y.sum().backward()                     #@ back
goal: {ends: right}
keep: [make, weight, back]
par: 1
solution: {write: "y = y + 1"}
explain: {en: done, zh: 完成}
"""
CUTS = [
    ("(x * w).exp()", "(x * w).exp().detach().requires_grad_()", "wx"),
    ("(x * w).exp()", "(x * w.detach()).exp()", "w"),
    ("y = y + 1", "y = y.data.requires_grad_() + 1", "wx"),
    ("(x * w).exp()", "(x.detach() * w).exp()", "x"),
    ("y = (x * w).exp()", "y = torch.ones(2, requires_grad=True)", "wx"),
]


@pytest.mark.parametrize(("old", "new", "cut"), CUTS, ids=[each[1] for each in CUTS])
@pytest.mark.whole(every=5)
async def test_an_edit_that_cuts_the_gradient_off_does_not_win(
    worker: Worker, old: str, new: str, cut: str
) -> None:
    loaded = load_challenge(MEND, "c.yaml", origin=Origin.BUILT_IN)
    mended = loaded.code.replace("y.add_(1)", "y = y + 1")
    edited = mended.replace(old, new)

    known = await references(worker, loaded)
    found = grade(loaded, await run_attempt(worker, loaded, edited), known)

    assert [mark.text.en for mark in found.broken] == [
        f"no gradient arrives at `{name}`" for name in cut
    ]
    assert grade(loaded, await run_attempt(worker, loaded, mended), known).solved


PATHS = MEND.replace(
    """  y.add_(1)                              #@ write
  y.sum().backward()                     #@ back
""",
    """  y.add_(1)                              #@ write
  z = y * w + x * w                      #@ paths
  z.sum().backward()                     #@ back
""",
)
PARTLY = [
    ("y * w + x * w", "y * w + x * w.detach()", "w"),
    ("y * w + x * w", "y * w + x.detach() * w", "x"),
    ("y * w + x * w", "y.detach() * w + x * w", "wx"),
    ("y * w + x * w", "y * w.data + x * w", "w"),
    ("z = y * w + x * w", "z = y * w + (x * w).detach().requires_grad_()", "wx"),
    ("z = y * w + x * w", "with torch.no_grad():\n    k = x * w\nz = y * w + k", "wx"),
]


@pytest.mark.parametrize(("old", "new", "cut"), PARTLY, ids=[each[1] for each in PARTLY])
@pytest.mark.whole(every=6)
async def test_an_edit_that_cuts_one_of_two_paths_does_not_win_either(
    worker: Worker, old: str, new: str, cut: str
) -> None:
    loaded = load_challenge(PATHS, "c.yaml", origin=Origin.BUILT_IN)
    mended = loaded.code.replace("y.add_(1)", "y = y + 1")
    known = await references(worker, loaded)

    found = grade(loaded, await run_attempt(worker, loaded, mended.replace(old, new)), known)

    assert [mark.text.en for mark in found.broken] == [
        f"the values are those of the solution, the gradient of `{name}` is not" for name in cut
    ]
    other = mended.replace("y = y + 1", "y = y.add(1)").replace("x * w  ", "w * x  ")
    assert grade(loaded, await run_attempt(worker, loaded, other), known).solved


async def test_a_deletion_that_wins_is_reported(worker: Worker) -> None:
    text = GOOD.replace("[make, exp, back]", "[make]").replace("same: [loss]\n", "")
    text = text.replace(
        'goal: {ends: raises_in_backward, match: "modified by an inplace", saved_by: exp}',
        "goal: {tensors: {x: {grad: null}}}",
    )

    found = await told(worker, text)

    assert (
        "12:1: deleting line 5 (`loss.backward()`) wins, too: keep the line, or claim what it does"
        in found
    )
