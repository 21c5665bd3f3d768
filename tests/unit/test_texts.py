"""Texts filled in: numbers with their nouns, and Chinese without stray spaces."""

from __future__ import annotations

import re

import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.sentences import SentenceBuilder, filled
from inplace_tui.common.texts import say
from inplace_tui.common.texts.blame import BlameTexts
from inplace_tui.common.texts.explain import MarkTexts
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.common.texts.panels import NarrationTexts, TableTexts
from inplace_tui.common.texts.plain import NOTICES
from inplace_tui.common.texts.session import NoticeTexts
from support.texts import MODULES, tables

COUNTED = LocalText(en="{n:step|steps} left", zh="还剩 {n} 步")
WROTE = LocalText(en="wrote {what} twice", zh="写了 {what} 两次")
CHINESE = "[\u4e00-\u9fff]"

TABLES = [
    (module, key, text)
    for module in MODULES
    for _, table in tables(module)
    for key, text in table.items()
]


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 steps left"), (1, "1 step left"), (1024, "1,024 steps left")]
)
def test_a_number_takes_its_noun_along(count: int, said: str) -> None:
    assert say(COUNTED, "en", n=count) == said
    assert say(COUNTED, "zh", n=count) == f"还剩 {count} 步"
    assert "".join(s.text for s in SentenceBuilder("", "en")(COUNTED, n=count).spans) == said


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("y", "写了 y 两次"),
        ("一个张量", "写了一个张量两次"),
        ("y 的视图", "写了 y 的视图两次"),
        ("", "写了  两次"),
    ],
)
def test_chinese_beside_chinese_has_no_space(what: str, said: str) -> None:
    assert say(WROTE, "zh", what=what) == said


def test_a_tensor_without_a_name_is_told_without_a_space() -> None:
    tell = SentenceBuilder("a = 1", "zh")

    told = tell(BlameTexts.refused, line=1, tensor=tell.tensor(None)).text

    assert told.startswith("第 1 行 `a = 1` 想写一个张量；")
    assert say(MarkTexts.refused, "zh", tensor=say(MarkTexts.it, "zh")) == "不允许写一个张量"


def test_no_chinese_text_has_a_space_between_two_characters_or_a_half_width_mark_after_one() -> (
    None
):
    stray = re.compile(rf"{CHINESE} {CHINESE}|{CHINESE}[,;:?!]|{CHINESE}\.(?:$|\s)")
    found = [(module, key, text["zh"]) for module, key, text in TABLES if stray.search(text["zh"])]

    assert found == []


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        (NarrationTexts.plain, "7", "第 7 行已运行；没有张量变化。"),
        (NarrationTexts.plain, "pkg/model.py:7", "pkg/model.py 第 7 行已运行；没有张量变化。"),
        (TableTexts.new, "cell 2:1", "由 cell 2 第 1 行新建"),
    ],
)
def test_in_chinese_a_line_of_another_file_comes_behind_its_file(
    text: LocalText, place: str, told: str
) -> None:
    assert say(text, "zh", line=place) == told
    assert fill(text, line=place)["zh"] == told
    assert "".join(span.text for span in filled(text, "zh", {"line": place})) == told


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        (NarrationTexts.plain, "cell 3:1", "Cell 3:1 ran; no tensor changed."),
        (NarrationTexts.plain, "pkg/model.py:7", "Line pkg/model.py:7 ran; no tensor changed."),
        (TableTexts.new, "In [2]:1", "new from In [2]:1"),
    ],
)
def test_a_line_of_a_cell_is_called_by_its_place_alone(
    text: LocalText, place: str, told: str
) -> None:
    assert say(text, "en", line=place) == told
    assert fill(text, line=place)["en"] == told
    assert "".join(span.text for span in filled(text, "en", {"line": place})) == told


def test_two_lines_of_another_file_name_it_once() -> None:
    assert say(GraphTexts.lines, "zh", first="m.py:7", last="9") == "m.py 第 7–9 行"


def test_a_notice_that_names_a_key_names_a_command_where_lines_are_typed() -> None:
    of_keys = {
        text
        for text in vars(NoticeTexts).values()
        if isinstance(text, LocalText) and "{keys" in text.en + text["zh"]
    }

    assert of_keys
    assert of_keys == NOTICES.keys()
    assert not any("{" in text.en + text["zh"] for text in NOTICES.values())
