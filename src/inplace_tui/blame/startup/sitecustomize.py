"""Start the witness, before the program: Python imports this at its start, see `__main__`."""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
told = os.environ.pop("INPLACE_TUI_BLAME", "000")
if told[1] == "1":
    os.environ["PYTHONPATH"] = os.environ["PYTHONPATH"][len(here) + 1 :]
else:
    del os.environ["PYTHONPATH"]

at = sys.path.index(here)
sys.path[at] = os.path.dirname(os.path.dirname(os.path.dirname(here)))
known = set(sys.path_importer_cache)
try:
    from inplace_tui.blame.watching import start_for_program

    start_for_program(values=told[0] == "1", is_stdin=told[2] == "1", json=told[3:])
finally:
    del sys.path[at]
    for each in {here, *sys.path_importer_cache} - (known - {here}):
        del sys.path_importer_cache[each]

del sys.modules["sitecustomize"]
__import__("sitecustomize")  # another one, or none: Python takes the error as that
