"""A program, and names, that try every way to make a terminal do something."""

from __future__ import annotations

import re

ATTACKS = (
    "\x1b]0;PWN\x07", "\x1b]52;c;UFdO\x07", "\x1b[66;66H", "\x1b[66A", "\x1bP66;PWN\x1b\\", "\x1bc",
    "\x9b66;66H", "\x9d0;PWN\x9c", "\x90PWN\x9c", "\x07", "\x08\x08\x08", "\rPWN", "\x0b\x0c\x0e",
    "\u202eNWP\u2066", "\u200b\u061c", "a" + "\u0301" * 500, "\x7f", "[/b][red]", "\U000e0041",
)  # fmt: skip

ATTACK = "".join(ATTACKS)

COMMENT = re.sub("[\r\v\f]", "", ATTACK)
"""Without what would end the comment, for Python or for an editor."""

PROGRAM = f"""import sys, os, warnings, torch
A = {ATTACK!r}
print(A)
print(A, file=sys.stderr, flush=True)
os.write(2, A.encode())
warnings.warn(A)
weights = {{A: torch.ones(2, requires_grad=True)}}
globals()["x" + A] = weights[A] * 2
class Holder: pass
holder = Holder()
setattr(holder, "y" + A, weights[A].exp())
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()
    @staticmethod
    def backward(ctx, g):
        return g
F.__name__ = F.__qualname__ = "F" + A
z = F.apply(weights[A])  # {COMMENT}
def deep(): raise type("E" + A, (Exception,), {{}})(A)
deep.__code__ = deep.__code__.replace(co_name="f" + A)
with torch.no_grad():
    weights[A].mul_(2)
"""

RAISING = PROGRAM + "deep()\n"
BACKWARD = PROGRAM + "z.sum().backward()\n"

_OURS = re.compile("\x1b\\[[0-9;]*m|\r\x1b\\[K")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def obeyed(text: str, *, colours: bool = False) -> list[str]:
    """Return what a terminal would obey in a text, the line ends and colours apart."""
    return _CONTROLS.findall(_OURS.sub("", text) if colours else text)
