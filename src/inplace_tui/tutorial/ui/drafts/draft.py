"""What the sandbox opens with: the last programs, and what was typed and not saved.

Copies of that survive whatever ends the program. Every process has copies of its own: a lock
that the kernel takes back when a process dies tells which of them nobody is working on any more.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from pathlib import Path

from inplace_tui.common import locks, paths
from inplace_tui.common.atomic_files import read_whole, replace_file
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.ui.drafts import textfile
from inplace_tui.tutorial.ui.drafts.textfile import MAX_BYTES, TextFile, reason_of
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.program_line import LineError, quoted, words_of

MAX_PATH = 4096
"""Bytes of a path."""


@dataclass(frozen=True)
class RecoveredDraft:
    """What was found of a program that was being written."""

    text: str | None = None
    """The newest copy; None where none can be read."""

    origin: Origin = Origin.PACK
    """Of that text."""

    base: str = ""
    """The digest of what was in the file when it was typed; "" where that is not known."""

    copies: tuple[Path, ...] = ()
    """Copies to delete once the text is saved elsewhere: the newest, and those equal to it."""

    unreadable: tuple[Path, ...] = ()
    """Files named like a copy that are not one. They are left as they are."""

    others: int = 0
    """Older copies with other texts, which are shown when this one is done with."""


class Recovery:
    """Where copies are kept, one for each program that is being written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trouble: str | None = None
        """Why nothing can be kept; None as long as it can."""

        self._token = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._lock: int | None = None

    def kept(self, path: Path | None) -> RecoveredDraft:
        """Return what dead processes left of a program; None is the one without a file."""
        found: list[tuple[int, Path, str, Origin, str]] = []
        unreadable = []
        for copy in self._left(path):
            try:
                found.append((copy.stat().st_mtime_ns, copy, _read(copy), *_about(copy)))
            except FileNotFoundError:
                continue
            except (OSError, ValueError):
                unreadable.append(copy)
        if not found:
            return RecoveredDraft(unreadable=tuple(unreadable))
        found.sort(reverse=True)
        newest = found[0][2:]
        same = tuple(copy for _, copy, *other in found if tuple(other) == newest)
        others = len({tuple(other) for _, _, *other in found}) - 1
        return RecoveredDraft(*newest, same, tuple(unreadable), others)

    def copy(
        self, path: Path | None, instead_of: tuple[Path, ...] = (), base: str = ""
    ) -> DraftCopy:
        number = f"{self._token}-{next(self._numbers)}"
        return DraftCopy(self, _key(path), number, instead_of, path, base)

    def unsaved_files(self) -> list[Path]:
        """Return the files of which processes that are no more left copies."""
        found = []
        try:
            for note in sorted(self.folder.glob("*.path")):
                path = Path(os.fsdecode(read_whole(note, MAX_PATH)))
                if _key(path) == note.stem and self._left(path):
                    found.append(path)
        except (OSError, ValueError):
            return []
        return found

    def begin(self) -> None:
        """Take the lock that says that this process lives.

        Raises:
            OSError: the folder can't be written.
        """
        if self._lock is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        place = self._lock_of(self._token)
        while True:
            lock = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
            with suppress(OSError):  # a folder from elsewhere may know no locks
                locks.take(lock)
            with suppress(FileNotFoundError):
                if os.fstat(lock).st_ino == place.stat().st_ino:
                    self._lock = lock
                    return
            os.close(lock)  # somebody tidied it away before it was locked

    def close(self) -> None:
        """Nothing of this process is left to be recovered, or all of it is."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            with suppress(OSError):
                self._lock_of(self._token).unlink()

    def _left(self, path: Path | None) -> list[Path]:
        try:
            found = sorted(self.folder.glob(f"{_key(path)}*.py"))
        except OSError:
            return []
        return [copy for copy in found if not self._is_worked_on(copy)]

    def _is_worked_on(self, copy: Path) -> bool:
        parts = copy.stem.split("-")
        if len(parts) != 3:
            return False
        place = self._lock_of(parts[1])
        try:
            lock = os.open(place, os.O_RDWR)
        except OSError:
            return False
        try:
            locks.take(lock)
        except BlockingIOError:
            return True
        except OSError:
            return False
        else:
            with suppress(OSError):  # a file that is open stays on Windows, for whoever tidies
                place.unlink(missing_ok=True)  # its process is gone
        finally:
            os.close(lock)
        return False

    def _lock_of(self, token: str) -> Path:
        return self.folder / f"{token}.lock"


@dataclass
class DraftCopy:
    """The copy of one program, while it is being written."""

    recovery: Recovery
    key: str
    number: str
    instead_of: tuple[Path, ...] = ()
    """Copies that this one takes the place of."""

    path: Path | None = None
    """Of the file; it is written beside the copy, whose name does not tell it."""

    base: str = ""
    """As in `RecoveredDraft`."""

    place: Path | None = None
    """Where it is; None before it is written."""

    def save(self, text: str, origin: Origin) -> bool:
        """Keep this text; return whether that could be done. Nobody is kept from typing.

        The name of the file says whose program it is, so that both change at once.
        """
        place = self.recovery.folder / f"{self.key}.{origin}.{self.base}-{self.number}.py"
        fresh = place.with_suffix(".new")
        try:
            self.recovery.begin()
            if self.place is None and self.path is not None:
                self._note.write_bytes(os.fsencode(self.path.absolute()))
            fresh.write_bytes(text.encode("utf-8", "surrogatepass"))
            os.replace(fresh, place)
        except OSError as refusal:
            self.recovery.trouble = reason_of(refusal)
            with suppress(OSError):  # half a copy, on a full disk
                fresh.unlink(missing_ok=True)
            return False
        self.recovery.trouble = None
        self._drop(*self.instead_of, self.place if self.place != place else None)
        self.instead_of, self.place = (), place
        return True

    def forget(self) -> None:
        self._drop(*self.instead_of, self.place)
        self.instead_of = ()
        with suppress(OSError):
            if not any(self.recovery.folder.glob(f"{self.key}.*.py")):
                self._note.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.recovery.folder / f"{self.key}.path"

    @staticmethod
    def _drop(*copies: Path | None) -> None:
        for copy in copies:
            if copy is not None:
                with suppress(OSError):
                    copy.unlink(missing_ok=True)


def _key(path: Path | None) -> str:
    if path is None:
        return "untitled"
    return digest(str(path.absolute()))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _about(copy: Path) -> tuple[Origin, str]:
    """Return whose a copy is and its base; one whose name doesn't say so gets no rights."""
    _, origin, base, *_ = [*copy.name.partition("-")[0].split("."), "", ""]
    try:
        return Origin(origin), base
    except ValueError:
        return Origin.PACK, base


def _read(copy: Path) -> str:
    """Return the text of a copy.

    Raises:
        OSError: it can't be read.
        ValueError: it is not what this program writes.
    """
    content = read_whole(copy, 2 * MAX_BYTES)
    if b"\0" in content:
        raise ValueError(copy)
    return content.decode("utf-8", "surrogatepass")


AT_THE_END = sys.maxsize
"""A step to open at: wherever the run ends."""

MOST = 6
"""How many are offered: they fit the smallest screens."""


@dataclass(frozen=True)
class Draft:
    """A text, where it is from, and what to notice about it."""

    text: str
    origin: Origin
    """Of a copy, that of the program; it becomes one's own by being saved to a file."""

    file: TextFile | None = None
    seed: int | None = 0
    cursor: int | None = None
    """The step to show at once; None does not run anything yet."""

    kept: RecoveredDraft = field(default_factory=RecoveredDraft)
    """What was left unsaved last time."""

    missing: bool = False
    """`file` is not there yet."""

    opening: Opening = field(default_factory=Opening)
    """How it is started."""

    notice: LocalText | None = None
    """Key of what to say first."""

    @property
    def program(self) -> Program:
        """What to run as long as nothing was edited."""
        return Program(source=self.text, origin=self.origin, filename="sandbox.py", seed=self.seed)


def drafted(recovery: Recovery, opening: Opening) -> Draft:
    """Return what the sandbox opens with: the file, and what was not saved last time.

    Raises:
        FileError: the file can't be opened.
    """
    path, is_given = opening.file, opening.content is not None
    file = None if path is None else textfile.read(path)
    text = "" if file is None else file.text
    if opening.content is not None:
        text = textfile.text_of(opening.content, "-")
    return Draft(
        text,
        origin=Origin.OWN,
        file=file,
        seed=0 if file is None and not is_given else None,
        kept=RecoveredDraft() if is_given else recovery.kept(path),
        missing=file is not None and file.content is None,
        opening=opening,
    )


@dataclass(frozen=True)
class LastProgram:
    """A program that was opened or saved."""

    path: Path
    folder: Path
    line: str
    """How it was called there, as one types it."""

    def offered(self) -> tuple[str, str, Path] | None:
        """Return how it is called from here, the same without its folder, and that.

        None where it can't be called.
        """
        try:
            words, here = words_of(self.line), paths.from_here(self.path)
        except (LineError, OSError):
            return None  # nobody called it like that, or the working directory is gone
        for word in words:
            if Path(self.folder, paths.expanded(word.text)) == self.path:
                before, behind = self.line[: word.start], self.line[word.end :]
                line, shown = (f"{before}{quoted(each)}{behind}" for each in (str(here), here.name))
                return line, shown, self.path.parent
        # A module is found from the folder alone where it was called.
        return (self.line, self.line, self.folder) if self.folder == Path.cwd() else None


def last_programs(home: Path) -> list[LastProgram]:
    """Return those that are still there, the last one first."""
    try:
        lines = read_whole(_file(home), MOST * 8 * MAX_PATH).decode().splitlines()
    except (OSError, ValueError):
        return []
    parts = [line.split("\t") for line in lines if line.count("\t") == 2]
    known = [LastProgram(Path(path), Path(folder), line) for path, folder, line in parts]
    return [each for each in known if os.path.isfile(each.path)][:MOST]


def remember(home: Path, path: Path, line: str = "") -> None:
    """Keep that a program was opened, and how it was called, if that can be done."""
    with suppress(OSError):
        path = path.absolute()
        known = {each.path: each for each in last_programs(home)}
        before = known.pop(path, None)
        if line or before is None:
            before = LastProgram(path, Path.cwd(), line or quoted(str(path)))
        lines = ["\t".join(map(str, astuple(each))) for each in (before, *known.values())]
        lines = [f"{each}\n" for each in lines if each.replace("\t", "", 2).isprintable()]
        lines = [each for each in lines if len(each) <= 2 * MAX_PATH]
        home.mkdir(parents=True, exist_ok=True)
        replace_file(_file(home), "".join(lines[:MOST]).encode())


def _file(home: Path) -> Path:
    return home / "last-programs.txt"
