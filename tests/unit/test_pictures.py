"""Pictures of a graph: every node once, and nothing of a program becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.rows import Row
from inplace_tui.common.run.snapshot import Edge, Node
from inplace_tui.common.run.step import Step
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import graph, table, why
from inplace_tui.tutorial.present.why import NodeSubject
from inplace_tui.tutorial.report import dot, svg
from support.views import asking, at, failed, failing, step, tensor, timeline

STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTE = rf"\w+=(?:{STRING}|[\w.]+)"
STATEMENT = re.compile(
    rf"(?:rankdir=TB|(?:node|edge|n\d+(?: -> n\d+)?)(?: \[{ATTRIBUTE}(?:, {ATTRIBUTE})*\])?);"
)
"""As https://graphviz.org/doc/info/lang.html has it, as far as it is used."""

NASTY = '</text><script>alert("1")</script>&amp; \\N \\" [/b] \x1b[31m ]]> {x|y} \u4e2d\n-->'


def statements(document: str) -> list[str]:
    head, *lines, end = document.splitlines()
    assert (head, end) == ("digraph backward {", "}")
    found = [line.strip() for line in lines]
    assert all(STATEMENT.fullmatch(line) for line in found), found
    return found


def nasty() -> View:
    nodes = (
        Node(id=1, name="AccumulateGrad", leaf=1),
        Node(id=2, name=NASTY, line=1, step=0, inputs=(Edge(1), None, Edge(1))),
    )
    named = (tensor(1, f"d[{NASTY!r}]"), tensor(2, NASTY, grad_fn=2, is_leaf=False))
    view = at(0, timeline(step(0, 1, nodes=nodes, tensors=named)))
    object.__setattr__(view, "source", NASTY.replace("\n", ""))
    return view


def test_dot_has_every_node_and_every_edge_once() -> None:
    found = statements(dot.document(failed(), "en"))

    drawn = [line for line in found if re.match(r"n\d", line)]
    assert [line.split(" [")[0] for line in drawn] == [
        "n3", "n2", "n1", "n3 -> n2;", "n2 -> n1;",
    ]  # fmt: skip
    assert "saved v0, now v1, stale: line 4" in "".join(found)


@pytest.mark.parametrize("view", [failed(), asking(), nasty()], ids=["failed", "asking", "nasty"])
def test_dot_can_be_read(view: View) -> None:
    statements(dot.document(view, "zh"))


@given(st.text())
def test_a_quoted_text_is_one_string_that_says_the_same(text: str) -> None:
    quoted = dot.quoted(text)

    assert re.fullmatch(STRING, quoted, re.DOTALL)
    assert re.sub(r"\\(.)", r"\1", quoted[1:-1]) == text.replace("\n", " ")


def tree(view: View, language: str = "en") -> ElementTree.Element:
    return ElementTree.fromstring(svg.document(view, language))


def test_svg_has_every_node_once_with_a_title() -> None:
    root = tree(failed())
    groups = [each for each in root.iter() if each.get("class") == "node"]

    assert [each.get("id") for each in groups] == ["n3", "n2", "n1"]
    assert all(next(iter(each)).tag.endswith("title") for each in groups)
    assert root.get("aria-label") == "Backward graph: 3 nodes"


def test_svg_says_in_words_what_is_stale_and_what_raised() -> None:
    words = " ".join(text.strip() for text in tree(failed()).itertext())

    assert "now v1, stale: line 4" in words
    assert "✗ raised" in words


def test_an_open_question_is_not_answered_by_a_picture() -> None:
    for document in (svg.document(asking(), "en"), dot.document(asking(), "en")):
        body = document.partition("</style>")[2] or document
        assert "stale" not in body
        assert "now v" not in body
        assert "penwidth" not in body


def test_no_text_of_a_program_becomes_markup() -> None:
    root = tree(nasty())

    assert {each.tag.rpartition("}")[2] for each in root.iter()} <= {
        "svg", "title", "style", "rect", "g", "path", "circle", "text", "tspan",
    }  # fmt: skip
    assert any("<script>" in text for text in root.itertext())


def test_a_loop_is_drawn_once() -> None:
    nodes = tuple(
        Node(id=n, name="MulBackward0", line=3, inputs=(Edge(n - 1),) if n > 1 else ())
        for n in range(1, 101)
    )
    root = tree(at(0, timeline(step(0, 9, nodes=nodes))), "zh")

    assert [each.get("class") for each in root if each.tag.endswith("}g")] == ["run", "node"]
    assert len(statements(dot.document(at(0, timeline(step(0, 9, nodes=nodes))), "en"))) == 202


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_compiled_region_saved_has_the_programs_name_for_it(language: str) -> None:
    made = timeline(
        *(
            msgspec.json.decode(
                msgspec.json.encode(each)
                .replace(b"ExpBackward0", b"CompiledFunctionBackward")
                .replace(b'"result"', b'"tensors[0]"'),
                type=Step,
            )
            for each in failing().steps
        )
    )
    view = at(4, made)
    shown = {
        "dot": dot.document(view, language),
        "svg": svg.document(view, language),
        "graph": rows_text(graph.rows(view, 66, language)),
        "table": rows_text(table.rows(view, 160, language, selected=2, column="forecast")),
        "why": rows_text(why.rows(view, NodeSubject(2), 200, language)),
    }

    assert {part: "y" in text for part, text in shown.items()} == dict.fromkeys(shown, True)
    assert not [part for part, text in shown.items() if "tensors[" in text]
    assert ("compiled region" if language == "en" else "已编译区域") in shown["table"]


def rows_text(rows: Iterable[Row]) -> str:
    return "\n".join(row.text for row in rows)
