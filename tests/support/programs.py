"""Random programs for hypothesis: what a learner may type, sense or nonsense.

Most statements are guarded, so that a refusal is printed and the program goes
on; some are not, so that some programs end with one. When the recorder learns
to look at something new, a statement that makes it matter belongs into
`statements.txt` first.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st


def _tables() -> dict[str, list[str]]:
    tables: dict[str, list[str]] = {}
    text = Path(__file__).with_name("statements.txt").read_text()
    for section in text.split("\n[")[1:]:
        name, _, body = section.partition("]\n")
        tables[name] = body.strip("\n").split("\n\n" if name == "blocks" else "\n")
    return tables


_TABLES = _tables()
_names = st.sampled_from(
    ["x", "w", "p", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "net.fc.weight", "kept[0]"]
)
_targets = st.sampled_from(["v0", "v1", "v2", "v3", "v4", "v5", "v6", "x", "p"])


@st.composite
def _simple(draw: st.DrawFn) -> str:
    """One statement on one line."""
    kind = draw(st.integers(0, 9))
    fill = {"a": draw(_names), "b": draw(_names)}
    target = draw(_targets)
    if kind < 3:
        return f"{target} = {fill['a']}{draw(st.sampled_from(_TABLES['unary']))}"
    if kind < 5:
        return f"{target} = {draw(st.sampled_from(_TABLES['binary'])).format(**fill)}"
    table = (
        _TABLES["writes"],
        _TABLES["writes"],
        _TABLES["reads"],
        _TABLES["backwards"],
        _TABLES["backwards"],
    )[kind - 5]
    return draw(st.sampled_from(table)).format(**fill)


@st.composite
def _statement(draw: st.DrawFn) -> str:
    """One statement, perhaps a block, perhaps guarded."""
    if draw(st.integers(0, 6)):
        text = draw(_simple())
    else:
        text = draw(st.sampled_from(_TABLES["blocks"])).format(
            a=draw(_names.filter(str.isidentifier)),
            b=draw(_names.filter(str.isidentifier)),
            s=draw(_simple()),
            t=draw(_simple()),
        )
    if draw(st.integers(0, 11)) == 0:
        return text
    body = "".join(f"    {line}\n" for line in text.splitlines())
    return f"try:\n{body}except Exception as error:\n    print(type(error).__name__, error)"


def _is_syntax(source: str) -> bool:
    try:
        compile(source, "program.py", "exec")
    except SyntaxError:
        return False
    return True


programs = (
    st.lists(_statement(), min_size=3, max_size=14)
    .map(lambda statements: "\n".join([*_TABLES["prelude"], *statements, ""]))
    .filter(_is_syntax)
)
