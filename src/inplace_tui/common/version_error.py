"""The numbers in torch's message about a failed version check."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSIONS = re.compile(
    r"\[(?:torch\.)?(?:cuda\.)?(?P<type>\w+)(?: \[(?P<shape>[\d, ]*)\])?\]"
    r"(?:, which is output (?P<output>\d+) of (?P<producer>[\w:]+),)?"
    r" is at version (?P<now>\d+); expected version (?P<expected>\d+) instead"
)

_NODE = re.compile(r"(?<= of )(\w+?)Backward0?(?=\d*, is at version )")

_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}
"""The words of torch's old type names; a saved mask is a `CPUBoolType`."""


@dataclass(frozen=True)
class VersionError:
    """The numbers in `… is at version 1; expected version 0 instead`."""

    dtype: str
    """As `Tensor.dtype` says it, without `torch.`; the word itself if it is not known."""

    shape: tuple[int, ...]
    now: int
    expected: int
    output: int | None = None
    producer: str | None = None
    """What made the tensor, as torch shortens it: `Exp`, `torch::autograd::CopySlices`."""


def with_short_producer(message: str) -> str:
    """Return a message that names nodes as torch 2.13 does: `Exp` for `ExpBackward0`.

    >>> with_short_producer("which is output 0 of ExpBackward0, is at version 1;")
    'which is output 0 of Exp, is at version 1;'
    """
    return _NODE.sub(r"\1", message)


def version_error(message: str) -> VersionError | None:
    """Read the numbers of a failed version check; None if it is another message."""
    found = _VERSIONS.search(with_short_producer(message))
    if found is None:
        return None
    word = found["type"].removeprefix("CPU").removesuffix("Type").removesuffix("Tensor")
    sizes = re.findall(r"\d+", found["shape"] or "")
    return VersionError(
        dtype=_DTYPES.get(word, word),
        shape=tuple(int(size) for size in sizes),
        now=int(found["now"]),
        expected=int(found["expected"]),
        output=None if found["output"] is None else int(found["output"]),
        producer=found["producer"],
    )
