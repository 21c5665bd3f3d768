"""Guards of a line or two, each with what happens where it is missing."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from inplace_tui.common.atomic_files import lock, read_start, read_whole, write_file
from inplace_tui.common.run.outcome import Completed
from inplace_tui.diagnosis.protocol.messages import Frames, ProgramEnded, Report
from inplace_tui.diagnosis.record.process.forked import ReportsPipe
from inplace_tui.diagnosis.record.process.reports import Reports
from inplace_tui.tutorial.drive.packs import read_pack
from support.packs import write_pack
from support.patience import in_time


class LateError(Exception):
    """What a program's signal handler raises."""


def test_a_signal_handler_that_raises_leaves_no_half_report() -> None:
    """It raises once the report is written, however long that takes."""
    reading, writing = os.pipe()
    size = fcntl.fcntl(reading, fcntl.F_GETPIPE_SZ)
    faults = ("x" * 4 * size,)
    heard = bytearray()

    def read() -> None:
        time.sleep(0.3)  # the pipe is full, and the alarm has rung
        while data := os.read(reading, 65_536):
            heard.extend(data)

    def handler(*_: object) -> None:
        raise LateError

    reader = threading.Thread(target=read)
    before = signal.signal(signal.SIGALRM, handler)
    reports = Reports(ReportsPipe(writing))
    reader.start()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(LateError):
            reports.send(ProgramEnded(outcome=Completed(), faults=faults))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        os.close(writing)
        reader.join()
        os.close(reading)
    (report,) = Frames[Report](Report).feed(bytes(heard))

    assert report == ProgramEnded(outcome=Completed(), faults=faults)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero", "pipe"])
def test_what_is_no_file_is_not_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")

    def refusal() -> str:
        try:
            read_whole(tmp_path / name, 10)
        except OSError as error:
            return error.strerror or ""
        return "it was read"

    assert in_time(refusal) == "not a regular file"


def test_a_folder_is_not_read_and_not_left_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path, 10)

    assert len(os.listdir("/proc/self/fd")) == before


def test_a_pipe_that_a_shell_hands_over_is_waited_for() -> None:
    reading, writing = os.pipe()

    def hand_over() -> None:
        os.write(writing, b"late")
        os.close(writing)

    threading.Timer(0.2, hand_over).start()

    assert in_time(lambda: read_start(Path(f"/dev/fd/{reading}"), 10)) == b"late"
    os.close(reading)


def test_a_device_that_is_named_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_file(pipe, b"exported")

    assert os.read(reading, 100) == b"exported"
    assert pipe.is_fifo()
    os.close(reading)


@contextmanager
def held(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    with held(tmp_path / "lock") as descriptor:
        threading.Timer(0.2, os.close, (descriptor,)).start()
        with lock(tmp_path / "lock", patience=20) as is_ours:
            assert is_ours


def test_a_lock_that_is_never_given_back_is_gone_on_without(tmp_path: Path) -> None:
    def tried() -> tuple[bool, float]:
        begun = time.monotonic()
        with lock(tmp_path / "lock", patience=0.3) as is_ours:
            return is_ours, time.monotonic() - begun

    with held(tmp_path / "lock"):
        is_ours, took = in_time(tried)

    assert (is_ours, took > 0.25) == (False, True)


def test_a_pipe_in_a_pack_holds_nobody_up(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "theirs", "new-idea")
    os.mkfifo(pack / "pipe")

    assert in_time(lambda: len(read_pack(pack).course.problems)) == 1
