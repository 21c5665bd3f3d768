"""Tasks in child processes: one that crashes or hangs costs no other."""

from __future__ import annotations

import json
import os
import queue
import selectors
import signal
import subprocess
import sys
import threading
import time
from typing import Any

START_SECONDS = 120
TASK_SECONDS = 180


class Child:
    """One process that answers tasks."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "survey.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, "PYTHONHASHSEED": "0"},  # some samples are drawn from a set
        )
        self.rest = b""
        self.said = self._line(START_SECONDS)

    def ask(self, task: str) -> list[Any]:
        """Its rows; of one that crashes or hangs, why there are none."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(task.encode() + b"\n")
            rows: list[Any] = self._line(TASK_SECONDS)["rows"]
        except TimeoutError:
            return [{"name": task, "untried": f"took longer than {TASK_SECONDS} s"}]
        except EOFError:
            return [{"name": task, "untried": f"the process ended: {self._ending()}"}]
        return rows

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def _ending(self) -> str:
        code = self.process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def _line(self, seconds: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if not ready.select(max(0.0, until - time.monotonic())):
                    self.end()
                    raise TimeoutError
                read = self.process.stdout.read(1 << 16)
                if not read:
                    raise EOFError
                self.rest += read
        line, self.rest = self.rest.split(b"\n", 1)
        return dict(json.loads(line))


class Pool:
    """So many children, each with the next task when it is done with one."""

    def __init__(self, workers: int, *, wanted: list[str] | None = None) -> None:
        first = Child()
        self.torch = str(first.said["torch"])
        self.methods = list(first.said["methods"])
        names = list(first.said["tasks"])
        self.tasks: queue.Queue[str] = queue.Queue()
        for name in names:
            if wanted is None or any(each in name for each in wanted):
                self.tasks.put(name)
        self.answers: list[tuple[str, list[Any], float]] = []
        self._threads = [
            threading.Thread(target=self._work, args=(first if i == 0 else None,))
            for i in range(workers)
        ]

    def run(self) -> list[tuple[str, list[Any], float]]:
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()
        return self.answers

    def _work(self, child: Child | None) -> None:
        while True:
            try:
                task = self.tasks.get_nowait()
            except queue.Empty:
                break
            began = time.monotonic()
            try:
                if child is None or not child.alive():
                    child = Child()
                rows = child.ask(task)
            except (EOFError, TimeoutError):
                rows = [{"name": task, "untried": "no process could be started for it"}]
            self.answers.append((task, rows, time.monotonic() - began))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{len(self.answers)} done, {self.tasks.qsize()} to do ")
        if child is not None:
            child.end()
