"""`timeout` and `TaskGroup` of asyncio, which Python has from 3.11 on."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from asyncio import TaskGroup, timeout
else:
    from taskgroup import TaskGroup, timeout

__all__ = ["TaskGroup", "timeout"]
