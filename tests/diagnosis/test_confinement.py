"""Confined programs reach neither the network nor anybody's files."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from inplace_tui.common.confinement import offered
from inplace_tui.common.run.outcome import Completed, Outcome, Raised
from inplace_tui.common.run.program import Mode, Origin
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import tell

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not offered().all, reason="this kernel can't confine programs"),
]

WRITES = {
    "create": "open(there / 'new', 'w')",
    "append": "open(there / 'kept', 'a').write('more')",
    "truncate": "os.truncate(there / 'kept', 0)",
    "remove": "os.unlink(there / 'kept')",
    "rename": "os.rename(there / 'kept', there / 'new')",
    "rename in": "open('mine', 'w').close(); os.rename('mine', there / 'new')",
    "link": "os.link(there / 'kept', there / 'new')",
    "through a link": "os.symlink(there / 'kept', 'mine'); open('mine', 'w')",
    "folder": "os.mkdir(there / 'new')",
    "pipe": "os.mkfifo(there / 'new')",
    "mode": "os.chmod(there / 'kept', 0o777)",
    "times": "os.utime(there / 'kept')",
    "in another process": "subprocess.run(['sh', '-c', f'echo x > {there}/new'])",
}
CONNECTIONS = {
    "tcp": "socket.create_connection(('127.0.0.1', port))",
    "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
    "unix": "socket.socket(socket.AF_UNIX).connect('/run/anything')",
    "datagrams of a pair": """
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"x", "/run/anything")
""",
    "x32": "call(0x4000_0000 + 41, 2, 1, 0)",
    "io_uring": "call(425, 1, bytes(120))",
    # push rbx; eax = 359, socket of i386; ebx, ecx, edx = 2, 1, 0; int 0x80; pop rbx; ret
    "i386": """
import mmap
code = bytes.fromhex("53 b867010000 bb02000000 b901000000 31d2 cd80 5b c3")
page = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
assert result < 0, f"socket {result}"
raise OSError(-result, "as i386")
""",
}


async def confined(worker: Worker, source: str) -> Outcome:
    return (await tell(worker, source, origin=Origin.PACK)).outcome


def listing(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return all that can be seen of what lies in a folder."""
    return {
        path.name: (
            path.read_bytes() if path.is_file() else b"",
            path.stat().st_mode,
            path.stat().st_mtime_ns,
        )
        for path in folder.iterdir()
    }


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
async def test_nothing_is_written_but_in_the_scratch_folder(
    worker: Worker, tmp_path: Path, write: str
) -> None:
    """The same program, run unconfined, does write: so the test would notice."""
    there, folder = tmp_path / "there", tmp_path / "folder"
    there.mkdir()
    folder.mkdir()
    (there / "kept").write_text("as it was")
    before = listing(there)
    source = f"""
import os, subprocess
from pathlib import Path
there = Path({str(there)!r})
"""

    await confined(worker, source + write)
    untouched = listing(there)
    await tell(worker, f"{source}os.chdir({str(folder)!r})\n{write}")

    assert untouched == before
    assert listing(there) != before


@pytest.mark.parametrize("connect", CONNECTIONS.values(), ids=CONNECTIONS)
async def test_there_is_no_network(worker: Worker, connect: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = f"""
import ctypes, os, socket
port = {server.getsockname()[1]}
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
{connect}
"""
        outcome = await confined(worker, source)

    assert isinstance(outcome, Raised)
    assert outcome.exception == "PermissionError"


async def test_the_scratch_folder_is_empty_writable_and_gone_afterwards(worker: Worker) -> None:
    source = """
import os, tempfile, torch
assert os.listdir() == []
torch.save(torch.ones(3), "x.pt")
assert torch.load("x.pt").tolist() == [1, 1, 1]
assert tempfile.mkdtemp().startswith(os.getcwd())
"""
    for _ in range(2):
        assert await confined(worker, source) == Completed()


async def test_the_scratch_folder_is_bounded(worker: Worker) -> None:
    source = "with open('big', 'wb') as file:\n    while True: file.write(bytes(2**20))"

    outcome = await confined(worker, source)

    assert isinstance(outcome, Raised)
    assert "No space left" in outcome.message


async def test_threads_subprocesses_and_backward_work_when_confined(worker: Worker) -> None:
    source = """
import multiprocessing, socket, subprocess, threading, torch
socket.socketpair()
subprocess.run(["true"], check=True)
thread = threading.Thread(target=print)
thread.start()
thread.join()
x = torch.ones(3, requires_grad=True)
torch.nn.functional.linear(x, torch.ones(2, 3)).sum().backward()
"""
    assert await confined(worker, source) == Completed()


async def test_a_recorded_run_is_confined_too(worker: Worker, tmp_path: Path) -> None:
    source = f"open({str(tmp_path / 'new')!r}, 'w')"

    told = await tell(worker, source, Mode.RECORD, origin=Origin.PACK)

    assert isinstance(told.outcome, Raised)
