"""The explanation of an outcome: what happened, who did it, and what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from inplace_tui.common.blame import Blame, SilentCause
from inplace_tui.common.cells import clean, clip, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.ops.in_code import uncounted
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
from inplace_tui.common.run.snapshot import is_compiled
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.sentences import QUOTED, Sentence, SentenceBuilder
from inplace_tui.common.source_text import backward_of
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.blame import SIGNALS, STOPPED, BlameTexts, OutcomeTexts
from inplace_tui.common.texts.doubts import DOUBTS
from inplace_tui.common.texts.explain import NEXT, ExplainTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import is_syntax_error, may_have_verdict
from inplace_tui.diagnosis.blame.modules import Module, modules_of
from inplace_tui.diagnosis.blame.slots import HOOKED, INSIDE, is_uncounted
from inplace_tui.diagnosis.blame.witnessed import CHECKPOINT
from inplace_tui.diagnosis.explain.explanation import functions_of
from inplace_tui.diagnosis.explain.stacks import chain_of, folded
from inplace_tui.diagnosis.fixes import rows as fixes

MAX_WRITTEN = 1_000
"""Characters of what a line had written; JSON has all of it."""

MAX_WHOLE = 4
"""Elements of a gradient that is shown whole, and not by the first that is wrong."""

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
    )
    build = OutcomeSentences(view.source, language, marks=False)
    if view.timeline.faults:
        sentences.append(build.fault(view.timeline.faults))
    if view.timeline.off_at is not None:
        sentences.append(build.off(view.timeline.off_at))
    # Before the end they may be about a line that is still to come, as the blame may be.
    is_known = view.blame is not None or view.cursor == len(view.timeline) - 1
    found_fixes, blame, source = view.fixes if is_known else None, view.blame, view.source
    instead = fixes.rows(found_fixes, width, language, blame=blame, source=source, keys=keys)
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
) -> list[Sentence]:
    build = OutcomeSentences(source, language, marks=marks)
    if blame is None:
        return build.ending(outcome, truth, verifying=verifying)
    untracked, carried = blame.cause is SilentCause.UNTRACKED, blame.carried
    meaning = build(BlameTexts.untracked_meaning if untracked else blame.verdict.meaning)
    if carried is not None:
        on = carried.made == carried.used
        ways = BlameTexts.carried_ways if on else BlameTexts.carried_ways_from
        meaning = build(ways, tensor=build.tensor(carried.tensor))
    named = sentences_on_lines(build, blame)
    if isinstance(outcome, Raised):
        # Torch's own words come last: they are long, and name neither line.
        message, *where = build.ending(outcome, truth)
        return [*(named or where), meaning, message]
    if isinstance(truth, Wrong):
        named.append(difference(build, truth, blame))
        if untracked:
            lost = [f"`{clean(each.tensor)}`" for each in truth.differences if each.got == "None"]
            named.append(build(BlameTexts.untracked_leaves, names=Span(list_of(lost, language))))
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
    return [build(OutcomeTexts.not_autograd_through, chain=Span(clean(folded(chain, program))))]


def _few(names: Sequence[str], language: str) -> str:
    """Return the first of some names, and how many more there are."""
    named = [f"`{clean(each)}`" for each in names[:MAX_NAMES]]
    return list_of(named, language, more=len(names) - MAX_NAMES)


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
            text, detail, backward = DOUBTS[truth.reason], clean(truth.detail), truth.backward or 0
            reason = self(text, line=truth.line, detail=detail, op=truth.op, backward=backward)
            return self(OutcomeTexts.not_reproducible, reason=reason.text)
        key = OutcomeTexts.completed_verifying if verifying else OutcomeTexts.completed
        if isinstance(truth, Right):
            key = OutcomeTexts.completed_right if truth.asked else OutcomeTexts.completed_unasked
        return self(key)

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
        lines = outcome.last_words.strip().splitlines() or [""]
        words = clean(lines[-1])
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


_READ = {
    Verdict.NON_LEAF_GRAD_READ: BlameTexts.read_grad,
    Verdict.GRADIENT_KEEPS_GRAPH: BlameTexts.warned_at,
    Verdict.TYPED_STORAGE: BlameTexts.warned_at,
    Verdict.TUPLE_ITEM_WRITTEN: BlameTexts.written_item,
}
"""What one sentence says of the line that asked."""


def sentences_on_lines(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    """Return the sentences that name the lines, in the order in which they ran."""
    kind, raised = blame.verdict, (BlameTexts.raised_at, blame.reader)
    if kind.is_refused_write:
        sentences = _refused(build, blame)
    elif kind in _READ:
        sentences = _at(build, blame, (_READ[kind], blame.reader))
    elif kind is Verdict.LEAF_LOST or (kind is Verdict.NO_GRAD_FN and blame.cut is not None):
        needed = BlameTexts.lost_needed if kind is Verdict.LEAF_LOST else BlameTexts.raised_at
        sentences = _at(build, blame, (BlameTexts.lost_at, blame.cut), (needed, blame.reader))
    elif kind is Verdict.GRAPH_FREED:
        sentences = _used_again(build, blame)
    elif kind is Verdict.MUTATION_CONTEXT_LEFT:
        sentences = [*_saved(build, blame), *_at(build, blame, raised)]
    elif blame.origin is not None or blame.switch is not None:
        untracked = blame.cause is SilentCause.UNTRACKED
        off = BlameTexts.untracked if untracked else BlameTexts.switched_off
        if blame.cause is SilentCause.GIVEN_BACK:
            off = BlameTexts.given_back
        key = BlameTexts.lost_graph if kind is Verdict.NO_GRAD_FN else BlameTexts.made_in_inference
        sentences = _at(build, blame, (off, blame.switch), (key, blame.origin))
        if kind is not Verdict.SILENTLY_WRONG:
            sentences += _at(build, blame, raised)
    else:
        sentences = [*_saved(build, blame), *_changed(build, blame)]
    return sentences


def difference(build: SentenceBuilder, truth: Wrong, blame: Blame) -> Sentence:
    first = truth.differences[0]
    place, got, true = _where_they_differ(first.got, first.true)
    grad = "" if first.tensor.startswith("output ") else ".grad"
    return build(
        BlameTexts.got_executed if blame.cause in _OF_GRAPH else BlameTexts.got,
        gradient=Span(f"{build.tensor(first.tensor).text}{grad}{place}", Style.NAME),
        got=Span(clean(got), Style.WRONG),
        true=Span(clean(true), Style.RIGHT),
    )


def _where_they_differ(got: str, true: str) -> tuple[str, str, str]:
    """Return the first element in which two gradients differ; both whole where they have few."""
    if named := re.match(r"\[(\d+)\] ", got):
        return f".flatten()[{named[1]}]", got[named.end() :], true[named.end() :]
    numbers = got.split(), true.split()
    if len(numbers[0]) == len(numbers[1]) > MAX_WHOLE:
        for place, (one, other) in enumerate(zip(*numbers, strict=True)):
            if one != other:
                index = f".flatten()[{place}]" if "[" in got else f"[{place}]"
                return index, one.strip("[]"), other.strip("[]")
    return "", got, true


def _at(
    build: SentenceBuilder, blame: Blame, *said: tuple[LocalText, int | None]
) -> list[Sentence]:
    """Return what is said of lines, for those that are known."""
    tensor = build.tensor(blame.tensor)
    return [build(text, line=line, tensor=tensor) for text, line in said if line is not None]


def _refused(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    said = (BlameTexts.made_in_inference, blame.origin), (BlameTexts.refused, blame.reader)
    for write in blame.writes[:1]:
        if write.after is not None:
            # The write itself was let pass; what raised only used the view.
            said = (BlameTexts.base_written, write.line), (BlameTexts.raised_at, blame.reader)
    return _at(build, blame, *said)


def _saved(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    saver = blame.saver
    if saver is None:
        return []
    name, version = saver.tensor or blame.tensor, Span("")
    if saver.version is not None:
        text = say(BlameTexts.at_version, build.language, version=saver.version)
        # Chinese puts it before the tensor, and no space before a Chinese word.
        version = Span(text if name is not None else text.rstrip())
    key = BlameTexts.saved_result if saver.is_output else BlameTexts.saved_input
    if is_compiled(saver.node):
        key = BlameTexts.saved_compiled
    if saver.line is None:
        key = BlameTexts.saved_unknown_line
    elif blame.cause is SilentCause.UNCHECKED or blame.verdict is Verdict.MUTATION_CONTEXT_LEFT:
        key = BlameTexts.kept
    elif saver.slot == INSIDE:
        key = BlameTexts.saved_inside
    elif saver.slot == CHECKPOINT:
        key = BlameTexts.saved_by_checkpoint
    elif saver.slot == HOOKED:
        key = BlameTexts.saved_behind_hooks
    node, slot = Span(saver.node, Style.NODE), Span(saver.slot, Style.SAVED)
    tensor = build.tensor(name)
    sentence = build(key, line=saver.line, tensor=tensor, version=version, node=node, slot=slot)
    module = modules_of(build.source, blame).saver
    if module is None:
        return [sentence]
    spans = sentence.spans + _module(build, BlameTexts.of_module, module).spans
    return [Sentence(spans, sentence.line)]


def _used_again(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    """Say which backward used the graph up, and what brought it into the next one."""
    carried, freed = blame.carried, [each.line for each in blame.writes[:1]]
    if carried is None or not freed:
        first = [(BlameTexts.freed_first, line) for line in freed]
        again = _at(build, blame, *first, (BlameTexts.freed_again, blame.reader))
        return [*_saved(build, blame), *again]
    key = BlameTexts.carried_on if carried.made == carried.used else BlameTexts.carried_from
    tensor, made, by = (
        build.tensor(carried.tensor),
        build.place(carried.made),
        build.place(freed[0]),
    )
    brought = build(key, line=carried.used, tensor=tensor, made=made, freed=by)
    return [brought, *_at(build, blame, (BlameTexts.carried_into, blame.reader))]


_OF_GRAPH = frozenset({SilentCause.UNRECORDED, SilentCause.GRADIENT, SilentCause.UNTRACKED})
"""Ways in which no saved value is wrong."""

_BY_CAUSE = {
    SilentCause.UNCHECKED: BlameTexts.changed_unchecked,
    SilentCause.UNRECORDED: BlameTexts.changed_unrecorded,
    SilentCause.GRADIENT: BlameTexts.changed_gradient,
    SilentCause.GIVEN_BACK: BlameTexts.changed_packed,
}


def _changed(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    if not blame.writes:
        if blame.verdict is Verdict.SILENTLY_WRONG:
            return [build(BlameTexts.no_write_seen)]
        stale = blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
        return _at(build, blame, (BlameTexts.needed_alone, blame.reader)) if stale else []
    first, last = blame.writes[0], blame.writes[-1]
    if updated := _updated(build, blame):
        return updated
    node = Span("" if blame.saver is None else blame.saver.node, Style.NODE)
    moved = {"before": first.before or 0, "after": first.after or 0}
    tensor = build.tensor(blame.tensor)
    parts = [build(_how(blame), line=first.line, tensor=tensor, node=node, **moved)]
    if last is not first:
        count = len(blame.writes) - 1
        parts.append(build(BlameTexts.more_writes, line=last.line, count=count))
    parts.append(_needed(build, blame))
    writer = modules_of(build.source, blame).writer
    if writer is not None:
        text = BlameTexts.by_hook if writer.is_hooked else BlameTexts.by_module
        parts.append(_module(build, text, writer))
    elif first.op is not None and not _spells(build, first.line, first.op):
        parts.append(build(BlameTexts.by_op, op=Span(first.op, Style.CODE)))
    if is_uncounted(first) and (call := uncounted(build.source, first.line, first.op)):
        parts.append(build(BlameTexts.not_counted, op=Span(call, Style.CODE)))
    return [Sentence(tuple(span for part in parts for span in part.spans), first.line)]


def _module(build: SentenceBuilder, text: LocalText, module: Module) -> Sentence:
    path, name = Span(module.path, Style.CODE), Span(module.name, Style.CODE)
    return build(text, path=path, name=name, made=build.place(module.line))


def _updated(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    """Say which update came between a forward and its backward, and what can be done.

    Nothing where no optimizer's step changed what was saved, but a write that somebody spelled.
    """
    first, saver = blame.writes[0], blame.saver
    op, is_stale = first.op or "", blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
    if not is_stale or not op.endswith(".step") or op.startswith("Tensor."):
        return []
    if saver is None or saver.line is None or blame.reader is None:
        return []
    tensor, by = build.tensor(blame.tensor), Span(op, Style.CODE)
    moved = {"before": first.before or 0, "after": first.after or 0}
    updated = build(BlameTexts.updated, line=first.line, tensor=tensor, op=by, **moved)
    at, version = build.place(saver.line), saver.version or 0
    needed = build(BlameTexts.updated_needed, line=blame.reader, forward=at, version=version)
    return [updated, needed, build(BlameTexts.updated_instead)]


def _how(blame: Blame) -> LocalText:
    saver, stale = blame.saver, blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
    if blame.cause in _BY_CAUSE:
        return _BY_CAUSE[blame.cause]
    if not stale and not is_uncounted(blame.writes[0]):
        return BlameTexts.changed_apart
    if saver is None:
        return BlameTexts.changed_named if stale else BlameTexts.changed_unseen
    if saver.tensor is not None and blame.tensor not in (saver.tensor, None):
        return BlameTexts.changed_through if stale else BlameTexts.changed_through_unseen
    return BlameTexts.changed if stale else BlameTexts.changed_unseen


def _spells(build: SentenceBuilder, line: int, op: str) -> bool:
    """Whether the source line shows the op, so that the sentence need not."""
    text = build.quoted(line).text
    return op.rpartition(".")[2] in text or bool(re.search(r"[-+*/%@&|^<>]=|\]\s*=[^=]", text))


def _needed(build: SentenceBuilder, blame: Blame) -> Sentence:
    if blame.reader is None:
        return build(BlameTexts.full_stop)
    if blame.verdict is Verdict.SILENTLY_WRONG:
        key = BlameTexts.delivered if blame.cause in _OF_GRAPH else BlameTexts.used
        return build(key, line=blame.reader)
    needed = blame.writes[0].before if blame.saver is None else blame.saver.version
    function = backward_of(build.source, blame.reader)
    text = BlameTexts.needed if function is None else BlameTexts.needed_inside
    name = Span(function or "", Style.CODE)
    return build(text, line=blame.reader, name=name, version=needed or 0)
