"""What is told of tensors and storages, against what torch itself answers."""

from __future__ import annotations

import struct

import pytest
import torch

from inplace_tui.common.run import values
from inplace_tui.common.run.snapshot import Elements, Tensor, Unreadable
from support.recording import Recorded, in_child, named, record

PROGRAMS = {
    "leaves": """
a = torch.arange(6.).reshape(2, 3)
b = torch.ones(3, requires_grad=True)
c = nn.Parameter(torch.zeros(2))
d = torch.tensor([1, 2])
e = torch.tensor(True)
f = torch.tensor([1.5, float('nan')], dtype=torch.bfloat16)
g = torch.empty(0)
h = torch.tensor(1 + 2j)
""",
    "views": """
a = torch.arange(12.).reshape(3, 4)
b = a.t()
c = a[1:, ::2]
d = a[0, 0]
e = torch.ones(1).expand(3)
f = a.unfold(1, 2, 1)
g = a.as_strided((2, 2), (1, 5), 1)
h = a.view(torch.int32)
""",
    "graph": """
x = torch.ones(3, requires_grad=True)
y = x.sin(); y.add_(1); y.retain_grad()
z = y * 2
z.sum().backward()
with torch.no_grad(): x.sub_(1)
w = x.detach()
v = x.data
""",
    "complex": """
a = torch.tensor([1 + 2j, 3 - 1j])
b = a.conj()
c = b.imag
d = a.real
""",
    "large": """
a = torch.arange(100_000.)
b = a[7:12]
c = a[::1000]
d = a.reshape(250, 400).t()
""",
    "inference": """
with torch.inference_mode():
    a = torch.ones(2)
    b = a + 1
""",
    "meta and sparse": """
a = torch.ones(3, device='meta')
b = torch.eye(2).to_sparse()
""",
    "replaced": """
a = torch.ones(4)
a.data = torch.arange(6.).reshape(2, 3)
b = torch.ones(2, 2)
b.data = b.data.t()
c = torch.ones(2); c.set_(torch.arange(3.))
d = torch.ones(3); d.resize_(2)
""",
    "known to be zero": """
x = torch.ones(2, 3, requires_grad=True)
(x * 1).sgn().sum().backward()
g = x.grad
h = g.t()
""",
}
NOT_WHOLE = frozenset({"large", "inference", "meta and sparse"})
"""Of these not every value can be told."""


def asked(source: str) -> dict[str, list[object]]:
    """Run a program bare and ask torch about each of its tensors."""
    names: dict[str, object] = {}
    exec(source, names)
    return {n: _answers(t) for n, t in names.items() if isinstance(t, torch.Tensor)}


def _answers(t: torch.Tensor) -> list[object]:
    is_strided = t.layout == torch.strided
    grad = t.grad if t.is_leaf or t.retains_grad else None
    return [
        tuple(t.shape),
        t.stride() if is_strided else (),
        t.storage_offset() if is_strided else 0,
        str(t.dtype).removeprefix("torch."),
        str(t.device),
        str(t.layout).removeprefix("torch."),
        t.requires_grad,
        t.is_leaf,
        None if t.is_inference() else t._version,
        t._is_view(),
        t._base is not None,
        None if grad is None else grad.clone().flatten().tolist(),
        None if t.grad_fn is None else type(t.grad_fn).__name__,
        t.retains_grad,
        t.is_inference(),
        isinstance(t, torch.nn.Parameter),
    ]


def told(recorded: Recorded, tensor: Tensor) -> list[object]:
    snapshot = recorded.timeline.at(len(recorded.steps) - 1)
    grad = snapshot.tensors[tensor.grad] if tensor.grad is not None else None
    node = snapshot.nodes[tensor.grad_fn] if isinstance(tensor.grad_fn, int) else None
    return [
        tensor.shape,
        tensor.stride,
        tensor.offset,
        tensor.dtype,
        tensor.device,
        tensor.layout,
        tensor.requires_grad,
        tensor.is_leaf,
        tensor.version,
        tensor.is_view,
        tensor.base is not None,
        None if grad is None else flat(recorded, grad),
        None if node is None else node.name,
        tensor.retains_grad,
        tensor.is_inference,
        tensor.is_parameter,
    ]


def flat(recorded: Recorded, tensor: Tensor) -> list[object]:
    snapshot = recorded.timeline.at(len(recorded.steps) - 1)
    found = values.flat(tensor, snapshot)
    assert not isinstance(found, Unreadable), found
    numbers, is_all = found
    assert is_all
    return list(numbers)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.whole(every=3)
def test_every_attribute_is_what_torch_says(program: str) -> None:
    source = "import torch\nfrom torch import nn" + PROGRAMS[program]
    expected = in_child(lambda: asked(source))
    assert isinstance(expected, dict)

    recorded = record(source)

    last = recorded.timeline.at(len(recorded.steps) - 1)
    assert recorded.faults == ()
    for name, answers in expected.items():
        assert told(recorded, named(last, name)) == answers, name


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p not in NOT_WHOLE])
@pytest.mark.whole(every=3)
def test_every_value_is_what_torch_says(program: str) -> None:
    source = "import torch\nfrom torch import nn" + PROGRAMS[program]
    expected = in_child(lambda: _values(source))
    assert isinstance(expected, dict)

    recorded = record(source)

    last = recorded.timeline.at(len(recorded.steps) - 1)
    found = {name: flat(recorded, named(last, name)) for name in expected}
    assert repr(found) == repr(expected)  # repr: a NaN is not equal to itself


def _values(source: str) -> dict[str, list[object]]:
    names: dict[str, object] = {}
    exec(source, names)
    tensors = {n: t for n, t in names.items() if isinstance(t, torch.Tensor)}
    return {n: t.detach().clone().flatten().tolist() for n, t in tensors.items()}


def test_of_a_large_tensor_both_ends_are_kept_and_nothing_else() -> None:
    recorded = record("import torch" + PROGRAMS["large"])

    last = recorded.timeline.at(len(recorded.steps) - 1)
    whole, part, strided, turned = (named(last, n).values for n in "abcd")
    assert last.storages[named(last, "a").storage or 0].data is None
    assert whole == Elements(
        head=struct.pack("32f", *range(32)),
        tail=struct.pack("32f", *range(99_968, 100_000)),
        whole=False,
    )
    assert part == Elements(head=struct.pack("5f", *range(7, 12)))
    assert strided == Elements(head=struct.pack("100f", *range(0, 100_000, 1000)))
    assert isinstance(turned, Elements)
    assert turned.head[:12] == struct.pack("3f", 0, 400, 800)


def test_a_hundred_million_elements_cost_what_few_do() -> None:
    recorded = record("import torch\na = torch.zeros(10**8)\na[-1] = 1\nb = a.view(-1, 10)\n")

    sizes = [len(repr(step)) for step in recorded.steps]
    assert max(sizes) < 10_000
    assert recorded.tensor("a", 3).values != recorded.tensor("a", 2).values


def test_tensors_on_one_storage_name_it_and_their_base() -> None:
    source = (
        "import torch\na = torch.ones(4)\nb = a[1:]\nc = b[1:]\nd = a.detach()\ne = a.clone()\n"
    )

    last = record(source).timeline.at(5)

    a, b, c, d, e = (named(last, n) for n in "abcde")
    assert {a.storage, b.storage, c.storage, d.storage} == {a.storage}
    assert e.storage != a.storage
    assert (b.base, c.base, d.base) == (a.id, a.id, None)
    assert (b.data_ptr or 0) - (a.data_ptr or 0) == 4


def test_a_number_is_never_used_again_though_memory_is() -> None:
    source = "import torch\nfor i in range(50):\n    a = torch.ones(4)\n    del a\n"

    recorded = record(source)

    made = [t.id for s in recorded.steps for t in s.tensors]
    assert made == list(range(1, 51))
    assert [g for s in recorded.steps for g in s.gone] == made
    assert sorted(f for s in recorded.steps for f in s.freed) == list(range(1, 51))


def test_a_tensor_keeps_its_number_through_calls_and_containers() -> None:
    source = """\
import torch
a = torch.ones(2)
def f(b):
    c = [b]
    return c
d = f(a)
del a
e = d[0]
"""

    recorded = record(source)

    names = [t.names for s in recorded.steps for t in s.tensors if t.id == 1]
    assert names == [("a",), ("b", "a", "c[0]"), ("a", "d[0]"), ("d[0]",), ("e", "d[0]")]
    assert len(recorded.timeline.at(len(recorded.steps) - 1).tensors) == 1


def test_only_what_changed_is_sent() -> None:
    source = (
        "import torch\na = torch.ones(2)\nb = torch.ones(2)\nc = 1\na.add_(1)\nb.requires_grad_()\n"
    )

    recorded = record(source)

    sent = [[t.names[0] for t in s.tensors] for s in recorded.steps]
    stored = [[x.id for x in s.storages] for s in recorded.steps]
    assert sent == [[], ["a"], ["b"], [], ["a"], ["b"]]
    assert stored == [[], [1], [2], [], [1], []]


def test_a_view_whose_base_was_written_says_why_its_node_is_not_read() -> None:
    source = """\
import torch
x = torch.ones(4, requires_grad=True)
y = x * 1
v = y[:2]
a, b = y.split(2)
y.mul_(2)
v.add_(1)
"""

    recorded = record(source)

    after = recorded.after(6)
    assert isinstance(named(after, "v").grad_fn, Unreadable)
    assert isinstance(named(after, "a").is_leaf, Unreadable)
    assert named(after, "v").grad_fn != named(after, "a").grad_fn
    assert isinstance(recorded.tensor("v", 7).grad_fn, int)


def test_a_resized_away_storage_is_not_read() -> None:
    source = "import torch\na = torch.ones(4)\na.untyped_storage().resize_(0)\nb = 1\n"

    recorded = record(source)

    assert isinstance(recorded.tensor("a", 3).values, Unreadable)
    assert recorded.after(3).storages[1].nbytes == 0
    assert recorded.ending.error is None


@pytest.mark.parametrize(
    "line",
    [
        "with FakeTensorMode(): f = torch.ones(2)",
        "g = torch.func.vmap(lambda q: q * 2)(a)",
        "n = torch.nested.nested_tensor([a, a], layout=torch.jagged)",
        "m = masked_tensor(a, a > 0)",
        "h = a.to_mkldnn()",
        "s = a.as_subclass(Own)",
        "with torch.device('meta'): a.add_(1)",
        "j = torch.jit.trace(lambda q: q * 2, (a,))",
        "c = torch.fx.symbolic_trace(lambda q: q * 2)",
    ],
)
@pytest.mark.whole(every=3)
def test_strange_tensors_do_no_harm(line: str) -> None:
    source = f"""\
import torch, warnings
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.masked import masked_tensor
class Own(torch.Tensor):
    pass
warnings.simplefilter("ignore")
a = torch.ones(4)
{line}
b = a + 1
b.add_(1)
"""

    recorded = record(source)

    assert recorded.faults == ()
    assert recorded.ending.error is None
    assert recorded.tensor("b", 10).version == 1


@pytest.mark.parametrize("dimensions", [2, 5, 6, 8])
def test_a_shape_that_data_replaced_on_the_same_memory_is_told(dimensions: int) -> None:
    ones = (1,) * (dimensions - 2)
    run = record(
        f"import torch\nx = torch.zeros({(*ones, 2, 3)})\nx.data = x.data.view({(*ones, 3, 2)})\n"
    )

    assert [t.shape for s in run.steps for t in s.tensors] == [(*ones, 2, 3), (*ones, 3, 2)]


@pytest.mark.parametrize(
    ("write", "name", "field", "value"),
    [
        ("x.requires_grad_()", "x", "requires_grad", True),
        ("x.requires_grad = True", "x", "requires_grad", True),
        ("setattr(x, 'requires_grad', True)", "x", "requires_grad", True),
        ("[x.requires_grad_() for _ in range(1)]", "x", "requires_grad", True),
        ("list(map(torch.Tensor.requires_grad_, [x]))", "x", "requires_grad", True),
        ("y.retain_grad()", "y", "retains_grad", True),
        ("y.detach_()", "y", "grad_fn", None),
        ("x.data = torch.ones(5)", "x", "shape", (5,)),
        ("x.set_(torch.ones(5))", "x", "shape", (5,)),
        ("x.resize_(5)", "x", "shape", (5,)),
        ("x.unsqueeze_(0)", "x", "shape", (1, 2)),
        ("m.t_()", "m", "stride", (1, 3)),
        ("torch.arange(4.0, out=x)", "x", "shape", (4,)),
        ("torch.utils.swap_tensors(x, z)", "x", "shape", (7,)),
        ("w.grad = torch.ones(2)", "w.grad", "shape", (2,)),
        ("y.sum().backward()", "w.grad", "shape", (2,)),
        ("v.sum()", "v", "grad_fn", 3),
    ],
)
@pytest.mark.whole(every=4)
def test_what_no_counter_shows_is_seen_at_its_line(
    write: str, name: str, field: str, value: object
) -> None:
    """In a loop of lines that only compute; the use of an outdated view makes its node."""
    source = f"""\
import torch
w = torch.ones(2, requires_grad=True)
x, y, z, m = torch.zeros(2), w * 2, torch.ones(7), torch.zeros(2, 3)
u = w * 3; v = u[:1]; u.add_(1)
for i in range(2):
    n = i
    if i: {write}
    n = n + 1
"""

    recorded = record(source)

    found = getattr(recorded.tensor(name, 7, 2), field)
    assert isinstance(found, int) if name == "v" else found == value, found
    assert not recorded.faults
