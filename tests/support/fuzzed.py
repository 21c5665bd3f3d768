"""Steps that a recorder never sends: all that types allow, most of it acceptable."""

from __future__ import annotations

from random import Random

from inplace_tui.common.run.snapshot import (
    Edge,
    Elements,
    Node,
    Saved,
    SlotState,
    Storage,
    Tensor,
    Unreadable,
    ViewOrigin,
)
from inplace_tui.common.run.step import Event, Mutation, Muted, Printed, Rebound, Step, Warned

TEXTS = (
    "x",
    "y[0]",
    "f:x",
    "x.grad",
    "",
    "\x1b]0;t\x07",
    "[/b]",
    "名",
    "a" * 300,
    "\n",
    "\u0301" * 9,
)
DTYPES = ("float32", "int64", "bool", "complex64", "bfloat16", "float8_e5m2", "", "?")
NUMBERS = (0, 0, 1, 2, 3, 5, 2**31, 2**62, 2**63 - 1)


class Fuzz:
    """Makes steps of one seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def steps(self) -> list[Step]:
        """Return steps in the order of their numbers, of which nothing else is in order."""
        return [self._step(index) for index in range(self._random.randint(1, 8))]

    def text(self) -> str:
        """Return a text."""
        return self._random.choice(TEXTS)

    def _number(self) -> int:
        lies = self._random.random() < 0.002
        return -1 if lies else self._random.choice(NUMBERS)

    def _id(self) -> int:
        return self._random.randrange(5)

    def _maybe(self, number: int) -> int | None:
        return self._random.choice((number, None))

    def _flag(self) -> bool:
        return self._random.random() < 0.3

    def _shape(self) -> tuple[int, ...]:
        return tuple(self._number() for _ in range(self._random.randrange(5)))

    def _refused(self) -> Unreadable:
        return Unreadable(reason=self.text())

    def _tensor(self) -> Tensor:
        shape = self._shape()
        stride = tuple(self._number() for _ in shape) if self._random.random() < 0.8 else ()
        pick = self._random.choice
        elements = Elements(self._bytes(), self._bytes(), self._flag())
        return Tensor(
            id=self._id(), names=tuple(self.text() for _ in range(self._random.randrange(4))),
            shape=shape, stride=stride, offset=self._number(), dtype=pick(DTYPES),
            device=pick(("cpu", "meta", self.text())), layout=pick(("strided", "sparse_coo", "?")),
            requires_grad=self._flag(), is_leaf=pick((True, False, self._refused())),
            version=pick((self._number(), None, self._refused())),
            data_ptr=self._maybe(self._number()), storage=self._maybe(self._id()),
            base=self._maybe(self._id()), is_view=self._flag(), grad=self._maybe(self._id()),
            grad_fn=pick((self._id(), None, self._refused())), retains_grad=self._flag(),
            is_inference=self._flag(), is_subclass=self._flag(),
            values=pick((None, None, elements, self._refused())),
        )  # fmt: skip

    def _bytes(self) -> bytes:
        return self._random.randbytes(self._random.choice((0, 1, 4, 8, 12, 40)))

    def _storage(self) -> Storage:
        data = self._bytes()
        if self._flag():
            return Storage(id=self._id(), nbytes=self._number())
        return Storage(id=self._id(), nbytes=len(data), data=data)

    def _node(self) -> Node:
        number = self._id()
        below = self._random.randrange(number + 1 if self._flag() else max(1, number))
        edges = (Edge(below, self._number()), None, Edge(self._random.randrange(max(1, number))))
        return Node(
            id=number, name=self.text(), line=self._maybe(self._id()),
            step=self._maybe(self._number()), leaf=self._maybe(self._id()), order=self._number(),
            inputs=edges[: self._random.randrange(4)] if number else (), opaque=self._flag(),
        )  # fmt: skip

    def _saved(self) -> Saved:
        pick = self._random.choice
        return Saved(
            node=self._id(), slot=self.text(), tensor=self._maybe(self._id()),
            storage=self._maybe(self._id()), shape=self._shape(), dtype=pick(DTYPES),
            version=self._maybe(self._number()), now=self._maybe(self._number()),
            is_output=self._flag(), state=pick(tuple(SlotState)),
            origin=pick((None, *ViewOrigin)), detached=self._flag(),
        )  # fmt: skip

    def _event(self) -> Event:
        kind = self._random.randrange(5)
        line = self._random.choice((0, 1, 2, 3, 4, 10**9))
        if kind == 0:
            return Rebound(name=self.text(), before=self._id(), after=self._id())
        if kind == 1:
            return Printed(text=self.text(), stream=self._random.choice(("stdout", "raw", "?")))
        if kind == 2:
            return Warned(category=self.text(), message=self.text(), line=self._maybe(line))
        if kind == 3:
            return Muted(kept_bytes=self._number())
        return Mutation(
            line=line, column=self._maybe(self._number()), end_line=self._maybe(line),
            end_column=self._maybe(self._number()), op=self._random.choice((None, self.text())),
            tensor=self._maybe(self._id()), storage=self._maybe(self._id()),
            before=self._maybe(self._number()), after=self._maybe(self._number()),
        )  # fmt: skip

    def _step(self, index: int) -> Step:
        few, line = self._random.randrange, self._random.choice((0, 1, 2, 3, 4, 10**9))
        return Step(
            index=index, line=line, end_line=self._random.choice((line, 0, 7)),
            visit=self._number(), began=self._random.randint(0, index),
            then=self._maybe(self._random.choice((1, 2, 3, 10**9, -1))), depth=few(4),
            function=self.text(), raised=self._random.choice((None, self.text())),
            in_backward=self._flag(), grad_enabled=self._flag(), hides=self._flag(),
            ran_backward=self._flag(),
            unpredictable=self._flag(), events=tuple(self._event() for _ in range(few(3))),
            tensors=tuple(self._tensor() for _ in range(few(4))),
            gone=tuple(self._id() for _ in range(few(2))),
            storages=tuple(self._storage() for _ in range(few(3))),
            freed=tuple(self._id() for _ in range(few(2))),
            nodes=tuple(self._node() for _ in range(few(4))),
            lost=tuple(self._id() for _ in range(few(2))),
            saved=tuple(self._saved() for _ in range(few(3))),
        )  # fmt: skip
