"""What may load what, seen in a fresh interpreter.

The static graph that import-linter reads cannot see a deferred import; these can.
"""

from __future__ import annotations

import subprocess
import sys

import pytest


def modules_after(statement: str) -> set[str]:
    """Return the top-level packages loaded by `statement` in a new interpreter."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "banned"),
    [
        ("import inplace_tui.tutorial.ui.app", {"torch", "numpy"}),
        (
            "import inplace_tui.tutorial.ui.launch",
            {"torch", "numpy", "yaml", "pygments", "tree_sitter"},
        ),
        ("import inplace_tui.cli", {"torch", "numpy", "textual", "rich", "asyncio", "yaml"}),
        (
            "from inplace_tui.cli import COMMANDS, program as p; "
            "[p.get_command(None, name).help for name in COMMANDS]",
            {"torch", "numpy", "textual", "rich"},
        ),
        ("import inplace_tui.tutorial.report", {"torch", "numpy", "textual", "rich"}),
        ("import inplace_tui.tutorial.drive.check", {"torch", "numpy", "textual", "rich"}),
        (
            "import inplace_tui.tutorial.activity.session.session",
            {"torch", "numpy", "textual", "asyncio"},
        ),
        ("import inplace_tui.diagnosis.runner.worker", {"torch", "numpy", "textual", "yaml"}),
        ("import inplace_tui.diagnosis.record.__main__", {"textual", "rich", "yaml", "click"}),
        ("import inplace_tui", {"torch", "textual", "msgspec", "click", "numpy", "yaml"}),
        ("import inplace_tui.blame.notebook", {"torch", "textual", "msgspec", "click", "IPython"}),
        (
            "from inplace_tui import blame; blame.watch().__enter__()",
            {"textual", "rich", "msgspec", "click", "yaml", "pygments"},
        ),
    ],
)
@pytest.mark.whole(every=4)
def test_a_room_loads_only_what_it_may(statement: str, banned: set[str]) -> None:
    assert modules_after(statement) & banned == set()
