"""What looks like `X.detach()` becomes `X`: rewrites that are a row of a table each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from inplace_tui.common.blame import SilentCause
from inplace_tui.common.syntax import DOTTED, parsed
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import is_in_place, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose

Holes: TypeAlias = dict[str, ast.expr]


class Swap(NamedTuple):
    """A look that expressions or statements have, and what comes in their place."""

    kind: str
    when: Verdict | SilentCause | None
    old: str
    """Ways to write it. A capital stands for any expression, `R` for one that will hold other
    values, `O` for an object, `IN_PLACE` for any method that writes, and another name also
    for what ends in it, as `np.array`. More arguments may follow."""

    new: str
    """What begins with a point goes behind `X`, or behind all of it where there is none; what
    begins with a comma is an argument."""

    anywhere: bool = True
    """Not only on the line that raised, and on those whose calls led to it."""


CREATORS = (
    *("tensor", "zeros", "ones", "full", "empty", "rand", "randn", "arange", "linspace", "eye"),
    *("zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "empty_like"),
)
"""Functions that take `requires_grad`."""

LEAVES_GRAPH = "X.detach() | X.data | X.item() | float(X)"
"""What has no gradient of `X` any more."""

_MADE = " | ".join(f"{each}()" for each in CREATORS)
_EXPANDED = "expand() | expand_as() | broadcast_to()"
_NEW_LEAF = "X = X.detach().requires_grad_()"
_FLAGGED = "X.requires_grad = V | X.requires_grad_()"
_TO_ARRAY = "X.numpy() | X.tolist() | array(X) | asarray(X)"
_WRITTEN = "Y.IN_PLACE(A, B, X) | Y.IN_PLACE(A, X) | Y.IN_PLACE(X)"

SWAPS = (
    Swap("sum", Verdict.NOT_A_SCALAR, "autograd.grad(X) | X.backward()", ".sum()", False),
    Swap("create_graph", Verdict.NO_GRAD_FN, "grad() | backward()", ", create_graph=True"),
    Swap("attached", Verdict.NO_GRAD_FN, LEAVES_GRAPH, "X"),
    Swap("attached", Verdict.NO_GRAD_FN, "tensor(X)", "torch.stack(X)"),
    Swap("other_mode", Verdict.NO_GRAD_FN, "M.no_grad() | M.inference_mode()", "M.enable_grad()"),
    Swap("floats", Verdict.INTEGER_GRADIENT, _MADE, ", dtype=torch.float32", False),
    Swap("not_reentrant", SilentCause.UNTRACKED, "checkpoint()", ", use_reentrant=False"),
    Swap("number_kept", Verdict.NEEDS_DETACH, "R.append(X)", ".item()"),
    # No gradient goes through an array: there is none to cut.
    Swap("detach_array", Verdict.NEEDS_DETACH, _TO_ARRAY, ".detach()", False),
    Swap("new_leaf", Verdict.FLAG_OF_RESULT, "X.requires_grad = True", _NEW_LEAF),
    Swap("detach", Verdict.FLAG_OF_RESULT, _FLAGGED, "X = X.detach()", False),
    Swap("clone_instead", Verdict.COPY_OF_RESULT, "deepcopy(X)", "X.clone()", False),
    Swap("shallow_copy", Verdict.COPY_OF_RESULT, "copy.deepcopy(O)", "copy.copy(O)", False),
    Swap("not_kept", Verdict.GRAPH_FREED, "R.setdefault(K, X)", "X"),
    Swap("out_of_place", Verdict.SAVED_TENSOR_DETACHED, "X.detach_()", "X = X.detach()"),
    Swap("copy_alias", Verdict.MEMORY_OVERLAPS, _EXPANDED, ".clone()"),
    *(
        Swap("as_method", Verdict.TUPLE_ITEM_WRITTEN, f"X {sign}= A", f"X.{name}_(A)", False)
        for sign, name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div"))
    ),
    Swap("scatter", None, "X.masked_fill_(A, B)", "X.masked_scatter_(A, B)", False),
    Swap("scatter", None, "X.masked_fill(A, B)", "X.masked_scatter(A, B)", False),
    Swap("cast", Verdict.DTYPE_NOT_WRITABLE, _WRITTEN, ".to(Y.dtype)", False),
    Swap("randomness", Verdict.VMAP_RANDOM, "vmap()", ", randomness='different'", False),
    Swap("coalesce", Verdict.SPARSE_UNCOALESCED, "X.values() | X.indices()", ".coalesce()", False),
    Swap("dense", Verdict.SPARSE_UNSUPPORTED, "Embedding() | EmbeddingBag()", ", sparse=False"),
    Swap("other_mode", None, "M.inference_mode()", "M.no_grad()"),
)


def swapped(site: FaultSite) -> Iterator[Proposal]:
    """Propose what the rows say of such a fault."""
    cause = None if site.blame is None else site.blame.cause
    for swap in SWAPS:
        if swap.when in {None, site.verdict, cause}:
            yield from swaps_of(site, swap)


def swaps_of(site: FaultSite, swap: Swap) -> Iterator[Proposal]:
    """Propose what a row says: for each place that looks so, and for all of them together."""
    raised = [] if site.raised is None else [site.raised, *site.callers(site.raised)]
    places = ast.walk(site.tree) if swap.anywhere else (p for e in raised for p in site.parts(e))
    written = (parsed(each).body[0] for each in swap.old.split(" | "))
    patterns = [each.value if isinstance(each, ast.Expr) else each for each in written]
    found: list[tuple[ast.expr | ast.stmt, Holes]] = []
    for node in places:
        held = next((each for old in patterns if (each := _held(old, node)) is not None), None)
        if held is None or ("O" in held and _is_trained(site, held["O"])):
            continue
        if isinstance(node, ast.expr | ast.stmt):
            found.append((node, held))
    for chosen in (*([each] for each in found), *([found] if len(found) > 1 else [])):
        edits = [edit for node, held in chosen for edit in _edits(site, swap.new, node, held)]
        about = [held.get("X", held.get("O", node)) for node, held in chosen]
        named = (site.bound_to(each) for each in about if isinstance(each, ast.expr))
        first = chosen[0][0]
        yield propose(
            swap.kind,
            site.statement_of(first),
            edits,
            rebuilt=tuple(site.text.of(held["R"]) for _, held in chosen if "R" in held),
            name=tuple(dict.fromkeys(map(site.text.of, named))),
            old=site.text.of(first),
            new=edits[0].text,
        )


def _is_trained(site: FaultSite, node: ast.expr) -> bool:
    """Whether it is a tensor, or has parameters, which a copy is to have for itself."""
    held, probed = site.held_in(node, site.statement_of(node)), site.probed(node)
    return any(each.is_parameter for each in held) or (probed and probed.kind) == "tensor"


def _held(old: object, node: object) -> Holes | None:
    """Return what the capitals of a pattern stand for in a node; None if it looks otherwise."""
    match old, node:
        case ast.Name(id=hole), ast.expr() if hole.isupper():
            return {hole: node}
        case ast.Name(id=name), ast.Attribute():
            return {} if last_name(node) == name else None
        case "IN_PLACE", str():
            return {} if is_in_place(node) else None
        case ast.AST(), ast.AST() if type(old) is type(node):
            pairs = [(getattr(old, name), getattr(node, name)) for name in old._fields]
        case list(), list() if len(old) <= len(node):
            pairs = list(zip(old, node, strict=False))
        case _:
            return {} if old == node else None
    held: Holes = {}
    for inner in (_held(*pair) for pair in pairs):
        if inner is None:
            return None
        held |= inner
    return held


def _edits(site: FaultSite, new: str, node: ast.expr | ast.stmt, held: Holes) -> Iterable[Edit]:
    def spelled(hole: re.Match[str]) -> str:
        part, text = held[hole[0]], site.text.of(held[hole[0]])
        return text if isinstance(part, (*DOTTED, ast.Call, ast.Constant)) else f"({text})"

    new = re.sub(r"\b[A-Z]\b", spelled, new)
    place = held.get("X", node)
    if new.startswith(".") and isinstance(place, ast.expr):
        return site.text.append(place, new)
    if new.startswith(",") and isinstance(node, ast.Call):
        return site.set_argument(node, *new.removeprefix(", ").split("=", 1))
    return [site.text.replace(node, new)]
