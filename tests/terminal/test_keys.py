"""`inplace-tui keys` in a real terminal: what was pressed, what arrived, what it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.hostile import ATTACK, ATTACKS, obeyed
from support.terminal import Terminal


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("n", "n                n            6e                     next (next)"),
        ("ｎ", "ef bd 8e               next (next)"),
        ("\x1b[C", "→                -            1b 5b 43               next (next)"),
        ("\x12", "Ctrl-R           ␒            12                     run (run)"),
        ("\x1b", "Esc              ␛            1b                     leave (leave)"),
        ("!", "!                !            21                     NaN, inf (odd)"),
        ("%", "%                %            25                     none"),
    ],
)
@pytest.mark.whole(every=9)
def test_a_key_is_shown_as_it_arrived(tmp_path: Path, sent: str, told: str) -> None:
    with Terminal("keys", home=tmp_path) as terminal:
        terminal.wait_for("what this terminal sends", "action")
        terminal.type(sent)
        terminal.wait_for(told)
        terminal.type("qq")
        code = terminal.wait_for_end()

        assert code == 0
        assert terminal.modes() == terminal.before


def test_control_c_leaves_and_own_keys_are_known(tmp_path: Path) -> None:
    (tmp_path / "keymap.toml").write_text('next = "%"\nbak = "k"\n', encoding="utf-8")
    with Terminal("keys", "--lang", "zh", home=tmp_path) as terminal:
        terminal.wait_for("自定义按键文件", "没有名为 'bak' 的操作（是不是 'back'？）", "操作")
        terminal.type("%q&")
        terminal.wait_for("下一行 (next)", "退出 (quit)", "无")
        terminal.type("\x03")
        code = terminal.wait_for_end()

        assert code == 0
        assert terminal.modes() == terminal.before


@pytest.mark.whole
def test_nothing_that_arrives_is_sent_back_as_it_came(tmp_path: Path) -> None:
    """Pasted escapes, answers that nobody asked for, bytes that are no text."""
    pasted = f"\x1b[200~{ATTACK}\x1b[201~"
    answers = "\x1b]52;c;UFdO\x07\x1b]11;rgb:0/0/0\x1b\\\x1bP1$r0m\x1b\\\x1b[?62;22c\x1b[<0;1;1M"
    with Terminal("keys", home=tmp_path) as terminal:
        terminal.wait_for("what this terminal sends", "action")
        terminal.forget()
        for sent in (*ATTACKS, pasted, answers, "\0\udcff\udcfe\udc80\udced\udca0\udc80", "\x1b"):
            terminal.type(sent)
        terminal.wait_for("ed a0 80", "1b                     leave (leave)")
        terminal.type("qq")
        code = terminal.wait_for_end()

        assert code == 0
        assert obeyed(terminal.sent.replace("\r\n", "\n").replace("\x1b[<u", "")) == []
        assert "ff" in terminal.text


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inplace_tui", "keys"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "There is no terminal here whose keys could be shown.\n"
