"""Each row of "Adding one thing" in CONTRIBUTING.md, done in a copy of the sources.

A test makes the change that its row says, and nothing else; then the tests pass that are about it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.scratch import ROOT, Scratch
from support.terminal import Terminal


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path / "copy")


@pytest.mark.whole
def test_a_panel(scratch: Scratch) -> None:
    scratch.write(
        "tutorial/ui/panels/names.py",
        """
from inplace_tui.common.rows import Row, Span
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.tutorial.ui.panels.panel import Panel


class NamesPanel(Panel):
    TITLE = PanelTitles.names

    def rows_of(self, view, width):
        tensors = view.snapshot.tensors.values()
        return [Row((Span(name[:width]),)) for each in tensors for name in each.names]
""",
    )
    scratch.say("common/texts/panels.py", "PanelTitles", "names", "Names", "名称")
    registry = "tutorial/ui/panels/__init__.py"
    imported = "from inplace_tui.tutorial.ui.panels.names import NamesPanel"
    scratch.put(registry, imported, before="PANELS")
    scratch.put(registry, '    "names": NamesPanel,', before="}")

    scratch.passes("tests/ui/test_lesson_panels.py::test_every_panel_is_reached_and_seen")


@pytest.mark.whole
def test_a_lesson_a_concept_and_a_challenge(scratch: Scratch) -> None:
    """A concept is a name in a lesson's `teaches`."""
    scratch.run("inplace_tui", "new", "sum-then-write", "--chapter", "lessons/18-more")
    lesson = scratch.file("lessons/18-more/01-sum-then-write.yaml").read_text("utf-8")
    assert "teaches: [sum-then-write]" in lesson
    scratch.put("common/texts/concepts.py", '    T("sum-then-write", "concept"),', after="NAMES")
    scratch.translate("sum-then-write", "写入之和", context="concept")
    challenge = scratch.file("lessons/challenges/01-break-sigmoid.yaml").read_text("utf-8")
    challenge = challenge.replace("id: break-sigmoid", "id: break-it-again")
    scratch.write("lessons/challenges/99-break-it-again.yaml", challenge)

    checked = scratch.run("inplace_tui", "check", "sum-then-write", "break-it-again")
    assert "sum-then-write" in checked
    scratch.passes("tests/unit/test_concepts.py")


@pytest.mark.whole
def test_a_verdict(scratch: Scratch) -> None:
    row = """\
    SIZES_DIFFER = ("sizes-differ", None,
        r"The size of tensor a .* must match the size of tensor b")"""
    scratch.put("common/verdicts.py", row, before="NOT_IN_GRAPH")
    meaning = "Two tensors of these sizes can't be combined element by element."
    chinese = "这两种大小的张量不能逐元素运算。"
    scratch.say("common/texts/verdicts.py", "MEANINGS", "sizes-differ", meaning, chinese)
    program = """\
  - name: sizes-that-do-not-match
    verdict: sizes-differ
    blame: {reader: 3}
    source: |
      x = torch.ones(2, requires_grad=True)
      y = x + torch.ones(3)"""
    scratch.put("tests/support/provoking.yaml", program, after="raised:")
    scratch.make("schema")

    scratch.passes("tests/unit/test_verdict.py")
    scratch.passes("tests/diagnosis/test_blame.py", "-k", "sizes-that-do-not-match")


@pytest.mark.whole
def test_a_fix(scratch: Scratch) -> None:
    scratch.write(
        "diagnosis/fixes/rewrites/means.py",
        '''
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.expressions import last_name
from inplace_tui.diagnosis.fixes.proposing import propose


def mean(site):
    """Make a number of the loss: the mean of its elements."""
    if site.verdict is Verdict.NOT_A_SCALAR and site.reader is not None:
        for call in site.calls(site.reader):
            if last_name(call.func) == "backward":
                loss = call.func.value
                edits = site.text.append(loss, ".mean()")
                yield propose("mean", site.reader, edits, name=site.text.of(loss))
''',
    )
    registry = "diagnosis/fixes/registry.py"
    scratch.put(registry, "    means.mean,", before="swaps.swapped")
    scratch.put(registry, "    means,", before="loops,")
    texts = "common/texts/fixes.py"
    scratch.say(texts, "TITLES", "mean", "Take the mean of `{name}`", "取 `{name}` 的平均")
    scratch.say(texts, "COMPUTES", "mean", "the loss is the mean", "损失是平均值")
    program = """\
- name: the_mean_is_meant
  source: |
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = x * 2
    loss.backward()
  print: x.grad.tolist()
  gives: [1.0, 1.0]
  fixes: [mean]
  never: []
  printed_by: [mean]
"""
    fixable = scratch.file("tests/support/fixable.yaml").read_text("utf-8")
    scratch.write("tests/support/fixable.yaml", fixable + program)

    tests = "tests/diagnosis/test_fixes.py"
    scratch.passes(tests, "-k", "mean_is_meant or every_kind_of_fix")


@pytest.mark.whole
def test_a_picture_of_run_format(scratch: Scratch, tmp_path: Path) -> None:
    scratch.write(
        "tutorial/report/names.py",
        """
def document(view, language):
    return " ".join(name for each in view.snapshot.tensors.values() for name in each.names)
""",
    )
    command = "tutorial/commands/run.py"
    scratch.put(command, "from inplace_tui.tutorial.report import names", after="import click")
    content = scratch.file(command).read_text("utf-8")
    line = '"svg": svg.document'
    scratch.write(command, content.replace(line, f'{line}, "names": names.document'))
    program = tmp_path / "main.py"
    program.write_text(
        "import torch\nfirst = torch.ones(2, requires_grad=True)\nsecond = first + 1\n"
    )

    printed = scratch.run("inplace_tui", "run", str(program), "--format", "names")
    assert printed.split() == ["first", "second"]


@pytest.mark.whole
def test_a_command(scratch: Scratch) -> None:
    scratch.write(
        "tutorial/commands/folder.py",
        """
from inplace_tui.common import paths
from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import localized_command
from inplace_tui.common.texts.command import HelpTexts
from inplace_tui.tutorial.settings import Settings


@localized_command("folder", HelpTexts.folder)
def folder_command(settings: Settings) -> None:
    print_message(str(paths.home()))
""",
    )
    scratch.put(
        "cli.py", '    "folder": ("tutorial.commands.folder", HelpTexts.folder),', after="COMMANDS"
    )
    text = "Say where progress is kept.", "说明进度保存在哪里。"
    scratch.say("common/texts/command.py", "HelpTexts", "folder", *text)

    scratch.run("inplace_tui", "folder")
    assert "Say where progress is kept." in scratch.run("inplace_tui", "--help")
    assert "说明进度保存在哪里。" in scratch.run("inplace_tui", "--help", "--lang", "zh")


@pytest.mark.whole
def test_an_action(scratch: Scratch) -> None:
    keys = '    Action("count", ("ctrl+y",), Where.RUN),'
    scratch.put("tutorial/ui/keys.py", keys, before='Action("goto"')
    scratch.say("common/texts/actions.py", "LABELS", "count", "count", "计数")
    scratch.say("common/texts/actions.py", "HELP", "count", "Count the tensors.", "数一数张量。")
    scratch.say("common/texts/screen.py", "ScreenTexts", "counted", "{n} there", "{n} 个")
    method = """\
    def action_count(self) -> None:
        self.note(ScreenTexts.counted, n=len(self.view.snapshot.tensors))
"""
    scratch.put("tutorial/ui/screens/run_screen.py", method, before="def action_goto")
    there = 'f"{len(stage.app.page.view.snapshot.tensors)} there" in stage.text'
    case = f'        Case("count", ended, lambda stage: {there}),'
    scratch.put("tests/ui/test_every_action.py", case, before='Case("goto"')

    scratch.passes("tests/ui/test_every_action.py", "-k", "stepping or left_out")
    scratch.passes("tests/house/test_actions.py")


@pytest.mark.whole
def test_a_theme(scratch: Scratch) -> None:
    theme = "tutorial/ui/theme.py"
    content = scratch.file(theme).read_text("utf-8")
    made = 'PAPER = replace(LIGHT, name="inplace-paper", background="#ffffff")\n\nTHEMES = '
    content = content.replace("THEMES = ", made, 1).replace("COLOUR_BLIND)", "COLOUR_BLIND, PAPER)")
    scratch.write(theme, content)
    scratch.say("common/texts/screen.py", "THEME_NAMES", "inplace-paper", "paper", "纸张")

    scratch.passes("tests/ui/test_looks.py", "tests/ui/test_app.py")


@pytest.mark.whole
def test_a_column_of_the_tensor_table(scratch: Scratch) -> None:
    facet = '    Facet("device", ("device",), 6, 6),'
    scratch.put("common/run/facets.py", facet, before='Facet("dtype"')
    words = 'T("device"), T("dev."), T("Where it is.")'
    for english, chinese in (
        ("device", "设备"),
        ("dev.", "设备"),
        ("Where it is.", "所在的设备。"),
    ):
        scratch.translate(english, chinese)
    texts = "common/texts/facets.py"
    scratch.put(texts, f'    "device": FacetTexts({words}),', after="FACET_TEXTS")

    scratch.passes("tests/unit/test_why.py", "tests/unit/test_run_format.py")


def test_a_text(scratch: Scratch) -> None:
    """It is used, and both languages say the same."""
    scratch.say("common/texts/panels.py", "TableTexts", "many", "{count} tensors", "{count} 个张量")
    with pytest.raises(AssertionError, match="many"):
        scratch.passes("tests/house/test_files.py", "-k", "attribute_is_used and TableTexts")


@pytest.mark.whole
def test_a_checkpoint(scratch: Scratch) -> None:
    scratch.run("inplace_tui", "new", "sum-then-write", "--chapter", "lessons/18-more")
    chapter = scratch.file("lessons/18-more/chapter.yaml").read_text("utf-8")
    scratch.write("lessons/18-more/chapter.yaml", f"{chapter}\n{CHECKPOINT}")

    checked = scratch.run("inplace_tui", "check", "lessons/18-more")
    assert "lessons/18-more/chapter.yaml" in checked


CHECKPOINT = """\
checkpoint:
  code: |
    import torch
    x = torch.tensor([1., 2.], requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()
"""


@pytest.mark.whole
def test_a_key_of_an_assignment(scratch: Scratch, tmp_path: Path) -> None:
    field = "    until: str | None = None"
    scratch.put("tutorial/course/lesson.py", field, after="drills: list[DrillSet]")
    line = '    if assignment.until is not None:\n        print_lines([f"⏱ {assignment.until}"])'
    scratch.put("tutorial/commands/assignment.py", line, before="for slug in assignment")
    scratch.make("schema")
    given = "schema: 1\ntitle: {en: One}\nuntil: Friday\nchallenges: [break-sigmoid]\n"
    (tmp_path / "given.yaml").write_text(given)

    printed = scratch.run("inplace_tui", "assignment", str(tmp_path / "given.yaml"), "--plain")
    assert "⏱ Friday" in printed
    assert '"until"' in scratch.file("docs/schema/assignment.schema.json").read_text("utf-8")


@pytest.mark.whole
def test_a_program_from_a_public_thread(scratch: Scratch) -> None:
    program = """
- name: mine
  link: https://example.org/thread
  source: |
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y += 1
    y.sum().backward()
    print(x.grad.sum().item())
  fault: ["y += 1"]
  author:
    - ["y += 1", "y = y + 1"]
"""
    programs = scratch.file("tests/real/programs.yaml").read_text("utf-8")
    scratch.write("tests/real/programs.yaml", programs + program)
    # It is one of hundreds: `make real` judges all of them.
    judge = scratch.file("tests/real/test_real.py").read_text("utf-8")
    scratch.write("tests/real/test_real.py", judge.replace("SAMPLE = (", 'SAMPLE = ("mine", '))

    scratch.passes("tests/real/test_real.py", "-k", "mine")


@pytest.mark.whole
def test_a_dialog(scratch: Scratch) -> None:
    """Its place says how one comes there; noise is sent to it, and it quits in time."""
    scratch.write(
        "tutorial/ui/dialogs/hours.py",
        """
from inplace_tui.common.rows import Row, Span
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui.dialogs.dialog import RowsDialog


class HoursDialog(RowsDialog[None]):
    HEADING = ScreenTexts.hours
    FOOTER = ScreenTexts.help_close

    def rows(self, room):
        return [Row((Span("9 to 5"),))]
""",
    )
    scratch.say("common/texts/screen.py", "ScreenTexts", "hours", "Hours", "时间")
    opened = """\
    def action_drill(self) -> None:
        from inplace_tui.tutorial.ui.dialogs.hours import HoursDialog

        self.app.push_screen(HoursDialog())

    def _drill(self) -> None:"""
    contents = scratch.file("tutorial/ui/screens/contents.py").read_text("utf-8")
    contents = contents.replace("    def action_drill(self) -> None:", opened)
    scratch.write("tutorial/ui/screens/contents.py", contents)
    places = "tests/support/places.py"
    imported = "from inplace_tui.tutorial.ui.dialogs.hours import HoursDialog"
    scratch.put(places, imported, before="from inplace_tui.tutorial.ui.dialogs.help")
    place = '    "hours": Place(HoursDialog, (*_CONTENTS, "d", "9 to 5")),'
    scratch.put(places, place, after="PLACES = {")

    noise = "tests/faults/test_noise.py"
    scratch.passes(noise, "-k", "left_out or (hours and (noise_ends or soon_left))")


@pytest.mark.whole
def test_an_event(scratch: Scratch) -> None:
    """The files are those that mypy lists once the event is in the union."""
    steps = "common/run/step.py"
    event = """\
class Slept(msgspec.Struct, frozen=True, kw_only=True, tag="slept", gc=False):
    seconds: int


"""
    scratch.put(steps, event, before="Event = ")
    content = scratch.file(steps).read_text("utf-8")
    scratch.write(steps, content.replace("Event = Mutation", "Event = Slept | Mutation"))
    for path in (
        "tutorial/present/output.py",
        "diagnosis/drive/explain.py",
        "tutorial/report/text.py",
    ):
        scratch.put(path, "from inplace_tui.common.run.step import Slept", before="from inplace")
        content = scratch.file(path).read_text("utf-8")
        assert "case Mutation() | Rebound()" in content or "case Rebound() | Printed()" in content
        content = content.replace(
            "case Mutation() | Rebound()", "case Slept() | Mutation() | Rebound()"
        )
        scratch.write(path, content.replace("case Rebound() | Pr", "case Slept() | Rebound() | Pr"))
    fuzzed = "tests/support/fuzzed.py"
    scratch.put(fuzzed, "from inplace_tui.common.run.step import Slept", before="from inplace")
    made = "        if kind == 0:\n            return Slept(seconds=self._number())"
    scratch.put(fuzzed, made, after="kind = self._random.randrange(5)")
    scratch.make("schema")

    scratch.passes("tests/faults/test_hostile_steps.py")
    assert "slept" in scratch.file("docs/schema/timeline.schema.json").read_text("utf-8")


@pytest.mark.whole
def test_a_kind_of_question(scratch: Scratch) -> None:
    """One whose answers are choices, as most are: nothing has to draw or read anything new."""
    scratch.put("tutorial/course/lesson.py", '    COUNT = "count"', after='OUTCOME = "outcome"')
    scratch.write(
        "tutorial/course/lessons/kinds/count.py",
        """
from inplace_tui.tutorial.course.lessons.kinds.choice import ChoiceQuestion


class CountQuestion(ChoiceQuestion):
    pass
""",
    )
    registry = "tutorial/course/lessons/kinds/registry.py"
    imported = "from inplace_tui.tutorial.course.lessons.kinds.count import CountQuestion"
    scratch.put(registry, imported, before="from inplace")
    scratch.put(registry, "    Kind.COUNT: CountQuestion,", before="Kind.OUTCOME")
    scratch.make("schema")
    scratch.run("inplace_tui", "new", "sum-then-write", "--chapter", "lessons/18-more")
    path = "lessons/18-more/01-sum-then-write.yaml"
    lesson = scratch.file(path).read_text("utf-8")
    assert "kind: outcome" in lesson
    scratch.write(path, lesson.replace("kind: outcome", "kind: count"))

    assert "ok " in scratch.run("inplace_tui", "check", path)


def test_what_a_row_names_is_there() -> None:
    named = re.findall(r"`([a-z_]+/[\w./-]+?)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))

    assert len(named) > 40
    places = (ROOT, ROOT / "src" / "inplace_tui")
    assert [each for each in named if not any((place / each).exists() for place in places)] == []


TEN = {
    "English": "Esperanto",
    "next": "sekva linio",
    "back": "reen",
    "help": "helpo",
    "quit": "fini",
    "Code": "Kodo",
    "commands": "komandoj",
    "theme": "etoso",
    "Usage: ": "Uzo: ",
    "Options:": "Elektoj:",
}


@pytest.mark.whole
def test_a_language(scratch: Scratch) -> None:
    """Ten texts of it are one file; English stands where it has none."""
    for english, said in TEN.items():
        scratch.translate(english, said, "eo")

    told = scratch.run("inplace_tui", "list", "--lang", "eo", "--help")
    assert told.startswith("Uzo: inplace-tui list")
    assert "\nElektoj:\n" in told
    assert "Language; by default that of the locale." in told
    arguments = ("lesson", "saved-output", "--lang", "eo")
    source = f"{scratch.folder}/src"
    with Terminal(*arguments, home=scratch.folder, size=(160, 40), PYTHONPATH=source) as terminal:
        terminal.wait_for("sekva linio", "reen", "helpo", "fini", "exp()")
        for words in (("下一行", "帮助"), ("n next", "? help"), ("sekva linio", "helpo")):
            terminal.forget()
            terminal.type("L")
            terminal.wait_for(*words)
        terminal.type("q")
        assert terminal.wait_for_end() == 0
    scratch.passes("tests/unit/test_catalogues.py", "-k", "eo or declares or values")


ROWS = {
    "a lesson": test_a_lesson_a_concept_and_a_challenge,
    "a concept": test_a_lesson_a_concept_and_a_challenge,
    "a challenge": test_a_lesson_a_concept_and_a_challenge,
    "a checkpoint": test_a_checkpoint,
    "a key of an assignment": test_a_key_of_an_assignment,
    "a panel": test_a_panel,
    "a column of the tensor table": test_a_column_of_the_tensor_table,
    "an event or an outcome": test_an_event,
    "a kind of question": test_a_kind_of_question,
    "a verdict": test_a_verdict,
    "a fix": test_a_fix,
    "a program from a public thread": test_a_program_from_a_public_thread,
    "a command": test_a_command,
    "a screen or a dialog": test_a_dialog,
    "an action of a screen": test_an_action,
    "a theme": test_a_theme,
    "a language": test_a_language,
    "a picture of `run --format`": test_a_picture_of_run_format,
    "a text": test_a_text,
}


def test_every_row_is_done_by_a_test() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Adding one thing")[2]
    rows = re.findall(r"^\| (an? [^|]+) \|", table.partition("\n## ")[0], re.MULTILINE)

    assert set(rows) == set(ROWS)
