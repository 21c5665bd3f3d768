"""What is drawn where a glyph can't be: one ASCII twin for each, as wide as the glyph.

Consoles lack them for two reasons. Some have no code for them (`LC_ALL=C`, GBK);
some, common in China, draw what Unicode calls ambiguous two cells wide, which
moves everything to the right of it.
"""

from __future__ import annotations

import codecs
import unicodedata
from functools import lru_cache

from inplace_tui.common.cells import width

ERRORS = "inplace-tui.twins"
"""The name under which streams find `register`'s handler."""

_PAIRS = (
    # Marks.
    ("▸▶▷›»", ">"),
    ("▹", ")"),
    ("◂◃◀◁‹«", "<"),
    ("▴▵▲△", "^"),
    ("▾▿▼▽", "v"),
    ("●•◼■", "*"),
    ("○◌◯□", "o"),
    ("◉◎", "@"),
    ("◆◇", "#"),
    ("✓✔", "v"),
    ("✗✘×", "x"),
    ("⊘∅", "0"),
    ("⊞", "+"),
    ("⊟", "-"),
    ("≠", "!"),
    ("≤", "<"),
    ("≥", ">"),
    ("≈±", "~"),
    ("−", "-"),
    ("∂", "'"),
    ("→", ">"),
    ("←", "<"),
    ("↑", "^"),
    ("↓", "v"),
    ("↔⇄", "-"),
    ("↕", "|"),
    ("⇅", "|"),
    ("␛␡�", "?"),
    # Lines, boxes and bars.
    ("─┄┅┈┉╌═╴╶╸╺", "-"),
    ("━", "="),
    ("╍", "~"),
    ("│┃┆┇┊┋╎╏║╵╷╹╻", "|"),
    ("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬", "+"),
    ("▔▀", "'"),
    ("▁▂▃▄", "_"),
    ("▅▆▇█▉▊▓▒", "#"),
    ("▋▌▍▎▏▐▕", "|"),
    ("░", ":"),
    ("▖▗▘▙▚▛▜▝▞▟", "#"),
    ("╱", "/"),
    ("╲", "\\"),
    ("╳", "x"),
    ("⋮", ":"),
    # Punctuation.
    ("·∙", "."),
    ("…⋯", ">"),  # as nano marks a line that goes on
    ("–—‐‑", "-"),
    ("“”„″", '"'),
    ("‘’‚′", "'"),
    ("\N{NO-BREAK SPACE}\N{EN SPACE}\N{THIN SPACE}", " "),
    ("。", ". "),
    ("、", ", "),
    ("《【「『", "< "),
    ("》】」』", "> "),
    ("🔎", "? "),
)

TWINS = {glyph: twin for glyphs, twin in _PAIRS for glyph in glyphs}
"""By the glyph. A twin takes as many cells, so that no line moves."""


def fitting(text: str, *, encoding: str = "utf-8", narrow: bool = False) -> str:
    """Return a line, or part of one, as a console can draw it, as wide as before.

    `narrow` takes the twins of all glyphs that some consoles draw two cells wide.

    >>> fitting("▸ ● 中", encoding="ascii")
    '> * ??'
    """
    if text.isascii():
        return text
    return "".join(_fitting(each, encoding, narrow) for each in text)


def lacks_glyphs(encoding: str) -> bool:
    """Return whether a console of this encoding can't draw all that we draw."""
    return any(not _has(encoding, glyph) for glyph in TWINS)


def register() -> None:
    """Let streams write the twin of what their encoding lacks, an escape where there is none.

    Text keeps its width and its meaning this way, and a learner's own text is not lost.
    """
    codecs.register_error(ERRORS, _twins)


def _twins(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    twins = (
        TWINS.get(each) or each.encode("ascii", "backslashreplace").decode() for each in lacking
    )
    return "".join(twins), error.end


@lru_cache(maxsize=4096)
def _fitting(character: str, encoding: str, narrow: bool) -> str:
    ambiguous = narrow and unicodedata.east_asian_width(character) == "A"
    if _has(encoding, character) and not ambiguous:
        return character
    twin = TWINS.get(character)
    if twin is not None:
        return twin
    if ambiguous and _has(encoding, character):
        return character  # a letter of some alphabet: better out of line than lost
    cells = width(character)
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode("ascii")
    return plain.ljust(cells) if plain and len(plain) <= cells else "?" * cells


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
