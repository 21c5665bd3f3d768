"""General sentences are tried in corners that their author did not think of; false ones fall."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import Attack
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.drive.attacks import refutations
from inplace_tui.tutorial.drive.check import check_lessons
from lessons.test_check import LESSON

W = "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\n"
X = "import torch\nx = torch.tensor([1., 2.])\n"

OLD = {
    "no-grad-fn: if recording was off there is no graph, and backward raises": Attack(
        gap="make",
        code=W
        + """\
with torch.no_grad():
    t = make(w)
assert raised(t.backward)
""",
    ),
    "not-every-tensor: a floating-point result of an input that requires grad requires it": Attack(
        gap="make",
        code=W
        + """\
t = make(w)
assert t.requires_grad or not t.is_floating_point()
""",
    ),
    "nonleaf-grad: autograd.grad fills no .grad at all": Attack(
        gap="watch",
        code=W
        + """\
b = w * 3
watch(b)
torch.autograd.grad(b.sum(), w)
assert b.grad is None and w.grad is None
""",
    ),
    "grads-add-up: autograd.grad does not touch .grad": Attack(
        gap="watch",
        code=W
        + """\
h = w.exp()
watch(h)
torch.autograd.grad(h.sum(), w)
assert [t.grad for t in (w, h)] == [None, None]
""",
    ),
    "second-backward: a second one through a node that saved something raises": Attack(
        gap="compute",
        code=W
        + """\
def gradient(x):
    torch.manual_seed(0)
    y = compute(x).sum()
    return y, torch.autograd.grad(y, x)[0]
y, grad = gradient(w)
depends_on_the_numbers = not torch.equal(grad, gradient(w.detach().flip(0).requires_grad_())[1])
assert raised(y.backward) or not depends_on_the_numbers
""",
    ),
    "storage-pointers: an out-of-place computation puts its result into new memory": Attack(
        gap="layer",
        code="""\
import torch
x = torch.rand(3, 2)
y = layer()(x)
assert not torch.is_tensor(y) or y.data_ptr() != x.data_ptr()
""",
    ),
    "write-before-use: each write adds one, whatever is written and wherever": Attack(
        gap="write", code=f"{X}write(x)\nassert x._version == 1\n"
    ),
    "misfits: assignment converts without a warning": Attack(
        gap="value",
        code="""\
import torch, warnings
warnings.simplefilter("error")
for dtype in (torch.int8, torch.int64, torch.float32):
    x = torch.zeros(2, dtype=dtype)
    x[0] = value()
""",
    ),
    "uninitialised: what FloatTensor(3) has is left to chance": Attack(
        gap="mode",
        code="""\
import torch
with mode():
    x = torch.FloatTensor(3)
assert not x.isnan().all()
""",
    ),
    "matmul-assignment: @= makes a new tensor": Attack(
        gap="multiply",
        code="""\
import torch
x, w = torch.ones(2, 2), torch.ones(2, 2)
new = multiply(x, w)
assert new is not x and x._version == 0
""",
    ),
    "write-after-loss: not counted are fused optimizers and batch norm's statistics": Attack(
        gap="write",
        but=["sgd_fused", "adam_fused", "batch_norm", "data"],
        code=f"{X}with torch.no_grad():\n    write(x)\nassert x._version > 0\n",
    ),
    "split-views: after an unrecorded write recorded ops can't use any view of that call": Attack(
        gap="make",
        code=W
        + """\
base = make(w)
views = base.view(-1).unbind() if base.numel() else ()
with torch.no_grad():
    base.zero_()
assert raised(lambda: views[0] * w)
""",
    ),
    "data-silent: a write through .data into a saved tensor makes the gradient wrong": Attack(
        gap="compute",
        code=W
        + """\
x = w * 1
y = compute(x)
right = torch.autograd.grad(y.sum(), w, retain_graph=True)[0].clone()
x.data.mul_(2)
assert not torch.equal(torch.autograd.grad(y.sum(), w)[0], right)
""",
    ),
    "inference-mode: an inference tensor has no version counter": Attack(
        gap="make",
        code=W
        + """\
with torch.inference_mode():
    t = make(w)
assert raised(lambda: t._version)
""",
    ),
    "checking-a-fix: a fix is right when gradcheck says so": Attack(
        gap="compute",
        code="""\
import torch
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
if torch.autograd.gradcheck(lambda t: compute(t).double(), x, raise_exception=False):
    assert torch.equal(compute(x), x * x)
""",
    ),
    "reading-the-message: the op named made the tensor": Attack(
        gap="layer",
        code="""\
import torch
made = layer()
weights = [each for each in made.parameters() if each.requires_grad]
out = made(torch.rand(3, 2, requires_grad=True))
with torch.no_grad():
    for each in weights:
        each.add_(1)
message = raised(out.sum().backward) if torch.is_tensor(out) and out.requires_grad else ""
assert "is at version" not in message or "output 0 of" not in message
""",
    ),
    "anomaly-mode: it shows the forward line of the op that raised": Attack(
        gap="around",
        code=W
        + """\
import warnings
def forward():
    y = w.exp()
    y.add_(1)
    return y.sum()
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    assert raised(lambda: around(torch.autograd.detect_anomaly, forward, lambda y: y.backward()))
assert any("Traceback of forward call" in str(each.message) for each in warned)
""",
    ),
    "second-mistake: of the nodes ready to run, the one made last runs first": Attack(
        gap="compute",
        code=W
        + """\
v = torch.ones(2, requires_grad=True)
first = compute(w)
(first * 1).sum().backward()
w.grad = None
first, late = compute(w), v.exp()
loss = (first + late).sum()
with torch.no_grad():
    late.add_(1)
assert raised(loss.backward) and w.grad is None
""",
    ),
    "module-hooks: a full backward hook makes the output a view that must not be written": Attack(
        gap="layer",
        code="""\
import torch
hooked = layer()
hooked.register_full_backward_hook(lambda *_: None)
out = hooked(torch.rand(3, 2, requires_grad=True) * 1)
assert "is a view and is being modified" in raised(lambda: out.mul_(2))
""",
    ),
    "exchanged-storage: for a saved result the node has a tensor of its own": Attack(
        gap="compute",
        code=W
        + """\
h = w * 1
y = compute(h).sum()
right = torch.autograd.grad(y, w, retain_graph=True)[0].clone()
h.data = torch.zeros(2)
assert torch.equal(torch.autograd.grad(y, w)[0], right)
""",
    ),
    "allowed-mutation: tensors that are written are copied": Attack(
        gap="write",
        code=W
        + """\
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    x = w * 1
    y = (x * x).sum()
    with torch.no_grad():
        write(x)
    y.backward()
assert w.grad.tolist() == [2, 4]
""",
    ),
    "checkpoint-captured: arguments are saved and checked": Attack(
        gap="hand",
        code=W
        + """\
from torch.utils.checkpoint import checkpoint
s = torch.tensor([3., 3.])
given, options, take = hand(s)
block = lambda x, *a, **k: x * take(*a, **k)
y = checkpoint(block, w, *given, use_reentrant=False, **options)
s.zero_()
assert raised(y.sum().backward) or w.grad.tolist() == [3, 3]
""",
    ),
    "func-transforms: a function under grad can't write tensors from outside": Attack(
        gap="write",
        code=X
        + """\
def f(t):
    write(x)
    return (t * t).sum()
assert raised(lambda: torch.func.grad(f)(torch.ones(2)))
""",
    ),
}
"""Sentences as the course once had them, and what they say of any program."""


REFUTED_BY = {
    "no-grad-fn": "number",
    "not-every-tensor": "like",
    "nonleaf-grad": "retain_grad",
    "grads-add-up": "retain_grad",
    "second-backward": "function_that_keeps",
    "storage-pointers": "dropout_eval",
    "write-before-use": "item_in_place",
    "misfits": "not_a_number",
    "uninitialised": "deterministic",
    "matmul-assignment": "rows",
    "write-after-loss": "apply",
    "split-views": "plain",
    "data-silent": "relu",
    "inference-mode": "view",
    "checking-a-fix": "sigmoid",
    "reading-the-message": "linear",
    "anomaly-mode": "backward_alone",
    "second-mistake": "identity",
    "module-hooks": "returns_a_dict",
    "exchanged-storage": "times_itself",
    "allowed-mutation": "numpy",
    "checkpoint-captured": "keyword",
    "func-transforms": "out",
}
"""What it is that shows each false: the program of the lesson did not have it.

With those that the survey refutes (`test_general.py`) these are the old wordings of 26 lessons. Of
the 28 that were mended at once, two were not false: of "the same bytes" we now say where it
was measured, and to "additions are lost" something was added.
"""


@pytest.mark.parametrize("sentence", OLD)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_sentence_that_was_false_is_refuted(sentence: str, worker: Worker) -> None:
    loaded = load_lesson(LESSON, "l.yaml", origin=Origin.BUILT_IN)
    found = await refutations(OLD[sentence], loaded, worker)

    (refuted,) = (each.en for each in found if each.en.startswith("not so with "))
    assert REFUTED_BY[sentence.partition(":")[0]] in refuted


@pytest.mark.asyncio(loop_scope="session")
async def test_check_names_the_sentence_and_an_exception_that_is_none(worker: Worker) -> None:
    attacks = """attacks:
  - gap: value
    code: |
      value()
  - gap: value
    but: [large, fraction]
    code: |
      assert not isinstance(value(), int) or value() < 300
  - gap: valeu
    code: |
      value()
"""
    loaded = load_lesson(LESSON + attacks, "l.yaml", origin=Origin.BUILT_IN)
    (checked,) = [each async for each in check_lessons([loaded], worker)]

    assert [str(each) for each in checked.verified.problems] == [
        "l.yaml:35:5: an exception that is none: it is so with value.fraction",
        "l.yaml:39:5: there is no valeu among the corners: around, compute, hand, layer, make,"
        " mode, multiply, optimizer, place, value, view, watch, write",
    ]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_hold_that_tries_something_else_or_nothing_new_is_refused(worker: Worker) -> None:
    holds = """holds:
  - id: elsewhere
    title: {en: "Elsewhere", zh: "别处"}
    code: |
      import torch
      z = torch.arange(3).flip(0)
    expect: {ends: runs}
  - id: again
    title: {en: "Again", zh: "再来"}
    code: |
      import torch
      z = torch.ones(3, requires_grad=True).exp()
      z.add_(1)
      z.sum().backward()
    expect: {ends: raises_in_backward}
"""
    lesson = LESSON.replace("recap: {en: end", "recap: {en: exp() saves its result")
    loaded = load_lesson(lesson + holds, "l.yaml", origin=Origin.BUILT_IN)
    (checked,) = [each async for each in check_lessons([loaded], worker)]

    assert [str(each) for each in checked.verified.problems] == [
        "l.yaml:34:5: nothing in it is what the recap speaks of",
        "l.yaml:40:5: it has nothing new, and ends as the lesson's own program does",
    ]
