"""The line that installs torch where it is missing, without the gigabytes of CUDA."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from inplace_tui.common.atomic_files import read_whole

TESTED = "torch==2.13.0"
"""With which all lessons are checked."""

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""As PyTorch's own page has it for Linux. Of its builds on PyPI, only those for Linux have CUDA."""

MAX_SETTINGS = 65_536
"""Bytes of what an environment says of itself."""


def torch_line() -> str:
    """Return it for the interpreter that runs this, by the tool that made its environment."""
    index = f" --index-url {CPU_INDEX}" if sys.platform == "linux" else ""
    home = Path(sys.prefix)
    if (home / "pipx_metadata.json").is_file():
        return f"pipx inject {_quoted(home.name)} {TESTED}{index}"
    python = _quoted(sys.executable)
    if _made_by_uv(home):
        return f"uv pip install --python {python} --torch-backend cpu {TESTED}"
    return f"{python} -m pip install {TESTED}{index}"


def _quoted(word: str) -> str:
    return subprocess.list2cmdline([word]) if sys.platform == "win32" else shlex.quote(word)


def _made_by_uv(home: Path) -> bool:
    """Tell whether an environment is one of uv's, which have no pip."""
    try:
        said = read_whole(home / "pyvenv.cfg", MAX_SETTINGS).decode("utf-8", "replace")
    except OSError:
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in said.splitlines())
