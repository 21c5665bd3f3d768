"""What the witness saw in the first run: who saved, who changed, who needed a tensor."""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.outcome import StackFrame


class WitnessPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The stack of one operation, the innermost frame first."""

    frames: tuple[StackFrame, ...] = ()
    op: str | None = None
    slot: str | None = None
    name: str | None = None
    """Of what was saved."""

    version: int | None = None
    version_after: int | None = None
    """Of what was written."""


class WitnessedError(msgspec.Struct, frozen=True, kw_only=True):
    """The exception, as torch raised it."""

    type: str
    message: str


class Witnessed(msgspec.Struct, frozen=True, kw_only=True):
    """One failure; the fields are those of a finding of `inplace_tui.blame`."""

    category: str
    """The word of a verdict: a version check failed, or a write in place was refused."""

    error: WitnessedError
    saved: WitnessPlace | None = None
    writes: tuple[WitnessPlace, ...] = ()
    reader: WitnessPlace | None = None
    writer: WitnessPlace | None = None
