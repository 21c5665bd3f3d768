"""The explanation of a program as a page: the lines at fault, what it means, the fixes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePath

from inplace_tui.common.blame import Blame, Saver, SilentCause
from inplace_tui.common.cells import clean, clip, clip_spans, hanging, width, wrap, wrapped
from inplace_tui.common.command.settings import Leads
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.message import lead_lines
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.files import lines_of, place_of
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.lookup import stands_on
from inplace_tui.common.run.outcome import Completed, NotReproducible, Raised, Right, Truth
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import line_text, quoted_line, statement_on, without_comment
from inplace_tui.common.syntax import around, names_read, names_stored, parsed
from inplace_tui.common.texts import say
from inplace_tui.common.texts.explain import HEADS, UNTRIED, ExplainTexts, MarkTexts
from inplace_tui.common.texts.fixes import FixListTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.slots import is_uncounted
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.explain.explanation import Case, Reruns, culprits, file_of, name_on
from inplace_tui.diagnosis.explain.stacks import chain_of, folded, own_files, short_path
from inplace_tui.diagnosis.fixes.rows import DIFF, facts, unfixed

ONE_LINE = 10_000
"""Cells of a row that is cut where it is shown."""

MAX_WRITES = 3
"""Writes after the save that are quoted; the first is at fault."""

BAR = " │ "

ONCE = {Reruns.NOT_WANTED: ExplainTexts.once, Reruns.NOT_POSSIBLE: ExplainTexts.no_view}
"""What is left out where a program runs once."""

_OTHER_ENDS = (Reason.ENDS_DIFFER, Reason.REPLAY_RAISED, Reason.REPLAY_DIED)
"""Doubts of which the replay's surroundings may be the reason."""

_SWITCHED: dict[SilentCause | None, LocalText] = {
    SilentCause.UNTRACKED: MarkTexts.not_recorded,
    SilentCause.GIVEN_BACK: MarkTexts.given_back,
}


@dataclass(frozen=True)
class Annotation:
    """A part of a line, and what it did."""

    where: SourceRange
    text: str
    style: Style = Style.PLAIN
    through: str = ""
    """The calls that led there, as the end of the text."""


def rows(case: Case, *, file: str, leads: Leads, language: str, room: int) -> list[Row]:
    """Return the page about one program."""
    page = ExplanationPage(case, language, room)
    if case.ending is Ending.RIGHT and case.verdict is None:
        end = _blocks(page.fixes(), page.run_count()) if case.fixes else page.run_count()
        return [*page.head(file), *page.next_steps(), *end]
    return [*page.beginning(file), *page.rest(leads)]


def _blocks(*blocks: list[Row]) -> list[Row]:
    return [row for block in blocks if block for row in (Row(), *block)]


NO_PACKAGE = "relative import with no known parent package"
"""What Python says of `from .model import Net` in a file that was not started with `-m`."""


def of_run(
    program: Program,
    timeline: Timeline,
    truth: Truth,
    blame: Blame | None,
    fixes: Sequence[Fix],
    *,
    language: str,
) -> ExplanationPage:
    """Return the page of a run that is known from elsewhere, for who lets its lines be wrapped."""
    assert timeline.outcome is not None, "it is over"
    case = Case(
        program=program,
        outcome=timeline.outcome,
        truth=truth,
        verdict=None if blame is None else blame.verdict,
        blame=blame,
        timeline=timeline,
        fixes=tuple(fixes),
        runs=0,
        seconds=0.0,
    )
    return ExplanationPage(case, language, ONE_LINE)


class ExplanationPage:
    """The page of one case in one language."""

    def __init__(self, case: Case, language: str, room: int) -> None:
        self.case = case
        self.language = language
        self._room = room
        self._source = case.program.source

    # Parts of the page.

    def first_run(self, file: str) -> list[Row]:
        """Return what the first run showed, a line for each place, before the others begin."""
        seen = self._lines(
            ExplainTexts.first_run, style=Style.DIM, seconds=f"{self.case.seconds:.1f}"
        )
        return [*self.head(file), *self.places(file), *seen]

    def beginning(self, file: str) -> list[Row]:
        """Return the page up to where the fixes come: who is to blame, and the explanation."""
        parts = (self.quotes(), self.explanation(), self.as_module(file))
        return [*self.head(file), *_blocks(*parts)]

    def rest(self, leads: Leads) -> list[Row]:
        """Return what follows that."""
        return _blocks(self.fixes(), self.leads(leads), self.run_count())

    def taken(self, number: int, file: str) -> list[Row]:
        """Return what was wrong, and the one fix that is written to the file."""
        fix = list(self.fix(number, self.case.fixes[number - 1]))
        return [*self.head(file), *_blocks(fix)]

    # The head.

    def head(self, file: str) -> list[Row]:
        """Return the file's name, and in a few words the result."""
        outcome, truth = self.case.outcome, self.case.truth
        values: dict[str, object] = {}
        key: str = ending_of(outcome, truth)
        if isinstance(truth, Right) and not truth.asked:
            key = "no_backward"
        raised = self.case.caught or outcome
        if isinstance(raised, Raised):
            line = None if raised.line is None else place_of(self._source, raised.line).text
            values = {"line": line, "type": raised.exception}
            key = "unrelated" if self.case.verdict is None else key
            if raised.exception.endswith(".ProcessRaisedException"):
                key = "other_process"
        if self.case.caught is not None:
            key = "caught"
        fine = self.case.ending.is_fine
        spans = [
            Span(clean(file), Style.STRONG),
            Span(": "),
            Span(say(HEADS[key], self.language, **values), Style.RIGHT if fine else Style.WRONG),
        ]
        if self.case.verdict is not None:
            spans.append(Span(f"  [{self.case.verdict}]", Style.DIM))
        return wrapped(spans, self._room)

    # The lines.

    def places(self, file: str) -> list[Row]:
        """Return who saved, who changed and who needed it, with file and line."""
        found = []
        for note in self.annotations():
            line = note.where.line
            at = f"{file_of(self.case.program, file, line)}:{place_of(self._source, line).line}"
            code = clean(quoted_line(self._source, line))
            found.append((clean(at), Span(note.text, note.style), Span(f"    {code}")))
        column = max((width(at) for at, *_ in found), default=0) + 2
        rows = ((Span(f"  {at}{' ' * (column - width(at))}"), *rest) for at, *rest in found)
        return [Row(clip_spans(spans, self._room)) for spans in rows]

    def quotes(self) -> list[Row]:
        """Return the lines involved, with carets under the expressions: files in order of time."""
        by_line: dict[int, list[Annotation]] = {}
        for note in self.annotations():
            by_line.setdefault(note.where.line, []).append(note)
        if not by_line:
            return []
        places = {line: place_of(self._source, line) for line in by_line}
        digits = max(len(str(place.line)) for place in places.values())
        indents: dict[str | None, list[int]] = {}
        for line, place in places.items():
            indents.setdefault(place.file, []).append(line_range(self._source, line).start)
        found: list[Row] = []
        main = short_path(self.case.program.filename, self.case.program)
        files = list(indents)
        lines = sorted(by_line, key=lambda line: (files.index(places[line].file), line))
        for before, line in zip([None, *lines], lines, strict=False):
            file = places[line].file
            begins = before is None or places[before].file != file
            if begins and (file is not None or len(indents) > 1):
                found.append(Row((Span(clean(file or main), Style.STRONG),)))
            elif before is not None and line > before + 1:
                found.append(Row((Span(f"{'⋮':>{digits}}", Style.DIM),)))
            found += self._quoted(line, by_line[line], digits, cut=min(indents[file]))
        return found

    def _quoted(self, line: int, notes: list[Annotation], digits: int, *, cut: int) -> list[Row]:
        text = without_comment(line_text(self._source, line))
        room = self._room - digits - len(BAR)
        shift = _shift(text[cut:], max(note.where.end for note in notes) - cut, room)
        cut += shift
        lead = "…" if shift else ""
        number = Span(f"{place_of(self._source, line).line:>{digits}}{BAR}", Style.DIM)
        found = [Row((number, Span(clip(lead + clean(text[cut:]), room), Style.CODE)))]
        for note in notes:
            start = max(note.where.start, cut)
            left = width(lead) + width(clean(text[cut:start]))
            carets = max(1, width(clean(text[cut : note.where.end])) + width(lead) - left)
            carets = min(carets, max(1, room - left))
            margin, said = Span(f"{'':>{digits}}{BAR}", Style.DIM), note.text + note.through
            here = Span(" " * left + "^" * carets, note.style)
            if left + carets + 1 + width(said) <= room:
                found.append(Row((margin, here, Span(f" {said}", note.style))))
                continue
            found.append(Row((margin, here)))  # what they say is too wide to stand behind them
            for spans in wrap((Span(said, note.style),), room - 2):
                found.append(Row((margin, Span("  "), *spans)))
        return found

    def annotations(self) -> list[Annotation]:
        """Return who saved, who changed and who needed, in the order of time."""
        blame = self.case.blame
        if blame is None:
            line = getattr(self.case.outcome, "line", None)
            if not isinstance(line, int) or not line_text(self._source, line).strip():
                return []
            if not isinstance(self.case.outcome, Raised):
                return [self._annotate(line, MarkTexts.was)]
            chain = chain_of(self.case.program, None, line, self.case.outcome.chain, None)
            note = self._annotate(line, MarkTexts.raises)
            return [replace(note, through=self._through(chain))]
        found: list[Annotation] = []
        told = None if blame.carried is None else blame.carried.made
        if blame.saver is not None and blame.saver.line not in (None, told):
            where = save_range(self._source, blame.saver.line, blame.saver.node)
            version = ""
            if blame.saver.version is not None:
                version = say(MarkTexts.at, self.language, version=blame.saver.version)
            key = MarkTexts.part if blame.verdict is Verdict.GRAPH_FREED else MarkTexts.saved
            tensor = self._saved_name(blame.saver)
            found.append(self._annotate(where, key, tensor=tensor, version=version))
        found += self._writes(blame)
        if blame.cut is not None:
            found.append(self._fault(self._annotate(blame.cut, MarkTexts.cut)))
        if blame.origin is not None:
            ends = blame.verdict is Verdict.NO_GRAD_FN
            note = self._annotate(blame.origin, MarkTexts.ends if ends else MarkTexts.made)
            found.append(self._fault(note) if ends and blame.switch is None else note)
        if blame.switch is not None:
            key = _SWITCHED.get(blame.cause, MarkTexts.switched)
            found.append(self._fault(self._annotate(blame.switch, key)))
        if blame.reader is not None and not blame.verdict.is_refused_write:
            where = backward_range(self._source, blame.reader)
            text, values = self._reader_text(blame)
            found.append(self._annotate(where, text, **values))
        return found

    def _writes(self, blame: Blame) -> list[Annotation]:
        if blame.verdict is Verdict.GRAPH_FREED:
            return self._used_up(blame)
        found = [self._write(blame, write) for write in blame.writes[:MAX_WRITES]]
        if found:
            found[0] = self._fault(found[0])
        if (left_out := len(blame.writes) - MAX_WRITES) > 0:
            more = say(MarkTexts.more, self.language, count=left_out)
            found[-1] = replace(found[-1], text=f"{found[-1].text} {more}")
        return found

    def _used_up(self, blame: Blame) -> list[Annotation]:
        """Return what brought a graph into a second backward, and the first, if on another line."""
        found: list[Annotation] = []
        if (carried := blame.carried) is not None:
            said = [(carried.used, MarkTexts.carried)]
            if carried.made != carried.used:
                said = [(carried.made, MarkTexts.makes), (carried.used, MarkTexts.carried_from)]
            tensor = clean(carried.tensor)
            found = [self._annotate(line, text, tensor=tensor) for line, text in said]
            found[-1] = replace(found[-1], style=Style.WRONG)
        for line in (write.line for write in blame.writes[:1] if write.line != blame.reader):
            found.append(self._annotate(backward_range(self._source, line), MarkTexts.freed))
        return found

    def _write(self, blame: Blame, write: Mutation) -> Annotation:
        where = write_range(self._source, write)
        if blame.verdict.is_refused_write:
            return self._annotate(where, MarkTexts.refused)
        if is_uncounted(write):
            return self._annotate(where, MarkTexts.wrote_unseen)
        return self._annotate(where, MarkTexts.wrote, before=write.before, after=write.after)

    def _fault(self, note: Annotation) -> Annotation:
        text = say(MarkTexts.fault, self.language) + note.text
        chain = next((each.chain for each in culprits(self.case)), [])
        return Annotation(note.where, text, Style.WRONG, self._through(chain))

    def _through(self, chain: list[str]) -> str:
        if len(chain) < 2:
            return ""
        places = clean(folded(chain, self.case.program))
        return say(MarkTexts.through, self.language, chain=places)

    def _reader_text(self, blame: Blame) -> tuple[LocalText, dict[str, object]]:
        """Return the text for the line that ran backward, or asked for a gradient."""
        match blame.verdict:
            case Verdict.SILENTLY_WRONG:
                untracked = blame.cause is SilentCause.UNTRACKED
                return (MarkTexts.misses if untracked else MarkTexts.used), {}
            case Verdict.GRAPH_FREED:
                twice = any(write.line == blame.reader for write in blame.writes[:1])
                return (MarkTexts.used_twice if twice else MarkTexts.again), {}
            case Verdict.LEAF_LOST | Verdict.NON_LEAF_GRAD_READ:
                return MarkTexts.looked, {}
            case Verdict.SAVED_TENSOR_MODIFIED if blame.saver is not None:
                return MarkTexts.needed, {"version": blame.saver.version}
            case Verdict.SAVED_TENSOR_MODIFIED:
                return MarkTexts.needed_it, {}
            case _:
                return (MarkTexts.warned if self.case.ending.is_fine else MarkTexts.raises), {}

    def _saved_name(self, saver: Saver) -> str:
        """Return what was saved, by a name that stands on the line that saved it."""
        if saver.tensor and stands_on(self._source, saver.line, saver.tensor):
            return clean(saver.tensor)
        named = None if saver.tensor or saver.line is None else name_on(self.case, saver.line)
        writes = () if self.case.blame is None else self.case.blame.writes
        statement = statement_on(self._source, saver.line)
        lines = (saver.line or 0, *(write.line for write in writes[:1]))
        functions = [around(ast.FunctionDef, parsed(self._source), at) for at in lines]
        if named and statement is not None and all(each == functions[0] for each in functions):
            # The write was of this very memory, so a name that stood for it then does here.
            names = names_stored if saver.is_output else names_read
            if named in names(statement):
                return clean(named)
        return say(MarkTexts.result if saver.is_output else MarkTexts.it, self.language)

    def _annotate(self, where: SourceRange | int, text: LocalText, **values: object) -> Annotation:
        """Return a note on a part of a line, or on all of it."""
        where = line_range(self._source, where) if isinstance(where, int) else where
        named = name_on(self.case, where.line)
        tensor = say(MarkTexts.it, self.language) if named is None else clean(named)
        return Annotation(where, say(text, self.language, **{"tensor": tensor, **values}))

    # The explanation.

    def explanation(self) -> list[Row]:
        """Return what happened and what it means, in sentences."""
        case = self.case
        sentences = explain.explanation(
            case.outcome, case.truth, case.blame, source=self._source, language=self.language
        )
        found = [row for each in sentences for row in wrapped(each.spans, self._room)]
        found += self.next_steps()
        if case.verdict is not None and case.blame is None and not case.ending.is_fine:
            found += self._lines(ExplainTexts.not_recorded)
        if case.timeline is not None and case.timeline.off_at is not None:
            off = explain.OutcomeSentences(self._source, self.language).off(case.timeline.off_at)
            found += wrapped(off.spans, self._room)
        return found

    def account(self, file: str) -> list[Row]:
        """Return the explanation for who has the head and torch's own words elsewhere."""
        if self.case.ending is Ending.RIGHT and self.case.verdict is None:
            return self.next_steps()
        message = self.message()
        told = [row for row in self.explanation() if row not in message]
        return [*told, *self.as_module(file)]

    def message(self) -> list[Row]:
        """Return the last of these sentences, torch's own words; nothing where it says all."""
        case = self.case
        if case.blame is None or not isinstance(case.outcome, Raised):
            return []
        build = explain.OutcomeSentences(self._source, self.language)
        return wrapped(build.ending(case.outcome, case.truth)[0].spans, self._room)

    def as_module(self, file: str) -> list[Row]:
        """Say how to start a file whose imports need its package."""
        program, outcome = self.case.program, self.case.outcome
        if program.module or not isinstance(outcome, Raised) or NO_PACKAGE not in outcome.message:
            return []
        path = PurePath(file)
        if path.is_absolute() or ".." in path.parts or len(path.parts) == 1:
            path = PurePath(PurePath(program.folder or "").name, path.name)
        module = ".".join(path.with_suffix("").parts)
        return self._lines(ExplainTexts.as_module, module=clean(module))

    def next_steps(self) -> list[Row]:
        """Say what would show whether gradients are right, or what "right" leaves out."""
        case, truth = self.case, self.case.truth
        if not isinstance(truth, NotReproducible | Right):
            return []
        steps = explain.next_steps(case.outcome, truth, case.program, self.language, marks=True)
        found = [row for each in steps for row in wrapped(each.spans, self._room)]
        if isinstance(truth, Right) or truth.reason not in _OTHER_ENDS:
            return found
        if not isinstance(case.outcome, Completed):
            key = ExplainTexts.ended_otherwise if truth.detail else ExplainTexts.ran_through
            found += self._lines(key, detail=clean(truth.detail))
        in_view = case.reruns is Reruns.IN_VIEW
        key = ExplainTexts.replay_in_view if in_view else ExplainTexts.replay_in_place
        return [*found, *self._lines(key)]

    # The fixes.

    def fixes(self) -> list[Row]:
        """Return the changed programs that were run and are right, as diffs."""
        case = self.case
        if not case.fixes:
            tried = case.blame is not None and case.runs > 1 and not case.ending.is_fine
            tried &= not isinstance(case.truth, NotReproducible)
            return self._unfixed() if tried else []
        found: list[Row] = []
        numbered = enumerate(case.fixes, 1)
        for is_usual, group in groupby(numbered, key=lambda each: each[1].computes is not None):
            heading = ExplainTexts.usual if is_usual else ExplainTexts.fixes
            found += [Row()] if found else []
            found += self._lines(heading, style=Style.HEADING)
            for number, fix in group:
                found += [Row(), *self.fix(number, fix)]
        return found

    def _unfixed(self) -> list[Row]:
        """Say that nothing helped; if the write stands in another file, in which."""
        case, found = self.case, culprits(self.case)
        key = ExplainTexts.elsewhere if found else ExplainTexts.within
        chain = found[0].chain if found else self._raising()
        places = [place.rpartition(" ")[0] for place in chain]
        files = [place.rpartition(":")[0] for place in places]
        if not chain or files[-1] in own_files(case.program) or files[-1].startswith("torch/"):
            said = ExplainTexts.no_fix if case.tried else FixListTexts.nothing_to_try
            notes = unfixed(case.attempts, case.blame, self._source, self.language)
            rows = [row for each in notes for row in wrapped((Span(each),), self._room)]
            return [*self._lines(said), *rows]
        return self._lines(key, place=clean(places[-1]), file=clean(files[0]))

    def _raising(self) -> list[str]:
        """Return the stack at the exception, without torch's own frames at its end."""
        frames = self.case.outcome.chain if isinstance(self.case.outcome, Raised) else ()
        if not frames or self.case.verdict is not Verdict.SAVED_TENSOR_MODIFIED:
            return []
        chain = chain_of(self.case.program, None, frames[0].line, frames, None)
        while chain and chain[-1].startswith("torch/"):
            chain.pop()
        return chain

    def fix(self, number: int, fix: Fix) -> Iterator[Row]:
        lead = Span(f"{number}. ")
        margin = Span(" " * len(lead.text))
        title = Span(fix.title[self.language], Style.STRONG)
        yield from hanging(lead, (title,), self._room, Target())
        kept = Span(" · ".join(facts(fix, self.language)))
        yield from hanging(margin, (kept,), self._room, Target())
        for line in lines_of(fix.diff):
            style = DIFF.get(line[:1], Style.CODE)
            yield Row((margin, Span(line[:1] + clean(line[1:]), style)))

    # The rest.

    def leads(self, leads: Leads) -> list[Row]:
        lines = lead_lines(leads, self.language)
        return [row for line in lines for row in wrapped([Span(line)], self._room)]

    def run_count(self) -> list[Row]:
        """Return how often the program ran, and what was left out."""
        case = self.case
        if case.runs == 0:
            return []
        key = ExplainTexts.runs_1 if case.runs == 1 else ExplainTexts.runs
        found = self._lines(key, style=Style.DIM, runs=case.runs, seconds=f"{case.seconds:.1f}")
        if case.reruns in ONCE:
            found += self._lines(ONCE[case.reruns], style=Style.DIM)
        elif case.not_tried:
            between = say(ExplainTexts.between, self.language)
            untried = between.join(say(UNTRIED[each], self.language) for each in case.not_tried)
            found += self._lines(ExplainTexts.cut_short, style=Style.DIM, what=untried)
        return found

    def _lines(self, text: LocalText, *, style: Style = Style.PLAIN, **values: object) -> list[Row]:
        return wrapped((Span(say(text, self.language, **values), style),), self._room)


def _shift(text: str, end: int, room: int) -> int:
    """Return how many characters to leave out on the left, so that the marked part is seen."""
    if width(clean(text)) <= room or width(clean(text[:end])) <= room - 1:
        return 0
    return next((cut for cut in range(end) if width(clean(text[cut:end])) <= room - 2), end)


_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("add",),
    ast.Sub: ("sub", "rsub"),
    ast.Mult: ("mul",),
    ast.Div: ("div", "reciprocal"),
    ast.Pow: ("pow",),
    ast.MatMult: ("mm", "mv", "dot", "bmm", "matmul", "addmm", "unsafeview"),
}
"""Words in the names of the nodes that an operator makes."""

_NODE_SUFFIX = re.compile(r"(Backward\d*|ScalarMode)$")


@dataclass(frozen=True)
class SourceRange:
    """A part of one line; columns in characters, from 0."""

    line: int
    start: int
    end: int


def line_range(source: str, line: int) -> SourceRange:
    """Return all of a line but its indentation and the comment behind it."""
    text = line_text(source, line)
    start = len(text) - len(text.lstrip())
    return SourceRange(line, start, max(start, len(without_comment(text))))


def write_range(source: str, write: Mutation) -> SourceRange:
    """Return the expression that wrote; the whole line where that is not known."""
    if write.column is None:
        return line_range(source, write.line)
    last = write.end_column if write.end_line in {None, write.line} else None
    found = _part_of(source, write.line, write.column, last)
    return found if found.start < found.end else line_range(source, write.line)


def _part_of(source: str, line: int, first: int, last: int | None) -> SourceRange:
    """Return what lies between two columns in UTF-8 bytes; without `last`, to the line's end."""
    encoded = line_text(source, line).encode()
    start, end = (len(encoded[:each].decode(errors="ignore")) for each in (first, last))
    return SourceRange(line, start, line_range(source, line).end if last is None else end)


def save_range(source: str, line: int, node: str) -> SourceRange:
    """Return the expression that made a node; the whole line if it can't be singled out."""
    word = _NODE_SUFFIX.sub("", node).lower()
    found = [each for each in _expressions(source, line) if _can_make(each, word)]
    return _range_of(source, line, found)


def backward_range(source: str, line: int) -> SourceRange:
    """Return the call of `backward` or `grad` on a line; the whole line if there is not one."""
    calls = (each for each in _expressions(source, line) if isinstance(each, ast.Call))
    found = [each for each in calls if getattr(each.func, "attr", "") in {"backward", "grad"}]
    return _range_of(source, line, found)


def _range_of(source: str, line: int, found: Sequence[ast.expr]) -> SourceRange:
    if len(found) != 1:
        return line_range(source, line)
    last = found[0].end_col_offset if found[0].end_lineno == line else None
    return _part_of(source, line, found[0].col_offset, last)


def _expressions(source: str, line: int) -> Iterator[ast.expr]:
    statement = statement_on(source, line)
    for part in () if statement is None else ast.walk(statement):
        if isinstance(part, ast.Call | ast.BinOp) and part.lineno == line:
            yield part


def _can_make(expression: ast.expr, word: str) -> bool:
    """Whether an expression can have made a node of this name."""
    if isinstance(expression, ast.BinOp):
        return word in _OPERATORS.get(type(expression.op), ())
    assert isinstance(expression, ast.Call)
    function = expression.func
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    name = name.replace("_", "").lower()
    return bool(name) and (word in {name, f"{name}0"} or word.startswith(f"{name}bac"))
