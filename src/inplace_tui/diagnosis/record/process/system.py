"""What a run asks of the system that holds its process: of Linux, or of any that has Python."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import NoReturn

from inplace_tui.common.torch_line import torch_line
from inplace_tui.diagnosis.protocol import messages

end = os._exit
"""`os._exit` before any program could replace it: what calls this must not go on."""


class Channel(ABC):
    """The child's end of what its reports go through."""

    @abstractmethod
    def write(self, data: bytes | memoryview) -> int:
        """Write some of it, and return how much; blocks while nobody reads."""

    @abstractmethod
    def close(self) -> None: ...


class RequestSource(ABC):
    """What requests come through."""

    @abstractmethod
    def read(self, *, waits: bool) -> bytes | None:
        """Return what has come; None where nothing has, empty once nobody asks any more."""


class RunProcess(ABC):
    """The process of a run."""

    reports: Channel
    asked: RequestSource
    """Both there once it is connected."""

    @abstractmethod
    def hold(self, job: messages.StartRun) -> None:
        """Have it die with its owner, keep its limits, and do no more than its program may."""

    @abstractmethod
    def connect(self, stdin: bytes) -> None:
        """Give the program its standard streams, and put what is ours out of its reach."""

    @abstractmethod
    def raw_text(self) -> bytes:
        """Return what went to 1 and 2, past Python, as far as it can be known here."""

    @abstractmethod
    def wrote_files(self) -> bool:
        """Return whether it left files in its view other than it found them."""

    @abstractmethod
    def resident(self) -> int:
        """Return the most bytes that it held in memory; 0 where nobody needs them."""

    @abstractmethod
    def forget_memory_limit(self) -> None:
        """Make room to say how it ended, after a program that filled its memory."""

    @abstractmethod
    def follow_fork(self) -> None:
        """Let go of what a copy that the program forked has no part in."""

    @abstractmethod
    def leave(self) -> NoReturn:
        """End, now that all is reported."""


def refused(failure: Exception) -> messages.Refused:
    """Return why no program can be run here, where torch could not be imported or read."""
    lacks = type(failure).__name__ in ("UnsupportedTorchError", "LayoutError")
    reason = str(failure) if lacks else f"{type(failure).__name__}: {failure}"
    if getattr(failure, "name", None) == "torch":
        reason = f"{failure} ({torch_line()})"
    return messages.Refused(reason=reason, has_torch=lacks)
