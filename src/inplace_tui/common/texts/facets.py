"""What the columns of the tensor table are called, and what they show."""

from __future__ import annotations

from typing import NamedTuple

from inplace_tui.common.local_text import LocalText as T


class FacetTexts(NamedTuple):
    """What one column says."""

    title: T
    """Its head: torch's own word where there is room for it."""

    short: T
    """Its head in a narrow table."""

    about: T
    """One sentence for the help."""


FACET_TEXTS = {
    "names": FacetTexts(
        T("name", "名称"),
        T("name", "名称"),
        T("The shortest expression that reaches the tensor.", "能取到该张量的最短表达式。"),
    ),
    "shape": FacetTexts(
        T("shape", "形状"), T("shape", "形状"), T("The size of every dimension.", "每一维的大小。")
    ),
    "dtype": FacetTexts(
        T("dtype", "dtype"), T("dtype", "dtype"), T("The type of the elements.", "元素的类型。")
    ),
    "version": FacetTexts(
        T("_version", "_version"),
        T("ver", "版本"),
        T(
            "How often it was written in place; all views of a storage share the counter.",
            "被原地修改的次数；共享同一存储的视图共用这个计数器。",
        ),
    ),
    "storage": FacetTexts(
        T("storage", "存储"),
        T("st", "存"),
        T(
            "A letter for the block of memory: the same letter, the same elements.",
            "用字母表示一块存储：字母相同，底层数据就相同。",
        ),
    ),
    "base": FacetTexts(
        T("view of", "视图自"),
        T("view", "视图"),
        T("The tensor that it is a view of.", "它是哪个张量的视图。"),
    ),
    "is_leaf": FacetTexts(
        T("is_leaf", "is_leaf"),
        T("leaf", "叶子"),
        T(
            "Whether it was made by the program, not by a recorded operation.",
            "是否由程序直接创建，而不是由被记录的运算得到。",
        ),
    ),
    "requires_grad": FacetTexts(
        T("requires_grad", "requires_grad"),
        T("req", "求导"),
        T(
            "Whether autograd records what is computed from it.",
            "autograd 是否记录由它出发的运算。",
        ),
    ),
    "retains_grad": FacetTexts(
        T("retains_grad", "retains_grad"),
        T("keep", "保留"),
        T("Whether `.grad` is kept although it is not a leaf.", "非叶子张量是否保留 `.grad`。"),
    ),
    "is_inference": FacetTexts(
        T("inference", "推理张量"),
        T("inf", "推理"),
        T(
            "Whether it was made in inference mode, without a version counter.",
            "是否在推理模式中创建：没有版本号。",
        ),
    ),
    "data_ptr": FacetTexts(
        T("data_ptr", "data_ptr"),
        T("data_ptr", "data_ptr"),
        T(
            "The address of the first element; reused as soon as a tensor dies.",
            "第一个元素的地址；张量释放后会被重复使用。",
        ),
    ),
    "grad_fn": FacetTexts(
        T("grad_fn", "grad_fn"),
        T("grad_fn", "grad_fn"),
        T("The node of the backward graph that made it.", "计算图中产生它的节点。"),
    ),
    "grad": FacetTexts(
        T("grad", "grad"),
        T("grad", "grad"),
        T("What backward has accumulated in `.grad`.", "backward 累加到 `.grad` 的梯度。"),
    ),
    "forecast": FacetTexts(
        T("backward?", "反向?"),
        T("bwd?", "反向?"),
        T(
            "What `t.sum().backward()` would do from here: run, raise, or be silently wrong.",
            "从这里调用 `t.sum().backward()` 会怎样：正常、报错，还是悄悄算错。",
        ),
    ),
    "values": FacetTexts(
        T("values", "值"), T("values", "值"), T("The elements, row by row.", "按行排列的元素。")
    ),
}
"""By the key of the facet."""
