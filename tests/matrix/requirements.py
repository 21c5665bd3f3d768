"""Prints what the program and its tests need but torch and numpy, which another Python brings."""

import re
import sys
from pathlib import Path

import tomllib

OWN = {"torch", "numpy"}
TESTS = {"hypothesis", "ipython", "pyte", "pytest", "pytest-asyncio", "pytest-xdist"}

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
needed = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
for requirement in needed:
    name = re.split(r"[<>=]", requirement)[0].lower()
    if name not in OWN and (requirement in project["dependencies"] or name in TESTS):
        sys.stdout.write(f"{requirement}\n")
