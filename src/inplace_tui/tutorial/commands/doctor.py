"""The command `doctor`: what is installed, where things are, what works on this machine."""

from __future__ import annotations

import asyncio
import importlib.metadata
import locale
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inplace_tui import __version__
from inplace_tui.common import console, paths
from inplace_tui.common.command.output import print_lines
from inplace_tui.common.command.parser import localized_command
from inplace_tui.common.command.pythons import choose
from inplace_tui.common.confinement import offered
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
)
from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.common.system import PORTABLE
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import WHY_PYTHON, HelpTexts
from inplace_tui.common.texts.doctor import DoctorTexts
from inplace_tui.diagnosis.drive.runs import (
    WorkerRefusedError,
    evidence,
    record,
    verify,
    warm_worker,
)
from inplace_tui.diagnosis.protocol.messages import Ready
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.drive.lessons import origin_of, read_course
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.settings import Settings

PACKAGES = ("torch", "numpy", "textual", "msgspec", "PyYAML", "click", "tree-sitter")

WIDE = "中"

PATIENCE = 1.0
"""Seconds for a terminal to say how wide it draws; here nobody waits for a screen."""


@dataclass(frozen=True)
class Probe:
    """A program that goes too far, and how it should come to its end."""

    text: LocalText
    source: str
    expected: type[Outcome] | tuple[type[Outcome], ...]
    limits: Limits


REFUSED = (Raised, Stopped) if PORTABLE else (Raised,)
"""How a program ends that wants too much memory: not every kernel refuses it in time."""

PROBES = (
    Probe(DoctorTexts.run, "import torch\ntorch.ones(2).sum()\n", Completed, Limits()),
    Probe(DoctorTexts.time, "while True: pass\n", TimedOut, Limits(seconds=0.5)),
    Probe(DoctorTexts.steps, "while True:\n    x = 1\n", Stopped, Limits(steps=100)),
    Probe(DoctorTexts.reports, "while True:\n    x = 1\n", Stopped, Limits(report_bytes=10_000)),
    Probe(DoctorTexts.memory, "x = b'x' * 2**36\n", REFUSED, Limits()),
    Probe(DoctorTexts.crash, "import os\nos._exit(3)\n", Crashed, Limits()),
)


SEEN = """\
import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
optimizer = torch.optim.SGD([x], lr=0.1)
(x * 2).sum().backward()
optimizer.step()
y.add_(1)
y.sum().backward()
"""
"""A program of which there is everything to see."""

WRITTEN, STEPPED = 7, 6
"""Lines of it."""


@localized_command("doctor", HelpTexts.doctor)
def doctor_command(settings: Settings) -> int:
    language = settings.language
    print_lines(_versions(language))
    print_lines(_paths(settings))
    print_lines(_terminal(language))
    sys.stdout.flush()
    works, lines = asyncio.run(_worker(language))
    print_lines(lines)
    return 0 if works else 1


def _line(text: LocalText, value: object, language: str) -> str:
    shown = value[language] if isinstance(value, LocalText) else value
    return f"  {say(text, language)}: {shown}"


def _versions(language: str) -> Iterator[str]:
    yield say(DoctorTexts.versions, language)
    yield f"  inplace-tui: {__version__}"
    yield f"  python: {platform.python_version()} ({sys.executable})"
    used = choose(None, os.environ, Path.cwd())
    why = say(WHY_PYTHON[used.why], language)
    yield _line(DoctorTexts.programs, f"{used.path} ({why})", language)
    yield f"  {platform.system()} {platform.release()} {platform.machine()}"
    for name in PACKAGES:
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = say(DoctorTexts.missing, language)
        yield f"  {name}: {version}"


def _paths(settings: Settings) -> Iterator[str]:
    language = settings.language
    folder = settings.lessons or paths.built_in_lessons()
    course = read_course(folder, origin=origin_of(folder))
    progress = Progress(paths.progress_file())
    yield say(DoctorTexts.paths, language)
    found = {"lessons": len(course.lessons), "problems": len(course.problems)}
    counts = say(DoctorTexts.lessons_in, language, **found)
    yield _line(DoctorTexts.lessons, f"{folder} ({counts})", language)
    yield _line(DoctorTexts.packs, paths.packs(), language)
    yield _line(DoctorTexts.progress, progress.path, language)
    if os.environ.get(paths.HOME):
        yield f"  {paths.HOME}={os.environ[paths.HOME]}"
    if progress.notice is not None:
        yield f"  ! {progress.notice[language]}"
    elif not _is_writable():
        yield f"  ! {say(DoctorTexts.not_writable, language)}"


def _is_writable() -> bool:
    """Whether progress could be kept, going by the nearest folder that exists."""
    folder = paths.home()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _terminal(language: str) -> Iterator[str]:
    yield say(DoctorTexts.terminal, language)
    if not sys.stdout.isatty():
        yield f"  {say(DoctorTexts.no_terminal, language)}"
    size = shutil.get_terminal_size()
    yield _line(DoctorTexts.size, f"{size.columns}x{size.lines}", language)
    names = ("TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "TMUX", "LANG", "LC_ALL")
    variables = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    yield _line(DoctorTexts.environment, " ".join(variables) or "-", language)
    yield _line(DoctorTexts.colours, _colours(), language)
    encoding = f"{sys.stdout.encoding}, {locale.getpreferredencoding()}"
    yield _line(DoctorTexts.encoding, encoding, language)
    yield _line(DoctorTexts.wide, _cells_of(WIDE) or DoctorTexts.unknown, language)
    box = _cells_of(console.AMBIGUOUS)
    yield _line(DoctorTexts.box, box or DoctorTexts.unknown, language)
    if box == 2:
        yield f"  ! {say(DoctorTexts.boxes_in_ascii, language)}"


def _colours() -> str:
    """Return how many colours the terminal says that it has."""
    term = os.environ.get("TERM", "")
    if os.environ.get("NO_COLOR"):
        return "NO_COLOR"
    if os.environ.get("COLORTERM", "") in ("truecolor", "24bit"):
        return "2^24"
    return "256" if "256" in term else "0" if term in ("", "dumb") else "16"


def _cells_of(text: str) -> int | None:
    """Return how wide the terminal draws `text`; None if there is none or it does not say."""
    with console.width_asked(text, PATIENCE) as answer:
        return answer()


async def _worker(language: str) -> tuple[bool, list[str]]:
    lines = [say(DoctorTexts.isolation, language)]

    def tell(text: LocalText, value: object) -> None:
        lines.append(_line(text, value, language))

    tell(DoctorTexts.starts, DoctorTexts.spawned if PORTABLE else DoctorTexts.forked)
    began = time.monotonic()
    try:
        async with warm_worker() as worker:
            tell(DoctorTexts.worker, f"{time.monotonic() - began:.1f} s")
            if isinstance(worker.state, Ready):
                ready = worker.state
                tell(DoctorTexts.torch, ready.torch)
                left, view = ready.no_namespace, ready.no_view
                told = DoctorTexts.namespaces if left is None else DoctorTexts.subreaper
                tell(DoctorTexts.leftovers, fill(told, why=left))
                told = DoctorTexts.view if view is None else DoctorTexts.no_view
                tell(DoctorTexts.replays, fill(told, why=view))
            can = offered()
            for text, held in ((DoctorTexts.writes, can.files), (DoctorTexts.network, can.network)):
                tell(text, DoctorTexts.closed if held else DoctorTexts.open)
            held_all = True
            for probe in PROBES:
                began = time.monotonic()
                program = Program(source=probe.source, origin=Origin.BUILT_IN)
                ended = await record(worker, program, probe.limits)
                held = isinstance(ended.outcome, probe.expected)
                seconds = f"{time.monotonic() - began:.2f} s"
                tell(probe.text, f"{say(_verdict(held), language)} ({seconds})")
                held_all &= held
            lines.append(say(DoctorTexts.recorder, language))
            for text, held in await _capabilities(worker):
                tell(text, _verdict(held))
                held_all &= held
    except WorkerRefusedError as error:
        tell(DoctorTexts.refused, error)
        return False, lines
    return held_all, lines


def _verdict(held: bool) -> LocalText:
    return DoctorTexts.holds if held else DoctorTexts.fails


async def _capabilities(worker: Worker) -> list[tuple[LocalText, bool]]:
    """Return what can be seen of a program here: one is run, and its reports are checked."""
    program = Program(source=SEEN, origin=Origin.BUILT_IN)
    timeline = await record(worker, program, Limits())
    writes = [each for step in timeline for each in step.mutations]
    watched = await evidence(worker, program, Mode.BARE, Limits(), Detail(witness=True))
    correct = SEEN.replace("y.add_(1)\n", "")
    truth = await verify(worker, Program(source=correct, origin=Origin.BUILT_IN), Limits())
    counted = [(each.line, each.before, each.after) for each in writes]
    return [
        (DoctorTexts.sees_writes, (WRITTEN, 0, 1) in counted),
        (DoctorTexts.sees_saved, any(step.saved for step in timeline)),
        (DoctorTexts.sees_values, any(each.data for step in timeline for each in step.storages)),
        (DoctorTexts.sees_libraries, any(each.line == STEPPED for each in writes)),
        (DoctorTexts.sees_truth, truth == Right()),
        (DoctorTexts.sees_witness, any(each.writes for each in watched.seen)),
    ]
