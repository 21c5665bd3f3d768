"""What the files of a course say: lessons, chapters, challenges, and what a class is given.

These types are the file format too: the loader decodes YAML into them and the
JSON Schema for editors is emitted from them. Nothing says by hand which answer is right
or who has won: that is a claim about what a program does.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import PREDICTED, Ending

MAX_BYTES = 262_144
"""Of a lesson's file."""

Slug = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$(?!\n)", max_length=60)]
Anchor = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*(#[1-9][0-9]*)?$(?!\n)", max_length=40)]
"""A name in the code (`#@ name`), with `#3` for the third visit of its line."""

Link = Annotated[str, Meta(pattern=r"^https?://[!-~]+$(?!\n)", max_length=200)]

Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$(?!\n)", max_length=60)]
"""An identifier of Python."""

VARIANT_QUESTION = "variants/"
"""Before the id of a variant in that of its question; no id of a file's own has a slash."""

MEND = "/mend"
"""Behind the id of a lesson in that of the challenge that it offers."""

Number = int | float | bool
Values = Number | list[Number | list[Number | list[Number]]]


class TensorClaim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a lesson claims of one tensor, after the step of the claim.

    A field that is left out claims nothing; null claims that there is none.
    """

    version: int | UnsetType | None = UNSET
    requires_grad: bool | UnsetType = UNSET
    is_leaf: bool | UnsetType = UNSET
    retains_grad: bool | UnsetType = UNSET
    is_inference: bool | UnsetType = UNSET
    grad_fn: str | UnsetType | None = UNSET
    """The class name of the node: `ExpBackward0`."""

    grad: Values | UnsetType | None = UNSET
    """Compared to four significant digits, like `values`."""

    values: Values | UnsetType = UNSET
    shape: list[int] | UnsetType = UNSET
    dtype: str | UnsetType = UNSET
    shares: str | UnsetType = UNSET
    """Name of a tensor on the same storage."""

    apart: str | UnsetType = UNSET
    """Name of a tensor on another storage."""

    view_of: str | UnsetType | None = UNSET
    """Name of its `_base`; null if it is not a view."""


CLAIMED = (*PREDICTED, Ending.RUNS)
"""No program of a lesson may end otherwise."""

ClaimedEnding = Annotated[
    Ending, Meta(extra={"among": CLAIMED}, extra_json_schema={"enum": [*CLAIMED]})
]


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that is true or not of a run. Everything that is given must hold.

    `tensors` and `prints` speak of the step where the claim stands (after its
    line ran); in a variant, of the end. The others speak of the whole run.
    """

    ends: ClaimedEnding | None = None
    match: str | None = None
    """Part of the exception's message."""

    raised_by: Anchor | None = None
    saved_by: Anchor | None = None
    changed_by: Anchor | None = None
    warns: str | None = None
    """Part of the text of a warning shown up to this step."""

    prints: str | None = None
    """Part of what the line wrote to stdout (in a variant: of all that was written)."""

    tensors: dict[str, TensorClaim] = {}


ROLES = ("raised_by", "saved_by", "changed_by")
"""Keys of a claim that name a line by what it did in the whole run."""


class Kind(StrEnum):
    """What a question asks for."""

    OUTCOME = "outcome"
    VALUE = "value"
    ATTRIBUTE = "attribute"
    LINE = "line"
    """Put the cursor on a line of the program."""

    ORDER = "order"
    """Put lines of the program into an order that works."""

    TYPED = "typed"
    """Type the numbers that a cell of the table will hold."""


class Choice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer. Whether it is right is never written down: `when` is tested."""

    id: Slug
    at: Anchor | None = None
    """`line`: the line that it stands for. `when` speaks of this line."""

    when: Claim
    text: LocalText | None = None
    """Needed but in `line`, where the line is the text."""

    why: LocalText
    """Shown when it was chosen. For a wrong one: where the idea comes from,
    without giving the right answer away."""


class Feedback(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to say to an order that did this when it was run."""

    when: Claim
    say: LocalText


class CellFacet(StrEnum):
    """What of a tensor can be typed."""

    VERSION = "version"
    GRAD = "grad"
    VALUES = "values"


class TypedCell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a typed answer is about, after the line of the question ran."""

    tensor: str
    facet: CellFacet


class Slip(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A wrong answer that is likely to be typed."""

    answer: Values | None
    """Numbers; null is None."""

    why: LocalText


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asked before the line runs. Exactly one `when` must be true of the run.

    In `order` the claims are about the program with its lines in the learner's
    order, which is run: `goal` must hold, else exactly one `when` of `why` does.
    """

    id: Slug
    kind: Kind
    prompt: LocalText
    choices: Annotated[list[Choice], Meta(max_length=6)] = []
    """Two at least; none in `order` and `typed`."""

    elsewhere: LocalText | None = None
    """`line`: the reply to a line that no choice names."""

    lines: Annotated[list[Anchor], Meta(max_length=4)] = []
    """`order`: two to four statements of one block; they change places."""

    goal: Claim | None = None
    """`order`: what is true of a program in an order that works; not of the lesson's own."""

    why: list[Feedback] = []
    """`order`: what to say to the others."""

    right: LocalText | None = None
    """`order`: what to say to an order that works; `typed`: to the right numbers."""

    of: TypedCell | None = None
    """`typed`: what is asked for. The run knows the answer."""

    slips: list[Slip] = []
    """`typed`: likely wrong answers; others are told how far they are from the right one."""

    hints: Annotated[list[LocalText], Meta(max_length=3)] = []


class LessonStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens at one line, on one visit."""

    at: Anchor
    say: LocalText | None = None
    """Shown after the line ran."""

    ask: Question | None = None
    """Asked before the line runs."""

    expect: Claim | None = None


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same program with some statements swapped: what if?"""

    id: Slug
    title: LocalText
    swap: Annotated[dict[Anchor, str], Meta(min_length=1)]
    """Whole statements; may be several lines; an empty one deletes."""

    expect: Claim
    say: LocalText | None = None
    """What the difference teaches."""

    plays: list[str] = []


class Held(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A short program that would show a general sentence of the lesson false.

    The odd cases come first: what the recap says must hold there too.
    """

    id: Slug
    title: LocalText
    """The case that it tries."""

    code: Annotated[str, Meta(min_length=1)]
    """A complete program; `#@ name` gives its lines names for its claim alone."""

    expect: Claim
    """What is true of it at its end."""


class General(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a sentence of the lesson says of many ops, for the survey of torch to answer."""

    ops: list[str] = []
    """Which; of each its plainest call."""

    where: dict[str, str] = {}
    """Instead of `ops`: all calls of which this is so, as `op --list` selects them."""

    but: list[str] = []
    """The exceptions that the sentence names."""

    are: dict[str, list[str]]
    """What is so of each: `keeps`, `counted`, `result`."""


class Attack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A general sentence as a program with a gap: it is run with all that may stand there."""

    gap: Slug
    """A file of `corners`: each function in it is called by this name in turn."""

    code: Annotated[str, Meta(min_length=1)]
    """A complete program that asserts what the sentence says."""

    but: list[str] = []
    """The functions with which it does not hold: the exceptions that the sentence names."""


class Mend(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program of the lesson that fails or is silently wrong, to be fixed after it.

    It is judged as a challenge whose goal is `ends: right`; its par is what the solution changes.
    """

    of: Slug | None = None
    """The variant to fix; without one, the lesson's own program."""

    task: LocalText | None = None
    """What is wanted, where that is more than right gradients."""

    keep: list[Anchor] = []
    same: list[str] = []
    once: list[str] = []
    forbid: list[Name] = []
    solution: Annotated[dict[Anchor, str], Meta(min_length=1)]
    explain: LocalText
    hints: Annotated[list[LocalText], Meta(max_length=3)] = []


class PanelName(StrEnum):
    """A panel, or a column of the tensor table, that waits for the lesson that explains it."""

    GRAPH = "graph"
    OUTPUT = "output"
    TIMELINE = "timeline"
    LANES = "lanes"
    DTYPE = "dtype"
    VERSION = "version"
    STORAGE = "storage"
    BASE = "base"
    IS_LEAF = "is_leaf"
    REQUIRES_GRAD = "requires_grad"
    RETAINS_GRAD = "retains_grad"
    IS_INFERENCE = "is_inference"
    DATA_PTR = "data_ptr"
    GRAD_FN = "grad_fn"
    GRAD = "grad"
    FORECAST = "forecast"
    """The storages over time."""


class Lesson(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One idea, in three to six minutes."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    id: Slug
    title: LocalText
    goal: LocalText | None = None
    """One line above everything else: what one will find out, without the answer."""

    teaches: Annotated[list[Slug], Meta(min_length=1)]
    requires: list[Slug] = []
    difficulty: Annotated[int, Meta(ge=1, le=5)]
    minutes: Annotated[int, Meta(ge=1, le=30)]
    seed: int = 0
    watch: list[str] = []
    """Names of tensors, the first rows of the table in this order."""

    panels: list[PanelName] = []
    """Panels, and columns of the tensor table, that a learner of the course sees from this lesson
    on. What no lesson of a course names is there from its first one."""

    plays: list[str] = []
    """Cases of the source documents that the program itself covers."""

    code: Annotated[str, Meta(min_length=1)]
    steps: Annotated[list[LessonStep], Meta(min_length=1)]
    variants: Annotated[list[Variant], Meta(max_length=20)] = []
    recap: LocalText
    mend: Mend | None = None
    """What is offered to be fixed after it."""

    holds: Annotated[list[Held], Meta(max_length=20)] = []
    """Programs that hold the recap, and every other general sentence, to what torch does."""

    general: Annotated[list[General], Meta(max_length=20)] = []
    """What it says of many ops at once."""

    attacks: Annotated[list[Attack], Meta(max_length=20)] = []
    """What it says in general, to be tried in corners of torch that its author did not think of."""

    replaces: list[Slug] = []
    """Ids of earlier lessons that were merged into this one: what is kept of them counts for it."""

    docs: Link | None = None
    """The page of PyTorch's documentation that the lesson is about."""

    links: list[Link] = []
    """More to read. They are shown below the recap, like `docs`."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a chapter ends with, besides five questions that are drawn anew each time."""

    code: Annotated[str, Meta(min_length=1)]
    """A complete program that fails because something saved was modified in place. Of it the four
    questions are asked; a run answers them."""

    seed: int = 0
    challenge: Slug | None = None
    """The challenge that the chapter ends with."""


class Chapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`chapter.yaml` in a chapter's folder."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    title: LocalText
    summary: LocalText
    checkpoint: Checkpoint | None = None


class GoalPath(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lessons that one goal takes: those that teach it, and what they require."""

    id: Slug
    title: LocalText
    summary: LocalText
    """Who it is for, in one sentence."""

    goals: Annotated[list[Slug], Meta(min_length=1)]
    """Concepts that lessons teach."""

    bridges: dict[Slug, LocalText] = {}
    """Concepts that the path leaves out, each with one sentence that says what it is. The first
    lesson that requires it begins with that sentence."""

    ends_with: Slug | None = None
    """The challenge at its end."""


class Paths(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`paths.yaml` in the folder of a course."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    paths: list[GoalPath]
    """The first one is shown until the learner chooses."""


class Challenge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program and one task: make it fail, or make it right."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    id: Slug
    title: LocalText
    task: LocalText
    """What is wanted, in two or three sentences."""

    needs: list[Slug] = []
    """Concepts that lessons teach; nothing is locked without them."""

    difficulty: Annotated[int, Meta(ge=1, le=5)]
    seed: int = 0
    code: Annotated[str, Meta(min_length=1)]
    """The program to edit. It does not reach the goal."""

    goal: Claim
    """Must be true at the end of the edited program's run. Its anchors are kept ones."""

    keep: list[Anchor] = []
    """Statements that must stay as they are, and must still run. They may move."""

    same: list[str] = []
    """Names of tensors whose values at the end must be those of the program as it was."""

    once: list[str] = []
    """Names that may mean only one tensor in the whole run: it is not computed again."""

    forbid: list[Name] = []
    """Calls, attributes and arguments that the edited program may not have."""

    par: Annotated[int, Meta(ge=1, le=20)]
    """Lines changed, added or removed by a good solution."""

    solution: Annotated[dict[Anchor, str], Meta(min_length=1)]
    """Whole statements, as in a variant's `swap`."""

    explain: LocalText
    """Shown once it is solved."""

    hints: Annotated[list[LocalText], Meta(max_length=3)] = []
    """`{anchor}` in one is shown as where that line is in the edited program: `line 12`."""


class DrillSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Programs to predict, the same for everybody."""

    seed: Annotated[int, Meta(ge=0, le=999_999)]
    level: Annotated[int, Meta(ge=1, le=5)] = 1
    count: Annotated[int, Meta(ge=1, le=100)] = 5


class Assignment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lessons, checkpoints, challenges and drills, in the order in which they are listed."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    title: LocalText
    lessons: list[Slug] = []
    checkpoints: list[Slug] = []
    """The names of chapters."""

    challenges: list[Slug] = []
    drills: list[DrillSet] = []
