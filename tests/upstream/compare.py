"""Runs PyTorch's tests of autograd in three ways; says which of them end differently.

    compare.py FOLDER [OPTIONS OF PYTEST]

Each way is one process, which the tests share as they do upstream.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WITNESS = ("-m", "inplace_tui.blame")
WAYS = {"bare": (), "watched": WITNESS, "watched with values": (*WITNESS, "--values")}
PLUGINS = [
    *("-p", "outcomes", "-p", "pytest_timeout", "-p", "no:cacheprovider"),
    *("-p", "no:logging"),  # it formats what 50 tests log, which is no text, and fails them
]
PYTEST = ("-m", "pytest", "-q", *PLUGINS, "--timeout", "300")
SHOWN = 600


def outcomes_of(way: str, folder: Path, options: list[str]) -> dict[str, str]:
    """Run all tests once; return how each ended. What the run says is kept beside its outcomes."""
    name = way.replace(" ", "-")
    kept = folder.parent / f"{name}.jsonl"
    kept.unlink(missing_ok=True)
    here = str(Path(__file__).parent)
    variables = {"PYTHONPATH": here, "OUTCOMES": str(kept), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    own = ("-c", os.devnull, "--rootdir", str(folder), *options, "test_autograd.py")
    with (folder.parent / f"{name}.log").open("w", encoding="utf-8") as log:
        ended = subprocess.run(
            [sys.executable, *WAYS[way], *PYTEST, *own],
            cwd=folder,
            env=os.environ | variables,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if not kept.exists():
        sys.exit(f"{way}: no test ran: {log.name}")
    found = dict(map(json.loads, kept.read_text(encoding="utf-8").splitlines()))
    return {**found, "the process": f"exit code {ended.returncode}"}


def main() -> int:
    folder, options = Path(sys.argv[1]).resolve(), sys.argv[2:]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        runs = pool.map(lambda way: outcomes_of(way, folder, options), WAYS)
        found = dict(zip(WAYS, runs, strict=True))
    for way, ended in found.items():
        kinds = Counter(each.split()[0] for test, each in ended.items() if test != "the process")
        print(f"{way}: {', '.join(f'{kinds[each]} {each}' for each in sorted(kinds))}")
    differ = [
        test
        for test in dict.fromkeys(test for ended in found.values() for test in ended)
        if len({ended.get(test) for ended in found.values()}) > 1
    ]
    for test in differ:
        print(f"\nends differently: {test}")
        for way, ended in found.items():
            print(f"  {way}: {ended.get(test, 'did not run')[:SHOWN]}")
    print(f"\n{len(differ)} end differently")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
