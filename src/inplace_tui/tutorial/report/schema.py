"""JSON Schemas, made from the very types that are read and written.

`python -m inplace_tui.tutorial.report.schema docs/schema` writes them; a test fails
if they are out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from inplace_tui.diagnosis.commands.explain import DOCUMENTS
from inplace_tui.tutorial.course.lesson import Assignment, Challenge, Chapter, Lesson, Paths
from inplace_tui.tutorial.progress import Record
from inplace_tui.tutorial.report.documents import (
    CheckDocument,
    ListDocument,
    OpDocument,
    TimelineDocument,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"

SCHEMAS: tuple[tuple[str, type[msgspec.Struct], str], ...] = (
    ("lesson", Lesson, "A lesson: lessons/<nn>-<chapter>/<nn>-<id>.yaml"),
    ("chapter", Chapter, "A chapter: lessons/<nn>-<chapter>/chapter.yaml"),
    ("paths", Paths, "The paths of a course: lessons/paths.yaml"),
    ("challenge", Challenge, "A challenge: lessons/challenges/<nn>-<id>.yaml"),
    ("assignment", Assignment, "An assignment: inplace-tui assignment FILE"),
    ("timeline", TimelineDocument, "inplace-tui run --format json"),
    ("list", ListDocument, "inplace-tui list --json"),
    ("check", CheckDocument, "inplace-tui check --json"),
    ("op", OpDocument, "inplace-tui op --json"),
    *DOCUMENTS,
    ("progress", Record, "inplace-tui progress --json, and progress.json"),
)
"""Name of the file, type, and what it describes."""


def emitted() -> dict[str, bytes]:
    """Return the content of every schema file, by its name."""
    return {f"{name}.schema.json": _schema(kind, title) for name, kind, title in SCHEMAS}


def _schema(kind: type[msgspec.Struct], title: str) -> bytes:
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    document = {"$schema": DIALECT, **root, "title": title, "$defs": parts}
    # Sorted, so that the file changes only where a type does.
    ordered = msgspec.json.encode(document, order="sorted")
    return msgspec.json.format(ordered, indent=2) + b"\n"


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in emitted().items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
