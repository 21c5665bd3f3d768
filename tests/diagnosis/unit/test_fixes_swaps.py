"""What looks like the left side of a row becomes its right side, and the rest stays as written."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.rewrites.swaps import Swap, swaps_of


@pytest.mark.parametrize(
    ("source", "old", "new", "expected"),
    [
        ("y = (a + b).detach() * 2  # why\n", "X.detach()", "X", ["y = (a + b) * 2  # why\n"]),
        ("f(x.data)\nx.data = y\n", "X.data", "X", ["f(x)\nx.data = y\n"]),
        (
            "np.array(a - b)\n",
            "asarray(X) | array(X)",
            ".detach()",
            ["np.array((a - b).detach())\n"],
        ),
        ("g(t.expand(2))\n", "expand()", ".clone()", ["g(t.expand(2).clone())\n"]),
        ("c(f, x, use=True)\n", "c()", ", use=False", ["c(f, x, use=False)\n"]),
        ("y.add_(z, v)\n", "Y.IN_PLACE(A, X)", ".to(Y.dtype)", ["y.add_(z, v.to(y.dtype))\n"]),
        ("y.add(z, v)\n", "Y.IN_PLACE(A, X)", ".to(Y.dtype)", []),
        (
            "x.flag = False\nx.flag = True\n",
            "X.flag = False",
            "X.on()",
            ["x.on()\nx.flag = True\n"],
        ),
        ("f(x.data, y.data)\n", "X.data", "X", ["f(x, y.data)\n", "f(x.data, y)\n", "f(x, y)\n"]),
    ],
)
def test_only_what_looks_so_is_replaced(
    source: str, old: str, new: str, expected: list[str]
) -> None:
    site = FaultSite(source, None, Timeline())
    made = [proposal(site) for proposal in swaps_of(site, Swap("attached", None, old, new))]
    assert [each.source for each in made if each is not None] == expected
