"""What torch says of a saved view whose base was written, and what is read of it before."""

from __future__ import annotations

import pytest

from forecasts.judging import judge
from inplace_tui.common.run.program import Origin, Program

HEAD = """\
import torch
x = torch.ones(4, requires_grad=True)
p = torch.ones(4)
w = torch.ones(2, requires_grad=True)
a = x * 1
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t.view_as(t)
    @staticmethod
    def backward(ctx, g):
        return g
"""


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("d = a.split(2)[1]; c = d.sin()\na[0] = 3", "Raises"),
        ("d = a.unbind(0)[1]; c = torch.stack([d, d]) * d\na[0] = 3", "Raises"),
        ("d = a.split(2)[1]; c = d.sin()\na.detach().add_(1)", "Raises"),
        ("d = a.split(2)[1]; c = d.sin()\nwith torch.no_grad():\n    a[0] = 3", "Raises"),
        ("with torch.no_grad():\n    d = a[2:]\nc = d * w\na[0] = 3", "Raises"),
        ("with torch.no_grad():\n    d = x[2:]\nc = d * w\nx.detach().add_(1)", "Raises"),
        ("c = p.split(2)[1] * w\np[0] = 3", "Raises"),
        ("c = p.split(2)[1] * w\np.mul_(x)", "Unknown"),
        ("d = a.split(2)[1]; c = d.exp()\na[0] = 3", "Runs"),
        ("c = a[:2].sin()\na[0] = 3", "Raises"),
        ("d = x * 2; c = d.sin()\nd.add_(1)\nd.detach_()", "Raises"),
        ("d = x * 2; c = d.sin()\nd.detach_()\nd.add_(1)", "Raises"),
        ("c = Half.apply(a).sin()\na.add_(1)", "Raises"),
        ("a[0] = 3\nc = a * 1", "Runs"),
        ("a[:2] = w\nc = a * 1\nw.data.zero_()", "Runs"),
        ("a[:2] += 1\nc = a * 1", "Runs"),
        ("d = a[1:]\nd.mul_(2)\nc = a * 1", "Runs"),
        ("for i in range(2):\n    a[i + 1] = w[i] * i\nc = a * 1", "Runs"),
        ("i = 1\na[i] = w[0]\nc = a * 1", "Unknown"),
        ("m = torch.ones(2) > 0\na[:2][m] = 3\nc = a * 1\nm.data.logical_not_()", "Unknown"),
        ("a[:2].mul_(w)\nc = a * 1\nw.data.zero_()", "Unknown"),
        ("a[:2].mul_(w)\nc = a * 1\nwith torch.no_grad():\n    w.zero_()", "Unknown"),
        ("d = x + 0; d[0] = 3\nd.sum().backward()\nc = d + 1", "Unknown"),
        ("d = x + 0; d[0] = 3\nc = d + 1\ng = torch.autograd.grad(c.sum(), x)", "Unknown"),
        ("a[:2].asinh_()\nc = a * 1", "Unknown"),
        ("a[:1] = (x * 2)[:1].mul_(w[:1])\nc = a * 1", "Unknown"),
        ("a[:2].exp_()\nc = a * 1\na.data.zero_()", "Unknown"),
        ("c = (x * 2).asinh_()", "Raises"),
    ],
)
@pytest.mark.whole(every=8)
def test_what_is_read_is_what_torch_says(lines: str, kind: str) -> None:
    found = judge(Program(source=HEAD + lines + "\n", origin=Origin.OWN))

    told = [told for name, told in found.last.items() if name == "c"]
    assert found.contradictions == []
    assert [type(each).__name__ for each in told] == [kind]
