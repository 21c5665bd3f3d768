"""The command line."""

from __future__ import annotations


def main() -> None:
    """Placeholder until the commands land in the next commit."""
