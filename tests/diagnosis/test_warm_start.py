"""What the worker has imported when the first run may start, in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from inplace_tui.diagnosis.record import child
assert "torch._dynamo" not in sys.modules
from torch._dynamo import convert_frame, output_graph
from inplace_tui.diagnosis.record.process import errors
assert errors._COMPILERS == {convert_frame.__file__, output_graph.__file__}
"""


@pytest.mark.whole
def test_the_first_run_does_not_wait_for_dynamo_and_its_compiler_is_known_all_the_same() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=60)
