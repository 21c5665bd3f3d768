"""The explanation of an outcome: who saved, who changed, who needed, and what it means."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter

from inplace_tui.engine.blame import REFUSED_WRITES, Blame
from inplace_tui.engine.verdict import Verdict
from inplace_tui.engine.view import View
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.outcome import (
    Cancelled,
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    Wrong,
)
from inplace_tui.present.cells import clean, clip, wrap
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.texts import Texts
from inplace_tui.texts.doubts import DOUBTS
from inplace_tui.texts.verdicts import MEANINGS, OUTCOMES, SENTENCES

QUOTED = 60
"""A quoted line of the program is cut to this many cells."""

Value = str | int | float | Span


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the line of the program that it speaks of."""

    spans: tuple[Span, ...]
    line: int | None = None

    @property
    def text(self) -> str:
        """The sentence without its styles."""
        return "".join(span.text for span in self.spans)


def rows(view: View, width: int, language: str) -> list[Row]:
    """Return the explanation of the outcome in view; nothing while it is hidden or unknown."""
    if view.outcome is None:
        return []
    sentences = explanation(
        view.outcome,
        view.truth,
        view.blame,
        source=view.source,
        language=language,
        verifying=view.verifying,
    )
    if view.timeline.faults:
        sentences.append(_Teller(view.source, language).fault(view.timeline.faults))
    return [
        Row(spans, Target(line=sentence.line))
        for sentence in sentences
        for spans in wrap(sentence.spans, width)
    ]


def explanation(
    outcome: Outcome,
    truth: Truth,
    blame: Blame | None,
    *,
    source: str,
    language: str,
    verifying: bool = False,
) -> list[Sentence]:
    """Return what happened, who did it, and what it means: a sentence each."""
    tell = _Teller(source, language)
    if blame is None:
        return tell.ending(outcome, truth, verifying=verifying)
    meaning = tell(MEANINGS, blame.verdict.value)
    who = tell.who(blame)
    if isinstance(outcome, Raised):
        # Torch's own words come last: they are long, and name neither line.
        message, *where = tell.ending(outcome, truth)
        return [*(who or where), meaning, message]
    if isinstance(truth, Wrong):
        who.append(tell.difference(truth))
    return [*who, meaning]


class _Teller:
    """Makes sentences about one program in one language."""

    def __init__(self, source: str, language: str) -> None:
        self._source = source
        self._language = language
        self._lines = source.splitlines()

    def __call__(
        self, texts: Texts, key: str, *, line: int | None = None, **values: Value
    ) -> Sentence:
        if line is not None:
            values = {"line": line, "code": self._quoted(line), **values}
        return Sentence(tuple(_filled(texts[key], self._language, values)), line)

    def _quoted(self, line: int) -> Span:
        """Return a line as it is quoted: its first line, without its indentation."""
        text = self._lines[line - 1].strip() if 0 < line <= len(self._lines) else "…"
        return Span(clip(clean(text), QUOTED), Style.CODE)

    def _tensor(self, name: str | None) -> Span:
        if name is None:
            return Span(SENTENCES["a-tensor"][self._language])
        return Span(clean(name), Style.NAME)

    # How it ended.

    def fault(self, faults: tuple[str, ...]) -> Sentence:
        """Own up to what the recorder itself did wrong."""
        last = faults[0].strip().rpartition("\n")[2]
        return self(OUTCOMES, "recorder-fault", count=len(faults), fault=clip(clean(last), QUOTED))

    def ending(self, outcome: Outcome, truth: Truth, *, verifying: bool = False) -> list[Sentence]:
        """Return how the run ended, and where it was."""
        match outcome:
            case Completed():
                said = [self._completed(truth, verifying=verifying)]
            case Raised(exception=exception, message=message, line=line):
                said = self._raised(exception, message, line)
            case TimedOut(seconds=seconds, line=line):
                said = [self(OUTCOMES, "timed-out", seconds=f"{seconds:g}"), *self._was_at(line)]
            case Stopped(limit=limit, value=value):
                key = "stopped" if limit == "steps" else "stopped-other"
                said = [self(OUTCOMES, key, limit=limit, value=f"{value:,}")]
            case Crashed():
                said = self._crashed(outcome)
            case Cancelled():
                said = [self(OUTCOMES, "cancelled")]
        return said

    def _completed(self, truth: Truth, *, verifying: bool) -> Sentence:
        if isinstance(truth, NotReproducible):
            reason = self(DOUBTS, truth.reason, detail=clean(truth.detail)).text
            return self(OUTCOMES, "not-reproducible", reason=reason)
        if isinstance(truth, Right):
            return self(OUTCOMES, "completed-right")
        return self(OUTCOMES, "completed-verifying" if verifying else "completed")

    def _raised(self, exception: str, message: str, line: int | None) -> list[Sentence]:
        name = Span(exception, Style.ERROR)
        text = clean(message.splitlines()[0]) if message else ""
        said = [self(OUTCOMES, "raised", exception=name, message=text)]
        if exception in {"SyntaxError", "IndentationError", "TabError"} and line is not None:
            return [*said, self(OUTCOMES, "syntax", line=line)]
        if line is not None and exception.rpartition(".")[2] != "SystemExit":
            said.append(self(SENTENCES, "raised-at", line=line))
        return said

    def _crashed(self, outcome: Crashed) -> list[Sentence]:
        if outcome.worker_died:
            said = self(OUTCOMES, "worker-died")
        elif outcome.exit_code >= 0:
            said = self(OUTCOMES, "crashed-exit", code=outcome.exit_code)
        else:
            name = _signal_name(-outcome.exit_code)
            keys = {"SIGSEGV": "crashed-segfault", "SIGBUS": "crashed-segfault"}
            keys["SIGKILL"] = "crashed-killed"
            said = self(OUTCOMES, keys.get(name, "crashed-signal"), name=name)
        words = clean(outcome.last_words.strip().splitlines()[-1]) if outcome.last_words else ""
        last = [self(OUTCOMES, "last-words", words=words)] if words else []
        return [said, *self._was_at(outcome.line), *last]

    def _was_at(self, line: int | None) -> list[Sentence]:
        return [] if line is None else [self(OUTCOMES, "was-at", line=line)]

    # Who did it.

    def who(self, blame: Blame) -> list[Sentence]:
        """Return the lines that name the lines."""
        kind = blame.verdict
        if kind in REFUSED_WRITES:
            return self._at(blame.reader, "refused", blame)
        if kind is Verdict.NON_LEAF_GRAD_READ:
            return self._at(blame.reader, "read-grad", blame)
        if kind in {Verdict.GRADIENT_KEEPS_GRAPH, Verdict.TYPED_STORAGE}:
            return self._at(blame.reader, "warned-at", blame)
        if kind is Verdict.LEAF_LOST:
            return [
                *self._at(blame.cut, "lost-at", blame),
                *self._at(blame.reader, "lost-needed", blame),
            ]
        if kind is Verdict.GRAPH_FREED:
            return [*self._saved(blame), *self._freed(blame)]
        return [*self._saved(blame), *self._changed(blame)]

    def _at(self, line: int | None, key: str, blame: Blame) -> list[Sentence]:
        if line is None:
            return []
        return [self(SENTENCES, key, line=line, tensor=self._tensor(blame.tensor))]

    def _saved(self, blame: Blame) -> list[Sentence]:
        saver = blame.saver
        if saver is None:
            return []
        version = Span("")
        if saver.version is not None:
            version = Span(SENTENCES["at-version"][self._language].format(version=saver.version))
        key = "saved-result" if saver.is_output else "saved-input"
        return [
            self(
                SENTENCES,
                key if saver.line is not None else "saved-unknown-line",
                line=saver.line,
                tensor=self._tensor(blame.tensor),
                version=version,
                node=Span(saver.node, Style.NODE),
                slot=Span(saver.slot, Style.SAVED),
            )
        ]

    def _changed(self, blame: Blame) -> list[Sentence]:
        stale = blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
        if not blame.writes:
            return self._at(blame.reader, "needed-alone", blame) if stale else []
        first, last = blame.writes[0], blame.writes[-1]
        key = "changed" if blame.saver is not None else "changed-named"
        parts = [
            self(
                SENTENCES,
                key if stale else "changed-unseen",
                line=first.line,
                tensor=self._tensor(blame.tensor),
                before=first.before or 0,
                after=first.after or 0,
            )
        ]
        if last is not first:
            count = len(blame.writes) - 1
            parts.append(self(SENTENCES, "more-writes", line=last.line, count=count))
        parts.append(self._needed(blame))
        if first.op is not None and not self._spells(first.line, first.op):
            parts.append(self(SENTENCES, "by-op", op=Span(first.op, Style.CODE)))
        return [Sentence(tuple(span for part in parts for span in part.spans), first.line)]

    def _spells(self, line: int, op: str) -> bool:
        """Whether the text of the line shows the op, so that it need not be said."""
        text = self._quoted(line).text
        return op.rpartition(".")[2] in text or bool(re.search(r"[-+*/%@&|^<>]=|\]\s*=[^=]", text))

    def _needed(self, blame: Blame) -> Sentence:
        if blame.reader is None:
            return self(SENTENCES, "full-stop")
        if blame.verdict is Verdict.SILENTLY_WRONG:
            return self(SENTENCES, "used", line=blame.reader)
        needed = blame.writes[0].before if blame.saver is None else blame.saver.version
        return self(SENTENCES, "needed", line=blame.reader, version=needed or 0)

    def _freed(self, blame: Blame) -> list[Sentence]:
        said = [self(SENTENCES, "freed-first", line=write.line) for write in blame.writes[:1]]
        if blame.reader is not None:
            said.append(self(SENTENCES, "freed-again", line=blame.reader))
        return said

    def difference(self, truth: Wrong) -> Sentence:
        """Return what the gradient is, and what it should be."""
        first = truth.differences[0]
        key = "got-output" if first.tensor.startswith("output ") else "got"
        return self(
            SENTENCES,
            key,
            tensor=self._tensor(first.tensor),
            got=Span(clean(first.got), Style.WRONG),
            true=Span(clean(first.true), Style.RIGHT),
        )


def _filled(text: LocalText, language: str, values: Mapping[str, Value]) -> list[Span]:
    """Fill in the values; what stands between backquotes is code, and they stay as its mark.

    A value is never searched for backquotes: a learner's line may hold one.
    """
    spans: list[Span] = []
    quoted = False
    for literal, name, _, _ in Formatter().parse(text[language]):
        for piece in re.split("(`)", literal):
            quoted ^= piece == "`"
            spans.append(Span(piece, Style.CODE if quoted or piece == "`" else Style.PLAIN))
        if name is not None:
            value = values[name]
            spans.append(value if isinstance(value, Span) else Span(str(value)))
    return [span for span in spans if span.text]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
