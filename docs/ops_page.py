"""The table of all ops, for people: docs/ops.md.

`python docs/ops_page.py docs/ops.md` writes it; a test says if that was forgotten.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from inplace_tui.common.ops.survey import Op, Survey, survey_of
from inplace_tui.tutorial.present.op_card import OpFacts

BEGINNING = """\
# What every op keeps, counts and shares

Found by running torch {torch}, written by `make ops` and `make schema`. Search this page for a
name; `inplace-tui op NAME` says more: what happens if a kept tensor is written, the in-place forms,
other versions of torch, and programs that show it. How it was found out:
[survey/README.md](../survey/README.md).

| op | kept for backward | writes | result |
|---|---|---|---|
"""


def page() -> str:
    survey = survey_of("99")
    return BEGINNING.format(torch=survey.torch) + "".join(_rows(survey))


def _rows(survey: Survey) -> Iterator[str]:
    facts = OpFacts("en")
    for op in sorted(survey.ops, key=lambda each: each.name.lower()):
        if op.form == "out":
            continue
        for case in op.cases[:1]:
            kept, written, result = facts.kept(case), facts.written(case), facts.results(case)
            called = f"<br>as `{case.title}`" if len(op.cases) > 1 else ""
            yield f"| {_names(op)}{called} | {kept} | {written} | {result} |\n"


def _names(op: Op) -> str:
    names = [name for name in op.names if not name.startswith(("dist.", "torch.distributed."))]
    return "<br>".join(f"`{name}`" for name in names)


def main() -> None:
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
