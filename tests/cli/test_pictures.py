"""`run --format dot|svg`: the graph as text for Graphviz, and as a picture."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.command import Command

pytestmark = pytest.mark.usefixtures("warm_torch")

GOLDENS = Path(__file__).parent / "goldens"


@pytest.mark.parametrize(("form", "language"), [("dot", "en"), ("svg", "en"), ("svg", "zh")])
@pytest.mark.whole(every=3)
def test_the_graph_of_a_lesson_is_printed(command: Command, form: str, language: str) -> None:
    """As it was when backward failed. Written anew with UPDATE_GOLDENS=1."""
    done = command("run", "saved-output", "--once", "--format", form, "--lang", language)

    golden = GOLDENS / f"saved-output-{language}.{form}"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(done.stdout, encoding="utf-8")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == golden.read_text(encoding="utf-8")


def test_the_graph_of_an_earlier_step(command: Command) -> None:
    done = command("run", "saved-output@3", "--once", "--format", "dot")

    assert "ExpBackward0" in done.stdout
    assert "AddBackward0" not in done.stdout
    assert "stale" not in done.stdout


@pytest.mark.whole
def test_a_program_without_a_graph_has_an_empty_picture_and_is_told_so(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "plain.py").write_text("print(1)\n")

    done = command("run", "plain.py", "--once", "--format", "svg")

    assert done.returncode == 0
    assert done.stdout.startswith("<svg")
    assert "No graph" in done.stderr


@pytest.mark.whole
def test_the_page_of_a_lesson_asks_before_it_shows_the_answer(command: Command) -> None:
    done = command("run", "saved-output", "--once", "--format", "html", "--lang", "zh")

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith('<!DOCTYPE html>\n<html lang="zh-Hans">')
    assert "写进了" in done.stdout  # the author's words up to the question
    assert "在此修改" not in done.stdout  # which is asked before its answer is shown


@pytest.mark.whole
def test_an_explanation_is_printed_as_a_page_with_its_fixes(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text("def f(x):\n    h = x.exp()\n    h += 1\n    return h\n")
    (tmp_path / "train.py").write_text(
        "import torch\nfrom model import f\nf(torch.ones(2, requires_grad=True)).sum().backward()\n"
    )

    done = command("explain", "train.py", "--format", "html")

    assert done.returncode == 1
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert "backward on line 3 raises RuntimeError" in done.stdout
    assert '<div class="gone">-    h += 1</div>' in done.stdout
    assert "inplace-tui lesson saved-output" in done.stdout


@pytest.mark.whole
def test_a_page_is_of_one_file(command: Command, tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("print(1)\n")

    done = command("explain", "one.py", "two.py", "--format", "html")

    assert (done.returncode, done.stdout) == (2, "")
    assert "give one FILE" in done.stderr
