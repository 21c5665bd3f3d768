"""The list of all verdicts, for people: docs/verdicts.md.

`python docs/verdict_page.py docs/verdicts.md` writes it; a test says
if that was forgotten.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inplace_tui.common.verdicts import Verdict

BEGINNING = """\
# Verdicts

What `inplace-tui explain --json` says as `category`. Made from the code by `make schema`.
Every one of them is provoked by a test with real torch.
"""

TITLES = (
    "Nothing is raised, and the gradient is wrong",
    "Torch refuses to write",
    "The program runs, and torch warns",
    "Torch refuses something else",
)


def page() -> str:
    parts = [BEGINNING]
    for title in TITLES:
        parts.append(f"## {title}\n")
        parts += [_entry(verdict) for verdict in Verdict if _title(verdict) == title]
    return "\n".join(parts)


def _title(verdict: Verdict) -> str:
    wrong, write, warning, other = TITLES
    if verdict is Verdict.SILENTLY_WRONG:
        return wrong
    return write if verdict.is_refused_write else warning if verdict.is_warning else other


def _entry(verdict: Verdict) -> str:
    return f"### `{verdict}`\n\n{verdict.meaning.en}\n\n{verdict.meaning['zh']}\n"


def main() -> None:
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
