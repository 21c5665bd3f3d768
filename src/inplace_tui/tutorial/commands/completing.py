"""What a shell completes the names of lessons and challenges with."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from inplace_tui.common import paths
from inplace_tui.tutorial.settings import Settings


def lesson_ids(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _ids(ctx, "[0-9]*/[0-9]*.yaml", incomplete)


def challenge_ids(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _ids(ctx, "challenges/[0-9]*.yaml", incomplete)


def lessons_or_files(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    # In bash, what stands before files is taken back.
    return [CompletionItem(incomplete, type="file"), *lesson_ids(ctx, parameter, incomplete)]


def _ids(ctx: click.Context, pattern: str, incomplete: str) -> list[CompletionItem]:
    """Return those that begin so, by the names of their files: no file is read for a Tab."""
    folder = ctx.ensure_object(Settings).lessons or paths.built_in_lessons()
    names = (path.stem.partition("-")[2] for path in sorted(folder.glob(pattern)))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
