"""Code that autograd calls: custom Functions and their `ctx`, hooks, what packs saved tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import function_classes, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, EditError
from inplace_tui.diagnosis.fixes.expressions import (
    calls_of,
    hook_names,
    last_name,
    written_and_new,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose
from inplace_tui.diagnosis.fixes.rewrites.out_of_place import out_of_place_statement


def custom_functions(site: FaultSite) -> Iterator[Proposal]:
    """Mend what a custom Function keeps, returns and writes."""
    for methods in _custom_functions(site):
        for method in methods:
            if method.name in {"forward", "backward"}:
                yield from _method(site, method)


def _custom_functions(site: FaultSite) -> Iterator[list[ast.FunctionDef]]:
    """Yield the methods of each custom Function."""
    for node in function_classes(site.tree):
        yield [each for each in node.body if isinstance(each, ast.FunctionDef)]


def _method(site: FaultSite, method: ast.FunctionDef) -> Iterator[Proposal]:
    context, *inputs = [each.arg for each in method.args.args] or [""]
    for statement in method.body:
        match statement:
            # Keep a copy on `ctx`: nothing checks the version of an attribute.
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner))], value=ast.Name() as value
            ) if owner == context:
                cost = site.tensor(value, statement)
                yield append(site, "keep_copy", [value], ".clone()", cost=cost)
            case ast.Return(value=ast.expr() as value) if method.name == "forward":
                yield from _returned(site, method, value, inputs)
            case _:
                pass
        # Leave the arguments as they are.
        parts = written_parts(site, statement)
        if isinstance(statement, ast.AugAssign) or names(*parts) & set(inputs):
            yield from out_of_place_statement(site, statement)


def _returned(
    site: FaultSite, method: ast.FunctionDef, value: ast.expr, inputs: list[str]
) -> Iterator[Proposal]:
    text, statement = site.text, site.statement_of(value)
    match value:
        case ast.Name(id=name) if name in inputs:
            cost = site.tensor(name, statement)
            yield append(site, "return_copy", [value], ".clone()", cost=cost)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="clone")) if name in inputs:
            edit = text.replace(value, name)
            mark = text.before(statement, f"{method.args.args[0].arg}.mark_dirty({name})")
            marked = "mark_dirty" in text.of(method)
            yield propose("mark_dirty", statement, [edit] if marked else [edit, mark], name=name)
        case _:
            return


def hooks(site: FaultSite) -> Iterator[Proposal]:
    """Return a new gradient or output from a hook, where it wrote the one it was given."""
    of_tensors, of_modules = hook_names(site), _forward_hooks(site)
    for function in nodes(ast.FunctionDef, site.tree):
        if not function.args.args:
            continue
        if function.name in of_tensors:
            # What the original delivers is what the write made of it: no truth.
            yield from _hook(site, function, "return_gradient")
        elif function.name in of_modules:
            yield from _hook(site, function, "return_output")


def _forward_hooks(site: FaultSite) -> set[str]:
    """Return the functions that modules call with their output, those of factories too."""
    calls = calls_of(site, "register_forward_hook")
    registered = [argument for call in calls for argument in call.args]
    makers = {last_name(each.func) for each in registered if isinstance(each, ast.Call)}
    made = {
        inner.value.id
        for function in nodes(ast.FunctionDef, site.tree)
        if function.name in makers
        for inner in function.body
        if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name)
    }
    return made | {last_name(each) for each in registered if not isinstance(each, ast.Call)}


def _hook(site: FaultSite, function: ast.FunctionDef, kind: str) -> Iterator[Proposal]:
    name, text, last = function.args.args[-1].arg, site.text, function.body[-1]
    returned = f"return {name}"
    for statement in function.body:
        written, new = written_and_new(site, statement) or (None, "")
        if written is None or written.id != name:
            continue
        if isinstance(statement, ast.AugAssign):
            copied = text.before(statement, f"{name} = {name}.clone()")
            yield propose(kind, statement, [copied, text.after(last, returned)], name=name)
            continue
        yield propose(kind, statement, [text.replace(statement, f"return {new}")], name=name)
        edits = [text.replace(statement, f"{name} = {new}")]
        if not isinstance(last, ast.Return):
            edits += text.after(last, returned)
        yield propose(kind, statement, edits, name=name)


def pack_copies(site: FaultSite) -> Iterator[Proposal]:
    """Let a pack hook keep a copy, where it keeps the tensor itself and the check is off."""
    for call in calls_of(site, "saved_tensors_hooks"):
        match call.args[:1]:
            case [ast.Lambda(args=ast.arguments(args=[given]), body=ast.Name(id=name) as body)]:
                if given.arg == name:
                    yield append(site, "pack_copy", [body], ".clone()")
            case [ast.Name(id=name)]:
                for function in nodes(ast.FunctionDef, site.tree):
                    if function.name == name and function.args.args:
                        first, argument = function.body[0], function.args.args[0].arg
                        copied = site.text.before(first, f"{argument} = {argument}.clone()")
                        yield propose("pack_copy", first, copied)
            case _:
                continue


def plain_values(site: FaultSite) -> Iterator[Proposal]:
    """Keep as attributes of `ctx` what is not a tensor, and so can't be saved."""
    if site.verdict is not Verdict.CTX_NEEDS_TENSORS:
        return
    for methods in _custom_functions(site):
        for method in methods:
            yield from _saving(site, method, methods)


def _saving(
    site: FaultSite, method: ast.FunctionDef, methods: list[ast.FunctionDef]
) -> Iterator[Proposal]:
    for statement in method.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner)), keywords=[]) as call
            ) if last_name(call.func) == "save_for_backward":
                plain = [
                    at
                    for at, each in enumerate(call.args)
                    if isinstance(each, ast.Name) and site.tensor(each.id, statement) is None
                ]
                names = tuple(site.text.of(call.args[at]) for at in plain)
                edits = _kept_as_attributes(site, call, owner, plain, methods)
                if plain:
                    yield propose("ctx_attribute", statement, edits, name=names)
            case _:
                continue


def _kept_as_attributes(
    site: FaultSite, call: ast.Call, owner: str, plain: list[int], methods: list[ast.FunctionDef]
) -> Iterator[Edit]:
    text, statement = site.text, site.statement_of(call)
    names = [text.of(call.args[at]) for at in plain]
    saved = [text.of(each) for at, each in enumerate(call.args) if at not in plain]
    kept = "; ".join(f"{owner}.{name} = {name}" for name in names)
    instead = f"{text.of(call.func)}({', '.join(saved)})"
    yield text.replace(call, instead)
    yield from text.after(statement, kept)
    unpacked = [pair for each in methods for pair in _unpackings(each)]
    if not unpacked and any("saved_tensors" in text.of(each) for each in methods):
        raise EditError("what was saved is taken out in another way")
    for assignment, targets in unpacked:
        if len(targets) != len(call.args):
            raise EditError("what was saved is taken out in another way")
        source = text.of(assignment.value)
        rest = [text.of(each) for at, each in enumerate(targets) if at not in plain]
        left = f"({rest[0]},)" if len(rest) == 1 else ", ".join(rest)
        context = source.partition(".")[0]
        taken = "; ".join(
            f"{text.of(targets[at])} = {context}.{name}"
            for at, name in zip(plain, names, strict=True)
        )
        if rest:
            yield text.replace(assignment, f"{left} = {source}")
            yield from text.after(assignment, taken)
        else:
            yield text.replace(assignment, taken)


def _unpackings(method: ast.FunctionDef) -> Iterator[tuple[ast.Assign, list[ast.expr]]]:
    """Yield the statements that take apart what was saved, and into what."""
    for node in nodes(ast.Assign, method):
        match node.targets, node.value:
            case [ast.Tuple(elts=targets)], ast.Attribute(attr="saved_tensors"):
                yield node, targets
            case _:
                continue
