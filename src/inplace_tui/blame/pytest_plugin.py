"""`pytest --blame`: a failed version check tells in the test's report who is to blame.

Switched on without installing: `pytest -p inplace_tui.blame.pytest_plugin --blame`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inplace_tui.blame import report
from inplace_tui.blame.program import chain, found_in
from inplace_tui.blame.watching import Watching


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("blame", "who changed a tensor that backward needs")
    group.addoption("--blame", action="store_true", help="name who saved it and who changed it")
    group.addoption(
        "--blame-values",
        action="store_true",
        help="and find changes that torch does not count, by checksums",
    )


def pytest_configure(config: Any) -> None:
    if config.getoption("blame") or config.getoption("blame_values"):
        plugin = Plugin(values=config.getoption("blame_values"))
        config.pluginmanager.register(plugin, "inplace_tui.blame.run")


class Plugin:
    """Watches all tests of a run."""

    def __init__(self, *, values: bool) -> None:
        self._watching = Watching(values=values, notes=False)
        self._caught: list[tuple[str, report.Finding]] = []
        self._reported = 0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        outcome: Any = yield
        error = None if call.excinfo is None else call.excinfo.value
        if error is not None:
            self._watching.refused(error)
        raised = [found_in(each) for each in chain(error)]
        result = outcome.get_result()
        for each in self._watching.findings[self._reported :]:
            if any(each is one for one in raised):
                result.sections.append(("blame", report.text(each)))
            else:
                self._caught.append((item.nodeid, each))
        self._reported = len(self._watching.findings)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for test, each in self._caught:
            terminalreporter.section(f"blame: {test}")
            terminalreporter.write_line(report.heading(each))
            terminalreporter.write_line(report.text(each))

    def pytest_unconfigure(self) -> None:
        self._watching.stop()
