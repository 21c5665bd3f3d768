"""Whether the programs of a pack may run: a sentence, or a question where somebody can answer."""

from __future__ import annotations

import sys

from inplace_tui import paths
from inplace_tui.commands.saying import echo, people
from inplace_tui.commands.spoken import Refusal, Settings
from inplace_tui.confinement import offered
from inplace_tui.drive.packs import Pack
from inplace_tui.present.cells import clean
from inplace_tui.present.trust import question
from inplace_tui.texts import say
from inplace_tui.texts.command import ErrorTexts
from inplace_tui.texts.packs import TrustTexts
from inplace_tui.trust import Trust


def require_trust(pack: Pack | None, settings: Settings) -> None:
    """Return if a program of this pack may run; None is the built-in course.

    Raises:
        Refusal: the learner did not say that they trust it.
    """
    if pack is None:
        return
    trust = Trust(paths.trust_file())
    trusted = pack.digest in trust.digests
    if not trusted and (settings.trust or _said_yes(pack, settings.language)):
        trust.add(pack.digest, pack.folder)
        trusted = True
    if trust.notice is not None:
        people(trust.notice[settings.language])
    if not trusted:
        raise Refusal(ErrorTexts.untrusted, folder=clean(str(pack.folder)))


def _said_yes(pack: Pack, language: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    people(question(str(pack.folder), offered(), language))
    echo(say(TrustTexts.prompt, language), err=True, nl=False)
    return sys.stdin.readline().strip().lower() in ("y", "yes", "是")
