"""Who opens a file or parses a program: all others go through `atomic_files` and `syntax`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support.parsed import parsed

SOURCE = Path(__file__).parents[2] / "src" / "inplace_tui"

OPENERS = frozenset({
    "ast.literal_eval", "ast.parse", "compile", "inspect.findsource", "inspect.getsource",
    "inspect.getsourcelines", "io.FileIO", "io.open", "linecache.getline", "linecache.getlines",
    "linecache.updatecache", "open", "os.fdopen", "os.open", "runpy.run_path", "tokenize.open",
})  # fmt: skip
METHODS = frozenset({"read_bytes", "read_text"})

ALLOWED = {
    "common/local_text.py": {".read_bytes"},  # a catalogue of ours
    "common/ops/survey.py": {".read_bytes"},  # likewise
    "common/syntax.py": {"ast.parse", "compile"},
    # The program itself, which runs: what Python says of it is the answer.
    "diagnosis/record/process/main_module.py": {"compile"},
    "diagnosis/record/process/own_files.py": {"compile"},
    "diagnosis/record/replay/probes.py": {"ast.parse", "compile"},
    "diagnosis/record/copying/loops.py": {"compile"},
    "diagnosis/record/copying/rounds.py": {"ast.parse", "compile"},
    "diagnosis/record/copying/stopped.py": {"ast.parse", "compile"},
    "diagnosis/record/code/expressions.py": {"ast.literal_eval"},  # of a node that was parsed
    # Written, or ours.
    "diagnosis/record/one_run.py": {".open"},
    "diagnosis/record/process/forked.py": {"open", "os.fdopen"},
    "diagnosis/record/process/spawned.py": {"open", "os.open"},
    "diagnosis/runner/process.py": {".open"},
    "diagnosis/runner/spawned.py": {".open"},
    "common/atomic_files.py": {"open", "os.open", "os.fdopen", ".open"},
    "common/command/pythons.py": {".open"},
    "tutorial/commands/new.py": {".open"},
    "tutorial/commands/sandbox.py": {"os.open"},
    "cli.py": {"os.open"},
    "common/command/output.py": {"os.open"},
    "common/console.py": {"os.open", "open"},
    "tutorial/ui/drafts/draft.py": {"os.open"},
    "tutorial/report/page_html.py": {".read_text"},
    # The witness, which can use nothing of ours: a line of any file; torch's own function; stdin,
    # up to a limit; and a file that is written.
    "blame/frames.py": {"io.open", "os.open"},
    "blame/engine.py": {"inspect.getsourcelines", "ast.parse", "compile"},
    "blame/__main__.py": {"open"},
    "blame/watching.py": {"io.open"},
    # The kernel's.
    "common/confinement.py": {"os.open"},
    "diagnosis/runner/forked.py": {".read_text"},
    "diagnosis/runner/memory.py": {".read_text"},
    "diagnosis/record/process/imported_once.py": {"os.open"},
    "diagnosis/record/process/linux.py": {"os.open", ".read_text"},
    "diagnosis/record/process/namespace.py": {"os.open"},
    "diagnosis/record/process/view.py": {"os.open", ".read_bytes", ".read_text"},
}


def _opened(tree: ast.AST) -> Iterator[str]:
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func)
        method = name.rpartition(".")[2]
        if name in OPENERS:
            yield name
        elif method in METHODS or (method == "open" and _has_mode(call)):
            yield f".{method}"


def _has_mode(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and isinstance(first.value, str)


def test_a_stranger_s_file_is_read_and_parsed_in_one_place_each() -> None:
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        opened = set(_opened(parsed(path.read_text("utf-8"))))
        if opened:
            found[name] = opened

    assert {name: each - ALLOWED.get(name, set()) for name, each in found.items()} == {
        name: set() for name in found
    }
    assert ALLOWED.keys() <= found.keys(), "what opens nothing any more is not listed"
