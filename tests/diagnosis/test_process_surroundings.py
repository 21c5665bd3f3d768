"""What a program finds around it, as after `python FILE`. The programs assert it themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.program import Mode
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import tell

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    "source",
    [
        "assert __name__ == '__main__'\nimport __main__\nassert vars(__main__) is globals()",
        "assert __file__ == 'program.py'\nassert '__annotations__' not in globals()",
        "import sys\nassert sys.argv == ['program.py'], sys.argv",
        "def f(): pass\nimport inspect\nassert inspect.getsource(f) == 'def f(): pass\\n'",
        "class C:\n    x = 1\nimport inspect\nassert 'x = 1' in inspect.getsource(C)",
        "import pickle\nclass C: pass\nassert type(pickle.loads(pickle.dumps(C()))) is C",
        "def f(x: Undefined): pass",
        "x: int = 1\nassert __annotations__ == {'x': int}",
    ],
)
async def test_it_is_the_main_module(worker: Worker, source: str) -> None:
    if "Undefined" in source:
        source = f"from __future__ import annotations\n{source}"

    told = await tell(worker, source)

    assert told.outcome == Completed()


async def test_our_own_future_imports_are_not_the_program_s(worker: Worker) -> None:
    told = await tell(worker, "def f(x: Undefined): pass")

    assert isinstance(told.outcome, Raised)
    assert told.outcome.exception == "NameError"


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nassert sys.stdout is sys.__stdout__ and sys.stdout.encoding == 'utf-8'",
        "import sys\nassert not sys.stdout.isatty() and sys.stdout.writable()",
        "import sys\nassert (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)",
        "import sys\nassert sys.stdout.errors == 'strict' and sys.stdout.name == '<stdout>'",
        "import sys\nsys.stdout.buffer.write(b'abc'); sys.stdout.writelines(['a', 'b'])",
        "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='latin-1')\n"
        "print('x')\nsys.stdout.reconfigure(encoding='utf-8')",
        "import sys\nassert sys.stdin.read() == ''",
        "try: input()\nexcept EOFError: pass\nelse: raise AssertionError",
        "import subprocess\nsubprocess.run(['echo', 'hi'], check=True)",
        "import sys\nassert sys.gettrace() is None",
        "import logging\nlogging.warning('x')\nlogging.captureWarnings(True)",
    ],
)
@pytest.mark.whole
async def test_the_standard_streams_are_real_ones(worker: Worker, source: str) -> None:
    told = await tell(worker, source)

    assert told.outcome == Completed()


async def test_every_run_starts_from_the_same_torch(worker: Worker) -> None:
    spoil = """
import torch, sys, random
torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); torch.manual_seed(7)
random.seed(7); sys.path.clear(); torch.Tensor.add = None; sys.modules["json"] = None
"""
    check = """
import torch, sys, random, json
assert torch.get_default_dtype() == torch.float32 and torch.is_grad_enabled()
assert torch.Tensor.add is not None and sys.path
assert torch.get_num_threads() == 1
assert (torch.initial_seed(), random.random()) == (0, random.Random(0).random())
"""
    assert (await tell(worker, spoil)).outcome == Completed()

    told = await tell(worker, check)

    assert told.outcome == Completed()


async def test_arguments_and_folder_are_those_of_the_file(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("here = 1\n")
    source = """
import sys, beside
assert sys.argv[1:] == ["--lr", "1"], sys.argv
assert sys.path[0] == beside.__file__.rpartition("/")[0]
"""
    told = await tell(
        worker,
        source,
        filename=str(tmp_path / "train.py"),
        folder=str(tmp_path),
        arguments=("--lr", "1"),
    )

    assert told.outcome == Completed()


async def test_a_lesson_sees_no_folder_of_ours(worker: Worker) -> None:
    told = await tell(worker, "import sys, os\nassert not {'', os.getcwd()} & set(sys.path)")

    assert told.outcome == Completed()


@pytest.mark.parametrize("draw", ["random.random()", "numpy.random.rand()", "torch.rand(1)"])
async def test_without_a_seed_runs_differ(worker: Worker, draw: str) -> None:
    """Or a program that draws numbers would look as if it repeated itself."""
    source = f"import numpy, random, torch\nraise ValueError({draw})"

    first = await tell(worker, source, seed=None)
    second = await tell(worker, source, seed=None)

    assert isinstance(first.outcome, Raised)
    assert isinstance(second.outcome, Raised)
    assert first.outcome.message != second.outcome.message


FRESH = """
import torch
drawn = torch.rand(3, generator=torch.Generator().manual_seed({seed}))
assert torch.initial_seed() == {seed} and torch.rand(3).equal(drawn)
x = torch.ones(2, requires_grad=True)
y = x * 1
assert y.grad_fn._sequence_nr() == 0
"""


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("seed", [0, 7])
async def test_torch_has_drawn_and_counted_nothing(worker: Worker, mode: Mode, seed: int) -> None:
    told = await tell(worker, FRESH.format(seed=seed), mode, seed=seed)

    assert told.outcome == Completed()


async def test_warnings_are_filtered_as_python_does(worker: Worker) -> None:
    source = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("mine")
assert [str(warning.message) for warning in caught] == ["mine"]
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try: warnings.warn("raised")
    except UserWarning: pass
    else: raise AssertionError
warnings.warn("shown")
import io
file = io.StringIO()
warnings.showwarning("here", UserWarning, "f.py", 1, file=file)
assert "here" in file.getvalue()
"""
    told = await tell(worker, source)

    assert told.outcome == Completed()
