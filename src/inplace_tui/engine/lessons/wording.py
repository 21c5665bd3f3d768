"""Texts that nobody has written yet, and English ones in the place of Chinese."""

from __future__ import annotations

import re

from inplace_tui.engine.lessons import strict_yaml
from inplace_tui.engine.lessons.lesson_rules import SPAN
from inplace_tui.engine.lessons.strict_yaml import ListNode, MapNode, Node, ScalarNode
from inplace_tui.engine.problems import Problem, Problems
from inplace_tui.texts import LANGUAGES
from inplace_tui.texts.authoring import AuthoringTexts

_TO_WRITE = re.compile(r"\bTO WRITE\b|待写")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_SAME = {"True", "False", "None", "nan", "inf"}
"""Words that no language changes, as it changes no code: `torch.exp`, `x2`."""


def unwritten(text: str, path: str) -> tuple[Problem, ...]:
    """Return the texts of a file that are no texts for a learner yet."""
    problems = Problems(path)
    root = strict_yaml.parse(text, problems)
    assert root is not None, "a lesson was made of it"
    _look(root, problems)
    return problems.sorted()


def _look(node: Node, problems: Problems) -> None:
    if isinstance(node, ListNode):
        for item in node.items:
            _look(item, problems)
    elif isinstance(node, MapNode):
        for language, below in node.values.items():
            if node.values.keys() != set(LANGUAGES) or not isinstance(below, ScalarNode):
                _look(below, problems)
            elif _TO_WRITE.search(below.text):
                problems.add(below.at, AuthoringTexts.to_write)
            elif language == "zh" and _is_foreign(SPAN.sub("", below.text)):
                problems.add(below.at, AuthoringTexts.not_chinese, text=below.text)


def _is_foreign(text: str) -> bool:
    words = {word.strip("\"',.;:!?()") for word in text.split()} - _SAME
    return not _CHINESE.search(text) and any(word.isalpha() for word in words)
