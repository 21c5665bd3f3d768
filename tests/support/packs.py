"""A pack of lessons as somebody else wrote it."""

from __future__ import annotations

from pathlib import Path

from inplace_tui.common.texts.starter import CHAPTER, LESSON


def write_pack(folder: Path, identity: str, title: str = "Mine") -> Path:
    """Write a pack with one chapter and one lesson, and return its folder."""
    chapter = folder / "01-mine"
    chapter.mkdir(parents=True)
    titles = {"title": title, "title_zh": title}
    (chapter / "chapter.yaml").write_text(CHAPTER.format(**titles), encoding="utf-8")
    text = LESSON.format(id=identity, schema="s", **titles)
    (chapter / f"01-{identity}.yaml").write_text(text, encoding="utf-8")
    return folder
