"""Which programs have torch import `torch._dynamo`: torch itself is asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inplace_tui.diagnosis.record.process.libraries import needs_late_imports

NEEDING = (
    "x = torch.ones(2, requires_grad=True)\ntorch.optim.SGD([x], lr=0.1)",
    "from torch.optim import Adam\nAdam([torch.ones(2)])",
    "from torch.utils.checkpoint import checkpoint\n"
    "checkpoint(torch.exp, torch.ones(2, requires_grad=True), use_reentrant=False)",
    "torch.use_deterministic_algorithms(True)\ntorch.empty(2)",
    "with torch.autograd.graph.allow_mutation_on_saved_tensors():\n    torch.ones(2).exp()",
    "torch.compile(torch.exp)",
    "torch.func.grad(lambda x: x * 2)(torch.ones(()))",
    "def kernel(x: torch.Tensor) -> None:\n    x.mul_(2)\n"
    "torch.library.custom_op('test::double_', kernel, mutates_args=('x',))(torch.ones(2))",
    "from torch import distributed\n"
    "from torch.testing._internal.distributed.fake_pg import FakeStore\n"
    "distributed.init_process_group('fake', store=FakeStore(), rank=0, world_size=2)\n"
    "torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))",
)
PLAIN = (
    "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.sum().backward()",
    "import math, random\nfrom torch import nn\nnn.Linear(2, 3)(torch.ones(2)).sum().backward()",
    "import numpy as np\ntorch.from_numpy(np.ones(2)).add_(1)",
)

_ASKED = """
import os, sys, torch, numpy

class Late:
    def find_spec(self, name, path=None, target=None):
        if name == "torch._dynamo":
            say(1)

def say(imported):
    os.write(1, str(imported).encode())
    os._exit(0)

assert "torch._dynamo" not in sys.modules
sys.meta_path.insert(0, Late())
for source in sys.argv[1:]:
    if os.fork() == 0:
        exec(source)
        say(0)
    os.wait()
"""
"""The import itself takes a second, and is ended where it begins."""


@pytest.mark.whole
def test_what_torch_imports_late_is_foreseen_where_it_is_used() -> None:
    sources = [*NEEDING, *PLAIN]

    said = subprocess.run(
        [sys.executable, "-c", _ASKED, *sources], capture_output=True, text=True, check=True
    )

    assert said.stdout == "1" * len(NEEDING) + "0" * len(PLAIN)
    assert list(map(needs_late_imports, sources)) == [True] * len(NEEDING) + [False] * len(PLAIN)


@pytest.mark.parametrize("source", ["from train import fit", "  import train.loop as loop"])
def test_a_module_of_the_programs_own_may_use_anything(source: str) -> None:
    assert needs_late_imports(source)


_FIRST_RUN = """
import sys
from inplace_tui.diagnosis.record import child
assert "torch._dynamo" not in sys.modules
from torch._dynamo import convert_frame, output_graph
from inplace_tui.diagnosis.record.process import errors
assert errors._COMPILERS == {convert_frame.__file__, output_graph.__file__}
"""


@pytest.mark.whole
def test_the_first_run_does_not_wait_for_dynamo_and_its_compiler_is_known_all_the_same() -> None:
    subprocess.run([sys.executable, "-c", _FIRST_RUN], check=True, timeout=60)
