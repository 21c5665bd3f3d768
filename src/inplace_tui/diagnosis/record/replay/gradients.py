"""What each backward delivered: the evidence for whether a gradient is right.

Sits between `torch.autograd.backward` or `grad` and the engine, which adds a
frame to the stack and reads `.grad`: never in a recorded run.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, zip_longest
from struct import pack
from typing import TypeAlias
from weakref import ref

import torch
from torch._guards import TracingContext
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook
from torch.utils.hooks import RemovableHandle

from inplace_tui.blame.checksums import hash_of_memory
from inplace_tui.common.run.doubt import Doubt, Reason
from inplace_tui.common.run.program import MAX_ELEMENTS, Backward, Detail, Gradient, part_ends
from inplace_tui.diagnosis.protocol.checking import weight
from inplace_tui.diagnosis.protocol.messages import BackwardRan
from inplace_tui.diagnosis.record.compat import engine, engine_replaced
from inplace_tui.diagnosis.record.naming import names
from inplace_tui.diagnosis.record.process.errors import class_name
from inplace_tui.diagnosis.record.replay.findings import Findings, GradientMove, without_marks
from inplace_tui.diagnosis.record.state.safe_reads import (
    bytes_of,
    grad_of,
    is_opaque,
    outside_modes,
    row_major,
    text_of,
)

MAX_BYTES = 24 * 2**20
"""Of the gradients of one backward: with what was added to them, half of what a message takes."""

MAX_BACKWARDS = 2**17
"""Limit: each may deliver more than is sent, all together take no more than their share."""

MAX_HELD = 4096
"""Leaves that are kept until the end; a program with more has no last values."""

Delivered: TypeAlias = tuple[str, torch.Tensor | None, torch.Tensor | None]
"""The name of a leaf, its gradient, and what that was before."""

Root: TypeAlias = torch.Tensor | GradientEdge
Gradients: TypeAlias = tuple[torch.Tensor | None, ...]


@dataclass(eq=False)
class Reporter:
    """Runs the engine and reports what it delivered.

    A backward within a backward is a part of it, and not reported: unless `forget` was called,
    which forgets the one that is running. The elements of all gradients may take `share` bytes.
    """

    findings: Findings
    send: Callable[[BackwardRan], None]
    detail: Detail
    share: int
    is_replay: bool
    """In a replay alone, which is what a program's gradients are judged by."""

    def __post_init__(self) -> None:
        self._engine = engine()
        self._count = self._sent = 0
        self._kept = 0
        """Bytes that the reports take beside the elements."""

        seconds = self.detail.compared_seconds
        self._until = math.inf if seconds is None else time.monotonic() + seconds
        self._is_over = False
        self._files = self.findings.files
        self._names: dict[int, tuple[ref[torch.Tensor], str]] = {}
        """By identity, which is another's when the tensor is gone."""

        self._kept_leaves: dict[int, tuple[torch.Tensor, str, bytes | None]] = {}
        """The leaves that got a gradient, kept only where their last values are asked for, with
        what they held before their first backward."""

        self._passed: dict[tuple[int, int], bytes | None] = {}
        """What a leaf held when a backward first came to it from a node, by the node's number."""

        self._delivered: set[int] = set()
        """The leaves that got a gradient, by identity."""

        self._without: dict[int, str] = {}
        """The parameters for which no step found a gradient, by identity."""

        self._found: set[int] = set()
        """Those for which one did."""

        self._moves: dict[tuple[tuple[int, ...], int], GradientMove] = {}
        """By the lines that took the gradient, innermost first, and the tensor's identity."""

        self._under_way = threading.local()

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Report every backward that the program runs, until the block is left."""
        asked = self.detail.additions or self.detail.steps or self.is_replay
        steps = register_optimizer_step_post_hook(self.stepped) if asked else nullcontext()
        with steps, engine_replaced(self.run_backward):
            self.findings.unhooked = RemovableHandle.next_id
            yield
        if (self.is_replay or self.detail.steps) and self._without:
            names = tuple(self._without.values())
            ended = Backward(line=None, gradients=(), without_gradient=names)
            self.send(BackwardRan(backward=ended))
        for doubt in self._doubts():
            self.send(BackwardRan(backward=Backward(line=None, gradients=(), unsure=doubt)))
        if leaves := self._kept_leaves.values():
            moved = [name for leaf, name, first in leaves if _held(leaf) != first]
            self._report([(name, leaf, None) for leaf, name, _ in leaves], left=True, moved=moved)

    def _doubts(self) -> Iterator[Doubt]:
        """Yield the doubts about all that was delivered."""
        for line, node, written in self.findings.unreached(self._delivered):
            reached = leaves_of([GradientEdge(node, 0)])
            if all(leaf is written for leaf in reached):
                continue  # a leaf that shrinks by a part of itself begins anew
            lost = ", ".join(self._name(leaf, 0) for leaf in reached)
            yield Doubt(reason=Reason.UNREACHED, detail=lost, line=line)
            break
        cut = [each for each in self._moves.values() if each.name and not each.is_used]
        if cut:
            name = ", ".join(dict.fromkeys(str(e.name) for e in cut if e.line == cut[0].line))
            yield Doubt(
                reason=Reason.CUT_UPDATE, detail=name, line=cut[0].line, backward=cut[0].backward
            )
        if self.findings.unseen.doubt is not None:
            yield self.findings.unseen.doubt

    def stepped(self, optimizer: Optimizer, *_: object) -> None:
        """Report an optimizer's step, where that is asked for."""
        with suppress(Exception):
            every = [each for group in optimizer.param_groups for each in group["params"]]
            for i, each in enumerate(every):
                if grad_of(each) is not None:
                    self._found.add(id(each))
                    self._without.pop(id(each), None)
                elif each.requires_grad and id(each) not in self._found:
                    self._without.setdefault(id(each), self._name(each, i))
            if not self.detail.additions or self._is_over or self._ends():
                return
            got = [self._name(each, i) for i, each in enumerate(every) if _has_gradient(each)]
            line = self.findings.line() or None
            self._send_counted(Backward(line=line, gradients=(), stepped=tuple(got)))

    def forget(self) -> None:
        """Treat the next backward as one of its own, though another is running."""
        self._under_way.nested = False

    def run_backward(self, roots: Sequence[Root], *args: object, **options: object) -> Gradients:
        __tracebackhide__ = True  # pytest's reports are those of a run without this frame
        # Inside `torch.func` or a compiler, tensors have no values.
        transformed = torch._C._are_functorch_transforms_active() or TracingContext.try_get()
        # Only what the program itself asked for is an answer to it.
        nested = getattr(self._under_way, "nested", False)
        if nested or transformed or self._is_over or self._ends():
            return self._engine(roots, *args, **options)
        self.findings.unseen.backwards += 1
        inputs = args[3] if len(args) > 3 and isinstance(args[3], tuple) else ()
        accumulates = bool(options.get("accumulate_grad"))
        run = self._engine
        edges = tuple(map(without_marks, inputs))
        if any(edge is not each for edge, each in zip(edges, inputs, strict=True)):
            args = (*args[:3], edges, *args[4:])
            if accumulates:
                run = partial(self._accumulate, inputs)
        leaves: list[torch.Tensor] = []  # whose `.grad` this will fill, always in one order
        if accumulates:
            given = [each for each in inputs if isinstance(each, torch.Tensor)]
            leaves = given if inputs else leaves_of(roots)
        self._delivered.update(map(id, leaves))
        before = [self._copy_before(leaf, i) for i, leaf in enumerate(leaves)]
        moved = self._moved(roots) if self.detail.additions else ()
        if self._moves:
            self._follow_moves(roots)
        self._under_way.nested = True
        try:
            delivered = run(roots, *args, **options)
        except BaseException as error:
            self._report((), raised=class_name(error))
            raise
        finally:
            self._under_way.nested = False
        if self.is_replay and len(args) > 2 and args[2]:  # create_graph
            self._expect_moves(leaves if accumulates else inputs, delivered)
        if accumulates:
            with torch._C.DisableTorchFunction():
                reported = [
                    (self._name(leaf, i), grad_of(leaf), kept)
                    for i, (leaf, kept) in enumerate(zip(leaves, before, strict=True))
                ]
        else:
            reported = [(f"output {i}", value, None) for i, value in enumerate(delivered)]
        untracked = self.findings.untracked
        lost = tuple(self._name(each, 0) for each in leaves if id(each) in untracked)
        self._report(reported, moved=moved, untracked=lost)
        return delivered

    def _accumulate(
        self, inputs: Sequence[Root], roots: Sequence[Root], *args: object, **options: object
    ) -> Gradients:
        """Add to `inputs` what arrives at their edges: torch adds to what has its own node."""
        delivered = self._engine(roots, *args, **(options | {"accumulate_grad": False}))
        for tensor, gradient in zip(inputs, delivered, strict=True):
            if isinstance(tensor, torch.Tensor) and gradient is not None:
                before = grad_of(tensor)
                if not tensor.is_leaf:
                    tensor.retain_grad()  # as torch does
                tensor.grad = gradient if before is None else before + gradient
        return ()

    def _ends(self) -> bool:
        """End the reports where they are too many, and say so."""
        self._is_over = self._kept > self.share // 2 or time.monotonic() > self._until
        if self._is_over:
            many = Backward(line=None, gradients=(), unsure=Doubt(reason=Reason.TOO_MANY))
            self.send(BackwardRan(backward=many))
        return self._is_over

    def _copy_before(self, leaf: torch.Tensor, index: int) -> torch.Tensor | None:
        """Return a copy of a leaf's gradient, where what is added to it is asked for."""
        if not self.detail.additions:
            return None
        if len(self._kept_leaves) < MAX_HELD and id(leaf) not in self._kept_leaves:
            self._kept_leaves[id(leaf)] = leaf, self._name(leaf, index), _held(leaf)
        grad = grad_of(leaf)
        with outside_modes():
            return None if grad is None or grad.layout is not torch.strided else grad.clone()

    def _moved(self, roots: Sequence[Root]) -> list[str]:
        """Return the leaves that changed since a backward first went through the same nodes."""
        held = {leaf: _held(leaf) for leaf in leaves_of(roots)}
        return [
            self._name(leaf, 0)
            for node in reachable(roots)
            for leaf in _leaves_in(below for below, _ in node.next_functions)
            # A node's number is its own; holding the node would keep the graph.
            if self._passed.setdefault((node._sequence_nr(), id(leaf)), held[leaf]) != held[leaf]
        ]

    def _expect_moves(self, of: Sequence[Root], delivered: Gradients) -> None:
        lines = self._files.lines()
        with outside_modes(), suppress(Exception):  # of tensors that have no values
            for tensor, gradient in zip_longest(of, delivered or ()):
                if isinstance(tensor, torch.Tensor) and not is_opaque(tensor):
                    given = grad_of(tensor) if gradient is None else gradient
                    if given is not None and given.grad_fn is not None:
                        move = GradientMove(tensor, given, self.findings.line())
                        # Only a first step of Adam's can be told: those after it are kept out.
                        self._moves.setdefault((lines, id(tensor)), move)

    def _follow_moves(self, roots: Sequence[Root]) -> None:
        """See which tensors were moved; a descent goes on on its own lines."""
        lines, nodes = self._files.lines(), set(reachable(roots))
        leaves = set(map(id, _leaves_in(nodes)))
        for (taken, key), move in list(self._moves.items()):
            with outside_modes():
                made, tensor = move.is_made(), move.tensor()
            if not made or tensor is None or move.is_used:
                del self._moves[taken, key]
            elif taken != lines and (key in leaves or tensor.grad_fn in nodes):
                move.name = move.name or self._name(tensor, 0)
                move.backward = move.backward or self.findings.unseen.backwards

    def _report(
        self,
        delivered: Sequence[Delivered],
        raised: str | None = None,
        *,
        left: bool = False,
        untracked: tuple[str, ...] = (),
        moved: Sequence[str] = (),
    ) -> None:
        unsure = next(iter(self.findings.doubts), None)
        gradients: list[Gradient] = []
        room = self._room() // max(1, len(delivered))
        with outside_modes():
            for name, tensor, before in delivered:
                try:
                    reported = _gradient(name, tensor, self.detail, room, before)
                    gradients.append(reported)
                    self._sent += len(reported.data or b"") + len(reported.added or b"")
                except Exception as refusal:
                    unsure = unsure or Doubt(reason=Reason.NOT_READ, detail=f"{name}: {refusal}")
        backward = Backward(
            line=self.findings.line() or None,
            gradients=tuple(gradients),
            left=left,
            raised=raised,
            unsure=unsure,
            unrecorded=tuple(self.findings.unrecorded),
            unrolled=self.findings.unrolled,
            untracked=untracked,
            moved=tuple(moved),
        )
        self._send_counted(backward)

    def _send_counted(self, backward: Backward) -> None:
        report = BackwardRan(backward=backward)
        self._kept += weight(report) + sum(len(each.digest or b"") for each in backward.gradients)
        self.send(report)

    def _room(self) -> int:
        """Return how many bytes of elements this backward may send, of each kind.

        By the logarithm of their number: a program that trains for long is compared in
        fewer and fewer elements, rather than stopped. What the first ones leave is not lost.
        """
        self._count += 1
        due = self.share * math.log2(1 + self._count) / math.log2(MAX_BACKWARDS)
        return min(MAX_BYTES, max(0, int(due) - self._sent) // (1 + self.detail.additions))

    def _name(self, leaf: torch.Tensor, index: int) -> str:
        """Return the shortest name of a leaf; looked for once, as it is slow."""
        known = self._names.get(id(leaf))
        if known is None or known[0]() is not leaf:
            self._names = {key: each for key, each in self._names.items() if each[0]() is not None}
            frames = self._files.frames()
            with outside_modes():
                for name, tensor in names.named_tensors(frames):
                    self._names.setdefault(id(tensor), (ref(tensor), name))
            known = self._names.setdefault(id(leaf), (ref(leaf), f"leaf {index}"))
        return known[1]


def leaves_of(roots: Sequence[Root]) -> list[torch.Tensor]:
    """Return the leaves that the roots lead to, depth first."""
    return _leaves_in(reachable(roots))


def _leaves_in(nodes: Iterable[Node | None]) -> list[torch.Tensor]:
    return [n.variable for n in nodes if n is not None and type(n).__name__ == "AccumulateGrad"]


def reachable(roots: Sequence[Root]) -> Iterator[Node]:
    """Yield the nodes that the roots lead to, depth first."""
    try:
        edges = [r if isinstance(r, GradientEdge) else get_gradient_edge(r) for r in roots]
    except RuntimeError:
        return  # no graph to walk: the engine is about to say so
    seen: set[Node] = set()
    waiting = [edge.node for edge in reversed(edges)]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        waiting += [after for after, _ in node.next_functions[::-1] if after is not None]


def _held(leaf: torch.Tensor) -> bytes | None:
    """Return a digest of what a leaf holds; None where that can't be read."""
    with outside_modes(), suppress(Exception):
        return _digest(_plain(leaf))
    return None


def _has_gradient(leaf: torch.Tensor) -> bool:
    """Whether a step has something to go by: a gradient of zeros moves nothing on purpose."""
    with outside_modes():
        grad = grad_of(leaf)
        return grad is not None and bool(_plain(grad).any())


def _gradient(
    name: str, tensor: torch.Tensor | None, detail: Detail, room: int, before: torch.Tensor | None
) -> Gradient:
    if tensor is None:
        return Gradient(tensor=name, dtype="", shape=(), data=None)
    plain = _plain(tensor)
    most = max(1, min(MAX_ELEMENTS, room // tensor.element_size()))
    more = None if before is None else _difference(plain, _plain(before))
    added = None if more is None else bytes_of(_sampled(more, most))
    return Gradient(
        tensor=name,
        dtype=text_of(tensor.dtype),
        shape=tuple(tensor.shape),
        data=bytes_of(_sampled(plain, most)) if detail.elements else None,
        added=added,
        digest=_digest(plain) if detail.digests or plain.numel() > most else None,
    )


def _difference(after: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """Return what was added, in the dtype of the addition."""
    wide = torch.complex128 if after.is_complex() else torch.float64
    return (after.to(wide) - before.to(wide)).to(after.dtype)


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return it as a dense tensor without a graph."""
    if is_opaque(tensor) or tensor.is_meta:
        raise ValueError(f"a {type(tensor).__name__} on {tensor.device}")
    plain = tensor.detach()
    if plain._is_zerotensor():
        return plain.clone()  # now with memory, which it had none of
    return plain if plain.layout is torch.strided else plain.to_dense()


def _sampled(plain: torch.Tensor, most: int) -> torch.Tensor:
    """Return it, or `most` of its elements, evenly spaced as `sampled_place` has it."""
    count = plain.numel()
    if count <= most:
        return plain
    index = torch.arange(most, dtype=torch.int64, device="cpu")
    step, rest = divmod(count, most)
    index = index * step + index * rest // most
    return plain[torch.unravel_index(index.to(plain.device), plain.shape)]


_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def checksums(plain: torch.Tensor) -> torch.Tensor:
    """Return a sum of the bits of each part of a tensor on a device, brought here at once.

    They are added up where they lie, so that the device is waited for once and at most
    `DIGESTS` numbers come over. A bit that differs changes the sum of its part: each element
    counts by an odd number of its own, and sums wrap around.
    """
    count = plain.numel()
    real = torch.view_as_real(plain.resolve_conj()) if plain.is_complex() else plain
    row_major = real.resolve_neg().contiguous().reshape(-1)
    bits = row_major.view(_INTEGERS[row_major.element_size()]).long().reshape(count, -1)
    places = torch.arange(1, 2 * bits.numel(), 2, device=bits.device).reshape(bits.shape)
    running = (bits * places).sum(1).cumsum(0)
    at = torch.tensor([end - 1 for end in part_ends(count)], device="cpu").to(bits.device)
    reached = running.index_select(0, at).cpu()
    return torch.cat([reached[:1], reached[1:] - reached[:-1]])


def _digest(plain: torch.Tensor) -> bytes:
    """Return digests of all its elements, row-major, where they lie: nothing is copied."""
    if not plain.is_cpu and plain.numel():
        sums = checksums(plain).tolist()
        return pack(f">{len(sums)}q", *sums)
    tensor = row_major(plain)
    count, width, start = tensor.numel(), tensor.element_size(), tensor.data_ptr()
    if not count:
        return b""
    ends = [0, *part_ends(count)]
    # Python's own SipHash, with the key of this worker: 64 bits at a third of SHA's cost.
    parts = [hash_of_memory(start + a * width, (b - a) * width) for a, b in pairwise(ends)]
    return pack(f">{len(parts)}q", *parts)
