"""What the witness saw in the first run: who saved, who changed, who needed a tensor."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.outcome import StackFrame


class WitnessPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The stack of one operation, the innermost frame first."""

    frames: tuple[StackFrame, ...] = ()
    op: str | None = None


class WitnessedSave(WitnessPlace, frozen=True, kw_only=True):
    """Where a tensor was saved."""

    slot: str | None = None
    name: str | None = None
    version: int | None = None


class WitnessedWrite(WitnessPlace, frozen=True, kw_only=True):
    """Where it was written in place."""

    version: int | None = None
    version_after: int | None = None


class WitnessedError(msgspec.Struct, frozen=True, kw_only=True):
    """The exception, as torch raised it."""

    type: str
    message: str


class Witnessed(msgspec.Struct, frozen=True, kw_only=True):
    """One failure; the fields are those of a finding of `inplace_tui.blame`."""

    category: str
    """The word of a verdict: a version check failed, or a write in place was refused."""

    error: WitnessedError
    saved: WitnessedSave | None = None
    writes: tuple[WitnessedWrite, ...] = ()
    reader: WitnessPlace | None = None
    writer: WitnessedWrite | None = None
