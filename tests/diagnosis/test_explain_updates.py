"""An optimizer's step between a forward and a backward: the commonest cause of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.command.settings import Leads
from inplace_tui.common.rows import Row
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive.explain import Options, Progress, explain
from inplace_tui.diagnosis.explain import report as page
from inplace_tui.diagnosis.explain.explanation import Case, explanation
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOLDER = Path(__file__).parents[1] / "programs" / "updates"

FIXED_BY = {
    "gan_detached": {"Run `D` with copies", "Do this whole update after line 24"},
    "gan": {"Run `D` with copies"},
    "gan_class": {"Run `self.disc` with copies"},
    "actor_critic": {"Run `self.trunk` with copies"},
    "policy_gradient": {"Run `critic` with copies"},
    "two_heads": {"Run `trunk` with copies"},
    "carried_state": {"Run `cell` with copies"},
}
"""How the titles begin of what does the same as the program. In the others no order of the
same statements is right: each of two updates would apply what the other loss adds."""

USUAL = {
    "gan_detached": ["Compute `score`, `loss_G` again"],
    "gan": ["Detach `fake` for the first loss", "Compute `d_fake` again"],
    "actor_critic": ["One backward from", "Run both backwards", "Compute `probs`, `values`, "],
    "policy_gradient": ["Detach `a` for the first loss", "Compute `q`, `actor_loss` again"],
    "two_heads": ["One backward from", "Run both backwards", "Compute `features`, `loss_b`"],
    "carried_state": ["Detach `hidden` from the graph of the previous iteration"],
}
"""And of the usual ways, in their order, which compute something else."""


def line_of(source: str, mark: str) -> int:
    """Return the line that says what it does."""
    lines = source.splitlines()
    return next(at for at, line in enumerate(lines, 1) if line.endswith(f"  # {mark}"))


def text_of(rows: list[Row]) -> str:
    return "\n".join(row.text for row in rows)


@pytest.mark.parametrize("name", FIXED_BY)
@pytest.mark.whole(every=7)
async def test_the_step_the_forward_and_the_backward_are_named(worker: Worker, name: str) -> None:
    source = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    case = await explain(worker, Program(source=source, origin=Origin.OWN), Options(budget=120))
    said = explanation(case, file=name, lesson=None)

    assert said.victim is not None
    assert said.error is not None
    wrote = line_of(source, "wrote")
    assert (said.victim.line, said.culprits[0].line) == (line_of(source, "saved"), wrote)
    assert said.error.line == line_of(source, "needed")
    assert said.culprits[0].op == "Adam.step"
    exact = {fix.title for fix in said.fixes if fix.computes is None}
    usual = [fix.title for fix in said.fixes if fix.computes is not None]
    assert {title.split(" of its")[0].split(":")[0] for title in exact} == FIXED_BY[name]
    wanted = USUAL.get(name, [])
    assert len(usual) == len(wanted)
    assert all(map(str.startswith, usual, wanted)), usual


@pytest.mark.whole
async def test_who_is_to_blame_is_told_before_fixes_are_tried(worker: Worker) -> None:
    source = (FOLDER / "gan.txt").read_text(encoding="utf-8")
    told: list[Progress] = []
    program = Program(source=source, origin=Origin.OWN)
    case = await explain(worker, program, Options(budget=120), told.append)
    early = [each for each in told if isinstance(each, Case) and each.timeline is not None]
    parts = [
        *page.ExplanationPage(early[0], "en", 100).beginning("gan.py"),
        *page.ExplanationPage(case, "en", 100).rest(Leads()),
    ]

    assert len(early) == 1
    assert early[0].runs < case.runs
    assert parts == page.rows(case, file="gan.py", leads=Leads(), language="en", room=100)
    said = {
        language: text_of(
            page.rows(early[0], file="gan.py", leads=Leads(), language=language, room=200)
        )
        for language in ("en", "zh")
    }
    assert (
        "changed D[2].weight from version 1 to 2: Adam.step writes the parameters in place.\n"
        "Line 25 `loss_G.backward()` then goes back through the forward of line 16, "
        "which still needs version 1."
    ) in said["en"]
    assert "Adam.step 会原地修改参数。" in said["zh"]
    assert "仍然需要版本 1。" in said["zh"]


@pytest.mark.whole
async def test_the_names_in_the_title_of_a_fix_are_listed_as_in_its_language(
    worker: Worker,
) -> None:
    source = (FOLDER / "two_heads.txt").read_text(encoding="utf-8")

    case = await explain(worker, Program(source=source, origin=Origin.OWN), Options(budget=120))

    (title,) = (fix.title for fix in case.fixes if fix.title.en.startswith("Compute `features`"))
    assert title.en.startswith("Compute `features`, `loss_b` again")
    assert title["zh"].endswith("重新计算 `features`、`loss_b`")
