"""Whatever comes from a terminal, on every screen and in every dialog of the real program."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.textual_private.terminal_input import MAX_WAITING, InputParser
from support.noise import QUITTING, every_pair, noise
from support.patience import PATIENCE
from support.places import PLACES, opened_kinds
from support.processes import memory, threads
from support.terminal import Terminal

ALL = os.environ.get("BYTES") == "all"

SINGLES = bytes(each for each in range(256) if each not in QUITTING)
SIZE = MAX_WAITING - 100
"""Bytes of a piece of which all are handled: no byte makes more than a message."""

PAIRS = every_pair(SINGLES)
PIECES = {
    f"pairs {start // SIZE}": PAIRS[start : start + SIZE + 1]
    for start in range(0, len(PAIRS) - 1, SIZE)
} | {f"noise {seed}": noise(seed, SIZE)[: SIZE + 1] for seed in range(16)}
"""The noise is some 10,000 sequences."""

SENT = [
    (name, piece)
    for place, piece in enumerate(PIECES)
    for number, name in enumerate(PLACES)
    if ALL or place == 7 * number % len(PIECES)
]
"""With `BYTES=all` each piece to each place, otherwise one."""
PASTE = b"\x1b[200~" + b"x = 1\r" * 2_000 + b"\x1b[201~"
KEYS = b"\x1b[B" * 500 + b"n" * 500 + b"\t" * 500 + b"\x1b[<65;5;5M" * 500

LEAVING = 2.0
"""From the key that quits to the end, or to the question what to save: so many times what the
program has computed until then. To handle all of the flood first takes a minute."""

DISCARD = ScreenTexts.do_discard.en, ScreenTexts.do_discard["zh"]
"""Noise changes the language, too."""

MAX_HELD = 300
"""MB."""


def used(pid: int) -> dict[Path, int]:
    """Return for how many ns each thread of a process has had a processor."""
    found = {}
    for path in threads(pid):
        with suppress(OSError):
            found[path] = int((path / "schedstat").read_text().split()[0])
    return found


def computed_until(terminal: Terminal, is_so: Callable[[], bool]) -> int:
    """Return for how many ns the program computes until then, whatever else the machine does.

    Raises:
        TimeoutError: it never comes.
    """
    begun, before = time.monotonic(), used(terminal.pid)
    last = dict(before)
    while not is_so():
        if time.monotonic() - begun > PATIENCE:
            raise TimeoutError(terminal.text[-2000:])
        terminal.pause(0.01)
        last.update(used(terminal.pid))
    return sum(now - before.get(path, 0) for path, now in last.items())


def quit_in_time(terminal: Terminal, flood: bytes) -> int:
    """Quit behind a flood, and leave every text unsaved that is asked about; return the code."""

    def asks() -> bool:
        return terminal.ended or any(text in terminal.text for text in DISCARD)

    came = sum(used(terminal.pid).values())
    took, keys = [], flood + b"\x11"
    while not terminal.ended:
        terminal.forget()
        terminal.send(keys)
        took.append(computed_until(terminal, asks))
        keys = b"2"
    # Noise may have answered the question that was open, and left.
    assert max(took, default=0) < LEAVING * came, (took, came)
    return terminal.wait_for_end()


def wait_until_handled(terminal: Terminal) -> None:
    """Read on until what was sent is handled.

    That the terminal has one row more now is sent behind it, and takes its turn. The last
    bytes may have been the beginning of a sequence, which swallows the first time.
    """
    width, height = 80, 25
    terminal.resize(width, height, told=False)
    row = re.compile(rf"\x1b\[{height};\d+H")
    end = time.monotonic() + PATIENCE
    while not terminal.ended and not row.search(terminal.sent):
        assert time.monotonic() < end, terminal.text[-2000:]
        terminal.send(b"\x1b[48;%d;%d;0;0t" % (height, width))
        terminal.pause(1)


@pytest.fixture(scope="module")
def torch_loaded(warm_torch: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Wait until torch is warm: a worker that is being forked meanwhile ends late."""
    with Terminal("lesson", "saved-output", home=tmp_path_factory.mktemp("loaded")) as terminal:
        terminal.wait_for("step 0")


def test_no_screen_and_no_dialog_is_left_out() -> None:
    assert {place.kind for place in PLACES.values()} == {*opened_kinds()}


@pytest.mark.whole
def test_the_pieces_have_every_pair_and_none_is_too_long_to_be_handled() -> None:
    pairs = {
        piece[place : place + 2]
        for name, piece in PIECES.items()
        if name.startswith("pairs")
        for place in range(len(piece) - 1)
    }

    assert pairs == {bytes(pair) for pair in product(SINGLES, SINGLES)}
    for piece in PIECES.values():
        assert len([*InputParser().feed(piece)]) < MAX_WAITING


@pytest.mark.usefixtures("torch_loaded")
@pytest.mark.parametrize(("name", "piece"), SENT)
@pytest.mark.whole
def test_every_byte_is_handled_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, piece: str
) -> None:
    monkeypatch.chdir(tmp_path)  # what is saved and exported by chance
    PLACES[name].prepare(tmp_path)
    with Terminal(*PLACES[name].arguments, home=tmp_path / "home") as terminal:
        PLACES[name].come(terminal)
        terminal.send(PIECES[piece])
        wait_until_handled(terminal)
        code = quit_in_time(terminal, b"")

        assert (code, "Traceback" in terminal.text) == (0, False), terminal.text[-2000:]
    assert Progress(tmp_path / "home" / "progress.json").notice is None


@pytest.mark.usefixtures("torch_loaded")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.whole
def test_noise_ends_nothing_and_quitting_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)  # what is saved and exported by chance
    chosen = random.Random(name)
    PLACES[name].prepare(tmp_path)
    sent = SINGLES + noise(len(name), 30_000 if ALL else 2_000)
    with Terminal(*PLACES[name].arguments, home=tmp_path / "home") as terminal:
        PLACES[name].come(terminal)
        while sent:
            piece, sent = sent[: (size := chosen.randrange(1, 400))], sent[size:]
            terminal.send(piece)
        terminal.pause(0.5)
        terminal.send(PASTE)
        terminal.pause(0.5)
        terminal.send(KEYS)
        held = memory(terminal.pid)
        code = quit_in_time(terminal, KEYS)

        assert (code, "Traceback" in terminal.text) == (0, False), terminal.text[-2000:]
        assert held < MAX_HELD
    assert Progress(tmp_path / "home" / "progress.json").notice is None


@pytest.mark.usefixtures("torch_loaded")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.whole
def test_who_quits_behind_a_flood_has_soon_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Right where they are: before any noise led elsewhere."""
    monkeypatch.chdir(tmp_path)
    PLACES[name].prepare(tmp_path)
    with Terminal(*PLACES[name].arguments, home=tmp_path / "home") as terminal:
        PLACES[name].come(terminal)
        assert quit_in_time(terminal, KEYS + PASTE + KEYS) == 0
        assert "Traceback" not in terminal.text
