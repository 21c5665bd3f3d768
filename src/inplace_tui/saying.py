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


def print_json(document: msgspec.Struct) -> None:
    """Print a document in one line."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(document) + b"\n")
    sys.stdout.buffer.flush()
