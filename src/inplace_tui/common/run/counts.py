"""Numbers of files: what no version of the program writes is refused where they are read."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

FromZero: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
FromOne: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
