"""A lesson file is refused with the place and the reason of each mistake."""

from __future__ import annotations

import pytest

from inplace_tui.common.problems import FilePosition, LessonError
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course.course import load_course
from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.course.lessons.kinds.registry import KINDS
from inplace_tui.tutorial.course.lessons.loader import load_lesson

GOOD = """\
schema: 1
id: saved-output
title: {en: "exp() keeps `y`", zh: "exp() 保存 `y`"}
teaches: [saved-output]
difficulty: 2
minutes: 4
watch: [x, y]
code: |
  import torch
  x = torch.ones(3, requires_grad=True)  #@ make
  y = x.exp()                            #@ exp
  y.add_(1)                              #@ mutate
  y.sum().backward()                     #@ back
steps:
  - at: mutate
    say: {en: written, zh: 写了}
    expect: {tensors: {y: {version: 1}}}
  - at: back
    ask:
      id: will-it-run
      kind: outcome
      prompt: {en: runs?, zh: 能运行吗？}
      choices:
        - {id: right, when: {ends: runs}, text: {en: a, zh: 甲}, why: {en: a, zh: 甲}}
        - {id: raises, when: {saved_by: exp}, text: {en: b, zh: 乙}, why: {en: b, zh: 乙}}
variants:
  - {id: data, swap: {mutate: "y.data.add_(1)"}, expect: {ends: runs}, title: {en: a, zh: 甲}}
recap: {en: end, zh: 完}
"""


def problems(text: str, path: str = "lesson.yaml") -> list[str]:
    """Return what is wrong with a lesson, without the path in front."""
    with pytest.raises(LessonError) as caught:
        load_lesson(text, path, origin=Origin.BUILT_IN)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def with_line(number: int, line: str) -> str:
    """Return the good lesson with one line exchanged, counted from 1."""
    lines = GOOD.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


def test_a_good_lesson_is_loaded_without_its_anchors() -> None:
    loaded = load_lesson(GOOD, "03-storage/10-saved-output.yaml", origin=Origin.BUILT_IN)

    assert loaded.code == (
        "import torch\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "y = x.exp()\n"
        "y.add_(1)\n"
        "y.sum().backward()\n"
    )
    assert loaded.anchors == {"make": 2, "exp": 3, "mutate": 4, "back": 5}
    assert loaded.lesson.steps[0].at == "mutate"
    assert loaded.program().filename == "saved-output.py"


def test_a_variant_is_the_program_with_its_statement_exchanged() -> None:
    loaded = load_lesson(GOOD, "lesson.yaml", origin=Origin.BUILT_IN)

    assert loaded.variants["data"].code == loaded.code.replace("y.add_(1)", "y.data.add_(1)")
    assert loaded.variants["data"].anchors == loaded.anchors
    assert loaded.program("data").source == loaded.variants["data"].code


def test_a_loaded_lesson_knows_where_its_claims_are_written() -> None:
    loaded = load_lesson(GOOD, "lesson.yaml", origin=Origin.BUILT_IN)

    assert loaded.where("steps", 0, "expect", "tensors", "y", "version") == FilePosition(17, 28)
    assert loaded.where("steps", 1, "ask", "choices", 1) == FilePosition(25, 11)
    assert loaded.where("steps", 1, "expect") == FilePosition(18, 5)


MISTAKES = [
    (4, "taeches: [saved-output]", "4:1: unknown key 'taeches' (did you mean 'teaches'?)"),
    (2, "", "1:1: missing key 'id'"),
    (2, "id: Saved Output", "2:5: expected lower-case words and digits joined by hyphens"),
    (3, "title: {zh: exp}", "3:8: missing language 'en'"),
    (3, "title: exp", "3:8: expected a mapping with the keys en, zh, got 'exp'"),
    (3, "title: {en: '`y`', zh: '`x`'}", "3:13: `y` is a code span in en but not in zh"),
    (3, "title: {en: '`y', zh: x}", "3:13: a backtick without its partner"),
    (3, "title: {en: no, zh: x}", "3:13: `no` is a boolean to some YAML readers and text"),
    (3, "title: {en: 1:30, zh: x}", "3:13: `1:30` is a number to some YAML readers only"),
    (3, "title: {en: 2026-11-21, zh: x}", "3:13: `2026-11-21` is a date to some YAML readers"),
    (3, "title: {en: , zh: x}", "3:13: expected text that is not empty, got nothing"),
    (3, "title: {en: 12, zh: x}", "3:13: expected text that is not empty, got `12`"),
    (3, 'title: {en: "a\\nb", zh: x}', "3:13: a title is one line"),
    (2, 'id: "exp\\n"', "2:5: expected lower-case words and digits joined by hyphens"),
    (7, f"seed: {'9' * 5000}", f"7:7: `{'9' * 39}…` has more than 40 digits"),
    (7, f"seed: {'1_' * 60_000}", f"7:7: `{'1_' * 19}1…` is a number to some YAML readers only"),
    (9, "  import torch\n" + "  x = 1\n" * 200, "8:7: a program of 206 lines; one to be read"),
    (4, "teaches: saved-output", "4:10: expected a list, got 'saved-output'"),
    (4, "teaches: []", "4:10: at least 1 needed"),
    (5, "difficulty: 9", "5:13: expected a whole number from 1 to 5, got `9`"),
    (5, "difficulty: 010", "5:13: `010` is a number to some YAML readers only"),
    (6, "minutes: !!int 4", "6:10: tags (`!!int`) are not allowed"),
    (6, "minutes: &m 4", "6:10: YAML anchors (`&m`) are not allowed"),
    (6, "minutes: *m", "6:10: aliases (`*m`) are not allowed: write it out"),
    (6, "<<: {minutes: 4}", "6:1: merge keys (`<<`) are not allowed"),
    (7, "id: again", "7:1: duplicate key 'id' (first on line 2)"),
    (7, "watch: [x, y", "8:5: not YAML: did not find expected ',' or ']'"),
    (7, "watch：[x, y]", "7:6: not YAML: `：` is full-width, `:` is needed"),
    (3, 'title: {en: "a"， zh: "一"}', "3:16: not YAML: `，` is full-width, `,` is needed"),
    (7, "\twatch: [x]", "7:1: not YAML: a tab; indent with spaces"),
    (8, "code: >", "8:7: code must be a `|` block"),
    (9, "  import torch as", "9:18: not Python: "),
    (10, "  x = y = 1; z = 2  #@ make", "10:21: `#@ make` is on a line of 2 statements"),
    (10, "  #@ make", "10:3: `#@ make` must stand at the end of a statement's last line"),
    (10, "  x = 1  #@ Make", "10:10: `#@ Make` is not `#@ name`"),
    (11, "  y = x  #@ make", "11:10: `#@ make` is there already, on line 2"),
    (15, "  - at: mutata", "15:9: there is no `#@ mutata` in the code (did you mean 'mutate'?)"),
    (15, "  - at: back", "18:9: the step at 'back' is there already, on line 15"),
    (15, "  - at: mutate#0", "15:9: expected the name of a `#@ name` in the code"),
    (
        17,
        "    expect: {ends: run}",
        "17:20: expected one of right, wrong, raises_before, raises_in_",
    ),
    (
        17,
        "    expect: {ends: crashed}",
        "17:20: expected one of right, wrong, raises_before, raises_in_",
    ),
    (17, "    expect: {saved_by: exq}", "17:24: there is no `#@ exq` in the code (did you"),
    (17, "    expect: {tensors: {y: {grad: [1, [2, a]]}}}", "17:34: expected a number, or lists"),
    (17, "    expect: {tensors: {y: {version: yes}}}", "17:37: `yes` is a boolean"),
    (17, "    expect: {tensors: {y: {is_leaf: 1}}}", "17:37: expected true or false, got `1`"),
    (25, GOOD.split("\n")[23], "25:16: the choice 'right' is there already, on line 24"),
]


@pytest.mark.parametrize(("number", "line", "said"), MISTAKES, ids=[m[1][:60] for m in MISTAKES])
def test_a_mistake_is_reported_where_it_is(number: int, line: str, said: str) -> None:
    found = problems(with_line(number, line))

    assert any(each.startswith(said) for each in found), found


WHOLE = {
    "choices": "[{id: a, when: {ends: runs}, TEXT, why: {en: a, zh: 甲}},"
    " {id: b, when: {ends: runs}, TEXT, why: {en: a, zh: 甲}}]",
    "elsewhere": "{en: a, zh: 甲}",
    "lines": "[exp, mutate]",
    "goal": "{ends: runs}",
    "why": "[{when: {ends: raises_before}, say: {en: a, zh: 甲}}]",
    "right": "{en: a, zh: 甲}",
    "of": "{tensor: y, facet: version}",
    "slips": "[{answer: 7, why: {en: a, zh: 甲}}]",
}


@pytest.mark.parametrize(
    ("kind", "without"), [(kind, key) for kind, each in KINDS.items() for key in each.KEYS]
)
def test_a_question_without_a_key_that_its_kind_needs_is_refused(kind: Kind, without: str) -> None:
    """No other key is taken for it: `hints` and `lines` are spelt alike."""
    needed = KINDS[kind].KEYS
    texts = "at: exp" if KINDS[kind].CHOICE_KEY == "at" else "text: {en: a, zh: 甲}"
    keys = {key: WHOLE[key].replace("TEXT", texts) for key in needed if key != without}
    asked = [f"kind: {kind}", "id: q", "prompt: {en: a, zh: 甲}", "hints: [{en: a, zh: 甲}]"]
    asked += [f"{key}: {text}" for key, text in keys.items()]
    lines = GOOD.split("\n")
    text = "\n".join([*lines[:19], *(f"      {each}" for each in asked), *lines[25:]])

    assert any(f"missing key '{without}', which `{kind}` needs" in each for each in problems(text))


COLONS = [
    (3, "title: {en: exp: keeps it, zh: 保存}", 16),
    (3, "title: {zh: 保存, en: exp: keeps it}", 24),
    (3, "title: It says: no", 15),
    (16, "    say: written: yes", 17),
]


@pytest.mark.parametrize(("number", "line", "column"), COLONS)
def test_a_colon_in_a_text_is_named_as_what_it_is(number: int, line: str, column: int) -> None:
    (found,) = problems(with_line(number, line))

    assert found.startswith(f"{number}:{column}: not YAML: a colon where none can be")


SIGNS = [
    "title: {en: ~`x` is, zh: x}",
    "title: ~`x`",
    "title: [~`x`]",
    "title: {en: x, zh: ~@x}",
    "title: ~*x* is",
    "title: {en: ~* is, zh: x}",
    "title: ~& is",
    "title: ~- is",
    "title: ~? is",
    "title: ~> is",
    "title: ~| is",
    "en: ~{x} is",
    "en: ~[x] is",
    'en: ~"x" is',
    "zh: ~'x' is",
]
"""Lines, with `~` where the text begins."""


@pytest.mark.parametrize("marked", SIGNS)
def test_a_sign_that_no_text_may_begin_with_is_named(marked: str) -> None:
    at = marked.index("~")

    (found,) = problems(with_line(3, marked.replace("~", "")))

    sign = marked[at + 1]
    assert found.startswith(f"3:{at + 1}: not YAML: a text that begins with {sign} needs quotes")


@pytest.mark.parametrize("line", ['en: "a \\q"', "goal: [x] y", " - x", "goal: {a: b} c"])
def test_what_is_no_yaml_for_another_reason_is_not_put_into_quotes(line: str) -> None:
    assert "needs quotes" not in problems(with_line(3, line))[0]


SWAPS = [
    ("{mutata: ''}", "27:20: there is no `#@ mutata` in the code (did you mean 'mutate'?)"),
    ("{mutate#2: ''}", "27:20: a swap replaces a statement, not one visit of it"),
    ("{mutate: 'y.add_(1)'}", "27:28: the variant's code is the same as the lesson's"),
    ("{mutate: 'y.add_('}", "27:28: in this variant: not Python: '(' was never closed"),
    ("{mutate: 3}", "27:28: expected text, got `3`"),
    ("{}", "27:19: at least 1 needed"),
]


@pytest.mark.parametrize(("swap", "said"), SWAPS, ids=[each[0] for each in SWAPS])
def test_a_swap_that_gives_no_program_is_reported(swap: str, said: str) -> None:
    line = f"  - {{id: v, swap: {swap}, expect: {{ends: runs}}, title: {{en: a, zh: 甲}}}}"

    found = problems(with_line(27, line))

    assert any(each.startswith(said) for each in found), found


def test_all_mistakes_are_found_in_one_go() -> None:
    text = GOOD.replace("difficulty: 2", "difficulty: two").replace("at: back", "at: bakc")
    text = text.replace("schema: 1", "schema: 1\nsed: 0").replace("zh: 完", "zn: 完")

    found = [each.split(": ")[0] for each in problems(text)]

    assert found == ["2:1", "6:13", "19:9", "29:18"]


def test_a_misspelt_key_is_not_reported_as_missing_too() -> None:
    assert problems(GOOD.replace("recap:", "recpa:")) == [
        "28:1: unknown key 'recpa' (did you mean 'recap'?)"
    ]


def test_a_claim_of_a_variant_speaks_of_the_variants_own_code() -> None:
    text = GOOD.replace('{mutate: "y.data.add_(1)"}, expect: {ends: runs}', "SWAP")
    gone = text.replace("SWAP", '{mutate: ""}, expect: {changed_by: mutate}')
    brought = text.replace("SWAP", '{mutate: "y.mul_(2)  #@ double"}, expect: {changed_by: double}')

    assert problems(gone) == [
        "27:57: there is no `#@ mutate` in this variant's code (did you mean 'make'?)"
    ]
    assert (
        load_lesson(brought, "lesson.yaml", origin=Origin.BUILT_IN)
        .variants["data"]
        .anchors["double"]
        == 4
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: the file is empty"),
        ("# only a comment\n", "1:1: the file is empty"),
        ("\ufeff" + GOOD, "1:1: starts with a byte order mark"),
        (GOOD.replace("\n", "\r\n"), "1:10: a carriage return"),
        (GOOD.replace("exp()", "exp\x00"), "3:17: the character U+0000 is not allowed"),
        (GOOD.replace("exp()", "exp\u2028"), "3:17: the character U+2028 is not allowed"),
        (GOOD.replace("exp()", "exp\u202e"), "3:17: the character U+202E is not allowed"),
        (GOOD.replace("exp()", "exp\u200b"), "3:17: the character U+200B is not allowed"),
        (GOOD.replace("y.add_", "y\u3164.add_"), "12:4: the character U+3164 is not allowed"),
        (GOOD.replace("y.add_", "y\ufe0f.add_"), "12:4: the character U+FE0F is not allowed"),
        (GOOD.replace("teaches: [", 'teaches: ["\\e]0;x", '), "4:11: the character U+001B"),
        (GOOD + "---\n" + GOOD, "29:1: a second document"),
        ("[" * 100, "1:25: nested deeper than 24 levels"),
        ("a: " + "x" * 300_000, "1:1: the file has 300003 bytes; a lesson may have 262144"),
        ("- a\n- b\n", "1:1: expected a mapping with the keys schema, id, title"),
        ("just words", "1:1: expected a mapping with the keys schema, id, title"),
        ("? [a]\n: b\n", "1:3: a key must be text"),
        ("1: a\n", "1:1: a key must be text"),
    ],
)
def test_what_is_no_lesson_at_all_is_refused(text: str, said: str) -> None:
    found = problems(text)

    assert any(each.startswith(said) for each in found), found


@pytest.mark.parametrize(
    "code", ["x = " + "(" * 500 + ")" * 500, "x = " + "-" * 50_000 + "1", "return 1", "x = '\\d"]
)
def test_code_that_breaks_the_parser_is_a_problem_of_the_file(code: str) -> None:
    found = problems(with_line(9, f"  {code}"))

    assert any("not Python" in each for each in found)


def test_the_id_is_the_name_of_the_file() -> None:
    assert problems(GOOD, "03-storage/10-exp.yaml") == [
        "2:5: the file is called 10-exp.yaml, so the id must be 'exp'"
    ]


def test_a_problem_is_said_in_chinese_too() -> None:
    with pytest.raises(LessonError) as caught:
        load_lesson(GOOD.replace("recap:", "recpa:"), "课.yaml", origin=Origin.BUILT_IN)

    assert caught.value.problems[0].text("zh") == (
        "课.yaml:28:1: 未知的键 'recpa'（是不是 'recap'？）"
    )


CHAPTER = "schema: 1\ntitle: {en: a, zh: 甲}\nsummary: {en: a, zh: 甲}\n"


def lesson(id: str, teaches: str, requires: str = "[]") -> str:  # noqa: A002
    """Return a lesson's file."""
    text = GOOD.replace("id: saved-output", f"id: {id}").replace("[saved-output]", f"[{teaches}]")
    return text.replace("difficulty", f"requires: {requires}\ndifficulty")


def test_a_course_is_ordered_by_the_numbers_in_its_names() -> None:
    course = load_course(
        {
            "10-late/chapter.yaml": CHAPTER,
            "10-late/1-last.yaml": lesson("last", "c", "[a, b]"),
            "2-early/chapter.yaml": CHAPTER,
            "2-early/10-second.yaml": lesson("second", "b", "[a]"),
            "2-early/9-first.yaml": lesson("first", "a"),
        },
        origin=Origin.BUILT_IN,
    )

    assert [each.lesson.id for each in course.lessons] == ["first", "second", "last"]
    assert [chapter.slug for chapter in course.chapters] == ["early", "late"]
    assert course.problems == ()


def test_one_broken_lesson_leaves_the_others() -> None:
    course = load_course(
        {
            "01-a/chapter.yaml": CHAPTER,
            "01-a/01-good.yaml": lesson("good", "a"),
            "01-a/02-broken.yaml": "schema: [",
            "01-a/03-latin.yaml": b"schema: 1\nid: caf\xe9\n",
            "01-a/notes.yaml": "",
        },
        origin=Origin.BUILT_IN,
    )

    assert [each.lesson.id for each in course.lessons] == ["good"]
    assert [str(problem) for problem in course.problems] == [
        "01-a/02-broken.yaml:2:1: not YAML: did not find expected node content",
        "01-a/03-latin.yaml:2:8: not UTF-8: byte 0xe9",
        "01-a/notes.yaml:1:1: the name must be <number>-<id>.yaml, like 10-saved-output.yaml",
    ]


def test_a_concept_must_be_taught_before_it_is_required() -> None:
    course = load_course(
        {
            "01-a/chapter.yaml": CHAPTER,
            "01-a/01-first.yaml": lesson("first", "leaf", "[version]"),
            "01-a/02-second.yaml": lesson("second", "version", "[leav]"),
        },
        origin=Origin.BUILT_IN,
    )

    assert [str(problem) for problem in course.problems] == [
        "01-a/01-first.yaml:5:12: 'version' is taught only later, in 01-a/02-second.yaml",
        "01-a/02-second.yaml:5:12: no earlier lesson teaches 'leav' (did you mean 'leaf'?)",
    ]


def test_two_lessons_with_one_id_are_a_problem_of_the_second() -> None:
    course = load_course(
        {
            "01-a/chapter.yaml": CHAPTER,
            "01-a/01-same.yaml": lesson("same", "a"),
            "01-a/02-same.yaml": lesson("same", "a"),
        },
        origin=Origin.BUILT_IN,
    )

    assert [str(problem) for problem in course.problems] == [
        "01-a/02-same.yaml:2:1: a lesson 'same' is there already: 01-a/01-same.yaml"
    ]


def test_a_folder_without_a_chapter_is_a_problem() -> None:
    course = load_course({"01-a/01-good.yaml": lesson("good", "a")}, origin=Origin.BUILT_IN)

    assert [str(problem) for problem in course.problems] == [
        "01-a/chapter.yaml:1:1: the folder has no chapter.yaml"
    ]
