"""The progress of `explain` on stderr: for a terminal, for a log, beside a document."""

from __future__ import annotations

import sys

import pytest

from inplace_tui.diagnosis.commands import explain
from inplace_tui.diagnosis.commands.explain import StageLine
from inplace_tui.diagnosis.drive.explain import Activity

CLEARED = "\r\x1b[K"


def drawn(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_terminal: bool,
    is_for_people: bool = True,
) -> str:
    """Return what stands on stderr after two stages, between which the program wrote."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.setattr(explain, "SPARSE_SECONDS", 0.0)
    monkeypatch.setattr(explain, "monotonic", lambda: 100.0)
    bar = StageLine(2, "en", is_for_people=is_for_people)
    bar.begin("a.py")
    bar.show(Activity("running", 1))
    bar.wrote("half a row")
    sys.stderr.write("half a row")
    bar.show(Activity("fixing", 4, 2, 5))
    bar.clear()
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_on_a_terminal_one_line_is_written_over_and_no_row_of_the_program_s(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    err = drawn(monkeypatch, capsys, is_terminal=True)

    before, after = err.split("half a row")
    assert before.endswith(f"{CLEARED}0/2  a.py  running  run 1, 0 s{CLEARED}")
    fixing = "0/2  a.py  trying fixes, 2 of 5 tried  run 4, 0 s"
    assert after == f"\n{CLEARED}{fixing}{CLEARED}"


def test_a_log_has_lines_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    err = drawn(monkeypatch, capsys, is_terminal=False)

    assert "a.py: running (run 1), after 0 s\n" in err
    assert "a.py: trying fixes, 2 of 5 tried (run 4), after 0 s\n" in err


def test_beside_a_document_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    err = drawn(monkeypatch, capsys, is_terminal=False, is_for_people=False)

    assert err == "half a row"
