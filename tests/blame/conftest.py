from __future__ import annotations

from collections.abc import Iterator

import pytest

from blame.interpreter import Programs


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    """One process that runs programs, each in a fork."""
    asked = Programs(tmp_path_factory.mktemp("programs"))
    yield asked
    asked.close()
