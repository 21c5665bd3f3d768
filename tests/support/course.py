"""The lessons and challenges that come with the program, read once for all tests of a process."""

from __future__ import annotations

from inplace_tui.drive.lessons import read_course
from inplace_tui.model.program import Origin
from inplace_tui.paths import built_in_lessons

COURSE = read_course(built_in_lessons(), origin=Origin.BUILT_IN)
