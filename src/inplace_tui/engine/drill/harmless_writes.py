"""Why a program is right although it writes in place."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.model.event import Mutation
from inplace_tui.model.snapshot import Saved, SlotState
from inplace_tui.model.timeline import Timeline


@dataclass(frozen=True)
class HarmlessWrite:
    """Why one write did no harm. `key` is one of `texts/drill.py: REASONS`."""

    key: str
    line: int
    tensor: str | None = None
    saved: int | None = None
    """The line that saved it."""


def harmless_writes(timeline: Timeline, source: str) -> list[HarmlessWrite]:
    found = _writes(timeline)
    lines = enumerate(source.splitlines(), 1)
    backwards = [(number, line) for number, line in lines if ".backward(" in line]
    if len(backwards) > 1:
        (first, text), (second, _) = backwards[0], backwards[-1]
        key = "kept" if "retain_graph=True" in text else "nothing-freed"
        found.append(HarmlessWrite(key, second, saved=first))
    return found


def _writes(timeline: Timeline) -> list[HarmlessWrite]:
    found: dict[int, HarmlessWrite] = {}
    for step in timeline:
        for event in step.events:
            if isinstance(event, Mutation) and not (event.op or "").endswith("backward"):
                before = timeline.at(step.began - 1)
                saved = [s for s in before.saved.values() if s.storage == event.storage]
                known = timeline.at(step.index).tensors.get(event.tensor or -1)
                name = min(known.names, key=len) if known is not None and known.names else None
                found.setdefault(event.line, _reason(timeline, event, saved, name))
    return list(found.values())


def _reason(
    timeline: Timeline, event: Mutation, saved: list[Saved], name: str | None
) -> HarmlessWrite:
    held = [each for each in saved if each.state is not SlotState.FREED]
    if not saved:
        return HarmlessWrite("unsaved", event.line, name)
    if not held:
        return HarmlessWrite("spent", event.line, name)
    node = timeline.at(len(timeline) - 1).nodes.get(held[0].node)
    line = None if node is None else node.line
    if line is None:
        return HarmlessWrite("unneeded-somewhere", event.line, name)
    key = "unneeded" if event.before is not None else "indifferent"
    return HarmlessWrite(key, event.line, name, line)
