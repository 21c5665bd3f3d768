"""What the panels say when a learner chooses something."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.strip import Strip

from inplace_tui.tutorial.activity.session.signals import RunToLine
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.panels import (
    CodePanel,
    GraphPanel,
    NarrationPanel,
    QuestionPanel,
    TensorTable,
)
from inplace_tui.tutorial.ui.theme import LIGHT
from support.hosts import Host
from support.views import asking, at, failed


async def test_enter_on_a_line_asks_to_run_to_it() -> None:
    app = Host(CodePanel(), at(1))
    async with app.run_test() as pilot:
        app.panel.focus()
        await pilot.press("down", "down", "down", "enter")

    assert app.said == [("Panel.Signalled", {"signal": RunToLine(3)})]


async def test_a_click_on_a_line_does_the_same() -> None:
    app = Host(CodePanel(), at(1))
    async with app.run_test() as pilot:
        await pilot.click(CodePanel, offset=(10, 4))

    assert app.said == [("Panel.Signalled", {"signal": RunToLine(4)})]


async def test_the_cursor_selects_the_tensor_of_its_row_and_describes_it() -> None:
    table = TensorTable()
    app = Host(table, at(4))
    async with app.run_test() as pilot:
        table.focus()
        await pilot.press("down", "down", "enter")
        await pilot.pause()

    assert app.said == [("TensorTable.Selected", {"tensor": number}) for number in (1, 2)]
    assert "saved by ExpBackward0.result v0" in table.text


async def test_the_head_of_the_table_stays_when_the_rows_scroll() -> None:
    table = TensorTable()
    app = Host(table, at(3))
    async with app.run_test(size=(60, 6)) as pilot:
        table.focus()
        await pilot.press("pagedown")
        await pilot.pause()

        assert table.scroll_offset.y > 0
        assert "values" in table.render_line(0).text


async def test_the_column_of_pointers_comes_and_goes() -> None:
    table = TensorTable()
    app = Host(table, at(3))
    async with app.run_test() as pilot:
        table.pointers = True
        await pilot.pause()
        with_pointers = table.text
        table.pointers = False

    assert "0x55a00040" in with_pointers
    assert "0x55a00040" not in table.text


async def test_a_node_leads_to_its_line() -> None:
    app = Host(GraphPanel(), at(3))
    async with app.run_test() as pilot:
        app.panel.focus()
        await pilot.press("down", "down", "enter")

    assert app.said == [("GraphPanel.NodeChosen", {"node": 2, "line": 3})]


async def test_letters_and_arrows_mark_a_choice_and_give_none() -> None:
    panel = QuestionPanel()
    app = Host(panel, asking())
    async with app.run_test() as pilot:
        panel.focus()
        marks = []
        for key in ("c", "home", "down", "end", "g", "1"):
            await pilot.press(key)
            marks.append(panel.marked)

    assert marks == [2, 0, 1, 2, 2, 2]
    assert app.said == []


async def test_an_answered_question_has_nothing_to_mark() -> None:
    panel = QuestionPanel()
    app = Host(panel, failed())
    async with app.run_test() as pilot:
        panel.focus()
        await pilot.press("a", "down", "enter")

    assert panel.marked is None
    assert app.said == []


async def test_a_new_question_begins_at_its_top() -> None:
    panel = QuestionPanel()
    app = Host(panel, failed())
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        panel.reveal(len(panel.rows) - 1)
        left = panel.scroll_offset.y
        now = asking()
        assert now.question is not None
        panel.show(replace(now, question=replace(now.question, id="another")), "en")
        await pilot.pause()

        assert left > 0
        assert panel.scroll_offset.y == 0


async def test_the_line_that_ran_stays_in_sight() -> None:
    panel = CodePanel()
    app = Host(panel, at(0))
    async with app.run_test(size=(60, 5)) as pilot:
        panel.show(at(5), "en")
        await pilot.pause()

        assert any("▸ 6" in panel.render_line(y).text for y in range(panel.size.height))


async def test_a_step_redraws_only_the_rows_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = CodePanel()
    app = Host(panel, at(3))
    drawn: list[int] = []
    async with app.run_test() as pilot:
        await pilot.pause()
        before, render_line = [panel.render_line(y) for y in range(6)], panel.render_line

        def draw(y: int) -> Strip:
            drawn.append(y)
            return render_line(y)

        monkeypatch.setattr(panel, "render_line", draw)
        panel.show(at(4), "en")
        await pilot.pause()
        after = [render_line(y) for y in range(6)]

        assert drawn
        assert {*drawn} == {y for y, one in enumerate(before) if one != after[y]}
        assert "▸ 5" in after[4].text


async def test_another_theme_gives_other_colours_at_once() -> None:
    panel = CodePanel()
    app = Host(panel, at(3))
    async with app.run_test() as pilot:
        await pilot.pause()
        dark = [segment.style for segment in panel.render_line(3)]
        app.theme = LIGHT.name
        await pilot.pause()
        light = [segment.style for segment in panel.render_line(3)]

    assert len(dark) == len(light)
    assert all(one != other for one, other in zip(dark, light, strict=True))


async def test_a_hidden_panel_catches_up_when_it_is_shown() -> None:
    panel = NarrationPanel()
    app = Host(panel, at(2))
    async with app.run_test() as pilot:
        panel.display = False
        await pilot.pause()
        panel.show(asking(), "en")
        panel.display = True
        await pilot.pause()

    assert "rewrote storage B" in panel.text


async def test_a_new_language_changes_title_and_rows() -> None:
    panel = TensorTable()
    app = Host(panel, at(3))
    async with app.run_test() as pilot:
        panel.show(at(3), "zh")
        await pilot.pause()

    assert str(panel.border_title) == "张量"
    assert "名称" in panel.text


async def test_a_view_without_a_run_yet_says_so() -> None:
    panel = NarrationPanel()
    view = at(-1)
    app = Host(panel, View(source="x = 1\n", timeline=type(view.timeline)(), running=True))
    async with app.run_test() as pilot:
        await pilot.pause()

    assert panel.text == "Running …"


async def test_a_long_line_scrolls_sideways_by_its_keys() -> None:
    panel = CodePanel()
    view = at(-1)
    app = Host(panel, View(source=f"x = '{'a' * 60}' + 'end'\n", timeline=view.timeline))
    async with app.run_test(size=(40, 6)) as pilot:
        panel.focus()
        await pilot.pause()
        cut = panel.render_line(0).text
        await pilot.press(*["greater_than_sign"] * 6)
        await pilot.pause()
        scrolled = panel.render_line(0).text
        await pilot.press(*["less_than_sign"] * 6)
        await pilot.pause()

        assert re.search(r"a…$", cut)
        assert re.search(r"^‹a+' \+ 'end'", scrolled)
        assert panel.scroll_x == 0
