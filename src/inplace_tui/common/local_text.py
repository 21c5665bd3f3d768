"""A text in every language."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class LocalText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in every language. `code spans` are the same in all of them."""

    en: Annotated[str, Meta(min_length=1)]
    zh: Annotated[str, Meta(min_length=1)]

    def __getitem__(self, language: str) -> str:
        return self.zh if language == "zh" else self.en
