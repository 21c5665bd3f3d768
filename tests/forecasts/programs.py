"""Random programs of views, slices and writes: the same number, the same program."""

from __future__ import annotations

import random
from textwrap import indent

from inplace_tui.common.run.program import Origin, Program

NAMES = ("a", "b", "c", "d")
_HEAD = """\
import torch
x = torch.tensor([[1., -2., 3., .5], [2., 1., -1., 4.], [.3, 1.5, 2., -3.], [1., 1., 2., 2.]])
x.requires_grad_(); w = torch.tensor([.5, -.25, 2., 1.], requires_grad=True)
a = x * 1; b = w * 2; c = d = a
"""

_VIEWS = (
    "{a}[1:]", "{a}[:2]", "{a}[::2]", "{a}[-1]", "{a}[0]", "{a}[..., 1:3]", "{a}[:, 0]",
    "{a}[None]", "{a}[...]", "{a}[1:][:1]", "{a}[1, 2]", "{a}.view(-1)", "{a}.view(2, -1)",
    "{a}.t()", "{a}.mT", "{a}.transpose(0, 1)", "{a}.unsqueeze(0)", "{a}.unsqueeze(-1)",
    "{a}.squeeze(0)", "{a}.squeeze()", "{a}.narrow(0, 1, 2)", "{a}.select(0, 1)",
    "{a}.diagonal()", "{a}.expand(4, 4)", "{a}.expand(2, -1, -1)", "{a}.movedim(0, -1)",
    "{a}.unbind(0)[0]", "{a}.split(2)[1]", "{a}.chunk(2)[0]", "{a}.unflatten(0, (2, 2))",
    "{a}.flatten()", "{a}.reshape(-1)", "{a}.view_as({a})", "{a}.as_strided((2,), (1,))",
    "{a}.swapaxes(0, -1)", "{a}.real", "{a}.tensor_split(2)[0]", "{a}.detach()", "{a}.data",
    "{a}.ravel()", "{a}.permute(*range({a}.dim())[::-1])",
)  # fmt: skip
_RESULTS = (
    "{a}.exp()", "{a}.sin()", "{a}.sigmoid()", "{a}.tanh()", "{a}.relu()", "{a}.neg()",
    "{a}.abs()", "{a}.square()", "{a}.cumsum(0)", "{a}.softmax(-1)", "{a}.prod(0)",
    "{a}.clone()", "{a}.contiguous()", "{a}.sum(0)", "{a}.mean(-1)", "{a}.max(0)[0]",
    "{a}.amax(0)", "{a}.repeat(2, 1)", "{a}.flip(0)", "{a}.roll(1)", "{a}.tril()",
    "{a}[[1, 0]]", "{a}[{a} > 0]", "{a}.norm()", "{a}.sort()[0]", "{a}.clamp(-1, 1)",
    "{a}.double()", "{a} + {b}", "{a} * {b}", "{a} - {b}", "{a} / {b}", "{a} @ {b}",
    "{a} ** 2", "{a} * 3", "1 / {a}", "torch.stack([{a}, {b}])", "torch.cat([{a}, {b}])",
    "torch.where({a} > 1, {a}, {b})", "torch.maximum({a}, {b})", "torch.addcmul({a}, {a}, {b})",
    "{a} * w", "{a} + x", "torch.outer({a}, {b})", "{a}.exp().add_(1)", "{a}.sin().mul_({b})",
    "{a}.index_select(0, torch.tensor([1, 0]))", "{a}.gather(0, torch.zeros(1, 1).long())",
    "{a}.masked_fill({a} > 1, 0)", "half({a})", "changed({a})", "torch.lerp({a}, {b}, 0.3)",
    "torch.cumprod({a}, 0)", "{a}.logsumexp(-1)", "torch.einsum('...i,...i->...', {a}, {b})",
)  # fmt: skip
_PLACES = (
    "{a}", "{a}", "{a}[0]", "{a}[1:]", "{a}[:, 1]", "{a}[..., :2]", "{a}.view(-1)", "{a}.t()",
    "{a}.diagonal()", "{a}.unsqueeze(0)", "{a}.narrow(0, 0, 1)", "{a}.data", "{a}.detach()",
    "{a}.data[0]", "{a}.detach()[1:]", "x.data", "w.data[:2]",
)  # fmt: skip
_WRITES = (
    "{p}.add_(1)", "{p}.mul_(2)", "{p}.mul_({b})", "{p}.add_({b})", "{p}.zero_()", "{p}.exp_()",
    "{p}.sin_()", "{p}.sigmoid_()", "{p}.relu_()", "{p}.copy_({b})", "{p}.neg_()",
    "{p}.fill_(.5)", "{p}.clamp_(max=1)", "{p}.div_({b})", "{p}.pow_(2)", "{p}.tanh_()",
    "{p}.masked_fill_({p} > 1, .1)", "{p}.cumsum_(0)", "{p}.copy_({p} * 1)", "{p}.add_(0)",
    "{a} += 1", "{a} *= {b}", "{a} -= x", "{a} /= 2", "{a}[0] = 3", "{a}[1:] = {b}",
    "{a}[:, 0] = 0", "{a}[...] = {b}", "{a}[:1] *= 2", "{a}[{a} > 1] = .5", "{a}[[0]] = .1",
    "{a}[:2] = {a}[2:]", "{a}[1:].mul_({a}[1:])", "{a}[-1] += {b}[0]", "{a}.t_()",
    "{a}.unsqueeze_(0)", "{a}.detach_()", "{a}.data = {b}.detach().clone()",
    "{a}.detach().numpy()[0] = 7", "{a}.detach().numpy()[...] *= 2", "change({a})",
    "torch.add({a}.detach(), 1, out={a}.detach())", "{a}.index_fill_(0, torch.tensor([0]), 2)",
    "{a}.detach().logical_not_()", "{a}.requires_grad_()",
)  # fmt: skip
_BACKWARDS = (
    "{a}.sum().backward()", "{a}.sum().backward(retain_graph=True)", "x.grad = None",
    "g = torch.autograd.grad({a}.sum(), x, retain_graph=True)", "d = x * x.grad",
    "x.grad.zero_()", "{a}.retain_grad()", "c = {a} * x.grad",
)  # fmt: skip
_HALF = """\
def half(q):
    r = q * .5
    r[0] = 1
    return r
"""
_CHANGE = """\
def change(q):
    s = q[:1]
    s.mul_(3)
"""
_CHANGED = """\
def changed(q):
    r = q.sin()
    change(r)
    return r
"""


def program(seed: str, number: int) -> Program:
    """Return the program of that number."""
    draw = random.Random(f"{seed}/{number}")
    lines = [_statement(draw) for _ in range(draw.randint(3, 9))]
    body = "".join(lines)
    used = (
        ("half(" in body) * _HALF + ("change" in body) * _CHANGE + ("changed(" in body) * _CHANGED
    )
    return Program(source=_HEAD + used + body, origin=Origin.OWN)


def _statement(draw: random.Random) -> str:
    """Return a statement; torch may refuse it, and then the program goes on."""
    kind = draw.random()
    if kind < 0.08:
        body = f"for turn in range(2):\n{indent(_simple(draw), '    ')}"
    elif kind < 0.16:
        body = f"with torch.no_grad():\n{indent(_simple(draw), '    ')}"
    else:
        body = _simple(draw)
    return f"try:\n{indent(body, '    ')}except Exception:\n    pass\n"


def _simple(draw: random.Random) -> str:
    fill = {"a": draw.choice(NAMES), "b": draw.choice(NAMES)}
    kind = draw.random()
    if kind < 0.34:
        text = f"{draw.choice(NAMES)} = {draw.choice(_VIEWS)}"
    elif kind < 0.6:
        text = f"{draw.choice(NAMES)} = {draw.choice(_RESULTS)}"
    elif kind < 0.93:
        fill["p"] = draw.choice(_PLACES).format(**fill)
        text = draw.choice(_WRITES)
    else:
        text = draw.choice(_BACKWARDS)
    return text.format(**fill) + "\n"
