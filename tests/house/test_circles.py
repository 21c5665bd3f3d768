"""Files that need each other when they run can only be changed together: at most three of them.

An import for types alone needs nothing when the program runs, and is none here: that a screen
calls the app what it is makes no circle of the two.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

import inplace_tui
from support.parsed import parsed

ROOT = Path(inplace_tui.__file__).parent.parent
MAX_FILES = 3

Needs = Mapping[str, Set[str]]
"""By the name of a module, the modules of ours that it imports when it runs: late, too."""


def needs(files: Mapping[str, str]) -> Needs:
    """Return what modules import; `files` has their texts by their names."""
    found: dict[str, set[str]] = {}
    for module, text in files.items():
        found[module] = set()
        for node in run_nodes(parsed(text)):
            if isinstance(node, ast.ImportFrom):
                inside = {f"{node.module}.{each.name}" for each in node.names}
                found[module] |= inside & files.keys() or {str(node.module)}
            elif isinstance(node, ast.Import):
                found[module] |= {each.name for each in node.names}
            elif isinstance(node, ast.Constant):  # a lazy module is named by a string
                found[module].add(str(node.value))
        found[module] = (found[module] & files.keys()) - {module}
    return found


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Go through a module without what only a type checker reads."""
    yield node
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children = node.orelse
    for child in children:
        yield from run_nodes(child)


def reached(graph: Needs, start: str) -> set[str]:
    """Return what a module needs, and what that needs, and so on."""
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += graph[module]
    return seen


def circles(graph: Needs) -> set[frozenset[str]]:
    """Return the groups of modules each of which needs all others of its group."""
    far = {module: reached(graph, module) for module in graph}
    return {
        frozenset(other for other in far[module] if module in far[other])
        for module in graph
        if module in far[module]
    }


def source_files() -> dict[str, str]:
    files = {}
    for path in ROOT.glob("inplace_tui/**/*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        files[module] = path.read_text(encoding="utf-8")
    return files


@functools.cache
def needed_here() -> Needs:
    return needs(source_files())


def test_no_more_than_three_files_need_each_other() -> None:
    graph = needed_here()

    assert sum(map(len, graph.values())) > 1000, "the imports were found"
    assert [sorted(each) for each in circles(graph) if len(each) > MAX_FILES] == []


def rooms(graph: Needs) -> Mapping[str, Needs]:
    """Return by each folder which of what lies in it needs which: modules, or whole folders."""
    found: dict[str, dict[str, set[str]]] = {}
    for module, needed in graph.items():
        for other in needed:
            mine, theirs = module.split("."), other.split(".")
            depth = next(
                (at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two),
                0,
            )
            if depth:
                inside = found.setdefault(".".join(mine[:depth]), {})
                inside.setdefault(mine[depth], set()).add(theirs[depth])
                inside.setdefault(theirs[depth], set())
    return found


def test_nothing_in_a_folder_goes_in_a_circle() -> None:
    found = rooms(needed_here())

    assert len(found) > 30
    assert {folder: circles(graph) for folder, graph in found.items() if circles(graph)} == {}


def test_two_folders_that_need_each_other_are_found() -> None:
    graph = {"p.a.x": {"p.b.y"}, "p.b.y": set[str](), "p.b.z": {"p.a.x", "p.a"}, "p.a": {"p.a.x"}}

    found = rooms(graph)

    assert found == {"p": {"a": {"b"}, "b": {"a"}}}
    assert circles(found["p"]) == {frozenset({"a", "b"})}


def test_a_circle_is_found_through_late_imports_but_not_through_those_for_types() -> None:
    graph = needs(
        {
            "p": "",
            "p.a": "from p import b",
            "p.b": "if TYPE_CHECKING:\n    from p.e import thing\nelse:\n    from p.c import thing",
            "p.c": "def f():\n    import p.d",
            "p.d": 'a = LazyModule("p.a")',
            "p.e": "import p.a\nimport os",
        }
    )

    assert circles(graph) == {frozenset({"p.a", "p.b", "p.c", "p.d"})}
