"""How a run ended: exactly one of these is true of every run. And what the witness saw in it."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.doubt import Doubt
from inplace_tui.common.run.program import Unrecorded
from inplace_tui.common.run.snapshot import Name


class StackFrame(msgspec.Struct, frozen=True, kw_only=True):
    """One frame of a stack, outermost first in a chain."""

    file: Name
    line: int
    function: Name
    """`<module>` at the top level, as Python has it."""


class Completed(msgspec.Struct, frozen=True, kw_only=True, tag="completed"):
    """The program ran to its end (`sys.exit(0)` is an end too)."""


class Raised(msgspec.Struct, frozen=True, kw_only=True, tag="raised"):
    """An exception left the program."""

    exception: Name
    """The class name; with its module unless that is `builtins` or the program."""

    message: str
    line: int | None
    """The innermost line of the learner's file on the stack."""

    column: int | None = None
    """For a SyntaxError only, 1-based."""

    in_backward: bool
    """Raised with `Tensor.backward` or `torch.autograd.backward/grad` on the stack."""

    chain: tuple[StackFrame, ...] = ()
    """Every frame outside this program's own code, outermost first."""

    traceback: str = ""
    """As Python would have printed it, without our frames."""


class TimedOut(msgspec.Struct, frozen=True, kw_only=True, tag="timed_out"):
    """It was still running when its time was over, and was killed."""

    seconds: float
    line: int | None = None
    """The line that was running."""

    written: str = ""
    """What that line had written, or its beginning: it belongs to no step."""


class Stopped(msgspec.Struct, frozen=True, kw_only=True, tag="stopped"):
    """It ran into a limit of ours other than time."""

    limit: str
    """`steps`, `bytes` (of reports), `memory` (bytes that a process held) or `processes`."""

    value: int
    written: str = ""
    """As in `TimedOut`."""


class Crashed(msgspec.Struct, frozen=True, kw_only=True, tag="crashed"):
    """The process died: `os._exit`, a segfault, the OOM killer, our own fault."""

    exit_code: int
    """As `Popen.returncode` has it: negative means killed by that signal."""

    last_words: str = ""
    """The tail of what it wrote to descriptor 2, all that a crash ever explains."""

    line: int | None = None
    """The line that was running."""

    written: str = ""
    """As in `TimedOut`, where it is not in the last words."""

    worker_died: bool = False
    """The warm worker itself went, and this run with it."""


class Cancelled(msgspec.Struct, frozen=True, kw_only=True, tag="cancelled"):
    """Somebody asked for something else before it ended."""


Outcome = Completed | Raised | TimedOut | Stopped | Crashed | Cancelled


def last_line(outcome: Outcome | None) -> int | None:
    """Return the line that ran last, where a run did not come to its end and that is known."""
    return outcome.line if isinstance(outcome, Raised | TimedOut | Crashed) else None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A gradient that came out other than the recorded graph says."""

    tensor: str
    """The name of the leaf, or `output 0` for `torch.autograd.grad`."""

    line: int | None
    """The line that ran backward."""

    got: str
    true: str
    """Both as short text of their first elements."""


class Right(msgspec.Struct, frozen=True, kw_only=True, tag="right"):
    """Every backward delivered what its graph, at the saved values, says."""

    asked: bool = True
    """Whether there was a backward at all."""

    without_gradient: tuple[str, ...] = ()
    """The parameters for which no step of their optimizer found a gradient."""


class Wrong(msgspec.Struct, frozen=True, kw_only=True, tag="wrong"):
    """No error, and gradients that the saved values do not explain."""

    differences: tuple[Difference, ...]
    """Of the first backward that differs."""

    visit: int = 1
    """How many backwards had been run on that line, this one included."""

    unrecorded: tuple[Unrecorded, ...] = ()
    """Writes that the program's graph lacks: what it delivers is the gradient of something else."""


class NotReproducible(Doubt, frozen=True, kw_only=True, tag="not_reproducible"):
    """Two runs differ, or the replay ended in another way: the gradients can't be judged."""


class Unverified(msgspec.Struct, frozen=True, kw_only=True, tag="unverified"):
    """No replay was made: the run raised, or it was not asked for."""


Truth = Right | Wrong | NotReproducible | Unverified


class WitnessPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The stack of one operation, the innermost frame first."""

    frames: tuple[StackFrame, ...] = ()
    op: str | None = None
    slot: str | None = None
    name: str | None = None
    """Of what was saved."""

    version: int | None = None
    version_after: int | None = None
    """Of what was written."""


class WitnessedError(msgspec.Struct, frozen=True, kw_only=True):
    """The exception, as torch raised it."""

    type: str
    message: str


class Witnessed(msgspec.Struct, frozen=True, kw_only=True):
    """One failure; the fields are those of a finding of `inplace_tui.blame`."""

    category: str
    """The word of a verdict: a version check failed, or a write in place was refused."""

    error: WitnessedError
    saved: WitnessPlace | None = None
    writes: tuple[WitnessPlace, ...] = ()
    reader: WitnessPlace | None = None
    writer: WitnessPlace | None = None
