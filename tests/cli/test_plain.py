"""Lessons, challenges and the sandbox without a screen: for pipes and screen readers."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inplace_tui.common.texts.plain import PlainTexts
from support.command import COMMAND, surroundings
from support.plain import plain
from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")

LESSON = ("lesson", "saved-output", "--plain")
CALLING = """\
import torch
def spoil(t):
    t.mul_(2)
    print("spoilt", end="")
w = torch.ones(2, requires_grad=True)
y = w.exp()
spoil(y)
print(" indeed")
y.sum().backward()
"""


def without_waiting(stderr: str) -> list[str]:
    """Return what was said besides that a run takes its time, as it may on a busy machine."""
    return [line for line in stderr.splitlines() if line != PlainTexts.running["en"]]


def kept(home: Path, lesson: str = "saved-output") -> Any:
    """Return what is kept of a lesson."""
    return json.loads((home / "progress.json").read_text())["lessons"][lesson]


def test_a_lesson_is_played_with_hints_tries_why_and_variants(tmp_path: Path) -> None:
    typed = "next\nn\n\n\n1\nh\n7\n1\n4\nwhy y version\nwhy\nv\nv sin-input\n1\nv\nl\n"
    typed += "holds\nholds 1\nl\n?\nq\n"
    done = plain(tmp_path, typed, *LESSON)
    page = done.stdout

    assert (done.returncode, without_waiting(done.stderr)) == (0, ["loading torch"])
    assert "▸ 3  y = x.exp()\n     saves y v0\n" in page
    asked, *replies = page.split("A number from 1 to 4 answers.\n")
    assert "  4  Raises: y is at version 1, expected 0\n" in asked
    assert "RuntimeError" not in asked
    assert "0→1" not in asked
    assert "✗ Not right. One more try." in replies[0]
    assert "Hint 1 of 2" in replies[1]
    assert replies[2].startswith("h: hint (1 of 2 shown) · a: answer · l: later\n")
    assert "You have tried this one already." in replies[3]
    assert "✓ right" in replies[3]
    assert "= RuntimeError in backward\nLine 3 y = x.exp() saved y at version 0" in page
    assert "y · _version · why?\nLine 4 (y.add_(1)) wrote to it with Tensor.add_" in page
    assert "? predict it first" in page
    assert "on line 6  you said: runs, and every gradient is right" in page
    assert "Variant sin-input: " in page
    assert "the sentence holds" in page
    assert "the sentence does not hold" not in page
    assert "= RuntimeError in backward" in page.partition("Variant sin-input: ")[2]
    assert "The lesson's own program again." in page
    assert kept(tmp_path)["finished"]
    explained, listed = page.split("\nWords\n")
    for meaning in ("saved: kept by a node", "version: autograd's count", "leaf: a tensor"):
        assert (explained.count(meaning), listed.count(meaning)) == (1, 1)


@pytest.mark.whole
def test_when_the_input_ends_progress_is_kept_and_the_lesson_goes_on_there(tmp_path: Path) -> None:
    first = plain(tmp_path, "c\n1\nh", *LESSON)
    before = kept(tmp_path)
    second = plain(tmp_path, "4\n", "lesson", "--plain", "saved-output")

    assert first.returncode == second.returncode == 0
    [answer] = before["answers"].values()
    assert (answer["status"], len(answer["tried"]), answer["hints"]) == ("again", 1, 1)
    assert "▸ 4  y.add_(1)" in second.stdout
    assert "Hint 1 of 2" in second.stdout
    assert "✓ right" in second.stdout
    assert kept(tmp_path)["finished"]


@pytest.mark.whole
def test_a_question_that_is_left_gives_nothing_away(tmp_path: Path) -> None:
    typed = "e\n\nl\ne\nwhy\nwhy y\nx\nv\nt\nd\nm\noutput\np\n"
    left = plain(tmp_path, typed, *LESSON)
    after = plain(tmp_path, "reopen\na\n", *LESSON)

    assert "Answer the question first, or l leaves it for later." in left.stdout
    assert "Left for later." in left.stdout
    assert "Hidden until the question is answered." in left.stdout
    assert left.stdout.count("This would tell something about an open question.") == 1
    assert "A question is still open" in left.stdout
    for told in ("RuntimeError", "now v1", "failed here", "saved here"):
        assert told not in left.stdout
    assert "the answer was shown" in after.stdout
    assert "= RuntimeError in backward" in after.stdout


@pytest.mark.whole
def test_lines_are_pointed_at_and_put_into_an_order(tmp_path: Path) -> None:
    typed = "c\n99\n8\n9\nlesson actor-critic\nc\n1 1 2\n2 1 3\n2 1 3\nq\n"
    page = plain(tmp_path, typed, "lesson", "retain-is-no-cure").stdout
    pointed, ordered = page.split("actor-critic", 1)

    assert "The number of a line (1 to 10) answers." in pointed
    assert "There is no code on this line." in pointed
    assert "✗ 8  opt.zero_grad()  tried\n✗ Not right. One more try.\n" in pointed
    assert (
        "✗ 9  loss.backward(retain_graph=True)  incorrect\n✓ 10  opt.step()  correct answer\n"
        in pointed
    )
    assert ordered.count("The numbers in the new order answer, like 2 1 3.") == 3
    assert "Run in this order: it ends, and the gradients are right.\n" in ordered
    works = "  1  actor.backward(retain_graph=True)\n  2  critic.backward()\n  3  opt.step()\n"
    assert f"An order that works:\n{works}" in ordered
    [answered] = kept(tmp_path, "actor-critic")["answers"].values()
    assert answered["tried"] == ["step back_a back_c", "back_a step back_c"]


@pytest.mark.whole
def test_a_newcomer_sees_the_columns_that_a_lesson_has_explained(tmp_path: Path) -> None:
    """`saved-output` brings the graph; `ver` and `leaf` were explained before it, `dtype` never."""
    first = plain(tmp_path, "next\n" * 4 + "q\n", "lesson", "y-plus-one", "--plain").stdout
    later = plain(tmp_path, "next\n" * 4 + "q\n", *LESSON).stdout

    assert "name  shape           values" in first
    assert "ExpBackward0" not in first
    assert "ver  leaf  req" in later.replace("    ", "  ")
    assert "ExpBackward0" in later
    assert "dtype" not in later


@pytest.mark.whole
def test_it_speaks_chinese_and_takes_full_width_keys(tmp_path: Path) -> None:
    done = plain(tmp_path, "继续\n？\n４\nlanguage\nｑ\n", *LESSON, "--lang", "zh")
    chinese, english = done.stdout.split("Whether an in-place write hurts", 1)[0], done.stdout

    assert "第 4/12 课：" in chinese
    assert "  h / 提示  下一条提示\n" in chinese
    assert "✓ 正确" in chinese
    assert "To take with you" in english


@pytest.mark.whole
def test_without_a_lesson_the_course_is_listed_and_asked_for(tmp_path: Path) -> None:
    chosen = plain(tmp_path, "nope\nsaved-output\nlesson\ncontents\n\nq\n")
    nobody = plain(tmp_path, "")

    assert chosen.returncode == nobody.returncode == 0
    assert "There is no lesson 'nope'." in chosen.stdout
    assert "Lesson 4/" in chosen.stdout
    assert "Lesson 5/" in chosen.stdout
    assert chosen.stdout.count("Which lesson? Type its id; Enter opens") == 3
    assert "Lesson 1/" in chosen.stdout.split("Which lesson?")[-1]
    assert "(y-plus-one, " in chosen.stdout.split("Which lesson?")[-1]
    assert "y-plus-one" in nobody.stdout  # the path; `library` lists every lesson
    assert "the-whole-loop" in nobody.stdout
    assert nobody.stderr == ""


@pytest.mark.whole
def test_a_pack_is_played_when_it_is_trusted_and_refused_before(tmp_path: Path) -> None:
    plain(tmp_path, "", "new", "my-idea", "--chapter", "packs/theirs/01-mine")
    refused = plain(tmp_path, "yes\n", "lesson", "my-idea", "--plain")
    asked = plain(tmp_path, "leaves\nlesson my-idea\n")
    trusted = plain(tmp_path, "e\nlanguage\n", "lesson", "my-idea", "--trust")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "add --trust" in refused.stderr
    assert (asked.returncode, trusted.returncode) == (0, 0)
    assert "did not come with inplace-tui" in " ".join(asked.stdout.split())
    assert "(my-idea, " in trusted.stdout
    assert json.loads((tmp_path / "progress.json").read_text())["language"] == "zh"


@pytest.mark.whole
def test_a_program_of_ones_own_is_stepped_through_and_run_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CALLING)
    typed = "g 7\ni\n\n\nb\nc\nwhy 2\nwhy y nothing\nwhy nobody\nx\nr\ngo\nfoo\nrun\n"
    done = plain(tmp_path, typed, "sandbox", "mine.py")
    page = done.stdout

    assert done.returncode == 0
    assert "▸ 3      t.mul_(2)  (spoil)\n" in page
    assert ", stale" in page
    assert "4 │ spoilt indeed" in page
    assert "Line 3 t.mul_(2) changed it through t to version 1" in page
    assert "y · _version · why?" in page
    assert "'nothing' is none of: " in page
    assert "There is no tensor 'nobody' at this step." in page
    assert "+y = w.exp().clone()" in page
    assert page.count("▹ 1  import torch") == 3
    assert "go wants a line (7), a step (#12)" in page
    assert "'foo' is no command here." in page


@pytest.mark.whole
def test_a_program_may_be_typed(tmp_path: Path) -> None:
    done = plain(tmp_path, "a = 1\nassert a == 2\n.\nc\n", "sandbox", "--plain")

    assert "  2  assert a == 2" in done.stdout
    assert "= AssertionError" in done.stdout


@pytest.mark.whole
def test_a_challenge_is_printed_with_the_way_to_have_it_judged(tmp_path: Path) -> None:
    done = plain(tmp_path, "", "challenge", "break-sigmoid", "--plain")
    chinese = plain(tmp_path, "", "challenge", "--lang", "zh")

    assert done.returncode == chinese.returncode == 0
    assert "Challenge 1/" in done.stdout
    assert "\n1  import torch\n" in done.stdout
    assert done.stdout.endswith("\n  inplace-tui challenge break-sigmoid --grade FILE\n")
    assert chinese.stdout.startswith("挑战 1/")


@pytest.mark.whole
def test_an_interrupt_ends_with_a_sentence_and_keeps_progress(tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, *LESSON],
        cwd=tmp_path,
        env=surroundings(tmp_path, home=tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("▸ 2 "):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)

    assert process.returncode == 130
    assert without_waiting(said) == ["loading torch", "", "Interrupted."]
    assert kept(tmp_path)["cursor"] == 1


@pytest.mark.whole
def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    command = f"{COMMAND} --plain < /dev/null | head -n 3"
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command],
        env=surroundings(tmp_path, home=tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.stdout.count("\n") == 3
    assert "Traceback" not in done.stderr


@pytest.mark.whole
def test_a_dumb_terminal_gets_lines_without_escapes(tmp_path: Path) -> None:
    with Terminal("lesson", "saved-output", home=tmp_path, TERM="dumb") as terminal:
        terminal.wait_for("Enter runs the next line")
        terminal.type("\n")
        terminal.wait_for("▸ 1  import torch")
        terminal.type("q\n")

        assert terminal.wait_for_end() == 0
        assert "\x1b" not in terminal.sent


@pytest.mark.whole
def test_colours_are_for_terminals_that_want_them(tmp_path: Path) -> None:
    for unwanted in ("", "1"):
        with Terminal("challenge", "--plain", home=tmp_path, NO_COLOR=unwanted) as terminal:
            assert terminal.wait_for_end() == 0
            assert ("\x1b[" in terminal.sent) is (not unwanted)
