"""Whether gradients are right: the run against a replay with clones of all saved tensors.

Two bare runs say whether the program repeats itself; the replay, in which every
saved tensor was cloned, says what its graph delivers at the values it saved.
"""

from __future__ import annotations

import cmath
import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from inplace_tui.common.decodable import decodable
from inplace_tui.common.run import values
from inplace_tui.common.run.doubt import Doubt, Reason
from inplace_tui.common.run.elements import FORMATS, Element
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Crashed,
    Difference,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    Unverified,
    Witnessed,
    Wrong,
)
from inplace_tui.common.run.probes import Probes
from inplace_tui.common.run.program import (
    DIGEST_BYTES,
    Backward,
    Gradient,
    part_ends,
    sampled_place,
)
from inplace_tui.common.run.snapshot import EMPTY, Elements, Tensor, Unreadable

_RELATIVE = {
    "float64": 1e-7,
    "float32": 1.3e-6,
    "float16": 1e-3,
    "bfloat16": 1.6e-2,
    "complex128": 1e-7,
    "complex64": 1.3e-6,
    "complex32": 1e-3,
}
"""How far equal numbers may be apart, as `torch.testing.assert_close` has it:
a clone may lie in memory so that another kernel adds it up. A dtype that is
not here must agree in every bit."""

_OF_ALL = (Reason.UNREACHED, Reason.CUT_UPDATE, Reason.WRITTEN)
"""Doubts about a whole replay, told at its end by what is no backward."""

_NO_HOOKS = "don't yet support saved tensor hooks"
"""What `torch.func` says where it meets the hooks of a replay."""

WIDTH = 40
"""Cells that a difference may take to quote a gradient."""


_DECODER = msgspec.msgpack.Decoder(decodable(Backward))


def packed(backward: Backward) -> bytes:
    """Return a backward in as little memory as its bytes take."""
    return msgspec.msgpack.encode(backward)


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one run delivered."""

    outcome: Outcome
    backwards: tuple[Backward, ...]
    left: tuple[Gradient, ...] = ()
    """What the leaves held when it had run to its end, where that was asked for."""

    moved: tuple[str, ...] = ()
    """Those of them that changed after their first backward."""

    without_gradient: tuple[str, ...] = ()
    """The parameters for which no step of their optimizer found a gradient; of a replay."""

    steps: tuple[Backward, ...] = ()
    """The steps of optimizers, where they were asked for."""

    printed: str = ""
    """What it wrote to stdout, where that was asked for."""

    loaded: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    surroundings: str = ""
    seen: tuple[Witnessed, ...] = ()
    seconds: float | None = None
    begun: int = 0
    saved_after: int | None = None
    resident: int = 0
    """As `ProgramEnded` has them, the backwards that had begun in `begun`."""

    probes: Probes | None = None
    """Where that was asked for."""

    wrote_files: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether no backward was left out for being one too many."""
        last = self.backwards[-1].unsure if self.backwards else None
        return last is None or last.reason is not Reason.TOO_MANY


class Comparison:
    """Compares runs with the first bare one, backward by backward, as they arrive.

    Of that one each is `packed`, of the others nothing is kept: a loop that trains may deliver
    gradients by the ten thousand, and the screen's process has to live with them.
    """

    def __init__(self, outcome: Outcome, backwards: Sequence[bytes]) -> None:
        self._outcome = outcome
        self._bare = backwards
        self._repeated = self._replayed = 0
        self._alike = True
        self._visits = Counter[int | None]()
        self._doubt: Doubt | None = None
        self._wrong: Wrong | None = None
        self._diverged: tuple[Backward | None, Backward | None] | None = None
        self.without_gradient: tuple[str, ...] = ()

    def repeat(self, backward: Backward) -> None:
        """Take the next backward of the other bare run; it must be the same in every bit."""
        index, self._repeated = self._repeated, self._repeated + 1
        self._alike &= index < len(self._bare) and self._bare[index] == packed(backward)

    def replay(self, backward: Backward) -> None:
        """Take the next backward of the cloned run.

        A doubt of its own (`Backward.unsure`) does not excuse a difference, but
        makes equality prove nothing.
        """
        if self._is_decided:
            return
        if backward.unsure is not None and backward.unsure.reason in _OF_ALL:
            self._doubt = self._doubt or backward.unsure
            return
        index, self._replayed = self._replayed, self._replayed + 1
        if index >= len(self._bare):
            self._diverged = None, None
            return
        bare, true = _comparable(_DECODER.decode(self._bare[index]), backward)
        self._visits[bare.line] += 1
        if _identity(bare) != _identity(true):
            self._diverged = bare, true
        elif found := differences(bare, true):
            visit, unrecorded = self._visits[bare.line], true.unrecorded
            self._wrong = Wrong(differences=found, visit=visit, unrecorded=unrecorded)
        else:
            self._doubt = self._doubt or bare.unsure or true.unsure

    def truth(self, second: Outcome, cloned: Outcome) -> Truth:
        """Return what they say together, now that the other two are over, too."""
        if not isinstance(self._outcome, Completed):
            return Unverified()
        if second != self._outcome or not self._alike or self._repeated != len(self._bare):
            return _unknown(_doubt_about_runs(self._outcome, second))
        if self._wrong is not None:
            return self._wrong
        if not self._is_decided and self._replayed < len(self._bare):
            self._diverged = _DECODER.decode(self._bare[self._replayed]), None
        if self._diverged is not None:
            return _unknown(_doubt_about_replay(*self._diverged, cloned))
        doubt = self._doubt if cloned == self._outcome else _doubt_about_end(cloned)
        if doubt is not None:
            return _unknown(doubt)
        return Right(asked=bool(self._bare), without_gradient=self.without_gradient)

    @property
    def _is_decided(self) -> bool:
        return self._wrong is not None or self._diverged is not None


def compare(first: Evidence, second: Evidence, cloned: Evidence) -> Truth:
    aside = (first.left, first.printed) == (second.left, second.printed)
    if isinstance(first.outcome, Completed) and not aside:
        return _unknown(_doubt_about_runs(first.outcome, second.outcome))
    trial = Comparison(first.outcome, [*map(packed, first.backwards)])
    for backward in second.backwards:
        trial.repeat(backward)
    for backward in cloned.backwards:
        trial.replay(backward)
    trial.without_gradient = cloned.without_gradient
    return trial.truth(second.outcome, cloned.outcome)


def _unknown(doubt: Doubt) -> NotReproducible:
    return NotReproducible(**msgspec.structs.asdict(doubt))


def _comparable(bare: Backward, true: Backward) -> tuple[Backward, Backward]:
    """Return both without the leaves that the program's graph hides, and with those it lost."""
    if not true.unrolled:
        return bare, true
    got = {gradient.tensor: gradient for gradient in bare.gradients}
    missing = [each for each in true.untracked if each not in got]
    lost = {each: Gradient(tensor=each, dtype="", shape=(), data=None) for each in missing}
    seen = tuple(each for each in true.gradients if each.tensor in got or each.tensor in lost)
    if lost and {each.tensor for each in seen} == {*got, *lost}:
        in_order = tuple((got | lost)[each.tensor] for each in seen)
        bare = msgspec.structs.replace(bare, gradients=in_order)
    return bare, msgspec.structs.replace(true, gradients=seen)


def _identity(backward: Backward) -> tuple[int | None, str | None, list[str]]:
    """Return what must be alike for two backwards to be the same one."""
    return backward.line, backward.raised, [gradient.tensor for gradient in backward.gradients]


def differences(bare: Backward, true: Backward) -> tuple[Difference, ...]:
    """Return the gradients that are not the same, of the leaves that both reach."""
    reached = {each.tensor: each for each in true.gradients}
    return tuple(
        Difference(tensor=got.tensor, line=bare.line, got=texts[0], true=texts[1])
        for got in bare.gradients
        if got.tensor in reached and (texts := _difference(got, reached[got.tensor])) is not None
    )


def alike(got: Gradient, true: Gradient) -> bool:
    """Return whether two gradients are the same but for rounding."""
    return _difference(got, true) is None


def _difference(got: Gradient, true: Gradient) -> tuple[str, str] | None:
    """Return both as text if they differ by more than rounding."""
    if got == true:
        return None
    numbers, wanted = _numbers(got), _numbers(true)
    texts = _text(got), _text(true)
    if got.dtype != true.dtype or got.shape != true.shape or len(numbers) != len(wanted):
        return texts
    index = _first_difference(numbers, wanted, _RELATIVE.get(got.dtype, 0.0))
    if index is None and (beyond := _beyond_the_sample(got, true, len(numbers))):
        return beyond
    if index is None and got.dtype in _RELATIVE:
        return None
    size = math.prod(got.shape)
    if index is not None and (texts[0] == texts[1] or len(numbers) < size):
        # It lies beyond what is quoted, or beyond the decimals.
        place = sampled_place(index, len(numbers), size)
        return f"[{place}] {numbers[index]!r}", f"[{place}] {wanted[index]!r}"
    return texts


def _beyond_the_sample(got: Gradient, true: Gradient, count: int) -> tuple[str, str] | None:
    """Return where they differ, if all that was sent is the same in every bit, and not all was.

    Limit: digests can't tell rounding from a fault, so where the sample differs by rounding, a
    single wrong element outside of it passes.
    """
    digests, wanted, size = got.digest, true.digest, math.prod(got.shape)
    if count >= size or got.data != true.data or not digests or not wanted or digests == wanted:
        return None
    starts = range(0, len(digests), DIGEST_BYTES)
    parts = [(digests[at : at + DIGEST_BYTES], wanted[at : at + DIGEST_BYTES]) for at in starts]
    ends = [0, *part_ends(size)]
    place = next(number for number, (one, other) in enumerate(parts) if one != other)
    where = f"[{ends[place]}:{ends[place + 1]}]"
    return f"{where} #{parts[place][0].hex()[:8]}", f"{where} #{parts[place][1].hex()[:8]}"


def _first_difference(
    numbers: Sequence[Element], wanted: Sequence[Element], relative: float
) -> int | None:
    """Return the first index where they differ by more than rounding.

    Rounding errors of a sum go with its largest terms, not with its result: the
    measure is the largest element. A gradient of nothing but 1e-9 counts too.
    """
    largest = max((abs(n) for n in wanted if cmath.isfinite(n)), default=0.0)
    for index, (number, true) in enumerate(zip(numbers, wanted, strict=True)):
        if number == true or (cmath.isnan(number) and cmath.isnan(true)):
            continue
        if not cmath.isfinite(number) or not abs(number - true) <= relative * largest:
            return index
    return None


def _tensor(gradient: Gradient) -> Tensor:
    """Return the elements that were sent as a tensor: where they are a sample, as a row."""
    head, shape = gradient.data or b"", gradient.shape
    form = FORMATS.get(gradient.dtype)
    if form is not None and len(head) < form.size * math.prod(shape):
        shape = (len(head) // form.size,)
    return Tensor(id=0, names=(), shape=shape, dtype=gradient.dtype, values=Elements(head=head))


def _numbers(gradient: Gradient) -> list[Element]:
    if gradient.data is None:
        return []
    found = values.flat(_tensor(gradient), EMPTY)
    return [] if isinstance(found, Unreadable) else found[0]


def _text(gradient: Gradient) -> str:
    return "None" if gradient.data is None else values.summary(_tensor(gradient), EMPTY, WIDTH)


def _doubt_about_runs(first: Outcome, second: Outcome) -> Doubt:
    if type(first) is not type(second):
        return Doubt(reason=Reason.ENDS_DIFFER, detail=_doubt_about_end(second).detail)
    return Doubt(reason=Reason.RUNS_DIFFER)


def _doubt_about_replay(bare: Backward | None, true: Backward | None, outcome: Outcome) -> Doubt:
    if bare is not None and bare.raised is not None:
        return Doubt(reason=Reason.RETRIED, detail=bare.raised)
    if true is None and not isinstance(outcome, Completed):
        return _doubt_about_end(outcome)
    return Doubt(reason=Reason.OTHER_BACKWARDS)


def _doubt_about_end(outcome: Outcome) -> Doubt:
    match outcome:
        case Completed():
            return Doubt(reason=Reason.OTHER_BACKWARDS)
        case Raised(message=message) if _NO_HOOKS in message:
            return Doubt(reason=Reason.TRANSFORMED)
        case Raised(exception=exception, message=message):
            error = f"{exception}: {message.partition(chr(10))[0]}"
            return Doubt(reason=Reason.REPLAY_RAISED, detail=error)
        case TimedOut(seconds=seconds):
            return Doubt(reason=Reason.REPLAY_TOO_SLOW, detail=f"{seconds:g}")
        case Crashed(exit_code=code):
            return Doubt(reason=Reason.REPLAY_DIED, detail=str(code))
        case Stopped() | Cancelled():
            return Doubt(reason=Reason.REPLAY_STOPPED)


def proves_right(first: Evidence, cloned: Evidence) -> bool:
    """Whether the replay shows that everything which the first run delivered is right."""
    doubts = [each for each in cloned.backwards if each.unsure or each.unrecorded]
    return not doubts and _digests(first) == _digests(cloned)


def truth_of(first: Evidence, second: Evidence, cloned: Evidence) -> Truth:
    """Return what is true of a program whose first run delivered only digests.

    If the second run is the same in every bit, its elements stand for both.
    """
    same = _digests(first) == _digests(second)
    return compare(second if same else first, second, cloned)


def _digests(evidence: Evidence) -> list[object]:
    """Return what must be the same in two runs of a program that repeats itself."""
    backwards = [
        (each.line, each.raised, [(g.tensor, g.dtype, g.shape, g.digest) for g in each.gradients])
        for each in evidence.backwards
    ]
    return [type(evidence.outcome), *backwards]


def ended_alike(first: Outcome, again: Outcome | None) -> bool:
    """Whether two runs ended the same way; a message may hold an address."""
    if isinstance(first, Raised) and isinstance(again, Raised):
        return (first.exception, first.line) == (again.exception, again.line)
    return type(first) is type(again)


def was_stopped(outcome: Outcome | None) -> bool:
    """Whether a recording was stopped before the program could end."""
    return isinstance(outcome, Stopped | TimedOut)


def not_reproduced(again: Outcome | None) -> NotReproducible:
    """Return the truth of a program that ended in another way when it ran again."""
    detail = "" if isinstance(again, Completed | None) else _doubt_about_end(again).detail
    return NotReproducible(reason=Reason.ENDS_DIFFER, detail=detail)
