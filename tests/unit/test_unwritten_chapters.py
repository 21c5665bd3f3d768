"""Texts of a `chapter.yaml` that nobody has written yet are found as those of lessons are."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.tutorial.drive.check import select

CHAPTER = """\
schema: 1
title: {{en: "{en}", zh: "{zh}"}}
summary: {{en: "Read this.", zh: "{intro}"}}
"""


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        (("Storage", "存储", "请读。"), []),
        (("TO WRITE", "存储", "请读。"), [2]),
        (("Storage", "待写", "请读。"), [2]),
        (("Storage", "Storage", "请读。"), [2]),
        (("Storage", "存储", "Read this."), [3]),
        (("TO WRITE: a title", "TO WRITE", "待写"), [2, 2, 3]),
    ],
)
@pytest.mark.parametrize("part", [".", "01-one"])
def test_a_chapter_without_its_texts_is_told_of(
    tmp_path: Path, texts: tuple[str, ...], lines: list[int], part: str
) -> None:
    folder = tmp_path / "01-one"
    folder.mkdir()
    (folder / "chapter.yaml").write_text(
        CHAPTER.format(**dict(zip(("en", "zh", "intro"), texts, strict=True)))
    )

    problems = select([tmp_path / part]).problems

    assert [each.line for each in problems if each.path.endswith("chapter.yaml")] == lines
