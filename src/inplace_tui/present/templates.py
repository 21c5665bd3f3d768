"""Templates of the sandbox as a list, and one of them as a page."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.engine.templates import Template
from inplace_tui.model.lesson import ClaimedEnd, Grads
from inplace_tui.present.cells import clip, clip_spans, wrap, wrapped
from inplace_tui.present.code import highlighted
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.templates import ABOUT, NAMES, TemplateTexts


def listing(templates: Sequence[Template], room: int, language: str) -> list[Row]:
    """Return what each is called, and below what it shows; `choice` is its place."""
    found = []
    for place, template in enumerate(templates):
        target = Target(choice=place)
        name = clip(f" {say(NAMES[template.id], language)}", room)
        found.append(Row((Span(name, Style.STRONG),), target))
        about = wrap([Span(say(ABOUT[template.id], language), Style.DIM)], max(4, room - 3))
        found += [Row((Span("   "), *line), target) for line in about]
    return found


def preview(template: Template, room: int, language: str) -> list[Row]:
    digits = len(str(template.source.count("\n")))
    code = [
        Row(clip_spans((Span(f"{number:>{digits}}  ", Style.DIM), *spans), room))
        for number, spans in enumerate(highlighted(template.source.rstrip("\n")), 1)
    ]
    glyph, style = "✗", Style.ERROR
    if template.ends is ClaimedEnd.RUNS:
        wrong = template.grads is Grads.WRONG
        text = TemplateTexts.runs_wrong if wrong else TemplateTexts.runs_right
        glyph, style = ("≠", Style.ERROR) if wrong else ("✓", Style.RIGHT)
    elif template.ends is ClaimedEnd.RAISES_BEFORE:
        text = TemplateTexts.raises_before
    else:
        text = TemplateTexts.raises_in_backward
    phrase = f"{glyph} {say(text, language)}"
    return [*code, Row(), *wrapped([Span(phrase, style)], room)]
