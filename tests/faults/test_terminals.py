"""What may happen to a terminal, and to the streams of a command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.progress import Progress
from support.command import COMMAND
from support.terminal import Terminal

ON = ("\x1b[?1049h", "\x1b[?25l", "\x1b[?1000h")
"""Another screen, no cursor, the mouse."""

OFF = ("\x1b[?1049l", "\x1b[?25h", "\x1b[?1000l")


def was_given_back(terminal: Terminal) -> bool:
    """Whether the terminal is as it was: what was switched on is off, and keys are echoed."""
    switches = all(
        terminal.sent.rfind(off) > terminal.sent.rfind(on) for on, off in zip(ON, OFF, strict=True)
    )
    return switches and terminal.modes() == terminal.before


@pytest.mark.whole
def test_a_session_outlives_stopping_shrinking_and_being_interrupted(tmp_path: Path) -> None:
    """One program, to which all of it happens: each would cost the start of a worker."""
    with Terminal("lesson", "saved-output", home=tmp_path, controls=True) as terminal:
        terminal.wait_for("? question ahead   step 0")
        os.kill(terminal.pid, signal.SIGTSTP)
        terminal.wait_for_stop()
        stopped = was_given_back(terminal)
        terminal.forget()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("y = x.exp()", "y.sum().backward()")
        drawn_again = ON[0] in terminal.sent

        terminal.resize(1, 1)
        terminal.type("n")
        terminal.forget()
        terminal.resize(80, 24)
        terminal.wait_for("y = x.exp()", "y.sum().backward()")
        terminal.forget()
        terminal.type("c")
        terminal.wait_for("? 5  y.sum().backward()")
        terminal.type("n")
        terminal.wait_for("a–d or ↑↓ mark")
        terminal.type("d\r")
        terminal.wait_for("RuntimeError in backward")
        os.kill(terminal.pid, signal.SIGINT)
        code = terminal.wait_for_end()

        assert stopped
        assert drawn_again
        assert code == 128 + signal.SIGINT
        assert was_given_back(terminal)
        assert "Traceback" not in terminal.text
    (answer,) = Progress(tmp_path / "progress.json").lesson("saved-output").answers.values()
    assert answer.status is QuestionStatus.RIGHT


@pytest.mark.parametrize(
    ("arguments", "way"),
    [((), None), (("lesson", "saved-output"), signal.SIGTERM), (("drill",), signal.SIGHUP)],
)
@pytest.mark.whole(every=3)
def test_who_leaves_at_the_first_frame_leaves_in_order(
    arguments: tuple[str, ...], way: signal.Signals | None, tmp_path: Path
) -> None:
    """While the screens that were asked for are still on their way."""
    with Terminal(*arguments, home=tmp_path, controls=True) as terminal:
        terminal.wait_for("q quit")
        if way is None:
            terminal.type("\x11")
        else:
            os.kill(terminal.pid, way)
        code = terminal.wait_for_end()

        assert code == (0 if way is None else 128 + way)
        assert was_given_back(terminal)
        assert "Traceback" not in terminal.text


def wait_until_begun(pid: int) -> None:
    """Wait until Python itself has begun: what it does of a signal before is not ours to say."""
    seen, end = False, time.monotonic() + 3.0
    while time.monotonic() < end:
        caught = re.search("SigCgt:\t(.*)", Path(f"/proc/{pid}/status").read_text())
        assert caught is not None
        has_handler = bool(int(caught.group(1), 16) & 1 << signal.SIGINT - 1)
        if seen and not has_handler:
            return  # it was Python's, and we took it away
        seen |= has_handler
        time.sleep(0.002)


AT_THE_START = [
    (number, delay)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    for delay in (0.0, 0.1, 0.2, 0.4, 0.7)
]


@pytest.mark.parametrize(("number", "delay"), AT_THE_START)
@pytest.mark.whole(every=4)
def test_a_signal_at_the_start_leaves_the_terminal_as_it_was(
    tmp_path: Path, number: signal.Signals, delay: float
) -> None:
    """Whatever is under way then: imports, the question how wide glyphs are, the first frame."""
    with Terminal(home=tmp_path, controls=True) as terminal:
        wait_until_begun(terminal.pid)
        terminal.pause(delay)
        os.kill(terminal.pid, number)
        code = terminal.wait_for_end()

        assert code in {-number, 128 + number}
        assert terminal.modes() == terminal.before
        assert not re.search("Traceback|Exception ignored|KeyboardInterrupt", terminal.text)


@pytest.mark.whole
def test_ctrl_c_again_and_again_is_one_sentence(tmp_path: Path) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("while True: pass\n")
    for first in (0.0, 0.15, 0.5, 1.5):
        with subprocess.Popen(
            [COMMAND, "run", endless],
            env={**os.environ, "INPLACE_TUI_HOME": str(tmp_path)},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        ) as running:
            wait_until_begun(running.pid)
            time.sleep(first)
            while running.poll() is None:
                running.send_signal(signal.SIGINT)
                time.sleep(0.03)
            assert running.stderr is not None
            told = running.stderr.read().decode()

        assert running.returncode in {130, -signal.SIGINT}
        assert "Traceback" not in told
        assert "Exception ignored" not in told


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])
@pytest.mark.whole
def test_a_stream_that_was_closed_before_is_no_fault(tmp_path: Path, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" progress {closed}', COMMAND],
        env={**os.environ, "INPLACE_TUI_HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert done.stdout == ("" if ">&-" in closed.split() else "Nothing done yet.\n")


def run(home: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell, in which `$0` is the program; pipes tell how each part ended."""
    return subprocess.run(
        ["bash", "-c", f'{command}; echo "ended: ${{PIPESTATUS[0]}}" >&2', COMMAND],
        env={"PATH": os.environ["PATH"], "INPLACE_TUI_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


@pytest.mark.whole
def test_a_reader_that_goes_away_is_told_from_a_program_that_failed(tmp_path: Path) -> None:
    """`run` says 1 of a program that fails: it must not say so because of `head`."""
    done = run(tmp_path, '"$0" list --lang en | (exec <&-)')

    assert done.stderr == "ended: 141\n"


@pytest.mark.whole
def test_a_full_disk_under_the_output_is_told_in_a_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, '"$0" list --lang en >/dev/full')
    mute = run(tmp_path, '"$0" list --lang en >/dev/full 2>&1')

    assert done.stderr == (
        "Not all of the output could be written: No space left on device.\nended: 2\n"
    )
    assert mute.stderr == "ended: 2\n"


@pytest.mark.parametrize(
    "locale",
    [
        "LC_ALL=zh_CN.GBK",
        "LC_ALL=C PYTHONIOENCODING=latin-1",
        "PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 LC_ALL=POSIX",
    ],
)
@pytest.mark.whole
def test_every_locale_gets_every_page(tmp_path: Path, locale: str) -> None:
    done = run(tmp_path, f'env {locale} "$0" list --lang zh')

    assert done.stderr == "ended: 0\n"
    assert "saved-output" in done.stdout
