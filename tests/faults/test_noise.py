"""Whatever comes from a terminal, on every screen and in every dialog of the real program."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from inplace_tui.progress import Progress
from inplace_tui.texts.screen import ScreenTexts
from support.noise import QUITTING, noise
from support.patience import PATIENCE
from support.places import PLACES, UNREACHED, opened_kinds, prepare
from support.terminal import Terminal

ALL = os.environ.get("BYTES") == "all"

SINGLES = bytes(each for each in range(256) if each not in QUITTING)
PAIRS = [bytes(pair) for pair in product(SINGLES, SINGLES)]
PASTE = b"\x1b[200~" + b"x = 1\r" * 2_000 + b"\x1b[201~"
KEYS = b"\x1b[B" * 500 + b"n" * 500 + b"\t" * 500 + b"\x1b[<65;5;5M" * 500

LEAVING = 2.0
"""Seconds from the key that quits to the end, or to the question what to save."""

DISCARD = ScreenTexts.do_discard.en, ScreenTexts.do_discard.zh
"""Noise changes the language, too."""

MOST_HELD = 300
"""MB."""


def memory(pid: int) -> int:
    """Return how many MB a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20


def descendants(pid: int) -> Iterator[int]:
    """Yield a process and those that it started, and those that they did."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it is gone
            for each in task.read_text().split():
                yield from descendants(int(each))


def waits(pid: int) -> dict[Path, int]:
    """Return for how many ns each thread was ready to run since it began, and had no processor."""
    found = {}
    for path in [p for each in descendants(pid) for p in Path(f"/proc/{each}/task").glob("*")]:
        with suppress(OSError):
            found[path] = int((path / "schedstat").read_text().split()[1])
    return found


def seconds_until(terminal: Terminal, is_so: Callable[[], bool]) -> float:
    """Return how long it takes where nothing else runs: without waiting for a processor.

    Raises:
        TimeoutError: it never comes.
    """
    begun, before = time.monotonic(), waits(terminal.pid)
    last = dict(before)
    while not is_so():
        if time.monotonic() - begun > PATIENCE:
            raise TimeoutError(terminal.text[-2000:])
        terminal.pause(0.01)
        last.update(waits(terminal.pid))
    lost = sum(now - before.get(path, 0) for path, now in last.items()) / 1e9
    return time.monotonic() - begun - lost


def quit_in_time(terminal: Terminal, flood: bytes) -> int:
    """Quit behind a flood, and leave every text unsaved that is asked about; return the code."""

    def asks() -> bool:
        return terminal.ended or any(text in terminal.text for text in DISCARD)

    took, keys = [], flood + b"\x11"
    while not terminal.ended:
        terminal.forget()
        terminal.send(keys)
        took.append(seconds_until(terminal, asks))
        keys = b"2"
    assert max(took) < LEAVING, took
    return terminal.wait_for_end()


@pytest.fixture(scope="module")
def torch_loaded(warm_torch: object, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Wait until torch is warm: a worker that is being forked meanwhile ends late."""
    with Terminal("lesson", "saved-output", home=tmp_path_factory.mktemp("loaded")) as terminal:
        terminal.wait_for("step 0")


def test_no_screen_and_no_dialog_is_left_out() -> None:
    assert {place.kind for place in PLACES.values()} | UNREACHED == {*opened_kinds()}


@pytest.mark.usefixtures("torch_loaded")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.whole(every=14)
def test_noise_ends_nothing_and_quitting_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)  # what is saved and exported by chance
    prepare(tmp_path)
    place, chosen = PLACES[name], random.Random(name)
    sent = SINGLES + noise(len(name), 30_000 if ALL else 2_000)
    if ALL:
        sent += b"".join(PAIRS)
    with Terminal(*place.arguments, home=tmp_path / "home") as terminal:
        place.come(terminal)
        while sent:
            piece, sent = sent[: (size := chosen.randrange(1, 400))], sent[size:]
            terminal.send(piece)
        terminal.pause(0.5)
        terminal.send(PASTE)
        terminal.pause(0.5)
        terminal.send(KEYS)
        used = memory(terminal.pid)
        code = quit_in_time(terminal, KEYS)

        assert (code, "Traceback" in terminal.text) == (0, False), terminal.text[-2000:]
        assert used < MOST_HELD
    assert Progress(tmp_path / "home" / "progress.json").notice is None


@pytest.mark.usefixtures("torch_loaded")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.whole(every=14)
def test_who_quits_behind_a_flood_has_left_in_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Right where they are: before any noise led elsewhere."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    with Terminal(*PLACES[name].arguments, home=tmp_path / "home") as terminal:
        PLACES[name].come(terminal)

        assert quit_in_time(terminal, KEYS + PASTE + KEYS) == 0
        assert "Traceback" not in terminal.text
