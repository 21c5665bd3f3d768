"""Runs after the first leave nothing behind: no file, no process, no port."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from conftest import UNKEPT
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    NotReproducible,
    Raised,
    Right,
    Unverified,
)
from inplace_tui.common.run.program import Limits, Mode, Origin, Pause, Program
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.drive.explain import Options, explain, no_replays
from inplace_tui.diagnosis.drive.runs import Leftovers, evidence, verify
from inplace_tui.diagnosis.explain import report as page
from inplace_tui.diagnosis.explain.explanation import Case, Reruns, culprits
from inplace_tui.diagnosis.protocol.messages import Ready, TensorFound
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import ForecastRequested, Move, Moved
from inplace_tui.tutorial.drive.paused_run import DivergedError
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.forecast.forecast import Forecast, Runs, Unknown, UnknownReason
from support.command import COMMAND, WARM, inherited, make_home, run_command
from support.patience import PATIENCE
from support.processes import marked
from support.running import LIMITS, tell

pytestmark = pytest.mark.usefixtures("warm_torch")
in_session = pytest.mark.asyncio(loop_scope="session")

VIEW = msgspec.structs.replace(LIMITS, in_view=True)

ANOTHER_USER = 54_321
AS = Path(__file__).parents[1] / "support" / "another_user.py"

LONG_AGO = 1_000_000_000 * 10**9
"""When everything was written that a program finds, in nanoseconds."""

STALE = """
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.add_(1)
"""

WRITING = f"""
import os, socket, subprocess, sys, tempfile, time
import torch
import helper
home, temporary = os.path.expanduser("~"), tempfile.gettempdir()
os.makedirs("out/deep", exist_ok=True)
torch.save(torch.ones(2, 2), "out/deep/model.pt")
for name in ("log.csv", f"{{home}}/.cache/state", f"{{temporary}}/left.txt", "out/steps.txt"):
    with open(name, "a") as file:
        file.write("row\\n")
with open("data.bin", "r+b") as file:
    file.write(b"new")
os.chmod("data.bin", 0o600)
try:
    open("locked.txt", "w").close()
except PermissionError:
    print("locked")
if not os.path.lexists("link"):
    os.symlink("out", "link")
subprocess.run(["sh", "-c", "echo row >> child.txt"], check=True)
server = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
socket.create_connection(server.getsockname()).close()
subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
{STALE}
print("END", time.time_ns(), flush=True)
y.sum().backward()
"""

DELETING = f"""
import os, time, torch
os.remove("in/input.txt")
{STALE}
print("END", time.time_ns(), flush=True)
y.sum().backward()
"""


@pytest_asyncio.fixture(loop_scope="session")
async def viewing(worker: Worker) -> Worker:
    """A worker whose runs can have a view."""
    ready = await worker.ready()
    if not isinstance(ready, Ready) or ready.no_view is not None:
        pytest.skip("no view here")
    return worker


@dataclass(frozen=True)
class Tree:
    """A folder with all that a program can reach of it."""

    root: Path
    user: int | None

    def make(self) -> None:
        """Make it as a program finds it."""
        shutil.rmtree(self.root, ignore_errors=True)
        work = self.root / "work"
        for name in ("home/.cache", "tmp", "work/in"):
            (self.root / name).mkdir(parents=True)
        (work / "writing.py").write_text(WRITING)
        (work / "deleting.py").write_text(DELETING)
        (work / "helper.py").write_text("x = 1\n")
        (work / "log.csv").write_text("row of yesterday\n")
        (work / "data.bin").write_bytes(b"old data")
        (work / "locked.txt").write_text("locked")
        (work / "locked.txt").chmod(0o444)
        (work / "in" / "input.txt").write_text("input")
        for path in self.paths():
            os.utime(path, ns=(LONG_AGO, LONG_AGO))
            if self.user is not None:
                os.chown(path, self.user, self.user)

    def paths(self) -> list[Path]:
        # Torch leaves an empty folder of this name where its compiler is imported.
        found = [each for each in self.root.rglob("*") if "torchinductor" not in each.name]
        return [self.root, *sorted(found)]

    def contents(self) -> dict[Path, tuple[int, object]]:
        found: dict[Path, tuple[int, object]] = {}
        for path in self.paths():
            mode = path.lstat().st_mode
            held: object = None
            if stat.S_ISLNK(mode):
                held = path.readlink()
            elif stat.S_ISREG(mode):
                held = path.read_bytes()
            found[path] = mode, held
        return found

    def times(self) -> dict[Path, int]:
        return {path: path.lstat().st_mtime_ns for path in self.paths()}

    def call(self, *command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Call something as the user, with the tree for home and temporary folder."""
        surroundings = {
            **inherited(),
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "LANG": "C.UTF-8",
            **environment,
        }
        as_user: list[str | Path] = []
        if self.user is not None:
            as_user = ["unshare", "-m", sys.executable, AS, str(self.user)]
        return subprocess.run(
            [*as_user, *command],
            cwd=self.root / "work",
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )


@pytest.fixture(params=["another-user", "same-user"])
def tree(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    user = None
    if request.param == "another-user":
        if os.geteuid() != 0:
            pytest.skip("only root can be another user")
        user = ANOTHER_USER
    for name in ("WARM_TORCH", "PYTHONPATH"):  # the host is the tester, with a folder of its own
        monkeypatch.delitem(WARM, name)
    root = Path(tempfile.mkdtemp(prefix="view-"))
    yield Tree(root / "tree", user)
    shutil.rmtree(root)


def ends(text: str) -> list[int]:
    return [int(line.split()[1]) for line in text.splitlines() if line.startswith("END")]


@pytest.mark.whole
@in_session
async def test_explain_leaves_what_python_leaves(tree: Tree, viewing: Worker) -> None:
    tree.root.parent.chmod(0o755)
    make_home(tree.root.parent / "ours")
    with socket.create_server(("127.0.0.1", 0)) as any_server:
        port = str(any_server.getsockname()[1])
    mark = f"VIEW={secrets.token_hex(8)}"
    ours = {"PORT": port, "VIEW": mark.partition("=")[2]}

    tree.make()
    plain = [tree.call(sys.executable, name, **ours) for name in ("writing.py", "deleting.py")]
    for process in marked(mark):
        os.kill(process, signal.SIGKILL)
    wanted, touched = tree.contents(), {p for p, t in tree.times().items() if t != LONG_AGO}
    tree.make()
    home = str(tree.root.parent / "ours")
    if tree.user is not None:
        for path in (tree.root.parent / "ours").rglob("*"):
            os.chown(path, tree.user, tree.user)
        os.chown(home, tree.user, tree.user)
    done = tree.call(
        COMMAND, "explain", "--json", "writing.py", "deleting.py", INPLACE_TUI_HOME=home, **ours
    )

    assert ["RuntimeError" in each.stderr for each in plain] == [True, True]
    assert "own files can't be kept" not in done.stderr
    assert tree.contents() == wanted
    times = tree.times()
    assert {path for path, at in times.items() if at != LONG_AGO} == touched
    first, second = ends(done.stderr)
    deleted_in = tree.root / "work" / "in"
    assert {path for path, at in times.items() if at > first} == {deleted_in}
    assert times[deleted_in] <= second
    assert not marked(mark)
    socket.create_server(("127.0.0.1", int(port))).close()
    decoder = json.JSONDecoder()
    writing, at = decoder.raw_decode(done.stdout)
    deleting, _ = decoder.raw_decode(done.stdout[at:].lstrip())
    assert writing["ending"] == deleting["ending"] == "raises_in_backward"
    assert writing["fixes"]
    assert writing["runs"] > 3
    assert deleting["doubt"] is not None
    assert deleting["culprits"][0]["source"] == "y.add_(1)"


@in_session
async def test_a_run_in_a_view_has_ports_of_its_own_and_no_way_out(viewing: Worker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        source = f"""
import errno, socket
try:
    socket.create_connection(("127.0.0.1", {taken.getsockname()[1]}))
except ConnectionRefusedError:
    server = socket.create_server({taken.getsockname()})
    socket.create_connection(server.getsockname())
else:
    raise SystemExit("it reached the test")
try:
    socket.create_connection(("192.0.2.1", 80))
except OSError as error:
    assert error.errno == errno.ENETUNREACH, error
else:
    raise SystemExit("it reached a network")
"""
        assert (await tell(viewing, source, limits=VIEW)).outcome == Completed()


SPREAD = """
import os, torch
import torch.distributed as dist
from torch.utils.data import DataLoader
class Numbers(torch.utils.data.Dataset):
    def __len__(self): return 4
    def __getitem__(self, index): return torch.full((2,), float(index))
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29500", RANK="0", WORLD_SIZE="1")
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
for batch in DataLoader(Numbers(), batch_size=2, num_workers=1):
    model(batch).sum().backward()
dist.destroy_process_group()
"""


@in_session
async def test_a_distributed_training_runs_in_a_view(viewing: Worker) -> None:
    assert (await tell(viewing, SPREAD, limits=VIEW)).outcome == Completed()


@in_session
async def test_a_run_in_a_view_sees_what_was_written_before_it(
    viewing: Worker, tmp_path: Path
) -> None:
    """And what it does to files it sees itself, and nobody else does."""
    odd = tmp_path / "a,b:c\\d é"
    odd.mkdir()
    for place in (tmp_path, odd):
        (place / "before.txt").write_text("before")
        source = f"""
import os, pathlib
here = pathlib.Path({str(place)!r})
assert (here / "before.txt").read_text() == "before"
(here / "before.txt").write_text("after")
(here / "new").mkdir()
os.rename(here / "before.txt", here / "new" / "moved.txt")
assert (here / "new" / "moved.txt").read_text() == "after"
assert not (here / "before.txt").exists()
"""
        for _ in range(2):
            assert (await tell(viewing, source, limits=VIEW)).outcome == Completed()
        assert (place / "before.txt").read_text() == "before"
        assert not (place / "new").exists()


async def explained(worker: Worker, folder: Path, source: str, options: Options) -> Case:
    path = folder / "main.py"
    path.write_text(source)
    program = Program(source=source, origin=Origin.OWN, filename=str(path), folder=str(folder))
    return await explain(worker, program, options)


def text_of(case: Case) -> str:
    rows = page.rows(case, file="main.py", leads=Leads(), language="en", room=200)
    return " ".join(" ".join(row.text for row in rows).split())


@in_session
async def test_an_error_that_only_a_replay_has_is_not_the_programs(
    viewing: Worker, tmp_path: Path
) -> None:
    (tmp_path / "input.txt").touch()
    gone = f"os.remove({str(tmp_path / 'input.txt')!r})"
    source = f"import os, torch\n{STALE}{gone}\ny.sum().backward()\n"
    case = await explained(viewing, tmp_path, source, Options())
    told = text_of(case)

    assert case.ending is Ending.RAISES_IN_BACKWARD
    assert isinstance(case.truth, NotReproducible)
    assert culprits(case)[0].source == "y.add_(1)"
    assert "A second run ended differently (FileNotFoundError: [Errno 2] No such file" in told
    assert "no fault of your program. A replay finds the files as" in told
    assert "None of the fixes" not in told


MAKING = """
import os, pathlib, torch
os.makedirs({made!r})
open({made!r} + "/log", "x").close()
pathlib.Path({made!r}, "last").symlink_to("log")
"""


@pytest.mark.parametrize(
    ("write", "ending"),
    [("y.add_", Ending.RAISES_IN_BACKWARD), ("y.data.add_", Ending.WRONG)],
    ids=["raises", "silent"],
)
@in_session
async def test_a_replay_finds_nothing_of_what_the_first_run_made(
    viewing: Worker, tmp_path: Path, write: str, ending: Ending
) -> None:
    made = tmp_path / "runs" / "it's one"
    source = f"{MAKING.format(made=str(made))}{STALE.replace('y.add_', write)}y.sum().backward()\n"
    case = await explained(viewing, tmp_path, source, Options())

    assert case.ending is ending
    assert case.fixes
    assert sorted(each.name for each in made.iterdir()) == ["last", "log"]


@in_session
async def test_what_was_there_before_the_first_run_stays_in_its_replays(
    viewing: Worker, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / "data").write_text("1.0")
    source = f"""
import os, torch
try:
    os.mkdir({str(made)!r})
except FileExistsError:
    scale = float(open({str(made / "data")!r}).read())
{STALE}(y.sum() * scale).backward()
"""
    case = await explained(viewing, tmp_path, source, Options())

    assert case.ending is Ending.RAISES_IN_BACKWARD
    assert case.fixes


@in_session
async def test_a_program_that_resumes_is_not_called_wrong(viewing: Worker, tmp_path: Path) -> None:
    """Its replays start from what the first run saved, so they are other programs."""
    saved = str(tmp_path / "saved.pt")
    source = f"""
import os, torch
w = torch.ones(3, requires_grad=True)
if os.path.exists({saved!r}):
    w.data.copy_(torch.load({saved!r}))
y = w.exp()
if os.path.exists({saved!r}):
    y.data.add_(1)
y.sum().backward()
torch.save(w.detach() + 1, {saved!r})
"""
    case = await explained(viewing, tmp_path, source, Options())

    assert case.outcome == Completed()
    assert case.ending is Ending.NOT_JUDGED
    assert not culprits(case)


@in_session
@pytest.mark.whole
async def test_where_there_is_no_view_a_program_runs_once(unkept: Worker, tmp_path: Path) -> None:
    await unkept.ready()
    log = tmp_path / "log.txt"
    source = f"import torch\nopen({str(log)!r}, 'a').write('row\\n')\n{STALE}y.sum().backward()\n"

    case = await explained(unkept, tmp_path, source, Options())
    told = text_of(case)

    assert no_replays(unkept, Options()) == "forbidden"
    assert (case.reruns, case.runs, case.fixes) == (Reruns.NOT_POSSIBLE, 1, ())
    assert log.read_text() == "row\n"
    assert case.ending is Ending.RAISES_IN_BACKWARD
    assert culprits(case)[0].source == "y.add_(1)"
    assert "Run once: no fixes tried" in told
    assert "--in-place allows more runs" in told

    allowed = await explained(unkept, tmp_path, source, Options(in_place=True))

    assert no_replays(unkept, Options(in_place=True)) is None
    assert allowed.fixes
    assert log.read_text().count("row") > 4


LOGGED = """
import torch
with open({log!r}, "a") as file:
    file.write("row\\n")
x = torch.ones(3, requires_grad=True)
y = x * 1
y[int()] = 3
z = y.exp()
{end}
"""
FAILING = "z.add_(1)\nz.sum().backward()"


@dataclass(frozen=True)
class SessionRuns:
    """What a session learned about a program of the user's, by running it again."""

    judged: bool
    fixes: FixSearch | None
    forecast: Forecast | None
    values: bool
    notices: list[LocalText]
    log: str
    """What it wrote into a file, a row at each run."""


async def runs_of(worker: Worker, folder: Path, end: str) -> SessionRuns:
    """Run a program in a session, ask for the forecast of `z` and read its values."""
    changed = asyncio.Event()
    notices: list[LocalText] = []
    log = folder / "log.txt"
    program = Program(source=LOGGED.format(log=str(log), end=end), origin=Origin.OWN)
    runner = SessionRunner(
        Session(program), worker, on_change=changed.set, on_notice=notices.append
    )

    async def until(happened: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not happened():
                changed.clear()
                await changed.wait()

    view = runner.session.view
    values = False
    try:
        runner.start()
        await until(lambda: not view().running and not view().verifying)
        runner.send(Moved(Move.END))
        rows = view().snapshot.tensors.values()
        number = next(row.id for row in rows if "z" in row.names)
        if view().outcome == Completed():
            runner.send(ForecastRequested(number))
            await until(lambda: view().found_forecasts)
        else:
            await until(lambda: (found := view().fixes) is not None and found.over)
        again = runner.paused_run(program, view().timeline)
        with suppress(DivergedError):
            await again.to(Pause(step=view().cursor, tensor=number))
            values = isinstance(await again.tensor(number), TensorFound)
        await again.close()
    finally:
        await runner.close()
    return SessionRuns(
        judged=not isinstance(view().truth, Unverified),
        fixes=view().fixes,
        forecast=view().found_forecasts.get(number),
        values=values,
        notices=notices,
        log=log.read_text(),
    )


ENDS = pytest.mark.parametrize("end", ["", FAILING], ids=["right", "failing"])


@in_session
@pytest.mark.whole
@ENDS
async def test_a_session_runs_a_program_again_without_changing_a_file(
    viewing: Worker, tmp_path: Path, end: str
) -> None:
    found = await runs_of(viewing, tmp_path, end)

    assert found.log == "row\n"
    assert found.values
    assert not found.notices
    if end:
        assert found.fixes is not None
        assert found.fixes.found
    else:
        assert (found.judged, found.forecast) == (True, Runs())


@in_session
@pytest.mark.whole
@ENDS
async def test_a_session_runs_a_program_again_without_the_folder_that_it_made(
    viewing: Worker, tmp_path: Path, end: str
) -> None:
    making = f"import os\nos.mkdir({str(tmp_path / 'out')!r})\n"
    found = await runs_of(viewing, tmp_path, making + end)

    if end:
        assert found.fixes is not None
        assert found.fixes.found
    else:
        assert found.judged


@in_session
@pytest.mark.whole
async def test_of_replays_under_way_at_once_each_runs_without_what_was_made(
    viewing: Worker, tmp_path: Path
) -> None:
    """The second to find it in its way is not the one that finds it out."""
    made = tmp_path / "made"
    made.mkdir()
    source = f"import os, time\ntime.sleep(0.3)\nos.mkdir({str(made)!r})\n"
    program, limits = Program(source=source, origin=Origin.OWN), Limits(in_view=True)
    leftovers = Leftovers()

    def bare(tried: Program) -> Awaitable[Evidence]:
        return evidence(viewing, tried, Mode.BARE, limits)

    both = await asyncio.gather(*(leftovers.run(bare, program, limits) for _ in range(2)))

    assert [each.outcome for each in both] == [Completed(), Completed()]


@in_session
@pytest.mark.whole
async def test_what_a_replay_delivered_before_it_is_repeated_does_not_count(
    viewing: Worker, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    source = f"""
import os, torch
x = torch.ones(3, requires_grad=True)
(x * x).sum().backward()
os.mkdir({str(made)!r})
x.exp().sum().backward()
"""
    truth = await verify(viewing, Program(source=source, origin=Origin.OWN), Limits(in_view=True))

    assert isinstance(truth, Right)


@in_session
@pytest.mark.whole(every=2)
@ENDS
async def test_a_session_without_a_view_runs_a_program_once_and_says_so(
    unkept: Worker, tmp_path: Path, end: str
) -> None:
    found = await runs_of(unkept, tmp_path, end)

    assert found.log == "row\n"
    assert found.notices == [NoticeTexts.no_view]
    assert not found.judged
    assert not found.values
    if end:
        assert found.fixes == FixSearch(total=0, over=True, no_view=True)
    else:
        assert found.forecast == Unknown(UnknownReason.NO_VIEW)


@pytest.mark.usefixtures("viewing")
@pytest.mark.whole
def test_run_writes_to_files_once(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    (tmp_path / "main.py").write_text(LOGGED.format(log=str(log), end="z.sum().backward()"))

    done = run_command(
        tmp_path, COMMAND, "run", "main.py", "--format", "json", home=tmp_path / "ours"
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["truth"]["type"] == "right"
    assert log.read_text() == "row\n"


COMMAND_WITHOUT = """
import sys
from inplace_tui.diagnosis.runner import interpreter
interpreter.command = lambda _: list({unkept!r})
from inplace_tui import cli
sys.argv[0] = "inplace-tui"
cli.main()
"""


@pytest.mark.parametrize(("language", "said"), [("en", "runs once"), ("zh", "只运行一次")])
@pytest.mark.parametrize("command", ["explain", "run"])
@pytest.mark.whole
def test_that_there_is_no_view_is_said_before_a_program_runs(
    tmp_path: Path, language: str, said: str, command: str
) -> None:
    (tmp_path / "main.py").write_text("print('the program')\n")
    source = COMMAND_WITHOUT.format(unkept=UNKEPT)
    done = run_command(
        tmp_path,
        sys.executable,
        "-P",
        "-c",
        source,
        "--lang",
        language,
        command,
        "main.py",
        home=tmp_path / "ours",
    )

    assert done.returncode == 0, done.stderr
    before, _, after = done.stderr.partition("the program")
    assert said in before
    assert said not in after
    if command == "explain":
        assert "forbidden" in before
        assert "--in-place" in before


IMPORTED = {
    "nothing": ("x = 1", True),
    "a thread": (
        "import threading; threading.Thread(target=threading.Event().wait).start()",
        False,
    ),
    "a process": ("import subprocess; subprocess.Popen(['sleep', '600'])", False),
    "a file": ("import os; open(os.path.dirname(__file__) + '/written', 'w').close()", False),
    "a variable": ("import os; os.environ['ODD'] = '1'", False),
    "a hook": ("import sys; sys.meta_path.append(object())", False),
    "an error": ("raise KeyError", False),
    "an end": ("raise SystemExit", False),
}


@pytest.mark.parametrize("what", IMPORTED)
@in_session
@pytest.mark.whole(every=8)
async def test_a_library_is_imported_once_where_that_leaves_nothing(
    viewing: Worker, tmp_path: Path, what: str
) -> None:
    text, is_fine = IMPORTED[what]
    (tmp_path / "odd.py").write_text(text)
    source = f"""
import os, sys
sys.dont_write_bytecode = True  # the first run of a program has written it
sys.path.insert(0, {str(tmp_path)!r})
from inplace_tui.diagnosis.record.process import imported_once, libraries
wanted = libraries.surroundings()
os._exit(11 if imported_once._leaves_nothing(["odd"], wanted) else 12)
"""
    outcome = (await tell(viewing, source, limits=VIEW)).outcome

    assert isinstance(outcome, Crashed)
    assert outcome.exit_code == (11 if is_fine else 12)
    assert not (tmp_path / "written").exists()


@pytest.mark.whole
@in_session
async def test_fixes_are_tried_with_libraries_that_are_imported_once(
    viewing: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inplace_tui.diagnosis.drive.explain.HEAVY", 0)
    name = "xmlrpc.server"
    see = f"import sys\nassert {name!r} in sys.modules\n"
    source = f"import torch, {name}\n{STALE}y.sum().backward()\n"

    assert isinstance((await tell(viewing, see)).outcome, Raised)
    several = await explained(viewing, tmp_path, source, Options())
    assert isinstance((await tell(viewing, see)).outcome, Raised)
    alone = await explained(viewing, tmp_path, source, Options(alone=True))
    assert (await tell(viewing, see)).outcome == Completed()
    assert [fix.title for fix in alone.fixes] == [fix.title for fix in several.fixes]
    assert alone.fixes


TOO_LONG = """
import time
from inplace_tui.diagnosis.record.process import namespace, view
namespace.PATIENCE = 0.01
view.cover = lambda user: time.sleep(600)
print(namespace.refusal(in_view=True))
"""


def test_a_file_system_that_does_not_answer_holds_nobody_up() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", TOO_LONG],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert done.stdout not in ("", "None\n")


@pytest.mark.whole
def test_a_fix_that_is_applied_is_run_once_more_in_place(tmp_path: Path) -> None:
    source = f"import torch\nopen('log.txt', 'a').write('row\\n')\n{STALE}y.sum().backward()\n"
    (tmp_path / "main.py").write_text(source)
    done = run_command(tmp_path, COMMAND, "explain", "--apply", "main.py", home=tmp_path / "ours")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "log.txt").read_text() == "row\nrow\n"
    assert (tmp_path / "main.py.orig").read_text() == source
