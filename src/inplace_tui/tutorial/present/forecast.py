"""What backward would do from a tensor, as a cell of the table and as a sentence."""

from __future__ import annotations

from inplace_tui.common.cells import clean
from inplace_tui.common.rows import Style
from inplace_tui.common.run.snapshot import Tensor, is_compiled
from inplace_tui.common.texts import say, space
from inplace_tui.common.texts.forecast import SILENCES, WORDS, ForecastTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.activity.session.view import View, hides, node_name
from inplace_tui.tutorial.forecast.forecast import (
    Forecast,
    NotNeeded,
    Raises,
    Runs,
    RunsWrong,
    StepForecasts,
    Unknown,
)

NOTHING = "–"


def visible_forecast(view: View, tensor: Tensor) -> Forecast | None:
    """Return the forecast of a tensor; None while a question is open."""
    if hides(view, tensor, "forecast"):
        return None
    forecasts = view.step_forecasts or StepForecasts(view.timeline, view.cursor, view.source)
    read = forecasts.of(tensor.id)
    return view.found_forecasts.get(tensor.id, read) if isinstance(read, Unknown) else read


def cell(view: View, tensor: Tensor, language: str) -> tuple[str, Style]:
    match visible_forecast(view, tensor):
        case None | NotNeeded():
            return NOTHING, Style.DIM
        case Runs():
            return say(WORDS["runs"], language), Style.PLAIN
        case Raises():
            return say(WORDS["raises"], language), Style.STALE
        case RunsWrong():
            return say(WORDS["wrong"], language), Style.WRONG
        case Unknown():
            return say(WORDS["unknown"], language), Style.DIM


def sentence(view: View, tensor: Tensor, language: str) -> str | None:
    """Return what the forecast says and what it comes from; None while it is hidden."""
    found = visible_forecast(view, tensor)
    if found is None:
        return None
    name = clean((*tensor.names, "?")[0])
    if isinstance(found, NotNeeded):
        key = ForecastTexts.leaf if found.leaf else ForecastTexts.no_graph
        return say(key, language, name=name)
    phrase = say(ForecastTexts.about, language, told=_phrase(found, view, language))
    if tensor.id in view.found_forecasts:
        phrase += f" {say(ForecastTexts.found, language)}"
    elif isinstance(found, Unknown) and view.pending_forecast == tensor.id:
        phrase += f" {say(ForecastTexts.finding, language)}"
    return phrase


def _phrase(found: Runs | Raises | RunsWrong | Unknown, view: View, language: str) -> str:
    node = "?" if isinstance(found, Runs) or found.node is None else node_name(view, found.node)
    slot = "" if isinstance(found, Runs) else clean(found.slot or "")
    match found:
        case Runs():
            read = view.step_forecasts is not None
            return say(ForecastTexts.runs if read else ForecastTexts.runs_replayed, language)
        case RunsWrong(slot=None):
            return say(ForecastTexts.wrong, language)
        case RunsWrong():
            return say(ForecastTexts.wrong_slot, language, node=node, slot=slot)
        case Unknown(why=why):
            key = SILENCES["compiled" if is_compiled(node) else why.value]
            return say(key, language, node=node, slot=slot)
        case Raises():
            return _raises(found, node, slot, language)


def _raises(found: Raises, node: str, slot: str, language: str) -> str:
    values = {"node": node, "slot": slot, "saved": found.saved, "now": found.now}
    read = found.node is not None
    match found.verdict:
        case Verdict.SAVED_TENSOR_MODIFIED if read or found.saved is not None:
            key = ForecastTexts.raises_stale if read else ForecastTexts.raises_versions
        case Verdict.SAVED_TENSOR_DETACHED if read:
            key = ForecastTexts.raises_detached
        case Verdict.GRAPH_FREED:
            key = ForecastTexts.raises_freed if read else ForecastTexts.raises_freed_replayed
        case Verdict.NOT_A_SCALAR:
            key = ForecastTexts.raises_complex
        case _:
            key = ForecastTexts.raises
    phrase, gap = key[language].format_map(values), space(language)
    return phrase if found.first else f"{phrase}{gap}{say(ForecastTexts.at_latest, language)}"
