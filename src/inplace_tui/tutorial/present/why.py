"""The answer to "why?" on a cell of the tensor table, or on a node."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inplace_tui.common.cells import clean, clip, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target, spans
from inplace_tui.common.run.facets import FACETS, Facet
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.values import said, tensor_name
from inplace_tui.common.sentences import QUOTED, Value, filled
from inplace_tui.common.source_text import quoted_line
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.facets import FACET_TEXTS
from inplace_tui.common.texts.why import FACTS, FORMULAS, WhyTexts
from inplace_tui.tutorial.activity.session.view import HIDDEN, View, hides, may_answer, node_name
from inplace_tui.tutorial.present import forecast
from inplace_tui.tutorial.state.why import WhyAnswers, WhyFact, why_node


@dataclass(frozen=True)
class CellSubject:
    """A cell of the tensor table."""

    tensor: int | None
    """None is the head of the column."""

    facet: str


@dataclass(frozen=True)
class NodeSubject:
    """A node of the graph."""

    node: int


WhySubject = CellSubject | NodeSubject


def rows(view: View, subject: WhySubject, room: int, language: str) -> list[Row]:
    answer = _Answer(view, language)
    match subject:
        case CellSubject():
            parts = answer.cell(subject)
        case NodeSubject():
            parts = answer.node(subject)
    return [Row(line, target) for spans, target in parts for line in wrap(spans, room)]


_Parts = list[tuple[list[Span], Target]]


class _Answer:
    def __init__(self, view: View, language: str) -> None:
        self._view = view
        self._language = language

    def cell(self, subject: CellSubject) -> _Parts:
        facet = next(facet for facet in FACETS if facet.key == subject.facet)
        title = FACET_TEXTS[facet.key].title[self._language]
        about = spans(FACET_TEXTS[facet.key].about[self._language]), Target()
        column = self._head(WhyTexts.column, facet=title), about
        if subject.tensor is None:
            return list(column)
        tensor = self._view.snapshot.tensors.get(subject.tensor)
        name = "?" if tensor is None else said(tensor_name(tensor))
        head = self._head(WhyTexts.cell, facet=title, name=name)
        return [head, *self._because(tensor, facet), ([Span("")], Target()), *column]

    def _because(self, tensor: Tensor | None, facet: Facet) -> _Parts:
        if tensor is None or not tensor.names:
            return [self._plain(WhyTexts.gone)]
        if self._is_hidden() or hides(self._view, tensor, facet.key):
            return [self._plain(WhyTexts.hidden)]
        if facet.key == "forecast":
            text = forecast.sentence(self._view, tensor, self._language) or ""
            return [(spans(text), Target())]
        facts = WhyAnswers(self._view.timeline, self._view.cursor).why(tensor, facet.key)
        return [self._fact(fact, tensor) for fact in facts]

    def node(self, subject: NodeSubject) -> _Parts:
        known = subject.node in self._view.snapshot.nodes
        name = node_name(self._view, subject.node)
        head = self._head(WhyTexts.node, name=name)
        if not known:
            return [head, self._plain(WhyTexts.gone)]
        if self._is_hidden() or name == HIDDEN:
            return [head, self._plain(WhyTexts.hidden)]
        states = not self._view.mask.outcome
        answers = WhyAnswers(self._view.timeline, self._view.cursor)
        facts = why_node(answers, subject.node, states=states)
        told = (fact for fact in facts if fact.key != "formula" or self._formula(fact) is not None)
        return [head, *(self._fact(fact, None) for fact in told)]

    def _is_hidden(self) -> bool:
        """Whether an answer may give away an open question."""
        view = self._view
        return bool(view.mask.cells) or (view.mask.outcome and may_answer(view, view.cursor))

    def _head(self, text: LocalText, **values: str) -> tuple[list[Span], Target]:
        return [Span(say(text, self._language, **values), Style.HEADING)], Target()

    def _plain(self, text: LocalText) -> tuple[list[Span], Target]:
        style = Style.MASKED if text is WhyTexts.hidden else Style.DIM
        return [Span(say(text, self._language), style)], Target()

    def _formula(self, fact: WhyFact) -> LocalText | None:
        number = fact.values["node"]
        assert isinstance(number, int)
        name = self._view.snapshot.nodes[number].name
        found = re.fullmatch(r"(\w+?)Backwards?(\d*)", name)
        return (
            None if found is None else FORMULAS.get("".join(found.groups()), FORMULAS.get(found[1]))
        )

    def _fact(self, fact: WhyFact, tensor: Tensor | None) -> tuple[list[Span], Target]:
        text = self._formula(fact) if fact.key == "formula" else FACTS[fact.key]
        assert text is not None
        values: dict[str, Value] = {k: self._value(v) for k, v in fact.values.items()}
        if isinstance(number := fact.values.get("node"), int):
            values["node"] = Span(node_name(self._view, number), Style.NODE)
        if tensor is not None:
            values.setdefault("name", Span(said(tensor_name(tensor)), Style.NAME))
        values["where"] = self._where(fact.line)
        spans = filled(text, self._language, values, marks=False)
        if text[self._language].startswith("{where}"):
            first = spans[0]
            spans[0] = Span(first.text[0].upper() + first.text[1:], first.style)
        return spans, Target(line=fact.line)

    def _value(self, value: object) -> Span:
        if isinstance(value, tuple):
            names = (said(clean(str(each))) for each in value)
            return Span(list_of(names, self._language), Style.NAME)
        if isinstance(value, str):
            return Span(said(clean(value)), Style.NAME)
        return Span(str(value))

    def _where(self, line: int | None) -> tuple[Span, ...]:
        quoted = "" if line is None else quoted_line(self._view.source, line)
        if line is None or not quoted:
            return (Span(say(WhyTexts.somewhere, self._language)),)
        code = Span(clip(clean(quoted), QUOTED), Style.CODE)
        values: dict[str, Value] = {"line": line_name(self._view.source, line), "code": code}
        return tuple(filled(WhyTexts.where, self._language, values, marks=False))
