"""What the command line says: help, errors, and the pages for people."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText, T
from inplace_tui.common.run.python import Why


class HelpTexts:
    """Commands and options."""

    program = T(
        "Learn what PyTorch's in-place operations do to autograd, one line at a time.\n\n"
        "Without a command: the contents, which open on a path of lessons, the first of them an "
        "hour long. With FILE or -m MODULE in its place: the line that broke a script of your "
        "own, and fixes for it. `inplace-tui COMMAND --help` says more of each command.\n\n"
        "Your own programs run with the Python of their project, the first of these with a torch: "
        "the active environment (VIRTUAL_ENV, CONDA_PREFIX), .venv or venv beside the program or "
        "in a folder above it, inplace-tui's own. --python PATH (desk, explain, run, sandbox) goes "
        "before all. Lessons run with inplace-tui's own. Where torch is missing, the line that "
        "installs it is printed; list, the contents and this page need none.\n\n"
        "Your progress, packs of lessons and trust are kept in one folder: `inplace-tui doctor` "
        "says where, INPLACE_TUI_HOME names another. NO_COLOR takes the colours away.\n\n"
        "Exit code: 0 fine, 1 a fault was found, 2 it can't be done as asked, 70 our own fault, "
        "130 interrupted.\n\n"
        "Completion of commands, options and names by the shell, for the file that it reads first: "
        'bash: eval "$(_INPLACE_TUI_COMPLETE=bash_source inplace-tui)"; '
        'zsh: eval "$(_INPLACE_TUI_COMPLETE=zsh_source inplace-tui)"; '
        "fish: _INPLACE_TUI_COMPLETE=fish_source inplace-tui | source"
    )
    lesson = T("Open a lesson; without ID, the one to go on with. ID@STEP opens it at that step.")
    present = T(
        "Present it to a class: code and one panel, answers locked until A shows them, nothing "
        "is kept."
    )
    challenge = T(
        "Open a challenge, to break or to mend a program; without ID, the first unsolved one.\n\n"
        "With --grade no screen is opened: the edited program in FILE is run and judged. "
        "Exit code: 0 it solves the challenge, 1 it does not, 2 nothing to judge."
    )
    checkpoint = T(
        "Open the checkpoint of a chapter; without CHAPTER, the first one that was not "
        "finished.\n\n"
        "CHAPTER is a number or a name, as `inplace-tui list` has them. Five questions are drawn "
        "anew each time; then a program that fails is asked about. Without a terminal, or with "
        "--plain, it is asked line by line: answers are numbers, q ends, and it goes on there the "
        "next time."
    )
    review = T(
        "Ask the questions of today: what you answered wrong, guessed or needed a hint for comes "
        "back.\n\n"
        "Five a day at most, one of them new; the others wait for the next day. Without a "
        "terminal, or with --plain, it is asked line by line: answers are numbers, q ends."
    )
    sandbox = T(
        "Write and run a program of your own; FILE is opened in the editor.\n\n"
        "With -m MODULE it runs as `python -m MODULE` would; what stands behind that, or behind "
        "--, goes to the program. Each run that you ask for is in place, as `python FILE` is; what "
        "follows from it (fixes, values, whether gradients are right) changes no file of yours. "
        "Files that it imports and that are not installed are recorded, "
        "too, as they are on disk at each run; only FILE is edited.\n\n"
        "FILE may be a notebook, or - for standard input. Of a MODULE that is not yours, as "
        "pytest, the file that is edited is the first one among its arguments."
    )
    drill = T(
        "Predict how random small programs end; each was run before it is shown.\n\n"
        "The programs follow your level, and what you were sure about and got wrong comes back. "
        "Without a terminal, or with --plain, it is asked line by line: answers are numbers, q "
        "ends. With --seed or --level the programs are chosen by that, and nothing is kept."
    )
    plain = T("Lines of text instead of a screen, as where there is no terminal, or TERM=dumb.")
    seed = T("Begin with the program of this number; those after it follow.")
    level = T("Programs of this level only, 1 to 5.")
    count = T("End after this many programs.")
    drill_about = T("Only programs about this concept, such as step-between.")
    assignment = T(
        "Open what a class was given: the lessons, checkpoints, challenges and drills that FILE "
        "names.\n\n"
        "FILE is YAML: `schema: 1`, `title` in both languages, and `lessons`, `checkpoints` (names "
        "of chapters), `challenges` and `drills` (each a seed, a level and a count). Learners hand "
        "in the file that `inplace-tui progress --export` writes; `inplace-tui results` reads "
        "them."
    )
    assigned_drill = T("Begin with the drill that is this one in the file; the answers are kept.")
    results = T(
        "Print as CSV what learners got wrong: a row for each wrong answer, the commonest "
        "first.\n\n"
        "FILE is what `inplace-tui progress --export` wrote, one for each learner, who is called "
        "as the file is; without one, it is your own progress. One that can't be read is named and "
        "left out, and the exit code is 1."
    )
    results_of = T("Only what this assignment file names.")
    results_by_learner = T(
        "Instead, a row for each learner and each lesson, checkpoint, challenge and assigned "
        "drill: whether it is done, and how much was right at the first try."
    )
    results_for_excel = T("Begin with the byte order mark that Excel needs to read Chinese.")
    list = T("List the lessons and challenges.")
    op = T(
        "Say what an op of torch keeps for backward, counts and shares.\n\n"
        "OP is `sigmoid`, `x.sigmoid_`, `F.relu`, `nn.ReLU`. Every answer was found by running "
        "torch."
    )
    run = T(
        "Record a lesson or a Python file and print what every line did.\n\n"
        "What stands behind -- goes to the program. A FILE runs as `python FILE` would, in place. "
        "A program that completes is run three more times, to see whether its gradients are "
        "right; those runs change no file of yours.\n\n"
        "Exit code: 0 the program is fine, 1 it failed or its gradients are wrong, 2 nothing to "
        "run, 70 our own fault."
    )
    desk = T(
        "Find the line that broke a script, and fix it on disk. `inplace-tui FILE` and "
        "`inplace-tui -m MODULE` are short for it.\n\n"
        "What stands behind FILE or MODULE goes to the program. Without a terminal, or with "
        "--plain before FILE, it does what explain does."
    )
    explain = T(
        "Run Python programs, name the line at fault, and show fixes that were run.\n\n"
        "FILE runs as `python FILE` would, -m MODULE as `python -m MODULE`; - reads a program "
        "from stdin, and what follows goes to it, but for options of explain. What stands behind "
        "-- goes to every program; what is piped in is read once, and every run is given it as "
        "its standard input. All files that it imports and that are not installed are looked "
        "into. A program is run several times, one run after the other: twice if it is fine, more "
        "often if there is something to find. Only the first run writes to your files.\n\n"
        "Exit code: 0 all are fine, 1 a fault was found in one, 2 a file can't be read, 3 one did "
        "not end in time, 4 of one it can't be told whether its gradients are right, 70 our own "
        "fault."
    )
    check = T(
        "Load and run lessons and challenges, and verify every claim in them.\n\n"
        "PATH is a file or a folder of them, or a lesson or challenge by its id or number; "
        "without one, everything that is built in is checked. Exit code: 0 all is true, 1 "
        "something is not, 2 nothing to check."
    )
    new = T(
        "Write a lesson to fill in; it is true before a word of it is changed.\n\n"
        "It goes into the current folder, or into a chapter, which is made if need be. "
        "docs/lesson-authoring.md says how to go on."
    )
    chapter = T("The chapter's folder, like my-lessons/01-basics.")
    progress = T("Show, export, import or reset what you have done.")
    serve = T(
        "Show the screens in a browser, to this machine alone unless told otherwise; every "
        "visit is a session of its own."
    )
    host = T("The address to listen on.")
    port = T("The port to listen on.")
    keys = T("Show what this terminal really sends for each key, and what the key does here.")
    doctor = T("Show versions, paths, the terminal, and whether programs can be run here.")
    grade = T("Judge the edited program in FILE (- is stdin) instead.")
    help = T("Show this page.")
    version = T("Show the version.")
    lang = T("Language; by default that of the locale.")
    lessons = T("A folder of lessons to use instead of the built-in ones, and of packs.")
    trust = T("Trust the lessons of packs as they are now: their programs run on this machine.")
    path = T("List the lessons of one path: error, gradients, functions.")
    json = T("Print JSON.")
    op_after = T("Say whether OP may write the result of this op, and run it.")
    op_run = T("Run the program of this number, of those below the answer.")
    op_list = T(
        "List the ops of which all of this is so: counted=0 (what they write isn't counted), "
        "keeps=out|input|nothing, result=new|same|view|alias, recorded=yes|no, "
        "form=in-place|function|module|out, of=OP."
    )
    op_torch = T("Answer for this version of torch; without it, for the one that is installed.")
    format = T(
        "How to print it: html is a page to step through; dot and svg print the backward graph "
        "(of LESSON@STEP: as it was there)."
    )
    variant = T("Run this variant of the lesson.")
    once = T("Run it once only: whether the gradients are right is not verified.")
    patch = T(
        "Print fix N (the first if none is named) as a patch for `git apply` and `patch -p1`."
    )
    apply = T(
        "Write fix N to the file, keep the old one beside it as FILE.orig, and run it once more."
    )
    explain_format = T(
        "How to print it: text, html (a page for a browser, to step through), json, github "
        "(annotations of a pull request) or sarif."
    )
    module = T("Run a module as `python -m MODULE` would; all that follows goes to it.")
    include = T(
        "Look into these files, too, though they are installed; can be given several times."
    )
    exclude = T("Don't look into these files of yours; can be given several times.")
    explain_once = T(
        "Run it once only: who saved, changed and needed it; no fixes, and gradients unchecked."
    )
    in_place = T("Let the runs after the first write to your files, too, and reach the network.")
    budget = T(
        "Seconds for all runs after the program's own (12 times as many as that took, 30 to 300)."
    )
    explain_seconds = T("End the program's own run after this many seconds (no limit).")
    memory = T(
        "Gigabytes that a process of the program may hold (nine tenths of the machine's memory)."
    )
    error = T(
        "Explain a pasted error message or traceback, number by number; - reads it from stdin."
    )
    python = T(
        "Run the programs with this interpreter, its torch and its packages; by default the first "
        "with a torch of the active environment (VIRTUAL_ENV, CONDA_PREFIX), of the .venv or venv "
        "beside the program or above it, and of inplace-tui's own."
    )
    pointers = T("Show data_ptr, which differs from run to run.")
    seconds = T("Stop a run after this many seconds (10 for a lesson, 60 for a file).")
    export = T("Write progress to this file; - is stdout.")
    import_ = T("Take in an exported file: what it has of a lesson or challenge replaces yours.")
    reset = T("Forget what you did in this lesson or challenge; `drill` for the drill.")


FRAME: dict[str, LocalText] = {
    "Usage": T("Usage: "),
    "Options": T("Options:"),
    "Commands": T("Commands:"),
}
"""Headings of a help page."""


class ErrorTexts:
    """One sentence each."""

    no_server = T("It needs textual-serve: pip install 'inplace-tui[serve]'.")
    cannot_serve = T("Nothing can be served on {address}: {why} (--port takes another port)")
    no_option = T("There is no option {name}{hint}.")
    programs_option = T("{what} What is meant for the program goes behind --: {line}")
    no_command = T("There is no command '{name}'{hint}.")
    no_such_drill = T("The assignment has {count} drills: there is no drill {number}.")
    missing = T("{name} is missing.")
    one_page = T("--format html prints one page: give one FILE.")
    bad_value = T("{name}: {why}")
    not_one_of = T("{name} must be one of: {choices}.")
    no_whole_number = T("{name} must be a whole number from {least} on{most}.")
    no_number = T("{name} must be a number above {least}{most}.")
    at_most = T(", at most {most}")
    no_value = T("{name} needs a value.")
    too_many = T("That is too many arguments: {names}.")
    usage = T("{why}")
    see_help = T("Try '{command} --help'.")
    no_lesson = T("There is no lesson '{id}'{hint}. 'inplace-tui list' names them all.")
    no_challenge = T("There is no challenge '{id}'{hint}. 'inplace-tui list' names them all.")
    no_checkpoint = T(
        "There is no chapter '{name}' with a checkpoint{hint}. 'inplace-tui list' names them all."
    )
    no_drill = T("The drill has no programs about '{concept}'{hint}.")
    about_alone = T("--about can't be combined with --seed or --level.")
    is_challenge = T("'{id}' is a challenge: open it with 'inplace-tui challenge {id}'.")
    no_target = T("'{name}' is neither a lesson nor a file{hint}.")
    no_keyboard = T("There is no terminal here whose keys could be shown.")
    no_step = T("'{name}' is no step of '{id}': give an anchor like {example}, or a number.")
    no_variant = T("The lesson '{id}' has no variant '{name}'{hint}.")
    variant_of_file = T("Only a lesson has variants.")
    arguments_of_lesson = T("A lesson takes no arguments.")
    launcher_option = T("explain starts the script of a launcher itself, and can't with {name}.")
    one_process = T(
        "explain looks into one process, and {name} asks for others. With one the error is often "
        "the same; for all of them: torchrun … -m inplace_tui.blame FILE."
    )
    accelerate = T(
        "accelerate launch starts FILE in a process of its own, which explain can't look into. "
        "With one process, FILE does the same without it: inplace-tui explain FILE -- ARGS. To "
        "watch all processes: accelerate launch … -m inplace_tui.blame FILE."
    )
    no_file_named = T(
        "{name} is not yours, and no Python file of yours is among its arguments: sandbox -m "
        "{name} FILE.py … opens FILE.py; explain -m {name} … finds the files by itself."
    )
    endless_line = T("Stdin has a line of more than {limit:,} bytes, which nobody typed.")
    no_view = T(
        "Here your files can't be protected from what a program writes when it runs again "
        "({why}): it runs once, as with --once. --in-place lets it run again anyway."
    )
    run_once = T(
        "Here your files can't be protected from what a program writes when it runs again: it "
        "runs once, and whether its gradients are right is left out. `inplace-tui explain "
        "--in-place` runs it again anyway; `inplace-tui doctor` says why."
    )
    cannot_read = T("{path} can't be read: {why}.")
    no_file = T("no such file")
    no_path = T("no such file or folder")
    no_module = T("no such module")
    is_folder = T("is a folder")
    unwritten = T("Not all of the output could be written: {why}.")
    cannot_write = T("{path} can't be written: {why}.")
    bad_slug = T(
        "'{name}' is no id: lower-case words and digits joined by hyphens, like saved-output."
    )
    bad_chapter = T("{path} is no chapter: its name must be <number>-<words>, like 01-basics.")
    id_taken = T("There is a lesson '{id}' already: {path}.")
    file_exists = T("{path} is there already.")
    untrusted = T("{question} If you trust them as they are, add --trust.")
    no_lessons = T("There are no lessons in {folder}.")
    not_a_folder = T("{path} is not a folder.")
    one_of = T("Only one of {names} can be given.")
    import_failed = T("{path} can't be imported: {why}.")
    no_record = T("{path} can't be used: {why}.")
    no_progress = T(
        "There is no progress for '{id}'{hint}. 'inplace-tui progress' shows what there is."
    )
    worker_refused = T("Programs can't be run here: {why}")
    python_not_run = T("{path} can't be run as Python: {why}.")
    python_unfit = T(
        "{path} has Python {python} with torch {torch}; "
        "Python {wanted_python} and torch {wanted_torch} or later are needed"
    )
    used_python = T("Programs run with {path}: {why}.")
    witness_instead = T(
        "The recorder can't serve here: {why}. A witness watches one run instead; "
        "it names who saved, changed and needed a tensor, and tries no fixes."
    )
    python_bare = T(
        "{path} has Python {python} without torch; "
        "Python {wanted_python} and torch {wanted_torch} or later are needed."
    )
    interrupted = T("Interrupted.")
    ours = T(
        "This is a fault of inplace-tui itself ({error}). Please report it with the lines above."
    )


WHY_PYTHON = {
    Why.NAMED: T("you named it"),
    Why.VIRTUAL_ENV: T("its environment is active (VIRTUAL_ENV)"),
    Why.CONDA_PREFIX: T("its environment is active (CONDA_PREFIX)"),
    Why.PROJECT: T("it is the project's"),
    Why.OWN: T("it is inplace-tui's own, and no other with a torch was found"),
}
"""Behind `ErrorTexts.used_python`."""


class ResultTexts:
    """In the CSV of results."""

    shown = T("(asked for the answer)")


class CommandTexts:
    """Pages for people, on stdout."""

    assigned_checkpoint = T("Checkpoint: {command}")
    assigned_challenge = T("Challenge: {command}")
    assigned_drill = T("Drill: {command}")

    input_cut = T(
        "Standard input is longer than {most} MiB: the program is given no more than that."
    )
    visit = T("time {visit}")
    muted = T("output beyond {kept:,} bytes is not kept")
    left_out = T("… {count} lines of the run are left out here; --format json has all of them …")
    forecasts_left_out = T(
        "… the graph has {count} nodes, too many to go through at every line: from here on, what "
        "backward would do is `?` …"
    )
    serve_rights = T(
        "Whoever opens the page runs programs with your rights, in the sandbox as in a shell, "
        "and shares your progress."
    )
    # As textual-serve has them in its page.
    session_ended = T("Session ended.")
    session_restart = T("Restart")
    serve_open = T(
        "{host} is not this machine alone: everybody who can reach it can do that, and nobody "
        "is asked for a password."
    )
    list_problems = T("These files can't be used:")
    minutes = T("{minutes} min")
    check_ok = T("ok    {path}  {programs:program|programs}, {claims:claim|claims}")
    warning = T("warning: {message}")
    check_sum_ok = T(
        "lessons: {lessons}, checkpoints: {checkpoints}, challenges: {challenges}, "
        "programs: {programs}, claims: {claims}; all true."
    )
    check_sum_bad = T(
        "lessons: {lessons}, checkpoints: {checkpoints}, challenges: {challenges}, "
        "programs: {programs}, claims: {claims}; problems: {problems}."
    )
    new_next = T(
        "Change it, then:\n"
        "  inplace-tui check {path} --trust\n"
        "  inplace-tui --lessons {root} lesson {id} --trust"
    )
    new_next_alone = T(
        "Change it, then:\n"
        "  inplace-tui check {path} --trust\n"
        "To play it, it needs a chapter: inplace-tui new {id} --chapter my-lessons/01-basics"
    )
    check_bar = T("checking {done}/{total}  {name}")
    loading = T("loading torch")
    progress_none = T("Nothing done yet.")
    progress_line = T("{mark} {id}  {title}  {right} of {total} right at the first try")
    progress_later = T(", {later} later")
    progress_variants = T("; variants {done} of {of}")
    progress_sum = T("{done} of {total} lessons done.")
    progress_file = T("Kept in {path}")
    progress_gone = T("(no such lesson any more)")
    exported = T(
        "Wrote the progress of {count:lesson or challenge|lessons and challenges} to {path}."
    )
    imported = T(
        "Took in the progress of {count:lesson or challenge|lessons and challenges} from {path}."
    )
    challenges = T("Challenges (fewest lines to change)")
    par = T("{par:line|lines}")
    solved_in = T("solved in {lines}")
    challenge_line = T("{mark} {id}  {title}  {how}")
    challenge_begun = T("begun")
    challenges_sum = T("{solved} of {total} challenges solved.")
    reset_done = T("Forgot what was done in '{id}'.")


"""What `doctor` looks at."""


OS_REASONS = (
    T("No such file or directory", "the system"),
    T("Permission denied", "the system"),
    T("Is a directory", "the system"),
    T("Not a directory", "the system"),
    T("Read-only file system", "the system"),
    T("No space left on device", "the system"),
)
"""The system's commonest reasons, in its own words."""
