"""Code that autograd or a transform calls: custom Functions and their `ctx`, and hooks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.common.syntax import function_classes, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import arguments_of, is_in_place, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.out_of_place import out_of_place_statement


def custom_functions(site: FaultSite) -> Iterator[Proposal]:
    """Mend what a custom Function saves, returns and writes."""
    for owner in function_classes(site.tree):
        for method in nodes(ast.FunctionDef, *owner.body):
            context, *inputs = [each.arg for each in method.args.args] or [""]
            if method.name == "forward":
                yield from _marked(site, method, context, inputs)
            if site.verdict is Verdict.CTX_NEEDS_TENSORS:
                yield from _plain_values(site, method, owner)
            for statement in method.body:
                # Leave the arguments as they are.
                parts = site.written_parts(statement)
                if isinstance(statement, ast.AugAssign) or names(*parts) & set(inputs):
                    yield from out_of_place_statement(site, statement)


def _marked(
    site: FaultSite, method: ast.FunctionDef, context: str, inputs: list[str]
) -> Iterator[Proposal]:
    """Mark as dirty the inputs that are written and returned, and no other."""
    text = site.text
    marks = [call for call in nodes(ast.Call, method) if last_name(call.func) == "mark_dirty"]
    marked = names(*marks) if marks else set(inputs)
    for each in nodes(ast.Return, method):
        parts = each.value.elts if isinstance(each.value, ast.Tuple) else [each.value]
        returned = [name for part in parts if (name := _given_back(part)) in marked]
        edits: list[Edit | Iterator[Edit]] = [
            text.replace(part, text.of(part.func.value))
            for part in nodes(ast.Call, *parts)
            if isinstance(part.func, ast.Attribute) and part.func.attr == "clone"
        ]
        mark = f"{context}.mark_dirty({', '.join(returned)})"
        edits += [text.replace(call, mark) for call in marks] or [text.before(each, mark)]
        if returned:
            yield propose("mark_dirty", each, edits, name=", ".join(returned))


def _given_back(value: ast.expr | None) -> str:
    """Return the name of what a method in place, or a copy, was made of last."""
    match value:
        case ast.Call(func=ast.Attribute(value=part, attr=method)) if (
            is_in_place(method) or method == "clone"
        ):
            return _given_back(part)
        case _:
            return value.id if isinstance(value, ast.Name) else ""


def _plain_values(
    site: FaultSite, method: ast.FunctionDef, owner: ast.ClassDef
) -> Iterator[Proposal]:
    """Keep as attributes of `ctx` what is not a tensor, and so can't be saved."""
    text = site.text
    for call in nodes(ast.Call, method):
        if last_name(call.func) != "save_for_backward" or call.keywords:
            continue
        statement, context = site.statement_of(call), text.of(call.func).rpartition(".")[0]
        given = [text.of(each) for each in call.args]
        bare = (each.id for each in call.args if isinstance(each, ast.Name))
        plain = tuple(name for name in bare if site.tensor(name, statement) is None)
        saved = [name for name in given if name not in plain]
        kept = "; ".join(f"{context}.{name} = {name}" for name in plain)
        edits: list[Edit | Iterator[Edit]] = [text.after(statement, kept)]
        edits.append(text.replace(call, f"{context}.save_for_backward({', '.join(saved)})"))
        for each in nodes(ast.Attribute, owner):
            if each.attr == "saved_tensors":
                ctx, held = text.of(each.value), iter(range(len(saved)))
                taken = [
                    f"{ctx}.{name}" if name in plain else f"{ctx}.saved_tensors[{next(held)}]"
                    for name in given
                ]
                edits.append(text.replace(each, f"({', '.join(taken)},)"))
        if plain:
            yield propose("ctx_attribute", statement, edits, name=plain)


def hooks(site: FaultSite) -> Iterator[Proposal]:
    """Return a new gradient or output from a hook, where it wrote the one it was given."""
    registered = {
        last_name(part): last_name(call.func)
        for call in site.calls_of(*_OF_TENSORS, "register_forward_hook")
        for given in call.args
        for part in ast.walk(given)
    }
    for function in nodes(ast.FunctionDef, site.tree):
        # A factory of hooks is registered by its name, too.
        around = [each for each in site.around(function) if isinstance(each, ast.FunctionDef)]
        by = {registered.get(each.name) for each in (function, *around)} - {None}
        last, arguments = function.body[-1], [each.arg for each in function.args.args]
        for statement in function.body if by and not isinstance(last, ast.Return) else ():
            written, new = site.written_and_new(statement) or (None, "")
            if written is not None and written.id in arguments[-1:]:
                kind = "return_output" if by.isdisjoint(_OF_TENSORS) else "return_gradient"
                edits = [site.text.replace(statement, f"{written.id} = {new}")]
                edits += site.text.after(last, f"return {written.id}")
                yield propose(kind, statement, edits, name=written.id)


_OF_TENSORS = ("register_hook", "register_prehook")


def without_statistics(site: FaultSite) -> Iterator[Proposal]:
    """Have batch norms write no statistics: those are captured by the transform."""
    if site.verdict is not Verdict.TRANSFORM_CAPTURED or site.raised is None:
        return
    # The first statement on the way that names it: the transform begins there.
    found = {
        re.split(r"[.\[]", name)[0]: statement
        for statement in (site.raised, *site.callers(site.raised))
        for name in site.names(statement)
        if name.endswith(".running_mean")
    }
    for module, statement in found.items():
        line = f"torch.func.replace_all_batch_norm_modules_({module})"
        yield propose("no_statistics", statement, site.text.before(statement, line), name=module)


def batched(site: FaultSite) -> Iterator[Proposal]:
    """Make what is filled under `vmap` from an argument, so that it is batched as that is."""
    if site.verdict is not Verdict.VMAP_INPLACE or site.raised is None:
        return
    function = site.function(site.raised)
    for other in sorted(arguments_of(function)):
        for call in nodes(ast.Call, function):
            if (name := last_name(call.func)) in {"zeros", "ones", "empty", "full"}:
                edits = [site.text.replace(call.func, f"{other}.new_{name}")]
                made, at = site.text.of(site.bound_to(call)), site.statement_of(call)
                yield propose("batched", at, edits, rebuilt=(made,), name=made, other=other)
