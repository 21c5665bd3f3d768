"""Two threads may decode into types that nobody has decoded into before."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import inplace_tui

SOURCE = Path(inplace_tui.__file__).parent

THREADS = """
import sys, threading
import msgspec
from inplace_tui.common.decodable import decodable

sys.setswitchinterval(1e-6)
for _ in range(60):
    kinds = [msgspec.defstruct("Last", [("number", int)])]
    for place in range(40):
        kinds.append(msgspec.defstruct(f"Kind{place}", [("next", kinds[-1] | None)]))
    begin = threading.Barrier(4)

    def decode(kind):
        begin.wait()
        assert msgspec.json.decode('{"next": null}', type=decodable(kind)).next is None

    threads = [threading.Thread(target=decode, args=(kinds[-1 - each],)) for each in range(4)]
    [each.start() for each in threads]
    [each.join() for each in threads]
"""


def test_threads_decode_into_new_types_at_once() -> None:
    assert subprocess.run([sys.executable, "-c", THREADS], check=False).returncode == 0


DECODING = re.compile(r"msgspec(\.\w+)?\.(decode|convert|Decoder)")

PLAIN = {"dict[str, Any]"}
"""Types without a class of ours."""

ELSEWHERE = {
    "common/decodable.py": "it is what the others go through",
    "tutorial/course/lessons/validation.py": "parts of a type that it asked for",
    "diagnosis/record/child.py": "a process of one thread",
    "diagnosis/record/process/reports.py": "as above",
}


def test_everything_that_decodes_asks_whether_it_can() -> None:
    left = []
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        tree = ast.parse(path.read_text())
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or name in ELSEWHERE:
                continue
            if not DECODING.fullmatch(ast.unparse(call.func)):
                continue
            kinds = [each.value for each in call.keywords if each.arg == "type"] or call.args[-1:]
            [kind] = map(ast.unparse, kinds)
            if not kind.startswith("decodable(") and kind not in PLAIN:
                left.append(f"{name}:{call.lineno}: {ast.unparse(call)}")
    assert left == []
