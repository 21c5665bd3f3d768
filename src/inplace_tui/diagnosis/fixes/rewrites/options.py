"""What is asked of a tensor: to be a leaf, a gradient, keeping it, another dtype."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.common.blame import SilentCause
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.syntax import bindings, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import (
    arguments_of,
    bound_to,
    calls_of,
    free_name,
    is_assignable,
    is_in_place,
    keyword,
    last_name,
    names_of_contexts,
    tensor_part,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import (
    Proposal,
    Rewrite,
    append,
    propose,
    rebind,
    set_option,
)

CREATORS = frozenset(
    [
        *("tensor", "zeros", "ones", "full", "empty", "rand", "randn", "arange", "linspace", "eye"),
        *("zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "empty_like"),
    ]
)
"""Functions that take `requires_grad`."""


def retain_grad(site: FaultSite) -> Iterator[Proposal]:
    """Ask a tensor inside the graph to keep its gradient."""
    # Of an update in a loop, which raises, it would keep the graphs of all iterations.
    only_read = site.verdict is Verdict.LEAF_LOST and site.raised is None
    if site.reader is None or not (only_read or site.verdict is Verdict.NON_LEAF_GRAD_READ):
        return
    for node in site.parts(site.reader):
        if isinstance(node, ast.Attribute) and node.attr == "grad" and is_assignable(node.value):
            name = site.text.of(node.value)
            for made in nodes(ast.Assign, site.tree):
                if name in map(site.text.of, made.targets):
                    edits = site.text.after(made, f"{name}.retain_grad()")
                    yield propose("retain_grad", made, edits, name=name)


def create_graph(site: FaultSite) -> Iterator[Proposal]:
    """Record the first backward, where a second one goes back through its gradient."""
    for call in calls_of(site, "grad", "backward"):
        is_first = site.statement_of(call) is not site.reader
        if is_first and site.verdict is Verdict.NO_GRAD_FN:
            yield set_option(site, "create_graph", [call], "create_graph", "True")


def require_grad(site: FaultSite) -> Iterator[Proposal]:
    """Let what the loss is computed from require grad.

    Where something requires it already, a new leaf would only make the error go away.
    """
    if site.verdict is not Verdict.NO_GRAD_FN:
        return
    raising = raising_step(site.timeline)
    before = site.timeline.at((len(site.timeline) if raising is None else raising.began) - 1)
    tensors = before.tensors.values()
    has_leaf = any(each.requires_grad and each.is_leaf is True for each in tensors)
    if not has_leaf:
        yield from _asked(site)
    yield from _attached(site, "attached")


def _asked(site: FaultSite) -> Iterator[Proposal]:
    """Ask for the gradients of new tensors, those of an optimizer first, or of what was frozen."""
    made = {
        site.text.of(target): call
        for call in nodes(ast.Call, site.tree)
        if last_name(call.func) in CREATORS and (target := bound_to(site, call)) is not call
    }
    makers = (each for each in nodes(ast.Call, site.tree) if "optim" in ast.unparse(each.func))
    given = names(*(argument for each in makers for argument in each.args[:1]))
    for chosen in (made.keys() & given, *({name} for name in made)):
        if calls := [made[name] for name in made if name in chosen]:
            name = tuple(each for each in made if each in chosen)
            yield set_option(site, "ask", calls, "requires_grad", "True", name=name)
    for flag in nodes(ast.Constant, site.tree):
        match site.parent(flag):
            case (
                ast.Assign(targets=[ast.Attribute(value=frozen, attr="requires_grad")])
                | ast.Call(func=ast.Attribute(value=frozen, attr="requires_grad_"))
            ) if flag.value is False:
                edits, name = [site.text.replace(flag, "True")], (site.text.of(frozen),)
                yield propose("ask", site.statement_of(flag), edits, name=name)
            case _:
                continue


def reached(site: FaultSite) -> Iterator[Proposal]:
    """Let a gradient reach parameters that have none at any step of their optimizer."""
    yield from _attached(site, "reached")
    for block in nodes(ast.With, site.tree):
        if len(block.items) == 1 and names_of_contexts(block) & {"no_grad", "inference_mode"}:
            name = site.text.of(block.items[0].context_expr)
            yield propose("reached_in_block", block, site.text.unwrapped(block), name=name)


def _attached(site: FaultSite, kind: str) -> Iterator[Proposal]:
    """Leave in the graph what `.detach()` or `.data` takes out of it."""
    for node in nodes(ast.expr, site.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
                kept = site.text.drop(node, ".detach()")
            case ast.Attribute(value=value, attr="data", ctx=ast.Load()):
                kept = site.text.drop(node, ".data")
            case _:
                continue
        yield propose(kind, site.statement_of(node), kept, name=site.text.of(value))


def to_floating_point(site: FaultSite) -> Iterator[Proposal]:
    """Make a tensor of floats where gradients are asked of integers."""
    for call in site.calls(site.raised) if site.verdict is Verdict.INTEGER_GRADIENT else ():
        if last_name(call.func) in CREATORS:
            name = site.text.of(bound_to(site, call))
            yield set_option(site, "floats", [call], "dtype", "torch.float32", name=name)


def not_reentrant(site: FaultSite) -> Iterator[Proposal]:
    """Have every checkpoint recorded, whatever is given to it."""
    if site.blame is None or site.blame.cause is not SilentCause.UNTRACKED:
        return
    if calls := list(calls_of(site, "checkpoint", "checkpoint_sequential")):
        yield set_option(site, "not_reentrant", calls, "use_reentrant", "False")


def advised(site: FaultSite) -> Iterator[Proposal]:
    """Do what torch's message asks for, of the calls that led to it."""
    calls = list(site.calls(*_raising(site)))
    for call in calls:
        statement, name = site.statement_of(call), last_name(call.func)
        value = call.func.value if isinstance(call.func, ast.Attribute) else call
        if name == "vmap" and keyword(call, "randomness") is None:
            yield set_option(site, "randomness", [call], "randomness", "'different'")
        if name in {"values", "indices"}:
            yield rebind(site, "coalesce", statement, value, ".coalesce()")
        if name in {"masked_fill", "masked_fill_"}:
            end = site.text.span(call.func)[1] - name.endswith("_")
            yield propose("scatter", statement, [Edit(end - len("fill"), end, "scatter")])
        part, last = tensor_part(site, value, statement), (call.args or [ast.Constant(None)])[-1]
        if part is not None and is_in_place(name) and not isinstance(last, ast.Constant):
            yield append(site, "cast", [last], f".to({site.text.of(part)}.dtype)")
    for node in nodes(ast.Call, site.tree) if calls else ():
        if (flag := keyword(node, "sparse")) is not None:
            edit = site.text.replace(flag.value, "False")
            yield propose("dense", site.statement_of(node), [edit])
    if site.verdict in _ADVICE:
        yield from _ADVICE[site.verdict](site)


def _raising(site: FaultSite) -> list[ast.stmt]:
    return [] if site.raised is None else [site.raised, *site.callers(site.raised)]


def _without_statistics(site: FaultSite) -> Iterator[Proposal]:
    """Have batch norms write no statistics: those are captured by the transform."""
    found: dict[str, ast.stmt] = {}
    for statement in reversed(_raising(site)):
        for name in site.names(statement):
            if name.endswith(".running_mean"):
                found.setdefault(re.split(r"[.\[]", name)[0], statement)
    for module, statement in found.items():
        for kind, line in (
            ("no_statistics", f"torch.func.replace_all_batch_norm_modules_({module})"),
            ("eval_mode", f"{module}.eval()"),
        ):
            yield propose(kind, statement, site.text.before(statement, line), name=module)


def _detached_anew(site: FaultSite) -> Iterator[Proposal]:
    """Let `detach()` make a new tensor, instead of cutting off the one that was saved."""
    for call in calls_of(site, "detach_"):
        statement = site.statement_of(call)
        if isinstance(call.func, ast.Attribute) and is_assignable(call.func.value):
            name = site.text.of(call.func.value)
            edits = [site.text.replace(call, f"{name} = {name}.detach()")]
            yield propose("out_of_place", statement, edits, name=name)


def _batched(site: FaultSite) -> Iterator[Proposal]:
    """Make what is filled under `vmap` from an argument, so that it is batched as that is."""
    function = None if site.raised is None else site.function(site.raised)
    for call in nodes(ast.Call, function):
        for other in sorted(arguments_of(function)):
            if (name := last_name(call.func)) in {"zeros", "ones", "empty", "full"}:
                edits = [site.text.replace(call.func, f"{other}.new_{name}")]
                made, at = site.text.of(bound_to(site, call)), site.statement_of(call)
                yield propose("batched", at, edits, rebuilt=(made,), name=made, other=other)


def _not_kept(site: FaultSite) -> Iterator[Proposal]:
    """Keep a result in a local variable, where a module that is to be copied kept it."""
    for each in nodes(ast.Assign, site.tree):
        target, made = each.targets[0], site.made(each.targets[0], each)
        if isinstance(target, ast.Attribute) and made and isinstance(made.grad_fn, int):
            name, new = site.text.of(target), free_name(site, target.attr, f"{target.attr}_now")
            same = nodes(ast.Attribute, site.function(each))
            edits = [site.text.replace(n, new) for n in same if site.text.of(n) == name]
            yield propose("local", each, edits, name=name, new=new)
            yield append(site, "detach", [each.value], ".detach()", name=name)


def _not_expanded(site: FaultSite) -> Iterator[Proposal]:
    """Clone what was expanded, where a backward writes to it: the message doesn't say where."""
    wide = list(calls_of(site, "expand", "expand_as", "broadcast_to"))
    for chosen in (wide, *([each] for each in wide)) if site.raised is site.reader else ():
        if chosen:
            name = tuple(site.text.of(bound_to(site, each)) for each in chosen)
            yield append(site, "copy_alias", chosen, ".clone()", name=name)


_ADVICE: dict[Verdict | None, Rewrite] = {
    Verdict.TRANSFORM_CAPTURED: _without_statistics,
    Verdict.VMAP_INPLACE: _batched,
    Verdict.COPY_OF_RESULT: _not_kept,
    Verdict.SAVED_TENSOR_DETACHED: _detached_anew,
    Verdict.MEMORY_OVERLAPS: _not_expanded,
}


# Updates that give the name of a leaf to something computed from it.


def update_leaf_in_place(site: FaultSite) -> Iterator[Proposal]:
    """Update leaves under `no_grad` instead of giving their names to something computed."""
    if site.blame is None or site.blame.cut is None:
        return
    statement = site.statement(site.blame.cut)
    if not isinstance(statement, ast.Assign) or not is_assignable(statement.targets[0]):
        return
    text, updates = site.text, _updates(site, statement)
    names = tuple(text.of(each.targets[0]) for each in updates)
    lines = [_in_place(site, each) for each in updates]
    blocks = (each for each in site.around(statement) if isinstance(each, ast.With))
    unrecorded = any("no_grad" in names_of_contexts(each) for each in blocks)
    if unrecorded:
        edits = [text.replace(each, line) for each, line in zip(updates, lines, strict=True)]
        yield propose("leaf_updated", statement, edits, name=names)
    yield append(site, "new_leaf", [each.value for each in updates], _LEAF, name=names)


def _updates(site: FaultSite, first: ast.Assign) -> list[ast.Assign]:
    """Return the statement that loses a leaf, and those behind it that lose theirs alike."""
    block, found = site.block(first), [first]
    for behind in block[block.index(first) + 1 :]:
        match behind:
            case ast.Assign(targets=[target]) if is_assignable(target):
                gradient = f"{ast.unparse(target)}.grad"
                attributes = nodes(ast.Attribute, behind.value)
                if not any(ast.unparse(each) == gradient for each in attributes):
                    break
                found.append(behind)
            case _:
                break
    return found


def _in_place(site: FaultSite, statement: ast.Assign) -> str:
    """Return an assignment as a write to what its name meant before."""
    text, target = site.text, statement.targets[0]
    match statement.value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if ast.unparse(left) == ast.unparse(target):
                sign = "+" if isinstance(op, ast.Add) else "-"
                return f"{text.of(target)} {sign}= {text.of(right)}"
        case _:
            pass
    return f"{text.of(target)}.copy_({text.of(statement.value)})"


def leaf_for_optimizer(site: FaultSite) -> Iterator[Proposal]:
    """Make leaves of what an optimizer is given, where they were made."""
    if site.verdict is not Verdict.OPTIMIZER_NEEDS_LEAF or (raised := site.raised) is None:
        return
    found = {
        target.id: value
        for each in site.block(raised)
        if isinstance(each, ast.Assign) and each.lineno < raised.lineno
        for target, value in bindings(each)
        if isinstance(target, ast.Name) and target.id in names(raised)
        if (tensor := site.tensor(target, raised)) is not None and tensor.is_leaf is False
    }
    if found:
        yield append(site, "new_leaf", list(found.values()), _LEAF, name=tuple(found))


_LEAF = ".detach().requires_grad_()"
