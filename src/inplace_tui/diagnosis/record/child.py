"""One run, in a process of its own, forked from the warm worker.

It never returns: whatever the program leaves behind (threads, `atexit`
functions, children) can neither delay the end nor change it.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from fcntl import ioctl
from functools import partial
from itertools import groupby
from pathlib import Path
from struct import unpack
from termios import FIONREAD
from traceback import walk_tb
from types import CodeType, FrameType
from typing import NoReturn

import msgspec
import torch

from inplace_tui.blame.frames import outermost_dropped
from inplace_tui.blame.witness import Witness, watch
from inplace_tui.common.confinement import confine
from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Stopped, Witnessed
from inplace_tui.common.run.program import Backward, ExtraBackward, Mode, Origin
from inplace_tui.common.run.step import Event, Printed, Step
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.record.compat import ENGINES
from inplace_tui.diagnosis.record.copying.loops import NotCopiedError
from inplace_tui.diagnosis.record.copying.rounds import Clock, Rounds, loaders_alone
from inplace_tui.diagnosis.record.copying.stopped import CopiedProcess, StoppedProgram
from inplace_tui.diagnosis.record.naming import names
from inplace_tui.diagnosis.record.process import errors, libraries, linux, main_module, view
from inplace_tui.diagnosis.record.process.output import Output, UnfinishedText
from inplace_tui.diagnosis.record.process.own_files import OURS, OwnFiles
from inplace_tui.diagnosis.record.process.reports import Reports
from inplace_tui.diagnosis.record.process.request_server import RequestServer
from inplace_tui.diagnosis.record.recording.recorder import Recorder
from inplace_tui.diagnosis.record.replay import clones
from inplace_tui.diagnosis.record.replay.findings import Findings
from inplace_tui.diagnosis.record.replay.gradients import Reporter
from inplace_tui.diagnosis.record.replay.probes import Expressions
from inplace_tui.diagnosis.record.torch_memory import measure_in_child

MAX_FAULTS = 3
"""Failures of the recorder that are reported; the first one usually causes the others."""

_NONE = bytes(4)
"""What the kernel reports where no byte waits."""

_SPARE = 10.0
"""Seconds in which a program may be compiled before its time counts."""

OUR_FAULT = 70
"""Exit code where this file failed, not the program."""


def run(
    job: messages.StartRun,
    *,
    worker: int,
    reports: int,
    raw: int,
    questions: int | None = None,
    scratch: Path | None = None,
    unfinished: UnfinishedText | None = None,
) -> NoReturn:
    """Run the program of `job`, report, and leave this process.

    There is no run without the process `worker`. Descriptors are owned from here on: for the
    reports, for what is written to 1 and 2, with requests while it is paused. A confined program
    may write to `scratch`; `unfinished` takes what a line wrote until it finishes.
    """
    try:
        _detach(worker)
        _limit(job)
        if job.mode is Mode.RECORD or job.limits.in_view:
            # These are compared with each other; and that the first run, an ordinary one, finds
            # something else there shows that a program reads what nobody has written.
            linux.fill_memory()
        if job.program.origin.is_confined:
            if scratch is not None and scratch.is_dir():
                os.chdir(scratch)
                os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)  # it may have looked already
            confine(scratch)
        if job.limits.in_view:
            view.remove(job.program.made)
        _Child(job, reports, raw, questions, unfinished).run()
    except BaseException:
        os.write(2, traceback.format_exc().encode(errors="replace"))
    finally:
        linux.end(OUR_FAULT)


def warm_up() -> None:
    """Do once, in the process that runs are forked from, what each would do for itself."""
    measure_in_child()
    main_module.seed(0)  # of nearly every program
    main_module.quote_files_only()
    main_module.show_own_frames_only()


def _detach(worker: int) -> None:
    """Be a process of its own, that dies with the worker and is killed with its children."""
    os.setpgid(0, 0)
    linux.die_with_parent(signal.SIGKILL)
    if os.getppid() != worker:
        linux.end(OUR_FAULT)  # it died before it could be asked to take this one along
    linux.adopt_orphans()
    linux.prefer_oom_kill()


def _limit(job: messages.StartRun) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits = job.limits
    if limits.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
    if job.program.origin.is_confined:
        linux.limit_memory(limits.memory_bytes)
    if job.detail.pause is None and limits.seconds is not None:
        linux.limit_computing(limits.seconds + _SPARE)
    # With two threads, a loop of small steps took 60 times longer on a busy machine.
    torch.set_num_threads(1)


class _Child:
    """The program, and the ways in which it is heard."""

    def __init__(
        self,
        job: messages.StartRun,
        reports: int,
        raw: int,
        questions: int | None,
        unfinished: UnfinishedText | None,
    ) -> None:
        self._recorder: Recorder | None = None
        self._witness: Witness | None = None
        self._seconds: float | None = None
        self._clock = Clock()
        self._log: list[Event] = []
        self._take(job)
        is_wanted = self._sends_output or job.mode is Mode.RECORD
        self._unfinished = unfinished if is_wanted else None
        most, send = job.limits.output_bytes, self._send_output if self._sends_output else None
        self._output = Output(self._log, most, self._files.running_line, send, self._unfinished)
        _give_input(job.program.stdin)
        self._raw = _redirect(raw)
        (descriptor,) = linux.out_of_reach(reports)
        self._reports = Reports(descriptor)
        self._request_server: RequestServer | None = None
        self._template: CopiedProcess | None = None
        if questions is not None:
            (asked,) = linux.out_of_reach(questions)
            if job.detail.pause is not None:
                self._request_server = RequestServer(job.detail.pause, asked, self._reports)
            elif job.detail.stop is not None:
                self._template = CopiedProcess(asked, self._live)
                rounds = Rounds(job.detail.stop, self._files, self._clock, self._template.stopped)
                self._files.compiled = rounds.compiled
        os.register_at_fork(after_in_child=self._follow_fork)

    def _take(self, job: messages.StartRun) -> None:
        """Be the process of this job."""
        self._job = job
        self._program = program = job.program
        self._files = OwnFiles(
            program.source, program.filename, program.files, is_imported=program.is_imported
        )
        self._files_left = view.files_left() if job.limits.in_view else 0
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
            if self._raw is not None:
                os.close(self._raw)
            self._raw = _redirect(raw)
            (descriptor,) = linux.out_of_reach(reports)
            self._reports = Reports(descriptor)
            del self._log[:]
            send = self._send_output if self._sends_output else None
            self._output.go_on(job.limits.output_bytes, self._files.running_line, send)
            if job.limits.seconds is not None:
                linux.limit_computing(job.limits.seconds + _SPARE)
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
            linux.end(messages.NOT_COPIED)
        except BaseException:
            os.write(2, traceback.format_exc().encode(errors="replace"))
        finally:
            linux.end(OUR_FAULT)

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
            linux.forget_memory_limit()  # the report takes some, too
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
        """Return what the line wrote past `sys.stdout`.

        The runner leaves the pipe alone for a moment, so that text which went
        to descriptor 1 is shown at the line that wrote it.
        """
        if self._raw is None:
            return ()
        waiting = ioctl(self._raw, FIONREAD, _NONE)
        if waiting == _NONE:
            return ()
        try:
            return self._output.raw(os.read(self._raw, *unpack("i", waiting)))
        except BlockingIOError:
            return ()  # the runner was faster after all

    def _leave(self, outcome: Outcome) -> NoReturn:
        linux.forget_memory_limit()
        self._output.flush()
        if self._sends_output and self._reports.has_reader:
            self._send_output()
        if self._reports.has_reader:
            self._reports.send(self._ending(outcome))
            linux.end(0)
        # A copy that the program forked: it ends as Python would have it.
        if isinstance(outcome, Raised):
            os.write(2, outcome.traceback.encode())
        linux.end(1 if isinstance(outcome, Raised) else 0)

    def _ending(self, outcome: Outcome) -> messages.ProgramEnded:
        if (recorder := self._recorder) is None:
            if not self._job.detail.witness:
                probes = None if self._expressions is None else self._expressions.found(outcome)
                begun = self._clock.backwards
                wrote = self._job.limits.in_view and view.files_left() != self._files_left
                return messages.ProgramEnded(
                    outcome=outcome,
                    seconds=self._seconds,
                    backwards=begun,
                    probes=probes,
                    wrote_files=wrote,
                )
            return messages.ProgramEnded(
                outcome=outcome,
                backwards=self._clock.backwards,
                saved_after=self._saved_after(),
                resident=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
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
        if self._raw is not None:
            os.close(self._raw)
            self._raw = None


def _forget_called(codes: set[CodeType], frame: FrameType, event: str, _arg: object) -> None:
    if event == "call":
        codes.discard(frame.f_code)


def _give_input(stdin: bytes) -> None:
    """Point 0 at what it is to read."""
    with os.fdopen(os.memfd_create("stdin"), "w+b") if stdin else open(os.devnull, "rb") as given:
        if stdin:
            given.write(stdin)
            given.seek(0)
        os.dup2(given.fileno(), 0)


def _redirect(raw: int) -> int | None:
    """Point 1 and 2 at the raw pipe; return a way to read it back."""
    os.dup2(raw, 1)
    os.dup2(raw, 2)
    back = linux.reading_end(raw)
    os.close(raw)
    return None if back is None else linux.out_of_reach(back)[0]


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
