"""stdout is data, stderr is for people."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click
import msgspec


def print_lines(lines: Iterable[str]) -> None:
    """Print a page."""
    for line in lines:
        click.echo(line)


def people(line: str) -> None:
    """Say something that is no data."""
    click.echo(line, err=True)


class Bar:
    """One line on stderr that is written over; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def show(self, line: str) -> None:
        """Show a line in the place of the one before."""
        if self._live:
            click.echo(f"\r\x1b[K{line}", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away, to print something else."""
        if self._live:
            click.echo("\r\x1b[K", err=True, nl=False)


def print_json(document: msgspec.Struct) -> None:
    """Print a document in one line."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(document) + b"\n")
    sys.stdout.buffer.flush()
