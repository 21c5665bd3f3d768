"""Which system this is: Linux, for which most is written, or any that has Python."""

from __future__ import annotations

import os
import sys

PORTABLE = sys.platform != "linux" or os.environ.get("INPLACE_TUI_PORTABLE") == "1"
"""Nothing is used that only Linux has: no fork, no namespaces, no `/proc`, no Unix sockets.

The one place where that is decided; where two ways differ, one class each does it.
"""
