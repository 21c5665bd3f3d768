"""What is asked about a pack of lessons, with what this machine can keep it from."""

from __future__ import annotations

from inplace_tui.common.cells import clean
from inplace_tui.common.confinement import KernelSupport
from inplace_tui.common.texts import say
from inplace_tui.common.texts.packs import TrustTexts


def question(folder: str, can: KernelSupport, language: str) -> str:
    files = say(TrustTexts.files_kept if can.files else TrustTexts.files_open, language)
    network = say(TrustTexts.network_closed if can.network else TrustTexts.network_open, language)
    return say(TrustTexts.question, language, folder=clean(folder), files=files, network=network)
