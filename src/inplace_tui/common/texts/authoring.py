"""What an author of lessons is told: by the loader, and by `check`."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class AuthoringTexts:
    """What is wrong with a file, or with what it says."""

    # The file.
    not_utf8 = LocalText("not UTF-8: byte {byte}", "不是 UTF-8：字节 {byte}")
    too_large = LocalText(
        "the file has {size} bytes; a lesson may have {limit}",
        "文件有 {size} 字节；一课最多 {limit} 字节",
    )
    too_deep = LocalText("nested deeper than {limit} levels", "嵌套超过 {limit} 层")
    bom = LocalText(
        "starts with a byte order mark; save it as UTF-8 without BOM",
        "开头有字节序标记；请存为不带 BOM 的 UTF-8",
    )
    carriage_return = LocalText(
        "a carriage return: save the file with LF line ends", "有回车符（CR）：请用 LF 换行保存文件"
    )
    character = LocalText("the character {code} is not allowed", "不允许字符 {code}")
    empty = LocalText("the file is empty", "文件是空的")
    several = LocalText("a second document: one lesson a file", "出现第二个文档：一个文件一课")
    not_yaml = LocalText("not YAML: {why}", "不是合法的 YAML：{why}")
    tab = LocalText(
        "not YAML: a tab; indent with spaces", "不是合法的 YAML：有制表符（Tab），缩进请用空格"
    )
    open_quote = LocalText(
        "not YAML: the quote that opens here is not closed on its line, and line {line} does not "
        "go on from it",
        "不是合法的 YAML：这里的引号没有在本行结束，第 {line} 行又接不上",
    )
    sign_first = LocalText(
        "not YAML: a text that begins with {sign} needs quotes around it",
        "不是合法的 YAML：以 {sign} 开头的文字要加引号",
    )
    colon = LocalText(
        "not YAML: a colon where none can be; a text with `: ` in it needs quotes around it, a key "
        "begins below the first letter of the keys beside it",
        "不是合法的 YAML：这里不能有冒号；含有 `: ` 的文字要加引号，键要与同级的键左对齐",
    )
    full_width = LocalText(
        "not YAML: `{sign}` is full-width, `{ascii}` is needed",
        "不是合法的 YAML：`{sign}` 是全角的，这里要用半角的 `{ascii}`",
    )
    unreadable = LocalText("cannot be read: {why}", "无法读取：{why}")
    no_pack = LocalText(
        "not a pack: a pack is a folder of chapters; unpack an archive, and put a lesson into "
        "<pack>/<number>-<chapter>/",
        "不是课程包：课程包是装着各章文件夹的文件夹；压缩包请先解压，单课请放进 <包>/<编号>-<章>/",
    )
    bare_chapter = LocalText(
        "a chapter, not a pack: put it into a folder of its own, like packs/my-pack/{folder}",
        "这是一章，不是课程包：请再套一层文件夹，如 packs/my-pack/{folder}",
    )
    no_chapters = LocalText(
        "no lesson in it: a pack has its chapters in folders directly below, <number>-<chapter>/",
        "里面没有课程：课程包的各章文件夹要直接放在它下面，名为 <编号>-<章>/",
    )
    link = LocalText(
        "a symbolic link: a pack may only have files of its own", "符号链接：课程包只能有自己的文件"
    )
    no_file = LocalText("neither a file nor a folder", "既不是文件也不是文件夹")
    file_large = LocalText(
        "more than {limit} bytes: too large for a file of a pack",
        "超过 {limit} 字节：对课程包里的文件来说太大",
    )
    pack_large = LocalText(
        "more than {most} files: this is no pack of lessons", "超过 {most} 个文件：这不是课程包"
    )
    pack_heavy = LocalText(
        "more than {most} bytes: this is no pack of lessons", "超过 {most} 字节：这不是课程包"
    )
    # YAML that two readers read differently.
    alias = LocalText(
        "aliases (`*{name}`) are not allowed: write it out", "不允许别名（`*{name}`）：请写全"
    )
    anchor = LocalText("YAML anchors (`&{name}`) are not allowed", "不允许 YAML 锚点（`&{name}`）")
    tag = LocalText("tags (`{tag}`) are not allowed", "不允许标签（`{tag}`）")
    merge = LocalText("merge keys (`<<`) are not allowed", "不允许合并键（`<<`）")
    boolean_word = LocalText(
        "`{word}` is a boolean to some YAML readers and text to others: "
        "put it in quotes for text, or write `{boolean}`",
        "`{word}` 在有的 YAML 读取器里是布尔值，有的是文字："
        "要文字请加引号，要布尔值请写 `{boolean}`",
    )
    odd_number = LocalText(
        "`{word}` is a number to some YAML readers only: "
        "put it in quotes for text, or write a plain decimal number",
        "`{word}` 只在部分 YAML 读取器里是数：要文字请加引号，要数请写普通十进制",
    )
    long_number = LocalText("`{word}` has more than {limit} digits", "`{word}` 超过 {limit} 位数字")
    title_lines = LocalText("a title is one line", "标题只能有一行")
    code_long = LocalText(
        "a program of {count} lines; one to be read may have {limit}",
        "程序有 {count} 行；供阅读的程序最多 {limit} 行",
    )
    date = LocalText(
        "`{word}` is a date to some YAML readers: put it in quotes",
        "`{word}` 在部分 YAML 读取器里是日期：请加引号",
    )
    duplicate_key = LocalText(
        "duplicate key '{key}' (first on line {line})", "键 '{key}' 重复（第一次在第 {line} 行）"
    )
    key_not_text = LocalText("a key must be text", "键必须是文字")
    # Shape.
    unknown_key = LocalText("unknown key '{key}'{hint}", "未知的键 '{key}'{hint}")
    missing_key = LocalText("missing key '{key}'", "缺少键 '{key}'")
    missing_language = LocalText("missing language '{key}'", "缺少语言 '{key}'")
    expected = LocalText("expected {what}, got {got}", "应为：{what}；实为：{got}")
    hint = LocalText(" (did you mean '{name}'?)", "（是不是 '{name}'？）")
    one_of = LocalText("one of {names}", "{names} 之一")
    mapping = LocalText("a mapping with the keys {names}", "含有键 {names} 的映射")
    any_mapping = LocalText("a mapping", "映射")
    list = LocalText("a list", "列表")
    text = LocalText("text", "文字")
    some_text = LocalText("text that is not empty", "非空的文字")
    slug = LocalText(
        "lower-case words and digits joined by hyphens, like saved-output, at most 60 characters",
        "用连字符连接的小写单词和数字，如 saved-output，最多 60 个字符",
    )
    anchor_name = LocalText(
        "the name of a `#@ name` in the code, like mutate or mutate#3",
        "代码里 `#@ 名字` 的名字，如 mutate 或 mutate#3",
    )
    identifier = LocalText("one name, like clone", "一个名字，如 clone")
    boolean = LocalText("true or false", "true 或 false")
    integer = LocalText("a whole number", "整数")
    integer_between = LocalText(
        "a whole number from {least} to {most}", "{least} 到 {most} 之间的整数"
    )
    numbers = LocalText(
        "a number, or lists of numbers up to three deep", "一个数，或至多三层的数的列表"
    )
    or_null = LocalText("{what} or null", "{what}或 null")
    nothing = LocalText("nothing", "空")
    null = LocalText("null", "null")
    too_few = LocalText("at least {count} needed", "至少要有 {count} 个")
    too_many = LocalText("at most {count} allowed", "最多 {count} 个")
    # Code.
    code_style = LocalText(
        "code must be a `|` block, so that its lines are the file's lines",
        "代码必须用 `|` 块，让代码行与文件行一一对应",
    )
    not_python = LocalText("not Python: {why}", "不是合法的 Python：{why}")
    anchor_syntax = LocalText(
        "`{comment}` is not `#@ name` (a letter, then letters, digits and `_`)",
        "`{comment}` 不是 `#@ 名字`（小写字母开头，后跟小写字母、数字、`_`）",
    )
    anchor_place = LocalText(
        "`#@ {name}` must stand at the end of a statement's last line",
        "`#@ {name}` 必须在一条语句最后一行的行尾",
    )
    anchor_crowd = LocalText(
        "`#@ {name}` is on a line of {count} statements: give each a line of its own",
        "`#@ {name}` 所在的行有 {count} 条语句：请一行一条",
    )
    anchor_twice = LocalText(
        "`#@ {name}` is there already, on line {line}", "`#@ {name}` 已在第 {line} 行出现"
    )
    no_anchor = LocalText(
        "there is no `#@ {name}` in the code{hint}", "代码里没有 `#@ {name}`{hint}"
    )
    numbered_line = LocalText(
        "a learner's edit moves lines: name no line by its number (a hint may say `{{anchor}}`)",
        "修改会移动行：不要写行号（提示里可写 `{{锚点名}}`）",
    )
    no_anchor_variant = LocalText(
        "there is no `#@ {name}` in this variant's code{hint}",
        "这个变体的代码里没有 `#@ {name}`{hint}",
    )
    swap_visit = LocalText(
        "a swap replaces a statement, not one visit of it: leave out `{visit}`",
        "swap 替换的是整条语句，不是某一次执行：请去掉 `{visit}`",
    )
    swap_inside = LocalText(
        "'{inner}' lies inside the statement that '{outer}' replaces",
        "'{inner}' 在 '{outer}' 所替换的语句里面",
    )
    swap_same = LocalText("the variant's code is the same as the lesson's", "变体的代码与原课相同")
    swap_not_python = LocalText(
        "in this variant: {why} (line {line} of its code: `{code}`)",
        "这个变体：{why}（其代码第 {line} 行：`{code}`）",
    )
    # The lesson.
    backtick = LocalText("a backtick without its partner", "反引号不成对")
    code_span = LocalText(
        "`{span}` is a code span in {here} but not in {there}",
        "`{span}` 是 {here} 里的代码片段，{there} 里没有",
    )
    duplicate_id = LocalText(
        "the {kind} '{id}' is there already, on line {line}", "{kind} '{id}' 已在第 {line} 行出现"
    )
    question = LocalText("question", "问题")
    choice = LocalText("choice", "选项")
    variant = LocalText("variant", "变体")
    held = LocalText("program under holds", "holds 下的程序")
    step = LocalText("step at", "步骤")
    file_name = LocalText(
        "the file is called {name}, so the id must be '{slug}'",
        "文件名是 {name}，所以 id 必须是 '{slug}'",
    )
    bad_file_name = LocalText(
        "the name must be <number>-<id>.yaml, like 10-saved-output.yaml",
        "文件名必须是 <编号>-<id>.yaml，如 10-saved-output.yaml",
    )
    bad_folder_name = LocalText(
        "the folder's name must be <number>-<slug>, like 03-storage",
        "文件夹名必须是 <编号>-<slug>，如 03-storage",
    )
    no_chapter = LocalText("the folder has no chapter.yaml", "文件夹里没有 chapter.yaml")
    lesson_twice = LocalText(
        "a lesson '{id}' is there already: {path}", "课程 '{id}' 已存在：{path}"
    )
    requires = LocalText(
        "no earlier lesson teaches '{concept}'{hint}", "前面没有课程讲 '{concept}'{hint}"
    )
    requires_later = LocalText(
        "'{concept}' is taught only later, in {path}", "'{concept}' 到后面才讲：{path}"
    )
    claims_nothing = LocalText("claims nothing", "什么也没有断言")
    # Questions.
    missing_of_kind = LocalText(
        "missing key '{key}', which `{kind}` needs", "缺少键 '{key}'，`{kind}` 需要它"
    )
    not_of_kind = LocalText(
        "'{key}' has no meaning in a question of kind `{kind}`",
        "'{key}' 在 `{kind}` 类问题里没有意义",
    )
    line_taken = LocalText(
        "the choice on line {line} stands for '{name}' already",
        "第 {line} 行的选项已经代表 '{name}'",
    )
    not_own_line = LocalText(
        "the choice stands for '{name}', but `{role}` claims something of '{other}'",
        "这个选项代表 '{name}'，`{role}` 却在断言 '{other}'",
    )
    no_own_line = LocalText(
        "the claim says nothing of the line: give changed_by, saved_by or raised_by '{name}', "
        "or what is true when it ran (tensors, prints)",
        "断言没有说到这一行：请写 changed_by、saved_by 或 raised_by '{name}'，"
        "或者写这一行执行之后成立的事（tensors、prints）",
    )
    order_visit = LocalText(
        "a statement changes its place, not one visit of it: '{name}'",
        "换位置的是整条语句，不是某一次执行：'{name}'",
    )
    order_twice = LocalText("'{name}' is there twice", "'{name}' 出现了两次")
    order_block = LocalText(
        "the lines are not in one block: only statements beside each other can change places",
        "这些行不在同一个代码块里：只有并列的语句才能互换位置",
    )
    # Challenges.
    not_kept = LocalText(
        "the goal speaks of '{name}', so it must be one of `keep`",
        "目标提到了 '{name}'，所以它必须在 `keep` 里",
    )
    solution_not_python = LocalText(
        "in the solution: {why} (line {line} of its code: `{code}`)",
        "解答：{why}（其代码第 {line} 行：`{code}`）",
    )
    solution_same = LocalText("the solution changes nothing", "解答什么也没有改")
    over_par = LocalText(
        "the solution changes {changed} lines, par is {par}",
        "解答改动 {changed} 行，标准是 {par} 行",
    )
    solution_drops = LocalText(
        "the solution does not keep the statement of '{name}'", "解答没有保留 '{name}' 的语句"
    )
    solution_uses = LocalText(
        "the solution uses `{name}`, which is forbidden", "解答用到了禁用的 `{name}`"
    )
    solution_fails = LocalText("with the solution: {why}", "用解答运行：{why}")
    cut_wins = LocalText(
        "whoever cuts a part of the graph off has right gradients, too: also claim the `grad` of a "
        "leaf, or `values` that follow from it",
        "截断一部分计算图，梯度同样算正确：请同时断言某个叶子的 `grad`，或由它得出的 `values`",
    )
    no_question = LocalText(
        "no question: a lesson asks one at least (`ask`)", "没有提问：一课至少要有一个 `ask`"
    )
    to_write = LocalText("still to be written", "还没有写")
    not_chinese = LocalText(
        "not in Chinese: '{text}' (what is the same in all languages goes between backticks)",
        "不是中文：'{text}'（各语言相同的内容请放进反引号）",
    )
    start_wins = LocalText("the program reaches the goal as it is", "程序不用修改就已达到目标")
    not_watched = LocalText("no tensor is ever called '{name}'", "从没有哪个张量叫 '{name}'")
    same_missing = LocalText(
        "no tensor is called '{name}' at the end of the program as it is",
        "原程序结束时没有叫 '{name}' 的张量",
    )
    deletion_wins = LocalText(
        "deleting line {line} (`{code}`) wins, too: keep the line, or claim what it does",
        "删掉第 {line} 行（`{code}`）也能过关：请保留该行，或断言它的作用",
    )
    unknown_checkpoint = LocalText(
        "no chapter '{id}' with a checkpoint{hint}", "没有带小测的章 '{id}'{hint}"
    )
    unknown_challenge = LocalText("there is no challenge '{id}'{hint}", "没有挑战题 '{id}'{hint}")
    needs = LocalText("no lesson teaches '{concept}'{hint}", "没有课程讲 '{concept}'{hint}")
    unknown_lesson = LocalText("there is no lesson '{id}'{hint}", "没有课程 '{id}'{hint}")
    assigned_twice = LocalText("'{id}' is assigned twice", "'{id}' 布置了两次")
    assignment_empty = LocalText(
        "nothing is assigned: 'lessons', 'checkpoints', 'challenges' or 'drills' is needed",
        "没有布置任何内容：需要 'lessons'、'checkpoints'、'challenges' 或 'drills'",
    )
    challenge_twice = LocalText("'{id}' is there already: {path}", "'{id}' 已存在：{path}")
    # Room on a small screen.
    too_long = LocalText(
        "too long for a screen of 80x24: {rows} rows, {room} fit",
        "在 80x24 的屏幕上放不下：{rows} 行，只容 {room} 行",
    )
    too_wide = LocalText(
        "too long for its line: {cells} cells, {room} fit (a Chinese character takes two)",
        "一行放不下：{cells} 格，只容 {room} 格（一个汉字占两格）",
    )
    # What `check` finds by running.
    no_when = LocalText(
        "no choice's `when` is true: {reasons}", "没有一个选项的 `when` 成立：{reasons}"
    )
    reason = LocalText("'{choice}': {why}", "'{choice}'：{why}")
    reasons = LocalText("{one}; {other}", "{one}；{other}")
    many_when = LocalText(
        "the `when` of {count} choices is true: {names}",
        "有 {count} 个选项的 `when` 同时成立：{names}",
    )
    shown_before = LocalText(
        "the line of '{name}' has run when the question is asked: what it left was on the screen",
        "提问时 '{name}' 那一行已经执行过：它留下的结果已显示在屏幕上",
    )
    own_order = LocalText(
        "the lesson's own order reaches the goal already, so nothing is asked",
        "课程自己的顺序已经达到目标，等于没有提问",
    )
    no_order = LocalText("no order of these lines reaches the goal", "没有一种顺序能达到目标")
    no_why = LocalText(
        "no `why` is true of the order {order}: {how}", "没有一条 `why` 适用于顺序 {order}：{how}"
    )
    many_why = LocalText(
        "of the order {order} this `why` is true, too ({how})",
        "这条 `why` 同样适用于顺序 {order}（{how}）",
    )
    dead_why = LocalText("this `why` is true of no order", "这条 `why` 不适用于任何顺序")
    order_no_end = LocalText(
        "in the order {order} the program did not come to an end: {how}",
        "按顺序 {order}，程序没有正常走到头：{how}",
    )
    not_visited = LocalText(
        "the line of '{anchor}' was run {visits} times, never for the {wanted}. time",
        "'{anchor}' 那一行执行了 {visits} 次，没有第 {wanted} 次",
    )
    same_run = LocalText(
        "the variant makes no difference: every line left behind the same as in the lesson",
        "这个变体没有带来任何不同：每一行留下的都与原课一样",
    )
    same_claims = LocalText(
        "the variant ends as the lesson does, and all that it claims is true of the lesson too: "
        "claim what is different, or `say` what that teaches",
        "变体的结局与原课一样，它的断言对原课也全部成立：请断言不同之处，或用 `say` 说明这教了什么",
    )
    no_run = LocalText("the program did not come to an end: {how}", "程序没有正常走到头：{how}")


class ClaimTexts:
    """What was claimed of a run, and what was seen."""

    ends = LocalText("claimed that it {claimed}; it {seen}", "断言“{claimed}”；实际{seen}")
    raised_there = LocalText("{how}, line {line}: {error}", "{how}，第 {line} 行：{error}")
    timed_out = LocalText("was stopped after {seconds:g} s", "运行 {seconds:g} 秒后被终止")
    stopped = LocalText("was stopped at {value} {limit}", "达到 {value} {limit}的上限后被终止")
    crashed = LocalText("crashed (exit code {code})", "崩溃了（退出码 {code}）")
    wrong = LocalText(
        "{how}: {tensor} got {got}, true is {true}", "{how}：{tensor} 得到 {got}，真值为 {true}"
    )
    not_judged = LocalText("{how}: {reason}", "{how}：{reason}")
    match = LocalText(
        "claimed that the message has '{claimed}'; it is: {seen}",
        "断言报错信息含有“{claimed}”；实际为：{seen}",
    )
    match_nothing = LocalText(
        "claimed that the message has '{claimed}'; nothing was raised",
        "断言报错信息含有“{claimed}”；实际没有报错",
    )
    by = LocalText("claimed {role} {claimed}; it is {seen}", "断言{role} {claimed}；实际为{seen}")
    raised_by = LocalText("that it is raised by", "报错的是")
    saved_by = LocalText("that it is saved by", "保存它的是")
    changed_by = LocalText("that it is changed by", "改动它的是")
    nobody = LocalText("no line", "没有哪一行")
    line = LocalText("line {line}", "第 {line} 行")
    line_visit = LocalText("line {line}, visit {visits}", "第 {line} 行，第 {visits} 次")
    warns = LocalText(
        "claimed a warning with '{claimed}'; warned so far: {seen}",
        "断言有含“{claimed}”的警告；到此为止的警告：{seen}",
    )
    prints = LocalText(
        "claimed that it prints '{claimed}'; it prints: {seen}",
        "断言输出含有“{claimed}”；实际输出：{seen}",
    )
    none = LocalText("none", "无")
    no_tensor = LocalText(
        "no tensor is called '{name}' here (there are: {names})",
        "这里没有叫 '{name}' 的张量（有：{names}）",
    )
    field = LocalText(
        "{name}.{field}: claimed {claimed}, seen {seen}",
        "{name}.{field}：断言 {claimed}，实际 {seen}",
    )
    unreadable = LocalText("unreadable ({reason})", "不可读（{reason}）")
    sampled = LocalText("only a sample was recorded", "只记录了一部分")
    unnamed = LocalText("a tensor without a name", "没有名字的张量")
    shape = LocalText("shape {shape}", "形状 {shape}")
    shares = LocalText(
        "claimed that {name} and {other} share memory; they do not",
        "断言 {name} 与 {other} 共享内存；实际没有",
    )
    apart = LocalText(
        "claimed that {name} and {other} do not share memory; they do",
        "断言 {name} 与 {other} 不共享内存；实际共享",
    )
