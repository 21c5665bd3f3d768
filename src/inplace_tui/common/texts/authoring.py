"""What an author of lessons is told: by the loader, and by `check`."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class AuthoringTexts:
    """What is wrong with a file, or with what it says."""

    # The file.
    not_utf8 = T("not UTF-8: byte {byte}")
    too_large = T("the file has {size} bytes; a lesson may have {limit}")
    too_deep = T("nested deeper than {limit} levels")
    bom = T("starts with a byte order mark; save it as UTF-8 without BOM")
    carriage_return = T("a carriage return: save the file with LF line ends")
    character = T("the character {code} is not allowed")
    empty = T("the file is empty")
    several = T("a second document: one lesson a file")
    not_yaml = T("not YAML: {why}")
    tab = T("not YAML: a tab; indent with spaces")
    open_quote = T(
        "not YAML: the quote that opens here is not closed on its line, and line {line} does not "
        "go on from it"
    )
    sign_first = T("not YAML: a text that begins with {sign} needs quotes around it")
    colon = T(
        "not YAML: a colon where none can be; a text with `: ` in it needs quotes around it, a key "
        "begins below the first letter of the keys beside it"
    )
    full_width = T("not YAML: `{sign}` is full-width, `{ascii}` is needed")
    unreadable = T("cannot be read: {why}")
    no_pack = T(
        "not a pack: a pack is a folder of chapters; unpack an archive, and put a lesson into "
        "<pack>/<number>-<chapter>/"
    )
    bare_chapter = T(
        "a chapter, not a pack: put it into a folder of its own, like packs/my-pack/{folder}"
    )
    no_chapters = T(
        "no lesson in it: a pack has its chapters in folders directly below, <number>-<chapter>/"
    )
    link = T("a symbolic link: a pack may only have files of its own")
    no_file = T("neither a file nor a folder")
    file_large = T("more than {limit} bytes: too large for a file of a pack")
    pack_large = T("more than {most} files: this is no pack of lessons")
    pack_heavy = T("more than {most} bytes: this is no pack of lessons")
    # YAML that two readers read differently.
    alias = T("aliases (`*{name}`) are not allowed: write it out")
    anchor = T("YAML anchors (`&{name}`) are not allowed")
    tag = T("tags (`{tag}`) are not allowed")
    merge = T("merge keys (`<<`) are not allowed")
    boolean_word = T(
        "`{word}` is a boolean to some YAML readers and text to others: "
        "put it in quotes for text, or write `{boolean}`"
    )
    odd_number = T(
        "`{word}` is a number to some YAML readers only: "
        "put it in quotes for text, or write a plain decimal number"
    )
    long_number = T("`{word}` has more than {limit} digits")
    title_lines = T("a title is one line")
    code_long = T("a program of {count} lines; one to be read may have {limit}")
    date = T("`{word}` is a date to some YAML readers: put it in quotes")
    duplicate_key = T("duplicate key '{key}' (first on line {line})")
    key_not_text = T("a key must be text")
    # Shape.
    unknown_key = T("unknown key '{key}'{hint}")
    missing_key = T("missing key '{key}'")
    missing_language = T("missing language '{key}'")
    expected = T("expected {what}, got {got}")
    hint = T(" (did you mean '{name}'?)")
    one_of = T("one of {names}")
    mapping = T("a mapping with the keys {names}")
    any_mapping = T("a mapping")
    list = T("a list")
    text = T("text")
    some_text = T("text that is not empty")
    slug = T(
        "lower-case words and digits joined by hyphens, like saved-output, at most 60 characters"
    )
    anchor_name = T("the name of a `#@ name` in the code, like mutate or mutate#3")
    identifier = T("one name, like clone")
    boolean = T("true or false")
    integer = T("a whole number")
    integer_between = T("a whole number from {least} to {most}")
    numbers = T("a number, or lists of numbers up to three deep")
    or_null = T("{what} or null")
    nothing = T("nothing", "AuthoringTexts.nothing")
    null = T("null")
    too_few = T("at least {count} needed")
    too_many = T("at most {count} allowed")
    # Code.
    code_style = T("code must be a `|` block, so that its lines are the file's lines")
    not_python = T("not Python: {why}")
    anchor_syntax = T("`{comment}` is not `#@ name` (a letter, then letters, digits and `_`)")
    anchor_place = T("`#@ {name}` must stand at the end of a statement's last line")
    anchor_crowd = T("`#@ {name}` is on a line of {count} statements: give each a line of its own")
    anchor_twice = T("`#@ {name}` is there already, on line {line}")
    no_anchor = T("there is no `#@ {name}` in the code{hint}")
    numbered_line = T(
        "a learner's edit moves lines: name no line by its number (a hint may say `{{anchor}}`)"
    )
    no_cell = T("`{cell}` can't be read after this line")
    slip_is_right = T("this is the right answer")
    mends_nothing = T("there is no variant '{id}'{hint}")
    no_anchor_variant = T("there is no `#@ {name}` in this variant's code{hint}")
    swap_visit = T("a swap replaces a statement, not one visit of it: leave out `{visit}`")
    swap_inside = T("'{inner}' lies inside the statement that '{outer}' replaces")
    swap_same = T("the variant's code is the same as the lesson's")
    swap_not_python = T("in this variant: {why} (line {line} of its code: `{code}`)")
    # The lesson.
    backtick = T("a backtick without its partner")
    code_span = T("`{span}` is a code span in {here} but not in {there}")
    duplicate_id = T("the {kind} '{id}' is there already, on line {line}")
    question = T("question")
    choice = T("choice")
    variant = T("variant")
    held = T("program under holds")
    step = T("step at")
    file_name = T("the file is called {name}, so the id must be '{slug}'")
    bad_file_name = T("the name must be <number>-<id>.yaml, like 10-saved-output.yaml")
    bad_folder_name = T("the folder's name must be <number>-<slug>, like 03-storage")
    no_chapter = T("the folder has no chapter.yaml")
    lesson_twice = T("a lesson '{id}' is there already: {path}")
    path_twice = T("a path '{id}' is there already")
    requires = T("no earlier lesson teaches '{concept}'{hint}")
    requires_later = T("'{concept}' is taught only later, in {path}")
    not_required = T(
        "uses {what} (line {line}), taught by lesson {number} '{id}', which is not required here"
    )
    never_taught = T("uses {what} (line {line}): no lesson teaches '{concept}'")
    claims_nothing = T("claims nothing")
    # Questions.
    missing_of_kind = T("missing key '{key}', which `{kind}` needs")
    not_of_kind = T("'{key}' has no meaning in a question of kind `{kind}`")
    line_taken = T("the choice on line {line} stands for '{name}' already")
    not_own_line = T("the choice stands for '{name}', but `{role}` claims something of '{other}'")
    no_own_line = T(
        "the claim says nothing of the line: give changed_by, saved_by or raised_by '{name}', "
        "or what is true when it ran (tensors, prints)"
    )
    order_visit = T("a statement changes its place, not one visit of it: '{name}'")
    order_twice = T("'{name}' is there twice")
    order_block = T(
        "the lines are not in one block: only statements beside each other can change places"
    )
    # Challenges.
    not_kept = T("the goal speaks of '{name}', so it must be one of `keep`")
    solution_not_python = T("in the solution: {why} (line {line} of its code: `{code}`)")
    solution_same = T("the solution changes nothing")
    over_par = T("lines that the solution changes: {changed}; par is {par}")
    solution_drops = T("the solution does not keep the statement of '{name}'")
    solution_uses = T("the solution uses `{name}`, which is forbidden")
    solution_fails = T("with the solution: {why}")
    cut_wins = T(
        "whoever cuts a part of the graph off has right gradients, too: also claim the `grad` of a "
        "leaf, or `values` that follow from it"
    )
    no_question = T("no question: a lesson asks one at least (`ask`)")
    to_write = T("still to be written")
    not_chinese = T(
        "not in Chinese: '{text}' (what is the same in all languages goes between backticks)"
    )
    start_wins = T("the program reaches the goal as it is")
    not_watched = T("no tensor is ever called '{name}'")
    same_missing = T("no tensor is called '{name}' at the end of the program as it is")
    deletion_wins = T(
        "deleting line {line} (`{code}`) wins, too: keep the line, or claim what it does"
    )
    unknown_checkpoint = T("no chapter '{id}' with a checkpoint{hint}")
    unknown_challenge = T("there is no challenge '{id}'{hint}")
    needs = T("no lesson teaches '{concept}'{hint}")
    unknown_lesson = T("there is no lesson '{id}'{hint}")
    assigned_twice = T("'{id}' is assigned twice")
    assignment_empty = T(
        "nothing is assigned: 'lessons', 'checkpoints', 'challenges' or 'drills' is needed"
    )
    challenge_twice = T("'{id}' is there already: {path}")
    # Room on a small screen.
    too_long = T("too long for a screen of 80x24: {rows} rows, {room} fit")
    too_wide = T("too long for its line: {cells} cells, {room} fit (a Chinese character takes two)")
    # What `check` finds by running.
    refuted = T("the survey of torch {version} refutes it: {ops} ({count} in all)")
    held_elsewhere = T("nothing in it is what the recap speaks of")
    held_again = T("it has nothing new, and ends as the lesson's own program does")
    attack_refuted = T("not so with {gap}.{name}: {why}{others}")
    attack_others = T(" (nor with {names})")
    no_corner = T("there is no {gap} among the corners: {known}")
    no_exception = T("an exception that is none: it is so with {gap}.{name}")
    no_op = T("the survey of torch {version} has no op {name}{hint}")
    no_facet = T("what ops are said to be is one of {keys}, not {key}")
    no_when = T("no choice's `when` is true: {reasons}")
    reason = T("'{choice}': {why}")
    reasons = T("{one}; {other}")
    many_when = T("the `when` of {count} choices is true: {names}")
    shown_before = T(
        "the line of '{name}' has run when the question is asked: what it left was on the screen"
    )
    own_order = T("the lesson's own order reaches the goal already, so nothing is asked")
    no_order = T("no order of these lines reaches the goal")
    no_why = T("no `why` is true of the order {order}: {how}")
    many_why = T("of the order {order} this `why` is true, too ({how})")
    dead_why = T("this `why` is true of no order")
    order_no_end = T("in the order {order} the program did not come to an end: {how}")
    not_visited = T("the line of '{anchor}' was run {visits} times, never for the {wanted}. time")
    same_run = T(
        "the variant makes no difference: every line left behind the same as in the lesson"
    )
    same_claims = T(
        "the variant ends as the lesson does, and all that it claims is true of the lesson too: "
        "claim what is different, or `say` what that teaches"
    )
    no_run = T("the program did not come to an end: {how}")


class ClaimTexts:
    """What was claimed of a run, and what was seen."""

    ends = T("claimed that it {claimed}; it {seen}")
    raised_there = T("{how}, line {line}: {error}")
    wrong = T("{how}: {tensor} got {got}, true is {true}")
    not_judged = T("{how}: {reason}")
    match = T("claimed that the message has '{claimed}'; it is: {seen}")
    match_nothing = T("claimed that the message has '{claimed}'; nothing was raised")
    by = T("claimed {role} {claimed}; it is {seen}")
    raised_by = T("that it is raised by")
    saved_by = T("that it is saved by")
    changed_by = T("that it is changed by")
    nobody = T("no line")
    line = T("line {line}")
    line_visit = T("line {line}, visit {visits}")
    warns = T("claimed a warning with '{claimed}'; warned so far: {seen}")
    prints = T("claimed that it prints '{claimed}'; it prints: {seen}")
    none = T("none")
    no_tensor = T("no tensor is called '{name}' here (there are: {names})")
    field = T("{name}.{field}: claimed {claimed}, seen {seen}")
    unreadable = T("unreadable ({reason})")
    sampled = T("only a sample was recorded")
    unnamed = T("a tensor without a name")
    shape = T("shape {shape}")
    shares = T("claimed that {name} and {other} share memory; they do not")
    apart = T("claimed that {name} and {other} do not share memory; they do")
