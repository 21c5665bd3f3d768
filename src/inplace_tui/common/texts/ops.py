"""What is said of an op of torch: the command `op`, and the card behind a line of code."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class OpTexts:
    """The card of one op."""

    torch = T("torch {version}")
    called = T("called as")
    keeps = T("kept for backward")
    overwritten = T("written afterwards")
    through_data = T("through .data")
    writes = T("writes")
    result = T("result")
    compiled = T("torch.compile")
    in_place = T("in place")
    elsewhere = T("other torch")
    untried = T("not tried: {why}")

    own_result = T("its result")
    if_grad = T("{what}, if {names} requires grad")
    nothing = T("nothing")
    not_recorded = T("nothing: it isn't recorded")
    no_derivative = T("nothing: {why}")

    fine = T("{what}: fine")
    refused = T("{what}: torch refuses, as it is a leaf that requires grad or a view of one")
    kept_by_none = T("{what}: no node keeps it")
    raises = T("{what}: backward raises")
    raises_unused = T("{what}: backward raises, though its values aren't used")
    wrong = T("{what}: silently wrong")
    by_data = T("{what}: torch refuses; through .data silently wrong")
    unknown = T("{what}: not known")

    counted = T("{name}, version +{count}")
    uncounted = T("{name}, not counted")
    unchanged = T("{name}, version +{count}, values as before")

    stops = T("backward raises: {why}")
    writes_nothing = T("writes nothing")
    rebound = T("{name} is another tensor afterwards")

    new = T("new memory")
    same = T("{name} itself")
    view = T("a view of {name}")
    shared = T("the memory of {name} in another tensor")
    apart = T("the memory of {name}, with a version of its own")
    none = T("none")
    no_tensor = T("no tensor")

    counts = T("counts {count}")
    keeps_short = T("keeps {what}")
    leaf_refused = T("refused on a leaf that requires grad")
    twice_raises = T("used twice, backward raises")
    or_else = T("{call}: {facts}")
    same_there = T("{versions}: the same")
    differs_there = T("{version}: keeps {kept}; result: {result}")
    missing_there = T("{version}: not there")

    shown = T("Programs that show it: `inplace-tui op {name} --run N`")
    next_line = T("{name}, written in place on the next line")
    lead = T("Esc closes")
    about_line = T("Line {line} calls no op that the survey knows.")
    heading = T("What line {line} does")


class OpCommandTexts:
    """What the command `op` says."""

    unknown = T("torch {version} has no op {name} in the survey{hint}")
    nearest = T("There is no survey of torch {wanted}; this is {found}.")
    bad_filter = T("--list takes {keys}, as in counted=0; got {text}")
    no_program = T("The survey has no short program for this.")
    no_number = T("There is no program {number}: 1 to {last}.")
    not_written = T("{name} writes nothing that the survey could put after {after}{hint}")
    none = T("There is no such call in the survey.")
    yes = T(
        "Yes: {call} may write the result of {after}. The program below ran, and every gradient is "
        "right."
    )
    no_raises = T("No: {call} may not write the result of {after}. Backward raises: {message}")
    no_wrong = T("No: {call} may not write the result of {after}. The gradient is silently wrong.")
    refused = T("No: torch refuses {call} there: {message}")
    undecided = T("It ran, but its gradients could not be checked.")
    name_or_list = T("Name an op, as in `inplace-tui op sigmoid`, or select some with --list.")
