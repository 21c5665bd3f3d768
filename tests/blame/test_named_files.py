"""Code is named as its program likes: after a pipe, a device, three gigabytes of zeros."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from blame.interpreter import PYTHON, environment, python

PROGRAM = """\
import json, resource, sys, time
import torch
def fails(name):
    text = "def f(x):\\n    y = x.exp()\\n    y.add_(1)\\n    y.sum().backward()\\n"
    names = {}
    exec(compile(text, name, "exec"), names)
    try:
        names["f"](torch.ones(2, requires_grad=True))
    except RuntimeError as error:
        return error
fails("first")
for name in json.loads(sys.argv[1]):
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    saved = fails(name).blame["saved"]
    KiB = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps([name, saved["line"], saved["code"], time.monotonic() - began < 2, KiB]))
"""

CONTENTS = {
    "latin": b'# -*- coding: latin-1 -*-\n  y = "\xe9"\n3\n',
    "crlf": b"first\r\nsecond\r\nthird",
    "cookie": b"# coding: nonsense\nsecond\n",
    "bytes": b"\xff\xfe\nsecond\n",
    "bom": b"\xef\xbb\xbffirst\nsecond",
    "short": b"first\n",
}
SHOWN = {
    "latin": 'y = "é"',
    "short": "",
    **dict.fromkeys(("crlf", "cookie", "bytes", "bom"), "second"),
}
MOST_KIB = 100 * 2**10


@pytest.mark.whole
def test_a_report_waits_for_no_file_and_holds_none(tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        (tmp_path / name).write_bytes(content)
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(3 * 2**30)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "locked").mkdir()
    odd = ["pipe", str(tmp_path / "pipe"), "sparse", "loop", "locked", "/dev/zero", "/dev/tty",
           "/proc/self/mem", "", "\\n", "nothing.py", "<string>", "a" * 300]  # fmt: skip
    (tmp_path / "prog.py").write_text(PROGRAM)

    names = json.dumps([*odd, *SHOWN])
    done = python("-m", "inplace_tui.blame", "prog.py", names, cwd=tmp_path)

    told = [json.loads(line) for line in done.stdout.splitlines()]
    expected = {**dict.fromkeys(odd, ""), **SHOWN}
    assert [each[:4] for each in told] == [[name, 2, code, True] for name, code in expected.items()]
    assert max(each[4] for each in told) < MOST_KIB


def test_a_line_is_that_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    """A session edits its program and runs it again; what was shown before may not stand there."""
    source = """\
import os
from inplace_tui.blame.frames import source_line
for content in ("1\\n", "2\\n", "3\\n"):
    with open("x.py", "w") as file:
        file.write(content)
    os.utime("x.py", ns=(int(content), int(content)))
    print(source_line("x.py", 1), end="")
"""
    assert python("-c", source, cwd=tmp_path).stdout == "1\n2\n3\n"


def test_a_relative_name_is_looked_for_where_modules_are(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mod.py").write_text("here\n")
    source = """\
import os, sys
sys.path[:] = [None, 3, b"x", "lib"] + sys.path
from inplace_tui.blame.frames import source_line
print(source_line("mod.py", 1), end="")
"""
    assert python("-c", source, cwd=tmp_path).stdout == "here\n"


@pytest.mark.parametrize(
    ("stdin", "code", "said"), [("/dev/zero", 2, "more than 33554432 bytes"), (None, 0, "")]
)
def test_a_program_on_a_stdin_that_is_none_is_refused_or_left_to_python(
    stdin: str | None, code: int, said: str, tmp_path: Path
) -> None:
    closed = "" if stdin else "<&-"
    with Path(stdin or os.devnull).open("rb") as given:
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" -m inplace_tui.blame - {closed}', PYTHON],
            stdin=given,
            env=environment(),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (code, True, False)


@pytest.mark.whole
def test_a_program_in_a_folder_whose_name_is_not_utf_8_is_blamed(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / "prog.py").write_text(PROGRAM + 'print(fails("x").blame["reader"]["function"])\n')

    done = python("-m", "inplace_tui.blame", str(folder / "prog.py"), "[]", cwd=tmp_path)

    assert (done.stdout, "could not tell" in done.stderr) == ("f\n", False)


@pytest.mark.whole
@pytest.mark.parametrize("why", ["OSError('no source')", "RecursionError()", "MemoryError()"])
def test_a_torch_whose_source_cannot_be_read_runs_as_ever(why: str, tmp_path: Path) -> None:
    source = f"""\
import inspect, torch
from inplace_tui import blame
def getsourcelines(of):
    raise {why}
inspect.getsourcelines = getsourcelines
x = torch.ones(2, requires_grad=True)
with blame.watch(values=True) as witness:
    y = x.exp()
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError as error:
        print(type(error).__name__, torch.is_anomaly_enabled())
print(witness.findings)
"""
    done = python("-c", source, cwd=tmp_path)

    said = f"inplace_tui.blame: can't watch this torch's backward: {why}\n"
    assert (done.stdout, done.stderr) == ("RuntimeError False\n[]\n", said)
