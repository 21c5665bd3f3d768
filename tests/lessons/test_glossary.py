"""Lessons and texts keep to the terms of the glossary."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_word_that_the_glossary_excludes_is_used() -> None:
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    cells = [row.strip("|").split("|") for row in rows if row.startswith("| ")][1:]
    excluded = [word.strip() for *_, words in cells for word in words.split(",")]
    excluded = [word for word in excluded if word != "—"]
    files = [*ROOT.glob("lessons/**/*.yaml"), *ROOT.glob("src/inplace_tui/texts/*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in files}

    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path, text in texts.items()
        for word in excluded
        if word in text
    ]

    assert len(excluded) > 10
    assert len(texts) > 100
    assert found == []
