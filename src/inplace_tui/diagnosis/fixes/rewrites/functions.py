"""Code that autograd calls: custom Functions and their `ctx`, and hooks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import function_classes, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import (
    calls_of,
    hook_names,
    is_in_place,
    last_name,
    written_and_new,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.out_of_place import out_of_place_statement


def custom_functions(site: FaultSite) -> Iterator[Proposal]:
    """Mend what a custom Function saves, returns and writes."""
    for owner in function_classes(site.tree):
        for method in nodes(ast.FunctionDef, *owner.body):
            if method.name in {"forward", "backward"}:
                yield from _method(site, method)
            if site.verdict is Verdict.CTX_NEEDS_TENSORS:
                yield from _plain_values(site, method, owner)


def _method(site: FaultSite, method: ast.FunctionDef) -> Iterator[Proposal]:
    context, *inputs = [each.arg for each in method.args.args] or [""]
    if method.name == "forward":
        yield from _marked(site, method, context, inputs)
    for statement in method.body:
        # Leave the arguments as they are.
        parts = written_parts(site, statement)
        if isinstance(statement, ast.AugAssign) or names(*parts) & set(inputs):
            yield from out_of_place_statement(site, statement)


def _marked(
    site: FaultSite, method: ast.FunctionDef, context: str, inputs: list[str]
) -> Iterator[Proposal]:
    """Mark as dirty the inputs that are written and returned, and no other."""
    text, returns = site.text, list(nodes(ast.Return, method))
    marks = [call for call in nodes(ast.Call, method) if last_name(call.func) == "mark_dirty"]
    for call in marks:
        returned = {text.of(part) for each in returns for part in _returned(each.value)}
        kept = [each for each in call.args if text.of(each) in returned]
        name = ", ".join(map(text.of, kept))
        edit = text.replace(call, f"{text.of(call.func)}({name})")
        if kept:
            yield propose("mark_dirty", site.statement_of(call), [edit], name=name)
    for each in returns:
        match each.value:
            case ast.Name(id=name):
                edits = list[Edit]()
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="clone")) as value:
                edits = [text.replace(value, name)]
            case _:
                continue
        mark = [] if marks else text.before(each, f"{context}.mark_dirty({name})")
        if name in inputs:
            yield propose("mark_dirty", each, [*edits, *mark], name=name)


def _returned(value: ast.expr | None) -> list[ast.expr]:
    """Return the parts of a returned value, without what is written to them on the way."""
    match value:
        case ast.Tuple(elts=parts):
            return [inner for part in parts for inner in _returned(part)]
        case ast.Call(func=ast.Attribute(value=written, attr=method)) if is_in_place(method):
            return _returned(written)
        case _:
            return [] if value is None else [value]


def _plain_values(
    site: FaultSite, method: ast.FunctionDef, owner: ast.ClassDef
) -> Iterator[Proposal]:
    """Keep as attributes of `ctx` what is not a tensor, and so can't be saved."""
    text = site.text
    for call in nodes(ast.Call, method):
        if last_name(call.func) != "save_for_backward" or call.keywords:
            continue
        statement, saved, taken = site.statement_of(call), list[str](), list[str]()
        plain: list[str] = []
        for each in call.args:
            name = text.of(each)
            if isinstance(each, ast.Name) and site.tensor(name, statement) is None:
                plain.append(name)
                taken.append(f"ctx.{name}")
            else:
                taken.append(f"ctx.saved_tensors[{len(saved)}]")
                saved.append(name)
        context = text.of(call.func).rpartition(".")[0]
        kept = "; ".join(f"{context}.{name} = {name}" for name in plain)
        edits: list[Edit | Iterator[Edit]] = [text.after(statement, kept)]
        edits.append(text.replace(call, f"{context}.save_for_backward({', '.join(saved)})"))
        for each in nodes(ast.Attribute, owner):
            if each.attr == "saved_tensors":
                instead = f"({', '.join(taken)},)".replace("ctx.", f"{text.of(each.value)}.")
                edits.append(text.replace(each, instead))
        if plain:
            yield propose("ctx_attribute", statement, edits, name=tuple(plain))


def hooks(site: FaultSite) -> Iterator[Proposal]:
    """Return a new gradient or output from a hook, where it wrote the one it was given."""
    of_tensors = hook_names(site)
    given = [arg for call in calls_of(site, "register_forward_hook") for arg in call.args]
    of_modules = names(*given) | set(map(last_name, given))
    for function in nodes(ast.FunctionDef, site.tree):
        # A factory of hooks is registered by its name, too.
        outer = (each for each in site.around(function) if isinstance(each, ast.FunctionDef))
        if of_modules.isdisjoint(each.name for each in (function, *outer)) and (
            function.name not in of_tensors
        ):
            continue
        for statement in function.body if function.args.args else ():
            written, new = written_and_new(site, statement) or (None, "")
            name, last = function.args.args[-1].arg, function.body[-1]
            if written is None or written.id != name or isinstance(last, ast.Return):
                continue
            kind = "return_gradient" if function.name in of_tensors else "return_output"
            edits = [site.text.replace(statement, f"{name} = {new}")]
            edits += site.text.after(last, f"return {name}")
            yield propose(kind, statement, edits, name=name)
