"""A finding as text. As data it is dicts, lists, strings and numbers, ready for JSON."""

from __future__ import annotations

from typing import Any

from inplace_tui.blame import frames

Finding = dict[str, Any]
"""One failure: `category`, `error`, `saved`, `writes`, `unseen`, `reader`; see docs/blame.md."""

CHECKPOINT = "checkpoint"
"""What kept a tensor that belongs to no slot of a node, but is an input of the function to run."""

SHOWN = 8
"""How many writes are printed: of a longer list the first and the last ones."""

SIGNS = {
    "__setitem__": "[…] =",
    "__iadd__": "+=",
    "__isub__": "-=",
    "__imul__": "*=",
    "__itruediv__": "/=",
    "__idiv__": "/=",
    "__ifloordiv__": "//=",
    "__imod__": "%=",
    "__ipow__": "**=",
    "__iand__": "&=",
    "__ior__": "|=",
    "__ixor__": "^=",
    "__ilshift__": "<<=",
    "__irshift__": ">>=",
}

BLIND = (
    "no call that was watched did: look for out=, torch.ops, torch.Tensor.method(x, …), "
    "TorchScript, a C++ extension or a compiled region"
)


def place(captured: list[frames.Frame]) -> dict[str, Any]:
    """Return the innermost frame of the user's, and the whole stack."""
    found = frames.headline(captured) or {}
    shown = {key: found.get(key) for key in ("file", "line", "function", "code")}
    return {**shown, "frames": captured}


def text(finding: Finding) -> str:
    """Return who saved, who changed and who needed the tensor, a line each and their stacks."""
    if "writer" in finding:
        writer = finding["writer"]
        lines = _place(f"refused: the in-place write {_op(writer['op'])}", writer)
    else:
        reader = finding["reader"]
        lines = _place(_saved(finding), finding["saved"]) + _writes(finding)
        lines += _place(f"needed by {reader['op']}", reader)
    return "\n".join(["inplace_tui.blame:", *lines])


def _saved(finding: Finding) -> str:
    saved = finding["saved"]
    what = f"{saved['name']}, " if saved["name"] else ""
    what += f"{saved['type']} [{saved['shape']}]" if saved["type"] else "a tensor"
    by = f" by {saved['op']}" if saved["op"] else ""
    if saved["slot"] == CHECKPOINT:
        by = f" by a checkpoint, for {saved['op']}"
    used = [each for each in saved["parameters"] if each != saved["name"]]
    beside = f" (with {', '.join(used)})" if used else ""
    at = "" if saved["version"] is None else f" at version {saved['version']}"
    return f"saved{by}{beside}{at}: {what}"


def _writes(finding: Finding) -> list[str]:
    lines: list[str] = []
    writes = finding["writes"]
    half = SHOWN // 2
    for index, each in enumerate(writes):
        if len(writes) > SHOWN and half <= index < len(writes) - half:
            if index == half:
                lines.append(f"  … {len(writes) - SHOWN} more writes")
            continue
        versions = (
            "no version check saw it"
            if each["version"] is None
            else f"version {each['version']} to {each['version_after']}"
        )
        lines += _place(f"changed by {_op(each['op'])}: {versions}", each)
    if finding["not_kept"]:
        lines.append(f"  of {finding['not_kept']} earlier writes to this storage not each was kept")
    elif finding["category"] == "silently-wrong":
        if not writes:
            lines.append(f"  who changed it was not seen: {BLIND}, NumPy or `x.data = …`")
    else:
        for first, end in finding["unseen"]:
            lines.append(f"  who changed it from version {first} to {end} was not seen: {BLIND}")
    return lines


def _op(op: str) -> str:
    return SIGNS.get(op, op)


def _place(title: str, at: dict[str, Any]) -> list[str]:
    lines = [f"  {title}"]
    folded = 0
    for each in at["frames"]:
        if each["library"]:
            folded += 1
            continue
        if folded:
            lines.append(f"    … {folded} frame{'s' if folded > 1 else ''} of libraries")
        folded = 0
        where = f"{frames.shown(each['file'])}:{each['line']} in {each['function']}"
        lines.append(f"    {where}    {each['code']}".rstrip())
    if len(lines) == 1 and at["frames"]:  # nothing of the user's
        only = at["frames"][0]
        lines.append(f"    {only['file']}:{only['line']} in {only['function']}    {only['code']}")
    elif not at["frames"]:
        lines.append("    where is not known")
    return lines


def heading(finding: Finding) -> str:
    """Return a line for an error that the program caught, or that was none."""
    return f"{finding['error']['type']}: {finding['error']['message']}"
