"""What is imported right after the first frame, in one place.

`tutorial/ui/app.py` names it inside its methods only, so that the program is there while most of
it is still on its way; `tests/house/` holds what the first frame may load.
"""

from __future__ import annotations

from textual.widgets import Input, TextArea

from inplace_tui.common.atomic_files import half_saved
from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.drive.investigation import Investigation
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.drive.drill import drill_queue
from inplace_tui.tutorial.drive.lessons import read_course, read_lesson
from inplace_tui.tutorial.drive.playlist import checkpoint, placement, review
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.progress import ChallengeProgress
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog, Dialog
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog, commands, places_of
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.drafts.draft import Draft, Recovery, drafted, remember
from inplace_tui.tutorial.ui.drafts.textfile import FileError
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen
from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.desk import DeskScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
