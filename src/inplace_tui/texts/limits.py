"""What a program may have so many of."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText as T

LIMITS = {
    "steps": T(en="steps", zh="步"),
    "bytes": T(en="bytes of recorded steps", zh="字节的运行记录"),
    "memory": T(en="bytes of memory", zh="字节的内存"),
    "processes": T(en="processes", zh="个进程"),
}
