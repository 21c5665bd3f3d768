"""Lessons and texts keep to the terms of the glossary."""

from __future__ import annotations

import re
from pathlib import Path

from inplace_tui.common.cells import width
from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.texts.glossary import WORDS

ROOT = Path(__file__).parents[2]


def test_no_word_that_the_glossary_excludes_is_used() -> None:
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    cells = [row.strip("|").split("|") for row in rows if row.startswith("| ")][1:]
    excluded = [word.strip() for *_, words in cells for word in words.split(",")]
    excluded = [word for word in excluded if word != "—"]
    files = [*ROOT.glob("lessons/**/*.yaml"), *ROOT.glob("src/inplace_tui/common/texts/*.py")]
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


def test_the_words_that_explain_themselves_are_terms_of_the_glossary() -> None:
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    terms = [row.strip("|").split("|")[:2] for row in rows if row.startswith("| ")][1:]
    chinese = [re.match("`[^`]+`（(.+?)）", word.text["zh"]) for word in WORDS]

    for word, match in zip(WORDS, chinese, strict=True):
        if match is None:  # PyTorch's own spelling, in both languages
            assert word.id == "grad_fn"
            continue
        assert any(re.search(rf"\b{word.id}\b", en) and match[1] in zh for en, zh in terms), word.id


def test_what_a_word_means_is_said_in_a_line() -> None:
    for word in WORDS:
        for language in LANGUAGES:
            assert word.text[language].startswith(f"`{word.id}`")
            assert width(word.text[language].replace("`", "")) <= 78


def test_words_are_found_in_a_text_of_their_language() -> None:
    for word in WORDS:
        for language in LANGUAGES:
            assert word.pattern.search(word.text[language])
