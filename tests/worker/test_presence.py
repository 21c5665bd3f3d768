"""Whoever is at a keyboard is served before what runs."""

import asyncio
import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from inplace_tui.common.presence import ANSWERING, Presence
from inplace_tui.common.run.step import Step
from inplace_tui.diagnosis.runner.forked import BRISK, REST, ReportPipe, give_way
from inplace_tui.diagnosis.runner.process import NICENESS
from inplace_tui.tutorial.drive.session_runner import LONGEST, _Batch
from support.clock import Clock

LOOKING = 0.01
"""Seconds from one look whether something is shown to the next."""


def test_what_a_process_forks_after_it_gave_way_is_served_after_others() -> None:
    waits = subprocess.Popen(
        ["sh", "-c", "read line; cut -d' ' -f19 /proc/self/stat; cat /proc/self/autogroup"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    give_way(waits.pid)
    said, _ = waits.communicate("\n")
    niceness, *session = said.split()
    assert int(niceness) == max(NICENESS, os.nice(0))
    if session:  # "/autogroup-12 nice 5", where the kernel has it
        assert session[-1] == str(NICENESS)


def test_who_is_nicer_already_stays_so() -> None:
    waits = subprocess.Popen(
        ["nice", "-n", "12", "sh", "-c", "read line; nice"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while Path(f"/proc/{waits.pid}/comm").read_text() != "sh\n":
        time.sleep(0.001)
    give_way(waits.pid)
    assert waits.communicate("\n")[0] == f"{max(NICENESS, min(19, os.nice(0) + 12))}\n"


def test_a_pipe_that_flows_is_read_in_few_pieces_and_to_its_end() -> None:
    async def pieces() -> list[bytes]:
        reading, writing = os.pipe()
        pipe = ReportPipe(reading, rests=True)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def write() -> None:
            for number in range(100):
                os.write(writing, b"%02d" % number)
                await asyncio.sleep((BRISK + 4 * REST) / 100)
            os.close(writing)

        task, found = asyncio.create_task(write()), []
        while data := await pipe.read(ended):
            found.append(data)
        await task
        pipe.close()
        return found

    found = Clock().run(pieces())
    assert b"".join(found) == b"".join(b"%02d" % number for number in range(100))
    assert len(found[0]) == 2, "the first ones are read as they come"
    assert len(found) < 90


def test_a_pipe_that_somebody_holds_open_ends_with_the_child() -> None:
    async def last() -> list[bytes]:
        reading, writing = os.pipe()
        pipe = ReportPipe(reading, rests=True)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        os.write(writing, b"last words")
        ended.set_result(None)
        found = [await pipe.read(ended), await pipe.read(ended)]
        pipe.close()
        os.close(writing)
        return found

    assert asyncio.run(last()) == [b"last words", b""]


def delivered_after(keys_for: float, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return when a step is shown while keys are pressed for so long, in seconds."""
    clock = Clock()
    monkeypatch.setattr("inplace_tui.common.presence.time", SimpleNamespace(monotonic=clock.time))

    async def shown() -> float:
        presence, seen = Presence(), asyncio.Event()
        batch = _Batch(lambda _: seen.set(), presence)
        loop = asyncio.get_running_loop()
        began = loop.time()
        presence.touched()
        batch.add(Step(index=0, began=0, line=1, end_line=1))
        while not seen.is_set():
            if loop.time() - began < keys_for:
                presence.touched()
            await asyncio.sleep(LOOKING)
        return loop.time() - began

    return clock.run(shown())


def test_steps_are_shown_when_a_key_is_answered_and_keys_put_them_off_only_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ANSWERING <= delivered_after(0.0, monkeypatch) <= ANSWERING + 2 * LOOKING
    assert LONGEST <= delivered_after(5.0, monkeypatch) <= LONGEST + 2 * LOOKING
