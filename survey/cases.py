"""Answers of many samples as few cases: those that answer alike are one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Callable

from survey.calls import Call
from survey.compiled import changed_by_compiling
from survey.experiment import MOST_ALONE, Answer, NotComparableError, first_line, measure
from survey.in_place import look
from survey.programs import expressions
from survey.trees import tensors_in

Case = dict[str, Any]
Row = dict[str, Any]
MOST_CASES = 6
COMPILED = ("function", "in-place", "out")
"""Forms that are tried under torch.compile, too; a layer is what it calls."""

WORST_FIRST = ("raises", "wrong", "fails", "only by .data", "raises, unused", "untried")


def row(name: str, form: str, of: str, aliases: Iterable[str], calls: list[Call]) -> Row:
    """One callable form: its answers, or why there is none."""
    made: Row = {"name": name, "form": form, "of": of}
    others = [each for each in dict.fromkeys(aliases) if each != name]
    if others:
        made["aliases"] = others
    answers, reasons = _answers(calls)
    if answers:
        made["cases"] = _cases(answers, compiles=form in COMPILED)
    else:
        made["untried"] = reasons[0] if reasons else "no sample"
    return made


def _answers(calls: list[Call]) -> tuple[list[Answer], list[str]]:
    answers, reasons = [], []
    for call in calls:
        try:
            answer = measure(call)
            if call.receiver is not None:
                answer.in_place = look(call)
        except NotComparableError as error:
            reasons.append(str(error))
        except Exception as error:
            reasons.append(first_line(error))
        else:
            answers.append(answer)
    return answers, reasons


def _cases(answers: list[Answer], *, compiles: bool) -> list[Case]:
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(_structure(answer), []).append(answer)
    largest_first = sorted(groups.values(), key=len, reverse=True)
    return [_case(group, compiles=compiles) for group in largest_first[:MOST_CASES]]


def _structure(answer: Answer) -> str:
    """What does not hang on the sample's values: answers that share it are merged."""
    checked = {
        title: sorted(name for name, code in kept.items() if code.startswith("raises"))
        for title, kept in answer.keeps.items()
    }
    parts = [
        sorted(answer.call.tensor_names()),
        answer.nodes,
        answer.grads,
        checked,
        answer.writes,
        answer.result,
        answer.backward,
        answer.in_place,
    ]
    return json.dumps(parts, sort_keys=True)


def _case(group: list[Answer], *, compiles: bool) -> Case:
    first = group[0]
    shown = _shown(group) or {}
    loss = shown.pop("loss", first.loss)
    case: Case = {"samples": len(group), **shown}
    modes = sorted({each.call.mode for each in group if each.call.mode}, reverse=True)
    if modes:
        case["layer"] = modes
    if all("complex" in dtypes(each.call) for each in group):
        case["dtype"] = "complex128"
    case["node"] = first.nodes[0] if len(first.nodes) == 1 else first.nodes or None
    compiled = _compiled(first) if compiles else {}
    optional = {
        "loss": loss,
        "grads": first.grads,
        "keeps": _worst(group),
        "writes": first.writes,
        "modes": {**first.modes, **({"compile": compiled} if compiled else {})},
        "refuses_grad": first.refused,
        "backward": first.backward,
        "in_place": first.in_place,
    }
    case["result"] = first.result
    case.update({key: value for key, value in optional.items() if value})
    return case


def _compiled(answer: Answer) -> dict[str, Any]:
    pattern = [name for name in answer.call.differentiable_names() if name not in answer.refused]
    can_run = answer.nodes and answer.backward is None
    alone = answer.keeps.get(pattern[0], {}) if len(pattern) == 1 else answer.keeps.get("all", {})
    usual = {"writes": answer.writes, "result": answer.result, "keeps": alone}
    return changed_by_compiling(answer.call, usual, pattern[:MOST_ALONE] if can_run else [])


def dtypes(call: Call) -> str:
    return " ".join(str(each.dtype) for each in tensors_in(call.arguments))


def _worst(group: list[Answer]) -> dict[str, dict[str, str]]:
    """A write that does not matter for one sample may matter for another."""
    worst: dict[str, dict[str, str]] = {}
    for answer in group:
        for title, kept in answer.keeps.items():
            known = worst.setdefault(title, {})
            for name, code in kept.items():
                known[name] = min(known.get(name, code), code, key=WORST_FIRST.index)
    return worst


def _shown(group: list[Answer]) -> Case | None:
    """The call and its inputs, as short as they can be written with the same answer."""
    for answer in sorted(group, key=_length):
        found = expressions(answer.call, _same_as(answer))
        if found is not None:
            return {**found, "loss": answer.loss}
    texts = [each.call.text for each in group if each.call.text]
    return {"call": texts[0]} if texts else None


def _length(answer: Answer) -> tuple[bool, int]:
    """Tensors with a dimension first: a number alone makes a poor example."""
    flat = any(each.dim() == 0 for each in tensors_in(answer.call.arguments))
    return flat, len(answer.call.text or "") or 999


def _same_as(answer: Answer) -> Callable[[Call], bool]:
    def same(call: Call) -> bool:
        try:
            other = measure(call)
            if call.receiver is not None:
                other.in_place = look(call)
        except Exception:
            return False
        return _structure(other) == _structure(answer)

    return same
