"""No class name stands for two things."""

from __future__ import annotations

import ast
from collections import defaultdict

from house.test_files import texts
from support.parsed import parsed


def test_no_class_name_stands_for_two_things() -> None:
    found = defaultdict(set)
    for path, text in texts("src").items():
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.ClassDef):
                found[node.name.lstrip("_")].add(path)

    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
