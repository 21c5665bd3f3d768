"""Watches a program for the tensors that its backward needs and finds changed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from inplace_tui.blame import frames, names, report
from inplace_tui.blame.engine import Engine
from inplace_tui.blame.graph import outside_modes, sequence_nr
from inplace_tui.blame.nodes import Nodes
from inplace_tui.blame.program import found_in, message_of, say, without_ours
from inplace_tui.blame.refusals import refusal
from inplace_tui.blame.saved import VERSION_CHECK, Stale, find_stale, find_stale_in_hook
from inplace_tui.blame.values import Values
from inplace_tui.blame.writes import WriteLog, Writes


class Witness:
    """What is watched, and what was found."""

    def __init__(self, *, values: bool = False, notes: bool = True) -> None:
        self.findings: list[report.Finding] = []
        self._notes = notes
        self._nodes = Nodes()
        self._writes = Writes()
        self._engine = Engine()
        self._values = Values(self._nodes, self._writes) if values else None

    def install(self) -> None:
        try:
            self._engine.install(self)  # first: the others change what a backward says alone
        except Exception as ours:  # its source isn't there, or the stack is full
            self._engine.uninstall()
            self._values = None
            say(f"inplace_tui.blame: can't watch this torch's backward: {ours!r}")
            return
        self._writes.install()
        self._nodes.install()
        if self._values is not None:
            self._values.install()

    def uninstall(self) -> None:
        if self._values is not None:
            self._values.uninstall()
        self._nodes.uninstall()
        self._writes.uninstall()
        self._engine.uninstall()

    # Called by torch's own function around the engine

    def begin(self) -> int:
        if self._nodes.in_users_mode():
            with contextlib.suppress(Exception):
                self._nodes.hide(roots_of(sys._getframe(1)))
        if self._values is not None:
            with contextlib.suppress(Exception), outside_modes():
                self.findings += self._values.changed(roots_of(sys._getframe(1)))
        return self._nodes.begin()

    def ended(self, began: int) -> None:
        self._nodes.end(began)

    def failed(self, error: BaseException, began: int) -> None:
        """Add to an error who is to blame, if a version check raised it. Raises nothing."""
        check = VERSION_CHECK.search(message_of(error))
        if check is None or found_in(error) is not None:
            return
        try:
            with self._nodes.after(began), outside_modes():
                finding = self._blame(error, check, roots_of(sys._getframe(1)))
        except Exception as ours:  # the program's own error is worth more than ours
            say(f"inplace_tui.blame: could not tell who is to blame: {ours!r}")
            return
        self._add(error, finding)

    def _blame(self, error: BaseException, check: Any, roots: list[Any]) -> report.Finding:
        message = str(error)
        in_slot = find_stale(roots, error)
        failed = in_slot or find_stale_in_hook(roots, error) or Stale(None, "", None)
        saved, current = int(check["saved"]), int(check["current"])
        log = None if failed.tensor is None else self._writes.log_of(failed.tensor)
        writes, unseen = seen_and_unseen(log, saved, current)
        leaves = [] if failed.node is None else names.parameters_used(failed.node)
        name, *used = names.names_of([failed.tensor, *leaves])
        made = [] if failed.node is None else self._nodes.stack(failed.node)
        kept = in_slot is None and any(map(frames.is_checkpoint, made))
        return {
            "category": "saved-tensor-modified",
            "error": {"type": type(error).__name__, "message": message},
            "saved": {
                "op": None if failed.node is None else failed.node.name().rpartition("::")[2],
                "slot": report.CHECKPOINT if kept else failed.slot or None,
                "name": name,
                "parameters": list(dict.fromkeys(each for each in used if each)),
                "type": check["type"],
                "shape": check["shape"].strip("[]"),
                "version": saved,
                "version_now": current,
                "number": None if failed.node is None else sequence_nr(failed.node),
                **report.place(made),
            },
            "writes": writes,
            "unseen": unseen,
            "not_kept": log.dropped if log is not None and unseen else 0,
            "reader": {"op": "backward", **report.place(frames.here())},
        }

    def refused(self, error: BaseException) -> None:
        """Report an in-place write that torch refused, where this error came out of one."""
        if not message_of(error) or found_in(error) is not None:
            return
        latest, op = self._writes.latest, self._writes.latest_op
        tail = without_ours(error)
        category = None if latest is None or tail is None else refusal(error, tail, op)
        if category is None:
            return
        stack = frames.resolve(latest, self._writes.latest_at)
        raised = (tail.tb_frame.f_code.co_filename, tail.tb_lineno)
        if stack and (stack[0]["file"], stack[0]["line"]) == raised:
            finding = {
                "category": category,
                "error": {"type": type(error).__name__, "message": str(error)},
                "writer": {"op": op, **report.place(stack)},
            }
            self._add(error, finding)

    def _add(self, error: BaseException, finding: report.Finding) -> None:
        self.findings.append(finding)
        error.blame = finding  # type: ignore[attr-defined]
        if self._notes and hasattr(error, "add_note"):
            error.add_note(report.text(finding))


def roots_of(caller: Any) -> list[Any]:
    """Return the nodes that a backward starts from, as the function that runs it has them."""
    held = caller.f_locals
    given = next((held[each] for each in ("t_outputs", "tensors", "outputs") if each in held), ())
    edges = given if isinstance(given, (tuple, list)) else (given,)
    return [node for node in map(_node, edges) if node is not None]


def _node(root: Any) -> Any:
    if hasattr(root, "node"):  # a GradientEdge
        return root.node
    try:
        return root.grad_fn
    except RuntimeError:  # a view that may not be differentiated any more
        return None


def seen_and_unseen(
    log: WriteLog | None, saved: int, current: int
) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return the writes that moved a version from `saved` to `current`, and what is left."""
    known = [] if log is None else log.counted(saved, current)
    found: list[dict[str, Any]] = []
    unseen: list[list[int]] = []
    reached = saved
    for each in known:
        if each.version > reached:
            unseen.append([reached, each.version])
        reached = each.version + 1  # every in-place operation of torch moves it by one
        at = report.place(frames.resolve(each.captured, each.at))
        found.append({"op": each.op, "version": each.version, "version_after": reached, **at})
    if reached < current:
        unseen.append([reached, current])
    return found, unseen


_active: list[Witness] = []
"""The one witness there is, while it watches: it changes torch for the whole process."""


def start(*, values: bool = False, notes: bool = True) -> Witness:
    """Watch from now on. There is one witness at a time: the one there is is returned."""
    if not _active:
        witness = Witness(values=values, notes=notes)
        witness.install()
        _active.append(witness)
    return _active[0]


def stop() -> None:
    """Watch no longer, and leave torch as it was."""
    while _active:
        _active.pop().uninstall()


@contextlib.contextmanager
def watch(*, values: bool = False, notes: bool = True) -> Iterator[Witness]:
    """Watch what runs in this block, in all threads.

    An error of a version check gets a note that names who saved, who changed and who
    needed the tensor (Python 3.11 and later), an attribute `blame` with the same as data,
    and is found in the witness's `findings`. Inside another `watch` this is that one.
    """
    inside = bool(_active)
    witness = start(values=values, notes=notes)
    try:
        yield witness
    except Exception as error:
        witness.refused(error)
        raise
    finally:
        if not inside:
            stop()
