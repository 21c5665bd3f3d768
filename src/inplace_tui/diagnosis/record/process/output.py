"""What the program writes and is warned of, in order, up to a limit.

`sys.stdout` and `sys.stderr` are real text streams that append to the log of
the line under way. Descriptors 1 and 2 are a pipe: what goes there, past
`sys.stdout`, is taken out of it when the line ends.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from inplace_tui.common.decodable import encodable
from inplace_tui.common.run.step import Event, Muted, Printed, Warned
from inplace_tui.diagnosis.protocol.leftover import Leftover

PIECE = 8_192
"""Text is gathered into events of about this many characters: joining more
would copy a growing text again and again."""

_DESCRIPTORS = {"stdout": 1, "stderr": 2}


@dataclass(eq=False)
class Output:
    """Puts the program's text and warnings into the log.

    Args:
        log: what the line under way did so far; somebody else empties it.
        limit: bytes of text that are kept in all; `Muted` says when it is reached.
        line: tells the learner's line that is running.
        on_text: called when a line of text or a warning is in the log.
        unfinished: takes what is written, too.
    """

    log: list[Event]
    limit: int
    line: Callable[[], int | None]
    on_text: Callable[[], None] | None = None
    unfinished: Leftover | None = None

    def __post_init__(self) -> None:
        self._left = self.limit
        self._muted = False
        self._forked = False
        self._thread = threading.get_ident()
        self._raw = codecs.getincrementaldecoder("utf-8")("replace")
        # The first streams are kept: closing them would close descriptors 1 and 2.
        self._before = (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
        self._show_to_file = warnings.showwarning

    def install(self) -> None:
        """Replace the standard streams, and take warnings."""
        streams = (_stream(self, "stdout", "strict"), _stream(self, "stderr", "backslashreplace"))
        sys.stdout, sys.stderr = streams
        sys.__stdout__, sys.__stderr__ = streams  # type: ignore[misc]
        # Not `_showwarnmsg_impl`: `catch_warnings(record=True)` puts its own there,
        # and the original function here, for as long as it lasts.
        warnings.showwarning = self._warned

    def flush(self) -> None:
        """Let text that the program's own streams still hold be seen."""
        for stream in (sys.stdout, sys.stderr):
            # The program may have put anything there.
            with suppress(Exception):
                stream.flush()

    def follow_fork(self) -> None:
        self._forked = True

    def go_on(
        self, limit: int, line: Callable[[], int | None], on_text: Callable[[], None] | None
    ) -> None:
        """Begin anew, with the streams that the program has."""
        self.limit, self.line, self.on_text, self.unfinished = limit, line, on_text, None
        self._left, self._muted = limit, False

    def written(self, text: str, stream: str) -> None:
        if self._forked:
            data = text.encode()
            while data:
                data = data[os.write(_DESCRIPTORS[stream], data) :]
            return
        events = self._affordable(text, stream)
        if events and isinstance(events[0], Printed):
            if self.unfinished is not None:
                self.unfinished.add(events[0].text)
            events[0] = self._joined(events[0])
        self.log.extend(events)
        if self.on_text is not None and "\n" in text:
            self.on_text()

    def raw(self, data: bytes) -> list[Event]:
        """Return the events for bytes that were found in the pipe."""
        return self._affordable(self._raw.decode(data), "raw")

    def _affordable(self, text: str, stream: str) -> list[Event]:
        """Return what is left of `text` within the limit, and the limit if it is hit."""
        if self._muted or not text:
            return []
        encoded = text.encode()
        events: list[Event] = []
        if kept := encoded[: self._left].decode(errors="ignore"):
            events.append(Printed(text=kept, stream=stream))
        self._left -= len(encoded)
        if self._left < 0:
            self._muted = True
            events.append(Muted(kept_bytes=self.limit))
        return events

    def _joined(self, new: Printed) -> Printed:
        """Return `new` with the text before it, if that may be one event with it.

        Not in other threads: the log may be moved into a step just now.
        """
        if threading.get_ident() != self._thread:
            return new
        try:
            # Taken out first: another thread may append at any moment.
            last = self.log.pop()
        except IndexError:
            return new
        if isinstance(last, Printed) and last.stream == new.stream and len(last.text) < PIECE:
            return Printed(text=last.text + new.text, stream=new.stream)
        self.log.append(last)
        return new

    def _warned(  # noqa: PLR0917 - the signature is Python's
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Stand in for `warnings.showwarning`."""
        if file is not None or self._forked:
            self._show_to_file(message, category, filename, lineno, file, line)
            return
        text = encodable(str(message))
        for event in self._affordable(text, "stderr"):
            if isinstance(event, Printed):
                warned = Warned(category=category.__name__, message=event.text, line=self.line())
                self.log.append(warned)
            else:
                self.log.append(event)
        if self.on_text is not None:
            self.on_text()


def _stream(output: Output, name: str, errors: str) -> io.TextIOWrapper:
    """Return a text stream on top of `output`.

    Written through at once: text that waits in a buffer would be shown at a
    later line than the one that wrote it.
    """
    return io.TextIOWrapper(
        _Capture(output, name), encoding="utf-8", errors=errors, newline="\n", write_through=True
    )


class _Capture(io.RawIOBase):
    """The bytes below a text stream; `print`, `.buffer.write` and `writelines` end here."""

    def __init__(self, output: Output, stream: str) -> None:
        super().__init__()
        self._output = output
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.name = f"<{stream}>"
        self.mode = "w"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        """The descriptor that subprocesses and C write to: the pipe, not the log."""
        return _DESCRIPTORS[self._stream]

    def write(self, data: object, /) -> int:
        """Log the text; half a character waits for its other half."""
        encoded = bytes(memoryview(data))  # type: ignore[arg-type]
        self._output.written(self._decoder.decode(encoded), self._stream)
        return len(encoded)
