"""What to show first, and in which language."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from inplace_tui.common.paths import from_here
from inplace_tui.common.texts.command import ErrorTexts
from inplace_tui.tutorial.activity.drill.record import ENDLESS, DrillOptions

if TYPE_CHECKING:
    from inplace_tui.common.command.launchers import Called
    from inplace_tui.common.run.program import Program


@dataclass(frozen=True)
class Opening:
    """What to show first."""

    screen: str = "contents"
    """`contents`, `lesson`, `challenge`, `checkpoint`, `review`, `drill`, `sandbox` or `desk`."""

    lesson: str | None = None
    """None resumes at the first one that is not done."""

    lesson_file: Path | None = None
    """Of a lesson in the built-in course, which is opened before that is read."""

    present: bool = False
    """Show lessons to a class."""

    step: int | None = None
    """As people count: 1 is after the first line."""

    file: Path | None = None
    module: str | None = None
    """How `file` is imported, where it is run as `python -m MODULE`."""

    is_imported: bool = False
    """The module is not the user's own and imports `file`, as pytest does."""

    content: bytes | None = None
    """The program, where it came through standard input."""

    arguments: tuple[str, ...] = ()
    """For the program."""

    environment: tuple[tuple[str, str], ...] = ()
    """What the program finds in its environment besides what is there."""

    python: Path | None = None
    """Another interpreter, whose torch and packages are to be used for all that is run."""

    line: str = ""
    """How the program was called, as one types it; it is offered like that again."""

    challenge: str | None = None
    """None is the first one that is not solved."""

    checkpoint: str | None = None
    """The chapter whose it is; None is the first one that was not finished."""

    drill: DrillOptions = ENDLESS
    drills: tuple[DrillOptions, ...] = ()
    """What `d` in the contents opens: those of an assignment; none is up to the learner."""

    introduce: bool = False
    """Begin with the welcome, if the learner was never here before."""


def opening_of(called: Called, screen: str, python: Path | None = None) -> Opening:
    """Return how a program is opened: a module with its file, or with one that its arguments name.

    What modules another interpreter has is not looked at.

    Raises:
        CommandError: there is no such module, or no file of the user's own for an editor.
    """
    from inplace_tui.common.command.launchers import started_by  # noqa: PLC0415  # not for the first frame
    from inplace_tui.common.command.parser import CommandError  # noqa: PLC0415  # likewise
    from inplace_tui.common.command.programs import program_of_module  # noqa: PLC0415

    words = ("-m", called.name) if called.is_module else (called.name,)
    line = shlex.join((*words, *called.arguments))
    called = started_by(called)
    name, arguments = called.name, called.arguments
    opening = Opening(
        screen, arguments=arguments, environment=called.environment, python=python, line=line
    )
    if not called.is_module:
        return replace(opening, file=Path(name))
    found = program_of_module(name, ())
    if os.path.isfile(found.filename):
        return replace(opening, file=from_here(Path(found.filename)), module=found.module)
    top = name.partition(".")[0]
    if os.path.isdir(top) or (python is None and find_spec(top) is None):
        missing = ModuleNotFoundError(name=name)
        raise CommandError(ErrorTexts.cannot_read, path=name, why=ErrorTexts.no_module) from missing
    files = (Path(each.partition("::")[0]) for each in arguments)
    named = next((each for each in files if each.suffix == ".py" and each.is_file()), None)
    if named is not None:
        return replace(opening, file=from_here(named.absolute()), module=name, is_imported=True)
    if screen == "sandbox":
        raise CommandError(ErrorTexts.no_file_named, name=name)
    return replace(opening, module=name)


def program_opened(opening: Opening) -> Program:
    """Return the program in a file, or the module, as it is on disk now.

    Raises:
        CommandError: it can't be read.
    """
    from inplace_tui.common.command import launchers, programs  # noqa: PLC0415  # not for the first frame

    is_module = opening.module is not None and not opening.is_imported
    name, given = str(opening.module if is_module else opening.file), opening.arguments
    return programs.program_called(launchers.Called(name, given, is_module, opening.environment))
