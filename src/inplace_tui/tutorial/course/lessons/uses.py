"""What a learner has to know to follow a program or a text, as the concepts that lessons teach.

It is compared with what a lesson teaches and what the lessons teach that it requires.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import msgspec
from msgspec import UNSET

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import FilePosition, Problem, problem
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.syntax import nodes
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import Claim
from inplace_tui.tutorial.course.lessons.check import Ran
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.lesson_rules import SPAN
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.course.lessons.strict_yaml import Path

Concepts = tuple[str, ...]
"""Each of them teaches it."""


@dataclass(frozen=True)
class Needed:
    """Something that has to be known, and where it is needed."""

    what: str
    """As it stands there: `detach()`."""

    concepts: Concepts
    at: FilePosition


IN_CODE: Mapping[Concepts, str] = {
    ("no-grad-update",): r"(?:no_grad|set_grad_enabled|enable_grad)\b",
    ("data-attribute",): r"(?<!\butils)\.data\b(?!\.DataLoader)",
    ("leaving-the-graph", "detach-alias", "carried-state"): r"\bdetach\(\)|\bdetach\b(?!_)",
    ("detach-in-place",): r"\bdetach_\b",
    ("leaving-the-graph", "numpy-alias"): r"\bnumpy\(\)",
    ("numpy-alias",): r"\b(?:from_numpy|frombuffer|from_dlpack)\b",
    ("version-counter",): r"\b_version\b",
    ("storage",): r"\b(?:data_ptr|untyped_storage)\b",
    ("leaf",): r"\bis_leaf\b",
    ("retain-grad",): r"\bretain_grad\b|\bretains_grad\b",
    ("freed-graph",): r"\bretain_graph\b",
    ("double-backward",): r"\bcreate_graph\b",
    ("backward-inputs",): r"\binputs=",
    ("backward-arguments",): r"\.backward\((?!\)|\w+=)|\bgradient=",
    ("training-step",): r"\boptim\b|\.step\(\)",
    ("training-step", "grads-add-up"): r"\bzero_grad\b",
    ("tensor-hook",): r"\bregister_hook\b",
    ("post-accumulate-hook",): r"\bregister_post_accumulate_grad_hook\b",
    ("module-hook",): r"\bregister_(?:full_|forward_)\w*hook\b",
    ("saved-tensor-hooks",): r"\b(?:saved_tensors_hooks|save_on_cpu)\b",
    ("allowed-mutation",): r"\ballow_mutation_on_saved_tensors\b",
    ("inference-mode",): r"\b(?:inference_mode|is_inference)\b",
    ("eval-mode", "running-statistics"): r"\.(?:eval|train)\(\)",
    ("checkpointing",): r"\bcheckpoint\b",
    ("exchanged-storage",): r"\.data = |\bswap_tensors\b",
    ("removed-tensor",): r"\bset_\b",
    ("save-for-backward",): r"\bautograd\.Function\b|\bFunction\)|\bsave_for_backward\b|\bctx\b",
    ("mark-dirty",): r"\bmark_dirty\b",
    ("once-differentiable",): r"\bonce_differentiable\b",
    ("func-transforms",): r"\btorch\.func\b|\bfunctional_call\b",
    ("vmap",): r"\bvmap\b",
    ("compiled-writes",): r"\btorch\.compile\b|\baot_function\b",
    ("gradient-written",): r"\bclip_grad_\w+_\b",
    ("unscale",): r"\bGradScaler\b|\bunscale_\b",
    ("closure",): r"\bLBFGS\b",
    ("fused-step",): r"\bfused=",
    ("running-statistics",): r"\bBatchNorm\w*|\brunning_(?:mean|var)\b",
    ("hidden-in-place",): r"\bmax_norm=",
    ("in-place-activation", "hidden-in-place"): r"\binplace=True\b",
    ("module-init",): r"\binit\.\w+_\b",
    ("anomaly-mode",): r"\b(?:set_)?detect_anomaly\b",
    ("checking-fixes",): r"\bgradcheck\b",
    ("sparse-gradients",): r"\bsparse\b",
    ("overlapping-memory",): r"\bexpand\b",
    ("overlapping-windows",): r"\bunfold\b",
    ("split-views",): r"\b(?:unbind|chunk)\b",
    ("reshape-or-copy",): r"\.(?:reshape|contiguous)\b",
    ("view",): r"\.(?:view|view_as|narrow|transpose|unsqueeze|squeeze)\(|\w+\[[^]]*\]\.\w+_\(",
}
"""Concepts, and how what they teach is seen in a program, or in the code within a text."""

IN_MESSAGES: Mapping[Concepts, str] = {
    ("first-error", "saved-tensor", "version-message"): "modified by an inplace operation",
    ("leaf-write-refused",): "a leaf Variable that requires grad",
    ("leaf-view",): "a view of a leaf Variable",
    ("freed-graph",): "backward through the graph a second time",
    ("no-grad-fn",): "does not have a grad_fn",
    ("backward-arguments",): "only for scalar outputs",
    ("who-may-require-grad",): "only Tensors of floating point",
    ("leaving-the-graph", "numpy-alias"): r"Can't call numpy\(\)",
    ("overlapping-memory",): "refer to a single memory location",
    ("split-views",): "a function that returns multiple views",
    ("inference-mode",): "inference tensor",
}
"""The same for what PyTorch says."""

IN_WORDS: Mapping[Concepts, str] = {
    ("version-counter",): r"\bversions?\b(?! of (?:PyTorch|torch))|\bcounters?\b",
    ("view",): r"\bviews?\b",
    ("leaf",): r"\b(?:leaf|leaves)\b(?! \w+ing)",
    ("storage",): r"\bstorages?\b",
    ("tensor-hook",): r"\bhooks?\b",
    ("leaving-the-graph", "detach-alias", "carried-state"): r"\bdetached\b",
    ("checkpointing",): r"\bcheckpoint(?:ing|ed)\b",
    ("inference-mode",): r"\binference\b",
}
"""The same for the words of a text."""

IN_CLAIMS: Mapping[str, Concepts] = {
    "version": ("version-counter",),
    "is_leaf": ("leaf",),
    "retains_grad": ("retain-grad",),
    "is_inference": ("inference-mode",),
    "shares": ("storage",),
    "apart": ("storage",),
    "view_of": ("view",),
}
"""Columns of the table that an answer may be about."""


def _seen(signs: Mapping[Concepts, str], text: str) -> Iterator[tuple[str, Concepts]]:
    for concepts, sign in signs.items():
        for found in re.finditer(sign, text, re.IGNORECASE if signs is IN_WORDS else 0):
            yield found.group().strip(" ("), concepts


def uses(loaded: LoadedLesson | LoadedChallenge) -> Iterator[Needed]:
    """Yield what has to be known of a file's programs, and of its texts in English."""
    above, raw = loaded.where("code").line, loaded.text.split("\n")
    for number, line in enumerate(loaded.code.splitlines(), above + 1):
        for what, concepts in _seen(IN_CODE, line):
            yield Needed(what, concepts, FilePosition(number, raw[number - 1].find(what) + 1))
    about = loaded.lesson if isinstance(loaded, LoadedLesson) else loaded.challenge
    for path, part in _parts(about, ()):
        for what, concepts in _needed(part):
            yield Needed(what, concepts, loaded.where(*path))


def uses_of_runs(loaded: LoadedLesson, runs: Mapping[Ran, FinishedRun]) -> Iterator[Needed]:
    """Yield what has to be known of what a lesson's program and its variants did."""
    places = {variant.id: place for place, variant in enumerate(loaded.lesson.variants)}
    for (variant, answer), run in runs.items():
        for line, what, concepts in _in_run(run):
            if variant is None and not answer:
                yield Needed(what, concepts, FilePosition(loaded.where("code").line + line, 1))
            elif variant in places:
                yield Needed(what, concepts, loaded.where("variants", places[variant], "swap"))


def _in_run(run: FinishedRun) -> Iterator[tuple[int, str, Concepts]]:
    for step in run.timeline:
        for what, concepts in _seen(IN_MESSAGES, step.raised or ""):
            yield step.line, what, concepts
        if any(node.name == "CopySlices" for node in step.nodes) and _writes_a_part(
            statement_on(run.source, step.line)
        ):
            yield step.line, "CopySlices", ("item-assignment",)
        written = {each.storage for each in step.mutations}
        there = run.timeline.at(step.index).tensors.values() if written else ()
        named = [each for each in there if each.names and each.storage in written]
        for view in (each for each in named if each.is_view):
            if any(each.storage == view.storage and each is not view for each in named):
                yield step.line, view.names[0], ("view",)


def _writes_a_part(statement: ast.stmt | None) -> bool:
    """Whether it assigns to an item; `b[:] = 1` writes all, though torch 2.6 makes CopySlices."""
    return any(
        isinstance(item.ctx, ast.Store) and ast.unparse(item.slice) != ":"
        for item in nodes(ast.Subscript, statement)
    )


def _needed(part: LocalText | Claim | str) -> Iterator[tuple[str, Concepts]]:
    if isinstance(part, str):
        yield from _seen(IN_CODE, part)
    elif isinstance(part, Claim):
        for tensor in part.tensors.values():
            columns = IN_CLAIMS.items()
            yield from (each for each in columns if getattr(tensor, each[0]) is not UNSET)
    else:
        yield from _seen(IN_WORDS, part.en)
        for span in SPAN.findall(part.en):
            yield from _seen(IN_CODE, span)
            yield from _seen(IN_MESSAGES, span)


def _parts(about: object, path: Path) -> Iterator[tuple[Path, LocalText | Claim | str]]:
    """Yield a file's texts, the claims of its answers, and its other programs.

    Those under `holds` may need anything: they are there for whoever asks for them.
    """
    if isinstance(about, LocalText) or (isinstance(about, Claim) and path[-1] == "when"):
        yield path, about
    elif isinstance(about, dict) and path[-1] in ("swap", "solution"):
        yield from (((*path, anchor), code) for anchor, code in about.items())
    elif isinstance(about, list):
        for place, each in enumerate(about):
            yield from _parts(each, (*path, place))
    elif isinstance(about, msgspec.Struct):
        for name in about.__struct_fields__:
            if name != "holds":
                yield from _parts(getattr(about, name), (*path, name))


def known(lessons: Sequence[LoadedLesson], concepts: Iterable[str]) -> set[str]:
    """Return concepts, with all that is taught on the way to them by what lessons require."""
    first = {each: loaded.lesson for loaded in reversed(lessons) for each in loaded.lesson.teaches}
    found: set[str] = set()
    waiting = [*concepts]
    while waiting:
        concept = waiting.pop()
        if concept not in found and concept in first:
            waiting += [*first[concept].teaches, *first[concept].requires]
        found.add(concept)
    return found


def taught_for(loaded: LoadedLesson | LoadedChallenge, lessons: Sequence[LoadedLesson]) -> set[str]:
    """Return the concepts that a file may use: of those lessons, what it needs, and its own."""
    if isinstance(loaded, LoadedChallenge):
        return known(lessons, loaded.challenge.needs)
    return known(lessons, loaded.lesson.requires) | {*loaded.lesson.teaches}


def untaught(
    path: str, found: Iterable[Needed], taught: Set[str], lessons: Sequence[LoadedLesson]
) -> Iterator[Problem]:
    """Yield what a file uses that was not taught, once for each concept.

    Args:
        taught: the concepts that may be used there.
        lessons: those of the course, in their order.
    """
    by_concepts: dict[Concepts, list[Needed]] = {}
    for each in found:
        if taught.isdisjoint(each.concepts):
            by_concepts.setdefault(each.concepts, []).append(each)
    for concepts, needed in by_concepts.items():
        named = {
            "what": tuple(sorted({each.what for each in needed})),
            "line": tuple(sorted({each.at.line for each in needed})),
        }
        teachers = (
            problem(
                path, AuthoringTexts.not_required, needed[0].at, **named, number=number, id=by.id
            )
            for number, by in enumerate(lessons, 1)
            if not {*concepts}.isdisjoint(by.lesson.teaches)
        )
        text = AuthoringTexts.never_taught
        nobody = problem(path, text, needed[0].at, **named, concept=concepts[0])
        yield next(teachers, nobody)
