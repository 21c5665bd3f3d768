"""Questions whose answer is an order of lines: the program is run with its lines in it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import factorial
from types import MappingProxyType

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problems, fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed, Raised, Right
from inplace_tui.common.syntax import parsed
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.texts.session import ORDERS
from inplace_tui.tutorial.course.lesson import Claim, Feedback
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode, find_anchors, with_anchors
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, how_it_ended, mismatches
from inplace_tui.tutorial.course.lessons.kinds import kind
from inplace_tui.tutorial.course.lessons.strict_yaml import MapNode, Path, ScalarNode, child, items


class OrderQuestion(kind.AskedQuestion):
    """Put two to four statements into an order that works.

    An answer is their anchors, first line first, with spaces between.
    """

    KEYS = MappingProxyType({"lines": 2, "goal": 0, "why": 1, "right": 0})

    @staticmethod
    def check_lines(asked: MapNode, anchored: AnchoredCode, problems: Problems) -> None:
        """They are different statements of one block."""
        nodes = [
            node
            for node in items(asked, "lines")
            if isinstance(node, ScalarNode) and isinstance(node.value, str)
        ]
        names: list[str] = []
        for node in nodes:
            name, visit, _ = node.text.partition("#")
            if visit:
                problems.add(node.at, AuthoringTexts.order_visit, name=name)
            elif name in names:
                problems.add(node.at, AuthoringTexts.order_twice, name=name)
            elif name in anchored.spans:
                names.append(name)
        if len(names) == len(nodes) > 1 and not _in_one_block(anchored, names):
            lines = child(asked, "lines")
            assert lines is not None
            problems.add(lines.at, AuthoringTexts.order_block)

    @property
    def _goal(self) -> Claim:
        assert self.question.goal is not None  # the loader saw to it
        return self.question.goal

    @property
    def claims(self) -> list[Claim]:
        return [self._goal, *(each.when for each in self.question.why)]

    @property
    def replies(self) -> list[tuple[Path, LocalText]]:
        assert self.question.right is not None  # the loader saw to it
        whys = enumerate(each.say for each in self.question.why)
        return [
            *((("why", place, "say"), say) for place, say in whys),
            (("right",), self.question.right),
        ]

    def verify(self, seen: kind.AnswerRuns) -> Iterator[tuple[Path, LocalText]]:
        why = enumerate(self.question.why)
        yield from kind.empty_claims(
            (("goal",), self._goal), *((("why", place, "when"), each.when) for place, each in why)
        )
        used: set[int] = set()
        working: list[str] = []
        for answer, run in seen.trials.items():
            if not isinstance(run.timeline.outcome, Completed | Raised):
                how = how_it_ended(run)
                order = answer.replace(" ", ", ")
                yield ("lines",), fill(AuthoringTexts.order_no_end, order=order, how=how)
            elif self._works(run):
                working.append(answer)
            else:
                yield from self._reply_problems(answer, run, used)
        if next(iter(seen.trials)) in working:
            yield ("goal",), AuthoringTexts.own_order
        if not working:
            yield ("goal",), AuthoringTexts.no_order
        for place in sorted(set(range(len(self.question.why))) - used):
            yield ("why", place), AuthoringTexts.dead_why

    def _reply_problems(
        self, answer: str, run: FinishedRun, used: set[int]
    ) -> Iterator[tuple[Path, LocalText]]:
        """Exactly one reply has to fit an order that does not work."""
        true = [self.question.why.index(each) for each in self._feedback_for(run)]
        used.update(true)
        values = {"order": answer.replace(" ", ", "), "how": how_it_ended(run)}
        if not true:
            yield ("why",), fill(AuthoringTexts.no_why, **values)
        for place in true[1:]:
            yield ("why", place, "when"), fill(AuthoringTexts.many_why, **values)

    @cached_property
    def trials(self) -> Mapping[str, AnchoredCode]:
        """Order -> its program: the lesson's own first, then those that differ least from it."""
        own = sorted(self.question.lines, key=lambda name: self.anchored.spans[name].first)
        orders = [[own[place] for place in places] for places in _permutations(len(own))]
        return {" ".join(order): reordered(self.anchored, order) for order in orders}

    @property
    def asks_outcome(self) -> bool:
        return True

    @property
    def has_second_try(self) -> bool:
        return factorial(len(self.question.lines)) >= kind.SECOND_TRY_FROM

    def is_answer(self, answer: str) -> bool:
        return sorted(answer.split(" ")) == sorted(self.question.lines)

    def wording(self, answer: str) -> LocalText:
        lines = "; ".join(line.text for line in self._lines(answer))
        return LocalText(lines)

    def ruling(self, tried: tuple[str, ...], seen: kind.AnswerRuns) -> kind.Ruling | None:
        did = {answer: what_it_did(run) for answer, run in seen.trials.items()}
        ended = {answer: run for answer, run in seen.trials.items() if did[answer] is not None}
        works = {answer: self._works(run) for answer, run in ended.items()}
        right = next((answer for answer in self.trials if works.get(answer)), None)
        if not tried:
            return None if right is None else kind.Ruling(good=None, right=right)
        last = tried[-1]
        if last not in seen.trials:
            return None
        if last not in works:
            return kind.Ruling(good=None, right=right)
        if works[last]:
            return kind.Ruling(good=True, right=last, reply=self.question.right, did=did[last])
        feedback = self._feedback_for(seen.trials[last])
        reply = feedback[0].say if feedback else None
        return kind.Ruling(good=False, right=right, reply=reply, did=did[last])

    def _works(self, run: FinishedRun) -> bool:
        return not mismatches(self._goal, run, None)

    def _feedback_for(self, run: FinishedRun) -> list[Feedback]:
        """Return the feedback that fits an order that does not work; it should be one."""
        return [each for each in self.question.why if not mismatches(each.when, run, None)]

    def view(self, progress: kind.AnswerProgress) -> kind.OrderView:
        shown = progress.draft or next(iter(self.trials))
        if not progress.open and progress.tried:
            shown = progress.tried[-1]
        works = () if progress.right is None else self._lines(progress.right)
        return kind.OrderView(self._lines(shown), works)

    def _lines(self, answer: str) -> tuple[kind.CodeLine, ...]:
        code, spans = self.anchored.code.split("\n"), self.anchored.spans
        first = {name: spans[name].first for name in answer.split(" ")}
        return tuple(kind.CodeLine(name, n, code[n - 1].strip()) for name, n in first.items())


def reordered(anchored: AnchoredCode, order: Sequence[str]) -> AnchoredCode:
    """Return the program with these statements of one block in this order, where they stood."""
    lines = with_anchors(anchored)
    places = sorted((anchored.spans[name] for name in order), key=lambda span: span.first)
    moved = [lines[span.first - 1 : span.last] for span in map(anchored.spans.__getitem__, order)]
    # From the last, so that the earlier spans stay valid.
    for span, statement in reversed(list(zip(places, moved, strict=True))):
        lines[span.first - 1 : span.last] = statement
    return find_anchors("\n".join(lines))[0]


def moved(view: kind.OrderView, place: int, by: int) -> str:
    """Return the answer with the line at `place` moved up or down; as it is if it can't be."""
    names = view.answer.split(" ")
    if 0 <= place < len(names) and 0 <= place + by < len(names):
        names.insert(place + by, names.pop(place))
    return " ".join(names)


def what_it_did(run: FinishedRun) -> LocalText | None:
    """Tell a learner what a program did in another order; None if it did not come to an end."""
    outcome = run.timeline.outcome
    if isinstance(outcome, Raised):
        lines = run.source.split("\n")
        line = lines[outcome.line - 1].strip() if outcome.line else "?"
        return fill(ORDERS[run.ending], code=line, exception=outcome.exception)
    if run.truth == Right(asked=False):
        return ORDERS[Ending.RUNS]
    return ORDERS.get(run.ending, ORDERS[Ending.RUNS]) if run.ending.is_complete else None


def _permutations(count: int) -> list[tuple[int, ...]]:
    """Return the permutations of `range(count)`, by how many pairs have changed places.

    >>> _permutations(3)[:3]
    [(0, 1, 2), (0, 2, 1), (1, 0, 2)]
    """

    def inversions(places: tuple[int, ...]) -> int:
        return sum(first > second for first, second in itertools.combinations(places, 2))

    return sorted(itertools.permutations(range(count)), key=inversions)


def _in_one_block(anchored: AnchoredCode, names: Sequence[str]) -> bool:
    """Whether the statements stand beside each other in one block, not one inside another."""
    wanted = {anchored.spans[name].first for name in names}
    for parent in ast.walk(parsed(anchored.code)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if not isinstance(block, list):  # of a lambda or a conditional expression
                continue
            if wanted <= {statement.lineno for statement in block}:
                return True
    return False
