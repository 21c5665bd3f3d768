"""Plain mode tells what the panels show: facts read from both, panel by panel.

The panels' rows are drawn from a view of a session; the lines come from the installed
command, which plays the same program. What is compared was read from either by a
reader of its own (`support/panel_facts.py`), values and edges with what torch says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import letter
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.signals import Move, Moved, StepChosen
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.present import code, graph, lanes, narration, output, question, strip
from inplace_tui.tutorial.present import table as state
from inplace_tui.tutorial.present.lanes import LaneOptions, visible_until
from inplace_tui.tutorial.state.graph_layout import GraphLayout
from support.course import COURSE
from support.expected import Sitting
from support.panel_facts import (
    Facts,
    drawn_code,
    drawn_graph,
    drawn_lanes,
    drawn_table,
    numbers,
    squeezed,
    told_code,
    told_edges,
    told_graph,
    told_lanes,
    told_table,
    true_edges,
)
from support.plain import plain

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("warm_torch")]

SOURCE = """\
import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
def spoil(t):
    t.add_(1)
x = torch.ones(3)
for i in range(2):
    k = x * w
    print("round", i)
    k.sum().backward()
y = w.exp()
v = y[0:2]
m = torch.arange(6.).reshape(2, 3)
m.data.mul_(2)
spoil(v)
print(y.tolist(), m.tolist())
y.sum().backward()
"""
STOPS = (9, 14, 19, 22)
WIDE = 400
NARROW = 95
"""In less room the words of an exception are cut: the reason, told next, has them whole."""

MANY = 4


@dataclass
class Moment:
    """What the panels are given, and what plain mode said there, by the line that was typed."""

    view: View
    said: dict[str, list[str]]


def asked_at(view: View) -> Iterator[str]:
    """Yield what is typed at a moment: every panel, and all there is to ask about things."""
    yield from ("p", "t", "d all", "output", "m", "w")
    if view.question is not None:
        yield "question"
    if len(view.snapshot.tensors) > MANY:
        yield from ("values y", "values m", "values m[1, 1]")
    yield from (f"t {tensor.names[0]}" for tensor in view.snapshot.tensors.values())
    ranks = sorted(view.timeline.index.ranks.values())
    yield from (f"m {letter(rank)}" for rank in ranks)


async def played(
    subject: Program | LoadedLesson, worker: Worker, home: Path, *, language: str = "en"
) -> list[Moment]:
    """Stop at the moments through both."""
    sitting = Sitting(subject, worker)
    view = await sitting.start()
    views: list[View] = []
    typed: list[str] = []
    for stop in STOPS:
        if isinstance(subject, Program):
            view = await sitting.send(StepChosen(stop - 1))
            moves = [f"go #{stop}"]
        else:
            view = await sitting.send(Moved(Move.CONTINUE))
            moves = ["c"]
        views.append(view)
        for line in (*moves, *asked_at(view)):
            typed += [line, f"@{len(typed)}"]
        if not isinstance(subject, Program):
            break
    await sitting.runner.close()
    if isinstance(subject, Program):
        (home / "mine.py").write_text(subject.source)
        arguments = ("sandbox", "mine.py", "--plain", "--lang", language)
    else:
        arguments = ("lesson", subject.lesson.id, "--plain", "--lang", language)
    done = plain(home, "".join(f"{line}\n" for line in typed), *arguments)
    assert done.returncode == 0, done.stderr
    return list(divided(views, typed, done.stdout))


def divided(views: list[View], typed: list[str], page: str) -> Iterator[Moment]:
    """Cut what was printed where the lines that mean nothing were refused."""
    rest = page.partition("q ends.\n")[2]
    said: dict[str, list[str]] = {}
    at = iter(views)
    for line, mark in zip(typed[::2], typed[1::2], strict=True):
        part, _, rest = rest.partition(f"'{mark}' is no command here. ? lists them.\n")
        if line in ("c",) or line.startswith("go "):
            if said:
                yield Moment(next(at), said)
            said = {"moment": part.splitlines()}
        else:
            said[line] = part.splitlines()
    yield Moment(next(at), said)


def lives(moment: Moment) -> list[str]:
    """Return what was said of each storage by itself."""
    return [line for key, each in moment.said.items() if key[:2] == "m " for line in each]


def tensors(moment: Moment) -> dict[str, list[str]]:
    """Return what was said of each tensor by itself."""
    return {key[2:]: each for key, each in moment.said.items() if key[:2] == "t "}


def compared(moment: Moment) -> Iterator[tuple[str, object, object]]:
    """Yield, panel by panel, what it shows and what was said."""
    view, said = moment.view, moment.said
    drawn: Facts = drawn_code(code.rows(view, WIDE, "en"), view.source)
    yield "code", drawn, told_code(said["p"], view.source)
    yield (
        "tensors",
        drawn_table(state.rows(view, WIDE, "en")),
        told_table(tensors(moment), said["t"]),
    )
    options = LaneOptions(scale=0, height=60)
    yield (
        "lanes",
        drawn_lanes(lanes.rows(view, WIDE, "en", options)),
        told_lanes(lives(moment), visible_until(view)),
    )
    shown = graph.rows(view, WIDE, "en", GraphLayout(fold=False))
    yield "graph", drawn_graph(shown), told_graph(said["d all"])
    yield "edges", true_edges(view.snapshot), told_edges(said["d all"])
    strip_text = strip.rows(view, WIDE, "en")[0].text
    yield "step", strip_text.rpartition("  ")[2], said["p"][-1].partition(";")[0]
    waiting = [gate for gate in view.gates.values() if gate is not Gate.DONE]
    yield "questions", strip_text.count("?"), len(waiting) and said["p"][-1].count("open before")


def contained(moment: Moment) -> Iterator[tuple[str, str, str]]:
    """Yield, panel by panel, sentences and where they must have been said."""
    view, said = moment.view, moment.said
    for panel, rows, key in (
        ("narration", narration.rows(view, NARROW, "en"), "moment"),
        ("output", output.rows(view, WIDE, "en"), "output"),
        ("question", question.rows(view, WIDE, "en"), "question"),
        ("why", explain.rows(view, WIDE, "en"), "w"),
    ):
        bare = [row.text.replace("│", "") for row in rows]
        page = squeezed(line.replace("│", "") for line in said.get(key, ()))
        for text in bare:
            if key in said and text.strip() and not text.rstrip().endswith("…"):
                yield panel, squeezed([text]), page


def differences(moment: Moment) -> list[object]:
    """Return what one of both says and the other doesn't."""
    found: list[object] = []
    for panel, drawn, told in compared(moment):
        if isinstance(drawn, set) and isinstance(told, set):
            found += [(moment.view.cursor, panel, "not told", each) for each in drawn - told]
            found += [(moment.view.cursor, panel, "not drawn", each) for each in told - drawn]
        elif drawn != told:
            found.append((moment.view.cursor, panel, drawn, told))
    found += [
        (moment.view.cursor, panel, text, page)
        for panel, text, page in contained(moment)
        if text not in page
    ]
    return found


async def test_a_program_is_told_as_its_panels_show_it(worker: Worker, tmp_path: Path) -> None:
    moments = await played(
        Program(source=SOURCE, filename="mine.py", origin=Origin.OWN), worker, tmp_path
    )

    assert len(moments) == len(STOPS)
    assert moments[-1].view.outcome is not None, "the last stop is the end"
    for moment in moments:
        assert differences(moment) == []
    assert_values(moments[-1].said)


def assert_values(said: dict[str, list[str]]) -> None:
    """What is told of elements is what torch printed of them."""
    printed = squeezed(said["output"]).replace("│", "")
    y, m = (_read(each) for each in re.findall(r"\[+([^a-z]*?)\](?=\[\[|\])", printed)[:2])
    assert numbers(said["values y"]) == pytest.approx(y, abs=1e-4)
    assert numbers(said["values m"]) == pytest.approx(m, abs=1e-4)
    assert numbers(said["values m[1, 1]"]) == pytest.approx(m[-2:], abs=1e-4)
    assert "nothing changed since step 21" in said["values y"]


def _read(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+\.\d+", text)]


@pytest.mark.whole
async def test_what_a_question_hides_is_hidden_from_both(worker: Worker, tmp_path: Path) -> None:
    lesson = next(each for each in COURSE.lessons if each.lesson.id == "saved-output")
    [moment] = await played(lesson, worker, tmp_path)

    assert moment.view.question is not None
    assert differences(moment) == []
