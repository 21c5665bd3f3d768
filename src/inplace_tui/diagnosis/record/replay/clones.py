"""The replay that shows what a gradient should have been.

Every tensor is cloned when a node saves it, so that no later write can reach
it: what arrives at the leaves is the gradient of the graph as it was recorded.
The hooks that do this switch torch's version check off: never in another run.

What nothing here can protect is a doubt, and then no equality of the two runs
counts as proof.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import wraps
from types import FrameType
from typing import Any, TypeAlias, TypeVar

import torch
import torch.utils.checkpoint
from torch.autograd.function import BackwardCFunction
from torch.utils.hooks import RemovableHandle

from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.program import GIVEN_BACK, UNTRACKED, Unrecorded
from inplace_tui.diagnosis.record.compat import ENGINES, engine, engine_replaced, replaced
from inplace_tui.diagnosis.record.replay.copies import Copies, Copy, copied
from inplace_tui.diagnosis.record.replay.findings import Findings
from inplace_tui.diagnosis.record.replay.gradients import Gradients, Root, leaves_of, reachable
from inplace_tui.diagnosis.record.replay.probes import Expressions, SavedTensor
from inplace_tui.diagnosis.record.replay.repairs import record_again, repaired
from inplace_tui.diagnosis.record.state.safe_reads import (
    PLAIN,
    detached,
    has_no_modes,
    is_opaque,
    outside_modes,
)

Pack = Callable[[torch.Tensor], object]
Unpack = Callable[[Any], torch.Tensor]
C = TypeVar("C", bound=Copy | torch.Tensor)

Clone: TypeAlias = Copy | torch.Tensor

ROUNDED_ALIKE = 4
"""How many times as far off a value may come back as it does when it is packed once more."""

_NO_BACKWARD = -1
"""What torch gives as the number of the backward that runs, while none does."""


@dataclass(eq=False, slots=True)
class SavedClone:
    """A clone of what a node saved.

    The engine is given the clone itself. The program's own code, as `backward` of a custom
    Function is, may write to what it is given: it has another clone in every backward, so that
    the next one finds what was saved.
    """

    _clone: Clone
    _original: torch.Tensor | None
    _probed: SavedTensor | None
    _given: torch.Tensor | None = None
    _given_in: int = _NO_BACKWARD

    def given(self, to: FrameType | None) -> torch.Tensor:
        """Return what `to`, the frame that unpacks it, is to use."""
        # `rrelu` saves its noise before it draws it: the clone is of memory that nobody had
        # written, and nobody but the op has the noise.
        if self._original is not None:
            node = type(torch._C._current_autograd_node()).__name__
            if node.startswith("RreluWithNoise"):
                return self._original
        clone = self._clone.tensor if isinstance(self._clone, Copy) else self._clone
        if self._probed is not None:
            self._probed.compare(clone)
        if _is_engine(to):
            return clone
        backward = torch._C._current_graph_task_id()
        if self._given is None or backward == _NO_BACKWARD or backward != self._given_in:
            with outside_modes():
                self._given, self._given_in = copied(clone), backward
        return self._given


@contextmanager
def cloned(
    findings: Findings, expressions: Expressions | None = None, *, past_transforms: bool = False
) -> Iterator[None]:
    """Clone whatever is kept for backward, until the block is left.

    With `expressions`, find those that were tensors which changed after they were saved. With
    `past_transforms`, nothing is cloned in a transform of `torch.func`, which refuses it else.
    """
    hooks = torch._C._autograd
    push = hooks._push_saved_tensors_default_hooks
    shared = Copies().shared

    def push_composed(pack: Pack, unpack: Unpack) -> None:
        """Compose: hooks of the program would otherwise hide ours."""
        given = Unrecorded(line=findings.line(), op=GIVEN_BACK)

        def pack_own(tensor: torch.Tensor) -> tuple[object, Clone | None]:
            kept = _made(tensor, shared, findings)
            return pack(_clone(tensor, findings)), None if kept is tensor else kept

        def unpack_own(both: tuple[object, Clone | None]) -> torch.Tensor:
            packed, kept = both
            tensor = unpack(packed)
            if kept is not None:
                original = kept.tensor if isinstance(kept, Copy) else kept
                meant = _as_packed(tensor, original, lambda each: unpack(pack(each)), findings)
                if meant is not tensor:
                    findings.add(given)
                tensor = meant
            to = sys._getframe().f_back
            return tensor if _is_engine(to) else _clone(tensor, findings)

        push(pack_own, unpack_own)

    def keep(tensor: torch.Tensor) -> SavedClone | torch.Tensor:
        clone = _made(tensor, shared, findings)
        if clone is tensor:  # a doubt by now
            return tensor
        # What needs no gradient the graph holds anyway.
        probed = None if expressions is None else expressions.saved(tensor)
        return SavedClone(clone, None if tensor.requires_grad else tensor, probed)

    push(keep, _unpacked)
    try:
        with (
            replaced(hooks, "_push_saved_tensors_default_hooks", push_composed),
            _absent_in_transforms(keep, push) if past_transforms else nullcontext(),
            _functions_protected(findings),
            separated(findings),
            _checkpoints_unrolled(findings),
            _threads_prepared(lambda: push(keep, _unpacked)),
            repaired(findings),
            nullcontext() if expressions is None else expressions.watched(),
        ):
            yield
    finally:
        hooks._pop_saved_tensors_default_hooks()


@contextmanager
def _absent_in_transforms(keep: Pack, push: Callable[[Pack, Unpack], None]) -> Iterator[None]:
    """Take our hooks away while a transform of `torch.func` runs: it begins with none only."""
    hooks = torch._C._autograd
    disable, enable = hooks._saved_tensors_hooks_disable, hooks._saved_tensors_hooks_enable
    top = getattr(hooks, "_top_saved_tensors_default_hooks", lambda _: None)  # since torch 2.4
    taken = threading.local()

    def disabled(message: str) -> None:
        if (found := top(True)) is not None and found[0] is keep:
            hooks._pop_saved_tensors_default_hooks()
            taken.is_ours = True
        disable(message)

    def enabled() -> None:
        enable()
        if getattr(taken, "is_ours", False):
            taken.is_ours = False
            push(keep, _unpacked)

    with (
        replaced(hooks, "_saved_tensors_hooks_disable", disabled),
        replaced(hooks, "_saved_tensors_hooks_enable", enabled),
    ):
        yield


def _threads_prepared(prepare: Callable[[], None]) -> AbstractContextManager[None]:
    """Have every thread begin with this: each has hooks of its own, and none at first."""
    thread: Any = threading.Thread
    bootstrap = thread._bootstrap

    def bootstrap_prepared(self: threading.Thread) -> None:
        prepare()
        bootstrap(self)

    return replaced(thread, "_bootstrap", bootstrap_prepared)


def _unpacked(kept: SavedClone | torch.Tensor) -> torch.Tensor:
    return kept.given(sys._getframe().f_back) if isinstance(kept, SavedClone) else kept


def _as_packed(
    tensor: torch.Tensor,
    original: torch.Tensor,
    there_and_back: Callable[[torch.Tensor], torch.Tensor],
    findings: Findings,
) -> torch.Tensor:
    """Return what hooks of the program's own would have given back at once.

    What they gave back in backward has other values: where they round, that is meant, and
    where a buffer of theirs was used again, it is not. Packed once more, it is rounded alike.
    """
    with suppress(Exception):  # of the hooks, which are code of the program's
        came_back = _distance(tensor, original)
        if came_back == 0:
            return tensor
        again = there_and_back(copied(original))
        if _distance(again, original) < came_back / ROUNDED_ALIKE:
            return copied(again.detach())  # a buffer of theirs may be packed into once more
    findings.add_doubt(Reason.ROUNDED, "")
    return tensor


def _distance(tensor: torch.Tensor, original: torch.Tensor) -> float:
    """Return how far two tensors are apart where they are farthest."""
    with outside_modes():
        if torch.equal(tensor, original):
            return 0.0
        wide = torch.complex128 if original.is_complex() else torch.float64
        apart = (tensor.to(wide) - original.to(wide)).abs()
        same = (tensor == original) | (tensor.isnan() & original.isnan())
        return float(apart.nan_to_num(math.inf).masked_fill(same, 0.0).max())


def _is_engine(frame: FrameType | None) -> bool:
    """Whether a tensor is unpacked for a node in C++; on a thread of the engine's no frame runs."""
    return frame is None or frame.f_code in ENGINES


def _clone(tensor: torch.Tensor, findings: Findings) -> torch.Tensor:
    return _made(tensor, copied, findings)


def _made(
    tensor: torch.Tensor, copy: Callable[[torch.Tensor], C], findings: Findings
) -> C | torch.Tensor:
    try:
        if type(tensor) in PLAIN and has_no_modes():
            return copy(detached(tensor))  # for every tensor that is saved: half the cost
        with outside_modes():
            return copy(detached(tensor))
    except Exception as refusal:
        findings.add_doubt(Reason.NOT_CLONED, str(refusal))
        return tensor


def _functions_protected(findings: Findings) -> AbstractContextManager[None]:
    """Clone what custom Functions keep on `ctx`, and record writes that they did not declare."""
    function = torch.autograd.Function
    apply = function.__dict__["apply"]

    def protected_apply(cls: type, /, *args: object, **kwargs: object) -> object:
        findings.has_functions = True
        before = _of_graph(args)
        result = apply.__get__(None, cls)(*args, **kwargs)
        outputs = result if isinstance(result, tuple) else (result,)
        forgotten = {
            position: values
            for position, (version, values) in before.items()
            if _version(args[position]) != version
            and not any(args[position] is output for output in outputs)
        }
        for value in outputs:
            if isinstance(value, torch.Tensor) and isinstance(value.grad_fn, BackwardCFunction):
                _clone_attributes(value.grad_fn, findings)
        if forgotten:
            record_again(cls, args, forgotten, findings)
        return result

    return replaced(function, "apply", classmethod(protected_apply))


def _of_graph(args: tuple[object, ...]) -> dict[int, tuple[int | None, torch.Tensor]]:
    """Return version and values of the arguments that have a history, by position.

    A write to any other tensor leaves no history wrong.
    """
    if not torch.is_grad_enabled():
        return {}
    found: dict[int, tuple[int | None, torch.Tensor]] = {}
    for position, value in enumerate(args):
        if not isinstance(value, torch.Tensor) or is_opaque(value):
            continue
        if value.requires_grad and not value.is_leaf:
            with outside_modes():
                found[position] = (_version(value), value.detach().clone())
    return found


def _checkpoints_unrolled(findings: Findings) -> AbstractContextManager[None]:
    """Record what a checkpoint runs while it runs.

    Recomputed in backward, it would read what it closes over at the values of then.
    """
    module = torch.utils.checkpoint
    checkpoint = module.checkpoint

    @wraps(checkpoint)
    def unrolled(
        function: Callable[..., object],
        *args: object,
        use_reentrant: bool | None = None,
        **kwargs: object,
    ) -> object:
        for option in _CHECKPOINT_OPTIONS:
            kwargs.pop(option, None)
        if use_reentrant is False:
            return function(*args, **kwargs)
        findings.unrolled = True
        result = function(*args)
        if not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
            outputs = result if isinstance(result, (list, tuple)) else [result]
            made = [e for e in outputs if isinstance(e, torch.Tensor) and e.grad_fn is not None]
            for leaf in leaves_of(made):
                findings.untracked[id(leaf)] = leaf
                findings.add_unrecorded(UNTRACKED)
        return result

    return replaced(module, "checkpoint", unrolled)


_CHECKPOINT_OPTIONS = frozenset(
    {"context_fn", "determinism_check", "debug", "early_stop", "preserve_rng_state"}
)


def _clone_attributes(ctx: Any, findings: Findings) -> None:
    """Clone the tensors on `ctx`: nothing checks their versions.

    What `backward` writes to one of them is for this backward alone, as with `SavedClone`.
    """
    cloned = {}
    for name, value in vars(ctx).items():
        is_collection = type(value) in (list, tuple)
        if isinstance(value, torch.Tensor) or (
            is_collection and any(isinstance(each, torch.Tensor) for each in value)
        ):
            cloned[name] = _cloned(value, findings)
    if not cloned:
        return
    vars(ctx).update(cloned)
    given = dict(cloned)

    def give(_gradients: object) -> None:
        attributes = vars(torch._C._current_autograd_node())  # `ctx` itself would be a cycle
        for name, clone in cloned.items():
            if attributes.get(name) is not given[name]:
                continue  # the program bound it to another
            attributes[name] = given[name] = _cloned(clone, findings)

    ctx.register_prehook(give)


def _cloned(value: Any, findings: Findings) -> Any:
    """Return a clone of a tensor, or a list or tuple with clones of its tensors."""
    if isinstance(value, torch.Tensor):
        return _clone(value, findings)
    return type(value)(
        _clone(each, findings) if isinstance(each, torch.Tensor) else each for each in value
    )


def _version(value: object) -> int | None:
    assert isinstance(value, torch.Tensor)
    return None if value.is_inference() else value._version


def separated(findings: Findings) -> AbstractContextManager[None]:
    """Let no two inputs of a node share a gradient, until the block is left.

    Torch hands the very same tensor to both inputs of an addition. A hook that clips it in place
    clips the other one too. Where no code of the program's runs in backward, nobody can, and
    nothing is done.
    """
    run_engine = engine()

    def run_backward(roots: Sequence[Root], *args: object, **options: object) -> Gradients:
        hooked = RemovableHandle.next_id != findings.unhooked
        if not (hooked or findings.has_functions or torch._C._len_torch_dispatch_stack()):
            return run_engine(roots, *args, **options)
        given, *rest = args
        if isinstance(given, tuple):
            given = _own(given, ())
        with ExitStack() as hooks:
            for node in reachable(roots):
                if sum(below is not None for below, _ in node.next_functions) > 1:
                    hooks.callback(node.register_hook(_own).remove)
            return run_engine(roots, given, *rest, **options)

    return engine_replaced(run_backward)


def _own(gradients: Gradients, _outputs: Gradients) -> Gradients:
    return tuple(
        gradient if gradient is None or is_opaque(gradient) else gradient.clone()
        for gradient in gradients
    )
