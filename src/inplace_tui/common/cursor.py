"""Where the cursor of a terminal is, asked while keys may be typed; not for every system."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator

_POSITION = re.compile(rb"\x1b\[[0-9]+;([0-9]+)R")


@contextlib.contextmanager
def asked(question: bytes, patience: float, typed: bytearray) -> Iterator[Callable[[], int | None]]:
    """Send a question; what is yielded reads how far the cursor came, None if nothing says it.

    What was typed meanwhile is put into `typed`.
    """
    keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()
    before = termios.tcgetattr(keyboard)
    until = time.monotonic() + patience
    try:
        with _restoring(keyboard, before):
            tty.setcbreak(keyboard, termios.TCSANOW)  # or the answer would be echoed
            sys.stdout.flush()
            os.write(screen, question)
            yield lambda: _answer(keyboard, until, typed)
    finally:
        with contextlib.suppress(termios.error):  # it is gone
            termios.tcsetattr(keyboard, termios.TCSANOW, before)


@contextlib.contextmanager
def _restoring(keyboard: int, before: list[object]) -> Iterator[None]:
    """Restore the terminal if a signal ends the program within this block."""

    def end(number: int, _: object) -> None:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(keyboard, termios.TCSANOW, before)  # type: ignore[arg-type]
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    ending = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    handlers = {number: signal.signal(number, end) for number in ending}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _answer(keyboard: int, until: float, typed: bytearray) -> int | None:
    received = b""
    column = None
    while select.select([keyboard], [], [], max(0.0, until - time.monotonic()))[0]:
        received += os.read(keyboard, 64)
        if found := _POSITION.search(received):
            column = int(found.group(1)) - 1
            received = received[: found.start()] + received[found.end() :]
            break
    typed.extend(received)
    return column
