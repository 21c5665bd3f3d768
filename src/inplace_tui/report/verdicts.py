"""The list of all verdicts, for people: docs/verdicts.md.

`python -m inplace_tui.report.verdicts docs/verdicts.md` writes it; a test says
if that was forgotten.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inplace_tui.engine.blame.blame import REFUSED_WRITES
from inplace_tui.engine.blame.verdict import WARNED_OF, Verdict
from inplace_tui.texts.meanings import MEANINGS

BEGINNING = """\
# Verdicts

What `inplace-tui explain --json` says as `category`. Made from the code by `make schema`.
Every one of them is provoked by a test with real torch.
"""

SILENT = frozenset({Verdict.SILENTLY_WRONG})
GROUPS: tuple[tuple[str, frozenset[Verdict]], ...] = (
    ("Nothing is raised, and the gradient is wrong", SILENT),
    ("Torch refuses to write", REFUSED_WRITES),
    ("The program runs, and torch warns", WARNED_OF),
    ("Torch refuses something else", frozenset(Verdict) - SILENT - REFUSED_WRITES - WARNED_OF),
)


def page() -> str:
    """Return the whole document."""
    parts = [BEGINNING]
    for title, kinds in GROUPS:
        parts.append(f"## {title}\n")
        parts += [_entry(kind) for kind in Verdict if kind in kinds]
    return "\n".join(parts)


def _entry(kind: Verdict) -> str:
    meaning = MEANINGS[kind.value]
    return f"### `{kind.value}`\n\n{meaning.en}\n\n{meaning.zh}\n"


def main() -> None:
    """Write the document into the file that is named."""
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
