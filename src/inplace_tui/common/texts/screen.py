"""What the screens say around the panels: bars, titles, notices, prompts."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class ScreenTexts:
    """Titles, bars, notices and dialogs."""

    # The worker.
    starting = T("starting the Python process…")
    loading_torch = T("loading torch… (once; the screen works meanwhile)")
    loading_optimizers = T("loading torch.optim…")
    ready = T("torch {torch} ready")
    refused = T("Programs can't run (when you leave, all of it is said): {reason}")
    worker_died = T("The worker process died; a new one starts. What was recorded is kept.")
    waiting_worker = T("torch is being loaded: done as soon as the program runs.")
    # Runs.
    waits = T("waiting for torch")
    running = T("running… {steps:step|steps}")
    step = T("step {at}")
    verifying = T("checking the gradients…")
    ended_unasked = T("runs; it asks for no gradient", "ScreenTexts.ended_unasked")
    ended_ahead = T("The run is over: {how}. {keys[end]} goes there.")
    raised = T("{exception} on line {line}")
    raised_in_backward = T("{exception} in backward, on line {line}")
    brief_wrong = T("silently wrong gradient")
    brief_right = T("gradients right")
    brief_unasked = T("no gradient asked for")
    brief_in_backward = T("{exception} in backward")
    raised_nowhere = T("{exception}")
    timed_out = T("stopped after {seconds:g} s, while line {line} was running")
    stopped = T("stopped at its limit of {value:,} {limit}")
    crashed_signal = T("the process was killed by {signal} on line {line}")
    crashed_exit = T("the process ended itself with exit code {code} on line {line}")
    worker_took_it = T("the worker process died, and this run with it")
    question_ahead = T("? question ahead")
    question_open = T("? question open")
    # Bars and titles.
    brand = T("inplace-tui")
    lesson_of = T("Lesson {number}/{total}")
    contents = T("Contents")
    sandbox = T("Sandbox")
    no_question_yet = T("No question is open yet: {keys[continue]} goes to the next one.")
    panel_chosen = T("Panel {number} has the focus already.")
    at_question = T("This is the question.")
    answered_already = T("This question is answered already.")
    lesson_done = T("This lesson is done: {keys[next_lesson]} goes on to what follows.")
    presenting = T("presented")
    variant_of = T("variant: {title}")
    unsaved = T("* not saved")
    edited_since = T("edited since this run; {keys[run]} runs it again")
    editor = T("Editor")
    why_not_yet = T(
        "The run has not come to its end here. Once it has, this says who saved, "
        "who changed and who needed the tensor at fault."
    )
    why_hidden = T("Hidden until the question is answered.")
    recorded = T("all steps")
    more_below = T("▾ more below")
    more_by_page = T("▾ more below: PageDown")
    steps_none = T("Nothing has run yet.", "ScreenTexts.steps_none")
    # Contents.
    reading = T("reading the lessons…")
    no_lessons = T("There are no lessons in {folder}.")
    done_of = T("{done} of {total} done")
    minutes = T("{minutes} min")
    difficulty = T("difficulty")
    mark_done = T("done")
    mark_known = T("known", "ScreenTexts.mark_known")
    mark_begun = T("begun")
    mark_open = T("open question")
    mark_next = T("next", "ScreenTexts.mark_next")
    mark_new = T("not begun")
    requires = T("builds on")
    teaches = T("teaches")
    leads_to = T("leads to")
    variants_count = T("variants: {count}")
    questions_count = T("questions: {count}")
    problems = T("Lesson files that can't be used")
    assigned_drills = T("Drills that were assigned: {count}. Press {keys[drill]}.")
    all_done = T("Every lesson is done. The sandbox ({keys[sandbox]}) is yours.")
    unknown_lesson = T("There is no lesson {lesson!r}.")
    last_lesson = T("This is the last lesson.")
    first_lesson = T("This is the first lesson.")
    # Copying.
    copied = T("Copied {lines:line|lines}. If nothing arrives, this terminal refuses OSC 52.")
    pinned = T("{name} stays at the top of the table.")
    unpinned = T("{name} is no longer pinned.")
    modules_hidden = T("What only modules and optimizers reach is hidden.")
    modules_shown = T("What modules and optimizers reach is shown.")
    pointers_on = T("data_ptr is shown.")
    pointers_off = T("data_ptr is hidden.")
    choose_tensor = T("Choose a tensor in the table first: {keys[panel.1]}, then the arrow keys.")
    # Variants.
    variants = T("What if?")
    variants_lead = T("1–9 or Enter: predict it, then see it · Esc closes")
    try_to_break = T("Try to break it")
    try_to_break_lead = T("1–9 or Enter steps through one · Esc closes")
    holds = T("the sentence holds")
    does_not_hold = T("the sentence does not hold here")
    not_predicted = T("? predict it first")
    predicted = T("you said: {prediction}")
    predicted_right = T("as you said")
    as_written = T("the lesson as it is")
    variant_runs = T("running…")
    back_to_lesson = T("Back to the lesson's own program.")
    # Fixes.
    fixes = T("What to write instead")
    fixes_lead = T("Enter opens in sandbox · Esc closes")
    fixes_not_yet = T("Fixes are looked for where a run has failed: go to its end ({keys[end]}).")
    fixes_none_needed = T("Nothing failed here, so there is nothing to fix.")
    fixes_unknown = T("This failure is not about autograd: no rewrite is known for it.")
    fix_opened = T("This is the fixed copy. {keys[leave]} leads back.")
    fix_in_editor = T(
        "The fix is in the editor, in no file yet. Ctrl-Z in the editor takes it back."
    )
    unsaved_others = T("* {names} not saved")
    fix_in_files = T(
        "The fix is in {names}, which runs so and is not saved yet: {keys[save]} saves; "
        "leaving without saving takes it back."
    )
    # Sandbox.
    untitled = T("not yet a file")
    saved = T("Saved to {path}.")
    not_saved = T("Not saved to {path}: {reason}")
    opened = T("Opened; {keys[run]} runs it: {path}")
    file_new = T("{path} does not exist yet; saving makes it.")
    file_missing = T("{path}: there is no such file.")
    file_folder = T("{path} is a folder.")
    file_unreadable = T("{path} can't be read: {reason}")
    file_huge = T("{path} has {size:,} bytes; the sandbox takes up to {limit:,}.")
    file_binary = T("{path} is no text: it has a zero byte at offset {offset:,}.")
    file_separators = T(
        "{path} has {code} in line {line}, which the editor would make an end of line of."
    )
    file_ends = T(
        "{path} mixes LF and CRLF: line {line} ends otherwise than those before it, and the "
        "editor would make all alike. Make them alike first."
    )
    file_encoding = T(
        "{path} is not UTF-8 (byte {byte:#04x} at offset {offset:,}). Save it as UTF-8 first."
    )
    recovered = T("This is your text from last time, which was never saved.")
    recovered_more = T(
        "This is your text from last time, never saved. Older ones come when it is done with."
    )
    recovered_file = T(
        "This is what you typed last time and never saved. {key}: back to the file as it is."
    )
    recovered_changed = T(
        "You typed this last time and never saved it. The file has changed since. "
        "{key}: back to the file as it is."
    )
    recovered_files = T("Never saved last time, and here again: {names}. {keys[save]} saves.")
    recovered_elsewhere = T("{key} opens what you typed last time and never saved: {path}")
    offers_last = T("{keys[open]} offers your last programs: {names}")
    last_programs = T("Your last programs (Up, Down)")
    recovered_broken = T("A copy of what you typed last time can't be read: {path}")
    paste_cut = T(
        "The paste was ended: no end of it came, or it has more than 1,000,000 characters."
    )
    not_kept = T("No copy can be kept of what is not saved ({reason}): save it yourself.")
    unsaved_unkept = T("* not saved, no copy")
    edit_first = T("Write a program and press {keys[run]} to run it.")
    ask_save = T("Your program has changes that are not saved: {names}.")
    ask_overwrite = T("{path} exists already.")
    ask_reload = T("{path} was changed by another program since it was opened.")
    ask_half_saved = T("Saving was cut short: {written} was written, {missing} was not.")
    do_complete = T("write {missing}, too")
    do_undo = T("put {written} back as before")
    do_save = T("save")
    do_discard = T("leave without saving")
    do_overwrite = T("overwrite")
    do_cancel = T("go back", "ScreenTexts.do_cancel")
    prompt_save = T("Save to which file?")
    prompt_open = T("Open which file?")
    prompt_empty = T("Nothing is typed yet. Esc goes back.")
    # Help and palette.
    help = T("Keys that work here")
    help_close = T("Esc closes")
    help_lead = T("Enter or a click does it. Esc closes.")
    help_foot = T("Enter or a click does it. End: what words mean. Esc closes.")
    help_panel = T("In this panel: {panel}")
    help_screen = T("On this screen")
    help_everywhere = T("Everywhere")
    help_marks = T("Marks")
    mark_changed = T("~ changed by this line   + new")
    mark_stale = T("! stale: saved at an older version   ∅ freed")
    mark_hidden = T("? hidden until you have answered")
    help_wide_keys = T("Full-width keys of an input method work too.")
    theme = T("theme: {name}")
    palette = T("Commands, lessons, themes")
    palette_line = T("type to search")
    filtered = T("{count} listed · Enter opens · Esc lists all")
    interrupt = T("Ctrl-C does not quit here: {quit} does.")
    key_unused = T("{key} does nothing here. {help} lists the keys that do.")
    key_unused_in_help = T("{key} does nothing here. Esc closes the help.")
    choose_row = T("Choose a row first: ↑ or ↓.")
    at_top = T("This is the top.")
    at_bottom = T("This is the bottom.")
    at_side = T("There is no more on this side.")
    taken_back = T("Taken back: you stay at this step.")
    leave_again = T("{keys[leave]} once more leaves the lesson; you come back to this step.")
    restart_again = T(
        "{keys[restart]} once more starts over and forgets your answers to this lesson."
    )
    leave_sandbox = T("{keys[leave]} once more leaves; you may want to look at this run first.")
    run_stopped = T("You stopped this run. {keys[run]} runs it again; {keys[leave]} twice leaves.")
    palette_none = T("Nothing is called like that.")
    go_to = T("go to lesson: {title}")
    go_back = T("Go back.")
    take_number = T("Take the one of this number.")
    complete_path = T("Complete the name.")
    move_up = T("Move up and down.")
    move_sideways = T("Scroll sideways.")
    page_up = T("Scroll by a page.")


LOADING = {"torch": ScreenTexts.loading_torch, "optimizers": ScreenTexts.loading_optimizers}
"""By what the worker imports."""

LIMITS = {
    "steps": T("steps"),
    "bytes": T("bytes of recorded steps"),
    "memory": T("bytes of memory"),
    "processes": T("processes"),
}
"""What a program may have only so many of."""

THEME_NAMES = {
    "inplace-dark": T("dark"),
    "inplace-light": T("light"),
    "inplace-contrast": T("high contrast"),
    "inplace-colour-blind": T("colour-blind safe"),
}
"""By the name of the theme."""
