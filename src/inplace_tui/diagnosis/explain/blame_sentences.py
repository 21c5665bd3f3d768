"""Who did it: the sentences that name the lines."""

from __future__ import annotations

import re

from inplace_tui.common.blame import Blame, SilentCause
from inplace_tui.common.cells import clean
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.outcome import Wrong
from inplace_tui.common.run.snapshot import is_compiled
from inplace_tui.common.sentences import Sentence, SentenceBuilder
from inplace_tui.common.source_text import backward_of
from inplace_tui.common.texts import say
from inplace_tui.common.texts.blame import BlameTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.hidden import HOOKED, INSIDE
from inplace_tui.diagnosis.blame.modules import Module, modules_of
from inplace_tui.diagnosis.blame.slots import is_uncounted
from inplace_tui.diagnosis.blame.witnessed import CHECKPOINT

_READ = {
    Verdict.NON_LEAF_GRAD_READ: BlameTexts.read_grad,
    Verdict.GRADIENT_KEEPS_GRAPH: BlameTexts.warned_at,
    Verdict.TYPED_STORAGE: BlameTexts.warned_at,
    Verdict.TUPLE_ITEM_WRITTEN: BlameTexts.written_item,
}
"""What one sentence says of the line that asked."""


def sentences_on_lines(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    """Return the sentences that name the lines, in the order in which they ran."""
    kind = blame.verdict
    if kind.is_refused_write:
        sentences = _refused(build, blame)
    elif kind in _READ:
        sentences = _at(build, blame.reader, _READ[kind], blame)
    elif kind is Verdict.LEAF_LOST:
        sentences = _at(build, blame.cut, BlameTexts.lost_at, blame)
        sentences += _at(build, blame.reader, BlameTexts.lost_needed, blame)
    elif kind is Verdict.GRAPH_FREED:
        sentences = [*_saved(build, blame), *_freed(build, blame)]
    elif kind is Verdict.MUTATION_CONTEXT_LEFT:
        sentences = [*_saved(build, blame), *_at(build, blame.reader, BlameTexts.raised_at, blame)]
    elif kind is Verdict.NO_GRAD_FN and blame.cut is not None:
        sentences = _at(build, blame.cut, BlameTexts.lost_at, blame)
        sentences += _at(build, blame.reader, BlameTexts.raised_at, blame)
    elif blame.origin is not None or blame.switch is not None:
        untracked = blame.cause is SilentCause.UNTRACKED
        off = BlameTexts.untracked if untracked else BlameTexts.switched_off
        if blame.cause is SilentCause.GIVEN_BACK:
            off = BlameTexts.given_back
        key = BlameTexts.lost_graph if kind is Verdict.NO_GRAD_FN else BlameTexts.made_in_inference
        sentences = [*_at(build, blame.switch, off, blame), *_at(build, blame.origin, key, blame)]
        if kind is not Verdict.SILENTLY_WRONG:
            sentences += _at(build, blame.reader, BlameTexts.raised_at, blame)
    else:
        sentences = [*_saved(build, blame), *_changed(build, blame)]
    return sentences


def difference(build: SentenceBuilder, truth: Wrong, blame: Blame) -> Sentence:
    first = truth.differences[0]
    if first.tensor.startswith("output "):
        text = BlameTexts.got_executed_output if blame.cause in _OF_GRAPH else BlameTexts.got_output
    else:
        text = BlameTexts.got_executed if blame.cause in _OF_GRAPH else BlameTexts.got
    return build(
        text,
        tensor=build.tensor(first.tensor),
        got=Span(clean(first.got), Style.WRONG),
        true=Span(clean(first.true), Style.RIGHT),
    )


def _at(build: SentenceBuilder, line: int | None, text: LocalText, blame: Blame) -> list[Sentence]:
    if line is None:
        return []
    return [build(text, line=line, tensor=build.tensor(blame.tensor))]


def _refused(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    made = _at(build, blame.origin, BlameTexts.made_in_inference, blame)
    for write in blame.writes[:1]:
        if write.after is not None:
            # The write itself was let pass; what raised only used the view.
            written = _at(build, write.line, BlameTexts.base_written, blame)
            return written + _at(build, blame.reader, BlameTexts.raised_at, blame)
    return [*made, *_at(build, blame.reader, BlameTexts.refused, blame)]


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
    sentence = build(
        key,
        line=saver.line,
        tensor=build.tensor(name),
        version=version,
        node=Span(saver.node, Style.NODE),
        slot=Span(saver.slot, Style.SAVED),
    )
    module = modules_of(build.source, blame).saver
    if module is None:
        return [sentence]
    spans = sentence.spans + _module(build, BlameTexts.of_module, module).spans
    return [Sentence(spans, sentence.line)]


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
        return _at(build, blame.reader, BlameTexts.needed_alone, blame) if stale else []
    first, last = blame.writes[0], blame.writes[-1]
    if _is_update(blame):
        return _updated(build, blame)
    parts = [
        build(
            _how(blame),
            line=first.line,
            tensor=build.tensor(blame.tensor),
            node=Span(blame.saver.node if blame.saver is not None else "", Style.NODE),
            before=first.before or 0,
            after=first.after or 0,
        )
    ]
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
    return [Sentence(tuple(span for part in parts for span in part.spans), first.line)]


def _module(build: SentenceBuilder, text: LocalText, module: Module) -> Sentence:
    return build(
        text,
        path=Span(module.path, Style.CODE),
        name=Span(module.name, Style.CODE),
        made=build.place(module.line),
    )


def _is_update(blame: Blame) -> bool:
    """Whether an optimizer's step changed what a forward saved: no write that anybody spelled."""
    op, saver = blame.writes[0].op or "", blame.saver
    stale = blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
    lines = saver is not None and saver.line is not None and blame.reader is not None
    return stale and lines and op.endswith(".step") and not op.startswith("Tensor.")


def _updated(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    """Say which update came between a forward and its backward, and what can be done."""
    first, saver = blame.writes[0], blame.saver
    assert saver is not None
    assert saver.line is not None
    assert blame.reader is not None
    updated = build(
        BlameTexts.updated,
        line=first.line,
        tensor=build.tensor(blame.tensor),
        op=Span(first.op or "", Style.CODE),
        before=first.before or 0,
        after=first.after or 0,
    )
    needed = build(
        BlameTexts.updated_needed,
        line=blame.reader,
        forward=build.place(saver.line),
        version=saver.version or 0,
    )
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
    if function is None:
        return build(BlameTexts.needed, line=blame.reader, version=needed or 0)
    name = Span(function, Style.CODE)
    return build(BlameTexts.needed_inside, line=blame.reader, name=name, version=needed or 0)


def _freed(build: SentenceBuilder, blame: Blame) -> list[Sentence]:
    sentences = [build(BlameTexts.freed_first, line=write.line) for write in blame.writes[:1]]
    if blame.reader is not None:
        sentences.append(build(BlameTexts.freed_again, line=blame.reader))
    return sentences
