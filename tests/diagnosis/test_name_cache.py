"""Names that are not read again are those that a walk would find."""

from __future__ import annotations

from contextlib import suppress
from types import CodeType, FrameType, SimpleNamespace
from typing import NamedTuple, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from inplace_tui.diagnosis.record.naming.names import reach, signature
from inplace_tui.diagnosis.record.recording.ledger import Ledger
from inplace_tui.diagnosis.record.state.records import MadeAt
from support.recording import record
from support.whole import examples

SETTING = """
class Plain: pass
class Shared: kept = [torch.ones(2)]
class Slotted:
    __slots__ = ("part",)
class Pair(NamedTuple):
    left: object
    right: object
a = torch.ones(2, requires_grad=True)
b = torch.zeros(2)
c = a * 2
n = 0
many = [torch.ones(1), 2, [torch.ones(2)]]
few = (torch.ones(1), [torch.ones(2)])
pair = Pair(torch.ones(1), {"x": torch.ones(1)})
named = {"p": torch.ones(2), "n": 1, "deep": {"q": torch.ones(1)}}
plain = Plain()
plain.part = torch.ones(1)
plain.count = 0
slotted = Slotted()
slotted.part = torch.ones(1)
net = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
"""

STATEMENTS = """
a = torch.ones(2, requires_grad=True)
b = torch.zeros(2)
c = a * 2
b = a
a, b = b, a
a = b = torch.ones(3)
del c
c = n
n += 1
n = torch.ones(1)
n = 5
new = torch.ones(1)
del new
del b; b = torch.zeros(2)
a.grad = torch.ones_like(a)
a.grad = None
c = a.detach()
a.sum().backward()
net(torch.ones(1)).sum().backward()
opt.step()
opt.zero_grad()
opt.zero_grad(set_to_none=False)
opt.param_groups[0]["params"].pop()
opt.param_groups[0]["lr"] = 0.2
opt.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
many.append(torch.ones(1))
many[0] = torch.ones(1)
many[0] = 1
many[2].append(torch.ones(1))
many.pop()
many.reverse()
many = many[:1]
few = (torch.ones(1),)
few[1].append(a)
few[1].clear()
pair.right["x"] = torch.ones(1)
pair = Pair(pair.right, pair.left)
named["p"] = torch.ones(2)
named["more"] = torch.ones(2)
named["deep"]["q"] = torch.ones(1)
named["n"] += 1
named.pop("p")
named.clear()
named = dict(named)
plain.part = torch.ones(1)
plain.count += 1
plain.more = [torch.ones(1)]
plain.__dict__ = {"part": torch.ones(1)}
plain = Plain()
slotted.part = torch.ones(1)
Shared.kept.append(torch.ones(1))
Shared.kept = []
Shared.other = [torch.ones(1)]
net[0].weight = nn.Parameter(torch.ones(1, 1))
net[0].bias = None
net[0].extra = torch.ones(1)
net[1] = nn.Linear(1, 1)
net.append(nn.Linear(1, 1))
net[0].register_buffer("mean", torch.ones(1))
torch.utils.swap_tensors(a, b)
a.data = torch.ones(5)
""".strip().splitlines()


def _frame(namespace: dict[str, object], code: CodeType) -> FrameType:
    return cast("FrameType", SimpleNamespace(f_locals=namespace, f_globals=namespace, f_code=code))


def _run(statement: str, namespace: dict[str, object]) -> None:
    refusals = (AttributeError, IndexError, KeyError, NameError, RuntimeError, TypeError)
    with suppress(*refusals):
        exec(compile(statement, "program.py", "exec"), namespace)


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=12))
@settings(deadline=None, max_examples=examples(150))
def test_names_are_at_every_line_those_that_a_walk_finds(statements: list[str]) -> None:
    namespace: dict[str, object] = {
        "__name__": "__main__",
        "torch": torch,
        "nn": nn,
        "NamedTuple": NamedTuple,
    }
    exec(SETTING, namespace)
    frames = [_frame(namespace, compile("0", "program.py", "eval"))]
    ledger = Ledger(lambda _: MadeAt(None, None))
    ledger.differences(frames, 0, stored=True, thorough=False)

    for statement in statements:
        # Swapped tensors must not be held weakly for a moment.
        if "swap" in statement:
            for name in ("a", "b"):
                ledger.hold(namespace.get(name), firmly=False)
        _run(statement, namespace)
        if "swap" in statement:
            for name in ("a", "b"):
                ledger.hold(namespace.get(name), firmly=True)
        ledger.differences(frames, 0, stored=True, thorough=False)

        found = reach(frames)
        told = {name: known.at for known in ledger.named.values() for name in known.names}
        assert told == {name: key for key, names in found.names.items() for name in names}
        assert all(ledger.find(frames, known.id) is not None for known in ledger.named.values())


@pytest.mark.parametrize("local", ["5", "torch.ones(1)"])
def test_a_local_variable_that_is_new_hides_one_of_the_module(local: str) -> None:
    code = compile("0", "program.py", "eval")
    outside: dict[str, object] = {"x": torch.ones(1)}
    inside: dict[str, object] = {"y": torch.ones(1)}
    frame = cast("FrameType", SimpleNamespace(f_locals=inside, f_globals=outside, f_code=code))
    ledger = Ledger(lambda _: MadeAt(None, None))
    ledger.differences([frame], 1, stored=True, thorough=False)

    inside["x"] = eval(local)
    ledger.differences([frame], 1, stored=True, thorough=False)

    assert {name for known in ledger.named.values() for name in known.names} == {
        "y",
        "<module>:x",
    } | ({"x"} if "torch" in local else set())


@pytest.mark.parametrize("times", [1, 300])
@pytest.mark.parametrize(
    "change",
    [
        "net.part = torch.ones(1)",
        "net._parameters['p'] = torch.ones(1)",
        "net.register_buffer('b', torch.ones(1))",
        "net.inner.x = torch.ones(1)",
        "del net.inner.part",
        "net.inner.many[0] = torch.zeros(1)",
        "net.inner.many.insert(0, torch.ones(1))",
        "net.inner.named['p'] = torch.ones(1)",
        "net.inner.named.update(q=torch.ones(1))",
        "net.inner = Plain()",
    ],
)
@pytest.mark.whole(every=5)
def test_a_signature_differs_once_something_was_written(change: str, times: int) -> None:
    """Also in a loop, which Python soon runs by instructions of its own kind."""
    namespace: dict[str, object] = {"__name__": "__main__", "torch": torch, "nn": nn}
    exec(
        "class Plain: pass\n"
        "net = nn.Linear(1, 1)\n"
        "net.inner = Plain()\n"
        "net.inner.part, net.inner.x = torch.ones(1), torch.ones(1)\n"
        "net.inner.many, net.inner.named = [torch.ones(1)], {'p': torch.ones(1)}\n"
        "def write():\n"
        f"    for _ in range({times}):\n"
        "        net.inner.part = torch.ones(1)\n"
        "        yield\n"
        f"        {change}\n"
        "        yield\n",
        namespace,
    )
    steps = namespace["write"]()  # type: ignore[operator]
    for _ in steps:
        before = signature([namespace["net"]])
        assert signature([namespace["net"]]) == before
        next(steps)
        assert signature([namespace["net"]]) != before


PUTTING = """
many, named = [torch.ones(1)], {"p": torch.ones(1)}
plain = types.SimpleNamespace(part=torch.ones(1))
new = torch.zeros(2)
for i in range(2):
    n = i
    WRITE
    m = n
    new = new + 1
"""


@pytest.mark.parametrize(
    "write",
    [
        "many.append(new)",
        "many += [new]",
        "many[0] = new",
        "many[:] = [new]",
        "many.insert(0, new)",
        "list(map(many.append, [new]))",
        "any(map(many.append, [new]))",
        "[many.append(new) for _ in range(1)]",
        "(lambda: many.append(new))()",
        "for _ in map(many.append, [new]): pass",
        "for _ in iter(lambda: many.append(new), None): pass",
        "print(many.append(new))",
        "named['x'] = new",
        "named |= {'x': new}",
        "named.update(x=new)",
        "named.setdefault('p', new); named['p'] = new",
        "operator.setitem(named, 'x', new)",
        "plain.x = new",
        "plain.part = new",
        "setattr(plain, 'x', new)",
        "vars(plain).update(x=new)",
        "globals().update(other=new)",
        "other = many; other.append(new)",
        "exec('many.append(new)')",
        "functools.partial(many.append, new)()",
    ],
)
@pytest.mark.whole(every=3)
def test_whatever_puts_a_tensor_into_a_container_its_name_is_seen(write: str) -> None:
    """Lines that change no container are told from others by how they are written."""
    source = "import functools, operator, torch, types\n" + PUTTING.replace("WRITE", write)

    recorded = record(source)

    line = 1 + source[: source.index(write)].count("\n")
    for visit in (1, 2):
        names = next(
            tensor.names
            for tensor in recorded.after(line, visit).tensors.values()
            if "new" in tensor.names
        )
        assert len(names) > 1
    assert not recorded.faults
