"""A message of torch's, taken apart: what each word and number in it means."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from inplace_tui.common.cells import clean, wrap
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.local_text import LocalText, in_each
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.texts import say
from inplace_tui.common.texts.explain import ExplainTexts
from inplace_tui.common.texts.messages import PARTS, MessageTexts
from inplace_tui.common.texts.why import KEEP_RESULT
from inplace_tui.common.verdicts import Verdict, verdict_of_message, verdict_of_warning
from inplace_tui.common.version_error import version_error

_MAX_TEXT = 200_000
"""Characters of a paste that are looked at, from its end: there the error stands."""

_WEIGHT = r"which is output (?P<output>\d+) of (?P<producer>As_?Strided\w*|T(?:Backward0?)?)(?=,)"
"""The transposed weight of an `nn.Linear`, which mostly an optimizer's step has changed."""

_PART_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"cuda(?=\.\w+Tensor)", "on-gpu"),
    (r"\[(?:torch\.)?(?:cuda\.)?(?P<type>\w+) \[(?P<shape>[\d, ]*)\]\]", "tensor"),
    (r"\[(?:torch\.)?(?:cuda\.)?(?P<type>\w+)\](?=,? (?:which|is at))", "scalar-tensor"),
    (_WEIGHT, "weight"),
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

_EXCEPTION_PREFIX = re.compile(r"^(?:\S+:\d+: )?(?:\w+\.)*\w*(?:Error|Exception|Warning): ")
"""How the last line of a traceback begins, and the first of a warning."""

_EXCEPTION_NAME = re.compile(r"\w*(?:Error|Exception|Warning): ")
_SAVED_MODIFIED = re.compile(
    r"variables? needed for gradient computation ha(?:s|ve) been modified by an in-?place"
)
_ANSI_COLOURS = re.compile(r"(?:\x1b|\^\[)\[[\d;]*[A-Za-z]|\[\d{1,2}(?:;\d+)*m")
"""With the escape, as a log quotes it, or without it: a terminal pastes none."""


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
    def concept(self) -> str | None:
        """What to learn: of a saved tensor, by what made the tensor that changed."""
        error = version_error(self.text)
        if self.verdict is not Verdict.SAVED_TENSOR_MODIFIED or error is None:
            return self.verdict.concept
        if re.search(_WEIGHT, self.text):
            return "step-between"
        made_by = (error.producer or "").rpartition(":")[2]
        # If what a node keeps of its own is what changed, this is why it matters.
        keeps = made_by in KEEP_RESULT or re.sub(r"\d+$", "", made_by) in KEEP_RESULT
        return "saved-output" if keeps else "version-message"


def explain_message(pasted: str) -> Message | None:
    """Return what a pasted text says; None if no message of torch's is in it."""
    lines = _ANSI_COLOURS.sub("", pasted[-_MAX_TEXT:]).splitlines()
    whole = [line for line in lines if line.strip()]
    for lines in (whole, _without_prefix(whole)):
        heads = [
            index for index, line in enumerate(lines) if _EXCEPTION_PREFIX.match(line.lstrip())
        ]
        # From the exception on; else, if a log ate its name, the whole paste.
        for start in (*heads[-1:], 0):
            found = _match(lines[start:])
            if found is not None:
                return found
    text = " ".join(" ".join(whole).split())
    if not _SAVED_MODIFIED.search(text):
        return None
    # Of an old version of torch, or the end is missing, which has the numbers.
    return Message(Verdict.SAVED_TENSOR_MODIFIED, _without_exception_name(text), ())


def _without_prefix(lines: list[str]) -> list[str]:
    """Return the lines without what a log or a quotation put before each; digits may differ."""
    alike = [re.sub(r"\d", "0", line) for line in lines]
    columns = enumerate(zip(*alike, strict=False))
    shortest = min(map(len, alike), default=0)
    width = next((at for at, letters in columns if len(set(letters)) > 1), shortest)
    # A prefix ends with a space: `> `, `[rank0]: `, `12:00:01 INFO `.
    width = alike[0].rfind(" ", 0, width) + 1 if alike else 0
    return [line[width:] for line in lines]


def _without_exception_name(text: str) -> str:
    """Return a message without what stands before it on its line, its class included."""
    for match in reversed(list(_EXCEPTION_NAME.finditer(text))):
        rest = text[match.end() :]
        if verdict_of_message(rest) or verdict_of_warning(rest) or _SAVED_MODIFIED.search(rest):
            return rest
    return _EXCEPTION_PREFIX.sub("", text)


def _match(lines: list[str]) -> Message | None:
    """Return the message that lines are; a terminal may have broken them at any letter."""
    for text in ("\n".join(lines), " ".join(lines), "".join(lines)):
        verdict = verdict_of_message(text) or verdict_of_warning(text)
        stale = verdict is Verdict.SAVED_TENSOR_MODIFIED
        if verdict is None or (stale and version_error(text) is None):
            continue
        message = _without_exception_name(" ".join(text.split()))
        return Message(verdict, message, _parts(message))
    return None


def _parts(text: str) -> tuple[Part, ...]:
    found: list[tuple[int, Part]] = []
    taken: list[range] = []
    for pattern, key in _PART_PATTERNS:
        for match in re.finditer(pattern, text):
            if key != "tensor" and any(match.start() in each for each in taken):
                continue
            if key != "on-gpu":
                taken.append(range(match.start(), match.end()))
            found.append((match.start(), Part(match[0], _meaning(key, match, text))))
    return tuple(part for _, part in sorted(found, key=lambda pair: pair[0]))


def _meaning(key: str, match: re.Match[str], text: str) -> LocalText:
    values: dict[str, object] = dict(match.groupdict())
    error = version_error(text)
    if error is not None:
        values |= {"dtype": error.dtype, "count": error.now - error.expected}
    counted = {"now": values.get("now"), "expected": values.get("count")}.get(key)
    text_of_part = PARTS[f"{key}-one" if str(counted) == "1" else key]
    return in_each(lambda language: text_of_part[language].format(**values))


class PartDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A few words of the message, and what they mean."""

    quoted: str
    means: str


class MessageDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`inplace-tui explain --error TEXT --json`."""

    schema: int = 1
    message: str
    category: Verdict | None
    """Null where the message is not known."""

    means: str | None
    parts: list[PartDocument]
    lesson: str | None


def document(
    text: str, found: Message | None, lesson: str | None, language: str
) -> MessageDocument:
    """Return what a pasted text says."""
    if found is None:
        return MessageDocument(
            message=text.strip(), category=None, means=None, parts=[], lesson=None
        )
    return MessageDocument(
        message=found.text,
        category=found.verdict,
        means=say(found.verdict.meaning, language),
        parts=[PartDocument(quoted=p.quoted, means=p.means[language]) for p in found.parts],
        lesson=lesson,
    )


def lead_lines(leads: Leads, language: str) -> list[str]:
    """Return where to learn about a failure, and how to practise."""
    texts = (ExplainTexts.lesson, *[ExplainTexts.lesson_too] * len(leads.lessons))
    told = [
        say(text, language, id=each.id, title=each.title[language])
        for text, each in zip(texts, leads.lessons, strict=False)
    ]
    if leads.drill is not None:
        told.append(say(ExplainTexts.drill, language, concept=leads.drill))
    return told


def rows(found: Message | None, leads: Leads, language: str, room: int) -> list[Row]:
    """Return the page about a pasted message."""
    if found is None:
        return _wrapped(say(MessageTexts.unknown, language), room)
    page = [*meaning(found, language, room), Row()]
    page += [row for line in lead_lines(leads, language) for row in _wrapped(line, room)]
    return [*page, *_wrapped(say(MessageTexts.file, language), room)]


def meaning(found: Message, language: str, room: int) -> list[Row]:
    """Return a message, what it means, and each number in it."""
    page = _wrapped(clean(found.text), room, Style.CODE)
    page += [Row(), Row((Span(say(MessageTexts.means, language), Style.HEADING),))]
    page += _wrapped(say(found.verdict.meaning, language), room, indent=2)
    if found.parts:
        page += [Row(), Row((Span(say(MessageTexts.parts, language), Style.HEADING),))]
    for part in found.parts:
        page += _wrapped(clean(part.quoted), room, Style.CODE, indent=2)
        page += _wrapped(part.means[language], room, indent=6)
    return page


def _wrapped(text: str, room: int, style: Style = Style.PLAIN, *, indent: int = 0) -> list[Row]:
    lines = wrap((Span(text, style),), room - indent)
    return [Row((Span(" " * indent), *line)) for line in lines]
