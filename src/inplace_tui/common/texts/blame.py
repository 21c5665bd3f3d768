"""The sentences that say how a run ended, and who did it."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class BlameTexts:
    """Who did it. `{code}` is a line of the program, quoted."""

    saved_result = T("Line {line} `{code}` saved {tensor}{version} ({node} keeps its result).")
    saved_input = T("Line {line} `{code}` saved {tensor}{version} ({node} keeps its input {slot}).")
    saved_compiled = T(
        "Line {line} `{code}` saved {tensor}{version} ({node} of the compiled region keeps it)."
    )
    saved_inside = T("Line {line} `{code}` saved {tensor}{version} inside {node}, which hides it.")
    saved_by_checkpoint = T(
        "A checkpoint saved {tensor}{version}, for line {line} `{code}`: it keeps its inputs, "
        "to run its function again in backward."
    )
    saved_behind_hooks = T("Line {line} `{code}` saved {tensor}{version} for {node}, behind hooks.")
    saved_unknown_line = T("{node} saved {tensor}{version}.")
    at_version = T(" at version {version}")
    a_tensor = T("a tensor")
    changed = T("Line {line} `{code}` changed it to version {after}")
    updated = T(
        "Line {line} `{code}` changed {tensor} from version {before} to {after}: {op} writes "
        "the parameters in place."
    )
    updated_needed = T(
        "Line {line} `{code}` then goes back through the forward of line {forward}, which "
        "still needs version {version}."
    )
    updated_instead = T(
        "An update must not come between a forward and its backward. Either the step waits "
        "for that backward, or the forward runs again after the step, with the new parameters: "
        "loss and gradient are then those of the new ones."
    )
    changed_named = T("Line {line} `{code}` changed {tensor} from version {before} to {after}")
    changed_through = T("Line {line} `{code}` changed it through {tensor} to version {after}")
    changed_through_unseen = T(
        "Line {line} `{code}` changed its values through {tensor}, and no version number moved"
    )
    changed_unchecked = T(
        "Line {line} `{code}` changed {tensor}, and what {node} keeps out of sight is not checked"
    )
    changed_unrecorded = T("Line {line} `{code}` changed {tensor}, and the graph does not say so")
    changed_gradient = T(
        "Line {line} `{code}` modified a gradient in place that other nodes also receive"
    )
    kept = T("Line {line} `{code}` made {node}, which keeps a tensor where no version is checked.")
    changed_unseen = T("Line {line} `{code}` changed its values, and no version number moved")
    changed_apart = T(
        "Line {line} `{code}` changed {tensor} from version {before} to {after}, which no check "
        "saw: what was saved has the same memory and a version number of its own"
    )
    more_writes = T("; {count} more followed, the last on line {line}")
    needed = T("; backward on line {line} needed version {version}.")
    needed_inside = T("; the backward of {name}, on line {line}, needed version {version}.")
    used = T("; backward on line {line} used the changed values.")
    delivered = T("; backward on line {line} delivered something else.")
    written_item = T("Line {line} `{code}` wrote {tensor}, and could not store it back.")
    made_in_inference = T("Line {line} `{code}` made {tensor} in inference mode.")
    switched_off = T("Line {line} `{code}` switches gradients off.")
    changed_packed = T(
        "Line {line} `{code}` wrote to memory in which the hooks still kept a saved tensor"
    )
    given_back = T(
        "Line {line} `{code}`: these hooks gave back other values than they were given. They "
        "keep two tensors in one place."
    )
    untracked = T(
        "Line {line} `{code}` is not recorded: nothing that it gives to the checkpoint requires "
        "grad."
    )
    untracked_leaves = T("No gradient arrives at {names}.")
    untracked_meaning = T(
        "With `use_reentrant=True`, a checkpoint is a part of the graph only if a tensor "
        "given to it requires grad, whatever the weights inside need: they get no gradient. "
        "Use `use_reentrant=False`."
    )
    lost_graph = T("Line {line} `{code}` is where the graph ends: what it made has no history.")
    base_written = T("Line {line} `{code}` wrote to what the view is a view of.")
    by_op = T(" It was written by {op}.")
    not_counted = T(" Torch doesn't count what is written through {op}.")
    by_module = T(" It was written by {path}, the {name} made on line {made}.")
    by_hook = T(" It was written by a hook on {path}, the {name} made on line {made}.")
    of_module = T(" That was {path}, the {name} made on line {made}.")
    full_stop = T(".")
    no_write_seen = T(
        "inplace-tui did not see the write that did this. Of storages above 32 KiB only both ends "
        "are compared from line to line, so a write between them through `.data` or NumPy, which "
        "nothing counts, is not seen. Nor are lines that run in threads of the program's own."
    )
    needed_alone = T(
        "Backward on line {line} `{code}` found a saved tensor at another version. "
        "inplace-tui couldn't see what saved it or what changed it."
    )
    freed_first = T(
        "Line {line} `{code}` ran backward through this graph first, "
        "and freed what its nodes had saved."
    )
    freed_again = T("Line {line} `{code}` needed it again.")
    carried_on = T(
        "Line {line} `{code}` carries the graph over: it uses the previous {tensor}, whose graph "
        "backward on line {freed} had already freed."
    )
    carried_from = T(
        "Line {line} `{code}` uses {tensor}, made on line {made}, after backward on line {freed} "
        "had freed its graph."
    )
    carried_into = T("Line {line} `{code}` then goes back through that freed graph.")
    carried_ways = T(
        "A graph can be used once: backward frees what its nodes saved. Detach {tensor} before it "
        "is used again, or start over with a new one each time. If gradients must reach further "
        "back, add the losses and call backward once. `retain_graph=True` helps only where no "
        "optimizer step comes in between."
    )
    carried_ways_from = T(
        "A graph can be used once: backward frees what its nodes saved. Compute {tensor} again "
        "after that backward, add the losses and call backward once, or keep the graph with "
        "`retain_graph=True`. A loss that needs no gradient for what made {tensor} should use it "
        "detached."
    )
    refused = T(
        "Line {line} `{code}` tried to write to {tensor}; torch refused before anything "
        "was changed."
    )
    raised_at = T("Line {line} `{code}` raised it.")
    warned_at = T("Line {line} `{code}` was warned of.")
    read_grad = T("Line {line} `{code}` read `.grad` of {tensor}, which is not a leaf.")
    lost_at = T(
        "Line {line} `{code}` bound {tensor} to a new tensor: the name no longer means the leaf."
    )
    lost_needed = T("Line {line} `{code}` looked for its gradient.")
    got = T("{gradient} came out as {got}; the saved values give {true}.")
    got_executed = T("{gradient} came out as {got}; the true gradient is {true}.")


class OutcomeTexts:
    """How a run ended, where there is no verdict for it, or beside it."""

    completed_unasked = T("The program ran to its end. It asked for no gradient.")
    completed_right = T("The program ran to its end, and every gradient is right.")
    completed = T("The program ran to its end.")
    completed_verifying = T(
        "The program ran to its end. Whether its gradients are right is being checked."
    )
    not_reproducible = T(
        "The program ran to its end. Whether its gradients are right can't be told: {reason}"
    )
    raised = T("{exception}: {message}")
    other_process = T(
        "What runs in processes of its own is not looked into; `nprocs=1` runs in this one."
    )
    not_autograd = T("This is not about autograd.")
    not_autograd_through = T("This is not about autograd. It was raised through {chain}.")
    no_input = T(
        "A program's standard input is what is piped to `explain` or `run`, and else empty."
    )
    timed_out = T(
        "Still running after {seconds} s, so it was stopped. Look for a loop that never ends, "
        "or make the work smaller."
    )
    stopped_steps = T(
        "Stopped after {value} lines: more are not recorded. Make the loops shorter to see the end."
    )
    stopped_bytes = T(
        "Stopped after {value} bytes of recorded steps: more are not kept in memory. "
        "Make tensors smaller, or loops shorter, to see the end."
    )
    stopped_memory = T(
        "Stopped because a process of it held more than {value} bytes in memory. "
        "In `explain`, --memory GB sets another limit."
    )
    stopped_processes = T(
        "Stopped because it had more than {value} processes at once. All of them were ended."
    )
    crashed_exit = T(
        "The process left by itself with exit code {code}, as `os._exit` does. "
        "What it had done until then is kept."
    )
    crashed_signal = T("The process was killed by {name}. What it had done until then is kept.")
    crashed_segfault = T(
        "The process crashed ({name}): it touched memory that is not its own. "
        "What it had done until then is kept."
    )
    crashed_killed = T(
        "The process was killed ({name}), perhaps because memory ran out. "
        "What it had done until then is kept."
    )
    worker_died = T(
        "The process that runs programs died, and this run with it. A new one is being started: "
        "run the program again."
    )
    cancelled = T("This run was cancelled. Run the program again.")
    recorder_fault = T(
        "inplace-tui itself failed {count:time|times} while it watched, so the steps may lack "
        "something. Please report it: {fault}"
    )
    off_at = T(
        "Recording was switched off at line {line}: by the program, or by a signal handler that "
        "raised while a line was being recorded. What ran after it is not shown."
    )
    was_at = T("It was at line {line} `{code}`.")
    had_written = T("That line had written: {words}")
    last_words = T("Its last words: {words}")
    syntax = T(
        "Nothing ran: the program can't be parsed. Line {line} `{code}` is where parsing failed."
    )
    too_deep = T("Nothing ran: the program is nested too deeply for Python to compile.")


STOPPED = {
    "steps": OutcomeTexts.stopped_steps,
    "bytes": OutcomeTexts.stopped_bytes,
    "memory": OutcomeTexts.stopped_memory,
    "processes": OutcomeTexts.stopped_processes,
}
"""By the limit that was hit."""

SIGNALS = {
    "SIGSEGV": OutcomeTexts.crashed_segfault,
    "SIGBUS": OutcomeTexts.crashed_segfault,
    "SIGKILL": OutcomeTexts.crashed_killed,
}
"""By the signal that ended the process, where there is more to say than its name."""
