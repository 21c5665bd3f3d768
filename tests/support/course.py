"""The lessons and challenges that come with the program, read once for all tests of a process."""

from __future__ import annotations

from inplace_tui.common.paths import built_in_lessons
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.drive.lessons import read_course

COURSE = read_course(built_in_lessons(), origin=Origin.BUILT_IN)
