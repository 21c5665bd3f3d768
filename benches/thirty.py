"""The programs whose lines are recorded: loops beside thirty living tensors."""

from __future__ import annotations

LINES = 5
"""Of the loop, with its header."""

_TENSORS = "\n".join(
    [
        *(f"t{i} = torch.zeros(4, 4)" for i in range(10)),
        *(f"t{i} = torch.ones(4, 4, requires_grad=True)" for i in range(10, 20)),
        *(f"t{i} = t{i - 10} * 2" for i in range(20, 30)),
    ]
)
_LOOP = """\
import time, torch
{tensors}
n = 0
began = time.process_time()
for i in range({rounds}):
    {body}
print(time.process_time() - began)
"""
_IN_FUNCTION = """\
import time, torch
def run():
    {tensors}
    n = 0
    began = time.process_time()
    for i in range({rounds}):
        {body}
    return time.process_time() - began
print(run())
"""
_IN_DICT = """
d = {k: v for k, v in globals().items() if k[0] == "t" and k[1:].isdigit()}
for k in d: del globals()[k]"""
_IDLE = ("n = i + 1", "n = n - 1", "n = n * 2", "n = n // 2")
_WRITING = ("t0.add_(1)", "t3[0] = 1.0", "t7 *= 2", "t9.zero_()")
_MAKING = ("y = t10 * t11", "z = y + t12", "y = z * t13", "z = y.exp()")
_BESIDE = ("n = i + 1", "big[0] = 1.0", "n = n * 2", "t0.add_(1)")


def idle(rounds: int) -> str:
    """Return a program whose lines touch no tensor."""
    return _filled(rounds, _IDLE, _TENSORS)


def writing(rounds: int) -> str:
    """Return a program whose every line writes one of the thirty."""
    return _filled(rounds, _WRITING, _TENSORS)


def making(rounds: int) -> str:
    """Return a program whose every line makes a node of the graph."""
    return _filled(rounds, _MAKING, _TENSORS)


def inside(rounds: int) -> str:
    """Return a program whose lines write one of thirty local variables of a function."""
    tensors, body = _TENSORS.replace("\n", "\n    "), "\n        ".join(_WRITING)
    return _IN_FUNCTION.format(rounds=rounds, tensors=tensors, body=body)


def contained(rounds: int) -> str:
    """Return a program whose lines write one of thirty items of a dictionary."""
    body = tuple(f"d['{line[:2]}']{line[2:]}" for line in _WRITING)
    return _filled(rounds, body, _TENSORS + _IN_DICT)


def sized(rounds: int, count: int) -> str:
    """Return a program that has one more tensor, of so many elements."""
    return _filled(rounds, _BESIDE, f"{_TENSORS}\nbig = torch.zeros({count})")


def _filled(rounds: int, body: tuple[str, ...], tensors: str) -> str:
    return _LOOP.format(rounds=rounds, body="\n    ".join(body), tensors=tensors)
