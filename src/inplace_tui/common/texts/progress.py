"""Whether and where progress is kept."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class ProgressTexts:
    """Notices about the file."""

    not_kept = T("Progress is not kept.")
    unwritable = T("Progress is not kept ({why}): {path} can't be written.")
    no_home = T("Progress is not kept: this user has no home folder. Name a folder in {variable}.")
    unlocked = T(
        "Another inplace-tui has locked {path} and does not answer; progress is kept all the same."
    )
    unreadable = T("Progress is not kept ({why}): {path} can't be read.")
    newer = T(
        "Progress is not kept: {path} was written by a newer version (schema {schema}). "
        "It is left as it is."
    )
    newer_schema = T("it was written by a newer version (schema {schema})")
    broken = T("Progress is not kept: {path} is no progress file ({why}).")
    set_aside = T(
        "{path} could not be understood ({why}). It is kept as {aside}; progress begins anew."
    )
    no_record = T("it is no progress record: {why}")
