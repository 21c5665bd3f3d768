"""What translators write: nothing is missing or left over, no value is lost, and one may begin."""

from __future__ import annotations

import string
from datetime import datetime, timezone
from functools import cache

import pytest
from babel.messages.catalog import Catalog
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.local_text import parsed, translations
from inplace_tui.common.texts import counted
from inplace_tui.common.texts.actions import LABELS
from support.translations import LOCALE, declared, read, written

Key = tuple[str, str]
TRANSLATED = LANGUAGES[1:]


@pytest.fixture(scope="module")
def in_sources() -> set[Key]:
    """Return the texts that are declared: to look through all sources takes seconds."""
    return {(each.context or "", str(each.id)) for each in declared() if each.id}


@cache
def told(language: str) -> dict[Key, str]:
    """Return what a catalogue says, as Babel reads it."""
    found = read(LOCALE / f"{language}.po")
    return {
        (each.context or "", str(each.id)): str(each.string)
        for each in found
        if each.id and each.string and not each.fuzzy
    }


def values(text: str) -> dict[str, int]:
    """Return the names of the `{holes}` of a text, and how many forms of a noun each takes."""
    holes = [(name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name]
    return {name: max(spec.count("|") for n, spec in holes if n == name) for name, _ in holes}


def test_the_texts_are_found(in_sources: set[Key]) -> None:
    assert len(in_sources) > 2_000
    assert len(told("zh")) > 2_000


def test_every_text_is_there_in_chinese(in_sources: set[Key]) -> None:
    assert sorted(in_sources - told("zh").keys()) == [], "run `make texts`, fill them in"


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_text_is_translated_that_nobody_declares(language: str, in_sources: set[Key]) -> None:
    left = told(language).keys() - in_sources

    assert sorted(left) == [], "`make texts` takes them out"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_takes_the_values_of_its_text(language: str) -> None:
    wrong = {
        english: said
        for (_, english), said in told(language).items()
        if values(english).keys() != values(said).keys()
    }

    assert wrong == {}


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_noun_has_as_many_forms_as_its_language(language: str) -> None:
    forms = read(LOCALE / f"{language}.po").num_plurals
    said = [text for text in told(language).values() if "|" in text]

    assert [each for each in said if not set(values(each).values()) <= {0, forms - 1}] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_babel_reads_the_same(language: str, in_sources: set[Key]) -> None:
    said = {key: translations(language).of(key[1], key[0]) for key in in_sources}

    assert said == {key: told(language).get(key, key[1]) for key in in_sources}


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\x85\u2028\u2029"), min_size=1)


@settings(deadline=None)
@given(st.dictionaries(st.tuples(st.just("") | TEXT, TEXT), TEXT, max_size=4), st.data())
def test_what_babel_writes_is_read(texts: dict[Key, str], data: st.DataObject) -> None:
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    made = Catalog(locale="pl", creation_date=now, revision_date=now, fuzzy=False)
    guesses = data.draw(st.sets(st.sampled_from(sorted(texts)))) if texts else set()
    for key, said in texts.items():
        made.add(key[1], said, context=key[0] or None, flags=["fuzzy"] * (key in guesses))
        made.add(f"new {key[1]}", context=key[0] or None)

    found = parsed(written(made))

    assert [found.plural(count) for count in (1, 2, 5, 22)] == [0, 1, 2, 1]
    assert {key: found.of(key[1], key[0]) for key in texts} == {
        key: key[1] if key in guesses else said for key, said in texts.items()
    }


def test_a_number_takes_the_form_that_its_language_says(monkeypatch: pytest.MonkeyPatch) -> None:
    polish = parsed(written(Catalog(locale="pl", fuzzy=False)))
    monkeypatch.setattr("inplace_tui.common.texts.translations", lambda _: polish)

    said = [counted(count, "krok|kroki|kroków", "pl") for count in (1, 2, 5, 22, 1000)]

    assert said == ["1 krok", "2 kroki", "5 kroków", "22 kroki", "1,000 kroków"]


def test_the_key_for_the_next_language_says_its_own_name() -> None:
    assert [LABELS["language"][each] for each in ("en", "zh")] == ["中文", "English"]
