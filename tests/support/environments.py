"""Environments of Python, made in a second: their packages are those of the tests."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

STALE = """\
import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""
"""A program whose line 4 is at fault."""


def make_environment(folder: Path, *, torch: bool = True) -> Path:
    """Make an environment, with the packages of the tests or none; return its interpreter."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    (theirs,) = folder.glob("lib/python*/site-packages")
    ours = Path(sys.prefix, *theirs.relative_to(folder).parts)
    if torch:
        (theirs / "packages.pth").write_text(f"{ours}\n")
    return folder / "bin" / "python"


TORCH = (
    "torch", "functorch", "filelock", "fsspec", "jinja2", "markupsafe", "mpmath", "networkx",
    "sympy", "typing_extensions",
)  # fmt: skip
"""It, and what it imports."""


def lend_packages(
    folder: Path, *, only: tuple[str, ...] = ("",), but: tuple[str, ...] = ()
) -> None:
    """Lend an environment the packages of the tests whose names begin so, but some of them."""
    (theirs,) = folder.glob("lib/python*/site-packages")
    ours = Path(sys.prefix, *theirs.relative_to(folder).parts)
    for path in ours.iterdir():
        is_lent = path.name.startswith(only) and not path.name.startswith((*but, "__pycache__"))
        if is_lent and path.suffix != ".pth" and not (theirs / path.name).exists():
            (theirs / path.name).symlink_to(path)
