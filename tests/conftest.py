"""One warm worker for all tests of a session: importing torch takes seconds, a run 20 ms."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from inplace_tui.common.system import PORTABLE
from inplace_tui.diagnosis.protocol.messages import Loading
from inplace_tui.diagnosis.runner.process import WorkerProcess
from inplace_tui.diagnosis.runner.worker import Worker
from support.command import WARM
from support.warm_torch import warm
from support.whole import PART, WHOLE, examples, left_out, of_part

TEST_PYTHON = Path(os.environ["TEST_PYTHON"]) if "TEST_PYTHON" in os.environ else None
"""The interpreter of the session's worker, as `make matrix` sets it; None for this one."""

gc.set_threshold(50_000)
"""Of five thousand collected tests and of torch nothing is garbage: to look for it in them as
often as Python does cost a quarter of the time of the tests of the screen."""

settings.register_profile(
    "any machine",
    # What passed once passes again, and whoever broke it knows; `make draws` looks for what is new.
    derandomize="DRAWS" not in os.environ,
    max_examples=examples(100),
    # How busy a machine is says nothing of a test.
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
)
settings.load_profile("any machine")


for name in (
    *("NO_COLOR", "COLUMNS", "LINES", "TMUX", "STY"),
    *("LANGUAGE", "LC_ALL", "LC_MESSAGES", "PYTHONIOENCODING", "PYTHONUTF8"),
):
    # What would have a say in how programs look and speak is none of the tester's.
    os.environ.pop(name, None)
os.environ["INPLACE_TUI_LEARNER"] = "0"  # choices stand as in the file
os.umask(0o022)  # nor is who may read what is written

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So does whoever starts the tests in the background, and what they start inherits it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `make whole` what is exhaustive, unless a test is asked for by its name."""
    for item in items:
        if not is_on_its_worker_s_loop(item):
            raise pytest.UsageError(f"{item.nodeid} needs the mark asyncio(loop_scope='session')")
    if WHOLE and PART:
        items[:] = of_part(items)
    if WHOLE or any("::" in each for each in config.args):
        return
    out = left_out(items)
    kept = {each.path for each in items if each.nodeid not in out}
    for item in items:
        if item.path not in kept:
            raise pytest.UsageError(f"make test would run nothing of {item.path}")
    config.hook.pytest_deselected(items=[each for each in items if each.nodeid in out])
    items[:] = [each for each in items if each.nodeid not in out]


def is_on_its_worker_s_loop(item: pytest.Item) -> bool:
    """Whether a test that uses a worker of the session runs on the loop which that lives on.

    On one of its own, which is closed afterwards, the run that it leaves behind would end the
    worker's supervisor, and the next test would wait for ever.
    """
    assert isinstance(item, pytest.Function)
    shared = [
        name
        for name in ("worker", "unkept", "asked")
        for fixture in item._fixtureinfo.name2fixturedefs.get(name, ())[-1:]
        if fixture.scope == "session"
    ]
    if not shared or not inspect.iscoroutinefunction(item.function):
        return True
    mark = item.get_closest_marker("asyncio")
    return mark is not None and mark.kwargs.get("loop_scope") == "session"


def pytest_collection_finish() -> None:
    """Let no search for garbage go through what is there until the end, and forks cost half.

    Thousands of programs run in forks of this process.
    """
    gc.collect()
    gc.freeze()
    if "torch" in sys.modules and not PORTABLE:
        from inplace_tui.diagnosis.record import child  # noqa: PLC0415  # imports torch
        from inplace_tui.diagnosis.record.process import linux  # noqa: PLC0415  # not everywhere

        child.warm_up()
        linux.take_large_pages()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def worker() -> AsyncIterator[Worker]:
    """A started worker; it lives on one event loop, which a test must share.

    Put this into a test file that uses it, for all of its tests:

        pytestmark = pytest.mark.asyncio(loop_scope="session")

    Runs are processes of their own, so tests can't disturb each other. A test
    that kills the worker makes one of its own.
    """
    worker = Worker(python=TEST_PYTHON)
    await worker.start()
    # In a quiet second it does what makes each of the thousands of runs cost half.
    while not PORTABLE and worker.state != Loading(what="optimizers"):
        await worker.changed()
    await worker.ready()
    yield worker
    await worker.close()


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A host of warm torches, by the environment in which it is found."""
    with warm(tmp_path_factory.mktemp("warm")) as environment:
        yield environment


@pytest.fixture(scope="module")
def warm_torch(host: dict[str, str]) -> Iterator[None]:
    """Have a file's commands find torch imported; where its import has a part, they do without."""
    WARM.update(host)
    yield
    WARM.clear()


# Of a machine that lets nobody make a namespace.
UNKEPT = (
    sys.executable,
    "-P",
    "-c",
    "import sys; from inplace_tui.diagnosis.record import __main__ as worker; "
    "from inplace_tui.diagnosis.record.process import namespace; "
    "namespace.refusal = lambda: 'forbidden'; sys.exit(worker.main())",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def unkept() -> AsyncIterator[Worker]:
    """A worker like `worker`, whose runs have no namespaces of their own.

    One that a test has ended is followed by an ordinary one: no other module gets that.
    """
    worker = Worker(begun=WorkerProcess(UNKEPT))
    await worker.start()
    yield worker
    await worker.close()


# Of a build of torch in which no offset is where it is looked for.
ASKED = (
    sys.executable,
    "-P",
    "-c",
    "import sys; from inplace_tui.diagnosis.record import __main__ as worker, choosing; "
    "choosing.measure = None; sys.exit(worker.main())",
)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def asked() -> AsyncIterator[Worker]:
    """A worker like `worker`, which reads torch through Python alone."""
    worker = Worker(begun=None if PORTABLE else WorkerProcess(ASKED))
    await worker.start()
    yield worker
    await worker.close()
