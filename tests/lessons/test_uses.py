"""What a lesson uses, it teaches, or the lessons do that it requires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.commands.check import taught
from inplace_tui.tutorial.course.lessons.check import Verified
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.tutorial.course.lessons.uses import known, untaught, uses
from inplace_tui.tutorial.drive.check import Checked

PROGRAM = """\
  import torch
  w = torch.ones(3, requires_grad=True)  #@ make
  y = w * 2                              #@ double
  y.sum().backward()                     #@ back
"""
LESSON = """\
schema: 1
id: {id}
title: {{en: title, zh: 题}}
teaches: [{teaches}]
requires: [{requires}]
difficulty: 1
minutes: 1
code: |
{program}steps:
  - at: double
    say: {{en: "{said}", zh: "{said}"}}
  - at: back
    ask:
      id: asked
      kind: value
      prompt: {{en: what, zh: 什么}}
      choices:
        - id: one
          when: {{tensors: {{y: {{{column}}}}}}}
          text: {{en: a, zh: a}}
          why: {{en: a, zh: a}}
        - id: two
          when: {{tensors: {{y: {{values: [2, 2, 2]}}}}}}
          text: {{en: b, zh: b}}
          why: {{en: b, zh: b}}
variants:
  - id: other
    title: {{en: other, zh: 别的}}
    swap: {{double: "{swap}"}}
    expect: {{ends: right}}
recap: {{en: end, zh: 完}}
holds:
  - id: odd
    title: {{en: odd, zh: 怪}}
    code: |
      import torch
      torch.ones(1).detach().data.numpy()
    expect: {{ends: right}}
"""


def lesson(
    name: str,
    *,
    requires: str = "",
    program: str = PROGRAM,
    swap: str = "y = w * 3",
    said: str = "Doubled.",
    column: str = "values: [1, 1, 1]",
) -> LoadedLesson:
    """Return a lesson that teaches what it is called, and uses what is given."""
    text = LESSON.format(
        id=name, teaches=name, requires=requires, program=program, swap=swap, said=said,
        column=column,
    )  # fmt: skip
    return load_lesson(text, f"01-first/{name}.yaml", origin=Origin.BUILT_IN)


COURSE = [
    lesson("plain"),
    lesson("version-counter", requires="plain"),
    lesson("no-grad-update", requires="version-counter"),
    lesson("detach-alias"),
    lesson("view", requires="detach-alias"),
]


def said_of(made: LoadedLesson) -> list[str]:
    lessons = [*COURSE, made]
    taught = known(lessons, made.lesson.requires) | {*made.lesson.teaches}
    return [str(each) for each in untaught(made.path, uses(made), taught, lessons)]


def test_a_lesson_that_uses_nothing_new_is_in_order() -> None:
    assert [said_of(each) for each in COURSE] == [[]] * len(COURSE)


def adding(line: str) -> str:
    return PROGRAM.replace("  y.sum()", f"  {line}\n  y.sum()")


USED: list[tuple[str, LoadedLesson, str]] = [
    (
        "no_grad in the program",
        lesson("new", program=adding("with torch.no_grad(): w -= 1")),
        "12:14: uses no_grad (line 12), taught by lesson 3 'no-grad-update'",
    ),
    (
        "detach in a variant",
        lesson("new", swap="y = w.detach()"),
        "33:12: uses detach() (line 33), taught by lesson 4 'detach-alias'",
    ),
    (
        "version in a text",
        lesson("new", said="It is at version 1."),
        "15:5: uses version (line 15), taught by lesson 2 'version-counter'",
    ),
    (
        "a version to be told",
        lesson("new", column="version: 0"),
        "23:11: uses version (line 23), taught by lesson 2 'version-counter'",
    ),
    (
        "a view in a span of a text",
        lesson("new", requires="version-counter", said="As `w.view(3)` does."),
        "15:5: uses .view, view (line 15), taught by lesson 5 'view'",
    ),
    (
        "what nobody teaches",
        lesson("new", program=PROGRAM.replace("backward()", "backward(inputs=[w])")),
        "12:20: uses inputs= (line 12): no lesson teaches 'backward-inputs'",
    ),
]


@pytest.mark.parametrize(("made", "said"), [each[1:] for each in USED], ids=[e[0] for e in USED])
def test_what_was_not_taught_is_named_with_its_place_and_its_lesson(
    made: LoadedLesson, said: str
) -> None:
    (found,) = said_of(made)

    assert found.startswith(f"{made.path}:{said}")


KNOWN = [
    ("w.data -= 1", "data-attribute"),
    ("h = y.register_hook(print)", "tensor-hook"),
    ("torch.inference_mode()", "inference-mode"),
    ("torch.autograd.graph.saved_tensors_hooks(abs, abs)", "saved-tensor-hooks"),
    ("torch.utils.checkpoint.checkpoint(abs, y)", "checkpointing"),
    ("y.sum().backward(retain_graph=True)", "freed-graph"),
    ("v = y.view(3)", "view"),
]


@pytest.mark.parametrize(("line", "concept"), KNOWN, ids=[each[1] for each in KNOWN])
def test_each_kind_of_use_that_stood_in_the_course_too_early_is_refused(
    line: str, concept: str
) -> None:
    made = lesson("new", program=adding(line))

    found = untaught(made.path, uses(made), {"plain"}, [lesson("plain"), lesson(concept)])

    assert [f"taught by lesson 2 '{concept}'" in str(each) for each in found] == [True]


def _allowed() -> Iterator[tuple[str, str]]:
    yield "with torch.no_grad(): w -= 1", "no-grad-update"
    yield "d = y.detach()", "view"
    yield "print(y._version)", "no-grad-update"


@pytest.mark.parametrize(("line", "requires"), list(_allowed()))
def test_what_is_taught_on_the_way_may_be_used(line: str, requires: str) -> None:
    assert said_of(lesson("new", program=adding(line), requires=requires)) == []


def test_a_concept_is_named_once_with_all_its_lines() -> None:
    made = lesson("new", program=adding("d = y.detach()"), said="`detach()` is free")

    (found,) = said_of(made)

    assert "uses detach() (line 12, 16)" in found


@pytest.mark.parametrize("origin", [Origin.BUILT_IN, Origin.PACK])
def test_check_refuses_it_in_the_course_and_warns_of_it_in_a_pack(origin: Origin) -> None:
    loaded = replace(lesson("early", swap="y = w.data * 3"), origin=origin)
    done = Checked(loaded, Verified((), programs=1, claims=1), uses=tuple(uses(loaded)))

    judged = taught(done, [loaded])

    refused, warned = judged.problems, judged.warnings
    assert [len(refused), len(warned)] == ([1, 0] if origin is Origin.BUILT_IN else [0, 1])
