"""What is said to a wrong prediction, from what the run did."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class EndingReplies:
    """What a wrong prediction of how a program ends overlooks."""

    you_said = T("You said: it {said}. {why}")
    outside = T("Nothing fails inside backward: line {line} raises {exception} outside of it.")
    raises = T("Line {line} raises {exception}.")
    in_backward = T("Nothing fails outside of backward: line {line} raises {exception} inside it.")
    refused = T(
        "Line {saved} saved `{name}` at version {version}. Line {write} wrote to it: it is at "
        "version {now} when backward needs it, so the check fails."
    )
    not_noticed = T("PyTorch notices nothing here: no check fails.")
    not_counted = T("The version counter didn't see the write on line {line}: no check fails.")
    wrong = T("The gradient of `{name}` is {got}, and its graph says {true}.")
    right = T("The gradient of `{name}` is {grad}, and its graph says the same.")
    no_gradient = T("There is no gradient that could be wrong.")
    allowed = T("PyTorch allows the write on line {line}.")
    no_write = T("No line does anything that PyTorch refuses.")
    nothing_saved = T("Nothing that backward needs was saved and then changed.")
    passes = T(
        "`{name}` was saved at version {version}, and is still at version {version} when backward "
        "needs it, so the check passes."
    )


class LineReplies:
    """What a wrong line did, where one is asked for that saved, changed or raised."""

    ran = T("This line runs without an error.")
    saves_only = T("This line saves something for backward, and modifies nothing in place.")
    writes_nothing = T("This line modifies nothing in place.")
    writes_another = T("This line modifies {names}: backward doesn't fail because of that.")
    writes_unnamed = T("What this line modifies is not what backward misses.")
    writes_only = T(
        "This line modifies a tensor. It saves nothing: only an op that needs a value does."
    )
    saves_nothing = T(
        "This line saves nothing: only an op that needs a value for its gradient does."
    )
    saves_another = T("This line saves {names}, and backward finds that unchanged.")
    saves_unnamed = T("What this line saves is not what was changed.")
