"""Questions whose answer is a line of the program: the learner puts the cursor on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problems, fill
from inplace_tui.common.run.files import line_name
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.course.lesson import ROLES, Choice, Claim
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import (
    FinishedRun,
    find_visit,
    mismatches,
    not_visited,
)
from inplace_tui.tutorial.course.lessons.kinds.choice import QuestionWithChoices
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswerProgress,
    AnswerRuns,
    CodeLine,
    LinesView,
    Ruling,
)
from inplace_tui.tutorial.course.lessons.kinds.overlooked import line_reply
from inplace_tui.tutorial.course.lessons.strict_yaml import MapNode, Path, ScalarNode, child, items

LINE_PREFIX = "@"
"""Prefix of an answer that is a line without a choice: `@7`. No id begins with it."""

STEP_KEYS = ("tensors", "prints")
"""Keys of a claim about one step; here that of the choice's own line."""


class LineQuestion(QuestionWithChoices):
    """Point at any line; some of them are choices with a `why` of their own."""

    KEYS = MappingProxyType({"choices": 2, "elsewhere": 0})
    CHOICE_KEY = "at"
    NOT_AN_ANSWER = NoticeTexts.no_code_there

    @staticmethod
    def check_lines(asked: MapNode, anchored: AnchoredCode, problems: Problems) -> None:  # noqa: ARG004
        """Each choice stands for a line of its own, and its claim is about this line."""
        seen: dict[str, int] = {}
        for choice in items(asked, "choices"):
            at, when = child(choice, "at"), child(choice, "when")
            if not isinstance(at, ScalarNode) or not isinstance(when, MapNode):
                continue
            name = at.text.partition("#")[0]
            if name in seen:
                problems.add(at.at, AuthoringTexts.line_taken, name=name, line=seen[name])
            seen.setdefault(name, at.at.line)
            roles = {
                role: named for role in ROLES if isinstance(named := child(when, role), ScalarNode)
            }
            for role, named in roles.items():
                if named.text.partition("#")[0] != name:
                    values = {"name": name, "role": role, "other": named.text}
                    problems.add(named.at, AuthoringTexts.not_own_line, **values)
            if not roles and not any(key in when.keys for key in STEP_KEYS):
                problems.add(when.at, AuthoringTexts.no_own_line, name=name)

    def untrue(self, choice: Choice, run: FinishedRun, at: int | None) -> list[LocalText]:
        if not _is_about_step(choice.when):
            return mismatches(choice.when, run, at)
        assert choice.at is not None  # the loader saw to it
        step = find_visit(run, choice.at)
        if step is None:
            return not_visited(run, choice.at)
        return mismatches(choice.when, run, step.index)

    def verify(self, seen: AnswerRuns) -> Iterator[tuple[Path, LocalText]]:
        yield from super().verify(seen)
        if seen.own is None or seen.at is None:
            return
        # A question about the result of a line is asked before the line runs.
        began = seen.own.timeline.steps[seen.at].began
        for place, choice in enumerate(self.question.choices):
            step = None if choice.at is None else find_visit(seen.own, choice.at)
            if step is not None and step.index < began and _is_about_step(choice.when):
                yield ("choices", place, "at"), fill(AuthoringTexts.shown_before, name=choice.at)

    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        """Return the ruling, with a reply of its own for a line without a choice that never ran."""
        found = super().ruling(tried, seen)
        if found is None or found.good is not False or seen.own is None or not tried:
            return found
        is_unnamed, line = self.why(tried[-1]) == self.question.elsewhere, self._line_of(tried[-1])
        reached = any(step.line <= line <= step.end_line for step in seen.own.timeline)
        if not is_unnamed or seen.own.timeline.off_at is not None:
            return found
        if not reached:
            return replace(found, whys={tried[-1]: NoticeTexts.never_ran})
        roles = [role for role in ROLES if getattr(self.claims[0], role) is not None]
        reply = line_reply(seen.own, line, roles[0]) if roles else None
        return replace(found, whys={tried[-1]: reply})

    @property
    def has_second_try(self) -> bool:
        return True  # any line may be pointed at

    def parse(self, given: str, draft: str) -> str | None:  # noqa: ARG002
        """Return the answer that the line of this number is; None where there is no code.

        Of a compound statement only the header counts, not its body.
        """
        if not given.isdecimal():
            return None
        line = int(given)
        for choice in self.question.choices:
            span = self.anchored.spans[_anchor(choice)]
            if span.first <= line <= span.header:
                return choice.id
        text = self._text(line)
        return f"{LINE_PREFIX}{line}" if text and not text.startswith("#") else None

    def is_answer(self, answer: str) -> bool:
        if answer.startswith(LINE_PREFIX):
            return answer.removeprefix(LINE_PREFIX).isdecimal()
        return super().is_answer(answer)

    def wording(self, answer: str) -> LocalText:
        number = self._line_of(answer)
        line = f"{number}: {self._text(number)}"
        return LocalText(line)

    def view(self, progress: AnswerProgress) -> LinesView:
        right = [progress.right] if progress.right else []
        lines = {answer: self._line_of(answer) for answer in (*progress.tried, *right)}
        return LinesView(tuple(CodeLine(each, n, self._text(n)) for each, n in lines.items()))

    def why_beside_others(self, answer: str) -> LocalText | None:
        why = self.why(answer)
        if why is None:
            return None
        line = line_name(self.anchored.code, self._line_of(answer))
        return fill(NoticeTexts.of_line, line=line, text=why)

    def _line_of(self, answer: str) -> int:
        if answer.startswith(LINE_PREFIX):
            return int(answer.removeprefix(LINE_PREFIX))
        choice = next(choice for choice in self.question.choices if choice.id == answer)
        return self.anchored.spans[_anchor(choice)].first

    def _text(self, line: int) -> str:
        lines = self.anchored.code.split("\n")
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _anchor(choice: Choice) -> str:
    assert choice.at is not None  # the loader saw to it
    return choice.at.partition("#")[0]


def _is_about_step(claim: Claim) -> bool:
    return any(getattr(claim, name) not in (None, {}) for name in STEP_KEYS)
