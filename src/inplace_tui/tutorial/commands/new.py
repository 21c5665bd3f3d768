"""The command `new`: a lesson to fill in, which is true before a word of it is changed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from inplace_tui.common import paths
from inplace_tui.common.cells import clip
from inplace_tui.common.command.output import print_lines, print_message
from inplace_tui.common.command.parser import CommandError, localized_command, option, reason_of
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problems, fill
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts, HelpTexts
from inplace_tui.common.texts.starter import CHAPTER, LESSON, StarterTexts
from inplace_tui.tutorial.course.lessons.strict_yaml import ScalarNode, parse
from inplace_tui.tutorial.report.schema import emitted
from inplace_tui.tutorial.settings import Settings

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CHAPTER = re.compile(r"[0-9]+-([a-z0-9]+(-[a-z0-9]+)*)")
_LESSON = re.compile(r"([0-9]+)-(.+)\.ya?ml")
_SCHEMA = "lesson.schema.json"
_LONGEST = 60
_TITLE = 46
"""Cells of a title; `check` refuses more."""


@localized_command("new", HelpTexts.new)
@option("--chapter", text=HelpTexts.chapter, metavar="DIR", type=click.Path(path_type=Path))
@click.argument("slug", metavar="SLUG")
def new_command(settings: Settings, slug: str, chapter: Path | None) -> None:
    """Write a lesson, with its chapter if that is not there yet."""
    if _SLUG.fullmatch(slug) is None or len(slug) > _LONGEST:
        raise CommandError(ErrorTexts.bad_slug, name=slug)
    folder = chapter or Path()
    if chapter is not None and _CHAPTER.fullmatch(chapter.absolute().name) is None:
        raise CommandError(ErrorTexts.bad_chapter, path=chapter)
    taken = paths.lesson_files(settings.lessons or paths.built_in_lessons(), slug)
    if taken:
        raise CommandError(ErrorTexts.id_taken, id=slug, path=taken[0])
    try:
        path = _write(folder, slug, is_chapter=chapter is not None)
    except OSError as error:
        raise CommandError(
            ErrorTexts.cannot_write, path=error.filename or folder, why=reason_of(error)
        ) from error
    print_lines([path.as_posix()])
    in_chapter = (folder / "chapter.yaml").is_file()
    root = Path(os.path.relpath(folder.absolute().parent)).as_posix()
    key = CommandTexts.new_next if in_chapter else CommandTexts.new_next_alone
    print_message(say(key, settings.language, path=path.as_posix(), root=root, id=slug))


def _write(folder: Path, slug: str, *, is_chapter: bool) -> Path:
    if is_chapter:
        folder.mkdir(parents=True, exist_ok=True)
    numbers = [0]
    for each in folder.iterdir():
        found = _LESSON.fullmatch(each.name)
        if found is not None:
            numbers.append(int(found.group(1)))
            if found.group(2) == slug:
                raise CommandError(ErrorTexts.file_exists, path=each)
    header = folder / "chapter.yaml"
    if is_chapter and not header.exists():
        named = _CHAPTER.fullmatch(folder.absolute().name)
        assert named is not None, "the caller looked at it"
        _create(header, CHAPTER.format(**_titles(StarterTexts.chapter, named.group(1))))
    path = folder / f"{max(numbers) + 1:02}-{slug}.yaml"
    schema = _schema(folder, header.exists())
    _create(
        path, LESSON.format(id=_quoted(slug), schema=schema, **_titles(StarterTexts.lesson, slug))
    )
    return path


def _quoted(slug: str) -> str:
    """Return a slug as YAML has it; `no` and `010` would be something else."""
    problems = Problems("")
    read = parse(slug, problems)
    plain = isinstance(read, ScalarNode) and read.value == slug and not problems
    return slug if plain else f'"{slug}"'


def _titles(text: LocalText, slug: str) -> dict[str, str]:
    words = slug.replace("-", " ").capitalize()
    titles = fill(text, title=words)
    return {"title": clip(titles["en"], _TITLE), "title_zh": clip(titles["zh"], _TITLE)}


def _schema(folder: Path, in_chapter: bool) -> str:
    """Return where an editor finds the schema: in a checkout, else beside the chapters."""
    here = folder.resolve()
    for above in (here, *here.parents):
        kept = above / "docs" / "schema" / _SCHEMA
        if kept.is_file():
            return Path(os.path.relpath(kept, here)).as_posix()
    place = here.parent if in_chapter else here
    if not (place / _SCHEMA).exists():
        (place / _SCHEMA).write_bytes(emitted()[_SCHEMA])
    return f"../{_SCHEMA}" if in_chapter else _SCHEMA


def _create(path: Path, text: str) -> None:
    """Write a file that is not there yet; never one that is."""
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
