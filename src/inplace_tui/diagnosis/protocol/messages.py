"""The messages between the two ends, as length-prefixed frames of JSON; no I/O here.

Three pipes. *Control* carries commands to the warm worker and its answers.
Every run has two more of its own, handed over with `StartRun` as descriptors:
*reports*, written by the forked child, and *raw*, which is its descriptors 1
and 2, so that a C++ print can't corrupt a frame.
A paused program is asked, and replies, over one more: a window of a tensor, or statistics of
all of it. Each reply has the number of its request.
"""

from __future__ import annotations

import re
from typing import Annotated, Generic, TypeVar

import msgspec

from inplace_tui.common.decodable import decodable
from inplace_tui.common.run.outcome import Outcome, Witnessed
from inplace_tui.common.run.probes import Probes
from inplace_tui.common.run.program import Backward, Detail, Limits, Mode, Pause, Program
from inplace_tui.common.run.statistics import Statistics
from inplace_tui.common.run.step import Event, Step

# What the warm worker is doing: all that a waiting screen can say. It sends the states in
# the middle; the first and the last are what its runner knows.


class Starting(msgspec.Struct, frozen=True, kw_only=True, tag="starting"):
    """Its process was started and has not reported yet."""

    after_death: int | None = None
    """The exit code of the one before, if this one replaces it: negative means
    killed by that signal."""


class Loading(msgspec.Struct, frozen=True, kw_only=True, tag="loading"):
    """It imports what is slow: torch, and later what few programs need. Runs wait meanwhile."""

    what: str
    """`torch` or `optimizers`."""


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """Runs start at once."""

    torch: str
    no_namespace: str | None = None
    """Why runs have no process namespaces of their own; None where they have."""

    no_view: str | None = None
    """Why runs can't have a view of the files (`Limits.in_view`); None where they can."""


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """It can't serve, and no other is tried: torch is missing, or importing it kills."""

    reason: str
    has_torch: bool = False
    """Torch is there: it lacks what the recorder needs."""


class Closed(msgspec.Struct, frozen=True, kw_only=True, tag="closed"):
    """Not started yet, or closed."""


State = Starting | Loading | Ready | Refused | Closed


# Commands: runner to warm worker.


class StartRun(msgspec.Struct, frozen=True, kw_only=True, tag="start_run"):
    """Fork a child that runs this. Comes with two descriptors: reports, raw.

    With a third, questions, where `detail.pause` is given.
    """

    run: int
    program: Program
    mode: Mode
    limits: Limits
    detail: Detail = Detail()


class ImportLibraries(msgspec.Struct, frozen=True, kw_only=True, tag="import_libraries"):
    """Import modules that what runs from now on would import itself, if that leaves no trace."""

    names: tuple[str, ...]
    surroundings: str
    """As `ProgramEnded` has them."""


Command = StartRun | ImportLibraries

# Answers: warm worker to runner, on control.


class ChildStarted(msgspec.Struct, frozen=True, kw_only=True, tag="child_started"):
    """Forked. The child leads a process group of its own with this number."""

    run: int
    pid: Annotated[int, msgspec.Meta(ge=2)]
    """To kill it by: 1 and less are no process of ours, but all there are, or groups."""


class ChildEnded(msgspec.Struct, frozen=True, kw_only=True, tag="child_ended"):
    """Reaped. All its reports are in its pipe."""

    run: int
    exit_code: int
    """As `Popen.returncode` has it."""

    crowded: bool = False
    """It was killed because there were more processes than its limits allow."""

    written: str = ""
    """What went through `sys.stdout` or `sys.stderr` and was not reported before it ended."""


class Copyable(msgspec.Struct, frozen=True, kw_only=True, tag="copyable"):
    """A program has stopped where it was to: copies of it can be asked for."""

    refusal: str = ""
    """Why none can be made, if so; then it ends."""


CopyAnswer = Copyable | ChildStarted | ChildEnded
"""What comes from a program that has stopped, and from its copies."""

Answer = Loading | Ready | Refused | ChildStarted | ChildEnded

# Reports: forked child to runner.


class ProgramStarted(msgspec.Struct, frozen=True, kw_only=True, tag="program_started"):
    """The first line is about to run; the deadline counts from here."""

    line: int | None = None
    """That first line, in mode RECORD."""


class LineRecorded(msgspec.Struct, frozen=True, kw_only=True, tag="line_recorded"):
    """One line finished. Sent as it happens, so a crash keeps its history."""

    step: Step


class BackwardRan(msgspec.Struct, frozen=True, kw_only=True, tag="backward_ran"):
    """One backward returned, in the modes BARE and CLONED."""

    backward: Backward


class ProgramWrote(msgspec.Struct, frozen=True, kw_only=True, tag="program_spoke"):
    """It wrote or was warned, in the modes BARE and CLONED if that was asked for."""

    events: tuple[Event, ...]


class ProgramEnded(msgspec.Struct, frozen=True, kw_only=True, tag="program_ended"):
    """The last report, unless the child died before it."""

    outcome: Outcome
    faults: tuple[str, ...] = ()
    """Tracebacks of the recorder's own failures: what they cost is missing from the steps."""

    off_at: int | None = None
    """The line at which recording was switched off; None where all was recorded."""

    loaded: tuple[str, ...] = ()
    """The files of the modules that it imported and that are not installed, for `witness`."""

    libraries: tuple[str, ...] = ()
    """The installed modules that it imported, for `witness`, in their order."""

    surroundings: str = ""
    """A digest of what imports go by, as it was in the end, for `witness`."""

    seen: tuple[Witnessed, ...] = ()
    """The failures that the witness saw, those that the program caught included."""

    probes: Probes | None = None
    """Where that was asked for."""

    seconds: float | None = None
    """The processor time of all its threads, for `timed`; not that of its compilation."""

    wrote_files: bool = False
    """It left files in its view other than it found them."""

    backwards: int = 0
    """How many had begun, for `witness`; of a copy, with those before it was made."""

    saved_after: int | None = None
    """How many of them when what the last one found changed was saved, for `witness`."""

    resident: int = 0
    """The most bytes that it held in memory, for `witness`."""


NOT_COPIED = 71
"""The exit code of a copy that could not be made, or into which an edit can't be put."""

Report = ProgramStarted | LineRecorded | BackwardRan | ProgramWrote | ProgramEnded


MAX_ELEMENTS = 16_384
"""Of one window; more are refused at both ends."""


class _OfTensor(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a tensor. Answered by `NotRead` where it can't be."""

    number: int
    tensor: int
    """Its ordinal."""


class TensorRequest(_OfTensor, frozen=True, kw_only=True, tag="tensor_wanted"):
    """How can a tensor be read? Answered by `TensorFound`."""


class ElementsRequest(_OfTensor, frozen=True, kw_only=True, tag="elements_wanted"):
    """Read some elements. Answered by `ElementsRead`."""

    spans: tuple[tuple[int, int], ...]
    """(first, how many), row-major, none beyond the end of its row."""


class StatisticsRequest(_OfTensor, frozen=True, kw_only=True, tag="statistics_wanted"):
    """Read everything. Answered by one `StatisticsRead` after the other until all is read.

    Another such request takes its place.
    """


class NonFiniteRequest(_OfTensor, frozen=True, kw_only=True, tag="odd_wanted"):
    """Find the next element that is not finite. Answered by `NonFiniteFound`."""

    after: int = -1


class Resume(msgspec.Struct, frozen=True, kw_only=True, tag="go_on"):
    """Resume, up to a later step."""

    pause: Pause


Question = TensorRequest | ElementsRequest | StatisticsRequest | NonFiniteRequest
Request = Question | Resume


class Paused(msgspec.Struct, frozen=True, kw_only=True, tag="paused"):
    """The program has paused after this step; requests are answered from now on."""

    step: int


class TensorFound(msgspec.Struct, frozen=True, kw_only=True, tag="tensor_found"):
    """How a tensor can be read."""

    number: int
    shape: tuple[int, ...]
    dtype: str
    itemsize: int


class ElementsRead(msgspec.Struct, frozen=True, kw_only=True, tag="elements_read"):
    """The elements of a window, in the order of its spans."""

    number: int
    data: bytes


class StatisticsRead(msgspec.Struct, frozen=True, kw_only=True, tag="statistics_read"):
    """Statistics of the elements read so far."""

    number: int
    statistics: Statistics


class NonFiniteFound(msgspec.Struct, frozen=True, kw_only=True, tag="odd_found"):
    """The next element that is not finite: after the last one, the first again."""

    number: int
    place: int | None


class NotRead(msgspec.Struct, frozen=True, kw_only=True, tag="not_read"):
    """What was asked of a tensor can't be answered."""

    number: int
    reason: str


Reply = Paused | TensorFound | ElementsRead | StatisticsRead | NonFiniteFound | NotRead
"""Sent on the pipe of the reports, between them."""


T = TypeVar("T")

MAX_FRAME = 96 * 2**20
"""The longest frame that is accepted: a child may claim any length."""

SMALL = 2**22
"""Bytes of a message that are decoded without a look: whatever is in it takes little."""

MAX_PARTS = 2**21
"""Fields and items in a larger one: four bytes may be a text that takes 72 in memory.
A step that makes a hundred thousand nodes has half as many."""

_DIGITS = bytes(ord("1") if chr(each) in "0123456789" else 0 for each in range(256))
_LONG = b"1" * 20
"""What the digits of a number of 64 bits or more become by that table: found a hundred times as
fast as by a regular expression, and it is looked for in every message."""

NO_MESSAGE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises: of another form, with text that is not UTF-8, or nested without end."""

_encoder = msgspec.json.Encoder()


class FrameError(Exception):
    """What came through the pipe is not what this program writes."""


def encode(message: msgspec.Struct) -> bytes:
    """Return one frame: 4 bytes of length, big-endian, then the message."""
    body = _encoder.encode(message)
    return len(body).to_bytes(4, "big") + body


class Frames(Generic[T]):
    """Cuts a stream into messages of one union.

    >>> frames = Frames(Report)
    >>> frames.feed(encode(ProgramStarted()))
    [ProgramStarted(line=None)]
    """

    def __init__(self, union: object) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(decodable(union))
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[T]:
        """Return the messages that `data` completes.

        Raises:
            FrameError: a length beyond `MAX_FRAME`, or a body that is not a message.
                Messages before it are returned first; the next call raises.
        """
        self._buffer += data
        messages: list[T] = []
        start = 0
        try:
            while (end := self._end_of_frame(start)) is not None:
                body = self._buffer[start + 4 : end]
                if len(body) > SMALL or _LONG in body.translate(_DIGITS):
                    _look_through(bytes(body))
                messages.append(self._decoder.decode(body))
                start = end
        except (FrameError, *NO_MESSAGE) as error:
            # What came before the bad frame is history that a crash must not lose.
            if not messages:
                raise FrameError(str(error)) from error
        del self._buffer[:start]
        return messages

    def _end_of_frame(self, start: int) -> int | None:
        """Return where the frame at `start` ends, or None while it is incomplete."""
        if len(self._buffer) - start < 4:
            return None
        length = int.from_bytes(self._buffer[start : start + 4], "big")
        if length > MAX_FRAME:
            raise FrameError(f"a frame claims {length} bytes")
        end = start + 4 + length
        return end if end <= len(self._buffer) else None


def _look_through(body: bytes) -> None:
    """See that what a message says beside its texts can be held.

    Raises:
        FrameError: it has too many parts, however few bytes each of them is, or a huge number.
    """
    quoted = body
    if b"\\" in body:
        quoted = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    has_more = quoted.count(b'"') > 4 * MAX_PARTS  # no field has more than two texts
    plain = b"" if has_more else b'"'.join(quoted.split(b'"')[::2])
    if has_more or plain.count(b",") > MAX_PARTS:
        raise FrameError(f"a frame of {len(body)} bytes has too many parts")
    if _LONG in plain.translate(_DIGITS):
        numbers = re.findall(rb"\d{20,}", plain)
        if any(len(each) > 20 or int(each) >= 2**64 for each in numbers):
            raise FrameError("a number has more than 64 bits")
