"""Questions whose answer is typed: the numbers that a cell of the table will hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.snapshot import Unreadable
from inplace_tui.common.run.values import flat
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.texts.session import NoticeTexts, TypedTexts
from inplace_tui.tutorial.course.lesson import CellFacet, Claim, Slip, TensorClaim, TypedCell
from inplace_tui.tutorial.course.lessons.claims import close, numbers_of
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswerProgress,
    AnswerRuns,
    AskedQuestion,
    Ruling,
    TypedView,
)
from inplace_tui.tutorial.course.lessons.strict_yaml import Path

NOTHING = "None"
_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|inf)")
_BETWEEN = re.compile(r"(?:tensor|[\[\](){},;、\s])*")


def read_answer(given: str) -> str | None:
    """Return the numbers that were typed, with spaces between; None where something else was.

    >>> read_answer("［1，2.50］"), read_answer("tensor([1e2])"), read_answer("none")
    ('1 2.5', '100', 'None')
    """
    text = unicodedata.normalize("NFKC", given).lower().replace("−", "-").strip()
    if text == NOTHING.lower():
        return NOTHING
    numbers = _NUMBER.findall(text)
    rest = _NUMBER.sub(" ", text)
    if not numbers or len(numbers) > 64 or not _BETWEEN.fullmatch(rest):
        return None
    return " ".join(f"{float(each):.6g}" for each in numbers)


class TypedQuestion(AskedQuestion):
    """Type what a tensor's version, gradient or values will be after the line."""

    KEYS = MappingProxyType({"of": 0, "slips": 1, "right": 0})
    NOT_AN_ANSWER = NoticeTexts.type_numbers

    @property
    def _cell(self) -> TypedCell:
        assert self.question.of is not None, "the loader saw to it"
        return self.question.of

    @property
    def claims(self) -> list[Claim]:
        """Name the cell, so that it is hidden; nothing is claimed of it."""
        empty: dict[str, Any] = {"version": 0, "grad": None, "values": []}
        claim = TensorClaim(**{self._cell.facet: empty[self._cell.facet]})
        return [Claim(tensors={self._cell.tensor: claim})]

    @property
    def replies(self) -> list[tuple[Path, LocalText]]:
        assert self.question.right is not None, "the loader saw to it"
        slips = enumerate(self.question.slips)
        return [
            *((("slips", place, "why"), each.why) for place, each in slips),
            (("right",), self.question.right),
        ]

    def verify(self, seen: AnswerRuns) -> Iterator[tuple[Path, LocalText]]:
        found = self._found(seen)
        if found is None:
            yield ("of",), fill(AuthoringTexts.no_cell, cell=self.name)
            return
        for place, slip in enumerate(self.question.slips):
            if _agree(_typed(slip), found):
                yield ("slips", place, "answer"), AuthoringTexts.slip_is_right

    @property
    def name(self) -> str:
        """The cell as a program reads it: `y._version`."""
        ends = {CellFacet.VERSION: "._version", CellFacet.GRAD: ".grad", CellFacet.VALUES: ""}
        return f"{self._cell.tensor}{ends[self._cell.facet]}"

    @property
    def has_second_try(self) -> bool:
        return True  # a first one leaves nearly all numbers

    def parse(self, given: str, draft: str) -> str | None:  # noqa: ARG002  (of several steps)
        return read_answer(given)

    def is_answer(self, answer: str) -> bool:
        return read_answer(answer) == answer

    def wording(self, answer: str) -> LocalText:
        numbers = answer.split(" ")
        return LocalText(answer if len(numbers) == 1 else f"[{', '.join(numbers)}]")

    def why(self, answer: str) -> LocalText | None:
        slips = (each.why for each in self.question.slips if _typed(each) == answer)
        return next(slips, None)

    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        if seen.own is None:
            return None
        found = self._found(seen)
        if found is None:
            return Ruling(good=None)
        right = NOTHING if found == [] else " ".join(f"{each:.4g}" for each in found)
        last = tried[-1] if tried else ""
        if last and _agree(last, found):
            return Ruling(good=True, right=last, reply=self.question.right)
        whys = {each: self.why(each) or _overlooked(each, found) for each in tried}
        return Ruling(good=False, right=right, whys={**whys, right: self.question.right})

    def view(self, progress: AnswerProgress) -> TypedView:
        right = [progress.right] if progress.right else []
        given = dict.fromkeys((*progress.tried, *right))
        draft = progress.draft if progress.open and progress.draft not in progress.tried else ""
        return TypedView(tuple((each, self.wording(each)) for each in given), self.name, draft)

    def _found(self, seen: AnswerRuns) -> list[float] | None:
        """Return the numbers of the cell after the line, none for None; None if unreadable."""
        if seen.own is None or seen.at is None:
            return None
        snapshot = seen.own.timeline.at(seen.at)
        tensor = snapshot.named(self._cell.tensor)
        if tensor is None:
            return None
        if self._cell.facet is CellFacet.VERSION:
            return [tensor.version] if isinstance(tensor.version, int) else None
        if self._cell.facet is CellFacet.GRAD:
            if tensor.grad is None:
                return []
            tensor = snapshot.tensors.get(tensor.grad)
        found = None if tensor is None else flat(tensor, snapshot)
        if found is None or isinstance(found, Unreadable):
            return None
        elements, is_whole = found
        real = [each for each in elements if not isinstance(each, complex)]
        return real if is_whole and len(real) == len(elements) and real else None


def _typed(slip: Slip) -> str:
    numbers = [] if slip.answer is None else numbers_of(slip.answer)
    return " ".join(f"{each:.6g}" for each in numbers) or NOTHING


def _numbers(answer: str, found: Sequence[float]) -> list[float]:
    numbers = [] if answer == NOTHING else [float(each) for each in answer.split(" ")]
    return numbers * len(found) if len(numbers) == 1 and found else numbers


def _agree(answer: str, found: Sequence[float]) -> bool:
    """Whether numbers are those found; one number may stand for many that are equal."""
    numbers = _numbers(answer, found)
    return len(numbers) == len(found) and all(map(close, numbers, found))


def _overlooked(answer: str, found: Sequence[float]) -> LocalText:
    """Say how far an answer is from what was found, without giving that away."""
    if answer == NOTHING or not found:
        return TypedTexts.is_not_none if answer == NOTHING else TypedTexts.is_none
    numbers = _numbers(answer, found)
    if len(found) == 1 == len(numbers):
        return TypedTexts.is_more if found[0] > numbers[0] else TypedTexts.is_less
    if len(numbers) != len(found):
        return fill(TypedTexts.other_count, typed=len(numbers))
    right = sum(map(close, numbers, found))
    return fill(TypedTexts.some_right, right=right, count=len(found))
