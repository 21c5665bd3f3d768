"""What the editor of the sandbox says: finding, completing, running while one types."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class EditorTexts:
    """The editor."""

    editor = T("Editor")
    empty = T(
        "Type a program here. {keys[run]} runs it, {keys[open]} opens a file;\n"
        "{keys[edit]} in a lesson opens the program of that lesson here."
    )
    nothing_to_undo = T("There is nothing to undo.")
    nothing_to_redo = T("There is nothing to do again: nothing was undone.")
    nothing_copied = T(
        "Nothing was copied here. Your terminal's own key pastes what was copied elsewhere."
    )
    in_editor = T("{key} works in the editor: {keys[type]} goes there.")
    find = T("Find")
    replace = T("Replace")
    found = T("{at}/{count}")
    found_none = T("not found")
    find_keys = T("Enter next · ↑ back · Tab replace · Esc")
    replace_keys = T("Enter replaces · ↓ skips · Alt-A all · Esc")
    find_keys_short = T("Enter ↑ Tab Esc")
    replace_keys_short = T("Enter ↓ Alt-A Esc")
    in_place = T("in place, version +1")
    can_save = T("can save {names}")
    kind_class = T("class")
    kind_module = T("module")
    kind_attribute = T("attribute")
    other_file = T(
        "{name} is not edited here: change it in an editor of yours, it is read at each run. "
        "Here is {main}."
    )
    nothing_to_complete = T("Nothing to complete here.")
    nothing_sought = T("Nothing was looked for yet.")


OFFER_KINDS = {
    "class": EditorTexts.kind_class,
    "module": EditorTexts.kind_module,
    "attribute": EditorTexts.kind_attribute,
}
"""What a completion is; a function shows its signature instead."""
