"""Probes: which expressions are the tensors of a fault, and that they change nothing."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.own_files import OWN, with_files
from inplace_tui.common.run.probes import Probed, Probes, Span
from inplace_tui.common.run.program import Detail, Mode, Origin, Program
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.runner.worker import Worker
from support.fixable import FIXABLE, Fixable
from support.running import LIMITS

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROBED = Detail(probes=True, probes_values=True, output=True, additions=True)
PLAIN = Detail(output=True, additions=True)

BEGIN = """\
import torch
w = torch.ones(3, requires_grad=True)
a = torch.ones(3)
"""

END = """
a.mul_(2)
loss.backward()
"""

SAVED = {
    "a name": ("loss = (w * a).sum()", {"a"}),
    "one of two names": ("b = torch.ones(3)\nloss = (w * a * b).sum()", {"a"}),
    "an argument": ("loss = torch.dot(w, a)", {"a"}),
    "a keyword": ("loss = torch.mul(input=w, other=a).sum()", {"a"}),
    "a view": ("loss = (w[:1] * a[:1]).sum()", {"a", "a[:1]"}),
    "a chain of calls": (
        "loss = (w * a.view(3).unsqueeze(0)).sum()",
        {"a", "a.view(3)", "a.view(3).unsqueeze(0)"},
    ),
    "an attribute": (
        "class Box: pass\nbox = Box()\nbox.held = a\nloss = (w * box.held).sum()",
        {"box.held"},
    ),
    "an element by a variable": ("held, at = {7: a}, 7\nloss = (w * held[at]).sum()", {"held[at]"}),
    "a comprehension": (
        "loss = torch.stack([w * each for each in (a, a)]).sum()",
        {"a", "each"},
    ),
    "a lambda": ("f = lambda x: (w * x).sum()\nloss = f(a)", {"x", "a"}),
    "a default": ("def f(x=a):\n    return (w * x).sum()\nloss = f()", {"x"}),
    "a return": ("def f(x):\n    return w * x\nloss = f(a).sum()", {"x", "a"}),
    "a closure": ("def outer(x):\n    return lambda: w * x\nloss = outer(a)().sum()", {"x", "a"}),
    "a decorator's function": (
        "def twice(f):\n    return lambda x: f(x) + f(x)\n"
        "@twice\ndef g(x):\n    return w * x\nloss = g(a).sum()",
        {"x", "a"},
    ),
    "an assignment in an expression": ("loss = (w * (b := a)).sum()", {"a"}),
    "an array": ("import numpy\nn = a.numpy()\nloss = (w * torch.from_numpy(n)).sum()", {
        "torch.from_numpy(n)"
    }),
    "a conditional": ("loss = (w * (a if True else w)).sum()", {"a", "a if True else w"}),
    "a result": ("a = torch.exp(w)\nloss = a.sum()", {"torch.exp(w)"}),
    "letters of several bytes": ("é = a\nloss = ('é', (w * é).sum())[1]", {"é"}),
    "data that is replaced": ("loss = (w * a).sum()\na.data = torch.zeros(3)", {"a"}),
}  # fmt: skip

WITHOUT_EFFECT = """\
from __future__ import annotations
import inspect
import torch

class Private:
    __slots__ = ("__held",)
    def __init__(self) -> None:
        self.__held: int = 3
    def __str__(self):
        return f"{self.__held + 1:>{2 * 2}} {self.__held=}"
    @property
    def held(self):
        return self.__held

class Child(Private):
    def __str__(self):
        return super().__str__() + super(Child, self).__str__()

def kind(value):
    match value:
        case torch.float32 | torch.float64:
            return "a dtype"
        case [first, *rest] if first:
            return rest
        case {"x": held}:
            return held

def generate():
    received = yield 1
    yield received

one = generate()
print(next(one), one.send(5), str(Child()), kind(torch.float32), kind([1, 2, 3]), kind({"x": 4}))
print(inspect.getsource(kind).splitlines()[0], [x for x in range(3) if (y := x)], y)
x = torch.zeros(3, requires_grad=True)
held = [x * 2, *[x]]
held[0] += 1
first, *others = held
del held[0]
print(len(held), locals()["x"] is x, sorted({**{"b": 1}, "a": 2}), -x[0] if x is not None else 0)
print(*(part for part in "abc"), sep=",")
try:
    print(undefined)
except NameError as error:
    print(error, error.__traceback__.tb_lineno)
assert x.sum() == 0, "never"
first.sum().backward()
print(x.grad)
"""


async def ran(worker: Worker, program: Program, detail: Detail = PROBED) -> Evidence:
    return await evidence(worker, program, Mode.CLONED, LIMITS, detail)


def own(source: str) -> Program:
    return Program(source=source, origin=Origin.OWN)


def text(source: str, place: Span) -> str:
    first, start, last, end = place
    assert first == last
    return source.encode().split(b"\n")[first - 1][start:end].decode()


def found(probes: Probes | None) -> Probes:
    assert probes is not None
    return probes


def on_saving_lines(probes: Probes) -> list[Probed]:
    """Return the tensors at fault on the lines that saved."""
    lines = {line for each in probes.changed for line in each}
    return [e for e in probes.expressions if e.kind == "tensor" and e.place[0] in lines]


@pytest.mark.parametrize("saving", SAVED)
async def test_what_saved_is_found_wherever_it_stands(worker: Worker, saving: str) -> None:
    code, wanted = SAVED[saving]
    source = BEGIN + code + END

    probes = found((await ran(worker, own(source))).probes)

    assert {text(source, each.place) for each in on_saving_lines(probes)} == wanted


async def test_what_stands_in_another_file_is_found_there(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "layer.py").write_text("def weighed(w, x):\n    return w * x\n")
    source = f"{BEGIN}import layer\nloss = layer.weighed(w, a).sum(){END}"
    (tmp_path / "main.py").write_text(source)
    program = with_files(
        Program(
            source=source,
            origin=Origin.OWN,
            filename=str(tmp_path / "main.py"),
            folder=str(tmp_path),
        ),
        OWN,
    )

    probes = found((await ran(worker, program)).probes)

    there = [each for each in on_saving_lines(probes) if not program.is_main(each.place[0])]
    assert [text(program.source, each.place) for each in there] == ["x"]


async def test_a_module_with_the_parameter_that_was_written_is_found(worker: Worker) -> None:
    source = """\
import torch
class Box: pass
box = Box()
box.net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
loss = box.net(torch.ones(1, 2)).sum()
with torch.no_grad():
    box.net[1].weight.mul_(2)
loss.backward()
"""
    probes = found((await ran(worker, own(source))).probes)

    modules = {text(source, e.place) for e in probes.expressions if e.kind == "module"}
    assert {"box.net", "box.net[1]"} <= modules


@pytest.mark.parametrize(
    ("start", "step", "read"),
    [
        ("h = torch.ones(3)", "new = w * h; h = new", "h"),
        ("d = {'h': torch.ones(3)}", "new = w * d['h']; d['h'] = new", "d['h']"),
        ("d = {}", "new = w * d.get(0, 1); d[0] = new", "d.get(0, 1)"),
        ("h = [torch.ones(3)]", "new = w * h[-1]; h.append(new)", "h[-1]"),
        ("def f(): pass\nf.h = torch.ones(3)", "new = w * f.h; f.h = new", "f.h"),
        ("h = (torch.ones(3), 1)", "new = w * h[0]; h = (new, 1)", "h"),
    ],
)
async def test_what_a_backward_goes_back_to_is_found_where_it_is_read_and_where_it_was_kept(
    worker: Worker, start: str, step: str, read: str
) -> None:
    source = f"""\
import torch
w = torch.ones(3, requires_grad=True)
{start}
for number in range(2):
    {step}
    new.sum().backward()
"""
    probes = found((await ran(worker, own(source))).probes)

    (carried,) = probes.carried
    assert "new" in {text(source, each) for each in carried.made}
    assert read in {text(source, each) for each in carried.read}


async def test_a_refused_write_tells_what_has_the_memory(worker: Worker) -> None:
    source = """\
import torch
x = torch.ones(2, 3, requires_grad=True) * 1
y = torch.ones(3)
rows = [row.mul_(y) for row in x.unbind()]
"""
    probes = found((await ran(worker, own(source))).probes)

    refused = {text(source, e.place) for e in probes.expressions if e.refused}
    assert {"row", "x"} <= refused


def without_probes(ran: Evidence) -> tuple[object, ...]:
    return ran.outcome, ran.printed, ran.backwards, ran.left, ran.moved, ran.steps


@pytest.mark.parametrize("fixable", FIXABLE, ids=lambda each: each.name)
@pytest.mark.whole(every=40)
async def test_a_program_ends_with_probes_as_it_does_without(
    worker: Worker, fixable: Fixable
) -> None:
    program = msgspec.structs.replace(own(fixable.program), draws_alike=True)

    plain, probed = await ran(worker, program, PLAIN), await ran(worker, program)

    assert without_probes(probed) == without_probes(plain)


async def test_no_form_of_python_s_is_changed_by_probes(worker: Worker) -> None:
    program = own(WITHOUT_EFFECT)

    plain, probed = await ran(worker, program, PLAIN), await ran(worker, program)

    assert without_probes(probed) == without_probes(plain)
    assert "Completed" in type(plain.outcome).__name__, plain.outcome
