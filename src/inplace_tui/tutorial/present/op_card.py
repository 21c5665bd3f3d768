"""What an op of torch does, as rows: a card."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from inplace_tui.common.cells import flow_spans, hanging, pad, width, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.ops.in_code import called
from inplace_tui.common.ops.programs import program, write_to
from inplace_tui.common.ops.survey import RAISES, RESULT, Op, OpCase, Survey, op_of, versions
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.snapshot import Snapshot
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.texts import say
from inplace_tui.common.texts.ops import OpTexts
from inplace_tui.tutorial.activity.session.view import View

MOST_CASES = 5
"""Calls that do something else than the plainest one; more are not shown."""

_CODES = {
    "raises": OpTexts.raises,
    "raises, unused": OpTexts.raises_unused,
    "wrong": OpTexts.wrong,
    "fails": OpTexts.raises,
    "only by .data": OpTexts.by_data,
    "untried": OpTexts.unknown,
}
_SHARED = {
    "same": OpTexts.same,
    "view": OpTexts.view,
    "alias": OpTexts.shared,
    "uncounted alias": OpTexts.apart,
}
_ALONE = {"new": OpTexts.new, "none": OpTexts.none, "no tensor": OpTexts.no_tensor}


def card(survey: Survey, op: Op, room: int, language: str) -> list[Row]:
    """Return all that the survey knows of an op, the plainest call first."""
    others = survey.forms(op)
    layers = [each.name for each in others if each.form == "module"]
    names = ", ".join([*op.aliases, *layers])
    version = Span(f"  {say(OpTexts.torch, language, version=survey.torch)}", Style.DIM)
    title = [Span(op.name, Style.HEADING), *([Span(f"  ({names})", Style.DIM)] if names else [])]
    rows = [Row(line) for line in flow_spans([*title, version], room, "")]
    if op.untried is not None:
        return [*rows, *_hung("", say(OpTexts.untried, language, why=op.untried), room)]
    writer = OpFacts(language)
    for label, text in _facts(op, others, writer):
        rows += _hung(say(label, language), text, room)
    for case in op.cases[1 : 1 + MOST_CASES]:
        if case.title:
            text = say(OpTexts.or_else, language, call=case.title, facts=writer.in_short(case))
            rows += _hung("", text, room)
    elsewhere = writer.elsewhere(survey, op)
    return rows + (_hung(say(OpTexts.elsewhere, language), elsewhere, room) if elsewhere else [])


@dataclass(frozen=True)
class LineOps:
    """The ops of one line, the outermost call first."""

    ops: tuple[Op, ...]
    target: str = ""
    """The name that the line binds, if that is a tensor by now."""

    next_write: LocalText = OpTexts.kept_by_none
    """What a write to it on the next line would do, as the recording shows."""


def line_of(survey: Survey, view: View, line: int) -> LineOps:
    """Return what a line calls, and what made the graph's nodes of the line.

    A module's call names none of the ops behind it.
    """
    statement = statement_on(view.source, line)
    if statement is None:
        return LineOps(())
    ops = [survey.named(name) for name in called(statement)]
    known = {case.node for op in ops if op is not None for case in op.cases}
    for node in view.snapshot.nodes.values():
        if node.line == line and node.name not in known:
            ops += survey.made(node.name)[:1]
    found = tuple({op.name: op for op in ops if op is not None}.values())
    bound = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(bound, ast.Name) or view.snapshot.named(bound.id) is None:
        return LineOps(found)
    return LineOps(found, bound.id, _next_write(view.snapshot, bound.id))


def _next_write(snapshot: Snapshot, name: str) -> LocalText:
    tensor = snapshot.named(name)
    assert tensor is not None
    owner = tensor if tensor.base is None else snapshot.tensors.get(tensor.base, tensor)
    if owner.is_leaf is True and owner.requires_grad is True:
        return OpTexts.refused
    kept = any(each.storage == tensor.storage is not None for each in snapshot.saved.values())
    return OpTexts.raises if kept else OpTexts.kept_by_none


def cards(survey: Survey, line: LineOps, room: int, language: str) -> list[Row]:
    """Return the card of each op, and above them whether the next line may write the result."""
    rows: list[Row] = []
    if line.target and line.ops:
        what = say(OpTexts.next_line, language, name=f"`{line.target}`")
        is_kept = line.next_write is not OpTexts.kept_by_none
        told = Span(
            say(line.next_write, language, what=what), Style.WRONG if is_kept else Style.RIGHT
        )
        rows = [*wrapped([told], room), Row()]
    for op in line.ops:
        rows += [*card(survey, op, room, language), Row()]
    return rows[:-1]


def _hung(label: str, text: str, room: int) -> list[Row]:
    return hanging(Span(f"  {pad(label, LABEL)}", Style.DIM), [Span(text)], room, Target())


LABEL = 20
"""Cells of the words before a fact, in any language."""


def _facts(op: Op, others: Sequence[Op], writer: OpFacts) -> Iterator[tuple[LocalText, str]]:
    case = op.cases[0]
    if len(op.cases) > 1:
        yield OpTexts.called, case.title
    yield OpTexts.keeps, writer.kept(case)
    if case.grads:
        yield OpTexts.overwritten, writer.overwritten(case)
        through_data = writer.uncounted(case)
        if through_data:
            yield OpTexts.through_data, through_data
    if case.writes:
        yield OpTexts.writes, writer.written(case)
    yield OpTexts.result, writer.results(case)
    if compiled := writer.compiled(case):
        yield OpTexts.compiled, compiled
    alike: dict[str, list[str]] = {}
    for each in others:
        if each.form == "in-place" and each.cases:
            alike.setdefault(writer.in_place(each.cases[0]), []).append(each.name)
    for facts, names in alike.items():
        call = ", ".join(names)
        yield OpTexts.in_place, say(OpTexts.or_else, writer.language, call=call, facts=facts)


class OpFacts:
    """Says the parts of a case in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def _say(self, text: LocalText, **values: object) -> str:
        return say(text, self.language, **values)

    def _called(self, name: str, case: OpCase) -> str:
        is_result = name == RESULT and RESULT not in case.inputs
        is_result = is_result or case.result == [f"same:{name}"]
        return self._say(OpTexts.own_result) if is_result else f"`{name}`"

    def kept(self, case: OpCase) -> str:
        """Say what is kept for backward, and what must require grad for that."""
        if not case.grads:
            why = next(iter(case.refuses_grad.values()), "")
            text = OpTexts.no_derivative if why else OpTexts.not_recorded
            return self._say(text, why=why)
        parts = []
        for name in case.kept:
            needed = case.kept_for(name)
            what = self._called(name, case)
            names = "/".join(f"`{each}`" for each in needed)  # one of them is enough
            parts.append(self._say(OpTexts.if_grad, what=what, names=names) if needed else what)
        told = " · ".join(parts) or self._say(OpTexts.nothing)
        return f"{told} ({case.node})" if isinstance(case.node, str) else told

    def overwritten(self, case: OpCase) -> str:
        kept = case.kept
        names = [*case.inputs, *([RESULT] if case.result[:1] == ["new"] else [])]
        parts = [
            self._say(
                _CODES[kept[each]] if each in kept else OpTexts.fine, what=self._called(each, case)
            )
            for each in dict.fromkeys([*names, *kept])
        ]
        return " · ".join(parts)

    def uncounted(self, case: OpCase) -> str:
        """Say what a write that no version counts makes silently wrong."""
        kept = [name for name, code in case.kept.items() if code == RAISES[0]]
        parts = [self._say(OpTexts.wrong, what=self._called(each, case)) for each in kept]
        return " · ".join(parts)

    def written(self, case: OpCase) -> str:
        parts = []
        for name, seen in case.writes.items():
            count = case.written.get(name, seen[0])
            text = OpTexts.counted if count else OpTexts.uncounted
            text = OpTexts.rebound if count is None else text
            text = text if name in case.written else OpTexts.unchanged
            parts.append(self._say(text, name=self._called(name, case), count=count))
        return " · ".join(parts)

    def results(self, case: OpCase) -> str:
        parts = []
        for each in case.result:
            kind, _, name = each.partition(":")
            text = _ALONE.get(kind) or _SHARED.get(kind, OpTexts.no_tensor)
            parts.append(self._say(text, name=f"`{name}`"))
        return " · ".join(parts)

    def compiled(self, case: OpCase) -> str:
        """Say what `torch.compile` changes of all this."""
        otherwise = case.modes.get("compile", {})
        there = {key: {"all": each} if key == "keeps" else each for key, each in otherwise.items()}
        if "raises" in there:
            return str(there["raises"])
        stops = there.pop("backward", "")
        changed = structs.replace(case, **there)
        facts = {"keeps": self._say(OpTexts.keeps_short, what=self.kept(changed))}
        facts |= {"writes": self.written(changed) or self._say(OpTexts.writes_nothing)}
        facts |= {"result": self.results(changed)}
        parts = [facts[key] for key in facts if key in there]
        return " · ".join([*parts, *([self._say(OpTexts.stops, why=stops)] if stops else [])])

    def in_place(self, case: OpCase) -> str:
        count = next((each[0] for each in case.writes.values()), 0)
        facts = [self._say(OpTexts.counts, count=count)]
        facts.append(self._say(OpTexts.keeps_short, what=self.kept(case)))
        if case.in_place.get("leaf") == "refused":
            facts.append(self._say(OpTexts.leaf_refused))
        if case.in_place.get("twice") == "raises":
            facts.append(self._say(OpTexts.twice_raises))
        return " · ".join(facts)

    def in_short(self, case: OpCase) -> str:
        kept = self._say(OpTexts.keeps_short, what=self.kept(case))
        told = f"{kept}; {self._say(OpTexts.result)}: {self.results(case)}"
        return self.written(case) if case.writes else told

    def elsewhere(self, survey: Survey, op: Op) -> str:
        """Say in which other versions of torch the answer is another."""
        same: list[str] = []
        parts: list[str] = []
        for version in versions():
            name = ".".join(map(str, version))
            if name == survey.torch:
                continue
            there = op_of(name, op.name)
            if there is None or not there.cases:
                parts.append(self._say(OpTexts.missing_there, version=name))
                continue
            # Only the same call can be compared: samples differ between versions.
            case = next((each for each in there.cases if each.title == op.cases[0].title), None)
            if case is not None and self._answer(case) == self._answer(op.cases[0]):
                same.append(name)
            elif case is not None:
                kept, result = self.kept(case), self.results(case)
                text = OpTexts.differs_there
                parts.append(self._say(text, version=name, kept=kept, result=result))
        if same:
            parts.insert(0, self._say(OpTexts.same_there, versions=", ".join(same)))
        return " · ".join(parts)

    def _answer(self, case: OpCase) -> tuple[str, str, str]:
        return self.kept(case), self.written(case), self.results(case)


def shown(op: Op) -> list[tuple[str, str, str]]:
    """Return the programs that show an op: the tensor written, what that does, the program."""
    found = []
    for case in op.cases[:1]:
        for name in dict.fromkeys([*case.inputs, *case.kept, RESULT]):
            text = program(case, name)
            if text is not None:
                found.append(
                    (write_to(case, name).format(name=name), case.kept.get(name, ""), text)
                )
    return found


def programs(op: Op, room: int, language: str) -> list[Row]:
    """Return the list of those programs, each with its number."""
    found = shown(op)
    if not found:
        return []
    rows = [
        Row(),
        *hanging(
            Span("  "),
            [Span(say(OpTexts.shown, language, name=op.name), Style.DIM)],
            room,
            Target(),
        ),
    ]
    longest = max(width(write) for write, _, _ in found)
    for number, (write, code, _) in enumerate(found, 1):
        text = say(_CODES.get(code, OpTexts.fine), language, what=pad(write, longest))
        rows += hanging(Span(f"  {number:>2}  ", Style.NAME), [Span(text)], room, Target())
    return rows
