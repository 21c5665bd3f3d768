"""Who did it: the sentences that name the lines."""

from __future__ import annotations

import re

from inplace_tui.engine.blame.blame import Blame, SilentCause
from inplace_tui.engine.blame.hidden import INSIDE
from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.outcome import Wrong
from inplace_tui.present.cells import clean
from inplace_tui.present.rows import Span, Style
from inplace_tui.present.sentences import Sentence, Teller
from inplace_tui.texts import say
from inplace_tui.texts.blame import BlameTexts

_READ = {
    Verdict.NON_LEAF_GRAD_READ: BlameTexts.read_grad,
    Verdict.GRADIENT_KEEPS_GRAPH: BlameTexts.warned_at,
    Verdict.TYPED_STORAGE: BlameTexts.warned_at,
    Verdict.TUPLE_ITEM_WRITTEN: BlameTexts.written_item,
}
"""What one sentence says of the line that asked."""


def who(tell: Teller, blame: Blame) -> list[Sentence]:
    """Return the sentences that name the lines, in the order in which they ran."""
    kind = blame.verdict
    if kind.is_refused_write:
        said = _refused(tell, blame)
    elif kind in _READ:
        said = _at(tell, blame.reader, _READ[kind], blame)
    elif kind is Verdict.LEAF_LOST:
        said = _at(tell, blame.cut, BlameTexts.lost_at, blame)
        said += _at(tell, blame.reader, BlameTexts.lost_needed, blame)
    elif kind is Verdict.GRAPH_FREED:
        said = [*_saved(tell, blame), *_freed(tell, blame)]
    elif kind is Verdict.MUTATION_CONTEXT_LEFT:
        said = [*_saved(tell, blame), *_at(tell, blame.reader, BlameTexts.raised_at, blame)]
    elif blame.origin is not None:
        key = BlameTexts.lost_graph if kind is Verdict.NO_GRAD_FN else BlameTexts.made_in_inference
        said = _at(tell, blame.origin, key, blame) + _at(
            tell, blame.reader, BlameTexts.raised_at, blame
        )
    else:
        said = [*_saved(tell, blame), *_changed(tell, blame)]
    return said


def difference(tell: Teller, truth: Wrong, blame: Blame) -> Sentence:
    first = truth.differences[0]
    if first.tensor.startswith("output "):
        text = BlameTexts.got_executed_output if blame.cause in _OF_GRAPH else BlameTexts.got_output
    else:
        text = BlameTexts.got_executed if blame.cause in _OF_GRAPH else BlameTexts.got
    return tell(
        text,
        tensor=tell.tensor(first.tensor),
        got=Span(clean(first.got), Style.WRONG),
        true=Span(clean(first.true), Style.RIGHT),
    )


def _at(tell: Teller, line: int | None, text: LocalText, blame: Blame) -> list[Sentence]:
    if line is None:
        return []
    return [tell(text, line=line, tensor=tell.tensor(blame.tensor))]


def _refused(tell: Teller, blame: Blame) -> list[Sentence]:
    made = _at(tell, blame.origin, BlameTexts.made_in_inference, blame)
    for write in blame.writes[:1]:
        if write.after is not None:
            # The write itself was let pass; what raised only used the view.
            written = _at(tell, write.line, BlameTexts.base_written, blame)
            return written + _at(tell, blame.reader, BlameTexts.raised_at, blame)
    return [*made, *_at(tell, blame.reader, BlameTexts.refused, blame)]


def _saved(tell: Teller, blame: Blame) -> list[Sentence]:
    saver = blame.saver
    if saver is None:
        return []
    name, version = saver.tensor or blame.tensor, Span("")
    if saver.version is not None:
        text = say(BlameTexts.at_version, tell.language, version=saver.version)
        # Chinese puts it before the tensor, and no space before a Chinese word.
        version = Span(text if name is not None else text.rstrip())
    key = BlameTexts.saved_result if saver.is_output else BlameTexts.saved_input
    if saver.line is None:
        key = BlameTexts.saved_unknown_line
    elif blame.cause is SilentCause.UNCHECKED or blame.verdict is Verdict.MUTATION_CONTEXT_LEFT:
        key = BlameTexts.kept
    elif saver.slot == INSIDE:
        key = BlameTexts.saved_inside
    return [
        tell(
            key,
            line=saver.line,
            tensor=tell.tensor(name),
            version=version,
            node=Span(saver.node, Style.NODE),
            slot=Span(saver.slot, Style.SAVED),
        )
    ]


_OF_GRAPH = frozenset({SilentCause.UNRECORDED, SilentCause.GRADIENT})
"""Ways in which no saved value is wrong."""

_BY_CAUSE = {
    SilentCause.UNCHECKED: BlameTexts.changed_unchecked,
    SilentCause.UNRECORDED: BlameTexts.changed_unrecorded,
    SilentCause.GRADIENT: BlameTexts.changed_gradient,
}


def _changed(tell: Teller, blame: Blame) -> list[Sentence]:
    if not blame.writes:
        stale = blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
        return _at(tell, blame.reader, BlameTexts.needed_alone, blame) if stale else []
    first, last = blame.writes[0], blame.writes[-1]
    if _is_update(blame):
        return _updated(tell, blame)
    parts = [
        tell(
            _how(blame),
            line=first.line,
            tensor=tell.tensor(blame.tensor),
            node=Span(blame.saver.node if blame.saver is not None else "", Style.NODE),
            before=first.before or 0,
            after=first.after or 0,
        )
    ]
    if last is not first:
        count = len(blame.writes) - 1
        parts.append(tell(BlameTexts.more_writes, line=last.line, count=count))
    parts.append(_needed(tell, blame))
    if first.op is not None and not _spells(tell, first.line, first.op):
        parts.append(tell(BlameTexts.by_op, op=Span(first.op, Style.CODE)))
    return [Sentence(tuple(span for part in parts for span in part.spans), first.line)]


def _is_update(blame: Blame) -> bool:
    """Whether an optimizer's step changed what a forward saved: no write that anybody spelled."""
    op, saver = blame.writes[0].op or "", blame.saver
    stale = blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
    lines = saver is not None and saver.line is not None and blame.reader is not None
    return stale and lines and op.endswith(".step") and not op.startswith("Tensor.")


def _updated(tell: Teller, blame: Blame) -> list[Sentence]:
    """Say which update came between a forward and its backward, and what can be done."""
    first, saver = blame.writes[0], blame.saver
    assert saver is not None
    assert saver.line is not None
    assert blame.reader is not None
    told = tell(
        BlameTexts.updated,
        line=first.line,
        tensor=tell.tensor(blame.tensor),
        op=Span(first.op or "", Style.CODE),
        before=first.before or 0,
        after=first.after or 0,
    )
    needed = tell(
        BlameTexts.updated_needed,
        line=blame.reader,
        forward=saver.line,
        version=saver.version or 0,
    )
    return [told, needed, tell(BlameTexts.updated_instead)]


def _how(blame: Blame) -> LocalText:
    saver, stale = blame.saver, blame.verdict is Verdict.SAVED_TENSOR_MODIFIED
    if blame.cause in _BY_CAUSE:
        return _BY_CAUSE[blame.cause]
    if saver is None:
        return BlameTexts.changed_named if stale else BlameTexts.changed_unseen
    if saver.tensor is not None and blame.tensor not in (saver.tensor, None):
        return BlameTexts.changed_through if stale else BlameTexts.changed_through_unseen
    return BlameTexts.changed if stale else BlameTexts.changed_unseen


def _spells(tell: Teller, line: int, op: str) -> bool:
    """Whether the text of the line shows the op, so that it need not be said."""
    text = tell.quoted(line).text
    return op.rpartition(".")[2] in text or bool(re.search(r"[-+*/%@&|^<>]=|\]\s*=[^=]", text))


def _needed(tell: Teller, blame: Blame) -> Sentence:
    if blame.reader is None:
        return tell(BlameTexts.full_stop)
    if blame.verdict is Verdict.SILENTLY_WRONG:
        key = BlameTexts.delivered if blame.cause in _OF_GRAPH else BlameTexts.used
        return tell(key, line=blame.reader)
    needed = blame.writes[0].before if blame.saver is None else blame.saver.version
    return tell(BlameTexts.needed, line=blame.reader, version=needed or 0)


def _freed(tell: Teller, blame: Blame) -> list[Sentence]:
    said = [tell(BlameTexts.freed_first, line=write.line) for write in blame.writes[:1]]
    if blame.reader is not None:
        said.append(tell(BlameTexts.freed_again, line=blame.reader))
    return said
