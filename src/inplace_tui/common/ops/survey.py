"""The survey of one torch version: a row for each way to call an op.

Every answer is of an experiment that `make ops` made: a call, a write to one of its tensors, and a
backward. survey/README.md tells how, and what the fields of the file mean.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from inplace_tui.common.decodable import decodable

FOLDER = Path(__file__).parent
RESULT = "out"
"""What a call's result is called in its case."""

RAISES, WRONG = ("raises", "raises, unused"), ("wrong", "fails")
"""What a write to a kept tensor does to backward; it raises even where the value is not used."""

GENERATED = re.compile(r"(\w+?)Backward\d+(?:_copy)?")
"""Nodes of torch's own, called after their op and its overload."""

_NAMESPACE = "torch::autograd::"
"""Before nodes that torch has for more than one op, as CopySlices."""

_SELECTIVE = re.compile("Cholesky|Linalg(?!Cross|VectorNorm)|Lu|Ormqr|ToDense|Triangular|.*Sparse")
"""Nodes of what decomposes, solves or is sparse: some options and numbers they refuse only in
backward, such as the complete Q of a tall matrix. Samples that run don't tell."""

FORMS = ("function", "module", "in-place")
"""Of rows that answer to one short name, these come first."""


class OpCase(msgspec.Struct, frozen=True, kw_only=True):
    """What some calls of an op have in common."""

    samples: int = 1
    call: str | None = None
    setup: list[str] = []
    inputs: dict[str, str] = {}
    layer: list[str] = []
    options: list[str] = []
    """Of an optimizer: for which of them this is so."""

    dtype: str | None = None
    node: str | list[str] | None = None
    grads: list[str] = []
    keeps: dict[str, dict[str, str]] = {}
    """What requires grad, or `all` -> tensor -> what a write to it does to backward."""

    writes: dict[str, list[int | bool | str]] = {}
    """Tensor -> by how much its version moves, and whether its values changed; instead of both a
    text where the name is another tensor afterwards, as with `a @= b`."""

    result: list[str] = []
    loss: str | None = None
    """A number that needs every output and keeps none: where backward may start."""

    in_place: dict[str, str] = {}
    backward: str | None = None
    """What backward says, where it can't run."""

    refuses_grad: dict[str, str] = {}
    modes: dict[str, Any] = {}

    @property
    def title(self) -> str:
        """What tells it from the other cases of its op."""
        layer = f" ({', '.join(self.layer)})" if self.layer else ""
        return ", ".join(self.options) or f"{self.call or ''}{layer}"

    @property
    def nodes(self) -> list[str]:
        """The `grad_fn` of its results, as Python names them, where that is torch's own."""
        names = [self.node] if isinstance(self.node, str) else self.node or []
        # What ends in Backward is a Function written in Python, and others may be called so.
        return [each.removeprefix(_NAMESPACE) for each in names if not each.endswith("Backward")]

    @property
    def written(self) -> dict[str, int | None]:
        """By how much the version of what changes moves; None: the name gets another tensor."""
        return {
            name: None if len(each) == 1 else int(each[0])
            for name, each in self.writes.items()
            if each[-1]
        }

    @property
    def kept(self) -> dict[str, str]:
        """The tensors that any call keeps for backward, with the worst that a write does."""
        found: dict[str, str] = {}
        for codes in self.keeps.values():
            for name, code in codes.items():
                if name not in found or code in (*RAISES, *WRONG):
                    found[name] = code
        return found

    def kept_for(self, name: str) -> list[str]:
        """Return which arguments must require grad for a tensor to be kept; none if any may."""
        needed = [each for each in self.grads if name in self.keeps.get(each, {})]
        return [] if needed == self.grads else needed


class Op(msgspec.Struct, frozen=True, kw_only=True):
    """One way to call an op: as a function, in place, with `out=`, as a layer."""

    name: str
    form: str
    of: str
    """What all ways to call it share: `sigmoid`."""

    aliases: list[str] = []
    cases: list[OpCase] = []
    """Calls that differ in what they do, the plainest first."""

    untried: str | None = None
    """Why there is no case."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.name, *self.aliases


class _File(msgspec.Struct, frozen=True):
    rows: list[Op]


class Survey:
    """All rows of one torch version, by name."""

    def __init__(self, torch: str, ops: list[Op]) -> None:
        self.torch = torch
        self.ops = ops
        self._by_name: dict[str, Op] = {}
        self._by_last: dict[str, list[Op]] = {}
        for op in ops:
            for name in op.names:
                self._by_name.setdefault(name, op)
                self._by_last.setdefault(_last(name), []).append(op)

    def named(self, text: str) -> Op | None:
        """Return the op of a full name, as code has it."""
        return self._by_name.get(full_name(text))

    def find(self, text: str) -> Op | None:
        """Return what a person means by `sigmoid`, `torch.sigmoid`, `x.sigmoid_`, `nn.Sigmoid`."""
        name = full_name(text)
        found = self.named(text)
        if found is not None:
            return found
        alike = self._by_last.get(_last(name)) or [op for op in self.ops if op.of == name]
        return min(alike, key=_plainness, default=None)

    def forms(self, op: Op) -> list[Op]:
        """Return the other ways to call it."""
        return [each for each in self.ops if each.of == op.of and each is not op]

    def made(self, node: str) -> list[Op]:
        """Return the ops whose backward is a node of this name, the one it is named after first."""
        found = [op for op in self.ops if any(case.node == node for case in op.cases)]
        stem = re.sub(r"Backward\d*$", "", node).lower()
        return sorted(found, key=lambda op: (op.of.replace("_", "") != stem, _plainness(op)))

    def alone(self, op: Op) -> list[OpCase]:
        """Return the calls of an op in place, by any of its names, with no further tensor."""
        rows = (each for each in self.ops if (each.of, each.form) == (op.of, "in-place"))
        return [case for row in rows for case in row.cases if [*case.inputs] == ["input"]]

    def backward_runs(self, node: str) -> bool | None:
        """Whether a node of torch's own computes its gradients, whatever its op was given.

        Returns:
            False where it never does; None where that depends on the call, or is not known.
        """
        overloads = self._backwards.get(GENERATED.sub(r"\1", node), set())
        ran = self._backwards.get(node, overloads)
        return None if len(ran) != 1 or _SELECTIVE.match(node) else True in ran

    @cached_property
    def _backwards(self) -> dict[str, set[bool]]:
        """Node, or op without its overload -> whether backward ran in the cases that it is of."""
        found: dict[str, set[bool]] = defaultdict(set)
        for case in (case for op in self.ops for case in op.cases):
            for node in case.nodes:
                found[node] |= {case.backward is None, case.backward is None or bool(case.grads)}
        for node in [*found]:
            found[GENERATED.sub(r"\1", node)] |= found[node]
        return found

    @property
    def names(self) -> list[str]:
        return sorted({*self._by_name, *self._by_last})

    def select(self, wanted: Mapping[str, str]) -> Iterator[tuple[Op, OpCase]]:
        """Yield the calls of which all of this is so; see `FILTERS`.

        Raises:
            KeyError: it is none of the filters.
        """
        for op in self.ops:
            for case in op.cases:
                found = facets(op, case)
                if all(value in found[key] for key, value in wanted.items()):
                    yield op, case


def full_name(text: str) -> str:
    """Return a name as the survey has it.

    >>> full_name("torch.nn.functional.relu"), full_name("x.sigmoid_()"), full_name("torch.nn.ReLU")
    ('F.relu', 'Tensor.sigmoid_', 'nn.ReLU')
    """
    name = re.sub(r"\(\)$", "", text.strip())
    for long, short in (
        ("torch.nn.functional.", "F."),
        ("nn.functional.", "F."),
        ("torch.nn.", "nn."),
        ("torch.Tensor.", "Tensor."),
        ("torch.optim.", "optim."),
        ("torch.distributed.", "distributed."),
        ("dist.", "distributed."),
    ):
        if name.startswith(long):
            return short + name.removeprefix(long)
    first, dot, last = name.partition(".")[0], *name.rpartition(".")[1:]
    if dot and first not in ("torch", "F", "nn", "Tensor", "optim", "distributed"):
        return f"Tensor.{last}"
    return name


def _plainness(op: Op) -> tuple[int, int]:
    return FORMS.index(op.form) if op.form in FORMS else len(FORMS), len(op.name)


def _last(name: str) -> str:
    """Return `relu` of `F.relu(inplace=True)`: the name without its place and options."""
    return name.partition("(")[0].rpartition(".")[2]


def facets(op: Op, case: OpCase) -> dict[str, set[str]]:
    return {
        "counted": {*map(str, case.written.values())},
        "keeps": {*case.kept} or {"nothing"},
        "result": {each.partition(":")[0] for each in case.result},
        "recorded": {"yes" if case.node else "no"},
        "form": {op.form},
        "of": {op.of},
    }


FILTERS = ("counted", "keeps", "result", "recorded", "form", "of")
"""What `op --list` selects by: by how much a written argument is counted, what is kept, whether
the result is new memory, a view or the same object, whether it is recorded, the form, the op."""


def versions() -> list[tuple[int, ...]]:
    """Return the torch versions of which there is a survey, the oldest first."""
    names = (path.stem.removeprefix("torch-") for path in FOLDER.glob("torch-*.json"))
    return sorted(tuple(map(int, name.split("."))) for name in names)


def survey_of(torch: str) -> Survey:
    """Return the survey of a torch version, `2.13.0+cpu`, or the nearest older one there is.

    Where there is no older one, the oldest. `Survey.torch` says which it is.
    """
    wanted = tuple(int(part) for part in re.findall(r"\d+", torch)[:2])
    known = versions()
    older = [each for each in known if each <= wanted]
    return _load(max(older) if older else known[0])


def op_of(torch: str, name: str) -> Op | None:
    """Return an op of a version that there is a survey of, by its full name, reading no other."""
    content = (FOLDER / f"torch-{torch}.json").read_bytes()
    at = content.find(f'"{name}"'.encode())
    if at < 0:
        return None
    row = content[content.rfind(b"\n", 0, at) : content.find(b"\n", at)].rstrip(b",")
    op = msgspec.json.decode(row, type=decodable(Op))
    return msgspec.structs.replace(op, cases=_sorted(op.cases))


def installed_torch() -> str:
    """Return the version of torch that is installed beside us; without one, the newest known."""
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return ".".join(map(str, versions()[-1]))


@cache
def installed_survey() -> Survey:
    return survey_of(installed_torch())


@cache
def _load(version: tuple[int, ...]) -> Survey:
    name = ".".join(map(str, version))
    content = (FOLDER / f"torch-{name}.json").read_bytes()
    rows = msgspec.json.decode(content, type=decodable(_File)).rows
    return Survey(name, [msgspec.structs.replace(each, cases=_sorted(each.cases)) for each in rows])


def _sorted(cases: list[OpCase]) -> list[OpCase]:
    return sorted(
        cases, key=lambda each: (each.dtype is not None, not each.grads, len(each.call or ""))
    )
