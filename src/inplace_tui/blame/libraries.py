"""Which files are of Python, torch or an installed package, and not of the user's own."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig

from inplace_tui.blame.program import OWN


@functools.cache
def library_roots() -> tuple[str, ...]:
    """The folders of the standard library and of installed packages."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    roots = {path for path in map(sysconfig.get_path, names) if path}
    if "torch" in sys.modules:
        roots.add(os.path.dirname(os.path.abspath(sys.modules["torch"].__file__ or "")))
    return tuple(root.rstrip(os.sep) + os.sep for root in roots | set(map(os.path.realpath, roots)))


@functools.cache
def scripts_folder() -> str:
    """Where the commands of installed packages lie, as `ipython` and `pytest` do."""
    return os.path.realpath(sysconfig.get_path("scripts"))


@functools.lru_cache(maxsize=4096)
def is_library(file: str) -> bool:
    """Whether a file is of Python, torch or an installed package, generated, or no file at all."""
    if file.startswith(("<frozen", "<__array_function__", "<eval_with_key>", "<torch_package")):
        return True
    path = file.replace("\\", "/")
    if "/site-packages/" in path or "/dist-packages/" in path or file.startswith(OWN):
        return True
    compiled = os.environ.get("TORCHINDUCTOR_CACHE_DIR")  # torch.compile sets it if it is not
    return file.startswith((*library_roots(), *([compiled + os.sep] if compiled else [])))
