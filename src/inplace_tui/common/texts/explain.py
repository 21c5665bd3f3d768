"""What `explain` says to people."""

from __future__ import annotations

from inplace_tui.common.local_text import T
from inplace_tui.common.run.doubt import Reason

HEADS = {
    "right": T("runs, and its gradients are right"),
    "runs": T("runs; whether its gradients are right was not checked"),
    "not_judged": T("runs; whether its gradients are right can't be told"),
    "no_backward": T("runs; it asks for no gradient"),
    "raises_before": T("line {line} raises {type}, outside of any backward"),
    "raises_in_backward": T("backward on line {line} raises {type}"),
    "caught": T("runs, and catches {type}, which backward on line {line} raised"),
    "wrong": T("runs without an error, and a gradient is wrong"),
    "unrelated": T("ends with {type}, which is not about autograd"),
    "other_process": T("ends with {type}, for what was raised in another process"),
    "timed_out": T("does not end in time"),
    "crashed": T("its process died"),
    "stopped": T("ran into a limit"),
}
"""What stands behind the file's name: the ending in a few words, by its word or what is special."""


class MarkTexts:
    """What stands beside the carets under a quoted line."""

    saved = T("saved {tensor}{version}")
    at = T(" at version {version}", "MarkTexts.at")
    wrote = T("wrote {tensor}: version {before} to {after}")
    wrote_unseen = T("wrote {tensor}, and no version number moved")
    refused = T("can't modify {tensor} in place here")
    fault = T("the line at fault: ")
    needed = T("needs {tensor} at version {version}")
    needed_it = T("needs what was saved")
    used = T("computes with the changed values")
    part = T("is part of the graph")
    freed = T("frees the graph")
    again = T("needs the graph again")
    used_twice = T("frees the graph, and needs it again the next time")
    carried = T("carries the graph over: it uses the previous {tensor}")
    makes = T("makes {tensor}, with its graph")
    carried_from = T("uses {tensor} again, after its graph was freed")
    cut = T("gives the name {tensor} to a new tensor")
    ends = T("the graph ends here")
    not_recorded = T("not recorded")
    given_back = T("gives back other values")
    misses = T("delivers nothing there")
    switched = T("switches gradients off")
    made = T("made in inference mode")
    looked = T("looks for a gradient")
    raises = T("raises it")
    was = T("was here")
    warned = T("is warned of")
    more = T("(and {count:more write|more writes})")
    it = T("a tensor")
    result = T("its result")
    through = T("; through {chain}")


class ExplainTexts:
    """The rest of the page."""

    first_run = T(
        "This is what its own run showed, after {seconds} s. More runs follow, to look closer."
    )
    fixes = T("Fixes that work (each was run):")
    usual = T("Common alternatives. They run, but compute something different:")
    as_module = T(
        "This file is part of a package. Start it as a module, from the folder that holds the "
        "package: inplace-tui explain -m {module}"
    )
    taken = T(
        "What the backward of {names} returns was taken as it is; `torch.autograd.gradcheck` "
        "compares it with the forward."
    )
    without = T("At no step of their optimizer did these parameters have a gradient: {names}.")
    no_fix = T("None of the fixes that were tried worked.")
    attempt = T("- {title} (line {line}): {ended}")
    elsewhere = T(
        "The write stands in {place}. Only {file} was edited, and no edit of it is a fix."
    )
    within = T(
        "It went on in {place}, within one line of {file}, and only {file} is watched line by "
        "line. Explain a program in which that code stands itself."
    )
    keeps = T("keeps the gradient")
    cuts = T("cuts the gradient")
    free = T("costs no memory")
    costs = T("copies {size}")
    another = T("another gradient: {what}")
    time_same = T("no measurable time")
    time_added = T("adds {seconds} to a run of {run} (±{noise})")
    time_saved = T("saves {seconds} of a run of {run} (±{noise})")
    time_unknown = T("time not compared (the original fails)")
    forward_same = T("leaves the forward as it is")
    forward_changes = T("changes the forward: {what}")
    forward_as = T("changes the forward as {number} does")
    copied = T("tried in a copy of the running program, then run whole from the start")
    copied_held = T("tried in a copy of the running program: held to step {step}")
    held = T("run from the start: held to step {step}")
    lesson = T("The lesson about it: inplace-tui lesson {id}  ({title})")
    lesson_too = T("See also: inplace-tui lesson {id}  ({title})")
    drill = T("Practice on programs like it: inplace-tui drill --about {concept}")
    runs_1 = T("The program ran once, in {seconds} s.")
    runs = T("The program ran {runs} times in {seconds} s, replays and edited copies included.")
    cut_short = T("Ran out of time before {what}. Use --budget to allow more.")
    between = T("; ")
    not_recorded = T(
        "It could not be recorded up to the failure, so the line at fault is not known."
    )
    once = T("Run once: no fixes tried, gradients not checked. Omit --once to do both.")
    no_view = T(
        "Run once: no fixes tried, gradients not checked. --in-place allows more runs, which may "
        "write to your files."
    )
    ended_otherwise = T(
        "A second run ended differently ({detail}). It may depend on time, files or the network; "
        "that is no fault of your program."
    )
    ran_through = T("Run again, it came to its end without an error, so no fix could be tried.")
    replay_in_view = T(
        "A replay finds the files as the first run left them, writes to a copy in memory that "
        "is thrown away, and has no network but its own."
    )
    replay_in_place = T("A replay finds the files as the run before it left them.")


_TWICE = T(
    "What would tell: a program that can run twice. It may need a network, a port, a device or "
    "a file that the first run used up; `explain --once` makes do with one run."
)
_FEWER = T("What would tell: fewer rounds, or more time (`explain --budget`).")
_PLAIN = T(
    "What would tell: the same with plain tensors, without the subclass, the mode or the "
    "device that refuses this."
)
NEXT = {
    Reason.RUNS_DIFFER: T(
        "What would tell: seed all that draws numbers (torch, numpy, random), and leave out "
        "what differs from run to run: workers of a DataLoader (`num_workers=0`), the time, files "
        "that it writes."
    ),
    Reason.ENDS_DIFFER: _TWICE,
    Reason.REPLAY_RAISED: _TWICE,
    Reason.REPLAY_DIED: _TWICE,
    Reason.REPLAY_STOPPED: _TWICE,
    Reason.TOO_MANY: _FEWER,
    Reason.REPLAY_TOO_SLOW: _FEWER,
    Reason.RETRIED: T("What would tell: let the error end the program; then it is explained."),
    Reason.OTHER_BACKWARDS: T(
        "What would tell: seed what decides which backwards are run, and leave out what reads "
        "the version or the memory of tensors."
    ),
    Reason.NOT_CLONED: _PLAIN,
    Reason.NOT_READ: _PLAIN,
    Reason.UNREACHED: T(
        "What would tell: the same out of place, which autograd records; or `detach()` on what "
        "is written, if no gradient is meant to go there."
    ),
    Reason.CUT_UPDATE: T(
        "What would tell: the update out of place (`w = w - lr * g`), through which a backward "
        "goes; or `create_graph=False`, if the gradient is meant as a constant."
    ),
    Reason.WRITTEN: T(
        "What would tell: the same out of place (`x = x * 2`), which autograd records; or "
        "`x + (new - x).detach()`, if the gradient is meant to pass as it is."
    ),
    Reason.ROUNDED: T("What would tell: the same with hooks that give back the very values."),
    Reason.TRANSFORMED: T(
        "What would tell: the same with `torch.autograd.grad`, or `torch.autograd.gradcheck` of "
        "the function in float64."
    ),
    Reason.NOT_MARKED: T(
        "What would tell: call `ctx.mark_dirty` in its `forward`, and return what it wrote."
    ),
    Reason.CELLS_SHARED: T(
        "What would tell: write to a `clone()`, whose elements have memory of their own."
    ),
    Reason.NOT_RECORDED: T("What would tell: the same out of place, which autograd records."),
}
"""What would tell whether a gradient is right, by what stands against that."""

UNTRIED = {
    "gradients": T("comparing its gradients"),
    "recording": T("recording it up to its end"),
    "fixes": T("trying all fixes"),
}

ATTEMPTS = {
    "a": T("it raises another error: {message}"),
    "again": T("it raises the same error"),
    "b": T("it runs, and its gradients are not those that are meant"),
    "c": T("it runs, and values from before the fault are other ones"),
    "d": T("it runs, and what was to be written is nowhere"),
    "e": T("it runs; the program's own gradients differ in every run, so they can't be compared"),
}
"""How far an edit got that is no fix, by the condition that it does not meet."""


class AuthorTexts:
    """What only the author can answer, where no edit is a fix."""

    which_value = T(
        "Your choice: should the gradient use {tensor} from before line {line}, or after it? For "
        "the first, let line {line} write a copy; for the second, compute what needs {tensor} "
        "after line {line}."
    )
    part_or_update = T(
        "Your choice: is line {line} part of the computation to differentiate, or an update "
        "of {tensor}? For the first, give its result another name; for the second, write under "
        "`torch.no_grad()`."
    )


class AnnotationTexts:
    """What stands beside a line in a pull request or an editor."""

    fault = T("The line at fault: `{source}`.")
    also = T("It was written here, too.")
    saved = T("{node} saved the tensor here.")
    carried = T("This line brings the graph of `{tensor}` into another backward.")
    needed = T("It shows here: {error}")
    fix = T("A fix that was run: {title}")


class PatchTexts:
    """What `--patch` and `--apply` say."""

    none = T("{file}: there is no fix to take.")
    no_such = T("{file}: there is no fix {number}; the last one is {last}.")
    changed = T("{file} was edited meanwhile: it is left as it is.")
    half = T(
        "An earlier fix was cut short while it was written: {names} are not of one piece. "
        "`inplace-tui` asks at its start whether to complete or to undo it."
    )
    elsewhere = T("The patch is for the folder {folder}.")
    written = T("Fix {number} was written to {file}; the old file is {kept}.")
    runs = T("The fixed program ran again without an error.")
    raises = T("The fixed program ran again and ended differently: {why}")


STAGES = {
    "waiting": T("waiting"),
    "running": T("running"),
    "comparing": T("comparing gradients"),
    "copying": T("running up to the fault"),
    "recording": T("recording line by line"),
    "inside": T("looking into the call"),
    "fixing": T("trying fixes"),
    "loading": T("loading torch"),
}
"""What is done just now."""


class StageTexts:
    """The progress of an explanation: a line that is rewritten, and one from time to time."""

    line = T("{done}/{total}  {name}  {stage}  run {runs}, {seconds} s")
    tried = T("{stage}, {tried} of {total} tried")
    sparse = T("{name}: {stage} (run {runs}), after {seconds} s")
