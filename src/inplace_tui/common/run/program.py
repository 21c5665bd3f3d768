"""A program to run, and how far it may go."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.doubt import Doubt
from inplace_tui.common.run.files import main_text, split_files


class Origin(StrEnum):
    """Who a program comes from, which decides with which rights it runs."""

    BUILT_IN = "built_in"
    """Came with this one: lessons, challenges, drills, probes."""

    PACK = "pack"
    """Written by somebody else, or a copy of such a program that was edited."""

    OWN = "own"
    """The learner's own: a file of theirs, or typed from nothing."""

    @property
    def is_confined(self) -> bool:
        """Whether it runs without network and with nowhere to write but a scratch folder.

        As far as the kernel can hold that.
        """
        return self is not Origin.OWN


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A whole program, run as `__main__`."""

    source: str
    """The main file, and below it those of `files`: `join_files` makes it."""

    origin: Origin
    """Has no default: every place that makes a program states its origin. Edits keep it."""

    filename: str = "program.py"
    """What tracebacks and `__file__` say."""

    arguments: tuple[str, ...] = ()
    """`sys.argv[1:]`."""

    folder: str | None = None
    """Put first on `sys.path`, as `python FILE` does; None for a lesson."""

    files: tuple[str, ...] = ()
    """The paths of the user's own files that it imports, in the order of `source`."""

    module: str | None = None
    """Run as `python -m MODULE` does: with the package around it, and a name to import it by."""

    is_imported: bool = False
    """The module is not the user's own (pytest, for example) and imports the main file."""

    stdin: bytes = b""
    """What its standard input says, in each run from the start."""

    made: tuple[str, ...] = ()
    """Files and folders that its first run made: in a view of the files they are not there."""

    environment: tuple[tuple[str, str], ...] = ()
    """What it finds in its environment besides what is there."""

    seed: int | None = 0
    """For `torch.manual_seed` and `random.seed`; with None both differ from run
    to run, as numpy always does unless the program seeds it."""

    draws_alike: bool = False
    """What it asks the system for, as `random.seed()` does, is the same in each run."""

    @property
    def main(self) -> str:
        """The text of the main file; of a notebook, with all of its cells."""
        return main_text(self.source, len(self.files))

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of each part of `source`; the cells of a notebook have one in common."""
        own = len(split_files(self.source)) - len(self.files)
        return (*[self.filename] * own, *self.files)

    @property
    def is_notebook(self) -> bool:
        return len(self.paths) > 1 + len(self.files)

    def line_of(self, path: str, line: int) -> int | None:
        """Return the line of the whole text that a line of a file is; None for no own file."""
        if path not in self.paths:
            return None
        return line + split_files(self.source)[self.paths.index(path)].before

    def is_main(self, line: int) -> bool:
        """Whether a line of the whole text is of the main file."""
        return self.path_of(line) == self.filename

    def path_of(self, line: int) -> str:
        """Return the path of the file that a line of the whole text belongs to."""
        before = [part.before for part in split_files(self.source)]
        return self.paths[max(0, bisect_left(before, line) - 1)]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Hitting one is an event, not a silence."""

    seconds: float | None = 10.0
    """Wall time, from the moment the program starts; None for no limit."""

    steps: int = 100_000
    output_bytes: int = 1_048_576
    """Printed text beyond this is dropped, with a note."""

    memory_bytes: int | None = 8 * 2**30
    """Of a confined program: address space beyond what the warm worker has; None for no limit."""

    resident_bytes: int | None = None
    """Of the user's own program: what a process of it may hold in memory; None for
    nine tenths of what the machine has. Addresses are not limited."""

    own_bytes: int | None = None
    """Of a run beside another one of the same program: what its processes may hold together that
    they share with no other process."""

    file_bytes: int | None = 4 * 2**30
    """Size of a file that it may write; writing beyond is refused, as on a full disk."""

    report_bytes: int = 512 * 2**20
    """What the reports of a run may take, as `protocol/checking.py` weighs them: they are kept."""

    processes: int = 256
    """That may be there at once, threads not counted. It holds where a run has a
    namespace of processes; elsewhere they are merely killed when the run ends."""

    in_view: bool = False
    """What it writes goes to a copy of the files that nobody else sees, and it has a network
    of its own, with no way out. Only for a worker that is `Ready` without `no_view`."""


class Mode(StrEnum):
    """What to watch while the program runs."""

    RECORD = "record"
    """Every line, passively."""

    BARE = "bare"
    """Nothing but what each backward delivers."""

    CLONED = "cloned"
    """As BARE, with every saved tensor cloned when it is saved: the truth."""


class ExtraBackward(msgspec.Struct, frozen=True, kw_only=True):
    """A backward to be tried where one visit of a line has finished."""

    line: int
    visit: int
    tensor: str
    """A name that reaches it there; tried is `tensor.sum().backward()`."""


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """A step after which the program pauses, so that its tensors can be read."""

    step: int
    tensor: int
    """Whose elements are wanted."""


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """Where a program stops, so that copies of it go on: before a round of a loop."""

    line: int
    """Where the loop begins."""

    before: int
    """How many backwards had begun when what leads to the fault did: it stops before the last
    round that begins no later, as far as the rounds before it tell."""

    earlier: int = 0
    """So many rounds earlier still."""

    until: int
    """The number of a backward: a copy begins no round after it."""


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is to record in more or less detail than its mode says."""

    elements: bool = True
    """BARE, CLONED: send the elements of gradients."""

    digests: bool = False
    """BARE, CLONED: send a digest of every bit of them. It is enough to see that
    two runs are alike, and nothing is copied for it."""

    output: bool = False
    """BARE, CLONED: send what the program writes and is warned of."""

    line: int | None = None
    """RECORD: follow the writes of one visit of this line into the code that it
    calls, so that `Mutation.chain` ends where the write is spelled."""

    visit: int = 1
    additions: bool = False
    """BARE, CLONED: send also what each backward added to a gradient that was there, which leaves
    move, each step of an optimizer, and in the end what the leaves hold."""

    compared_seconds: float | None = None
    """BARE, CLONED: report no backward that begins later than this, as no replay would come
    so far; None for all that have room."""

    witness: bool = False
    """BARE: see who saves and who changes tensors, and which files are loaded."""

    timed: bool = False
    """BARE, CLONED: report the processor time that the program took."""

    probes: bool = False
    """CLONED: find which expressions are the tensors that the fault is about."""

    probes_values: bool = False
    """Compare also the values of what was saved: a write may leave the version as it was."""

    extra_backward: ExtraBackward | None = None
    """BARE, CLONED: go no further than there."""

    pause: Pause | None = None
    """RECORD: pause there, and answer requests. Comes with a third descriptor, from
    which the requests are read."""

    steps: bool = False
    """BARE: send in the end, as CLONED does, which parameters never had a gradient at a step."""

    stop: Stop | None = None
    """BARE: stop there. Comes with a third descriptor, a socket: copies of the stopped program
    are asked for as runs are asked of the warm worker, each with where its loop begins."""


MAX_ELEMENTS = 65_536
"""That are sent of one gradient."""

DIGESTS = 64
"""Parts of a gradient of more elements, each with a digest of its own."""

DIGEST_BYTES = 8


def part_ends(count: int) -> list[int]:
    """Return where the parts of so many elements end that have digests of their own.

    What may be sent whole is one part: its elements say where it differs.
    """
    parts = DIGESTS if count > MAX_ELEMENTS else 1
    return [count * number // parts for number in range(1, parts + 1)]


def sampled_place(index: int, most: int, count: int) -> int:
    """Return which of `count` elements the one at this index of an even sample of `most` is."""
    # In two steps: a position times a count overflows where a tensor is huge.
    step, rest = divmod(count, most)
    return index * step + index * rest // most


class Gradient(msgspec.Struct, frozen=True, kw_only=True):
    """What one backward delivered to one leaf, or returned."""

    tensor: str
    """Shortest name of the leaf, or `output 0` of `torch.autograd.grad`."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes | None
    """Up to 65,536 elements, evenly spaced, row-major, and fewer of each where a backward
    delivers to a hundred large leaves; None where there is no gradient,
    or only a digest was asked for."""

    added: bytes | None = None
    """What the backward added to a gradient that was there before; None where there was
    none, or it was not asked for."""

    digest: bytes | None = None
    """Of all its bits, where that was asked for or `data` is a sample: of each of its parts, as
    `part_ends` has them. The same only in runs of one warm worker."""


UNTRACKED = "checkpoint"
"""The op of an `Unrecorded` that is no write: a reentrant checkpoint that recorded nothing."""

GIVEN_BACK = "saved_tensors_hooks"
"""Likewise: hooks of the program's own that gave back other values than they were given."""


class Unrecorded(msgspec.Struct, frozen=True, kw_only=True):
    """A write in place that changed a tensor of the graph, and left its `grad_fn` as it was."""

    line: int
    """The innermost line of the program that was running."""

    op: str
    """As a `Mutation` says it, or the name of a custom Function that forgot `mark_dirty`."""

    in_function: bool = False
    """The Function called on that line wrote it: the write is somewhere in its `forward`."""


class Backward(msgspec.Struct, frozen=True, kw_only=True):
    """One `backward()` or `grad()` that ended."""

    line: int | None
    gradients: tuple[Gradient, ...]
    left: bool = False
    """It is no backward: the program has ended, and these are the values of its leaves."""

    raised: str | None = None
    """The class of the exception it ended with; it delivered nothing then."""

    unsure: Doubt | None = None
    """Why these gradients cannot show whether they are right, if so."""

    unrecorded: tuple[Unrecorded, ...] = ()
    """CLONED: the writes that the program's graph lacks and the replay's has."""

    unrolled: bool = False
    """CLONED: reentrant checkpoints were recorded as they ran, so leaves are reached that
    the graph of the program hides."""

    untracked: tuple[str, ...] = ()
    """CLONED: the leaves among them to which the program's own backward delivers nothing."""

    moved: tuple[str, ...] = ()
    """With additions: the leaves that hold other values than when the first backward went through
    these nodes; where `left`, than at their first backward."""

    without_gradient: tuple[str, ...] = ()
    """CLONED: it is no backward but the program's end; the parameters for which no step of their
    optimizer found a gradient."""

    stepped: tuple[str, ...] | None = None
    """It is no backward but an optimizer's step: the parameters that had a gradient other than 0;
    None of a backward."""
