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
_IDLE = ("n = i + 1", "n = n - 1", "n = n * 2", "n = n // 2")
_WRITING = ("t0.add_(1)", "t3[0] = 1.0", "t7 *= 2", "t9.zero_()")
_BESIDE = ("n = i + 1", "big[0] = 1.0", "n = n * 2", "t0.add_(1)")


def idle(rounds: int) -> str:
    """Return a program whose lines touch no tensor."""
    return _filled(rounds, _IDLE, _TENSORS)


def writing(rounds: int) -> str:
    """Return a program whose every line writes one of the thirty."""
    return _filled(rounds, _WRITING, _TENSORS)


def sized(rounds: int, count: int) -> str:
    """Return a program that has one more tensor, of so many elements."""
    return _filled(rounds, _BESIDE, f"{_TENSORS}\nbig = torch.zeros({count})")


def _filled(rounds: int, body: tuple[str, ...], tensors: str) -> str:
    return _LOOP.format(rounds=rounds, body="\n    ".join(body), tensors=tensors)
