"""A copy of the sources in which a test may change what it likes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("src", "tests", "lessons", "docs")
BESIDE = ("pyproject.toml", "CONTRIBUTING.md", "README.md")


class Scratch:
    """The copy, and what somebody does who adds one thing to it."""

    def __init__(self, folder: Path) -> None:
        """Copy the sources, with what is compiled of them: nothing is compiled twice."""
        self.folder = folder
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name)
        for name in BESIDE:
            shutil.copy2(ROOT / name, folder / name)

    def file(self, path: str) -> Path:
        """Return a file of the package, or of the tests and the lessons."""
        first = path.partition("/")[0]
        return self.folder / (path if first in COPIED else f"src/inplace_tui/{path}")

    def write(self, path: str, text: str) -> None:
        self.file(path).write_text(text, encoding="utf-8")

    def put(self, path: str, text: str, *, after: str = "", before: str = "") -> None:
        """Put lines after a line that begins so (the first one), or before it."""
        lines = self.file(path).read_text("utf-8").split("\n")
        mark = after or before
        at = next(n for n, line in enumerate(lines) if line.strip().startswith(mark))
        lines.insert(at + 1 if after else at, text.rstrip("\n"))
        self.write(path, "\n".join(lines))

    def say(self, path: str, table: str, key: str, english: str, chinese: str) -> None:
        """Put a text first into a class of texts, or into a mapping to texts; translate it."""
        content = self.file(path).read_text("utf-8")
        text = f"T({english!r})"
        self.translate(english, chinese)
        if f"class {table}" in content:
            self.put(path, f"    {key} = {text}", before=_first_text(content, table))
        else:
            self.put(path, f"    {key!r}: {text},", after=table)

    def translate(self, english: str, said: str, language: str = "zh", context: str = "") -> None:
        """Put a text at the end of a catalogue, which need not be there yet."""
        path = self.file(f"common/texts/locale/{language}.po")
        named = {"msgctxt": context, "msgid": english, "msgstr": said}
        entry = (
            f"{key} {json.dumps(each, ensure_ascii=False)}" for key, each in named.items() if each
        )
        with path.open("a", encoding="utf-8") as file:
            file.write("\n".join(("", *entry, "")))

    def run(self, *arguments: str) -> str:
        """Run a module in the copy; return what it printed."""
        return self._python("-m", *arguments)

    def make(self, target: str) -> None:
        """Run what a target of the Makefile runs in Python."""
        recipe = (ROOT / "Makefile").read_text("utf-8").partition(f"\n{target}:")[2]
        for line in recipe.partition("\n\n")[0].split("\n")[1:]:
            _, found, arguments = line.partition("$(BIN)/python ")
            assert found, line
            self._python(*arguments.split())

    def _python(self, *arguments: str) -> str:
        environment = {**os.environ, "PART": ""}  # a test that is named runs
        environment["PYTHONPATH"] = os.pathsep.join((f"{self.folder}/src", f"{self.folder}/tests"))
        environment["INPLACE_TUI_HOME"] = str(self.folder / "home")
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def passes(self, *tests: str) -> None:
        """Run tests of the copy, and assert that there are some and all pass."""
        self.run("pytest", "-p", "no:cacheprovider", *tests)


def _first_text(content: str, table: str) -> str:
    """Return how the first text of a class begins."""
    lines = content.partition(f"class {table}")[2].split("\n")
    return next(line.strip() for line in lines if " = " in line)
