"""No class stands on so many of ours that nobody knows what it does."""

from __future__ import annotations

import ast
from typing import NamedTuple

from house.test_circles import source_files
from support.parsed import parsed

MAX_CLASSES = 4


class Name(NamedTuple):
    """A class by its module: two modules may have one of a name."""

    module: str
    name: str


class Sources:
    """The classes of a tree of modules, read without importing them."""

    def __init__(self, files: dict[str, str]) -> None:
        """Take the text of each module, by its name."""
        self._bases: dict[Name, list[ast.expr]] = {}
        self._imported: dict[str, dict[str, tuple[str, str | None]]] = {}
        for module, text in files.items():
            names: dict[str, tuple[str, str | None]] = {}
            self._imported[module] = names
            for node in ast.walk(parsed(text)):
                if isinstance(node, ast.ClassDef):
                    self._bases[Name(module, node.name)] = node.bases
                elif isinstance(node, ast.ImportFrom) and node.module:
                    names |= {
                        each.asname or each.name: (node.module, each.name) for each in node.names
                    }
                elif isinstance(node, ast.Import):
                    names |= {each.asname or each.name: (each.name, None) for each in node.names}

    @property
    def classes(self) -> list[Name]:
        return list(self._bases)

    def above(self, name: Name) -> set[Name]:
        """Return all that a class inherits, as far as it is in the tree."""
        found: set[Name] = set()
        for expression in self._bases[name]:
            base = self._resolved(name.module, expression)
            if base is not None and base != name:
                found |= {base} | self.above(base)
        return found

    def _resolved(self, module: str, base: ast.expr) -> Name | None:
        """Return the class that an expression names in a module; None for one of a library."""
        if isinstance(base, ast.Subscript):  # of a generic class
            return self._resolved(module, base.value)
        parts = ast.unparse(base).split(".")
        if len(parts) == 1 and Name(module, parts[0]) in self._bases:
            return Name(module, parts[0])
        first = self._imported.get(module, {}).get(parts[0])
        if first is None:
            return None
        path = [*first[0].split("."), *(() if first[1] is None else (first[1],)), *parts[1:]]
        return self._found(".".join(path[:-1]), path[-1])

    def _found(self, module: str, name: str) -> Name | None:
        """Return a class of a module, also if that has it from another one."""
        if Name(module, name) in self._bases:
            return Name(module, name)
        again = self._imported.get(module, {}).get(name)
        return None if again is None or again[1] is None else self._found(again[0], again[1])


def test_at_most_four_classes_of_ours_stand_above_any() -> None:
    """What a class does is what all its bases do: more of them than four, and nobody reads it."""
    found = Sources(source_files())

    above = {name: found.above(name) for name in found.classes}

    assert len(above) > 500, "the classes were found"
    assert max(map(len, above.values())) > 1, "their bases were, too"
    assert {name: len(bases) for name, bases in above.items() if len(bases) > MAX_CLASSES} == {}


def test_the_app_is_a_class_of_two_storeys() -> None:
    """What is Textual's own in one, ours in the other: none between them has one child alone."""
    app = Name("inplace_tui.tutorial.ui.app", "InplaceApp")

    assert [each.name for each in Sources(source_files()).above(app)] == ["BaseApp"]


BORDERS = {"LessonName", "Explained"}
"""Each is of a room that must not import the class that has it: the diagnosis none of the
tutorial."""


def test_a_protocol_stands_only_where_the_class_itself_must_not_be_imported() -> None:
    found = {
        node.name
        for text in source_files().values()
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)
    }

    assert found == BORDERS


def test_bases_are_followed_through_imports_generics_and_other_modules() -> None:
    found = Sources(
        {
            "a": "class Base: ...\nclass Same: ...",
            "b": "from a import Base as First\nclass Same(First[int]): ...",
            "c": "import b\nfrom b import First\nclass Last(b.Same, First, Exception): ...",
        }
    )

    assert found.above(Name("b", "Same")) == {Name("a", "Base")}
    assert found.above(Name("c", "Last")) == {Name("b", "Same"), Name("a", "Base")}
    assert found.above(Name("a", "Same")) == set()
