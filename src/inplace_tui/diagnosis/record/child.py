"""One run, in a process of its own.

It never returns: whatever the program leaves behind (threads, `atexit`
functions, children) can neither delay the end nor change it.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from itertools import groupby
from traceback import walk_tb
from types import CodeType, FrameType
from typing import TYPE_CHECKING, NoReturn

import msgspec
import torch

from inplace_tui.blame.frames import outermost_dropped
from inplace_tui.blame.witness import Witness, watch
from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Stopped, Witnessed
from inplace_tui.common.run.program import Backward, ExtraBackward, Mode, Origin, Stop
from inplace_tui.common.run.step import Event, Printed, Step
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.leftover import Leftover
from inplace_tui.diagnosis.record.choosing import choose
from inplace_tui.diagnosis.record.compat import ENGINES
from inplace_tui.diagnosis.record.copying.loops import NotCopiedError
from inplace_tui.diagnosis.record.copying.rounds import Clock, Rounds, loaders_alone
from inplace_tui.diagnosis.record.naming import names
from inplace_tui.diagnosis.record.process import errors, libraries, main_module
from inplace_tui.diagnosis.record.process.output import Output
from inplace_tui.diagnosis.record.process.own_files import OURS, OwnFiles
from inplace_tui.diagnosis.record.process.reports import Reports
from inplace_tui.diagnosis.record.process.request_server import RequestServer
from inplace_tui.diagnosis.record.process.system import RunProcess, end
from inplace_tui.diagnosis.record.recording.recorder import Recorder
from inplace_tui.diagnosis.record.replay import clones
from inplace_tui.diagnosis.record.replay.findings import Findings
from inplace_tui.diagnosis.record.replay.gradients import Reporter
from inplace_tui.diagnosis.record.replay.probes import Expressions

if TYPE_CHECKING:
    from inplace_tui.diagnosis.record.copying.stopped import CopiedProcess, StoppedProgram

MAX_FAULTS = 3
"""Failures of the recorder that are reported; the first one usually causes the others."""

OUR_FAULT = 70
"""Exit code where this file failed, not the program."""


def run(job: messages.StartRun, process: RunProcess, leftover: Leftover | None) -> NoReturn:
    """Run the program of `job`, report, and leave this process.

    `leftover` takes what a line wrote until it finishes.
    """
    try:
        process.hold(job)
        # With two threads, a loop of small steps took 60 times longer on a busy machine.
        torch.set_num_threads(1)
        _Child(job, process, leftover).run()
    except BaseException:
        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        end(OUR_FAULT)


def warm_up() -> None:
    """Do once, in the process that runs are forked from or that will be one, what each would do."""
    choose()
    main_module.seed(0)  # of nearly every program
    main_module.quote_files_only()
    main_module.show_own_frames_only()


class _Child:
    """The program, and the ways in which it is heard."""

    def __init__(
        self, job: messages.StartRun, process: RunProcess, leftover: Leftover | None
    ) -> None:
        self._process = process
        self._recorder: Recorder | None = None
        self._witness: Witness | None = None
        self._seconds: float | None = None
        self._clock = Clock()
        self._log: list[Event] = []
        self._take(job)
        is_wanted = self._sends_output or job.mode is Mode.RECORD
        self._unfinished = leftover if is_wanted else None
        most, send = job.limits.output_bytes, self._send_output if self._sends_output else None
        self._output = Output(self._log, most, self._files.running_line, send, self._unfinished)
        process.connect(job.program.stdin)
        self._reports = Reports(process.reports)
        self._request_server: RequestServer | None = None
        self._template: CopiedProcess | None = None
        if job.detail.pause is not None:
            self._request_server = RequestServer(job.detail.pause, process.asked, self._reports)
        elif job.detail.stop is not None:
            self._template = self._stopping(job.detail.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._follow_fork)

    def _stopping(self, stop: Stop) -> CopiedProcess:
        """Have the program stop there, and be copied."""
        # Of Linux alone, where else nothing is asked to stop.
        from inplace_tui.diagnosis.record.copying.stopped import CopiedProcess  # noqa: PLC0415
        from inplace_tui.diagnosis.record.process.forked import PipedRequests  # noqa: PLC0415

        assert isinstance(self._process.asked, PipedRequests)
        template = CopiedProcess(self._process.asked.descriptor, self._live)
        self._files.compiled = Rounds(stop, self._files, self._clock, template.stopped).compiled
        return template

    def _take(self, job: messages.StartRun) -> None:
        """Be the process of this job."""
        self._job = job
        self._program = program = job.program
        self._files = OwnFiles(
            program.source, program.filename, program.files, is_imported=program.is_imported
        )
        self._expressions: Expressions | None = None
        if job.detail.probes:
            self._expressions = Expressions(self._files, job.detail.probes_values)
            self._files.compiled = self._expressions.compiled
        too_many = Stopped(limit="steps", value=job.limits.steps)
        stop = partial(self._leave, too_many)
        self._recorder_of = partial(Recorder, files=self._files, log=self._log, on_limit=stop)
        self._sends_output = job.detail.output and job.mode is not Mode.RECORD

    def _live(
        self, program: StoppedProgram, job: messages.StartRun, reports: int, raw: int
    ) -> NoReturn:
        """Be a copy of the program, which has stopped: go on as another program."""
        try:
            self._template, self._unfinished = None, None
            self._take(job)
            from inplace_tui.diagnosis.record.process.forked import ForkedRun  # noqa: PLC0415

            assert isinstance(self._process, ForkedRun)
            self._process.go_on(job, reports, raw)
            self._reports = Reports(self._process.reports)
            del self._log[:]
            send = self._send_output if self._sends_output else None
            self._output.go_on(job.limits.output_bytes, self._files.running_line, send)
            assert job.detail.stop is not None
            code = program.rest(job.detail.stop, self._files, self._expressions)
            outcome: Outcome = Completed()
            if job.mode is Mode.BARE and program.edited:
                sys.setprofile(partial(_forget_called, program.edited))
            try:
                self._run(code, program.frame.f_globals)
            except BaseException as error:
                outcome = errors.ending(error, self._files)
            sys.setprofile(None)
            if job.mode is Mode.BARE and program.edited:
                raise NotCopiedError("what was edited has run before")
            self._leave(outcome)
        except NotCopiedError:
            end(messages.NOT_COPIED)
        except BaseException:
            os.write(2, traceback.format_exc().encode(errors="replace"))
        finally:
            end(OUR_FAULT)

    def run(self) -> NoReturn:
        """Prepare, run, report how it ended, leave."""
        module = main_module.prepare(self._program, self._files)
        self._output.install()
        is_own = self._program.origin is Origin.OWN
        if is_own:
            main_module.forget_exit_functions()
        try:
            code = main_module.compiled(self._program, self._files)
        except BaseException as error:
            self._leave(main_module.refusal(error, self._program, self._files))
        outcome: Outcome = Completed()
        try:
            main_module.run(self._program, self._files, module, code, self._run)
        except BaseException as error:
            self._process.forget_memory_limit()  # the report takes some, too
            outcome = errors.ending(error, self._files)
        if is_own:
            main_module.finish()
        self._leave(outcome)

    def _run(self, code: CodeType, namespace: dict[str, object]) -> None:
        detail, is_replay = self._job.detail, self._job.mode is Mode.CLONED
        if self._job.mode is Mode.RECORD:
            self._record(code, namespace)
            return
        # A digest serves to see that nothing happened: there is no hurry.
        deliver = self._reports.send if detail.elements else self._reports.hold
        share = self._job.limits.report_bytes // 2
        findings = Findings(self._files)
        self._reports.send(messages.ProgramStarted())
        with ExitStack() as around:
            if detail.witness or self._template is not None:
                around.enter_context(self._clock.counting())
            if self._template is not None:
                around.enter_context(loaders_alone())
                exec(code, namespace)
                return
            if is_replay:
                # Edits are compared past a transform; of it nothing is told to be right.
                past, probes = detail.additions, self._expressions
                around.enter_context(clones.cloned(findings, probes, past_transforms=past))
            elif detail.witness:
                self._witness = around.enter_context(watch(notes=False))
            reporter = Reporter(findings, deliver, detail, share, is_replay)
            around.enter_context(reporter.reporting())
            if detail.extra_backward is not None:
                self._run_extra_backward(detail.extra_backward, code, namespace, reporter)
                return
            began = time.process_time()
            try:
                exec(code, namespace)
            finally:
                if detail.timed:
                    self._seconds = time.process_time() - began

    def _run_extra_backward(
        self, extra: ExtraBackward, code: CodeType, namespace: dict[str, object], reporter: Reporter
    ) -> None:
        """Run the program up to one visit of a line, there try a backward, and leave.

        Reports that line, then the backward, then how it ended. Returns only where the program
        never gets there.
        """

        def emit(step: Step) -> None:
            if (step.line, step.visit) == (extra.line, extra.visit):
                # The only one that is reported, and so the first.
                first = msgspec.structs.replace(step, index=0, began=0)
                self._reports.send(messages.LineRecorded(step=first))
                # In a hook a backward is running: the one that is tried is reported all the same.
                reporter.forget()
                self._leave(self._tried(extra.tensor))

        recorder = self._recorder_of(
            code=code, namespace=namespace, emit=emit, max_steps=sys.maxsize
        )
        recorder.run()

    def _tried(self, name: str) -> Outcome:
        """Try a backward from a tensor, and return how that ended."""
        named = names.named_tensors(self._files.frames())
        tensor = next((found for called, found in named if called == name), None)
        if tensor is None:
            return Completed()  # and no backward is reported
        try:
            # Whatever mode the line is in: asked is what its graph would do.
            with torch.inference_mode(False), torch.enable_grad():
                tensor.sum().backward()
        except BaseException as error:
            if all(frame.f_code not in ENGINES for frame, _ in walk_tb(error.__traceback__)):
                # Not reported yet: it was refused before it began.
                refused = Backward(line=None, gradients=(), raised=errors.class_name(error))
                self._reports.send(messages.BackwardRan(backward=refused))
            return errors.ending(error, self._files)
        return Completed()

    def _seen(self) -> tuple[Witnessed, ...]:
        found = [] if self._witness is None else self._witness.findings
        for finding in found:
            parts = [finding.get(each) for each in ("saved", "reader", "writer")]
            for place in filter(None, (*parts, *finding.get("writes", ()))):
                # Our own frames are left out, and what is of libraries below the program.
                own = [each for each in place["frames"] if not each["file"].startswith(OURS)]
                place["frames"] = outermost_dropped(own)
        return tuple(msgspec.convert(each, Witnessed, builtin_types=(bytes,)) for each in found)

    def _saved_after(self) -> int | None:
        """Return how many backwards had begun when what the last one found changed was saved."""
        findings = () if self._witness is None else self._witness.findings
        numbers = [each["saved"]["number"] for each in findings if "saved" in each][-1:]
        return self._clock.before(numbers[0]) if numbers and numbers[0] is not None else None

    def _send_output(self) -> None:
        """Send what was written since the last time."""
        logged = tuple(self._log)
        del self._log[: len(logged)]  # a thread of the program may have printed since
        events = _joined((*logged, *self._raw_text()))
        if events:
            self._reports.send(messages.ProgramWrote(events=events))
        self._forget_unfinished()

    def _record(self, code: CodeType, namespace: dict[str, object]) -> None:
        detail = self._job.detail
        gc.disable()  # a third of the time for a long program, of which nothing is garbage
        follow = None if detail.line is None else (detail.line, detail.visit)
        recorder = self._recorder_of(
            code=code,
            namespace=namespace,
            emit=self._emit,
            max_steps=self._job.limits.steps,
            follow=follow,
        )
        gc.enable()
        self._reports.send(messages.ProgramStarted(line=recorder.first_line))
        self._recorder = recorder
        if self._request_server is not None:
            self._request_server.find = recorder.find
        recorder.run()

    def _emit(self, step: Step) -> None:
        raw = self._raw_text()
        if raw or len(step.events) > 1:
            step = msgspec.structs.replace(step, events=_joined((*step.events, *raw)))
        self._reports.send(messages.LineRecorded(step=step))
        self._forget_unfinished()
        if self._request_server is not None:
            self._request_server.pause_at(step.index)

    def _forget_unfinished(self) -> None:
        if self._unfinished is not None:
            self._unfinished.clear()

    def _raw_text(self) -> Sequence[Event]:
        text = self._process.raw_text()
        return self._output.raw(text) if text else ()

    def _leave(self, outcome: Outcome) -> NoReturn:
        self._process.forget_memory_limit()
        self._output.flush()
        if self._sends_output and self._reports.has_reader:
            self._send_output()
        if self._reports.has_reader:
            self._reports.send(self._ending(outcome))
            self._process.leave()
        # A copy that the program forked: it ends as Python would have it.
        if isinstance(outcome, Raised):
            os.write(2, outcome.traceback.encode())
        end(1 if isinstance(outcome, Raised) else 0)

    def _ending(self, outcome: Outcome) -> messages.ProgramEnded:
        if (recorder := self._recorder) is None:
            if not self._job.detail.witness:
                probes = None if self._expressions is None else self._expressions.found(outcome)
                begun = self._clock.backwards
                return messages.ProgramEnded(
                    outcome=outcome,
                    seconds=self._seconds,
                    backwards=begun,
                    probes=probes,
                    wrote_files=self._process.wrote_files(),
                )
            return messages.ProgramEnded(
                outcome=outcome,
                backwards=self._clock.backwards,
                saved_after=self._saved_after(),
                resident=self._process.resident(),
                loaded=self._files.loaded(),
                libraries=libraries.imported_since(self._files.known),
                surroundings=libraries.surroundings(),
                seen=self._seen(),
                seconds=self._seconds,
            )
        faults = tuple(recorder.faults[:MAX_FAULTS])
        return messages.ProgramEnded(outcome=outcome, faults=faults, off_at=recorder.off_at)

    def _follow_fork(self) -> None:
        """Stop reporting: this is a copy, made by the program, and not the run."""
        if self._template is not None and self._template.is_copying:
            return
        sys.settrace(None)
        self._reports.follow_fork()
        self._request_server = None
        self._output.follow_fork()
        self._process.follow_fork()


def _forget_called(codes: set[CodeType], frame: FrameType, event: str, _arg: object) -> None:
    if event == "call":
        codes.discard(frame.f_code)


def _joined(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the events with neighbouring text of one stream in one."""
    joined: list[Event] = []
    for stream, group in groupby(events, lambda e: e.stream if isinstance(e, Printed) else None):
        if stream is None:
            joined += group
        else:
            text = "".join(event.text for event in group if isinstance(event, Printed))
            joined.append(Printed(text=text, stream=stream))
    return tuple(joined)
