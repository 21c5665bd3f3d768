"""Programs that try to write a file and to connect, and what is seen of that from outside."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator
from pathlib import Path

from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.common.texts.starter import CHAPTER
from inplace_tui.diagnosis.protocol.messages import Report
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from support.lent import Lent

_REACH = """\
import contextlib, os, socket, time, torch
file = f"{folder}/{{os.getpid()}}-{{time.monotonic_ns()}}"
with contextlib.suppress(OSError): open(file, "w").close()
with contextlib.suppress(OSError): socket.create_connection(("127.0.0.1", {port}), 5).close()
"""
_FAULT = """\
x = torch.tensor([1., 2.], requires_grad=True)  #@ make
y = x.exp()  #@ save
y.add_(1)  #@ write
y.sum().backward()  #@ back
"""
_SILENT = """\
x = torch.tensor([1., 2.], requires_grad=True)  #@ make
y = x * 1
y[:1].exp_()  #@ write
z = y * 2
"""
"""What backward would do from `z` is not in the graph: a forecast has to try it."""

_LESSON = """\
schema: 1
id: {id}
title: {{en: "{id}", zh: "{id}"}}
teaches: [{id}]
requires: []
difficulty: 1
minutes: 1
code: |
{code}
steps:
  - at: write
    say: {{en: "written", zh: "written"}}
variants:
  - id: other
    title: {{en: "other", zh: "other"}}
    swap: {{write: "y.mul_(2)"}}
    expect: {{ends: {ends}}}
recap: {{en: "over", zh: "over"}}
holds:
  - id: held
    title: {{en: "held", zh: "held"}}
    expect: {{ends: {ends}}}
    code: |
{held}
"""
_CHALLENGE = """\
schema: 1
id: {id}
title: {{en: "{id}", zh: "{id}"}}
task: {{en: "mend it", zh: "mend it"}}
needs: []
difficulty: 1
code: |
{code}
goal: {{ends: right}}
keep: [make, save, back]
par: 1
solution:
  write: "y = y + 1"
explain: {{en: "so", zh: "so"}}
"""


class Outside:
    """A folder and a port that only a program with the learner's rights can reach."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._server.setblocking(False)
        self._seen: set[str] = set()

    def __enter__(self) -> Outside:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    @property
    def fault(self) -> str:
        """A program that tries both, and fails in backward."""
        return self._reach + _FAULT

    @property
    def silent(self) -> str:
        """A program that tries both, with something to forecast."""
        return self._reach + _SILENT

    @property
    def _reach(self) -> str:
        return _REACH.format(folder=self.folder, port=self._server.getsockname()[1])

    def write_lessons(self, folder: Path, name: str) -> Path:
        """Write a course of two lessons and a challenge with these programs."""
        chapter = folder / "01-only"
        chapter.mkdir(parents=True)
        (chapter / "chapter.yaml").write_text(CHAPTER.format(title=name, title_zh=name))
        for kind, code, ends in (
            ("fault", self.fault, "raises_in_backward"),
            ("silent", self.silent, "runs"),
        ):
            identity = f"{name}-{kind}"
            held = "".join(f"      {line}\n" for line in code.splitlines()).rstrip("\n")
            text = _LESSON.format(id=identity, code=_indented(code), held=held, ends=ends)
            (chapter / f"01-{identity}.yaml").write_text(text)
        (folder / "challenges").mkdir()
        text = _CHALLENGE.format(id=f"{name}-task", code=_indented(self.fault))
        (folder / "challenges" / f"01-{name}-task.yaml").write_text(text)
        return folder

    def reached(self) -> tuple[int, int]:
        """Return how many files were written and connections made since the last call."""
        names = {path.name for path in self.folder.iterdir()}
        files = len(names - self._seen)
        self._seen |= names
        connections = 0
        while True:
            try:
                self._server.accept()[0].close()
            except BlockingIOError:
                return files, connections
            connections += 1


class Watched(Lent):
    """A real worker, and the programs that it was asked to run."""

    def __init__(self, real: Worker) -> None:
        super().__init__(real)
        self.ran: list[Origin] = []

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        """Have it run."""
        if "torch" in program.source and "torch_names" not in program.source:
            self.ran.append(program.origin)
        async for report in super().run(program, mode, limits, detail):
            yield report


def _indented(code: str) -> str:
    return "".join(f"  {line}\n" for line in code.splitlines()).rstrip("\n")
