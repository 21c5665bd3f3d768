"""What can be seen of one tensor: one declaration a column.

A facet that only shows fields of `Tensor` needs nothing but its line here. How
`values` and `grad` are drawn and compared takes more than a field.
"""

from __future__ import annotations

import msgspec

from inplace_tui.model.lesson import LocalText


class Facet(msgspec.Struct, frozen=True, kw_only=True):
    """A column of the tensor table, and what a mask or a mark of change can name."""

    key: str
    fields: tuple[str, ...]
    """The fields of `Tensor` it is read from; the first is what a cell shows. None
    where it is read from the graph."""

    title: LocalText
    """Head of the column: torch's own word where there is room for it."""

    short: LocalText
    """Head in a narrow table."""

    about: LocalText
    """One sentence for the help."""

    width: int
    """Cells of its column, without the gap."""

    priority: int
    """Columns with larger numbers go first when the table gets narrow."""

    claim: tuple[str, ...] = ()
    """The fields of a `TensorClaim` about it, if they have other names."""


def _same(text: str) -> LocalText:
    return LocalText(en=text, zh=text)


FACETS = (
    Facet(
        key="names",
        fields=("names",),
        title=LocalText(en="name", zh="名称"),
        short=LocalText(en="name", zh="名称"),
        about=LocalText(
            en="The shortest expression that reaches the tensor.", zh="能取到该张量的最短表达式。"
        ),
        width=8,
        priority=0,
    ),
    Facet(
        key="shape",
        fields=("shape", "stride", "layout", "device"),
        title=LocalText(en="shape", zh="形状"),
        short=LocalText(en="shape", zh="形状"),
        about=LocalText(en="The size of every dimension.", zh="每一维的大小。"),
        width=6,
        priority=6,
    ),
    Facet(
        key="dtype",
        fields=("dtype",),
        title=LocalText(en="dtype", zh="dtype"),
        short=LocalText(en="dtype", zh="dtype"),
        about=LocalText(en="The type of the elements.", zh="元素的类型。"),
        width=8,
        priority=10,
    ),
    Facet(
        key="version",
        fields=("version",),
        title=LocalText(en="_version", zh="_version"),
        short=LocalText(en="ver", zh="版本"),
        about=LocalText(
            en="How often it was written in place; all views of a storage share the counter.",
            zh="被原地修改的次数；共享同一存储的视图共用这个计数器。",
        ),
        width=5,
        priority=2,
    ),
    Facet(
        key="storage",
        fields=("storage", "offset"),
        title=LocalText(en="storage", zh="存储"),
        short=LocalText(en="st", zh="存"),
        about=LocalText(
            en="A letter for the block of memory: the same letter, the same elements.",
            zh="用字母表示一块存储：字母相同，底层数据就相同。",
        ),
        width=2,
        priority=3,
        claim=("shares", "apart"),
    ),
    Facet(
        key="base",
        fields=("base", "is_view"),
        title=LocalText(en="view of", zh="视图自"),
        short=LocalText(en="view", zh="视图"),
        about=LocalText(en="The tensor that it is a view of.", zh="它是哪个张量的视图。"),
        width=7,
        priority=9,
        claim=("view_of",),
    ),
    Facet(
        key="is_leaf",
        fields=("is_leaf",),
        title=LocalText(en="is_leaf", zh="is_leaf"),
        short=LocalText(en="leaf", zh="叶子"),
        about=LocalText(
            en="Whether it was made by the program, not by a recorded operation.",
            zh="是否由程序直接创建，而不是由被记录的运算得到。",
        ),
        width=4,
        priority=5,
    ),
    Facet(
        key="requires_grad",
        fields=("requires_grad", "is_inference"),
        title=LocalText(en="requires_grad", zh="requires_grad"),
        short=LocalText(en="req", zh="求导"),
        about=LocalText(
            en="Whether autograd records what is computed from it.",
            zh="autograd 是否记录由它出发的运算。",
        ),
        width=4,
        priority=4,
    ),
    Facet(
        key="retains_grad",
        fields=("retains_grad",),
        title=LocalText(en="retains_grad", zh="retains_grad"),
        short=LocalText(en="keep", zh="保留"),
        about=LocalText(
            en="Whether `.grad` is kept although it is not a leaf.",
            zh="非叶子张量是否保留 `.grad`。",
        ),
        width=4,
        priority=11,
    ),
    Facet(
        key="is_inference",
        fields=("is_inference",),
        title=LocalText(en="inference", zh="推理张量"),
        short=LocalText(en="inf", zh="推理"),
        about=LocalText(
            en="Whether it was made in inference mode, without a version counter.",
            zh="是否在推理模式中创建：没有版本号。",
        ),
        width=4,
        priority=12,
    ),
    Facet(
        key="data_ptr",
        fields=("data_ptr",),
        title=_same("data_ptr"),
        short=_same("data_ptr"),
        about=LocalText(
            en="The address of the first element; reused as soon as a tensor dies.",
            zh="第一个元素的地址；张量释放后会被重复使用。",
        ),
        width=14,
        priority=1,
    ),
    Facet(
        key="grad_fn",
        fields=("grad_fn",),
        title=_same("grad_fn"),
        short=_same("grad_fn"),
        about=LocalText(
            en="The node of the backward graph that made it.", zh="计算图中产生它的节点。"
        ),
        width=16,
        priority=7,
    ),
    Facet(
        key="grad",
        fields=("grad",),
        title=_same("grad"),
        short=_same("grad"),
        about=LocalText(
            en="What backward has accumulated in `.grad`.", zh="backward 累加到 `.grad` 的梯度。"
        ),
        width=12,
        priority=8,
    ),
    Facet(
        key="forecast",
        fields=(),
        title=LocalText(en="backward?", zh="反向?"),
        short=LocalText(en="bwd?", zh="反向?"),
        about=LocalText(
            en="What `t.sum().backward()` would do from here: run, raise, or be silently wrong.",
            zh="从这里调用 `t.sum().backward()` 会怎样：正常、报错，还是悄悄算错。",
        ),
        width=6,
        priority=7,
    ),
    Facet(
        key="values",
        fields=("values", "storage", "offset", "stride", "shape", "dtype"),
        title=LocalText(en="values", zh="值"),
        short=LocalText(en="values", zh="值"),
        about=LocalText(en="The elements, row by row.", zh="按行排列的元素。"),
        width=14,
        priority=0,
    ),
)

FACET_OF = {name: facet.key for facet in FACETS for name in (facet.key, *facet.claim)}
"""Field of a `TensorClaim`, or key of a facet -> key of the facet that shows it."""
