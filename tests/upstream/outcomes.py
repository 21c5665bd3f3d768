"""A plugin of pytest: writes how each test ended into the file that OUTCOMES names, as it ends."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

ADDRESS = re.compile(r"0x[0-9a-f]+")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Say which test began: of one that ends the process, nothing else is known."""
    write(nodeid, "began")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    if call.when == "call" or report.outcome != "passed":
        error = call.excinfo
        said = "" if error is None else f" {error.typename}: {error.value}"
        write(item.nodeid, report.outcome + ADDRESS.sub("0x…", said))


def write(test: str, ended: str) -> None:
    with open(os.environ["OUTCOMES"], "a", encoding="utf-8") as opened:
        opened.write(json.dumps([test, ended]) + "\n")
