"""Which packs of lessons a learner trusts, by the hash of their content, in a file beside progress.

A pack that changed is another pack. A file that can't be parsed is set aside; then
nothing is trusted, and the question is asked again. Where no program can be kept from anything,
an answer counts until the program is left, and no longer.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from inplace_tui.common.atomic_files import MAX_USER_FILE, free_name, lock, read_whole, replace_file
from inplace_tui.common.cells import clean
from inplace_tui.common.confinement import KernelSupport
from inplace_tui.common.decodable import decodable, encodable
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.system import PORTABLE
from inplace_tui.common.texts import say
from inplace_tui.common.texts.packs import TrustTexts

SCHEMA = 1


class TrustedPack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pack as it was when it was trusted."""

    folder: str
    """Where it was then; for a person who reads the file."""


class Trusted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    schema: int
    packs: dict[str, TrustedPack] = {}
    """By the SHA-256 of what is in them."""


class Trust:
    """What one learner trusts."""

    def __init__(self, path: Path) -> None:
        """Read `path`. Look at `notice` afterwards."""
        self.path = path
        self.notice: LocalText | None = None
        """What the learner should know: it could not be saved, or was set aside."""

        self._session: dict[str, TrustedPack] = {}

    @property
    def digests(self) -> frozenset[str]:
        if PORTABLE:
            return frozenset(self._session)
        return frozenset(self._session | self._read().packs)

    def add(self, digest: str, folder: Path) -> None:
        """Trust a pack as it is; for this session only if that can't be kept."""
        # JSON has no place for a name that is not UTF-8; a person can read it spelt out.
        entry = TrustedPack(folder=encodable(str(folder.absolute())))
        self._session[digest] = entry
        if PORTABLE:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with lock(self.path.with_suffix(".lock")):
                packs = self._read().packs | {digest: entry}
                content = msgspec.json.encode(Trusted(schema=SCHEMA, packs=packs))
                replace_file(self.path, msgspec.json.format(content, indent=2) + b"\n")
        except OSError as error:
            why = error.strerror or str(error)
            self.notice = fill(TrustTexts.not_kept, path=self.path, why=why)

    def _read(self) -> Trusted:
        try:
            content = read_whole(self.path, MAX_USER_FILE)
            found = msgspec.json.decode(content, type=decodable(Trusted))
        except (FileNotFoundError, NotADirectoryError):
            return Trusted(schema=SCHEMA)
        except OSError as error:
            why = error.strerror or str(error)
            self.notice = fill(TrustTexts.unreadable, path=self.path, why=why)
            return Trusted(schema=SCHEMA)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._set_aside()
        return found if found.schema == SCHEMA else self._set_aside()

    def _set_aside(self) -> Trusted:
        aside = free_name(self.path)
        try:
            self.path.rename(aside)
        except OSError:
            aside = self.path
        self.notice = fill(TrustTexts.set_aside, path=self.path, aside=aside)
        return Trusted(schema=SCHEMA)


def question(folder: str, can: KernelSupport, language: str) -> str:
    files = say(TrustTexts.files_kept if can.files else TrustTexts.files_open, language)
    network = say(TrustTexts.network_closed if can.network else TrustTexts.network_open, language)
    again = say(TrustTexts.again_each_time if PORTABLE else TrustTexts.again_when_changed, language)
    return say(
        TrustTexts.question,
        language,
        folder=clean(folder),
        files=files,
        network=network,
        again=again,
    )
