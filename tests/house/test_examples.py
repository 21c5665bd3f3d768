"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import PurePath

from house.test_files import texts


def test_the_examples_in_docstrings_are_true() -> None:
    modules = [
        ".".join(PurePath(path).with_suffix("").parts[1:])
        for path, text in texts("src").items()
        if ">>> " in text
    ]

    results = {module: doctest.testmod(import_module(module)) for module in modules}

    assert sum(result.attempted for result in results.values()) > 50, "they were found"
    assert {module: result for module, result in results.items() if result.failed} == {}
