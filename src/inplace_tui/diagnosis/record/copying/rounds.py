"""Stops a program before a round of one of its loops.

In the tree that is compiled, the loop asks here before each round; its lines and columns stay.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import CodeType, FrameType
from typing import Any, NoReturn

from torch._C._autograd import _get_sequence_nr
from torch.utils.data import DataLoader

from inplace_tui.common.run.program import Stop
from inplace_tui.common.syntax import loop_at
from inplace_tui.diagnosis.record.compat import engine, engine_replaced, replaced
from inplace_tui.diagnosis.record.copying.loops import asking
from inplace_tui.diagnosis.record.process.own_files import OwnFiles, compiled
from inplace_tui.diagnosis.record.state.safe_reads import is_compiling

NAME = "inplace_tui_rounds"
"""What the loop calls."""


class Clock:
    """Counts the backwards of a program, without those within another or a compiler."""

    def __init__(self) -> None:
        self._nodes = array("Q")
        """For each backward the number of the next node, as it began."""

        self._is_running = False

    @property
    def backwards(self) -> int:
        return len(self._nodes)

    def before(self, node: int) -> int:
        """Return how many backwards had begun when the node with this number was made."""
        return bisect_right(self._nodes, node)

    @contextmanager
    def counting(self) -> Iterator[None]:
        run_engine = engine()

        def run_backward(roots: Sequence[Any], *args: object, **options: object) -> Any:
            __tracebackhide__ = True
            if self._is_running or is_compiling():  # a compiler's is a trace
                return run_engine(roots, *args, **options)
            self._nodes.append(_get_sequence_nr())
            self._is_running = True
            try:
                return run_engine(roots, *args, **options)
            finally:
                self._is_running = False

        with engine_replaced(run_backward):
            yield


class Rounds:
    """The rounds of the loop at which a program is to stop."""

    def __init__(
        self,
        stop: Stop,
        files: OwnFiles,
        clock: Clock,
        arrived: Callable[[Rounds, FrameType, Begun], NoReturn],
    ) -> None:
        self.clock = clock
        self.codes: dict[str, CodeType] = {}
        """What was compiled, by path."""

        self._stop = stop
        self._files = files
        self._arrived = arrived
        self._last = 0
        self._step = 1
        """The most backwards of one round so far."""

    def compiled(self, text: str, path: str) -> CodeType:
        """Compile one of the program's files; the loop asks before each round."""
        tree = ast.parse(text, path)
        loop = loop_at(tree, self._stop.line - self._files.before[path])
        if loop is None:
            code = compiled(text, path)
        else:
            vars(builtins)[NAME] = self._asked
            asking(loop, NAME)
            code = compile(tree, path, "exec", dont_inherit=True)
        self.codes[path] = code
        return code

    def _asked(self, *items: Any) -> Any:
        if items:
            return _Items(self, items[0])
        self.begins(sys._getframe(1), ())
        return True

    def begins(self, frame: FrameType, begun: Begun) -> None:
        """See whether this is the round; of a `for`, `begun` is its item, and what has the rest."""
        now = self.clock.backwards
        self._step, self._last = max(self._step, now - self._last), now
        if now + (1 + self._stop.earlier) * self._step > self._stop.before:
            self._arrived(self, frame, begun)


Begun = tuple[Any, ...]
"""Of a `for` the item of the round that begins, and the iterator."""


class _Items:
    """Iterates as what a `for` goes through does."""

    def __init__(self, rounds: Rounds, items: Any) -> None:
        self._rounds = rounds
        self._items = iter(items)

    def __iter__(self) -> _Items:
        return self

    def __next__(self) -> Any:
        item = next(self._items)
        self._rounds.begins(sys._getframe(1), (item, self._items))
        return item


ALONE = {
    "num_workers": 0,
    "prefetch_factor": None,
    "persistent_workers": False,
    "timeout": 0,
    "multiprocessing_context": None,
}
"""How a loader is made that reads by itself."""


def loaders_alone() -> AbstractContextManager[None]:
    """Have loaders read in this process: a copy would share the workers with what it is a copy of.

    Batches and their order stay the same, unless the data set itself draws random numbers.
    """
    begin = DataLoader.__init__

    @functools.wraps(begin)
    def alone(*args: Any, **kwargs: Any) -> None:
        asked = inspect.signature(begin).bind(*args, **kwargs)
        if asked.arguments.get("num_workers"):
            asked.arguments.update(ALONE)
        begin(*asked.args, **asked.kwargs)

    return replaced(DataLoader, "__init__", alone)
