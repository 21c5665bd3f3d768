"""A fix as a patch that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

CONTEXT = 3


def patch(changes: Sequence[tuple[str, bytes, bytes]]) -> bytes:
    """Return a unified diff.

    `changes` have of each file its path from where the patch is applied, and its content before and
    after, in the encoding of the file.
    """
    return b"".join(line for change in changes for line in _lines(*change))


def _lines(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    # A lone carriage return ends a line of Python, and none of a patch.
    old, new = (re.findall(rb"[^\n]*\n|[^\n]+", content) for content in (before, after))
    one, other = (_quoted(f"{side}/{path}") for side in "ab")
    lines = difflib.diff_bytes(
        difflib.unified_diff, old, new, one, other, n=CONTEXT, lineterm=b"\n"
    )
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _quoted(path: str) -> bytes:
    """Return a path as it stands in a patch: in C's quotes, or with a tab where it has blanks."""
    raw = path.encode("utf-8", "surrogateescape")
    if re.search(rb'[\x00-\x1f"\\\x7f]', raw):
        escaped = re.sub(rb'[\x00-\x1f"\\\x7f]', lambda found: b"\\%03o" % found[0][0], raw)
        return b'"' + escaped + b'"'
    return raw + b"\t" if b" " in raw else raw
