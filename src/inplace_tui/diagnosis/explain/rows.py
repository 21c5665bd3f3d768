"""The explanation of an outcome: what happened, who did it, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from inplace_tui.common.blame import Blame, SilentCause
from inplace_tui.common.cells import clean, clip, wrap
from inplace_tui.common.outcome_text import signal_name
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import (
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
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import run_format
from inplace_tui.common.sentences import QUOTED, Sentence, SentenceBuilder
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.blame import SIGNALS, STOPPED, BlameTexts, OutcomeTexts
from inplace_tui.common.texts.doubts import DOUBTS
from inplace_tui.common.texts.explain import NEXT, ExplainTexts
from inplace_tui.common.texts.panels import CodeTexts
from inplace_tui.diagnosis.blame.classify import is_syntax_error, may_have_verdict
from inplace_tui.diagnosis.explain.blame_sentences import difference, sentences_on_lines
from inplace_tui.diagnosis.explain.explanation import functions_of
from inplace_tui.diagnosis.explain.stacks import chain_of, folded
from inplace_tui.diagnosis.fixes import rows as fixes

MAX_WRITTEN = 1_000
"""Characters of what a line had written; JSON has all of it."""

MAX_NAMES = 4
"""Parameters, or Functions, that a sentence names."""


class Explained(Protocol):
    """A run, as far as it is explained by now."""

    @property
    def outcome(self) -> Outcome | None: ...
    @property
    def truth(self) -> Truth: ...
    @property
    def verifying(self) -> bool: ...
    @property
    def source(self) -> str: ...
    @property
    def program(self) -> Program | None: ...
    @property
    def timeline(self) -> Timeline: ...
    @property
    def cursor(self) -> int: ...
    @property
    def blame(self) -> Blame | None: ...
    @property
    def fixes(self) -> FixSearch | None: ...


def rows(
    view: Explained, width: int, language: str, *, keys: Mapping[str, str] | None = None
) -> list[Row]:
    """Return the explanation of the outcome in view; nothing while it is hidden or unknown.

    With `keys`, it says which of them shows the fixes whole.
    """
    if view.outcome is None:
        return []
    sentences = explanation(
        view.outcome,
        view.truth,
        view.blame,
        source=view.source,
        language=language,
        verifying=view.verifying,
        marks=False,
        spell=run_format(view.timeline).spelled,
    )
    if view.timeline.faults:
        sentences.append(
            OutcomeSentences(view.source, language, marks=False).fault(view.timeline.faults)
        )
    if view.timeline.off_at is not None:
        sentences.append(
            OutcomeSentences(view.source, language, marks=False).off(view.timeline.off_at)
        )
    # Before the end they may be about a line that is still to come, as the blame may be.
    is_known = view.blame is not None or view.cursor == len(view.timeline) - 1
    instead = fixes.rows(
        view.fixes if is_known else None,
        width,
        language,
        blame=view.blame,
        source=view.source,
        keys=keys,
    )
    # Torch's own words tell the least, and are the longest: what to do comes before them.
    worded = isinstance(view.outcome, Raised) and view.blame is not None
    first = len(sentences) - (1 if instead and worded else 0)
    found = _described(sentences[:first], width)
    is_open = view.blame is None or isinstance(view.truth, NotReproducible)
    if view.program is not None and view.program.origin is Origin.OWN and is_open:
        found += _described(next_steps(view.outcome, view.truth, view.program, language), width)
    if instead:
        found += [Row(), *instead]
    if first < len(sentences):
        found += [Row(), *_described(sentences[first:], width)]
    return found


def _described(sentences: list[Sentence], width: int) -> list[Row]:
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
    marks: bool = True,
    spell: Callable[[str], str] | None = None,
) -> list[Sentence]:
    build = OutcomeSentences(source, language, marks=marks, spell=spell)
    if blame is None:
        return build.ending(outcome, truth, verifying=verifying)
    untracked = blame.cause is SilentCause.UNTRACKED
    meaning = build(BlameTexts.untracked_meaning if untracked else blame.verdict.meaning)
    named = sentences_on_lines(build, blame)
    if isinstance(outcome, Raised):
        # Torch's own words come last: they are long, and name neither line.
        message, *where = build.ending(outcome, truth)
        return [*(named or where), meaning, message]
    if isinstance(truth, Wrong):
        named.append(difference(build, truth, blame))
    if isinstance(truth, Wrong) and untracked:
        lost = [f"`{clean(each.tensor)}`" for each in truth.differences if each.got == "None"]
        names = Span(list_of(lost, language))
        named.append(build(BlameTexts.untracked_leaves, names=names))
    return [*named, meaning]


def next_steps(
    outcome: Outcome, truth: Truth, program: Program, language: str, *, marks: bool = False
) -> list[Sentence]:
    """Return what to do where no line is to blame: what would tell, or where else to look."""
    build = SentenceBuilder(program.source, language, marks=marks)
    if isinstance(truth, NotReproducible):
        return [build(NEXT[truth.reason])]
    if isinstance(truth, Right):
        said = {
            ExplainTexts.taken: functions_of(program.source),
            ExplainTexts.without: truth.without_gradient,
        }
        return [build(text, names=_few(names, language)) for text, names in said.items() if names]
    if not isinstance(outcome, Raised) or may_have_verdict(outcome) or is_syntax_error(outcome):
        return []
    if outcome.exception.rpartition(".")[2] in _ENDED_OTHERWISE or outcome.line is None:
        return []
    chain = chain_of(program, None, outcome.line, outcome.chain, None)
    if len(chain) < 2:
        return [build(OutcomeTexts.not_autograd)]
    places = Span(clean(folded(chain, program)))
    return [build(OutcomeTexts.not_autograd_through, chain=places)]


def _few(names: Sequence[str], language: str) -> str:
    """Return the first of some names, and how many more there are."""
    named = [f"`{clean(each)}`" for each in names[:MAX_NAMES]]
    if len(names) > MAX_NAMES:
        named.append(say(CodeTexts.more, language, count=len(names) - MAX_NAMES))
    return list_of(named, language)


_ENDED_OTHERWISE = frozenset({"SystemExit", "KeyboardInterrupt", "ProcessRaisedException"})
"""The program ended itself, was stopped, or what was raised elsewhere is quoted."""


class OutcomeSentences(SentenceBuilder):
    """Says how a run ended."""

    def fault(self, faults: tuple[str, ...]) -> Sentence:
        last = faults[0].strip().rpartition("\n")[2]
        return self(OutcomeTexts.recorder_fault, count=len(faults), fault=clip(clean(last), QUOTED))

    def off(self, line: int) -> Sentence:
        return self(OutcomeTexts.off_at, line=line)

    def ending(self, outcome: Outcome, truth: Truth, *, verifying: bool = False) -> list[Sentence]:
        match outcome:
            case Completed():
                phrase = [self._completed(truth, verifying=verifying)]
            case Raised():
                phrase = self._raised(outcome)
            case TimedOut(seconds=seconds, line=line, written=written):
                phrase = [self(OutcomeTexts.timed_out, seconds=f"{seconds:g}"), *self._was_at(line)]
                phrase += self._had_written(written)
            case Stopped(limit=limit, value=value, written=written):
                phrase = [self(STOPPED[limit], value=f"{value:,}"), *self._had_written(written)]
            case Crashed():
                phrase = self._crashed(outcome)
            case Cancelled():
                phrase = [self(OutcomeTexts.cancelled)]
        return phrase

    def _completed(self, truth: Truth, *, verifying: bool) -> Sentence:
        if isinstance(truth, NotReproducible):
            reason = self(
                DOUBTS[truth.reason],
                line=truth.line,
                detail=clean(truth.detail),
                op=truth.op,
                backward=truth.backward or 0,
            ).text
            return self(OutcomeTexts.not_reproducible, reason=reason)
        if isinstance(truth, Right):
            return self(
                OutcomeTexts.completed_right if truth.asked else OutcomeTexts.completed_unasked
            )
        return self(OutcomeTexts.completed_verifying if verifying else OutcomeTexts.completed)

    def _raised(self, outcome: Raised) -> list[Sentence]:
        exception, line = outcome.exception, outcome.line
        name, kind = Span(exception, Style.ERROR), exception.rpartition(".")[2]
        is_quoted = kind == "ProcessRaisedException"  # its last line is what was raised there
        lines = outcome.message.strip().splitlines() or [""]
        text = clean(lines[-1 if is_quoted else 0])
        phrase = [self(OutcomeTexts.raised, exception=name, message=text)]
        if is_syntax_error(outcome):
            if line is not None:
                return [*phrase, self(OutcomeTexts.syntax, line=line)]
            if kind in {"MemoryError", "RecursionError"}:
                return [*phrase, self(OutcomeTexts.too_deep)]
        if line is not None and kind != "SystemExit":
            phrase.append(self(BlameTexts.raised_at, line=line))
        if is_quoted:
            phrase.append(self(OutcomeTexts.other_process))
        if kind == "EOFError":
            phrase.append(self(OutcomeTexts.no_input))
        return phrase

    def _crashed(self, outcome: Crashed) -> list[Sentence]:
        if outcome.worker_died:
            phrase = self(OutcomeTexts.worker_died)
        elif outcome.exit_code >= 0:
            phrase = self(OutcomeTexts.crashed_exit, code=outcome.exit_code)
        else:
            name = signal_name(-outcome.exit_code)
            phrase = self(SIGNALS.get(name, OutcomeTexts.crashed_signal), name=name)
        lines = outcome.last_words.strip().splitlines()
        words = clean(lines[-1]) if lines else ""
        last = [self(OutcomeTexts.last_words, words=words)] if words else []
        written = self._had_written(outcome.written)
        return [phrase, *self._was_at(outcome.line), *written, *last]

    def _was_at(self, line: int | None) -> list[Sentence]:
        return [] if line is None else [self(OutcomeTexts.was_at, line=line)]

    def _had_written(self, text: str) -> list[Sentence]:
        """Say the end of it: where it is long, that is nearest to what did not finish."""
        if not (text := clean(text.rstrip("\n"))):
            return []
        text = text if len(text) <= MAX_WRITTEN else f"…{text[-MAX_WRITTEN:]}"
        return [self(OutcomeTexts.had_written, words=text)]
