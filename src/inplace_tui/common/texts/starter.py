"""The lesson that `new` writes: true as it stands, to be changed piece by piece."""

from __future__ import annotations

from inplace_tui.common.local_text import T

LESSON = """\
# yaml-language-server: $schema={schema}
schema: 1
id: {id}
# At most 46 cells; a Chinese character takes two.
title: {{en: "{title}", zh: "{title_zh}"}}
# Concepts, in words of your own; those required are taught by earlier lessons.
teaches: [{id}]
requires: []
difficulty: 2  # 1 to 5
minutes: 4
watch: [x, y]  # the first rows of the tensor table
# The page of PyTorch's documentation that it is about, shown at the end.
docs: https://docs.pytorch.org/docs/stable/notes/autograd.html

# A whole program. `#@ name` names a line; learners do not see it.
code: |
  import torch
  x = torch.tensor([1., 2.], requires_grad=True)  #@ make
  y = x * 3                                       #@ multiply
  y.add_(1)                                       #@ write
  y.sum().backward()                              #@ back

steps:
  # `say` is shown after the line ran (three rows at most), `expect` must be true then.
  - at: write
    say:
      en: "`add_` wrote into `y`: it holds 4 and 7 now."
      zh: "`add_` 写进了 `y`：现在它是 4 和 7。"
    expect: {{tensors: {{y: {{version: 1, values: [4, 7]}}}}}}
  # `ask` is asked before the line runs. Exactly one `when` must be true of the run.
  - at: back
    ask:
      id: will-it-run
      kind: outcome
      prompt: {{en: "What does `backward()` do?", zh: "`backward()` 会怎样？"}}
      choices:
        - id: right
          when: {{ends: right}}
          text: {{en: "Runs, and the gradient is right", zh: "正常运行，梯度正确"}}
          why:
            en: "The derivative of `x * 3` is 3 whatever `y` holds, so nobody saved `y`."
            zh: "`x * 3` 的导数恒为 3，与 `y` 的值无关，所以没有谁保存 `y`。"
        - id: wrong
          when: {{ends: wrong}}
          text: {{en: "Runs, and the gradient is silently wrong", zh: "正常运行，但梯度悄悄错了"}}
          why:
            en: "You expect the new numbers to be used. Which numbers does this derivative need?"
            zh: "你以为会用到改写后的数。这个导数到底需要哪些数？"
        - id: raises
          when: {{ends: raises_in_backward}}
          text: {{en: "Raises", zh: "报错"}}
          why:
            en: "You expect every write to be refused. Only what was saved is looked at."
            zh: "你以为任何写入都会被拒绝。反向传播只检查被保存的张量。"
      hints:
        - {{en: "What is the derivative of `x * 3`?", zh: "`x * 3` 的导数是什么？"}}
    expect: {{ends: right, tensors: {{x: {{grad: [3, 3]}}}}}}

# The same program with some statements swapped: what if?
variants:
  - id: twice
    title: {{en: "What if y is doubled?", zh: "如果把 y 翻倍呢？"}}
    swap: {{write: "y.mul_(2)"}}
    expect: {{ends: right, tensors: {{x: {{grad: [6, 6]}}}}}}
    say:
      en: "The write is recorded, so it is a part of the derivative: 3 times 2."
      zh: "这次改写被记录下来，也计入导数：3 乘 2。"

recap:
  en: "A write hurts only what was saved before."
  zh: "只有之前被保存的，才怕被改写。"
"""


class StarterTexts:
    """`{title}` is the id in words; nobody knows it in Chinese yet."""

    lesson = T("{title}")
    chapter = T("{title}", "StarterTexts.chapter")


CHAPTER = """\
schema: 1
title: {{en: "{title}", zh: "{title_zh}"}}
summary: {{en: "What this chapter is about.", zh: "这一章讲什么。"}}
"""
