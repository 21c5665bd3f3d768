"""Which language is spoken: that of `--lang`, else of the locale."""

from __future__ import annotations

import pytest

from inplace_tui.common.language import of_arguments, of_locale


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": ""}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.Big5"}, "zh"),
        ({"LANG": "ZH_cn@pinyin"}, "zh"),
        ({"LANG": "zhuang"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh:en"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:zh:en_US"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en:zh"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "de:fr"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": ""}, "zh"),
        ({"LANGUAGE": "zh"}, "en"),
        ({"LC_ALL": "C", "LANGUAGE": "zh"}, "en"),
    ],
)
def test_the_locale_decides_as_it_does_for_gettext(
    environment: dict[str, str], language: str
) -> None:
    assert of_locale(environment) == language


@pytest.mark.parametrize(
    ("arguments", "language"),
    [
        (["--lang", "zh", "list"], "zh"),
        (["list", "--lang=en"], "en"),
        (["list", "--lang", "fr"], None),
        (["list", "--lang"], None),
        (["run", "train.py", "--", "--lang", "zh"], None),
        ([], None),
    ],
)
def test_the_command_line_is_heard_before_it_is_parsed(
    arguments: list[str], language: str | None
) -> None:
    assert of_arguments(arguments) == language
