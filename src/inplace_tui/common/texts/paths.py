"""Paths by goal: the contents on a path, the choice of one, testing out."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class PathTexts:
    """In the contents, in the choice of a path, and where there is no screen."""

    far = T("{done} of {total}, {minutes} min left")
    go_on = T("go on", "PathTexts.go_on")
    today = T("today", "PathTexts.today")
    comes_back = T("{back:question comes|questions come} back")
    and_new = T("{back:question comes|questions come} back, 1 is new")
    is_new = T("1 new question")
    done = T("This path is done. Choose another.")
    # What else there is.
    ask = T("a script of mine")
    play = T("play", "PathTexts.play")
    drill = T("drill", "PathTexts.drill")
    another = T("another path")
    search = T("search all lessons")
    library = T("library")
    title = T("Library")
    # The choice.
    which = T("What brings you here?")
    everything = T("Everything")
    everything_summary = T("The whole course, with the lessons that one looks things up in.")
    place_me = T("I know some of this already")
    place_me_summary = T(
        "Five questions from this path. Each right answer skips its lesson and those before it "
        "that it builds on."
    )
    lead = T("Enter chooses · Esc back")
    placement = T("Five questions: what do you know already?")
    known = T("Marked as known: {count:lesson|lessons}. You can still open them.")
    all_known = T("You have passed every lesson of this path.")
    no_path = T("This course has no paths.")
    unknown = T("there is no path '{id}'{hint}")
    reference = T("reference")
    plain_ways = T("path ID chooses another path: {ids}. library lists every lesson.")
    ends_with = T("The lessons of this path are done. Its challenge: inplace-tui challenge {id}")
