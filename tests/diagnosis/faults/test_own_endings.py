"""A program of one's own loses nothing at its end that Python would have kept."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.program import Mode, Origin
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODES = [Mode.RECORD, Mode.BARE, Mode.CLONED]
LEAVES = """
import atexit, tempfile, threading, time
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
there = Path({there!r})
kept = open(there / "kept", "w")
kept.write("not flushed")
def store(): (there / "at exit").write_text("stored")
atexit.register(store)
folder = tempfile.TemporaryDirectory(dir=there)
memory = SharedMemory(create=True, size=16)
(there / "name").write_text(memory.name)
def late():
    time.sleep(0.1)
    (there / "late").write_text("by a thread")
threading.Thread(target=late).start()
{end}
"""


def left(folder: Path) -> dict[str, str]:
    """Return what is in the files of a folder; folders are none."""
    return {each.name: each.read_text() if each.is_file() else "" for each in folder.iterdir()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("end", ["", "1 / 0", "raise SystemExit"])
@pytest.mark.whole(every=3)
async def test_files_functions_folders_and_threads_are_done_with(
    worker: Worker, tmp_path: Path, mode: Mode, end: str
) -> None:
    told = await tell(worker, LEAVES.format(there=str(tmp_path), end=end), mode)

    assert isinstance(told.outcome, Raised if "/" in end else Completed)
    found = left(tmp_path)
    name = found.pop("name")
    assert found == {"kept": "not flushed", "at exit": "stored", "late": "by a thread"}
    assert name not in os.listdir("/dev/shm")


ENDLESS = {
    "a function": "import atexit, time\natexit.register(time.sleep, 1000)",
    "a loop": "import atexit\ndef loop():\n    while True: pass\natexit.register(loop)",
    "a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "an object": "class Odd:\n    def __del__(self):\n        while True: pass\nodd = Odd()",
}


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.whole(every=4)
async def test_an_end_without_an_end_is_one(worker: Worker, source: str) -> None:
    began = time.monotonic()

    told = await tell(worker, source)

    assert told.outcome == Completed()
    assert time.monotonic() - began < 10


async def test_what_the_worker_registered_is_not_run(worker: Worker, tmp_path: Path) -> None:
    source = f"""
import atexit
assert atexit._ncallbacks() <= 3
class Odd:
    def flush(self): open({str(tmp_path / "odd")!r}, "w")
odd = Odd()
"""
    assert (await tell(worker, source)).outcome == Completed()
    assert not (tmp_path / "odd").exists()


async def test_a_program_of_a_lesson_has_nothing_to_end(worker: Worker) -> None:
    source = "import atexit, os\natexit.register(os.kill, os.getpid(), 9)"

    assert (await tell(worker, source, origin=Origin.BUILT_IN)).outcome == Completed()
