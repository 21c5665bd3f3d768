"""Where no process can be forked: each run has one that was started for it before it was wanted."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import Reply
from inplace_tui.diagnosis.runner import interpreter
from inplace_tui.diagnosis.runner.memory import default_limit
from inplace_tui.diagnosis.runner.process import SpawnedProcess
from inplace_tui.diagnosis.runner.run import Run
from inplace_tui.diagnosis.runner.spawned import SpawnedChild
from inplace_tui.diagnosis.runner.starting import (
    MAX_FAILURES,
    AskedOn,
    RequestSender,
    RunStarter,
    WorkerState,
    not_utf8,
)

SPARE = 2
"""Processes that are kept warm ahead."""


class SpawnedProcesses(RunStarter):
    """Keeps some processes warm; each serves one run."""

    def __init__(
        self,
        state: WorkerState,
        runs: dict[int, Run],
        python: Path | None,
        begun: SpawnedProcess | None,
        presence: Presence | None,
    ) -> None:
        super().__init__(state, runs, python, presence)
        self._begun = begun
        self._numbers = itertools.count(1)
        self._warm: deque[SpawnedChild] = deque()
        self._failures = 0
        self._taken: set[SpawnedChild] = set()
        self._burials: set[asyncio.Task[None]] = set()

    @property
    def pid(self) -> int | None:
        return self._warm[0].pid if self._warm else None

    async def keep_ready(self) -> None:
        keeping = [asyncio.create_task(self._keep_one(first=each == 0)) for each in range(SPARE)]
        try:
            await asyncio.gather(*keeping)
        finally:
            for each in keeping:
                each.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)

    async def _keep_one(self, *, first: bool) -> None:
        """Have one process warm until somebody takes it, and then another."""
        while not first and not isinstance(self._state.now, messages.Ready):
            # Until one is ready, a second one would only take its processor.
            if self._state.serves_nobody:
                return
            await self._state.changed()
        while not self._state.serves_nobody:
            begun, self._begun = self._begun, None
            try:
                child = SpawnedChild(begun or SpawnedProcess(interpreter.command(self._python)))
            except OSError as failure:
                self._state.enter(messages.Refused(reason=f"no process: {failure}"))
                return
            try:
                if await self._becomes_ready(child):
                    self._warm.append(child)
                    self._state.wake()
                    waits = (child.taken, child.ended)
                    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not child.taken.done():
                    if child in self._warm:
                        self._warm.remove(child)
                    self._bury(child)

    async def _becomes_ready(self, child: SpawnedChild) -> bool:
        """Wait until a process is warm; else say why it never will be."""
        is_first = not isinstance(self._state.now, messages.Ready)
        while states := await child.states():
            for state in states:
                if is_first or not isinstance(state, messages.Loading):
                    self._state.enter(state)
                if not isinstance(state, messages.Loading):
                    self._failures = 0
                    if self._presence is not None:
                        child.give_way()
                    return isinstance(state, messages.Ready)
        child.kill()
        code = await asyncio.shield(child.ended)
        self._failures += 1
        if self._failures >= MAX_FAILURES:
            words = child.last_words() or f"the worker died with exit code {code}"
            self._state.enter(messages.Refused(reason=words))
        elif is_first:
            self._state.enter(messages.Starting(after_death=code))
        return False

    async def run(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        *,
        asked: AskedOn | None,
        on_reply: Callable[[Reply], None] | None,
    ) -> AsyncGenerator[messages.Report, None]:
        number = next(self._numbers)
        command = messages.StartRun(
            run=number, program=program, mode=mode, limits=limits, detail=detail
        )
        try:
            messages.encode(command)
        except UnicodeEncodeError as error:
            yield messages.ProgramEnded(outcome=not_utf8(program, error))
            return
        child = await self._take()
        if child is None:
            yield messages.ProgramEnded(outcome=self._state.refusal())
            return
        run = self._begun_run(child, command, on_reply)
        try:
            if asked is not None:
                assert isinstance(asked, ConnectedRequestSender)
                asked.child = child
            child.send(command)
            async with aclosing(run.reports()) as incoming:
                async for report in incoming:
                    yield report
        finally:
            self._under_way.pop(number, None)
            self._bury(child)

    async def _take(self) -> SpawnedChild | None:
        """Return a process that is warm, as soon as there is one."""
        while not self._state.serves_nobody:
            if self._warm:
                child = self._warm.popleft()
                child.taken.set_result(None)
                self._taken.add(child)
                return child
            await self._state.changed()
        return None

    def _begun_run(
        self,
        child: SpawnedChild,
        command: messages.StartRun,
        on_reply: Callable[[Reply], None] | None,
    ) -> Run:
        limits, most = command.limits, command.limits.resident_bytes
        if command.program.origin is not Origin.OWN:
            most = limits.memory_bytes
        elif most is None:
            most = default_limit()
        run = Run(
            command.run,
            limits,
            child.reports(),
            child.output(limits.output_bytes),
            with_output=command.detail.output,
            on_reply=on_reply,
            presence=self._presence,
            resident_bytes=most,
        )
        self._under_way[command.run] = run
        run.child_started(child)

        def tell(ended: asyncio.Future[int]) -> None:
            written = child.leftover.read()
            run.child_ended(ended.result(), crowded=False, written=written)

        child.ended.add_done_callback(tell)
        return run

    async def import_libraries(self, names: Sequence[str], surroundings: str) -> None:
        pass  # each imports what it needs

    def request_sender(self) -> RequestSender:
        return ConnectedRequestSender()

    def _bury(self, child: SpawnedChild) -> None:
        self._taken.discard(child)
        burial = asyncio.ensure_future(child.bury())
        self._burials.add(burial)
        burial.add_done_callback(self._burials.discard)

    async def settled(self) -> None:
        for child in tuple(self._taken):
            self._bury(child)  # whose reports nobody took to their end
        await asyncio.gather(*self._burials)


class ConnectedRequestSender(RequestSender):
    """Requests that go the way that commands do."""

    child: SpawnedChild | None = None

    def send(self, request: messages.Request) -> None:
        if self.child is not None:
            self.child.send(request)

    def close(self) -> None:
        if self.child is not None:
            self.child.kill()
