"""What was found, for pull requests and editors: GitHub's workflow commands, and SARIF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote

import msgspec

from inplace_tui import __version__
from inplace_tui.common.run.files import split_files
from inplace_tui.common.run.fix import Fix
from inplace_tui.common.run.program import Program
from inplace_tui.common.source_text import quoted_text
from inplace_tui.common.texts import say
from inplace_tui.common.texts.explain import AnnotationTexts
from inplace_tui.diagnosis.explain.explanation import Case, ShownFix, explanation, file_of
from inplace_tui.diagnosis.fixes.repair import changed_lines
from inplace_tui.diagnosis.fixes.rows import facts

COSTS = (
    *("cost_bytes", "added_time", "keeps_gradient", "forward_changes", "computes"),
    *("copied", "held_to"),
)
"""What a fix costs and keeps and how it was tried, as `explain --json` has it."""

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class Finding:
    """A line, and the note beside it."""

    file: str
    line: int
    text: str
    is_fault: bool = True


def findings(case: Case, file: str, language: str) -> list[Finding]:
    """Return the line at fault first, then those that have to do with it; none if all is fine."""
    if case.ending.is_fine:
        return []
    facts = explanation(case, file=file, lesson=None)
    found: list[Finding] = []
    meaning = "" if case.verdict is None else case.verdict.meaning[language]
    error = "" if facts.error is None else f"{facts.error.type}: {facts.error.message}"
    for number, culprit in enumerate(facts.culprits):
        texts = AnnotationTexts.fault if number == 0 else AnnotationTexts.also
        note = say(texts, language, source=quoted_text(culprit.source))
        text = f"{note} {meaning}".strip()
        found.append(Finding(culprit.file, culprit.line, text, is_fault=number == 0))
    if not found:
        at = facts.error
        place = (file, 1) if at is None else (at.file or file, at.line or 1)
        return [Finding(*place, f"{error} {meaning}".strip())]
    saver = facts.victim
    if saver is not None and saver.file is not None and saver.line is not None:
        note = say(AnnotationTexts.saved, language, node=saver.node)
        found.append(Finding(saver.file, saver.line, note, is_fault=False))
    if facts.carried is not None:
        note = say(AnnotationTexts.carried, language, tensor=facts.carried.tensor)
        found.append(Finding(facts.carried.file, facts.carried.line, note, is_fault=False))
    if facts.error is not None and facts.error.file is not None and facts.error.line is not None:
        note = say(AnnotationTexts.needed, language, error=error.partition("\n")[0])
        found.append(Finding(facts.error.file, facts.error.line, note, is_fault=False))
    return found


def github(case: Case, *, file: str, language: str) -> Iterator[str]:
    """Yield workflow commands: what GitHub shows beside the lines of a pull request."""
    title = str(case.verdict or "inplace-tui")
    for number, finding in enumerate(findings(case, file, language)):
        level = "error" if finding.is_fault else "notice"
        text = finding.text
        if number == 0 and case.fixes:
            fix = case.fixes[0]
            note = say(AnnotationTexts.fix, language, title=fix.title[language])
            text = f"{text}\n\n{note}\n{' · '.join(facts(fix, language))}\n{fix.diff}"
        place = f"file={_property(finding.file)},line={finding.line},title={_property(title)}"
        yield f"::{level} {place}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(cases: Sequence[tuple[str, Case]], language: str) -> dict[str, object]:
    """Return one SARIF document about some programs, each with its name."""
    results = [each for file, case in cases for each in _results(case, file, language)]
    verdicts = sorted({case.verdict for _, case in cases if case.verdict is not None})
    driver = {
        "name": "inplace-tui",
        "version": __version__,
        "rules": [
            {"id": str(each), "fullDescription": {"text": each.meaning[language]}}
            for each in verdicts
        ],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SARIF, "version": "2.1.0", "runs": [run]}


def _results(case: Case, file: str, language: str) -> Iterator[dict[str, object]]:
    found = findings(case, file, language)
    if not found:
        return
    fault, *others = found
    shown_fixes = explanation(case, file=file, lesson=None, language=language).fixes
    result: dict[str, object] = {
        "level": "error",
        "message": {"text": fault.text},
        "locations": [_location(fault)],
        "relatedLocations": [
            {**_location(each), "id": number, "message": {"text": each.text}}
            for number, each in enumerate(others, 1)
        ],
        "fixes": [
            _fix(case.program, each, shown, file, language)
            for each, shown in zip(case.fixes, shown_fixes, strict=True)
        ],
    }
    if case.verdict is not None:
        result["ruleId"] = str(case.verdict)
    yield result


def _location(finding: Finding) -> dict[str, object]:
    place = {"artifactLocation": {"uri": _uri(finding.file)}, "region": {"startLine": finding.line}}
    return {"physicalLocation": place}


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")


def _fix(
    program: Program, fix: Fix, shown: ShownFix, file: str, language: str
) -> dict[str, object]:
    parts = zip(split_files(program.source), split_files(fix.source), strict=True)
    changes = [
        {
            "artifactLocation": {"uri": _uri(file_of(program, file, old.before + 1))},
            "replacements": list(_replacements(old.source, new.source)),
        }
        for old, new in parts
        if old.source != new.source
    ]
    return {
        "description": {"text": fix.title[language]},
        "artifactChanges": changes,
        "properties": {name: msgspec.to_builtins(getattr(shown, name)) for name in COSTS},
    }


def _replacements(before: str, after: str) -> Iterator[dict[str, object]]:
    for first, last, text in changed_lines(before, after):
        region = {"startLine": first, "startColumn": 1, "endLine": last, "endColumn": 1}
        yield {"deletedRegion": region, "insertedContent": {"text": text}}
