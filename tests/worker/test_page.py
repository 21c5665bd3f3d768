"""A run as a page for a browser: whole, closed in itself, and as discreet as the screen."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zlib
from html import escape, unescape
from html.parser import HTMLParser
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from inplace_tui.common.cells import width
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.files import join_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.outcome import Unverified
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.texts import say
from inplace_tui.common.texts.page import PageTexts
from inplace_tui.common.texts.panels import NarrationTexts
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.report.page import MAX_STEPS, ROOM, document, of_lesson
from support.course import COURSE
from support.patience import PATIENCE
from support.running import LIMITS

pytestmark = pytest.mark.asyncio(loop_scope="session")

FAILS = """\
import torch
print("</script><img src=//elsewhere onerror=alert(1)> [/b] \\u202e")
x = torch.ones(2, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""

LOOP = """\
import torch
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 4)
for epoch in range(58):
    loss = model(x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    del loss
"""

MANY = """\
import torch
x = torch.ones(2, requires_grad=True)
a, b, c, d, e, f, g, h = torch.ones(8, 2)
kept = [x.exp() if i % 2 else x.sin() for i in range(100)]
loss = torch.stack(kept).sum()
"""

TRAIN = """\
import torch
from model import f
x = torch.ones(2, requires_grad=True)
loss = f(x).sum()
loss.backward()
"""

MODEL = """\
def f(x):
    h = x.sigmoid()
    y = x + h * h
    h += y  # the residual
    return h
"""

FIX = Fix(
    title=LocalText(en="Compute a new `h`", zh="计算新的 `h`"),
    line=10,
    diff="--- model.py\n+++ model.py\n@@ -4,1 +4,1 @@\n-    h += y\n+    h = h + y",
    source="",
)

EMPTY = {"meta", "input"}
"""Elements that have no end."""


class Structure(HTMLParser):
    """Every element opened is closed in turn; all attributes are kept."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def told(page: str) -> dict[str, Any]:
    """Return what the page's script unpacks."""
    packed = re.search(r'id="run">([^<]*)</script>', page)
    assert packed is not None
    found = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    assert isinstance(found, dict)
    return found


def section(page: str, name: str) -> str:
    """Return the text of a section as the page begins with it."""
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found is not None
    return " ".join(unescape(re.sub(r"<[^>]+>", "", found[0])).split())


def everything(page: str) -> str:
    """Return all text that a reader could come to, at any step."""
    rows = told(page)["rows"]
    return page + "\n".join(map(text_of, rows))


def text_of(row: list[Any]) -> str:
    """Return the words of a row, without what is drawn."""
    return "".join(text for style, text in zip(row[2::2], row[3::2], strict=True) if style >= 0)


def shown(data: dict[str, Any], step: int) -> dict[str, str]:
    """Return each panel's text at a step of the last part."""
    panels = [data["panels"][each] for each in data["parts"][-1][step]]
    texts = ("\n".join(text_of(data["rows"][row]) for row in panel) for panel in panels)
    return dict(zip(data["names"], texts, strict=True))


async def test_the_page_has_every_step_and_nothing_from_elsewhere(worker: Worker) -> None:
    program = Program(source=FAILS, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)

    page = document(Session.of_recording(program, timeline, Unverified()), "a < b", "en")

    structure = Structure(page)
    assert structure.open == []
    assert (page.startswith("<!DOCTYPE html>"), "<title>a &lt; b</title>" in page) == (True, True)
    assert "default-src 'none'" in page
    for tag, attributes in structure.found:  # nothing that a browser would fetch
        assert tag not in {"img", "link", "iframe", "object", "embed", "base", "form", "a"}
        assert not attributes.keys() & {"src", "href", "srcset", "action", "style", "onerror"}
    assert not re.search(r"url\(|@import|https?:|fetch\(|import\(", page)
    data = told(page)
    assert len(data["parts"][-1]) == len(timeline) + 1
    assert '<h2 id="of-lanes">Storages · all steps</h2>' in page  # the future is on it, too
    assert "img src=//elsewhere" in everything(page)  # as text
    assert "\u202e" not in everything(page)
    panels = shown(data, len(timeline))
    assert "changed here" in panels["code0"]
    assert "expected version 0" in section(page, "what")
    assert "y " in panels["tensors"]
    assert "ExpBackward0" in panels["graph"]
    assert "B" in panels["lanes"]
    assert "[/b]" in panels["output"]


async def test_it_can_be_used_without_a_mouse_or_eyes_or_a_script(worker: Worker) -> None:
    program = Program(source=FAILS, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)

    page = document(Session.of_recording(program, timeline, Unverified()), "it", "zh")

    found = Structure(page).found
    ids = {attributes["id"] for _, attributes in found if "id" in attributes}
    assert ("html", {"lang": "zh-Hans"}) in found
    for tag, attributes in found:
        if tag in {"section", "pre"}:
            assert attributes["aria-labelledby"] in ids
        if tag in {"nav", "input"}:
            assert attributes["aria-label"]
        if tag == "pre":  # it scrolls, so it takes the focus; without a role it has no name
            assert (attributes["tabindex"], attributes["role"]) == ("0", "group")
    still = page[: page.index('id="run"')]
    assert "在此修改" in still
    assert escape(say(PageTexts.still, "zh")) in still
    live = [attributes["id"] for _, attributes in found if attributes.get("aria-live") == "polite"]
    assert live == ["step"]  # why it failed stands above, once


@pytest.mark.whole
async def test_three_hundred_steps_of_training_are_less_than_a_megabyte(worker: Worker) -> None:
    program = Program(source=LOOP, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    assert 300 < len(timeline) < MAX_STEPS

    page = document(Session.of_recording(program, timeline, Unverified()), "loop", "en")

    assert len(page.encode()) < 1_000_000
    data = told(page)
    assert len(data["parts"][-1]) == len(timeline) + 1
    assert shown(data, 0)["code0"] != shown(data, 100)["code0"]


async def test_a_table_that_is_cut_says_how_many_rows_there_are_more(worker: Worker) -> None:
    program = Program(source=MANY, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)

    page = document(Session.of_recording(program, timeline, Unverified()), "many", "en")

    panels = shown(told(page), len(timeline))
    head, *tensors, more = panels["tensors"].splitlines()
    tensors_in_all = len(timeline.at(len(timeline) - 1).tensors)
    assert "name" in head
    assert more.startswith(f"… {tensors_in_all - len(tensors)} more rows")
    assert re.search(r"… \d+ more storages", panels["lanes"])
    assert shown(told(page), 3)["step"].startswith("New: a, b, c, d, e, f, and 2 more.")


async def test_nothing_of_a_line_is_cut_and_paragraphs_are_the_browsers_to_wrap(
    worker: Worker,
) -> None:
    comment = f"# {'so that it is long ' * 4}indeed"
    program = Program(source=FAILS.replace("+= 1", f"+= 1  {comment}"), origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)

    page = document(Session.of_recording(program, timeline, Unverified()), "it", "en")

    panels, why = shown(told(page), len(timeline)), section(page, "what")
    code, step = panels["code0"], panels["step"]
    line = next(row for row in code.splitlines() if "y += 1" in row)
    assert comment in line
    assert "changed here" in line
    others = [row for row in code.splitlines() if row != line]
    assert max(map(len, others)) <= ROOM  # their notes are seen without scrolling
    assert "[2]], which is output 0 of Exp, is at version 1; expected version 0" in why
    assert "expected version" not in step  # no sentence stands in two panels


async def test_the_page_of_a_lesson_has_its_title_and_nobodys_score(worker: Worker) -> None:
    lesson = COURSE.find("saved-output")
    assert lesson is not None
    timeline = await record(worker, lesson.program(), LIMITS)
    truth = await verify(worker, lesson.program(), LIMITS)
    asked = [step.ask.id for step in lesson.lesson.steps if step.ask is not None]
    answers = [SavedAnswer(question=each, status=QuestionStatus.SHOWN) for each in asked]
    session = Session.of_recording(lesson, timeline, truth, answers)

    page = document(session, lesson.lesson.id, "en")

    assert f"<title>{lesson.lesson.title['en']}</title>" in page
    step = shown(told(page), len(timeline))["step"]
    assert say(NarrationTexts.recap, "en") in step
    assert "0/" not in step


async def test_what_an_open_question_hides_stays_hidden(worker: Worker) -> None:
    lesson = COURSE.find("saved-output")
    assert lesson is not None
    timeline = await record(worker, lesson.program(), LIMITS)
    truth = await verify(worker, lesson.program(), LIMITS)
    asked = [step.ask.id for step in lesson.lesson.steps if step.ask is not None]

    def page(*answers: SavedAnswer) -> str:
        return document(Session.of_recording(lesson, timeline, truth, answers), "it", "en")

    hidden = page()
    answered = page(*(SavedAnswer(question=q, status=QuestionStatus.SHOWN) for q in asked))
    left = page(*(SavedAnswer(question=q, status=QuestionStatus.OPEN, left=True) for q in asked))

    telling = ("RuntimeError", "failed here", "expected version 0")
    assert all(text in everything(answered) for text in telling)
    for page_of in (hidden, left):
        assert not [text for text in telling if text in everything(page_of)]
    assert len(told(hidden)["parts"][-1]) < len(told(answered)["parts"][-1])
    assert "A question of this lesson is open" in hidden


async def page_of_two_files(worker: Worker, folder: Path) -> str:
    place = folder / "model.py"
    place.write_text(MODEL)
    program = Program(
        source=join_files(TRAIN, [("model.py", MODEL)]),
        filename=str(folder / "train.py"),
        folder=str(folder),
        files=(str(place),),
        origin=Origin.OWN,
    )
    timeline = await record(worker, program, LIMITS)
    session = Session.of_recording(program, timeline, Unverified())
    return document(session, "train.py", "en", (FIX,))


async def test_the_page_has_the_lines_of_all_files_and_the_fixes_as_diffs(
    worker: Worker, tmp_path: Path
) -> None:
    page = await page_of_two_files(worker, tmp_path)

    what, fixes = section(page, "what"), section(page, "fixes")
    assert re.search(r"train\.py 5loss\.backward\(\)needs h at version 0", what)
    assert re.search(r"model\.py 3y = x \+ h \* hsaved h at version 0", what)
    assert "4h += ythe line at fault: wrote h: version 0 to 1" in what
    assert "1. Compute a new h" in fixes
    assert '<div class="gone">-    h += y</div><div class="come">+    h = h + y</div>' in page
    structure = Structure(page)
    assert structure.open == []
    ids = [attributes["id"] for _, attributes in structure.found if "id" in attributes]
    assert len(ids) == len({*ids})
    for _, attributes in structure.found:  # nothing has the name of something that is not there
        assert {attributes[each] for each in ("aria-labelledby", "for") if each in attributes} <= {
            *ids
        }


async def test_what_is_linked_to_a_storage_is_what_made_saved_or_wrote_it(
    worker: Worker, tmp_path: Path
) -> None:
    page = await page_of_two_files(worker, tmp_path)

    data = told(page)
    last = dict(zip(data["names"], data["parts"][-1][-1], strict=True))
    (lane,) = (
        data["rows"][row]
        for row in data["panels"][last["lanes"]]
        if "v1 !" in text_of(data["rows"][row])
    )
    before = len(TRAIN.splitlines()) + 1
    assert data["related"][lane[0]] == [f"l{before + line}" for line in (2, 3, 4)]
    code1 = data["names"].index("code1")
    wrote = next(
        place
        for place, step in enumerate(data["parts"][-1])
        for row in data["panels"][step[code1]]
        if data["rows"][row][:2] == [f"l{before + 4}", data["here"]]
    )
    drawing = lane[3]  # four cells a step, of which the first one is before the program
    assert (len(drawing), drawing.index("!")) == (4 * data["count"], 4 * (wrote - 1))
    keys = {name: [data["rows"][row][0] for row in data["panels"][last[name]]] for name in last}
    assert {f"l{before + line}" for line in (2, 3, 4)} <= {*keys["code1"]}
    assert keys["graph"].count(lane[0]) == 3  # sigmoid's result, and h twice in h * h
    quoted = re.findall(r'<div data-key="(l\d+)">', page)
    assert {*quoted} <= {*keys["code0"], *keys["code1"]}


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
async def test_every_text_has_contrast_on_every_ground(scheme: int) -> None:
    css = files("inplace_tui.tutorial.report").joinpath("page.css").read_text("utf-8")
    colors = {
        name: luminance(pair[scheme])
        for name, *pair in re.findall(r"--(\w+):light-dark\((#\w{6}),(#\w{6})\)", css)
    }
    grounds = {"back", "panel", "here", "lit", "gone", "come"}
    texts = {"text", "dim", "blue", "teal", "violet", "yellow", "orange"}
    assert colors.keys() == {*grounds, *texts, "line"}

    for text, ground in product(texts, grounds - {"gone", "come"}):
        low, high = sorted((colors[text], colors[ground]))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)
    for text, ground in (("orange", "gone"), ("blue", "come")):
        low, high = sorted((colors[text], colors[ground]))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)


async def test_the_page_of_a_lesson_asks_before_it_shows_what_the_answer_is(worker: Worker) -> None:
    lesson = COURSE.find("saved-output")
    assert lesson is not None
    timeline = await record(worker, lesson.program(), LIMITS)
    truth = await verify(worker, lesson.program(), LIMITS)

    page = of_lesson(lesson, timeline, truth, "en")

    data = told(page)
    asked, _ = data["parts"]
    rows = [data["rows"][row] for step in asked for panel in step for row in data["panels"][panel]]
    before = page[page.index("<body") : page.index('id="run"')] + "\n".join(map(text_of, rows))
    for text in ("RuntimeError", "failed here", "expected version 0", "stale:", "v0 → v1"):
        assert text not in before
    (question,) = data["asked"]
    assert [right for _, right, _ in question["answers"]] == [False, False, False, True]
    assert "the saved values are gone" in str(question["answers"][3][2]).lower()
    assert len(question["hints"]) == 2
    assert "failed here" in shown(data, len(timeline))["code0"]


def after_each(keys: list[str], page: Path, browser: str | None) -> list[dict[str, Any]]:
    """Return what a page shows at first, and after each of these keys."""
    script = "page.js" if browser is None else "browser.js"
    command = ["node", str(Path(__file__).with_name(script))]
    command += [str(page)] if browser is None else [browser, page.as_uri()]
    command.append(json.dumps(keys))
    ran = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
    found = json.loads(ran.stdout)
    assert isinstance(found, list)
    return found


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell"))), None)


@pytest.mark.skipif(shutil.which("node") is None, reason="nothing here runs a page's script")
@pytest.mark.parametrize(
    "browser",
    [
        pytest.param(None, id="script-alone"),
        pytest.param(
            CHROMIUM,
            id="chromium",
            marks=pytest.mark.skipif(CHROMIUM is None, reason="no browser here"),
        ),
    ],
)
async def test_its_script_steps_by_keys_and_says_where_it_is(
    worker: Worker, tmp_path: Path, browser: str | None
) -> None:
    program = Program(source=FAILS, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    place = tmp_path / "page.html"
    session = Session.of_recording(program, timeline, Unverified())
    place.write_text(document(session, "it", "zh"), encoding="utf-8")
    keys = ["Home", "ArrowRight", "n", "ArrowLeft", "End", "ArrowRight"]
    keys += ["400px"] if browser is not None else []

    seen = after_each(keys, place, browser)

    last = len(timeline)
    assert [each["value"] for each in seen[:7]] == [last, 0, 1, 2, 1, last, last]
    assert all(each["isWhole"] for each in seen)
    for each in seen:  # what a screen reader is told is what is seen
        assert each["told"][0] == each["told"][1]
        assert str(each["value"] or "start") in each["told"][0] or each["value"] == 0
    assert seen[1]["panels"].keys() >= {"code0", "step"}
    assert "img src=//elsewhere" in seen[0]["panels"]["output"]  # as text
    if browser is not None:  # Chinese heads stand above their columns in any font
        rows = seen[0]["panels"]["tensors"].splitlines()
        assert seen[0]["cells"] == pytest.approx([width(row) for row in rows], abs=0.5)
        assert not seen[-1]["scrolls"]  # on a phone, marks stand below their lines
    assert seen[2]["panels"]["code0"] == seen[4]["panels"]["code0"] != seen[3]["panels"]["code0"]


needs_browser = pytest.mark.skipif(
    None in (CHROMIUM, shutil.which("node")), reason="no browser here, or nothing to drive it"
)


@needs_browser
async def test_its_links_work_by_keys_and_it_fits_every_window(
    worker: Worker, tmp_path: Path
) -> None:
    place = tmp_path / "page.html"
    place.write_text(await page_of_two_files(worker, tmp_path), encoding="utf-8")
    sizes = ["light", "1400px", "800px", "420px", "dark"]
    # Over the excerpts' lines, the controls and the files to the graph, and down to what is saved.
    keys = ["Tab"] * 21 + ["ArrowDown"] * 7 + ["Enter"]

    seen = after_each([*sizes, *keys], place, CHROMIUM)

    light, wide, middle, narrow, dark = seen[1:6]
    assert [each["columns"] for each in (wide, middle, narrow)] == [2, 1, 1]
    assert not any(each["overflows"] for each in seen)
    assert light["back"] != dark["back"]
    assert seen[-1]["focus"] == ["graph", "result: B"]
    lit = seen[-1]["lit"]
    assert [row.partition(" ")[0] for row in lit["what"]] == ["3y", "4h"]
    assert [row.split()[0] for row in lit["code1"]] == ["2", "3", "4"]
    assert len(lit["lanes"]) == 1


@needs_browser
@pytest.mark.whole
async def test_a_lesson_s_question_is_answered_by_keys(worker: Worker, tmp_path: Path) -> None:
    lesson = COURSE.find("saved-output")
    assert lesson is not None
    timeline = await record(worker, lesson.program(), LIMITS)
    truth = await verify(worker, lesson.program(), LIMITS)
    place = tmp_path / "page.html"
    place.write_text(of_lesson(lesson, timeline, truth, "en"), encoding="utf-8")
    keys = ["End", "n", "ArrowDown", "Enter", "ArrowDown", "ArrowDown", "Enter", "n"]

    seen = after_each(keys, place, CHROMIUM)

    assert (seen[0]["value"], seen[0]["asks"]) == (0, "")
    assert "What does backward() do?" in seen[1]["asks"]
    assert "✗ wrong" in seen[4]["asks"]
    assert "failed here" not in seen[4]["panels"]["code0"]
    assert "✓ right" in seen[7]["asks"]
    assert "failed here" in seen[-1]["panels"]["code0"]
