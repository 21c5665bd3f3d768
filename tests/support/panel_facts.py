"""Facts read from rows that the panels draw, and from the lines of plain mode.

Both readers go by what stands there: columns and glyphs on one side, words on the
other. Nothing here asks the code that wrote either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inplace_tui.common.rows import Row
from inplace_tui.common.run.snapshot import Snapshot

Facts = set[tuple[object, ...]]

RAILS = set("│─┤├╮╯╰╭┬┴┼●○✗◉·")
CELLS = 8
"""Of a step in lanes drawn as large as they can be."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, without glyphs that only draw."""
    return tuple(word for word in text.split() if not RAILS.issuperset(word))


def squeezed(lines: Iterable[str]) -> str:
    """Return text without the spaces that wrapping puts in."""
    return re.sub(r"\s+", "", "".join(lines))


# The program.


def drawn_code(rows: Sequence[Row], source: str) -> Facts:
    """Read mark and notes beside every line."""
    return told_code([row.text for row in rows], source)


def told_code(lines: Sequence[str], source: str) -> Facts:
    """Read the same of a listing."""
    found: Facts = set()
    for number, code in enumerate(source.splitlines(), 1):
        [line] = [each for each in lines if re.match(rf".?\s*{number}\b", each)]
        mark, _, rest = line.partition(str(number))
        found.add((number, mark.strip(), words(rest.replace(code, "", 1))))
    return found


# The table.


def drawn_table(rows: Sequence[Row]) -> Facts:
    """Read every cell by the column that it stands in."""
    head = rows[0].text
    starts = [found.start() for found in re.finditer(r"\S+( of)?", head)]
    ends = [*starts[1:], None]
    found: Facts = set()
    for row in rows[1:]:
        if row.target.tensor is None:
            break
        bounds = zip(starts, ends, strict=True)
        cells = [row.text[a - 1 : None if b is None else b - 1] for a, b in bounds]
        name = cells[0].strip(" ▸▴")
        titles = re.findall(r"\S+(?: of)?", head)
        for title, cell in zip(titles[1:], cells[1:], strict=True):
            found.add((name, title, cell.strip(" ~▸")))
        found.add((name, "mark", row.text[0].strip()))
    return found


def told_table(pages: dict[str, list[str]], table: Sequence[str]) -> Facts:
    """Read what was said of each tensor by itself, and its mark in the list."""
    found: Facts = set()
    for lines in pages.values():
        name = re.split(r"\s{2,}", lines[0], maxsplit=1)[1].strip()
        for line in lines[1:]:
            if not line.strip():
                break
            title, value = re.split(r"\s{2,}", line, maxsplit=1)
            if title != "data_ptr":
                found.add((name, title, value.strip()))
        [row] = [line for line in table if re.match(rf"\s*\d+ .[ ▴]{re.escape(name)}\s", line)]
        found.add((name, "mark", row[4:5].strip()))
    return found


# The lanes.


def drawn_lanes(rows: Sequence[Row]) -> Facts:
    """Read marks, and whether something is held, by the column of each step."""
    label = min(found.start() for found in re.finditer(r"▼?\d", rows[1].text))
    found: Facts = set()
    letter = ""
    for row in rows[3:]:
        if not row.text.strip():
            break
        name = row.text[:label].split()
        if row.text[1] != " ":
            letter, owner = name[0], name[1]
            found.add((letter, owner, "now", tuple(name[2:])))
        else:
            owner = name[0].removeprefix("└")
        track = row.text[label:]
        steps = len(track.rstrip()) // CELLS + 1
        for step in range(steps):
            cell = track[step * CELLS : (step + 1) * CELLS]
            for mark in _KINDS.get(cell[:1], ()):
                found.add((letter, owner, step + 1, mark))
            if cell[-1:] in ("━", "╍") and len(cell) == CELLS:
                found.add((letter, owner, step + 1, "stale" if cell[-1] == "╍" else "held"))
    return found


_KINDS = {"○": ("made",), "●": ("write",), "◆": ("kept",), "!": ("spoilt",), "∅": ("freed",)}
_HEAD = re.compile(r"([A-Z]+)  (\S+)(?:  (\S+))?(?: (!))?: ?$")
_OTHER = re.compile(r"  └ (\S+) on [A-Z]+: ?$")
_EVENT = re.compile(r"    (\(ahead\) )?step (\d+), line \d+: (.*)$")


def told_lanes(lines: Sequence[str], last: int) -> Facts:
    """Read the lives of storages, one after the other; what is held stays so till told otherwise.

    Args:
        lines: of all storages.
        last: the last step that is drawn: what follows it is not.
    """
    found: Facts = set()
    letter = owner = ""
    state: tuple[int, str] = (0, "")
    for line in [*lines, ""]:
        event = _EVENT.match(line)
        until = int(event[2]) if event else last
        if state[1]:  # the state lasts until the next event; the last step has no line behind it
            found |= {(letter, owner, step, state[1]) for step in range(state[0], until)}
        if head := _HEAD.match(line):
            letter, owner, state = head[1], head[2], (0, "")
            found.add((letter, owner, "now", tuple(each for each in head.groups()[2:] if each)))
        elif other := _OTHER.match(line):
            owner, state = other[1], (0, "")
        elif event:
            step, said = int(event[2]), event[3]
            assert said != "nothing happened", "a step is told for what happened at it"
            found.add((letter, owner, step, _kind(said)))
            held = "stale" if "stale" in said else "held" if "saved by" in said else ""
            state = (step, held)
    return {fact for fact in found if fact[3] != ""}


def _kind(said: str) -> str:
    """Return the mark that a lane has for it: the most telling thing that happened."""
    if "write" in said:
        return "spoilt" if "stale" in said else "kept" if "without" in said else "write"
    return next((kind for kind in ("freed", "made") if kind in said), "")


# The graph.


def drawn_graph(rows: Sequence[Row]) -> Facts:
    """Read the words of every node and of what it saved; its inputs are drawn as lines."""
    found: dict[int, list[str]] = {}
    for row in rows:
        if row.target.node is not None and words(row.text):
            text = re.sub(r"  \([^()]*\)(?=  |$)", "", row.text)
            found.setdefault(row.target.node, []).extend(words(text))
    return {(tuple(sorted(said)),) for said in found.values()}


def told_graph(lines: Sequence[str]) -> Facts:
    """Read the same of a numbered list."""
    return {(tuple(sorted(said)),) for said in _nodes(lines)}


def told_edges(lines: Sequence[str]) -> Facts:
    """Read from each node to which others gradients go."""
    titles = {
        found[1]: found[2] for line in lines if (found := re.match(r" *(\d+) \S (\S+)", line))
    }
    edges: Facts = set()
    for line in lines:
        node = re.match(r" *(\d+) \S (\S+)", line)
        if node is None:
            continue
        to = line.partition("→ ")[2].split(", ") if "→ " in line else []
        ends = [each.split() for each in to]
        assert all(len(end) == 1 or titles[end[0]] == end[1] for end in ends)
        edges.add((node[2], tuple(end[-1] if len(end) > 1 else None for end in ends)))
    return edges


def true_edges(snapshot: Snapshot) -> Facts:
    """Return what torch said of its nodes."""
    nodes = snapshot.nodes
    return {
        (
            node.name,
            tuple(
                None if edge is None or edge.node not in nodes else nodes[edge.node].name
                for edge in node.inputs
            ),
        )
        for node in nodes.values()
    }


def _nodes(lines: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for line in lines:
        head = re.match(r" *\d+ (\S .*?)(→ .*)?$", line)
        if head:
            found.append([*words(head[1])])
        elif found and line.startswith("      "):
            found[-1] += words(line)
    return found


# Numbers.


def numbers(lines: Sequence[str]) -> list[float]:
    """Read the elements of a printed tensor: what stands behind the index of a row."""
    start = next(at for at, line in enumerate(lines) if re.fullmatch(r"[ +\d]+", line)) + 1
    found: list[float] = []
    for line in lines[start:]:
        if not re.match(r"\s*\d+ ", line):
            break
        found += [float(each) for each in re.findall(r"-?\d+\.\d*(?:e[-+]\d+)?", line)]
    return found
