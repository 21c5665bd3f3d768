"""What is said about packs of lessons from elsewhere."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class TrustTexts:
    """What is asked about packs of lessons, and what becomes of the answers."""

    not_kept = T("That the pack is trusted is not kept: {path} can't be written ({why}).")
    unreadable = T("Which packs are trusted can't be read: {path} ({why}).")
    set_aside = T("{path} could not be understood. It is kept as {aside}; no pack is trusted.")
    question = T(
        "The lessons in {folder} did not come with inplace-tui. Their programs are Python that "
        "runs on this machine and can read what you can read. {files} {network} {again}"
    )
    again_when_changed = T("You are asked again when a file of the pack changes.")
    again_each_time = T("You are asked again each time inplace-tui is started.")
    files_kept = T("They can write nowhere but to a scratch folder of their own.")
    files_open = T("Nothing here can keep them from changing and deleting your files.")
    network_closed = T("They have no network.")
    network_open = T("Nothing here can keep them from the network: they could send what they read.")
    prompt = T("Trust it, and run it? [y/N] ")
    trust = T("trust it, and go on")
