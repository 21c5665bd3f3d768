"""What is said of challenges: what an edit does and does not do, and around it."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class GradingTexts:
    """One line each: what holds and what doesn't."""

    but = T("{what}; found: {seen}")
    # What a goal asks for.
    match = T("the message has “{text}”")
    raised_by = T("raised by line {line}")
    saved_by = T("saved by line {line}")
    changed_by = T("changed by line {line}")
    warns = T("warns with “{text}”")
    prints = T("prints “{text}”")
    field = T("`{field}` is {value}")
    shares = T("`{name}` and `{other}` share memory")
    apart = T("`{name}` and `{other}` share no memory")
    view_of = T("`{name}` is a view of `{other}`")
    no_view = T("`{name}` is not a view")
    # What was seen instead.
    raised = T("raises {exception} on line {line}")
    raised_in_backward = T("raises {exception} in backward, on line {line}")
    it_is = T("{seen}")
    no_tensor = T("no `{name}`")
    another_line = T("line {line}")
    removed = T("{line} (removed since)")
    other_message = T("“{seen}”")
    # Rules.
    same = T("`{name}` ends as before")
    once = T("`{name}` is computed once; found: {count}×")
    is_now = T("{now}, was {was}")
    dropped = T("`{code}` must stay; found: no such line")
    not_run = T("line {line} runs {wanted}×; found: {visits}×")
    forbidden = T("`{name}` is not allowed: line {line}")
    import_ = T("`import {name}` is not allowed: line {line}")
    crowded = T("one statement a line, please: line {line}")
    module_changed = T("`{name}` may not be changed: line {line}")
    caught = T("line {line} raises, and the program catches it: that mends nothing")
    by_hand = T("`{name}.grad` was written by line {line}, not by backward")
    cut = T("no gradient arrives at `{name}`")
    cut_partly = T("the values are those of the solution, the gradient of `{name}` is not")
    other_gradient = T("the gradient of `{name}` is not that of the solution")
    not_python = T("this is not Python yet")
    unparsed = T("did not run: it is not valid Python ({why})")
    unparsed_at = T("did not run: line {line} is not valid Python ({why})")
    unchanged = T("nothing is changed yet")
    lines = T("lines changed: {changed}")
    lines_over_par = T("lines changed: {changed} (the shortest solution: {par})")


class ChallengeTexts:
    """On the screen of a challenge, and in the contents."""

    title = T("Task")
    to_challenge = T("challenge")
    """The key of the next lesson, where there is none."""

    hint = T("Hint {number}/{total}: ")
    line = T("line {line}")
    line_at_start = T("line {line} at the start")
    par = T("the shortest solution changes {par:line|lines}")
    general = T("What holds for every challenge")
    general_rules = T(
        "One statement a line. No error is caught, and gradients come from backward. "
        "Imports may be added for {modules} only, and none of their functions replaced. "
        "Hooks that replace values, private names (`_…`), `exec`, `getattr` and the like may not "
        "be added. Lines that are added or removed count as changed, so a moved one counts twice."
    )
    forbid = T("not allowed: {names}")
    keep = T("lines that must stay: {lines}")
    same = T("must come out the same: {names}")
    grading = T("running your program…")
    not_judged = T("{what}: not judged")
    not_yet = T("Not yet")
    solved = T("Solved")
    # Around it.
    challenges = T("Challenges: break it, or fix it")
    challenge_of = T("Challenge {number}/{total}")
    mend_of = T("Fix it: {title}")
    mend_task = T(
        "This program fails, or one of its gradients is silently wrong. Make it run to its end "
        "with the right gradients."
    )
    is_solved = T("solved, {lines:line|lines} changed")
    par_of = T("change {par:line|lines}")
    needs = T("builds on: ")
    recovered = T(
        "This is your edit from last time. {keys[leave]}, then {keys[reset]}: back to the start."
    )
    reset = T("The program is as it was. Ctrl-Z in the editor takes that back.")
    run_first = T("Edit the program, then {keys[run]} runs and judges it. The help has the rules.")
    no_hints = T("This challenge has no hints.")
    no_file = T("A challenge has no file: what you type is kept by itself.")
    no_fixes = T("No fixes are listed here: to find the edit is the task.")
    no_more_hints = T("There are no more hints.")
    no_references = T("This challenge can't be judged: its own programs do not run here.")
    solution = T("One solution")
    unknown = T("There is no challenge {id!r}.")
    all_solved = T("Every challenge is solved.")
    none = T("There are no challenges here.")
    go_to = T("go to challenge: {title}")
    mark_solved = T("solved")
    mark_begun = T("begun")
    mark_new = T("not begun")
    was_shown = T("after a look at the solution")
