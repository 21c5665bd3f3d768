"""Whatever Python and torch can do to what the witness wraps, they still can."""

from __future__ import annotations

import pytest

from blame.interpreter import Programs

HEAD = """\
import copy, functools, inspect, pickle, torch
from torch.nn import functional as F
T = torch.Tensor
x = torch.ones(2)
class Layer(torch.nn.Module):
    act = torch.relu_
def tried(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error)
def deleted(owner, name): delattr(owner, name)
static = inspect.getattr_static
FUNCTIONS = [torch.relu_, torch.dropout_, torch._foreach_add_, F.elu_, F.relu_, torch._C._nn.elu_,
             torch.is_anomaly_enabled, torch.set_anomaly_enabled]
METHODS = [torch.enable_grad.__enter__, torch.enable_grad.__exit__, T.add_, T.__iadd__,
           T.__setitem__, T.relu_]
"""

DONE = {
    "delete data": "tried(lambda: deleted(x, 'data'))",
    "set data": "[tried(lambda: setattr(x, 'data', v)) for v in (torch.zeros(2), 3, None)], x",
    "set a part of data": "x.data.add_(1), x.data[0].zero_(), x",
    "data of a class": "repr(T.data), T.data.__name__, T.data.__get__(x), T.data.__doc__",
    "static data": "static(x, 'data').__name__, static(x, 'data').__get__(x)",
    "data is a data descriptor": "inspect.isdatadescriptor(static(x, 'data'))",
    "set a method of one tensor": "setattr(x, 'add_', 5), x.add_, deleted(x, 'add_'), x.add_(1)",
    "call what the class holds": "static(T, 'add_')(x, 1), static(T, '__setitem__')(x, 0, 4), x",
    "name what the class holds": "static(T, 'add_').__name__, inspect.isroutine(static(T, 'add_'))",
    "pickle functions": "[pickle.dumps(f) for f in FUNCTIONS + METHODS]",
    "unpickle functions": "[pickle.loads(pickle.dumps(f)) == f for f in FUNCTIONS + METHODS]",
    "pickle a method of a tensor": "pickle.loads(pickle.dumps(x.add_))(1)",
    "pickle a partial": "pickle.loads(pickle.dumps(functools.partial(torch.relu_, x)))()",
    "copy": "[c(f) is f for c in (copy.copy, copy.deepcopy) for f in FUNCTIONS + METHODS]",
    "names": "[(f.__name__, f.__qualname__) for f in FUNCTIONS + METHODS]",
    "modules": "[f.__module__ for f in FUNCTIONS]",
    "documents": "[(f.__doc__ or '')[:40] for f in FUNCTIONS + METHODS]",
    "signatures": "[str(tried(lambda: inspect.signature(f)))[:60] for f in FUNCTIONS + METHODS]",
    "source": "[str(tried(lambda: inspect.getsource(f)))[:60] for f in FUNCTIONS + METHODS]",
    "kind": "[(inspect.isroutine(f), callable(f)) for f in FUNCTIONS + METHODS]",
    "what it belongs to": "[type(f.__self__).__name__ for f in FUNCTIONS[:6]]",
    "equality": "torch.relu_ is F.relu_, torch.relu_ == torch._C._VariableFunctions.relu_",
    "hash": "{torch.relu_: 1}[torch._C._VariableFunctions.relu_]",
    "attribute of a class": "Layer().act(-x), Layer.act(-x)",
    "wrong arguments": "tried(lambda: torch.relu_()), tried(lambda: torch.relu_(3))",
    "by keyword": "torch.relu_(input=-x), F.elu_(input=-x)",
    "mapped": "list(map(torch.relu_, [-x, x]))",
    "set to itself": "setattr(torch, 'relu_', torch.relu_), torch.relu_(-x)",
    "script": "torch.jit.script(torch.nn.ReLU(inplace=True))(-x)",
    "copy of a module": "copy.deepcopy(torch.nn.Sequential(torch.nn.ReLU(True), Layer()))[0](-x)",
    "list what can be overridden": "len(torch.overrides.get_overridable_functions())",
    "traced": "torch.fx.symbolic_trace(lambda a: torch.relu_(a + 1)).code",
    "mapped by vmap": "torch.vmap(lambda v: torch.relu_(v.clone()))(-torch.ones(2, 2))",
}


@pytest.mark.parametrize("name", DONE)
@pytest.mark.whole(every=4)
def test_what_can_be_done_bare_can_be_done_watched(programs: Programs, name: str) -> None:
    source = HEAD + f"said = {DONE[name]}\nprint(str(said).split(' at 0x')[0])\n"

    ends = [programs.run(source, watched=each).end for each in (False, True)]
    alone, watched = [(each.get("raised"), each.get("out"), each.get("warnings")) for each in ends]

    assert alone[0] is None
    assert watched == alone


def test_what_the_program_put_there_stays_when_the_witness_leaves(programs: Programs) -> None:
    source = (
        "import torch\nfrom inplace_tui import blame\nmine = lambda *a: 'mine'\n"
        "with blame.watch():\n    torch.Tensor.add_ = mine\n    torch.relu_ = mine\n"
        "    del torch.Tensor.mul_\n"
        "print(torch.ones(1).add_(1), torch.relu_(1), torch.ones(1).mul_(2), torch.dropout_)\n"
    )
    said = programs.run(source, watched=False).end

    assert said["raised"] is None
    assert said["out"].startswith("mine mine tensor([2.]) <built-in method dropout_")
