"""What a terminal sends, made into messages: any bytes, at any pace, and however many.

Textual's input thread ends the program at a byte that is no UTF-8 and at a sequence that its
parser can't read, hands every key on however many wait, and lets a paste without an end
swallow all that follows. `tests/faults/test_keyboard.py` fails without each of these answers,
`tests/faults/test_noise.py` with floods on every screen.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from inplace_tui.common import console

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.app import InplaceApp

CHUNK = 65_536
"""Bytes that are read at once."""

GATHERED = 262_144
"""Bytes that are read before they are looked at, as long as more are there."""

NEXT = 5
"""Milliseconds that the next 4 KiB of a long text may take."""

PIECE = 256
"""Characters of text in one read that nobody typed: a paste, of a terminal that marks none."""

MAX_PASTED = 1_000_000
"""Characters of one paste; the editor opens no larger file."""

SILENCE = 1.0
"""Seconds without a byte after which a paste is over, whether its end came or not."""

PATIENCE = 0.1
"""Seconds after which an escape that nothing followed was the Esc key."""

TYPED, WHILE = 200, 2.0
"""Fewer characters in so many seconds count as typed: the end of the paste was lost."""

MANY = 50
"""Messages that wait, from which on it is looked ahead for the key that quits."""

MAX_WAITING = 2_000
"""Messages that are kept; those that come then are dropped, but for the key that quits."""

MAX_MERGED = 100
"""Movements that are made in one piece: the key that quits is looked for between pieces."""

ENDS = 3.0
"""Seconds to end in order; a terminal that is gone may let nobody do that."""

RESTORE = 1.0
"""Seconds for what a terminal gets in the end, which one that is gone never takes."""

_ESCAPE = "\x1b"
_GOES_ON = f"[]OPX^_\\{_ESCAPE}"
"""What follows an Esc in the sequences that a terminal sends by itself, or in two pieces."""

_BEGIN, _END = "\x1b[200~", "\x1b[201~"
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
"""What a paste is taken without: it is no text, and would be no end of a line in a file."""

_TEXT = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")


class PasteCut(Message):
    """A paste was ended before its end came, or was longer than is taken."""


class InputParser:
    """Makes messages of bytes; no bytes make it fail, and a bad one costs a key at most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._parser = XTermParser()
        self._last = ""
        """The last characters that were parsed, in which a paste begins."""

        self._ends_in_escape = False
        """What was read last ended in it: Esc, or the beginning of a sequence."""

        self._paste: list[str] | None = None
        """What was pasted so far; None outside of a paste."""

        self._pasted = 0
        self._tail = ""
        """The last characters of the paste, in which it ends."""

        self._received = self._since = 0.0
        self._count = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that these bytes complete."""
        text = self._decoder.decode(data)
        if self._ends_in_escape and text and text[0] not in _GOES_ON:
            # A terminal sends Alt and a key in one piece: these are two keys.
            self._parser, self._last = XTermParser(), ""
            yield events.Key("escape", _ESCAPE)
        ends_in_escape = text.endswith(_ESCAPE) if text else self._ends_in_escape
        while text:
            if self._paste is not None:
                text = yield from self._pasting(text)
            elif len(text) >= PIECE and _TEXT.fullmatch(text):
                yield events.Paste(_CONTROLS.sub("", text))
                text = ""
            else:
                text = yield from self._parse(text)
        self._ends_in_escape = ends_in_escape and self._paste is None

    def tick(self) -> Iterator[Message]:
        """Yield what a silence means: the Esc key, the end of a paste."""
        if self._paste is not None:
            now = self._clock()
            if now - self._since >= WHILE:
                is_typed, self._since, self._count = self._count < TYPED, now, 0
            else:
                is_typed = False
            if is_typed or now - self._received >= SILENCE:
                yield from self._end_paste(cut=True)
            return
        for message in self._sane(self._parser.tick):
            self._ends_in_escape = False
            yield message

    def _parse(self, text: str) -> Generator[Message, None, str]:
        for place, character in enumerate(text, 1):
            yield from self._sane(partial(self._parser.feed, character))
            self._last = (self._last + character)[-len(_BEGIN) :]
            if self._last == _BEGIN:
                self._parser, self._last = XTermParser(), ""
                self._paste, self._pasted, self._tail = [], 0, ""
                self._received = self._since = self._clock()
                self._count = 0
                return text[place:]
        return ""

    def _sane(self, parse: Callable[[], Iterable[Message]]) -> Iterator[Message]:
        """Yield what the parser makes of it, without impossible messages."""
        try:
            found = list(parse())
        except Exception:  # noqa: BLE001  # it takes numbers as they come: no character, no length
            self._parser = XTermParser()
            return
        yield from filter(_is_possible, found)

    def _pasting(self, text: str) -> Generator[Message, None, str]:
        assert self._paste is not None
        self._received = self._clock()
        self._count += len(text)
        joined = self._tail + text
        end = joined.find(_END)
        taken = joined if end < 0 else joined[:end]
        # What may be the beginning of the end is looked at again with what follows.
        parts = () if end >= 0 else (_END[:length] for length in range(len(_END) - 1, 0, -1))
        kept = next((part for part in parts if taken.endswith(part)), "")
        taken = taken[: len(taken) - len(kept)]
        room = max(0, MAX_PASTED - self._pasted)
        self._paste.append(taken[:room])
        self._pasted += len(taken)
        self._tail = kept
        if end < 0:
            return ""
        yield from self._end_paste(cut=self._pasted > MAX_PASTED)
        return joined[end + len(_END) :]

    def _end_paste(self, *, cut: bool) -> Iterator[Message]:
        assert self._paste is not None
        text = _CONTROLS.sub("", "".join(self._paste))
        self._paste, self._tail = None, ""
        if text:
            yield events.Paste(text)
        if cut:
            yield PasteCut()


@dataclass
class Backlog:
    """What came and was not handed on yet: in its order, but for quitting."""

    _quits: Callable[[str], bool]
    _moves: Callable[[str], bool]
    _is_typing: Callable[[], bool]
    repeats: int = 1
    """How many alike the message stands for that was taken last."""

    _waiting: deque[Message] = field(default_factory=deque)
    _lock: Lock = field(default_factory=Lock)

    def add(self, message: Message) -> None:
        """Have a message wait for its turn."""
        with self._lock:
            last = self._waiting[-1] if self._waiting else None
            if isinstance(message, events.MouseMove) and isinstance(last, events.MouseMove):
                self._waiting[-1] = message
            elif len(self._waiting) < MAX_WAITING or self._is_quit(message, typing=False):
                self._waiting.append(message)

    def take(self) -> Message | None:
        """Return the next message, text in one piece; None where nothing waits."""
        with self._lock:
            self.repeats = 1
            if len(self._waiting) > MANY:
                self._look_ahead(typing=self._is_typing())
            if not self._waiting:
                return None
            message = self._waiting.popleft()
            if self._is_movement(message):
                waiting = self._waiting
                while waiting and self.repeats < MAX_MERGED and _is_same(message, waiting[0]):
                    waiting.popleft()
                    self.repeats += 1
                return message
            alone = not self._waiting or not _is_text(message) or not _is_text(self._waiting[0])
            if alone or not self._is_typing():
                return message
            texts = [_text(message)]
            while self._waiting and _is_text(self._waiting[0]):
                texts.append(_text(self._waiting.popleft()))
            return events.Paste("".join(texts))

    def _is_movement(self, message: Message) -> bool:
        if isinstance(message, events.Key):
            return self._moves(message.key) and not (self._is_typing() and message.is_printable)
        return isinstance(message, events.MouseScrollDown | events.MouseScrollUp)

    def _look_ahead(self, *, typing: bool) -> None:
        """Drop what waits before the key that quits, unless it is text."""
        for place, message in enumerate(self._waiting):
            if self._is_quit(message, typing=typing):
                waiting = list(self._waiting)
                before = [each for each in waiting[:place] if typing and _is_text(each)]
                self._waiting = deque([*before, *waiting[place:]])
                return

    def _is_quit(self, message: Message, *, typing: bool) -> bool:
        return (
            isinstance(message, events.Key)
            and self._quits(message.key)
            and not (typing and message.is_printable)
        )


class TerminalDriver(LinuxDriver):
    """Reads the terminal, and hands on one message when the app has done with the one before."""

    handles_signals = False

    def start_application_mode(self) -> None:
        """Take the terminal, once signals that end the program restore it."""
        if not self.handles_signals:
            self.handles_signals = True
            _listen_for_signals(cast("InplaceApp", self._app))
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.watch_size()

    def watch_size(self) -> None:
        """Read the size where the loop posts it, not where the signal is handled.

        A handler that is interrupted by the next signal posts the size that it read before,
        and a window whose edge is dragged would stay as wide as it was on the way.
        """
        loop = asyncio.get_running_loop()
        signal.signal(signal.SIGWINCH, lambda *_: loop.call_soon_threadsafe(self._post_size))

    def _post_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))

    def run_input_thread(self) -> None:
        """Read until the app ends, or the terminal is gone."""
        app = cast("InplaceApp", self._app)
        self._backlog = Backlog(app.quits, app.moves, lambda: app.key_dispatch.is_typing)
        self._handing_on = False
        parser = InputParser()
        waiting = select.poll()
        waiting.register(self.fileno, select.POLLIN)
        with suppress(OSError):  # the terminal hangs up: other readers notice, too
            early = console.take_typed()
            if waiting.poll(0):
                early += self._read(waiting)
            # The terminal still made line ends of what Enter sends.
            self._take(parser.feed(early.replace(b"\n", b"\r")))
            while not self.exit_event.is_set():
                if waiting.poll(100):
                    data = self._read(waiting)
                    if not data:
                        return
                    self._take(parser.feed(data))
                self._take(parser.tick())

    def _take(self, messages: Iterator[Message]) -> None:
        """Have messages wait, and wake the loop when all do: a key among them may quit."""
        came = list(messages)
        for message in came:
            self.process_message(message)
        if came:
            with suppress(RuntimeError):  # the loop has ended by now
                self._loop.call_soon_threadsafe(self._hand_on_soon)

    def _read(self, waiting: select.poll) -> bytes:
        data = os.read(self.fileno, CHUNK)
        # A terminal hands on 4 KiB at once, of however long a text.
        while PIECE < len(data) < GATHERED and waiting.poll(NEXT):
            more = os.read(self.fileno, CHUNK)
            if not more:
                break
            data += more
        return data

    def send_message(self, message: Message) -> None:
        """Have it wait for its turn. Called in the thread that reads."""
        if isinstance(message, events.Resize) and message.size != self._get_terminal_size():
            return  # of no terminal
        self._backlog.add(message)

    def _hand_on_soon(self) -> None:
        if not self._handing_on:
            self._handing_on = True
            self.handing_on = self._loop.create_task(self._hand_on())

    async def _hand_on(self) -> None:
        try:
            while (message := self._backlog.take()) is not None:
                handled: asyncio.Future[None] = self._loop.create_future()
                cast("InplaceApp", self._app).repeats = self._backlog.repeats
                if not self._app.post_message(message):
                    return
                if not self._app.call_later(_finish, handled):
                    return
                await handled
        finally:
            self._handing_on = False
            cast("InplaceApp", self._app).repeats = 1


def _listen_for_signals(app: InplaceApp) -> None:
    """Listen for what ends a program; called before anything is asked of the terminal."""
    woken, wake = os.pipe()
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os.write(wake, bytes([number])))
    loop = asyncio.get_running_loop()
    Thread(target=_await_signal, args=(app, loop, woken), daemon=True).start()


def _await_signal(app: InplaceApp, loop: asyncio.AbstractEventLoop, woken: int) -> None:
    """Wait for a signal or for the terminal to hang up; then see to it that all this ends.

    In a thread: whoever writes to a terminal that is gone may wait for it for ever,
    and with him the loop.
    """
    waiting = select.poll()
    waiting.register(woken, select.POLLIN)
    waiting.register(0, 0)  # a hang-up is reported without being asked for
    ready = {descriptor for descriptor, _ in waiting.poll()}
    number = os.read(woken, 1)[0] if woken in ready else int(signal.SIGHUP)
    with suppress(RuntimeError):  # the loop has ended by now
        loop.call_soon_threadsafe(app.exit_on_signal, number)
    time.sleep(ENDS)
    with suppress(Exception):
        app.save_all()
    restoring = Thread(target=app.restore_terminal, daemon=True)
    restoring.start()
    restoring.join(RESTORE)
    os._exit(128 + number)


def _finish(handled: asyncio.Future[None]) -> None:
    if not handled.done():
        handled.set_result(None)


def _is_same(one: Message, other: Message) -> bool:
    if isinstance(one, events.Key):
        return isinstance(other, events.Key) and one.key == other.key
    if isinstance(one, events.MouseEvent) and type(one) is type(other):
        assert isinstance(other, events.MouseEvent)
        return (one.x, one.y, one.ctrl, one.shift) == (other.x, other.y, other.ctrl, other.shift)
    return False


def _is_text(message: Message) -> bool:
    return isinstance(message, events.Paste) or (
        isinstance(message, events.Key) and message.is_printable
    )


def _text(message: Message) -> str:
    return message.text if isinstance(message, events.Paste) else getattr(message, "character", "")


def _is_possible(message: Message) -> bool:
    """Whether a message can be true: of a key that types a character, there is that one."""
    if isinstance(message, events.Key) and message.character is not None:
        return not any("\ud800" <= each <= "\udfff" for each in message.character)
    return not isinstance(message, events.CursorPosition)  # which nobody asks for


def read_keys(keyboard: int) -> Iterator[tuple[events.Key | None, bytes]]:
    """Yield each key and the bytes that made it; None for what is no key, as a mouse or a paste."""
    parser = InputParser()
    sent = b""
    while True:
        if sent and not select.select([keyboard], [], [], PATIENCE)[0]:
            found = list(parser.tick())
            keys = [each for each in found if isinstance(each, events.Key)]
            yield (keys[0] if keys else None), sent
            sent, parser = b"", InputParser()
            continue
        byte = os.read(keyboard, 1)
        if not byte:
            return
        sent += byte
        for message in parser.feed(byte):
            yield (message if isinstance(message, events.Key) else None), sent
            sent = b""
