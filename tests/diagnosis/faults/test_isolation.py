"""What a run could do to the machine and to others, and does not."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import secrets
import subprocess
import tempfile
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio

from inplace_tui.common import confinement
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.protocol.messages import (
    ProgramEnded,
    ProgramStarted,
    ProgramWrote,
    Ready,
)
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import LIMITS, tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

confining = pytest.mark.skipif(
    not confinement.offered().all, reason="this kernel can't confine programs"
)


@pytest_asyncio.fixture(loop_scope="session")
async def kept(worker: Worker) -> Worker:
    """A worker whose runs have namespaces of their own."""
    ready = await worker.ready()
    if not isinstance(ready, Ready) or ready.no_namespace is not None:
        pytest.skip("no namespaces here")
    return worker


async def raised(worker: Worker, source: str, *, confined_first: bool = False) -> str | None:
    """Return what a confined program raised that completes unconfined.

    It is run confined first where it could do only once what it does.
    """
    if confined_first:
        outcome = (await tell(worker, source, origin=Origin.PACK)).outcome
        assert (await tell(worker, source)).outcome == Completed()
    else:
        assert (await tell(worker, source)).outcome == Completed()
        outcome = (await tell(worker, source, origin=Origin.PACK)).outcome
    return outcome.exception if isinstance(outcome, Raised) else None


SHARED = Path("/proc/sysvipc/shm")
SIZE = 2**16 + secrets.randbelow(2**16)
SEGMENT = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
if libc.shmget(0, {SIZE}, 0o1600) < 0: raise OSError(ctypes.get_errno(), "no memory to share")
"""


@pytest.mark.whole
async def test_shared_memory_that_nobody_removes_is_gone_with_its_run(kept: Worker) -> None:
    told = await tell(kept, f"{SEGMENT}print(open('{SHARED}').read())", Mode.RECORD)

    assert told.outcome == Completed()
    assert str(SIZE) in "".join(getattr(event, "text", "") for event in told.events)
    assert str(SIZE) not in SHARED.read_text()  # noqa: ASYNC240  # the kernel answers at once


@confining
@pytest.mark.whole
async def test_a_confined_program_leaves_no_memory_or_queue_in_the_kernel(kept: Worker) -> None:
    """Where there is no namespace to take it along, either."""
    queue = """
import ctypes, os
libc = ctypes.CDLL("librt.so.1", use_errno=True)
if libc.mq_open(b"/fault", os.O_CREAT | os.O_RDWR, 0o600, None) < 0:
    raise OSError(ctypes.get_errno(), "no queue")
"""

    assert await raised(kept, SEGMENT) == "PermissionError"
    assert await raised(kept, queue) == "PermissionError"


@confining
async def test_a_confined_program_finds_no_terminal(kept: Worker) -> None:
    """What is typed there would be gone from whoever it was meant for."""
    main, other = os.openpty()
    try:
        reading = f"import os\nos.open({os.ttyname(other)!r}, os.O_RDONLY | os.O_NOCTTY)"
        assert await raised(kept, reading) == "FileNotFoundError"
    finally:
        os.close(main)
        os.close(other)
    # Nor a console or a keyboard: those left are what `mem` of <linux/major.h> has.
    few = """
import os, stat
there = [os.stat(each) for each in os.scandir("/dev")]
assert {os.major(each.st_rdev) for each in there if stat.S_ISCHR(each.st_mode)} == {1}
"""
    assert (await tell(kept, few, origin=Origin.PACK)).outcome == Completed()
    assert isinstance((await tell(kept, few)).outcome, Raised)


REFUSED = {
    "a device is told something": ("fcntl.ioctl(open('/dev/urandom'), 0x80045200, bytes(4))", ""),
    "a file is told something": ("fcntl.ioctl(open(file), 2, bytes(4))", ""),
    "whoever writes it has to wait": ("fcntl.fcntl(open(file), fcntl.F_SETLEASE, 0)", ""),
    "limits of others": ("resource.prlimit(os.getppid(), resource.RLIMIT_CORE)", ""),
    "a namespace": ("call(56, USER | signal.SIGCHLD, 0, 0, 0, 0) or os._exit(0)", ""),
    "a namespace, asked for anew": (
        "call(435, struct.pack('8Q', USER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64) or os._exit(0)",
        "OSError",
    ),
}


@confining
@pytest.mark.parametrize(("statement", "exception"), REFUSED.values(), ids=REFUSED)
@pytest.mark.whole(every=6)
async def test_a_confined_program_is_refused(
    kept: Worker, tmp_path: Path, statement: str, exception: str
) -> None:
    """What the arguments of a system call make of it."""
    file = tmp_path / "file"
    file.touch()
    source = f"""
import ctypes, fcntl, os, resource, signal, struct
libc, file, USER = ctypes.CDLL(None, use_errno=True), {str(file)!r}, 0x1000_0000
def call(*arguments):
    result = libc.syscall(*arguments)
    if result < 0: raise OSError(ctypes.get_errno(), "refused")
    return result
{statement}
"""
    assert await raised(kept, source) == (exception or "PermissionError")


CALLS = {
    "socket": 41, "connect": 42, "bind": 49, "listen": 50, "io_uring_setup": 425,
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "pidfd_getfd": 438,
    "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93,
    "lchown": 94, "fchownat": 260, "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280,
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463, "removexattr": 197,
    "lremovexattr": 198, "fremovexattr": 199, "removexattrat": 466, "file_setattr": 469,
    "mount": 165, "umount2": 166, "pivot_root": 155, "setns": 308, "unshare": 272, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "mount_setattr": 442, "open_by_handle_at": 304,
    "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298,
    "userfaultfd": 323, "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240,
    "shmat": 30, "shmctl": 31, "shmdt": 67, "semop": 65, "semctl": 66, "semtimedop": 220,
    "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "mq_unlink": 241, "mq_timedsend": 242,
    "mq_timedreceive": 243, "mq_notify": 244, "mq_getsetattr": 245,
    "setpriority": 141, "ioprio_set": 251, "sched_setparam": 142, "sched_setscheduler": 144,
    "sched_setaffinity": 203, "sched_setattr": 314, "migrate_pages": 256, "move_pages": 279,
    "process_madvise": 440, "process_mrelease": 448,
}  # fmt: skip
"""As `man syscalls` has them, with the numbers of x86-64."""


@confining
async def test_no_system_call_leads_around_what_is_refused(worker: Worker) -> None:
    """With arguments that make no sense: refused is whoever is not told so."""
    source = f"""
import ctypes, errno
libc, nonsense = ctypes.CDLL(None, use_errno=True), [ctypes.c_long(-1)] * 6
def refused(number):
    return libc.syscall(number, *nonsense) == -1 and ctypes.get_errno() == errno.EPERM
free = [name for name, number in {CALLS}.items() if not refused(number)]
assert not free, free
"""
    assert (await tell(worker, source, origin=Origin.PACK)).outcome == Completed()


IPC = """
import ctypes, os
libc = ctypes.CDLL("librt.so.1", use_errno=True)
def call(function, *arguments):
    result = getattr(libc, function)(*arguments)
    if result == -1: raise OSError(ctypes.get_errno(), function)
    return result
libc.shmat.restype = ctypes.c_ssize_t
"""
FOREIGN = {
    "memory is written": "ctypes.memset(call('shmat', memory, None, 0), 7, 1)",
    "memory is removed": "call('shmctl', memory, 0, None)",
    "a semaphore is set": "call('semctl', semaphore, 0, 16, 7)",
    "a semaphore is removed": "call('semctl', semaphore, 0, 0)",
    "a message is sent": "call('msgsnd', queue, ctypes.byref(ctypes.c_long(1)), 0, 0)",
    "a queue is removed": "call('msgctl', queue, 0, None)",
    "a named queue is removed": "call('mq_unlink', b'/inplace-fault')",
    "its priority": "os.setpriority(os.PRIO_PROCESS, pid, 19)",
    "the priority of all that one has": "os.setpriority(os.PRIO_USER, 0, 5)",
    "its processors": "os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})",
    "its scheduling": "os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))",
}


@confining
@pytest.mark.parametrize("statement", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.whole(every=4)
async def test_what_others_have_in_the_kernel_is_out_of_reach_without_namespaces(
    unkept: Worker, statement: str
) -> None:
    libc = ctypes.CDLL("librt.so.1", use_errno=True)
    memory, semaphore, queue = libc.shmget(0, 4096, 0o1600), libc.semget(0, 1, 0o1600), 0
    queue = libc.msgget(0, 0o1600)
    named = libc.mq_open(b"/inplace-fault", os.O_CREAT | os.O_RDWR, 0o600, None)
    other = subprocess.Popen(["sleep", "100"])  # noqa: ASYNC220  # it starts at once
    ours = f"memory, semaphore, queue, pid = {memory}, {semaphore}, {queue}, {other.pid}"
    try:
        assert -1 not in {memory, semaphore, queue, named}
        assert await raised(unkept, f"{IPC}{ours}\n{statement}", confined_first=True) == (
            "PermissionError"
        )
    finally:
        other.kill()
        other.wait()
        os.close(named)
        libc.shmctl(memory, 0, None)
        libc.semctl(semaphore, 0, 0)
        libc.msgctl(queue, 0, None)
        libc.mq_unlink(b"/inplace-fault")


STAYS = {
    "memory in a file without a name": """
there = os.memfd_create("x")
os.write(there, bytes(2**20))
""",
    "a lock on what can be read": "fcntl.flock(open(file), fcntl.LOCK_EX | fcntl.LOCK_NB)",
    "what is in a pipe with a name": "assert os.read(os.open(pipe, 0), 4) == b'mine'",
    "what is in shared memory with a name": "assert open(shared).read() == 'mine'",
}
"""As docs/security.md says: reading is not restricted, and so is what reading allows."""


@confining
@pytest.mark.parametrize("statement", STAYS.values(), ids=STAYS)
async def test_what_a_confined_program_may_do_all_the_same(
    unkept: Worker, tmp_path: Path, statement: str
) -> None:
    (tmp_path / "read").touch()
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(pipe, b"mine")
    with tempfile.NamedTemporaryFile("w", dir="/dev/shm") as shared:
        shared.write("mine")
        shared.flush()
        file, pipe_name = str(tmp_path / "read"), str(tmp_path / "pipe")
        names = f"file, pipe, shared = {file!r}, {pipe_name!r}, {shared.name!r}"
        told = await tell(unkept, f"import fcntl, os\n{names}\n{statement}", origin=Origin.PACK)
    os.close(pipe)

    assert told.outcome == Completed()


@confining
@pytest.mark.parametrize("write", ["open('/dev/shm/fault', 'w')", "os.remove(shared)"])
async def test_shared_memory_with_a_name_is_not_written(unkept: Worker, write: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir="/dev/shm") as shared:
        source = f"import os\nshared = {shared.name!r}\n{write}"
        outcome = (await tell(unkept, source, origin=Origin.PACK)).outcome

    assert isinstance(outcome, Raised)
    assert outcome.exception == "PermissionError"


@confining
async def test_a_confined_program_may_be_nice_itself(unkept: Worker) -> None:
    source = "import os\nos.nice(1)\nos.sched_setaffinity(0, os.sched_getaffinity(0))"

    assert (await tell(unkept, source, origin=Origin.PACK)).outcome == Completed()


@confining
@pytest.mark.parametrize("again", ["", "os.execv(sys.executable, [sys.executable, '-c', look])"])
async def test_a_confined_program_is_nobody_special(worker: Worker, again: str) -> None:
    """Not the root of its namespace, and not the root that started it all."""
    source = f"""
import os, re, sys
look = "import re; s = open('/proc/self/status').read(); assert re.search('CapEff.*[1-9a-f]', s)"
{again}
status = open('/proc/self/status').read()
assert not re.search('Cap(Inh|Prm|Eff|Amb):.*[1-9a-f]', status), status
"""
    outcome = (await tell(worker, source, origin=Origin.PACK)).outcome

    assert outcome == Completed() or str(outcome).startswith("Crashed(exit_code=1,")


@confining
@pytest.mark.parametrize("name", ["AS", "FSIZE", "CORE", "CPU"])
async def test_a_limit_is_not_raised(worker: Worker, name: str) -> None:
    source = f"import resource\nresource.setrlimit(resource.RLIMIT_{name}, (-1, -1))"

    outcome = (await tell(worker, source, origin=Origin.PACK)).outcome

    assert isinstance(outcome, Raised)
    assert outcome.exception == "ValueError"


async def test_the_kernel_takes_a_run_before_the_screen(worker: Worker) -> None:
    source = "assert open('/proc/self/oom_score_adj').read() == '1000\\n'"

    assert (await tell(worker, source)).outcome == Completed()


async def test_a_program_of_little_memory_cannot_give_itself_much(worker: Worker) -> None:
    source = """
import resource
_, most = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
x = bytearray(2**30)
"""
    limits = Limits(seconds=20, memory_bytes=2**28)

    outcome = (await tell(worker, source, limits=limits, origin=Origin.PACK)).outcome

    assert isinstance(outcome, Raised)
    assert outcome.exception == "MemoryError"


@pytest.mark.whole
async def test_the_kernel_refuses_what_nobody_counts_in_time(kept: Worker) -> None:
    """Threads are counted by nobody else; a fork bomb can keep whoever counts from counting."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    assert version is not None
    if os.geteuid() == 0 and tuple(map(int, version.groups())) < (6, 14):
        pytest.skip("nothing keeps root from it here")
    source = """
import threading
threading.stack_size(32_768)
still = threading.Event()
for _ in range(2000): threading.Thread(target=still.wait, daemon=True).start()
"""

    outcome = (await tell(kept, source, limits=Limits(seconds=20, processes=20))).outcome

    assert isinstance(outcome, Raised)
    assert outcome.message == "can't start new thread"


@pytest.mark.whole
async def test_a_program_without_an_end_of_its_own_ends_no_other(
    unkept: Worker, tmp_path: Path
) -> None:
    """What it puts in the place of `os._exit` must not let it go on as the worker it came from."""
    waiting = f"import os\nwhile not os.path.exists({str(tmp_path / 'now')!r}): pass"
    endless = "import os, sys\nos._exit = sys.exit = lambda *_: 0"
    async with aclosing(
        unkept.run(Program(source=waiting, origin=Origin.OWN), Mode.BARE, LIMITS)
    ) as reports:
        assert isinstance(await anext(reports), ProgramStarted)

        assert (await tell(unkept, endless)).outcome == Completed()
        assert (await tell(unkept, endless, Mode.RECORD)).outcome == Completed()
        (tmp_path / "now").touch()

        ends = [each async for each in reports if not isinstance(each, ProgramWrote)]
    assert ends == [ProgramEnded(outcome=Completed())]


@confining
@pytest.mark.skipif(confinement._landlock() < 6, reason="Linux 6.12 keeps signals in")
async def test_signals_reach_no_process_of_the_user_without_namespaces_either(
    unkept: Worker,
) -> None:
    with subprocess.Popen(["sleep", "1000"]) as victim:  # noqa: ASYNC220
        source = f"import os, signal\nos.kill({victim.pid}, signal.SIGCONT)\n"
        try:
            refused = await raised(unkept, source)
        finally:
            victim.kill()
    assert refused == "PermissionError"
