"""A small challenge that is in order, and ways to spoil its file."""

from __future__ import annotations

GOOD = """\
schema: 1
id: spoil
title: {en: Spoil it, zh: 弄坏它}
task: {en: "Write to `y`.", zh: "写 `y`。"}
difficulty: 1
code: |
  import torch
  x = torch.ones(2, requires_grad=True)  #@ make
  y = x.exp()                            #@ exp
  loss = y.sum()                         #@ loss
  loss.backward()                        #@ back
goal: {ends: raises_in_backward, match: "modified by an inplace", saved_by: exp}
keep: [make, exp, back]
same: [loss]
par: 1
solution: {loss: "loss = y.sum()  #@ loss\\ny.zero_()"}
explain: {en: done, zh: 完成}
"""


def with_lines(lines: str) -> str:
    """Return the good challenge with the entry of the same key exchanged."""
    key = lines.split(":", maxsplit=1)[0]
    return "".join(
        f"{lines}\n" if line.startswith(f"{key}:") else line
        for line in GOOD.splitlines(keepends=True)
    )
