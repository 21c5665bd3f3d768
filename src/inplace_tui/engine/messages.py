"""A message of torch's, taken apart: what each word and number in it means."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inplace_tui.engine.verdict import Verdict, classify, classify_warning, version_error
from inplace_tui.model.lesson import LocalText
from inplace_tui.texts.messages import PARTS

_MOST_TEXT = 200_000
"""Characters of a paste that are looked at, from its end: there the error stands."""

_NUMBERS: tuple[tuple[str, str], ...] = (
    (r"\[(?:torch\.)?cuda\.\w+", "on-gpu"),
    (r"\[(?:torch\.)?(?:cuda\.)?(?P<type>\w+) \[(?P<shape>[\d, ]*)\]\]", "tensor"),
    (r"\[(?:torch\.)?(?:cuda\.)?(?P<type>\w+)\](?=,? (?:which|is at))", "scalar-tensor"),
    (
        r"which is output (?P<output>\d+) of (?P<producer>As_?Strided\w*|T(?:Backward0?)?)(?=,)",
        "weight",
    ),
    (r"which is output (?P<output>\d+) of (?P<producer>[\w:]+)", "produced"),
    (r"is at version (?P<now>\d+)", "now"),
    (r"expected version (?P<expected>\d+)", "expected"),
    (r"set_detect_anomaly\([^)]*\)", "anomaly"),
    (r"[Oo]utput (?P<output>\d+) of (?P<producer>\w+) is a view", "view"),
    (r"element (?P<index>\d+) of tensors", "element"),
    (r"retain_graph=True", "retain"),
    (r"output with shape \[(?P<shape>[\d, ]*)\]", "written-shape"),
    (r"broadcast shape \[(?P<shape>[\d, ]*)\]", "result-shape"),
    (r"expanded size of the tensor \((?P<size>\d+)\)", "expanded-size"),
    (r"existing size \((?P<size>\d+)\)", "existing-size"),
    (r"non-singleton dimension (?P<index>\d+)", "dimension"),
    (r"Target sizes: \[(?P<shape>[\d, ]*)\]", "target-sizes"),
    (r"Tensor sizes: \[(?P<shape>[\d, ]*)\]", "tensor-sizes"),
    (r"value tensor of shape \[(?P<shape>[\d, ]*)\]", "value-shape"),
    (r"indexing result of shape \[(?P<shape>[\d, ]*)\]", "index-shape"),
    (r"result type (?P<type>\w+)", "result-type"),
    (r"output type (?P<type>\w+)", "output-type"),
    (r"derivative for '(?P<op>[^']+)'", "derivative"),
    (r"Function '(?P<node>\w+)' returned nan values in its (?P<index>\d+)th output", "nan"),
    (r"returned an invalid gradient at index (?P<index>\d+)", "gradient-index"),
    (r"got \[(?P<shape>[\d, ]*)\]", "got-shape"),
    (r"expected shape compatible with \[(?P<shape>[\d, ]*)\]", "expected-shape"),
    (r"argument (?P<index>\d+) is of type (?P<type>\w+)", "argument-type"),
    (r"but got tensor with (?P<count>\d+) dimension\(s\)", "dimensions"),
    (r"to be 1 or 2 with an AccumulateGrad node but got (?P<count>\d+)", "holders"),
)
"""What in a message can be explained by itself, and the key of what it means."""

_SAVES_RESULT = frozenset(
    {"Exp", "Expm1", "Sigmoid", "Sqrt", "Rsqrt", "Tanh", "Relu", "Softmax", "LogSoftmax", "Tan"}
    | {"Elu", "Reciprocal", "Cumprod", "Norm", "LinalgVectorNorm", "Prod"}
)
"""Operations whose node keeps the result: if that is what changed, this is why it matters."""


@dataclass(frozen=True)
class Part:
    """A few words of a message, and what they mean."""

    quoted: str
    means: LocalText


@dataclass(frozen=True)
class Message:
    """A message that was understood."""

    verdict: Verdict
    text: str
    """The message without what was pasted around it."""

    parts: tuple[Part, ...]

    @property
    def is_of_result(self) -> bool:
        """Whether a node probably saved its own result, and that was changed."""
        error = version_error(self.text)
        producer = "" if error is None else (error.producer or "")
        return re.sub(r"(Backward)?\d*$", "", producer.rpartition(":")[2]) in _SAVES_RESULT


def explain_message(pasted: str) -> Message | None:
    """Return what a pasted text says; None if no message of torch's is in it.

    Args:
        pasted: the message, or a traceback with it, perhaps wrapped by a terminal.
    """
    pasted = pasted[-_MOST_TEXT:]
    # As it is; with its lines put together; with words that were cut put together.
    for text in (*_lines(pasted), " ".join(pasted.split()), re.sub(r"\s*\n\s*", "", pasted)):
        verdict = classify(text) or classify_warning(text)
        if verdict is not None:
            return Message(verdict, _message(text), _parts(text))
    return None


def _lines(pasted: str) -> list[str]:
    """Return the lines that are a message by themselves, the last one first.

    The message that a terminal has wrapped is more than one line: a line that
    speaks of versions and does not name them both is not whole.
    """
    lines = [line.strip() for line in pasted.splitlines()][::-1]
    return [
        line
        for line in lines
        if line and not ("modified by an inplace" in line and version_error(line) is None)
    ]


def _message(text: str) -> str:
    """Return a message without the exception's name, or a traceback before it."""
    found = list(re.finditer(r"(?:^|[\s.])(?:\w+(?:Error|Exception|Warning)): ", text))
    return text[found[-1].end() :] if found else text


def _parts(text: str) -> tuple[Part, ...]:
    found: list[tuple[int, Part]] = []
    taken: list[range] = []
    for pattern, key in _NUMBERS:
        for match in re.finditer(pattern, text):
            if any(match.start() in each and key != "tensor" for each in taken):
                continue
            taken.append(range(match.start(), match.end()))
            found.append((match.start(), Part(match[0].strip("[ "), _meaning(key, match, text))))
    return tuple(part for _, part in sorted(found, key=lambda pair: pair[0]))


def _meaning(key: str, match: re.Match[str], text: str) -> LocalText:
    values: dict[str, object] = dict(match.groupdict())
    error = version_error(text)
    if error is not None:
        values |= {"dtype": error.dtype, "count": error.now - error.expected}
    said = PARTS[key]
    return LocalText(en=said.en.format(**values), zh=said.zh.format(**values))
