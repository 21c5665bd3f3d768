from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.parsed import parsed


@pytest.fixture(autouse=True, scope="package")
def trees() -> Iterator[None]:
    """Keep the trees of all sources for these tests: half of their time was to parse them."""
    yield
    parsed.cache_clear()
