"""What backward would do from here, in a word and in a sentence."""

from __future__ import annotations

from inplace_tui.common.local_text import T

WORDS = {"runs": T("ok"), "raises": T("!err"), "wrong": T("~wrong"), "unknown": T("?")}
"""In the cell."""


class ForecastTexts:
    """What a backward pass from here would do."""

    about = T("backward from here: {told}")
    found = T("(found by replaying the program)")
    finding = T("replaying the program to find out …")
    leaf = T("{name} is a leaf: there is no graph to go through, only its own `.grad` to fill.")
    no_graph = T("{name} has no graph: `backward()` from it would refuse to start.")
    runs = T(
        "runs, and the gradients are right: every tensor saved on the way is still what it was."
    )
    runs_replayed = T("runs, and the gradients are right.")
    raises = T("raises an error.")
    raises_stale = T(
        "raises at {node}: what it saved as `{slot}` had version {saved}, and now has {now}."
    )
    raises_versions = T(
        "raises: a saved tensor is at version {now}, and version {saved} is expected."
    )
    raises_detached = T(
        "raises at {node}: what it saved as `{slot}` was cut out of the graph by `detach_()`."
    )
    raises_freed = T("raises at {node}: an earlier backward has freed what it saved as `{slot}`.")
    raises_freed_replayed = T("raises: an earlier backward has freed this graph.")
    raises_complex = T(
        "refuses to start: the sum is complex, and backward starts from a real number."
    )
    at_latest = T("Something that can't be looked into comes before, and may raise first.")
    wrong = T("runs without an error, and a gradient comes out wrong.")
    wrong_slot = T(
        "runs without an error, and a gradient comes out wrong: what {node} saved as `{slot}` "
        "has other values now, and its version has not moved."
    )


SILENCES = {
    "program": T(
        "unknown: a hook, a mode or a backward that runs already may change what happens."
    ),
    "view": T(
        "unknown: its base was written in place, and torch makes its `grad_fn` anew "
        "when it is next used."
    ),
    "not-asked": T(
        "unknown: its base was written in place, and whether torch has made its `grad_fn` anew "
        "is not seen on this machine."
    ),
    "tensor": T("unknown: tensors of this kind are not looked into."),
    "hidden": T("unknown: {node} on the way does not show what it saved."),
    "custom": T("unknown: {node} on the way runs Python code of its own."),
    "compiled": T(
        "unknown: {node} on the way stands for a compiled region, which is not looked into."
    ),
    "deep": T("unknown: the graph has more nodes than are gone through here."),
    "rare": T("unknown: {node} on the way may refuse by itself."),
    "unrecorded": T(
        "unknown: the result of {node} was written in a way that the graph does not know."
    ),
    "hooked": T("unknown: what {node} saved as `{slot}` was packed by a hook."),
    "large": T("unknown: what {node} saved as `{slot}` is too large to be recorded whole."),
    "changed": T(
        "unknown: what {node} saved as `{slot}` has changed, and its version has not; "
        "whether that matters is not told by the graph."
    ),
    "unseen": T(
        "unknown: between saving `{slot}` of {node} and the end of that line, "
        "something may have written it unseen."
    ),
    "gradient": T("unknown: a `.grad` on the way is unusual, or was saved itself."),
    "no-view": T(
        "unknown: only running the program again would tell, and here that could change your files."
    ),
    "not-repeated": T("unknown: a replay of the program does not come out the same."),
    "not-compared": T("it runs; the replays could not determine whether the gradient is right."),
    "earlier-wrong": T(
        "it runs; an earlier backward was wrong already, so replays prove nothing here."
    ),
}
"""Why it is not known, by `Silence`."""
