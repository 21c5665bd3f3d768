"""What a shell is told when Tab is pressed, as the line in its start-up file asks for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from inplace_tui.cli import program
from inplace_tui.tutorial.settings import Settings
from support.command import COMMAND, Command, surroundings

SHELLS = ("bash", "zsh", "fish")


def completed(*words: str) -> list[tuple[str, str, str | None]]:
    """Return what is offered for the last of the words; the words are those behind the name."""
    settings = {"obj": Settings("en")}
    shell = ShellComplete(program, settings, "inplace-tui", "_INPLACE_TUI_COMPLETE")
    found = shell.get_completions([*words[:-1]], words[-1])
    return [(each.type, each.value, each.help) for each in found]


@pytest.mark.whole(every=3)
@pytest.mark.parametrize("shell", SHELLS)
def test_the_line_for_each_shell_defines_a_completion(command: Command, shell: str) -> None:
    said = command(_INPLACE_TUI_COMPLETE=f"{shell}_source").stdout

    assert "_INPLACE_TUI_COMPLETE=" in said
    assert f"{shell}_complete" in said
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=said, text=True, check=True)


def test_commands_options_files_and_names_are_completed() -> None:
    assert [each[:2] for each in completed("ex")] == [("file", "ex"), ("plain", "explain")]
    assert completed("my") == [("file", "my", None)]
    assert completed("explain", "st") == [("file", "st", None)]
    assert completed("explain", "--format", "sa") == [("plain", "sarif", None)]
    assert [each[:2] for each in completed("--pl")] == [("plain", "--plain")]
    assert completed("lesson", "saved-o") == [("plain", "saved-output", None)]
    assert ("plain", "saved-output", None) in completed("run", "saved-")
    assert len(completed("challenge", "")) > 10
    assert "Show versions" in str(completed("doc")[-1])


@pytest.mark.whole
def test_bash_itself_completes(tmp_path: Path) -> None:
    """As with Tab: the function that the line defines is called as bash calls it."""
    script = f"""
    eval "$(_INPLACE_TUI_COMPLETE=bash_source {COMMAND})" 2>/dev/null
    COMP_WORDS=({COMMAND} explain --for) COMP_CWORD=2
    _inplace_tui_completion {COMMAND} --for explain
    echo "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(
        ["bash", "-c", script],
        env=surroundings(tmp_path, home=tmp_path / "home"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "--format\n", done.stderr
