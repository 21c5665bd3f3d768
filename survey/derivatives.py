"""What torch's own derivatives.yaml says that an operation saves, beside what the survey found.

Not part of a survey: it needs PyYAML, for torchgen. `python -m survey.derivatives` writes the page.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torchgen
from torchgen.packaged.autograd.load_derivatives import load_derivatives

from survey.datafile import read

Case = dict[str, Any]
PAGE = Path(__file__).with_name("derivatives.md")


@dataclass(frozen=True)
class Formula:
    """One entry of derivatives.yaml: what it saves for the gradient of each argument."""

    entry: str
    arguments: frozenset[str]
    outputs: frozenset[str]
    saved: tuple[tuple[frozenset[str], frozenset[str]], ...]

    @property
    def names(self) -> frozenset[str]:
        return self.arguments | self.outputs

    def saves(self, grads: set[str]) -> set[str]:
        return {name for wanted, saved in self.saved if wanted & grads for name in saved}


@dataclass(frozen=True)
class Comparison:
    """One case of one row that has a formula."""

    row: str
    call: str
    entry: str
    yaml: frozenset[str]
    found: frozenset[str]
    fails: bool

    def reason(self) -> str:
        if _bare(self.row) != _bare(self.entry.split(".")[0]):
            return "made of several operations; the entry is that of its last node"
        if self.fails:
            return "views of one base: torch refuses their use after a write"
        if self.found < self.yaml:
            return "saved, and not returned by this function"
        return "not known"


def _bare(name: str) -> str:
    """`det` of torch.linalg.det and of _linalg_det."""
    last = name.rsplit(".", maxsplit=1)[-1].strip("_")
    for prefix in ("linalg_", "special_", "fft_", "native_"):
        last = last[len(prefix) :] if last.startswith(prefix) else last
    return last.replace("_forward", "")


def formulas() -> dict[str, Formula]:
    """By the name of the node that an entry makes."""
    root = Path(torchgen.__file__).parent / "packaged"
    native = root / "ATen" / "native"
    listed, _ = load_derivatives(
        str(root / "autograd" / "derivatives.yaml"),
        str(native / "native_functions.yaml"),
        str(native / "tags.yaml"),
    )
    return {
        each["Default"].op: _formula(each["Default"])
        for each in listed.values()
        if "Default" in each and each["Default"].op
    }


def _formula(entry: Any) -> Formula:
    outputs = [each.name for each in entry.func.func.returns]
    names = {"self": "input"}
    if "result" not in outputs:
        names["result"] = "out"
    names.update({f"result{i}": name or f"out[{i}]" for i, name in enumerate(outputs)})
    saved = tuple(
        (
            frozenset(names.get(each, each) for each in derivative.var_names),
            frozenset(
                names.get(each.nctype.name, each.nctype.name)
                for each in (*derivative.saved_inputs, *derivative.saved_outputs)
                if _is_a_tensor(each)
            ),
        )
        for derivative in entry.derivatives
    )
    arguments = [each.name for each in entry.func.func.arguments.flat_all]
    return Formula(
        str(entry.func.func.name),
        frozenset(names.get(each, each) for each in arguments),
        frozenset(each for each in outputs if each),
        saved,
    )


def _is_a_tensor(saved: Any) -> bool:
    return "'Tensor'" in repr(saved.nctype.type) and "(" not in saved.expr


def comparisons(data: dict[str, Any]) -> list[Comparison]:
    """Each case whose node has a formula about arguments of the same names."""
    known = formulas()
    found = []
    for row in data["rows"]:
        for case in row.get("cases", []):
            formula = known.get(case["node"]) if isinstance(case["node"], str) else None
            if formula is not None and row["form"] == "function" and "call" in case:
                compared = _compared(row, case, formula)
                found += [compared] if compared else []
    return found


def _compared(row: Any, case: Case, formula: Formula) -> Comparison | None:
    grads = set(case.get("grads", []))
    keeps = case.get("keeps", {})
    all_of_it = keeps.get("all" if len(grads) > 1 else next(iter(grads), ""), {})
    given = set(case.get("inputs", {})) | grads | (set(all_of_it) & formula.arguments)
    if not grads or not given <= formula.arguments or "backward" in case:
        return None
    saved = formula.saves(grads)
    if any(name not in formula.names and not name.startswith("out") for name in all_of_it):
        return None
    seen = {name.split("[")[0] for name, code in all_of_it.items() if code != "untried"}
    yaml = {name.split("[")[0] for name in saved if name in given or name not in formula.arguments}
    if "out" in seen and "result" in yaml:  # the only output, whatever it is called
        yaml = yaml - {"result"} | {"out"}
    fails = "fails" in all_of_it.values()
    return Comparison(
        row["name"], case["call"], formula.entry, frozenset(yaml), frozenset(seen), fails
    )


def page(found: list[Comparison], torch_version: str) -> str:
    """The differences, as a table."""
    differ = [each for each in found if each.yaml != each.found]
    lines = [
        f"# Beside derivatives.yaml of torch {torch_version}",
        "",
        f"{len(found)} cases have a formula there, and {len(found) - len(differ)} of them agree.",
        "Most of the others are made of several operations, of which the entry is the last one:",
        "what the others save is found by running alone.",
        "",
        "| call | entry | only there | only found by running | why |",
        "|---|---|---|---|---|",
    ]
    for each in sorted(differ, key=lambda each: (each.reason(), each.row, each.call)):
        there = ", ".join(sorted(each.yaml - each.found))
        here = ", ".join(sorted(each.found - each.yaml))
        lines.append(
            f"| `{_short(each.call)}` | `{each.entry}` | {there} | {here} | {each.reason()} |"
        )
    return "\n".join(lines) + "\n"


def _short(call: str) -> str:
    return call if len(call) < 100 else f"{call[:97]}..."


def main() -> None:
    data = read(Path(sys.argv[1]))
    PAGE.write_text(page(comparisons(data), data["header"]["torch"]), encoding="utf-8")


if __name__ == "__main__":
    main()
