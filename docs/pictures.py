"""Draws pictures of the real program: `make pictures` those of the README.

`python docs/pictures.py FOLDER [SCENE...]` plays every scene, or these, at every size,
in every theme and both languages, for somebody to look at.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from html import escape, unescape
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot

from inplace_tui.common import paths
from inplace_tui.common.texts import say
from inplace_tui.common.texts.welcome import WelcomeTexts
from inplace_tui.tutorial.activity.drill.record import DrillOptions
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.app import InplaceApp
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from inplace_tui.tutorial.ui.theme import COLOUR_BLIND, DARK, HIGH_CONTRAST, LIGHT
from inplace_tui.tutorial.ui.widgets.lines import Lines

Size = tuple[int, int]

HERE = Path(__file__).parent
SIZES: tuple[Size, ...] = ((40, 10), (80, 24), (120, 40), (200, 60))
THEMES = (DARK.name, LIGHT.name, HIGH_CONTRAST.name, COLOUR_BLIND.name)
LANGUAGES = ("en", "zh")

FAILING = """\
import torch

x = torch.linspace(-2, 2, 6).requires_grad_()
with torch.no_grad():
    gain = torch.tensor(2.0)
gain.requires_grad_()
h = x * gain
a = torch.sigmoid(h)
b = torch.tanh(a)
c = b * h
a.mul_(0.5)
loss = (c + a).sum()
loss.backward()
"""

LOOP = """\
import torch

torch.manual_seed(0)
w = torch.randn(4, 3, requires_grad=True)
state = torch.zeros(3)
half = state[:2]
seen = []
for step in range(24):
    h = torch.tanh(torch.ones(4) @ w)
    loss = (h - state).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        state.lerp_(h, 0.2)
        half.clamp_(-0.5, 0.5)
    w.grad.zero_()
    seen.append(loss.item())
"""

VALUES = """\
import torch

torch.manual_seed(3)
x = torch.linspace(-3, 3, 12)
far = x[:, None] - x[None, :]
far.div_(far.abs().amax(1, keepdim=True))
far[2, 5] = float("nan")
far[7, 1] = float("inf")
far[4].neg_()
"""


@dataclass(frozen=True)
class Scene:
    """Something to look at: what is opened, and the keys that lead there."""

    name: str
    opening: Opening
    keys: tuple[str, ...] = ()
    program: str = ""
    """What the sandbox has in it; it is run before the keys are pressed."""


def _lesson(identity: str, step: int | None = None) -> Opening:
    return Opening(screen="lesson", lesson=identity, step=step)


CONTENTS, SANDBOX = Opening(), Opening(screen="sandbox")
DRILL = Opening(screen="drill", drill=DrillOptions(seed=7, level=3))
ASKED = ("n",) * 4
"""Leads to the question of the lesson on exp()."""

LEARNER = 23
"""To whom choices are listed so that `a` is wrong there and `b` is right."""

SCENES = (
    Scene("contents", CONTENTS),
    Scene("program", CONTENTS, ("I",)),
    Scene("message", CONTENTS, ("I", "n")),
    Scene("welcome", CONTENTS, ("I", "n", "n")),
    Scene("introduction", CONTENTS, ("I", "l", "n")),
    Scene("lesson", _lesson("saved-output"), ("n", "n")),
    Scene("asked", _lesson("saved-output"), ASKED),
    Scene("hinted", _lesson("saved-output"), (*ASKED, "H", "a")),
    Scene("answered", _lesson("saved-output"), (*ASKED, "a", "enter", "b", "enter")),
    Scene("recap", _lesson("saved-output"), (*ASKED, "a", "enter", "b", "enter", "G", "n", "n")),
    Scene("variants", _lesson("saved-output"), (*ASKED, "A", "G", "v")),
    Scene("fixes", _lesson("saved-output"), (*ASKED, "A", "G", "x")),
    Scene("editor", SANDBOX, ("i", "ctrl+end", *"lo", "ctrl+space"), FAILING),
    Scene("find", SANDBOX, ("i", "ctrl+f", *"tor"), FAILING),
    Scene("history", SANDBOX, ("h",), FAILING),
    Scene("values", SANDBOX, ("1", "down", "down", "t", "right", "down"), VALUES),
    Scene("sloped", SANDBOX, ("1", "down", "down", "t", "m", "exclamation_mark"), VALUES),
    Scene("graph", SANDBOX, ("2", "z"), FAILING),
    Scene("failed", SANDBOX, ("w",), FAILING),
    Scene("lanes", SANDBOX, ("6", "comma", "comma", "z"), LOOP),
    Scene("loop", SANDBOX, ("N", "N"), LOOP),
    Scene("drill", DRILL),
    Scene("drilled", DRILL, ("a", "enter", "b", "enter")),
    Scene("challenge", Opening(screen="challenge", challenge=None)),
    Scene("export", SANDBOX, ("Y",), FAILING),
    Scene("help", _lesson("saved-output"), ("question_mark",)),
    Scene("commands", _lesson("saved-output"), ("colon", "t", "h")),
)


@dataclass(frozen=True)
class Shot:
    """A picture of the README."""

    file: str
    scene: str
    size: Size = (120, 36)
    language: str = "en"
    theme: str = DARK.name


SHOTS = (
    Shot("lesson", "answered"),
    Shot("lesson-zh", "asked", language="zh"),
    Shot("values", "values", (100, 24)),
    Shot("graph", "graph", (100, 20), theme=LIGHT.name),
    Shot("lanes", "lanes", (100, 20)),
)


MOVING = ("program", "message", "welcome", "asked", "answered")
"""The scenes of the moving picture, in their order."""

SECONDS = 5
"""That each of them stays."""


def at_rest(app: InplaceApp) -> bool:
    """Whether nothing is about to change what is seen."""
    page = app.page
    if app.catalogue is None or app.worker_waits() or app.worker_notice() is not None:
        return False
    if not isinstance(page, RunScreen):
        running = say(WelcomeTexts.running, app.language)
        return not (isinstance(page, WelcomeScreen) and running in page.query_one(Lines).text)
    view = page.view
    looking = view.fixes is not None and not view.fixes.over
    made_up = not isinstance(page, PlaylistScreen) or bool(view.source)
    return made_up and not (view.running or view.verifying or looking)


async def rested(pilot: Pilot[int], app: InplaceApp) -> None:
    """Wait until the screen shows all that there is to show.

    Raises:
        TimeoutError: it does not, for a minute.
    """
    async with asyncio.timeout(60):
        await pilot.pause(0.2)
        while not at_rest(app):
            await pilot.pause(0.05)
    await pilot.pause(0.1)


@contextmanager
def without_colours() -> Iterator[None]:
    """Have programs start as in a terminal without colours."""
    os.environ["NO_COLOR"] = "1"
    try:
        yield
    finally:
        del os.environ["NO_COLOR"]


@asynccontextmanager
async def played(
    scene: Scene, size: Size, language: str
) -> AsyncIterator[tuple[InplaceApp, Pilot[int]]]:
    """Play a scene, and give the program at its end."""
    with tempfile.TemporaryDirectory() as folder:
        home, opening, keys = Path(folder), scene.opening, scene.keys
        if scene.program:
            file = home / "train.py"
            file.write_text(scene.program, encoding="utf-8")
            opening, keys = replace(opening, file=file), ("ctrl+r", *keys)
        kept = {"schema": 1, "learner": LEARNER, "introduced": True}
        (home / "progress.json").write_text(json.dumps(kept), encoding="utf-8")
        app = InplaceApp(
            opening=opening,
            progress=partial(Progress, home / "progress.json"),
            home=home,
            lessons_folder=paths.built_in_lessons(),
            language=language,
        )
        async with app.run_test(size=size) as pilot:
            await rested(pilot, app)
            for key in keys:
                await pilot.press(key)
                await rested(pilot, app)
            yield app, pilot


async def draw(scene: Scene, size: Size, language: str, files: Mapping[Path, str]) -> None:
    """Play a scene, and write what is seen of it in the theme of each file."""
    async with played(scene, size, language) as (app, pilot):
        for file, theme in files.items():
            app.theme = theme
            await rested(pilot, app)
            file.write_text(screen_svg(app), encoding="utf-8")


async def draw_all(folder: Path, names: Sequence[str]) -> None:
    """Draw every scene, or those of these names, in every way there is."""
    for scene in SCENES:
        for size in SIZES if not names or scene.name in names else ():
            for language in LANGUAGES:
                stem = folder / f"{scene.name}-{size[0]}x{size[1]}-{language}"
                files = {Path(f"{stem}-{theme.partition('-')[2]}.svg"): theme for theme in THEMES}
                await draw(scene, size, language, files)
                with without_colours():
                    await draw(scene, size, language, {Path(f"{stem}-none.svg"): THEMES[0]})


Result = TypeVar("Result")

_TEXT = re.compile(r'(<text [^>]*?)x="([\d.]+)"([^>]*)textLength="([\d.]+)"([^>]*>)([^<]*)</text>')


def screen_svg(app: App[Result]) -> str:
    # Simplified it is drawn by Textual: ours are pieces, each for its place on a terminal.
    drawn = _TEXT.sub(_in_cells, app.export_screenshot(simplify=True))
    # Without `xml:space`, renderers other than browsers swallow leading spaces.
    return drawn.replace("<svg ", '<svg xml:space="preserve" ', 1)


def _in_cells(found: re.Match[str]) -> str:
    """Put wide characters where the terminal has them: Rich gives each the width of one cell."""
    head, x, middle, length, tail, escaped = found.groups()
    text = unescape(escaped)
    if cell_len(text) <= len(text):
        return found[0]
    cell, place, pieces = float(length) / len(text), float(x), []
    for _, run in groupby(text, lambda character: cell_len(character) > 1):
        piece = "".join(run)
        width = cell * cell_len(piece)
        shown = escape(piece, quote=False).replace("\xa0", "&#160;")
        pieces.append(f'{head}x="{place:g}"{middle}textLength="{width:g}"{tail}{shown}</text>')
        place += width
    return "".join(pieces)


async def moving() -> str:
    """Return one scene after the other, as a picture that needs no script."""
    frames = []
    for name in MOVING:
        scene = next(scene for scene in SCENES if scene.name == name)
        async with played(scene, (90, 28), "en") as (app, pilot):
            app.theme = DARK.name
            await rested(pilot, app)
            frames.append(screen_svg(app))
    head = frames[0][: frames[0].index(">") + 1]
    share, whole = 100 / len(frames), SECONDS * len(frames)
    style = (
        f".frame{{visibility:hidden;animation:shown {whole}s step-end infinite}}"
        f"@keyframes shown{{0%{{visibility:visible}}{share:g}%{{visibility:hidden}}}}"
        "@media(prefers-reduced-motion:reduce){.frame{animation:none}"
        ".frame:last-child{visibility:visible}}"
    )
    drawn = [
        f'<g class="frame" style="animation-delay:{place * SECONDS}s">{_inside(frame)}</g>'
        for place, frame in enumerate(frames)
    ]
    return f"{head}<style>{style}</style>{''.join(drawn)}</svg>\n"


def _inside(picture: str) -> str:
    """Return what is in a picture, without fonts that it would fetch."""
    inside = picture[picture.index(">") + 1 : picture.rindex("</svg>")]
    return re.sub(r"@font-face \{[^}]*\}", "", inside)


async def draw_shots() -> None:
    """Draw the pictures of the README."""
    for shot in SHOTS:
        scene = next(scene for scene in SCENES if scene.name == shot.scene)
        await draw(scene, shot.size, shot.language, {HERE / f"{shot.file}.svg": shot.theme})


def main(arguments: Sequence[str]) -> int:
    """Draw what is asked for."""
    if not arguments:
        (HERE / "moving.svg").write_text(asyncio.run(moving()), encoding="utf-8")
        asyncio.run(draw_shots())
        return 0
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(draw_all(folder, arguments[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
