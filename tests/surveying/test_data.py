"""The files of the survey as a reader finds them, and the survey run again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from survey.__main__ import DATA
from survey.changes import PAGE as CHANGES
from survey.changes import page as changes_page
from survey.datafile import read
from survey.derivatives import PAGE as DERIVATIVES
from survey.derivatives import comparisons
from survey.derivatives import page as derivatives_page

ROOT = Path(__file__).parents[2]
FILES = sorted(DATA.glob("torch-*.json"))
OF_THE_ENVIRONMENT = DATA / "torch-2.13.json"
AGAIN = ["op_db kron", "op_db nn.functional.relu", "op_db split", "Tensor.copy_", "optim.Adam"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nearly_all_that_torch_lists_has_an_answer(path: Path) -> None:
    header = read(path)["header"]

    for listed in ("op_db", "methods"):
        answered, every = header[listed]
        assert answered / every >= 0.95, listed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_row_without_an_answer_has_a_reason(path: Path) -> None:
    for row in read(path)["rows"]:
        assert ("cases" in row) != ("untried" in row), row["name"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_alias_is_never_the_name_of_another_row(path: Path) -> None:
    rows = read(path)["rows"]
    names = [row["name"] for row in rows]

    assert len(set(names)) == len(names)
    assert {each for row in rows for each in row.get("aliases", [])} & set(names) == set()


def test_what_changed_between_versions_is_as_the_files_say() -> None:
    assert CHANGES.read_text(encoding="utf-8") == changes_page(FILES)


@pytest.mark.whole
def test_what_an_operation_keeps_is_what_its_formula_saves() -> None:
    found = comparisons(read(OF_THE_ENVIRONMENT))
    unexplained = [
        each for each in found if each.yaml != each.found and each.reason() == "not known"
    ]

    assert unexplained == []
    assert len(found) > 400
    said = DERIVATIVES.read_text(encoding="utf-8")
    assert said == derivatives_page(found, read(OF_THE_ENVIRONMENT)["header"]["torch"])


@pytest.mark.whole
def test_a_second_survey_finds_the_same(tmp_path: Path) -> None:
    again = tmp_path / "again.json"
    subprocess.run(
        [sys.executable, "-m", "survey", "--workers", "1", "--only", *AGAIN, "--to", str(again)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    known = _cases(OF_THE_ENVIRONMENT)

    found = _cases(again)

    assert len(found) > 10
    assert {name: known[name] for name in found} == found


def _cases(path: Path) -> dict[str, Any]:
    return {row["name"]: json.dumps(row.get("cases")) for row in read(path)["rows"]}
