"""What programs, files and arguments say is text, whatever it would be to a terminal."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import Edge, Node, Tensor
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.commands.run import PICTURES, graph_view
from support.command import COMMAND, WARM
from support.hostile import ATTACK, ATTACKS, BACKWARD, COMMENT, RAISING, obeyed
from support.patience import PATIENCE
from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")

NAME = "\x1b]0;PWN\x07\x9b66;66H\r\u202e[red]\udcff"
"""Of a file: one byte of it is no UTF-8."""

NAMED = NAME[:-1]

LESSON = "\n".join(("schema: 1", f'id: "{NAMED}"', "\x1b]0;PWN\x07: \x9b2J")).replace("\r", "")


BREAKING = (
    *ATTACKS, "\nimport os", "\r\nimport os", "\x0cimport os", "\x85import os", "\u2028import os",
    "\x1eimport os", "{0}{name}{", "%s%n", "*/ --> ]]>", '"""', "\\", "\nfoo: &a [*a]\n--- !!x",
)  # fmt: skip
"""What would end a comment, a quotation or a line where it is written down."""


@pytest.mark.parametrize("attack", BREAKING, ids=range(len(BREAKING)))
def test_no_name_breaks_the_form_of_a_picture(attack: str) -> None:
    """The graph as SVG and as DOT; outside of quotes, DOT is the same with any name."""
    drawn = ElementTree.fromstring(picture("svg", attack))

    assert {each.tag.rpartition("}")[2] for each in drawn.iter()} <= SHAPES
    assert obeyed(picture("dot", attack)) == []
    assert QUOTED.sub("", picture("dot", attack)) == QUOTED.sub("", picture("dot", "x"))


def picture(form: str, name: str) -> str:
    timeline = Timeline()
    nodes = (Node(id=1, name=name, line=1), Node(id=2, name=name, inputs=(Edge(1),)))
    tensor = Tensor(id=1, names=(name,), shape=(), dtype=name, grad_fn=2)
    timeline.append(
        Step(index=0, line=1, end_line=1, began=0, nodes=nodes, tensors=(tensor,), function=name)
    )
    return PICTURES[form](graph_view(Program(source="x = 1\n", origin=Origin.OWN), timeline), "en")


SHAPES = {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "tspan", "g",
          "line", "circle", "polygon", "polyline"}  # fmt: skip
_TEXT = r'"(?:[^"\\]|\\.)*"'
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def surroundings(folder: Path) -> dict[str, str]:
    """Return the environment, with a hostile home."""
    home = folder / f"home{NAME}"
    kept = {"LANG": "C.UTF-8", "INPLACE_TUI_HOME": str(home), "COLUMNS": "90"}
    return {**os.environ, **WARM, **kept}


def make(folder: Path) -> None:
    """Put hostile files into a folder."""
    (folder / "raising.py").write_text(RAISING)
    (folder / f"{NAME}.py").write_text(BACKWARD)
    (folder / f"{NAMED}.py").write_text(BACKWARD)
    chapter = folder / "pack" / "01-bad"
    chapter.mkdir(parents=True)
    (chapter / "01-bad.yaml").write_text(LESSON)
    (chapter / f"02-{NAME}.yaml").write_text(LESSON)
    (chapter / "chapter.yaml").write_text(LESSON)
    (folder / "bad.json").write_text('{"schema": "' + NAMED + '"}')
    answer = {"question": "will-it-run", "status": "again", "tried": [NAMED, f"=1+1{NAMED}"]}
    kept = {"cursor": 0, "answers": {"will-it-run": answer}}
    drilled = {"concepts": {f"@{NAMED}": {"right": 0, "answered": 1}}}
    record = {"schema": 1, "lessons": {"saved-output": kept}, "drill": drilled}
    (folder / f"{NAME}.json").write_text(json.dumps(record))


COMMANDS = (
    ("run", "raising.py"),
    ("run", "--format", "json", f"{NAME}.py"),
    ("run", "--format", "svg", f"{NAMED}.py"),
    ("explain", "--once", "--json", f"{NAME}.py"),
    ("explain", "--error", f"RuntimeError: {ATTACK}"),
    ("check", "pack"),
    ("--lessons", "pack", "list"),
    ("progress", "--import", "bad.json"),
    ("progress", "--reset", NAME),
    ("lesson", NAME),
    ("run", NAME),
    (NAME,),
    (f"--{NAME}",),
    ("run", "--format", "html", f"{NAMED}.py"),
    ("results", f"{NAME}.json"),
    ("results", "bad.json"),
    ("results", "--assignment", "pack/01-bad/01-bad.yaml"),
    ("assignment", f"pack/01-bad/02-{NAME}.yaml"),
    ("doctor",),
    ("progress",),
    ("--plain", "sandbox", f"{NAME}.py"),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=range(len(COMMANDS)))
@pytest.mark.whole(every=24)
def test_no_command_prints_what_a_terminal_obeys(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """On stdout and on stderr, where what the learner's program prints comes through."""
    make(tmp_path)
    ran = subprocess.run(
        [COMMAND, *arguments],
        cwd=tmp_path,
        env=surroundings(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    stdout, stderr = ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")

    assert (obeyed(stdout), obeyed(stderr)) == ([], []), stdout + stderr
    assert "Traceback (most recent call last)" not in stderr
    assert ran.returncode in (0, 1, 2)
    assert stdout + stderr
    if "svg" in arguments:
        drawn = "".join(ElementTree.fromstring(stdout).itertext())
        assert "[/b][red]" in drawn
        assert "PWN" in drawn


@pytest.mark.whole
def test_on_a_terminal_there_are_only_colours_of_ours(tmp_path: Path) -> None:
    make(tmp_path)
    main, other = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "explain", "--once", "raising.py"],
        cwd=tmp_path,
        env={**surroundings(tmp_path), "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=other,
    )
    os.close(other)
    sent, end = b"", time.monotonic() + PATIENCE
    while time.monotonic() < end and select.select([main], [], [], PATIENCE)[0]:
        try:
            sent += os.read(main, 65_536)
        except OSError:
            break
    os.close(main)
    assert process.wait(10) == 1
    text = sent.decode(errors="replace").replace("\r\n", "\n")

    assert "PWN" in text
    assert "\x1b[1m" in text
    assert obeyed(text, colours=True) == []


@pytest.mark.whole
def test_what_is_copied_reaches_the_terminal_as_base64_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"# {COMMENT}中文\n", encoding="utf-8")
    with Terminal("sandbox", str(file), home=tmp_path / "home") as terminal:
        terminal.wait_for("PWN")
        terminal.type("\x1b[18~\x03")  # F7 selects all of the editor, Ctrl-C copies it
        terminal.answer("\x1b]52;", "\x11")
        terminal.wait_for_end()

    copied = re.findall("\x1b]52;c;([A-Za-z0-9+/=]*)\x07", terminal.sent)
    assert terminal.sent.count("\x1b]52;") == 1
    assert [base64.b64decode(each).decode() for each in copied] == [file.read_text("utf-8")]


@pytest.mark.whole
def test_the_screens_draw_hostile_text(tmp_path: Path) -> None:
    """The editor with the file, and all that the run says; no row or title is the file's choice."""
    make(tmp_path)
    file = tmp_path / f"{NAMED}.py"
    with Terminal("sandbox", str(file), home=tmp_path / "home", size=(120, 40)) as terminal:
        terminal.wait_for("PWN")
        terminal.type("\x12")
        terminal.wait_for("ones(2")
        terminal.type("\x11")
        terminal.wait_for_end()
        sent = terminal.sent

    told = sent.split("PWN")  # by the file's name in the title, by the editor, by the panels
    assert len(told) > 3
    assert [each for each in ATTACKS if each[0] in "\x1b\x9b\x9d\x90\u202e" and each in sent] == []
    assert [each for each in "\x08\x0b\x0c\x0e\x7f\x9b\x9d\x90\u202e\u061c" if each in sent] == []
