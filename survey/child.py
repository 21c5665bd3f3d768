"""A process that runs tasks, one a line of its input, and answers with one line of JSON each."""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any, Callable

import torch

from survey.experiment import seed
from survey.subjects import all_tasks
from survey.subjects.methods import writing_names


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an operation prints is no answer
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    tasks = all_tasks()
    hello = {"tasks": list(tasks), "torch": torch.__version__, "methods": writing_names()}
    _say(answers, hello)
    for line in sys.stdin:
        _say(answers, {"rows": _rows(tasks, line.rstrip("\n"))})


def _rows(tasks: dict[str, Callable[[], list[Any]]], name: str) -> list[Any]:
    seed()
    try:
        return tasks[name]()
    except Exception as error:
        return [{"name": name, "untried": f"{type(error).__name__}: {error}"[:200]}]


def _say(answers: Any, what: Any) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
