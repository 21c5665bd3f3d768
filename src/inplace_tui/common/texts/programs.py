"""Where a program is asked for: by its name, or by what it failed with."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class ProgramTexts:
    """The dialog that asks for it."""

    which = T("Your own program")
    field = T("a file, -m module, or a pasted error message")
    lead = T("Tab completes · Esc closes")
    here = T("In {folder}")
    # What is wrong with a line.
    empty = T("Type the path of a program, or choose one with ↓.")
    unclosed = T("The {mark} in column {column} isn't closed.")
    absent = T("There is no {name} in {folder}{hint}.")
    folder = T("{path} is a folder. Choose a program in it.")
    empty_folder = T("{path} is a folder with no Python file and no notebook.")
    package = T("{name} is a package with no __main__. Choose a module in it.")
    # A message.
    unknown = T(
        "inplace-tui doesn't know this message. Open the program that failed with it: running it "
        "shows more than the message says."
    )
    run_named = T("Run {name}, where the traceback begins")
    lesson = T("Lesson: {title}")
