"""The program that a file, a module or standard input is, as Python would run it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from inplace_tui.common.atomic_files import read_whole
from inplace_tui.common.command.launchers import Called
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError, refusing
from inplace_tui.common.file_changes import encoding_of
from inplace_tui.common.notebook import MAX_BYTES as MAX_NOTEBOOK
from inplace_tui.common.notebook import SUFFIX, NotebookError, missed_by, read_notebook
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.texts.notebook import NotebookTexts

MAX_BYTES = 8 * 2**20

SEED = 0
"""For what is explained: all runs of it draw the same numbers, as its replays must be alike."""


def program_called(called: Called) -> Program:
    """Return what a command line calls, as it is on disk now.

    Raises:
        CommandError: it can't be read.
    """
    if called.is_module:
        found = program_of_module(called.name, called.arguments)
    else:
        found = program_in(Path(called.name), called.arguments)
    return msgspec.structs.replace(found, environment=called.environment)


def program_in(path: Path, arguments: tuple[str, ...]) -> Program:
    """Return a file as `python FILE` would run it."""
    with refusing(path):
        content = read_whole(path, MAX_NOTEBOOK if path.suffix == SUFFIX else MAX_BYTES)
    absolute = path.absolute()
    if path.suffix == SUFFIX:
        try:
            content = read_notebook(content).text.encode(errors="surrogatepass")
        except NotebookError as error:
            raise CommandError(NotebookTexts.unusable, path=path, why=error.text) from error
    return program_of(content, str(absolute), str(absolute.parent), arguments)


def program_of_module(name: str, arguments: tuple[str, ...]) -> Program:
    """Return a module as `python -m NAME` would run it.

    One that is not below the working directory is found when it runs; it is installed, and
    only the files of the user's own that it loads are looked into.

    Raises:
        CommandError: it can't be read.
    """
    folder = Path.cwd()
    base = folder.joinpath(*name.split("."))
    if (base / "__main__.py").is_file():
        found = program_in(base / "__main__.py", arguments)
        name = f"{name}.__main__"
    elif (path := base.with_name(f"{base.name}.py")).is_file():
        found = program_in(path, arguments)
    else:
        found = program_of(b"", f"<module {name}>", str(folder), arguments)
    return msgspec.structs.replace(found, module=name, folder=str(folder))


def program_of(content: bytes, filename: str, folder: str, arguments: tuple[str, ...]) -> Program:
    """Return a program that was read from somewhere."""
    return Program(
        source=_decoded(content),
        origin=Origin.OWN,
        filename=filename,
        arguments=arguments,
        folder=folder,
        seed=None,
    )


def _decoded(content: bytes) -> str:
    """Decode as Python does; what it can't decode is a SyntaxError when it runs."""
    try:
        return content.decode(encoding_of(content))
    except (SyntaxError, LookupError, UnicodeError):
        # `coding: rot13` is a codec, and none of text's.
        return content.decode("utf-8", errors="surrogateescape")


def print_notebook_notes(program: Program, name: str, language: str) -> None:
    """Say what a program misses of the notebook that it is from."""
    if not program.is_notebook:
        return
    for each in missed_by(program.source, name, language):
        print_message(each)
