"""Torch's own lists of operations and layers, with inputs that are known to work."""

from __future__ import annotations

import sys
import types
import unittest
import warnings
from functools import cache
from typing import Any


def stand_in_for_expecttest() -> None:
    """Torch's test helpers import it for a base class that nothing here uses."""
    module = types.ModuleType("expecttest")
    module.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    module.ACCEPT = False  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", module)


@cache
def operations() -> list[Any]:
    stand_in_for_expecttest()
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


@cache
def layers() -> list[Any]:
    stand_in_for_expecttest()
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_modules import module_db

    return list(module_db)


def full_name(operation: Any) -> str:
    variant = operation.variant_test_name
    return f"{operation.name}.{variant}" if variant else str(operation.name)
