"""Code that autograd calls: custom Functions and their `ctx`, hooks, what packs saved tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, EditError, Edits
from inplace_tui.diagnosis.fixes.expressions import hook_names, is_in_place, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.out_of_place import out_of_place_statement


def custom_functions(site: FaultSite) -> Iterator[Proposal]:
    """Mend what a custom Function keeps, returns and writes."""
    for methods in _custom_functions(site):
        for method in methods:
            if method.name in {"forward", "backward"}:
                yield from _method(site, method)


def _custom_functions(site: FaultSite) -> Iterator[list[ast.FunctionDef]]:
    """Yield the methods of each custom Function."""
    for node in nodes(ast.ClassDef, site.tree):
        if any(last_name(base) == "Function" for base in node.bases):
            yield [each for each in node.body if isinstance(each, ast.FunctionDef)]


def _method(site: FaultSite, method: ast.FunctionDef) -> Iterator[Proposal]:
    names = [each.arg for each in method.args.args]
    context, inputs = names[:1], set(names[1:])
    for statement in method.body:
        yield from _kept(site, statement, context)
        if isinstance(statement, ast.Return) and method.name == "forward":
            yield from _returned(site, method, statement, inputs)
        yield from _written(site, statement, inputs)


def _kept(site: FaultSite, statement: ast.stmt, context: list[str]) -> Iterator[Proposal]:
    """Keep a copy on `ctx`: nothing checks the version of an attribute."""
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner))], value=ast.Name(id=name) as value
        ) if owner in context:
            yield propose(
                "keep_copy",
                statement,
                site.text.append(value, ".clone()"),
                cost=copied_bytes(site.tensor(name, statement)),
                name=name,
            )


def _returned(
    site: FaultSite, method: ast.FunctionDef, statement: ast.Return, inputs: set[str]
) -> Iterator[Proposal]:
    text = site.text
    match statement.value:
        case ast.Name(id=name) as value if name in inputs:
            yield propose(
                "return_copy",
                statement,
                text.append(value, ".clone()"),
                cost=copied_bytes(site.tensor(name, statement)),
                name=name,
            )
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="clone")) if name in inputs:
            edit = text.replace(statement.value, name)
            context = method.args.args[0].arg
            mark = text.before(statement, f"{context}.mark_dirty({name})")
            marked = "mark_dirty" in text.of(method)
            yield propose("mark_dirty", statement, [edit] if marked else [edit, mark], name=name)
        case _:
            return


def _written(site: FaultSite, statement: ast.stmt, inputs: set[str]) -> Iterator[Proposal]:
    """Leave the arguments as they are."""
    text = site.text
    for node in site.parts(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as value, attr=method)) if (
                name in inputs and is_in_place(method)
            ):
                function = node.func
                _, end = text.span(function)
                binds = isinstance(statement, ast.Expr) and statement.value is node
                start, _ = text.span(value)
                edits = [Edit(end - 1, end, "")]
                if binds:
                    edits.append(Edit(start, start, f"{name} = "))
                yield propose(
                    "out_of_place",
                    statement,
                    edits,
                    cost=copied_bytes(site.tensor(name, statement)),
                    name=name,
                )
    yield from (
        out_of_place_statement(site, statement) if isinstance(statement, ast.AugAssign) else ()
    )


def hooks(site: FaultSite) -> Iterator[Proposal]:
    """Return a new gradient or output from a hook, where it wrote the one it was given."""
    of_tensors, of_modules = hook_names(site), _forward_hooks(site)
    for function in nodes(ast.FunctionDef, site.tree):
        if not function.args.args:
            continue
        if function.name in of_tensors:
            # What the original delivers is what the write made of it: no truth.
            yield from _hook(site, function, "return_gradient", own_truth=True)
        elif function.name in of_modules:
            yield from _hook(site, function, "return_output")


def _forward_hooks(site: FaultSite) -> set[str]:
    """Return the functions that modules call with their output, those of factories too."""
    registered = [
        argument
        for call in nodes(ast.Call, site.tree)
        if last_name(call.func) == "register_forward_hook"
        for argument in call.args
    ]
    makers = {last_name(each.func) for each in registered if isinstance(each, ast.Call)}
    made = {
        inner.value.id
        for function in nodes(ast.FunctionDef, site.tree)
        if function.name in makers
        for inner in function.body
        if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name)
    }
    return made | {last_name(each) for each in registered if not isinstance(each, ast.Call)}


def _hook(
    site: FaultSite, function: ast.FunctionDef, kind: str, *, own_truth: bool = False
) -> Iterator[Proposal]:
    given = function.args.args[-1].arg
    text = site.text
    for statement in function.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) as call
            ) if name == given and is_in_place(method):
                start, _ = text.span(statement)
                _, end = text.span(call.func)

                bare = Edit(end - 1, end, "")
                edits: Edits = [Edit(start, start, "return "), bare]
                yield propose(kind, statement, edits, own_truth=own_truth, name=name)
                last = site.block(statement)[-1]
                returned = (
                    () if isinstance(last, ast.Return) else text.after(last, f"return {name}")
                )
                edits = [Edit(start, start, f"{name} = "), bare, returned]
                yield propose(kind, statement, edits, own_truth=own_truth, name=name)
            case ast.AugAssign(target=ast.Name(id=name)) if name == given:
                copied = text.before(statement, f"{name} = {name}.clone()")
                edits = [copied, text.after(site.block(statement)[-1], f"return {given}")]
                yield propose(kind, statement, edits, own_truth=own_truth, name=name)


def pack_copies(site: FaultSite) -> Iterator[Proposal]:
    """Let a pack hook keep a copy, where it keeps the tensor itself and the check is off."""
    for node in nodes(ast.Call, site.tree):
        if last_name(node.func) != "saved_tensors_hooks" or not node.args:
            continue
        match node.args[0]:
            case ast.Lambda(args=ast.arguments(args=[argument]), body=ast.Name(id=name) as body):
                if argument.arg == name:
                    yield propose(
                        "pack_copy", site.statement_of(node), site.text.append(body, ".clone()")
                    )
            case ast.Name(id=name):
                yield from _packing(site, name)
            case _:
                continue


def _packing(site: FaultSite, name: str) -> Iterator[Proposal]:
    for node in nodes(ast.FunctionDef, site.tree):
        if node.name == name and node.args.args:
            argument = node.args.args[0].arg
            copied = f"{argument} = {argument}.clone()"
            yield propose("pack_copy", node.body[0], site.text.before(node.body[0], copied))


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
    for node in ast.walk(method):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)], value=ast.Attribute(attr="saved_tensors")
            ):
                yield node, targets
            case _:
                continue
