"""Copies: of what an op saves, of an alias, of what is passed on, of what is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inplace_tui.common.syntax import DOTTED
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.expressions import is_in_place, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, clone_before, propose

BOUND = ast.Assign | ast.AnnAssign | ast.Return


def copies(site: FaultSite) -> Iterator[Proposal]:
    """Let who saved or reads a tensor have its own copy, or who writes it, where that may be."""
    savers = _savers(site)
    written = [
        (statement, part)
        for statement in site.culprits
        if not (site.must_write(statement) or hasattr(statement, "body"))
        for part in site.written_parts(statement)
    ]
    # In a loop it is one in every round, where another copy may do for all.
    last = [each for each in written if any(site.loops_around(each[0]))]
    yield from (clone_before(site, *each) for each in written if each not in last)
    found = map(site.expressions.get, (each.place for each in site.probes.expressions))
    readers = dict.fromkeys(site.statement_of(e) for e in found if e and site.had_memory(e))
    for statement in readers:
        if isinstance(statement, BOUND) and statement not in savers:
            yield from _copied(site, savers, statement)
            if isinstance(value := statement.value, ast.Call) and last_name(value.func) == "detach":
                yield append(site, "copy_detached", [value], ".clone()")
    for statement in savers:
        yield from _copied(site, savers, statement)
        yield from _copied_parameters(site, statement)
    first = [each for lines in site.probes.changed for each in site.on(lines[0])]
    yield from _copied(site, savers, *dict.fromkeys(first))
    for statement in readers:
        yield from _copied(site, savers, statement)
    yield from (clone_before(site, *each) for each in last)


def _savers(site: FaultSite) -> list[ast.stmt]:
    """Return the statements that saved, and those that called them."""
    if site.verdict is None or site.verdict.is_refused_write:
        return []
    known = [each for lines in site.probes.changed for line in lines for each in site.on(line)]
    if site.saver is not None:
        known = [*site.on(site.saver.lineno), *site.callers(site.saver), *known]
    return list(dict.fromkeys(known))


def _copied(
    site: FaultSite, savers: Sequence[ast.stmt], *statements: ast.stmt
) -> Iterator[Proposal]:
    """Clone what statements read of the memory that was written, or the value that has it.

    Of a freed graph nothing was written: a copy would merely miss a cache that asks for an `id()`.
    """
    places: list[ast.expr] = []
    for statement in statements if site.verdict is not Verdict.GRAPH_FREED else ():
        value = statement.value if isinstance(statement, BOUND) else None
        read = [_viewed(site, each) for each in _read(site, statement) if each is not value]
        made = [value] if value is not None and not read and site.had_memory(value) else []
        places += [each for each in read + made if _may_be_copied(site, each)]
    if places := list(dict.fromkeys(places)):
        yield append(site, _kind(site, savers, places[0]), places, ".clone()")


def _kind(site: FaultSite, savers: Sequence[ast.stmt], place: ast.expr) -> str:
    statement = site.statement_of(place)
    is_named = isinstance(place, DOTTED)
    if not (is_named or any(site.had_memory(e) for e in ast.walk(place) if e is not place)):
        return "copy_result"
    is_value = isinstance(statement, BOUND) and statement.value is place
    if is_value or site.bound_to(place) is not place:
        return "copy_alias"
    if statement not in savers:
        return "copy_passed"
    return "copy_weights" if any(write.is_step for write in site.writes) else "copy_saved"


def _read(site: FaultSite, statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield what a statement computes or names that had the memory which was written."""
    refused = site.verdict is not None and site.verdict.is_refused_write
    for node in site.parts(statement):
        if isinstance(node, DOTTED) and site.tensor_part(node, statement) is node:
            if site.shares(node, statement) and isinstance(node.ctx, ast.Load):
                yield node
        # Of a refused write all is known that its statement was given, and no more.
        elif isinstance(node, ast.Call if refused else ast.expr) and site.had_memory(node):
            yield node


def _viewed(site: FaultSite, part: ast.expr) -> ast.expr:
    """Return the part of a tensor that is read: `h[t - 1]` rather than `h`, `h.view(-1)`."""
    while True:
        match site.parent(part):
            case ast.Subscript(value=inner, ctx=ast.Load()) as above if inner is part:
                part = above
            case ast.Attribute() as above if site.had_memory(above):
                part = above
            case ast.Attribute(attr=method) as above if not is_in_place(method):
                call = site.parent(above)
                if not (isinstance(call, ast.Call) and site.had_memory(call)):
                    return part
                part = call
            case _:
                return part


def _may_be_copied(site: FaultSite, node: ast.expr) -> bool:
    """Whether an expression is read, and not there to be written."""
    tensor = site.tensor(node, site.statement_of(node))
    inference = site.verdict is not None and site.verdict.is_about_inference
    is_normal = inference and tensor is not None and not tensor.is_inference
    if is_normal or (isinstance(node, ast.Call) and is_in_place(last_name(node.func))):
        return False
    match site.parent(node):
        case ast.Subscript(value=part) if part is node:
            return False  # where no view is read, one is stored to
        case ast.AugAssign(target=target):
            return target is not node
        case ast.Attribute(attr=attribute):
            return not (attribute.endswith("_") or attribute in {"requires_grad", "grad", "data"})
        case ast.Call() as call:
            # A call whose value nobody takes is there to write its arguments, if it is no method.
            is_method = isinstance(call.func, ast.Attribute) and is_in_place(call.func.attr)
            return is_method or not isinstance(site.parent(call), ast.Expr)
        case _:
            return True


def _copied_parameters(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Run a module with copies of its parameters; the gradients still go to the originals.

    All its calls on the statement, and then all in the block: a loss may need several.
    """
    text, copies = site.text, site.free_name("copies", "parameters")
    for first in site.calls(statement):
        probed, module = site.probed(first.func), text.of(first.func)
        if not (probed and probed.kind == "module" and probed.changed):
            continue
        made = f"{copies} = {{name: p.clone() for name, p in {module}.named_parameters()}}"
        around = site.calls(statement, *site.block(statement))
        calls = [each for each in dict.fromkeys(around) if text.of(each.func) == module]
        for chosen in ([e for e in calls if site.statement_of(e) is statement], calls):
            at = dict.fromkeys(map(site.statement_of, chosen))
            edits = [edit for each in at for edit in text.before(each, made)]
            edits += [text.replace(call, _functional(site, call, copies)) for call in chosen]
            cost = probed.nbytes * len(at)
            yield propose("copy_parameters", statement, edits, cost=cost, name=module)


def _functional(site: FaultSite, call: ast.Call, copies: str) -> str:
    """Return a module's call as one with other parameters."""
    module, *given = map(site.text.of, (call.func, *call.args))
    values = [(each.arg, site.text.of(each.value)) for each in call.keywords]
    keywords = ", ".join(f"{name!r}: {value}" if name else f"**{value}" for name, value in values)
    extra = f", {{{keywords}}}" if keywords else ""
    arguments = f"({', '.join(given)}{',' if len(given) == 1 else ''})"
    return f"torch.func.functional_call({module}, {copies}, {arguments}{extra})"
