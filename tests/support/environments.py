"""Environments of Python, made in a second: their packages are those of the tests."""

from __future__ import annotations

import sys
import venv
from pathlib import Path


def make_environment(folder: Path, *, torch: bool = True) -> Path:
    """Make an environment, with the packages of the tests or none; return its interpreter."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    (theirs,) = folder.glob("lib/python*/site-packages")
    ours = Path(sys.prefix, *theirs.relative_to(folder).parts)
    if torch:
        (theirs / "packages.pth").write_text(f"{ours}\n")
    return folder / "bin" / "python"


def lend_packages(folder: Path, *, but: tuple[str, ...]) -> None:
    """Lend an environment the packages of the tests, but those whose names begin so."""
    (theirs,) = folder.glob("lib/python*/site-packages")
    ours = Path(sys.prefix, *theirs.relative_to(folder).parts)
    for path in ours.iterdir():
        if not path.name.startswith((*but, "__pycache__")) and path.suffix != ".pth":
            (theirs / path.name).symlink_to(path)
