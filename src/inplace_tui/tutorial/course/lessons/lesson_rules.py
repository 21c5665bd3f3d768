"""What must hold of the file of a lesson or a challenge beyond its shape.

Texts that nobody has written yet are no fault of its form: `unwritten` finds them. All of it
works on nodes, so that a mistake in one place does not hide those in others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import product
from pathlib import PurePosixPath

import msgspec

from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import FilePosition, Problem, Problems, did_you_mean, nearest
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course import edits
from inplace_tui.tutorial.course.lesson import ROLES, Challenge, Choice, Kind, Question
from inplace_tui.tutorial.course.lessons import strict_yaml
from inplace_tui.tutorial.course.lessons.anchors import (
    NAMED_LINE,
    AnchoredCode,
    CodeProblem,
    find_anchors,
    nested,
    swapped,
    syntax_error,
)
from inplace_tui.tutorial.course.lessons.kinds.registry import KINDS
from inplace_tui.tutorial.course.lessons.strict_yaml import (
    ListNode,
    MapNode,
    Node,
    Path,
    ScalarNode,
    child,
    items,
    position,
)
from inplace_tui.tutorial.course.lessons.validation import validate

SPAN = re.compile(r"`([^`]*)`")
MAX_LINES = 200
"""Of a program: to find the names in it takes time that grows with their square."""

_FILE = re.compile(r"[0-9]+-(.+)\.ya?ml")
_NUMBERED = re.compile(r"\bline [0-9]|第 ?[0-9]+ ?行", re.IGNORECASE)


def program(root: Node | None, text: str, problems: Problems) -> AnchoredCode | None:
    """Return the program of a lesson, or of a part of a file; None if it is not Python."""
    node = child(root, "code")
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str) or node.refused:
        return None
    if node.style != "|":
        problems.add(node.at, AuthoringTexts.code_style)
        return None
    count = node.value.count("\n")
    if count > MAX_LINES:
        problems.add(node.at, AuthoringTexts.code_long, count=count, limit=MAX_LINES)
        return None
    wrong = syntax_error(node.value)
    if wrong is not None:
        problems.say(_in_file(node, wrong, text), wrong.text)
        return None
    anchored, wrongs = find_anchors(node.value)
    for each in wrongs:
        problems.say(_in_file(node, each, text), each.text)
    return anchored


def _in_file(node: ScalarNode, wrong: CodeProblem, text: str) -> FilePosition:
    """Return where a place in a `|` block is in the file."""
    line = node.at.line + wrong.line
    raw = text.split("\n")[line - 1 : line]
    shown = node.text.split("\n")[wrong.line - 1]
    indent = len(raw[0].rstrip()) - len(shown.rstrip()) if raw else 0
    return FilePosition(line, max(0, indent) + wrong.column)


def titles(root: Node, problems: Problems) -> None:
    """A title of two lines would look like two entries of a list, one of them made up.

    A goal is one line by what it is.
    """
    for above in (root, *items(root, "variants"), *items(root, "holds")):
        for key, language in product(("title", "goal"), LANGUAGES):
            title = child(above, key, language)
            if isinstance(title, ScalarNode) and "\n" in title.text:
                problems.add(title.at, AuthoringTexts.title_lines)


def texts(found: Iterable[MapNode], problems: Problems) -> None:
    """Code spans are the same in every language: they are not to be translated."""
    for node in found:
        spans: dict[str, set[str]] = {}
        for language, scalar in node.values.items():
            assert isinstance(scalar, ScalarNode)
            if scalar.text.count("`") % 2:
                problems.add(scalar.at, AuthoringTexts.backtick)
                spans = {}
                break
            spans[language] = set(SPAN.findall(scalar.text))
        for (here, ours), (there, theirs) in product(spans.items(), repeat=2):
            for span in sorted(ours - theirs):
                at = node.values[here].at
                problems.add(at, AuthoringTexts.code_span, span=span, here=here, there=there)


def ids(root: Node, problems: Problems) -> None:
    """The ids of questions, choices, variants and steps are unique."""
    steps = items(root, "steps")
    _unique([child(step, "at") for step in steps], AuthoringTexts.step, problems)
    _unique([child(step, "ask", "id") for step in steps], AuthoringTexts.question, problems)
    for step in steps:
        choices = items(step, "ask", "choices")
        _unique([child(choice, "id") for choice in choices], AuthoringTexts.choice, problems)
    for key, kind in (("variants", AuthoringTexts.variant), ("holds", AuthoringTexts.held)):
        _unique([child(each, "id") for each in items(root, key)], kind, problems)


def _unique(nodes: list[Node | None], kind: LocalText, problems: Problems) -> None:
    seen: dict[str, FilePosition] = {}
    for node in nodes:
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            continue
        name = node.value.removesuffix("#1")
        if name in seen:
            line = seen[name].line
            problems.add(node.at, AuthoringTexts.duplicate_id, kind=kind, id=node.value, line=line)
        seen.setdefault(name, node.at)


def file_name(root: Node, path: str, problems: Problems) -> None:
    """The id is the file's name without its number, so that either finds the other."""
    name = PurePosixPath(path).name
    match, node = _FILE.fullmatch(name), child(root, "id")
    if match is None or not isinstance(node, ScalarNode) or not isinstance(node.value, str):
        return
    if node.value != match.group(1):
        problems.add(node.at, AuthoringTexts.file_name, name=name, slug=match.group(1))


def questions(root: Node, anchored: AnchoredCode | None, problems: Problems) -> None:
    """Every question has the keys of its kind and no others, and names lines that fit it."""
    others = set[str]().union(*(kind.KEYS for kind in KINDS.values()))
    for asked, kind in _questions(root):
        keys = KINDS[kind].KEYS
        for name in sorted((others - keys.keys()) & asked.keys.keys()):
            problems.add(asked.keys[name].at, AuthoringTexts.not_of_kind, key=name, kind=kind)
        _needs(asked, Question, keys.keys(), kind, problems)
        for name, least in sorted(keys.items()):
            below = child(asked, name)
            if isinstance(below, ListNode) and len(below.items) < least:
                problems.add(below.at, AuthoringTexts.too_few, count=least)
        choice_key = KINDS[kind].CHOICE_KEY
        for choice in items(asked, "choices"):
            if not isinstance(choice, MapNode):
                continue
            _needs(choice, Choice, {choice_key}, kind, problems)
            if choice_key != "at" and "at" in choice.keys:
                problems.add(choice.keys["at"].at, AuthoringTexts.not_of_kind, key="at", kind=kind)
        if anchored is not None:
            KINDS[kind].check_lines(asked, anchored, problems)


def _questions(root: Node) -> Iterator[tuple[MapNode, Kind]]:
    for step in items(root, "steps"):
        asked, kind = child(step, "ask"), child(step, "ask", "kind")
        if isinstance(asked, MapNode) and isinstance(kind, ScalarNode) and kind.text in set(Kind):
            yield asked, Kind(kind.text)


def _needs(
    node: MapNode, struct: type[msgspec.Struct], needed: Set[str], kind: Kind, problems: Problems
) -> None:
    """Complain of what is missing, unless it was probably misspelt, which was reported already."""
    missing = sorted(needed - node.keys.keys())
    unknown = node.keys.keys() - set(struct.__struct_fields__)
    meant = {nearest(name, missing) for name in unknown} if missing else set()
    for name in missing:
        if name not in meant:
            problems.add(node.at, AuthoringTexts.missing_of_kind, key=name, kind=kind)


def references(
    root: Node, found: list[tuple[Path, ScalarNode]], anchored: AnchoredCode, problems: Problems
) -> None:
    """Every anchor that is named exists; every swap gives a program."""
    for path, node in found:
        if path[0] not in ("variants", "holds", "mend"):
            _exists(node, anchored, AuthoringTexts.no_anchor, problems)
    mended = child(root, "mend", "of")
    to_mend = None if isinstance(mended, ScalarNode) else anchored
    for index, variant in enumerate(items(root, "variants")):
        new = _variant(variant, anchored, problems)
        if new is None:
            continue
        identity = child(variant, "id")
        if isinstance(mended, ScalarNode) and isinstance(identity, ScalarNode):
            to_mend = new if identity.text == mended.text else to_mend
        for path, node in found:
            if path[:2] == ("variants", index) and path[2] != "swap":
                _exists(node, new, AuthoringTexts.no_anchor_variant, problems)
    if to_mend is None and isinstance(mended, ScalarNode):
        known = [each.text for each in _ids(items(root, "variants"))]
        hint = did_you_mean(mended.text, known)
        problems.add(mended.at, AuthoringTexts.mends_nothing, id=mended.text, hint=hint)
    for path, node in found:
        if path[0] == "mend" and path[1] != "solution" and to_mend is not None:
            _exists(node, to_mend, AuthoringTexts.no_anchor, problems)
    solution = child(root, "mend", "solution")
    if to_mend is not None and isinstance(solution, MapNode):
        at = position(root, "mend", "solution")
        _swapped(solution, to_mend, at, AuthoringTexts.solution_not_python, problems)


def _ids(nodes: Iterable[Node]) -> Iterator[ScalarNode]:
    found = (child(each, "id") for each in nodes)
    return (each for each in found if isinstance(each, ScalarNode))


def held(root: Node, text: str, found: list[tuple[Path, ScalarNode]], problems: Problems) -> None:
    """Every program under `holds` and `attacks` is Python, and a claim names lines of its own."""
    for key in ("holds", "attacks"):
        for index, each in enumerate(items(root, key)):
            own = program(each, text, problems)
            for path, node in found:
                if own is not None and path[:2] == (key, index):
                    _exists(node, own, AuthoringTexts.no_anchor, problems)


def _exists(node: ScalarNode, anchored: AnchoredCode, text: LocalText, problems: Problems) -> bool:
    name = node.text.partition("#")[0]
    if name not in anchored.anchors and isinstance(node.value, str):
        hint = did_you_mean(name, anchored.anchors)
        problems.add(node.at, text, name=name, hint=hint)
    return name in anchored.anchors


def _variant(variant: Node, anchored: AnchoredCode, problems: Problems) -> AnchoredCode | None:
    """Return a variant's program, or None if its swap gives none."""
    swap = child(variant, "swap")
    if not isinstance(swap, MapNode) or not swap.values:
        return None
    at = next(iter(swap.values.values())).at
    changed = _swapped(swap, anchored, at, AuthoringTexts.swap_not_python, problems)
    if changed is not None and changed.code == anchored.code:
        problems.add(at, AuthoringTexts.swap_same)
    return changed


def _swapped(
    swap: MapNode,
    anchored: AnchoredCode,
    at: FilePosition,
    not_python: LocalText,
    problems: Problems,
) -> AnchoredCode | None:
    """Return the program with statements replaced, or None after saying why there is none."""
    new = {name: node.text for name, node in swap.values.items() if isinstance(node, ScalarNode)}
    if not _can_swap(swap, anchored, problems) or len(new) < len(swap.values):
        return None
    source = swapped(anchored, new)
    wrong = syntax_error(source)
    if wrong is not None:
        code = source.split("\n")[wrong.line - 1].strip()
        problems.add(at, not_python, why=wrong.text, line=wrong.line, code=code)
        return None
    changed, wrongs = find_anchors(source)
    for each in wrongs:
        problems.say(at, each.text)
    return changed


def _can_swap(swap: MapNode, anchored: AnchoredCode, problems: Problems) -> bool:
    """Whether each key names a statement, none inside another; complain if not."""
    keys = swap.keys.values()
    good = [
        _names_statement(key, problems)
        and _exists(key, anchored, AuthoringTexts.no_anchor, problems)
        for key in keys
    ]
    inside = nested(anchored, list(swap.keys)) if all(good) else None
    if inside is not None:
        at = swap.keys[inside[0]].at
        problems.add(at, AuthoringTexts.swap_inside, inner=inside[0], outer=inside[1])
    return all(good) and inside is None


def _names_statement(node: ScalarNode, problems: Problems) -> bool:
    _, sign, visit = node.text.partition("#")
    if sign:
        problems.add(node.at, AuthoringTexts.swap_visit, visit=f"#{visit}")
    return not sign


def challenge(
    file: Node, about: Challenge, anchored: AnchoredCode, problems: Problems, above: Path = ()
) -> None:
    """The goal names lines that stay, and the solution keeps the rules that the learner has to."""
    root = child(file, *above)
    assert root is not None, "it has the shape of one"
    for field in ROLES:
        name = (getattr(about.goal, field) or "").partition("#")[0]
        if name and name not in about.keep:
            problems.add(position(root, "goal", field), AuthoringTexts.not_kept, name=name)
    _lines_named(root, about, anchored, problems)
    for node in items(root, "keep"):
        if isinstance(node, ScalarNode):
            _names_statement(node, problems)
    swap, at = child(root, "solution"), position(root, "solution")
    assert isinstance(swap, MapNode), "it has the shape of one"
    solved = _swapped(swap, anchored, at, AuthoringTexts.solution_not_python, problems)
    if solved is not None and not problems:
        _solution(root, about, anchored, solved.code, problems)


def _lines_named(root: Node, about: Challenge, anchored: AnchoredCode, problems: Problems) -> None:
    """Hints name lines that there are, and no text names one by its number: edits change it."""
    texts: list[tuple[Path, LocalText]] = [(("task",), about.task), (("explain",), about.explain)]
    texts += [(("hints", index), hint) for index, hint in enumerate(about.hints)]
    for path, text in texts:
        for language in text.languages:
            at = position(root, *path, language)
            if _NUMBERED.search(text[language]):
                problems.add(at, AuthoringTexts.numbered_line)
            for name in NAMED_LINE.findall(text[language]) if path[0] == "hints" else ():
                if name not in anchored.anchors:
                    near = did_you_mean(name, anchored.anchors)
                    problems.add(at, AuthoringTexts.no_anchor, name=name, hint=near)


def _solution(
    root: Node, about: Challenge, anchored: AnchoredCode, solved: str, problems: Problems
) -> None:
    at, changed = position(root, "solution"), edits.lines_changed(anchored.code, solved)
    if not changed:
        problems.add(at, AuthoringTexts.solution_same)
    elif changed > about.par:
        problems.add(at, AuthoringTexts.over_par, changed=changed, par=about.par)
    kept = {name: anchored.anchors[name] for name in about.keep}
    there = edits.located(anchored.code, kept, solved)
    for index, name in enumerate(about.keep):
        if name not in there:
            problems.add(position(root, "keep", index), AuthoringTexts.solution_drops, name=name)
    used = {use.name for use in edits.uses(solved)}
    for index, name in enumerate(about.forbid):
        if name in used:
            problems.add(position(root, "forbid", index), AuthoringTexts.solution_uses, name=name)


_TO_WRITE = re.compile(r"\bTO WRITE\b|待写")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_SAME = {"True", "False", "None", "nan", "inf"}
"""Words that no language changes, as it changes no code: `torch.exp`, `x2`."""


def unwritten(kind: type[msgspec.Struct], text: str, path: str) -> tuple[Problem, ...]:
    """Return the texts of a file that are no texts for a learner yet.

    A language that one of them has is promised of all; till then English is shown instead.
    """
    problems = Problems(path)
    root = strict_yaml.parse(text, problems)
    assert root is not None, "a lesson was made of it"
    found = validate(root, kind, problems)[1].texts
    promised = {language for node in found for language in node.values}
    for node in found:
        for language in sorted(promised - node.values.keys()):
            problems.add(node.at, AuthoringTexts.missing_language, key=language)
        for language, below in node.values.items():
            assert isinstance(below, ScalarNode)
            if _TO_WRITE.search(below.text):
                problems.add(below.at, AuthoringTexts.to_write)
            elif language == "zh" and _is_foreign(SPAN.sub("", below.text)):
                problems.add(below.at, AuthoringTexts.not_chinese, text=below.text)
    return problems.sorted()


def _is_foreign(text: str) -> bool:
    words = {word.strip("\"',.;:!?()") for word in text.split()} - _SAME
    return not _CHINESE.search(text) and any(word.isalpha() for word in words)
