"""What no edit of a challenge may do, whatever its goal: ways around the task, not through it.

What the program that is to be edited does itself is not held against anybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run import values
from inplace_tui.common.run.elements import Element
from inplace_tui.common.run.snapshot import Snapshot, Unreadable
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.challenges import GradingTexts
from inplace_tui.tutorial.course import edits

MODULES = frozenset({"torch", "numpy", "copy", "math", "contextlib"})
"""What an edit may import; everything else is not about tensors."""

BACK_DOORS = frozenset(
    {
        *("exec", "eval", "compile", "globals", "locals", "vars"),
        *("getattr", "setattr", "delattr"),
        *("exit", "quit", "open", "input", "breakpoint"),
        *("register_hook", "register_post_accumulate_grad_hook", "register_prehook"),
        *("register_forward_hook", "register_forward_pre_hook", "register_module_forward_hook"),
        *("register_full_backward_hook", "register_full_backward_pre_hook"),
        *("register_multi_grad_hook", "saved_tensors_hooks", "increment_version", "Function"),
    }
)
"""Names with which anything could be made to look like anything."""

HARMLESS = frozenset({"_version", "_base", "_is_view", "__name__", "__main__", "__init__"})
"""Private names that may be used: the lessons name them, or every program does."""


def violations(before: str, after: str, number: Callable[[int], object]) -> Iterator[LocalText]:
    """Yield what in an edited program is against the rules, as its text shows."""
    for line in edits.shared_lines(after):
        if not edits.shared_lines(before):
            yield fill(GradingTexts.crowded, line=number(line))
    for use in _new(edits.imports(before), edits.imports(after)):
        if use.name not in MODULES:
            yield fill(GradingTexts.import_, name=use.name, line=number(use.line))
    for use in _new(edits.uses(before), edits.uses(after)):
        if use.name in BACK_DOORS or _is_private(use):
            yield forbidden(use, number)
    modules = edits.bound(before) | edits.bound(after)
    known = Counter((store.root, store.attributes) for store in edits.stores(before))
    for store in edits.stores(after):
        if store.root in modules and not known[store.root, store.attributes]:
            called = number(store.line)
            yield fill(GradingTexts.module_changed, name=store.root, line=called)


def _is_private(use: edits.Use) -> bool:
    """Whether it is private; a variable of the program's own may be called `_x`."""
    return use.name.startswith("__" if use.own else "_") and use.name not in HARMLESS


def forbidden(use: edits.Use, number: Callable[[int], object]) -> LocalText:
    return fill(GradingTexts.forbidden, name=use.name, line=number(use.line))


def _new(before: list[edits.Use], after: list[edits.Use]) -> Iterator[edits.Use]:
    """Yield the uses of names that the program did not have, or had less often."""
    known = Counter(use.name for use in before)
    often = Counter(use.name for use in after)
    for use in after:
        if often[use.name] > known[use.name]:
            yield use


def caught(timeline: Timeline) -> int | None:
    """Return the line of an exception that the program survived; None if there was none."""
    return next((step.line for step in timeline if step.raised is not None), None)


def written_by_hand(name: str, source: str, timeline: Timeline) -> int | None:
    """Return the line that wrote the gradient of a tensor, other than a backward did.

    Setting it to None or to zeros is what every training loop does.
    """
    spelled = {each.line: each.spelled for each in edits.statements(source)}
    before: tuple[int, object] | None = None
    for step in timeline:
        now = _gradient(name, timeline.at(step.index))
        is_backward = "'backward'" in spelled.get(step.line, "")
        if now is not None and now != before and any(now[1]) and not is_backward:
            return step.line
        before = now
    return None


def _gradient(name: str, snapshot: Snapshot) -> tuple[int, tuple[Element, ...]] | None:
    tensor = snapshot.named(name)
    if tensor is None or tensor.grad is None or tensor.grad not in snapshot.tensors:
        return None
    read = values.flat(snapshot.tensors[tensor.grad], snapshot)
    return None if isinstance(read, Unreadable) else (tensor.grad, tuple(read[0]))
