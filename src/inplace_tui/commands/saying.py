"""stdout is data, stderr is for people."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress

import click
import msgspec


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Write to stdout or stderr as they were prepared.

    Left to choose for itself, click takes ASCII for a mistake and writes UTF-8 past it.
    """
    if err:
        with suppress(OSError):  # where nobody listens, there is still the exit code
            click.echo(text, file=sys.stderr, nl=nl)
        return
    click.echo(text, file=sys.stdout, nl=nl)


def print_lines(lines: Iterable[str]) -> None:
    """Print a page."""
    for line in lines:
        echo(line)


def people(line: str) -> None:
    """Say something that is no data."""
    echo(line, err=True)


class Bar:
    """One line on stderr that is written over; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def show(self, line: str) -> None:
        """Show a line in the place of the one before."""
        if self._live:
            echo(f"\r\x1b[K{line}", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away, to print something else."""
        if self._live:
            echo("\r\x1b[K", err=True, nl=False)


def print_json(document: msgspec.Struct) -> None:
    """Print a document in one line."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(document) + b"\n")
    sys.stdout.buffer.flush()
