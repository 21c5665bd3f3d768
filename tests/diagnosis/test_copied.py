"""A copy of a program that stopped before its fault does what a run from the start does."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
import yaml

from inplace_tui.common.run.outcome import Completed, TimedOut
from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program, Stop
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.drive import before_fault
from inplace_tui.diagnosis.drive.before_fault import copies_before_fault, worth_copying
from inplace_tui.diagnosis.drive.copies import FaultCopies
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.fixes.rows import facts
from inplace_tui.diagnosis.runner import memory
from inplace_tui.diagnosis.runner.forked import largest, unshared
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROGRAMS = yaml.safe_load(Path(__file__).with_name("copied.yaml").read_text(encoding="utf-8"))
LIMITS = Limits(seconds=60.0, in_view=True)
FIRST = Detail(elements=False, digests=True, witness=True, timed=True)
DIGESTS = Detail(elements=False, digests=True)


@asynccontextmanager
async def copied(worker: Worker, source: str) -> AsyncIterator[FaultCopies | None]:
    program = Program(source=source, origin=Origin.OWN, draws_alike=True)
    first = await evidence(worker, program, Mode.BARE, LIMITS, FIRST)
    stop = worth_copying(program, first, LIMITS)
    assert stop is not None
    async with copies_before_fault(worker, program, first, stop, LIMITS) as copies:
        yield copies


@pytest.fixture(autouse=True)
def _short_programs_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(before_fault, "COPIED_FROM", 0.0)


def mended(source: str) -> Program:
    (line,) = (each for each in source.splitlines() if each.endswith("# fault"))
    edited = line.replace(".mul_(", ".mul(").removesuffix("  # fault")
    assert edited != line
    return Program(source=source.replace(line, edited), origin=Origin.OWN, draws_alike=True)


def delivered(run: Evidence) -> list[object]:
    return [(each.line, each.raised, each.gradients) for each in run.backwards]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.whole(every=5)
async def test_a_copy_goes_on_as_a_run_from_the_start_does(worker: Worker, name: str) -> None:
    program = mended(PROGRAMS[name])
    async with copied(worker, PROGRAMS[name]) as copies:
        assert copies is not None
        for _ in range(2):  # none changes what the next one finds
            mine = await evidence(copies, program, Mode.BARE, LIMITS, DIGESTS)
            whole = await evidence(worker, program, Mode.BARE, LIMITS, DIGESTS)

            began = mine.begun - len(mine.backwards)
            assert isinstance(mine.outcome, Completed)
            assert isinstance(whole.outcome, Completed)
            assert 1 <= began <= 4 * (1 + ("two backwards" in name))
            assert delivered(mine) == delivered(whole)[began : mine.begun]
            assert len(mine.backwards) >= 2
        assert not copies.from_start


REFUSED = yaml.safe_load(Path(__file__).with_name("not_copied.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.whole(every=4)
async def test_no_copy_is_made_of_what_it_would_lack_or_share(worker: Worker, name: str) -> None:
    source = PROGRAMS["plain"].replace("import torch\n", f"import torch\n{REFUSED[name]}", 1)
    async with copied(worker, source) as copies:
        assert copies is None


NESTED = PROGRAMS["nested backwards"].replace("Nested.apply(w, 20)", "Nested.apply(w, 80)")
WRITES = PROGRAMS["plain"].replace(
    "    optimizer.step()", "    optimizer.step()\n    torch.save(w, 'FOLDER/w.pt')"
)


@pytest.mark.parametrize("source", [NESTED, WRITES], ids=["deeply nested", "writes a file"])
async def test_no_copy_is_made_where_one_ends_otherwise(
    worker: Worker, source: str, tmp_path: Path
) -> None:
    async with copied(worker, source.replace("FOLDER", str(tmp_path))) as copies:
        assert copies is None


async def test_no_copy_is_made_that_would_hold_too_much_beside_the_program(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer = "    optimizer.step()"
    slow = PROGRAMS["plain"].replace(optimizer, f"{optimizer}\n    __import__('time').sleep(0.3)")

    async with copied(worker, slow) as copies:
        assert copies is not None
    monkeypatch.setattr(memory, "MORE", 0.01)
    async with copied(worker, slow) as copies:
        assert copies is None


async def test_what_a_fork_shares_is_not_held_by_it() -> None:
    size = 160 * 2**20
    kept = bytearray(os.urandom(size))
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        mine = bytearray(kept[: size // 2])
        os.write(tell, bytes(mine[:1]))
        signal.pause()
    try:
        os.read(told, 1)

        assert size // 2 <= unshared(pid) < size
        assert largest(pid) > size
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)  # noqa: ASYNC222
        os.close(told)
        os.close(tell)


EDITS = {
    "a constant": ("CONSTANT = 1", "CONSTANT = 2"),
    "an import": ("import math", "import cmath as math"),
    "a decorator": ("@torch.no_grad()", "@torch.enable_grad()"),
    "a base": ("class Net(torch.nn.Module)", "class Net(torch.nn.Identity)"),
    "a default": ("def plain(x, by=1)", "def plain(x, by=2)"),
    "what a loop goes through": ("range(6)", "range(7)"),
    "a generator that has begun": ("yield each", "yield each + 0"),
    "a variable of a function around": ("return x + outer", "return x + outer + other"),
    "a function that is running": ("began = True", "began = False"),
    "what has run before": ("self.scale = 1", "self.scale = 2"),
}
EDITED = """\
import math
import torch
CONSTANT = 1
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1
    def forward(self, x):
        return x
def plain(x, by=1):
    return x * by
@torch.no_grad()
def decorated(x):
    return x
def around(outer, other):
    def inner(x):
        return x + outer
    return inner, other
inner, _ = around(0, 0)
def items():
    for each in range(6):
        yield each
w = torch.nn.Parameter(torch.ones(4))
net = Net()
def train():
    for step in items():
        h = torch.exp(w * net.scale)
        if step == 4:
            h = h.mul_(2)  # fault
        h.sum().backward()
def main():
    began = True
    train()
    return began
main()
"""


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.whole(every=4)
async def test_what_a_copy_cannot_go_on_with_is_run_from_the_start(
    worker: Worker, name: str
) -> None:
    assert EDITS[name][0] in EDITED
    program = mended(EDITED.replace(*EDITS[name]))
    async with copied(worker, EDITED) as copies:
        assert copies is not None
        mine = await evidence(copies, program, Mode.BARE, LIMITS, DIGESTS)
        whole = await evidence(worker, program, Mode.BARE, LIMITS, DIGESTS)

        assert copies.from_start == {program.source}
        assert delivered(mine) == delivered(whole)[mine.begun - len(mine.backwards) : mine.begun]
        assert isinstance(mine.outcome, Completed)
        assert copies.runs == 2


def is_there(pid: int | None) -> bool:
    return Path(f"/proc/{pid}").exists()


async def gone(pid: int | None) -> bool:
    for _ in range(100):
        if not is_there(pid):
            return True
        await asyncio.sleep(0.05)
    return False


async def test_nothing_is_left_of_a_stopped_program_and_its_copies(worker: Worker) -> None:
    program = mended(PROGRAMS["plain"])
    endless = msgspec.structs.replace(
        program, source=program.source + "    while step == 4: pass\n"
    )
    async with copied(worker, PROGRAMS["plain"]) as copies:
        assert copies is not None
        (stopped,) = copies._stopped.values()
        short = msgspec.structs.replace(LIMITS, seconds=0.5)
        ran = await evidence(copies, endless, Mode.BARE, short, DIGESTS)
        assert isinstance(ran.outcome, TimedOut)

        running = asyncio.create_task(evidence(copies, endless, Mode.BARE, LIMITS, DIGESTS))
        pid = None
        while pid is None:
            await asyncio.sleep(0.02)
            pid = next((each.pid for each in stopped._runs.under_way.values()), None)
        assert is_there(pid)
        assert stopped._pid is not None
        os.kill(stopped._pid, signal.SIGKILL)
        assert await gone(pid)  # it dies with what it is a copy of
        assert not isinstance((await running).outcome, Completed)

        # For what comes after, it is run up to there once more.
        again = await evidence(copies, program, Mode.BARE, LIMITS, DIGESTS)
        assert isinstance(again.outcome, Completed)
        assert not copies.from_start
        (stopped,) = copies._stopped.values()
        assert is_there(stopped._pid)
    assert await gone(stopped._pid)


def found(case: Case) -> list[tuple[bool, int | None]]:
    return [(fix.copied, fix.held_to) for fix in case.fixes]


async def test_the_best_fix_is_run_whole_and_the_others_say_how_far_they_held(
    worker: Worker,
) -> None:
    program = Program(source=PROGRAMS["in a function that is called"], origin=Origin.OWN)

    case = await explain(worker, program, Options(budget=120))

    assert case.blame is not None
    assert [write.line for write in case.blame.writes] == [6]
    assert found(case)[0] == (True, None)
    assert set(found(case)[1:]) == {(True, 6)}
    phrases = [" · ".join(facts(fix, "en")) for fix in case.fixes]
    assert phrases[0].endswith(
        "tried in a copy of the running program, then run whole from the start"
    )
    assert phrases[1].endswith("tried in a copy of the running program: held to step 6")


BREAKS_LATER = (
    PROGRAMS["plain"]
    .replace("range(6)", "range(10)")
    .replace(
        "    optimizer.step()",
        "    optimizer.step()\n    if step == 8:\n        raise ValueError(step)",
    )
)


async def test_a_fix_that_fails_in_its_whole_run_is_none(worker: Worker) -> None:
    program = Program(source=BREAKS_LATER, origin=Origin.OWN)

    case = await explain(worker, program, Options(budget=120))

    assert case.tried
    assert not case.fixes


async def test_without_the_time_for_a_whole_run_a_fix_says_how_far_it_held(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FaultCopies.__init__

    def lasts_long(
        self: FaultCopies, worker: Worker, program: Program, stop: Stop, _seconds: float
    ) -> None:
        real(self, worker, program, stop, 1e6)

    monkeypatch.setattr(FaultCopies, "__init__", lasts_long)
    program = Program(source=BREAKS_LATER, origin=Origin.OWN)

    case = await explain(worker, program, Options(budget=120))

    assert set(found(case)) == {(True, 6)}


IN_PLACE_FROM_THE_START = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.relu = nn.ReLU(inplace=True)
    def forward(self, x, step):
        h = torch.exp(self.linear(x))
        return (self.relu(h) if step == 4 else h * 2).sum()
net = Net()
for step in range(6):
    net(torch.rand(3, 4), step).backward()
"""


async def test_what_runs_from_the_start_says_so(worker: Worker) -> None:
    program = Program(source=IN_PLACE_FROM_THE_START, origin=Origin.OWN)

    case = await explain(worker, program, Options(budget=120))

    ways = {fix.title.en.partition(" ")[0]: fix for fix in case.fixes}
    option = ways["Let"]
    assert not option.copied
    assert any(fix.copied for fix in case.fixes)
    if option.held_to is not None:
        assert "run from the start: held to step 6" in facts(option, "en")
