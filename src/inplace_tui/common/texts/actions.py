"""What every action is called (footer, palette) and what it does (help)."""

from __future__ import annotations

from inplace_tui.common.language import LANGUAGES
from inplace_tui.common.local_text import LocalText, T

OWN_NAME = T("English")
"""The language's own name."""


def next_language(language: str) -> str:
    """Return the language to switch to."""
    return LANGUAGES[(LANGUAGES.index(language) + 1) % len(LANGUAGES)]


class _NextLanguage(LocalText, frozen=True):
    """Who can't read this language reads what the key leads to."""

    def __getitem__(self, language: str) -> str:
        following = next_language(language)
        name = OWN_NAME[following]
        return name if following == "en" or name != OWN_NAME.en else following


LABELS: dict[str, LocalText] = {
    "next": T("next"),
    "back": T("back"),
    "into": T("into"),
    "out": T("out"),
    "to_call": T("back to call"),
    "to_return": T("back into call"),
    "continue": T("continue"),
    "continue_back": T("continue back"),
    "start": T("start"),
    "end": T("end"),
    "restart": T("restart"),
    "last_write": T("last write"),
    "next_write": T("next write"),
    "goto": T("go to"),
    "scrub": T("on a column"),
    "scrub_back": T("back a column"),
    "lanes_in": T("zoom lanes in"),
    "lanes_out": T("zoom lanes out"),
    "choice": T("mark"),
    "commit": T("answer"),
    "guess": T("just a guess"),
    "line_up": T("line up"),
    "line_down": T("line down"),
    "hint": T("hint"),
    "answer": T("show answer"),
    "question": T("question"),
    "variants": T("variants"),
    "holds": T("break it"),
    "mend": T("fix it"),
    "edit": T("edit a copy"),
    "review": T("review"),
    "next_lesson": T("next lesson"),
    "previous_lesson": T("previous lesson"),
    "panel": T("panel"),
    "next_panel": T("next panel"),
    "previous_panel": T("previous panel"),
    "why": T("why"),
    "fixes": T("fixes"),
    "op": T("the op"),
    "zoom": T("zoom"),
    "copy": T("copy"),
    "export": T("export"),
    "pointers": T("pointers"),
    "open_tensor": T("values", "LABELS.open_tensor"),
    "pin": T("pin"),
    "modules": T("modules"),
    "take": T("write fix"),
    "undo": T("undo"),
    "rerun": T("run again"),
    "stepping": T("step", "LABELS.stepping"),
    "write_page": T("page"),
    "about": T("lesson"),
    "whole": T("whole"),
    "next_box": T("next box"),
    "previous_box": T("previous box"),
    "gradient": T("grad"),
    "plane_after": T("next plane"),
    "plane_before": T("plane before"),
    "odd": T("NaN, inf"),
    "leave": T("leave", "LABELS.leave"),
    "type": T("edit"),
    "save": T("save"),
    "present": T("present to a class"),
    "save_as": T("save as"),
    "open": T("open file"),
    "run": T("run"),
    "find": T("find"),
    "find_next": T("find next"),
    "complete": T("complete"),
    "comment": T("comment"),
    "reset": T("start over"),
    "challenges": T("challenges"),
    "library": T("library"),
    "paths": T("paths"),
    "next_challenge": T("next challenge"),
    "next_drill": T("next program"),
    "taught": T("lesson"),
    "drill": T("drill"),
    "open_lesson": T("open"),
    "resume": T("continue", "LABELS.resume"),
    "sandbox": T("sandbox"),
    "introduction": T("welcome"),
    "onward": T("go on"),
    "backward": T("go back"),
    "learn": T("learn"),
    "ask": T("ask"),
    "play": T("play"),
    "filter": T("filter"),
    "choose_row": T("choose"),
    "search": T("search"),
    "next_match": T("next match"),
    "previous_match": T("match before"),
    "to_node": T("line ⇄ node"),
    "language": _NextLanguage("the next language"),
    "theme": T("theme"),
    "commands": T("commands"),
    "help": T("help"),
    "quit": T("quit"),
}
"""Two or three words each: a footer has little room."""

NEXT_CHAPTER = T("next chapter")
"""What `next_challenge` is called where a chapter's challenge is solved."""

NEXT_QUESTION = T("next question")
"""What `next_drill` is called where no program follows."""

LATER = T("later")
CLOSE_REPLY = T("close reply")
UNZOOM = T("unzoom")
TO_CODE = T("to code")
TO_QUESTION = T("to question")
TO_PANELS = T("to panels")
STOP = T("stop")
TO_ENDINGS = T("to endings")
"""What `leave` is called while it leaves a question, reply, zoom, panel, editor, run or choice."""

HELP = {
    "next": T("Run the next line; a call in it is stepped over."),
    "back": T("Go back one line. Nothing is run again."),
    "into": T("Go into the function that the next line calls."),
    "out": T("Go on until this function has returned."),
    "to_call": T("Go back to the line that called this function."),
    "to_return": T("Go back into the call that returned last."),
    "continue": T("Go on to the next question, failure, or the end."),
    "continue_back": T("Go back to the question or failure before, or to the start."),
    "start": T("Go to before the first line."),
    "end": T("Go as far as you can see by now."),
    "restart": T("Run it again from the start, with all questions open."),
    "next_write": T(
        "Go to the next write to the tensor chosen; in the lanes, to what happens next there."
    ),
    "goto": T("Go to a step (123), a share of the run (50%) or a line (:7)."),
    "scrub": T("Go on by one column of the lanes: a step, or many where they are zoomed out."),
    "scrub_back": T("Go back by one column of the lanes."),
    "lanes_in": T("Zoom the lanes in: fewer steps a column."),
    "lanes_out": T("Zoom the lanes out, up to the whole run."),
    "last_write": T("Go to the line that wrote to the chosen tensor last."),
    "choice": T("Mark this choice; nothing is answered yet."),
    "commit": T(
        "Answer: with the marked choice, the line under the cursor, or the order of the lines."
    ),
    "guess": T("Answer, but as a guess: the question comes back even if you are right."),
    "line_up": T("Move the chosen line up."),
    "line_down": T("Move the chosen line down."),
    "hint": T("Show the next hint."),
    "answer": T("Give up and show the answer."),
    "question": T("Go back to the open question, or to the one that you left for later."),
    "variants": T("What if? The same program with one edit, and all outcomes side by side."),
    "mend": T("Fix a program of this lesson in the editor: one that fails or is silently wrong."),
    "holds": T("Try to break the recap: run the programs that would show it false."),
    "edit": T("Open a copy of this program in the sandbox, at this step."),
    "next_lesson": T("Open the lesson that follows."),
    "previous_lesson": T("Open the lesson before."),
    "panel": T("Go to the panel of this number."),
    "next_panel": T("Go to the next panel."),
    "previous_panel": T("Go to the panel before."),
    "why": T("Why it ended so: who saved, who changed, who needed the tensor."),
    "op": T(
        "What the ops of this line keep for backward, count and share, and whether the next line "
        "may write their result."
    ),
    "fixes": T("The fixes that were run and work, with all they change; open one in the sandbox."),
    "zoom": T("Give this panel the whole screen, or take it back."),
    "copy": T("Copy this panel as text to the clipboard (OSC 52)."),
    "export": T("Take something out of here: the panel, a picture, the graph, the timeline."),
    "pointers": T("Show or hide the column of data_ptr."),
    "open_tensor": T("Open the chosen tensor to see every element; again, close it."),
    "pin": T("Keep the chosen tensor at the top of the table, or no longer."),
    "modules": T("Hide or show what is reached through modules and optimizers only."),
    "take": T("Write this fix to your files, and run the program again."),
    "undo": T("Undo the last fix: put the old files back, and run the program again."),
    "rerun": T("Run the program again, as it is on disk now."),
    "stepping": T("Step through the run in the sandbox, from the moment of the fault."),
    "write_page": T("Save what is known as a page for the browser, in the current folder."),
    "about": T("Open the lesson about this fault."),
    "whole": T("Give this box the whole screen, or take it back."),
    "next_box": T("Go to the next box."),
    "previous_box": T("Go to the previous box."),
    "gradient": T("Show the gradient beside the values, or no longer."),
    "plane_after": T("Go to the next plane: the index before the last two dimensions."),
    "plane_before": T("Go to the plane before."),
    "odd": T("Go to the next NaN or inf."),
    "filter": T(
        "List only what is called like what you type, has that number, or teaches that concept."
    ),
    "leave": T("Leave: the question for later, its reply, the zoom, the variant, this screen."),
    "present": T(
        "Present this lesson to a class, or no longer: code and one panel, answers are locked "
        "until they are shown, nothing is kept."
    ),
    "type": T("Go into the editor."),
    "save": T("Save the program to its file."),
    "save_as": T("Save the program to another file."),
    "open": T("Open a file in the sandbox."),
    "run": T("Run the program and record every line."),
    "find": T("Find a text in the editor, and replace it: Tab leads to what it is replaced by."),
    "find_next": T("Go to the next place where the text was found."),
    "complete": T("Propose how the name under the cursor may go on."),
    "comment": T("Make comments of the selected lines, or code again."),
    "reset": T("Take the program back to how it was; Ctrl-Z in the editor undoes that."),
    "next_challenge": T("Open the challenge that follows."),
    "library": T("Show every lesson and challenge, or your path again."),
    "paths": T("Choose a path: what you want to learn, and what you know already."),
    "challenges": T("Go to the challenges: break a program, or mend one."),
    "next_drill": T("Go on to the next program of the drill."),
    "taught": T("Open the lesson about what this program showed."),
    "review": T("Answer again what you got wrong and what is due today."),
    "drill": T("Predict random small programs, at your level."),
    "open_lesson": T("Open this lesson or challenge."),
    "resume": T("Go on with the lesson that is suggested next."),
    "introduction": T("What this program is, and the screen in one minute."),
    "onward": T("Go on with the welcome."),
    "backward": T("Go back a step of the welcome."),
    "learn": T("The screen in one minute, by doing; then the course."),
    "ask": T("Open a program of yours that fails, or paste its error message."),
    "play": T("Open the sandbox: any program, line by line."),
    "sandbox": T("Write and run a program of your own."),
    "choose_row": T("Choose this row: run to a line, go to a step, take an answer."),
    "search": T("Search in this panel; in the graph also a line (:7), stale, leaf."),
    "next_match": T("Go to the next match of your last search."),
    "previous_match": T("Go to the match before."),
    "to_node": T("Jump from a line to the nodes that it made, and from a node to its line."),
    "language": T("Switch to the next language."),
    "theme": T(
        "Next theme: dark, light, high contrast, colour-blind safe. It is kept. Right and wrong "
        "are blue and orange in all."
    ),
    "commands": T("Search all commands, and go to any lesson."),
    "help": T("What the keys do here."),
    "quit": T("Quit. Progress is kept."),
}
"""A sentence each, for the help page."""
