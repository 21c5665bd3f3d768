"""A challenge's text in, a challenge out; or everything that is wrong with it, with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import FilePosition, LessonError, Problem, Problems, did_you_mean
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.challenge_file import Challenge
from inplace_tui.tutorial.course.lessons.anchors import (
    AnchoredCode,
    find_anchors,
    nested,
    swapped,
    syntax_error,
)

if TYPE_CHECKING:
    from inplace_tui.tutorial.course import edits
    from inplace_tui.tutorial.course.lessons import lesson_rules, strict_yaml, validation
else:  # what reads files and judges edits: a compiled course is listed without it
    edits = LazyModule("inplace_tui.tutorial.course.edits")
    lesson_rules = LazyModule("inplace_tui.tutorial.course.lessons.lesson_rules")
    strict_yaml = LazyModule("inplace_tui.tutorial.course.lessons.strict_yaml")
    validation = LazyModule("inplace_tui.tutorial.course.lessons.validation")

FOLDER = "challenges"
"""The folder of challenges, beside those of the chapters."""

_NUMBERED = re.compile(r"\bline [0-9]|第 ?[0-9]+ ?行", re.IGNORECASE)
_LINE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True)
class LoadedChallenge:
    """A challenge whose file is in order. Whether it can be won, `check` finds out."""

    challenge: Challenge
    path: str
    anchored: AnchoredCode
    text: str
    """Of the file."""

    origin: Origin

    @property
    def code(self) -> str:
        return self.anchored.code

    @property
    def kept(self) -> dict[str, int]:
        """Anchor to first line, of the statements that must stay."""
        return {name: self.anchored.anchors[name] for name in self.challenge.keep}

    def lines_named(self, text: str) -> dict[str, int]:
        """Return anchor to first line, of the lines that a hint names: `{anchor}`."""
        anchors = self.anchored.anchors
        return {name: anchors[name] for name in _LINE.findall(text) if name in anchors}

    @cached_property
    def solved_code(self) -> str:
        return find_anchors(swapped(self.anchored, self.challenge.solution))[0].code

    def where(self, *path: str | int) -> FilePosition:
        return strict_yaml.position_in(self.text, *path)

    def program(self, source: str | None = None) -> Program:
        """Return what to run: an edited source, else the program as it is."""
        code = self.code if source is None else source
        return Program(
            source=code,
            filename=f"{self.challenge.id}.py",
            seed=self.challenge.seed,
            origin=self.origin,
        )


def load_challenge(text: str, path: str, *, origin: Origin) -> LoadedChallenge:
    """Return the challenge in `text`; problems name `path`, which is `<number>-<id>.yaml`.

    Raises:
        LessonError: not YAML, or not a challenge. It names every offending line.
    """
    problems = Problems(path)
    root = strict_yaml.parse(text, problems)
    if root is None:
        raise LessonError(problems.sorted())
    challenge, found = validation.validate(root, Challenge, problems)
    anchored = lesson_rules.program(root, text, problems)
    lesson_rules.texts(found.texts, problems)
    lesson_rules.titles(root, problems)
    lesson_rules.file_name(root, path, problems)
    if anchored is not None:
        lesson_rules.references(root, found.anchors, anchored, problems)
    if problems or challenge is None or anchored is None:
        raise LessonError(problems.sorted())
    loaded = LoadedChallenge(challenge, path, anchored, text, origin)
    _rules(loaded, root, problems)
    if problems:
        raise LessonError(problems.sorted())
    return loaded


def _rules(loaded: LoadedChallenge, root: strict_yaml.Node, problems: Problems) -> None:
    _kept(loaded, problems)
    _lines_named(loaded, problems)
    _no_visits(root, problems)
    if problems or not _swappable(loaded, problems):
        return
    source = swapped(loaded.anchored, loaded.challenge.solution)
    wrong = syntax_error(source)
    if wrong is not None:
        at = loaded.where("solution")
        code = source.split("\n")[wrong.line - 1].strip()
        problems.add(
            at, AuthoringTexts.solution_not_python, why=wrong.text, line=wrong.line, code=code
        )
        return
    for each in find_anchors(source)[1]:
        problems.say(loaded.where("solution"), each.text)
    _solution(loaded, problems)


def _kept(loaded: LoadedChallenge, problems: Problems) -> None:
    """The goal names only lines that must stay."""
    goal = loaded.challenge.goal
    for field in ("raised_by", "saved_by", "changed_by"):
        anchor = getattr(goal, field)
        name = "" if anchor is None else anchor.partition("#")[0]
        if name and name not in loaded.challenge.keep:
            problems.add(loaded.where("goal", field), AuthoringTexts.not_kept, name=name)


def _lines_named(loaded: LoadedChallenge, problems: Problems) -> None:
    """Hints name lines that there are, and no text names one by its number: edits change it."""
    about, anchors = loaded.challenge, loaded.anchored.anchors
    texts: list[tuple[tuple[str | int, ...], LocalText]] = [
        (("task",), about.task),
        (("explain",), about.explain),
        *((("hints", index), hint) for index, hint in enumerate(about.hints)),
    ]
    for path, text in texts:
        for language in text.languages:
            at = loaded.where(*path, language)
            if _NUMBERED.search(text[language]):
                problems.add(at, AuthoringTexts.numbered_line)
            for name in _LINE.findall(text[language]) if path[0] == "hints" else ():
                if name not in anchors:
                    near = did_you_mean(name, anchors)
                    problems.add(at, AuthoringTexts.no_anchor, name=name, hint=near)


def _no_visits(root: strict_yaml.Node, problems: Problems) -> None:
    swap = strict_yaml.child(root, "solution")
    nodes = strict_yaml.items(root, "keep")
    if isinstance(swap, strict_yaml.MapNode):
        nodes = [*nodes, *swap.keys.values()]
    for node in nodes:
        if isinstance(node, strict_yaml.ScalarNode) and "#" in node.text:
            problems.add(
                node.at, AuthoringTexts.swap_visit, visit=node.text[node.text.index("#") :]
            )


def _swappable(loaded: LoadedChallenge, problems: Problems) -> bool:
    inside = nested(loaded.anchored, list(loaded.challenge.solution))
    if inside is not None:
        at = loaded.where("solution", inside[0])
        problems.add(at, AuthoringTexts.swap_inside, inner=inside[0], outer=inside[1])
    return inside is None


def _solution(loaded: LoadedChallenge, problems: Problems) -> None:
    """The solution keeps the rules that the learner has to keep."""
    challenge, solved = loaded.challenge, loaded.solved_code
    changed = edits.lines_changed(loaded.code, solved)
    if not changed:
        problems.add(loaded.where("solution"), AuthoringTexts.solution_same)
    elif changed > challenge.par:
        at = loaded.where("solution")
        problems.add(at, AuthoringTexts.over_par, changed=changed, par=challenge.par)
    there = edits.located(loaded.code, loaded.kept, solved)
    for index, name in enumerate(challenge.keep):
        if name not in there:
            problems.add(loaded.where("keep", index), AuthoringTexts.solution_drops, name=name)
    used = {use.name for use in edits.uses(solved)}
    for index, name in enumerate(challenge.forbid):
        if name in used:
            problems.add(loaded.where("forbid", index), AuthoringTexts.solution_uses, name=name)


def unknown_needs(challenges: Iterable[LoadedChallenge], taught: Iterable[str]) -> list[Problem]:
    known, found = set(taught), list[Problem]()
    for each in challenges:
        problems = Problems(each.path)
        for index, concept in enumerate(each.challenge.needs):
            if concept not in known:
                hint = did_you_mean(concept, known)
                problems.add(
                    each.where("needs", index), AuthoringTexts.needs, concept=concept, hint=hint
                )
        found += problems.sorted()
    return found
