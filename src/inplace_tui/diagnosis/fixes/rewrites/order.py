"""The same statements in another order, or once more where they are needed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inplace_tui.common.syntax import names_read, names_stored, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    called,
    keyword,
    last_name,
    leading_to,
    names_gradient,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose


def another_order(site: FaultSite) -> Iterator[Proposal]:
    """Run the backward that still needs the tensor before the write, or write after it.

    A write inside a function is moved with the call of that function. Of an optimizer's step the
    whole update is moved, too: a step alone would apply what the other backward added.
    """
    early = Verdict.SAVED_TENSOR_MODIFIED, Verdict.SAVED_TENSOR_DETACHED, Verdict.SILENTLY_WRONG
    for culprit in site.culprits if site.verdict in early else ():
        if (pair := site.in_one_block(culprit)) is None:
            continue
        write, reader = pair
        # A step that comes behind another backward applies what that one added, too.
        steps, text = called(write) == "step", site.text
        if called(culprit) == "step":
            yield from _update_later(site, write, reader)
        yield propose("backward_first", reader, text.moved([reader], write), line=write.lineno)
        later = text.moved([write], reader, behind=True)
        others = (each for each in site.block(write) if each not in pair)
        calls = {last_name(call.func) for call in nodes(ast.Call, *others)}
        if not steps:
            yield propose("write_later", write, later, line=reader.lineno)
        elif site.runs_graph_again() and calls.isdisjoint({"backward", "grad", "step"}):
            # Its gradient is that of the round before; of several losses each has its own order.
            yield propose("step_after", write, later, line=reader.lineno)


def _update_later(site: FaultSite, step: ast.stmt, reader: ast.stmt) -> Iterator[Proposal]:
    """Do an update, from clearing the gradients to the step, behind that of another optimizer."""
    block, text, first, cleared = site.block(step), site.text, step, False
    between = {"backward", "zero_grad", "clip_grad_norm_", "clip_grad_value_", "unscale_"}
    for each in reversed(block[: block.index(step)]):
        calls = {last_name(call.func) for call in nodes(ast.Call, each)}
        if calls.isdisjoint(between) or "step" in calls:
            break
        if not calls.isdisjoint({"backward", "zero_grad"}):
            first = each
        if cleared := "zero_grad" in calls:
            break
    if first is step:
        return
    last = next((e for e in block[block.index(reader) :] if called(e) == "step"), reader)
    update = block[block.index(first) : block.index(step) + 1]
    moved = list(text.moved(update, last, behind=True))
    # The backward that comes first now keeps the graph, if that which was first did.
    if any(keyword(each, "retain_graph") for each in site.calls(*update)):
        its = (call for call in site.calls(reader) if last_name(call.func) == "backward")
        moved += [e for call in its for e in site.set_argument(call, "retain_graph", "True")]
    yield propose("update_later", step, moved, line=last.lineno)
    if not cleared:
        # Cleared further up, they would have what the backward added that comes first now.
        clearing = text.after(last, f"{text.of(step).rpartition('.')[0]}.zero_grad()")
        yield propose("update_later", step, [*clearing, *moved], line=last.lineno)


def _step_between(site: FaultSite) -> tuple[ast.stmt, ast.stmt] | None:
    """Return an optimizer's step, and the backward behind it that needs the old parameters."""
    stepped = site.runs_graph_again() and site.verdict is not Verdict.GRAPH_FREED
    return site.in_one_block(site.culprits[0]) if stepped else None


def forward_again(site: FaultSite) -> Iterator[Proposal]:
    """Compute the second loss anew after the step, from the updated parameters."""
    pair = _step_between(site)
    if pair is None or site.saver is None:
        return
    step, reader = pair
    block, text = site.block(step), site.text
    # Another step may follow before the loss is needed: of the other one of two critics.
    others = block[block.index(step) : block.index(reader)]
    step = [each for each in others if called(each) == called(step)][-1]
    before, behind = block[: block.index(step)], block[block.index(step) + 1 :]
    # A network of one's own saves in its `forward`; what calls it is computed again.
    callers = (site.saver, *site.callers(site.saver))
    saver = next((each for each in callers if each in before), None)
    ahead: set[str] = set()
    forward: list[ast.Assign] = []
    for each in before:
        if isinstance(each, ast.Assign) and (each is saver or ahead & names_read(each)):
            ahead |= names_stored(each)
            forward.append(each)
    path = site.computing([*forward, *behind[: behind.index(reader)]], names_read(reader))
    again = [each for each in path if each in forward]
    if saver is None or saver not in again:
        return
    bound = stored_in_order(again)
    goal = next(each for each in behind if each is reader or names_read(each) & {*bound})
    values: dict[str, Any] = {"rebuilt": bound, "name": bound, "line": step.lineno}
    # What a forward is given that was computed by the block, too: `fake` of `D(fake)`.
    made = names_stored(*before[: before.index(saver)])
    detached = [
        argument
        for call in nodes(ast.Call, saver)
        for argument in call.args
        if isinstance(argument, ast.Name)
        and argument.id in made
        and (tensor := site.tensor(argument, saver)) is not None
        and tensor.grad_fn is not None
    ]
    if detached:
        # Both the detached line and its copy behind the step: the copy is as it was.
        edits = [*computed_again(site, again, goal, goal), site.graphs_not_kept(*before)]
        names = tuple(dict.fromkeys(map(text.of, detached)))
        kind = "detach_fake"
        yield append(site, kind, detached, ".detach()", *edits, detached=names, **values)
    yield propose("forward_again", saver, computed_again(site, again, goal, goal), **values)


def computed_again(
    site: FaultSite, again: Sequence[ast.Assign], until: ast.stmt, goal: ast.stmt
) -> list[Iterator[Edit]]:
    """Compute something before a goal: once more, or only there if nobody needs it until then."""
    between = (
        each
        for each in nodes(ast.stmt, site.tree)
        if again[0].lineno < each.lineno < until.lineno and each not in again
    )
    needed = leading_to(names_read(*between), again)
    moved = [each for each in again if each not in needed and each in site.block(until)]
    return [*map(site.text.removed, moved), site.text.repeated(again, goal)]


def stored_in_order(statements: Iterable[ast.Assign]) -> tuple[str, ...]:
    stored = nodes(ast.Name, *(target for each in statements for target in each.targets))
    return tuple(dict.fromkeys(each.id for each in stored if isinstance(each.ctx, ast.Store)))


def recompute(site: FaultSite) -> Iterator[Proposal]:
    """Compute the loss again before the second backward."""
    reader = site.reader
    if site.verdict is not Verdict.GRAPH_FREED or reader is None:
        return
    above = [each for each in site.block(reader) if each.lineno < reader.lineno]
    if again := site.computing(above, names_read(reader)):
        yield propose("recompute", reader, site.text.repeated(again, reader))


def backwards_together(site: FaultSite) -> Iterator[Proposal]:
    """Run all backwards, or one of the sum of the losses, before the steps."""
    freed = site.verdict is Verdict.GRAPH_FREED
    pair = site.in_one_block(site.culprits[0]) if freed and site.culprits else _step_between(site)
    if pair is None:
        return
    reader, text, block = pair[1], site.text, site.block(pair[1])
    backwards = [each for each in block[: block.index(reader)] if called(each) == "backward"]
    if not backwards or backwards[-1].lineno > pair[0].lineno:
        return
    between = block[block.index(backwards[0]) : block.index(reader)]
    above = {text.of(each) for each in block[: block.index(backwards[0])]}
    behind = {text.of(each): called(each) for each in block[block.index(reader) + 1 :]}
    edits: list[Edit] = []
    for each in between:
        if (name := called(each)) in {"zero_grad", "step"}:
            goal, there = (reader, behind) if name == "step" else (backwards[0], above)
            moved = text.moved([each], goal, behind=name == "step")
            edits += text.removed(each) if text.of(each) in there else moved
    if freed and (edits or any(map(names_gradient, between))):
        return  # each backward is for an update of its own
    if not freed and "step" not in behind.values():
        return  # what this backward adds is not for an optimizer
    plain = [
        text.of(call.func).removesuffix(".backward")
        for call in site.calls(*backwards, reader)
        if last_name(call.func) == "backward" and not call.args
        if {each.arg for each in call.keywords} <= {"retain_graph"}
    ]
    if len({*plain}) == len(backwards) + 1:
        one, other = " + ".join(plain[:-1]), plain[-1]
        together = text.replace(reader, f"({one} + {other}).backward()")
        joint: Edits = [*map(text.removed, backwards), together, *edits]
        kind = "one_backward" if freed else "joint_loss"
        yield propose(kind, reader, joint, one=one, other=other)
    if not freed:
        yield propose("steps_last", pair[0], edits)
