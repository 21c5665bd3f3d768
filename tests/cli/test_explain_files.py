"""`inplace-tui explain -m`: a package of five files, its fault in one and its error in another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import Command
from support.package import PACKAGE, write_package

pytestmark = pytest.mark.usefixtures("warm_torch")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write_package(tmp_path)
    return tmp_path


def explained(command: Command, *arguments: str) -> dict[str, Any]:
    done = command("explain", "--json", *arguments)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return {**found, "stderr": done.stderr}


@pytest.mark.whole
def test_saver_writer_and_reader_of_a_package_are_named_with_their_files(
    command: Command, package: Path
) -> None:
    found = explained(command, "-m", "proj.train", "--epochs", "3")

    assert found["stderr"] == "proj proj.train 3\n"
    assert (found["error"]["file"], found["error"]["line"]) == ("proj/engine.py", 12)
    assert (found["victim"]["file"], found["victim"]["line"]) == ("proj/models/net.py", 11)
    (culprit,) = found["culprits"]
    assert (culprit["file"], culprit["line"]) == ("proj/models/net.py", 12)
    own = [place for place in culprit["chain"] if not place.startswith("torch/")]
    assert own == [
        "proj/train.py:12 <module>",
        "proj/engine.py:11 fit",
        "proj/models/net.py:12 forward",
    ]
    assert {fix["file"] for fix in found["fixes"]} == {"proj/models/net.py"}
    for fix in found["fixes"]:
        (package / fix["file"]).write_text(fix["source"])
        assert command("explain", "--once", "-m", "proj.train", "--epochs", "1").returncode == 0


@pytest.mark.whole
def test_the_page_of_a_package_quotes_each_file_and_changes_none(
    command: Command, package: Path
) -> None:
    done = command("explain", "-m", "proj.train", "--epochs", "1")
    page = done.stdout

    at_once = " ".join(done.stderr.split())
    assert "proj/models/net.py:12 the line at fault: wrote h: version 0 to 1" in at_once
    words = " ".join(page.split())
    assert "backward on line proj/engine.py:12 raises RuntimeError" in words
    assert "Line proj/models/net.py:11 `h = torch.sigmoid(self.one(x))` saved h" in words
    assert "Line proj/models/net.py:12 `h *= 2` changed it to version 1" in words
    assert "--- proj/models/net.py +++ proj/models/net.py" in words
    for name, source in PACKAGE.items():
        assert (package / "proj" / name).read_text() == source


@pytest.mark.whole
def test_what_a_launcher_loads_and_catches_is_told_and_fixed(
    command: Command, tmp_path: Path
) -> None:
    """As pytest does it: the file is found while it runs, and the end is an exit code."""
    (tmp_path / "launcher.py").write_text(
        "import importlib, sys\n"
        "try:\n    importlib.import_module(sys.argv[1]).test()\n"
        "except RuntimeError:\n    sys.exit(1)\n"
    )
    (tmp_path / "loaded.py").write_text(
        "import torch\n\ndef test():\n"
        "    w = torch.ones(2, requires_grad=True)\n    y = w.exp()\n    y += 1\n"
        "    y.sum().backward()\n"
    )

    found = explained(command, "-m", "launcher", "loaded")

    assert (found["ending"], found["error"]["file"]) == ("raises_in_backward", "loaded.py")
    assert (found["culprits"][0]["file"], found["culprits"][0]["line"]) == ("loaded.py", 6)
    assert (found["victim"]["file"], found["victim"]["line"]) == ("loaded.py", 5)
    assert "+    y = y + 1" in found["fixes"][0]["diff"]


@pytest.mark.whole
@pytest.mark.parametrize("file", ["proj/train.py", "{folder}/proj/train.py"])
def test_who_starts_a_file_of_a_package_is_offered_the_module(
    command: Command, package: Path, file: str
) -> None:
    done = command("explain", file.format(folder=package))
    offered = done.stdout.split("inplace-tui explain ")[1].split("\n")[0].split()

    assert "relative import" in done.stdout
    assert explained(command, *offered)["culprits"]


def test_no_such_module_is_said(command: Command, package: Path) -> None:
    done = command("explain", "-m", "proj.nowhere")

    assert done.returncode == 1
    assert "No module named proj.nowhere" in done.stdout


@pytest.mark.whole
def test_run_names_the_file_of_each_line(command: Command, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import helper\nhelper.go()\n")
    (tmp_path / "helper.py").write_text(
        "import torch\n\n# \u2500\u2500\u2500\u2500 part ────\n"
        "def go():\n    torch.ones(2).add_(1)\n    return [0][1]\n"
    )

    page = command("run", "train.py").stdout
    found = json.loads(command("run", "train.py", "--format", "json").stdout)
    html = command("run", "train.py", "--format", "html").stdout

    assert "IndexError on line helper.py:6" in page or "helper.py:6" in page
    heads = [line for line in page.splitlines() if line in ("train.py:", "helper.py:")]
    assert heads == ["helper.py:", "train.py:", "helper.py:", "train.py:"]
    assert [(each["file"], each["line"]) for each in found["steps"]] == [
        ("helper.py", 1),
        ("helper.py", 4),
        ("train.py", 1),
        ("helper.py", 5),
        ("helper.py", 6),
        ("train.py", 2),
    ]
    assert [each["name"] for each in found["files"]] == ["train.py", "helper.py"]
    assert found["steps"][0]["step"]["line"] - found["files"][1]["before"] == 1
    assert "helper.py" in html


@pytest.mark.parametrize("left_open", ["x = 1 \\", "x = (1,", "x = '''"])
@pytest.mark.whole
def test_a_cell_that_is_not_whole_does_not_go_on_in_the_next_one(
    left_open: str, command: Command, tmp_path: Path
) -> None:
    """The border between two cells was taken for a part of the string, or of the line."""
    sources = ["import torch", left_open, "y = 2", "'''" if "'" in left_open else "z = 3"]
    cells = [
        {"cell_type": "code", "execution_count": count, "source": source}
        for count, source in enumerate(sources, 1)
    ]
    document = {"nbformat": 4, "metadata": {}, "cells": cells}
    (tmp_path / "a.ipynb").write_text(json.dumps(document))

    done = command("explain", "a.ipynb")

    assert done.returncode == 1
    assert f"Nothing ran: the program can't be parsed. In [2]:1 `{left_open}`" in done.stdout
