"""What can be typed where there is no screen."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.local_text import LocalText, T


@dataclass(frozen=True)
class PlainCommand:
    """Something that can be typed."""

    letter: str
    """The short way; empty where a slip of the finger would cost something."""

    word: LocalText
    help: LocalText
    takes: str = ""
    """What may stand behind it, for the help."""


MOVES = {
    "next": PlainCommand("n", T("next"), T("run the next line; Enter does too")),
    "back": PlainCommand("b", T("back"), T("go back one line")),
    "into": PlainCommand("i", T("into"), T("go into the function that the next line calls")),
    "out": PlainCommand("o", T("out"), T("go on until this function has returned")),
    "continue": PlainCommand(
        "c", T("continue"), T("go on to the next question, failure, or the end")
    ),
    "end": PlainCommand("e", T("end"), T("go as far as may be seen")),
    "start": PlainCommand("s", T("start"), T("go to before the first line")),
    "go": PlainCommand(
        "g",
        T("go"),
        T("go to where line N is about to run; #N is a step, N% a share of the run"),
        "N|#N|N%",
    ),
    "wrote": PlainCommand(
        "", T("wrote"), T("go back to where tensor N or NAME was last written"), "N|NAME"
    ),
    "writes": PlainCommand("", T("writes"), T("go on to where it is written next"), "N|NAME"),
}
"""Ways through the run."""

PANELS = {
    "program": PlainCommand(
        "p", T("program"), T("the program, the step, and where questions wait")
    ),
    "tensors": PlainCommand(
        "t", T("tensors"), T("the table of all tensors; of one, every column in full"), "[N|NAME]"
    ),
    "values": PlainCommand(
        "",
        T("values"),
        T("the values with statistics, from an index on if there is one (`values y[20]`)"),
        "N|NAME",
    ),
    "graph": PlainCommand(
        "d",
        T("graph"),
        T(
            "the backward graph: nodes by number, what they saved, where gradients go; `graph all` "
            "unfolds what repeats"
        ),
        "[all]",
    ),
    "storages": PlainCommand(
        "m",
        T("storages"),
        T("what became of each storage; of one, step by step (a letter, or a tensor on it)"),
        "[LETTER|NAME]",
    ),
    "output": PlainCommand("", T("output"), T("all that was printed so far")),
    "why": PlainCommand(
        "w",
        T("why"),
        T("why it ended so; why a tensor is as it is (`why y grad`), or a node (`why node 3`)"),
        "[N|NAME [COLUMN]|node N]",
    ),
    "op": PlainCommand(
        "", T("op"), T("what the ops of the line keep, count and share; with N, of line N"), "[N]"
    ),
    "fixes": PlainCommand("x", T("fixes"), T("what could be written instead: run, and right")),
}
"""Things to look at."""

WATCH = {
    "pin": PlainCommand(
        "",
        T("pin", "WATCH.pin"),
        T("keep a tensor at the top of the table, or no longer"),
        "N|NAME",
    ),
    "modules": PlainCommand(
        "", T("modules"), T("leave out what only modules and optimizers reach, or show it again")
    ),
}
"""What is watched."""

QUESTIONS = {
    "question": PlainCommand("", T("question"), T("the question again")),
    "hint": PlainCommand("h", T("hint"), T("the next hint")),
    "guess": PlainCommand(
        "u", T("guess"), T("answer, but as a guess: it comes back even if it is right"), "N"
    ),
    "answer": PlainCommand("a", T("answer", "QUESTIONS.answer"), T("give up and see the answer")),
    "leave": PlainCommand("l", T("leave"), T("leave the question for later, or the variant")),
    "reopen": PlainCommand("r", T("reopen"), T("back to the question that was left")),
    "variants": PlainCommand(
        "v",
        T("variants"),
        T("what if: every edit, with its outcome once predicted; with ID or N, that one"),
        "[ID|N]",
    ),
    "holds": PlainCommand(
        "",
        T("holds"),
        T("run the programs that would show the recap false; with N, step through one"),
        "[N]",
    ),
    "mend": PlainCommand("", T("mend"), T("a program of this lesson to fix in your editor")),
    "restart": PlainCommand("", T("restart"), T("run it again, with all questions open")),
    "lesson": PlainCommand(
        "", T("lesson", "QUESTIONS.lesson"), T("open the next lesson, or the one called ID"), "[ID]"
    ),
    "contents": PlainCommand("", T("contents"), T("list the course")),
}
"""What a lesson has besides."""

RUNS = {"run": PlainCommand("r", T("run"), T("run it again, as it is in the file by now"))}
"""What the sandbox has besides."""

DRILL_ONLY = {
    "leave": PlainCommand(
        "l", T("leave", "DRILL_ONLY.leave"), T("back to the endings, before it is told")
    ),
    "drill": PlainCommand(
        "",
        T("drill", "DRILL_ONLY.drill"),
        T("the next program; at the end of a run Enter does too"),
    ),
}
"""What the drill has besides."""

QUIZ_ONLY = {
    "question": QUESTIONS["question"],
    "guess": QUESTIONS["guess"],
    "answer": QUESTIONS["answer"],
    "onward": PlainCommand(
        "", T("onward"), T("the next program; at the end of a run Enter does too")
    ),
    "leave": PlainCommand("l", T("leave"), T("leave the rest for later")),
}
"""What a checkpoint and the review have besides."""

ALWAYS = {
    "language": PlainCommand("", T("language"), T("speak the next language")),
    "help": PlainCommand("?", T("help"), T("this list")),
    "quit": PlainCommand("q", T("quit"), T("end; progress is kept")),
}

HEADS = {
    "moves": T("Through the run"),
    "panels": T("To look at"),
    "questions": T("In a lesson"),
    "watch": T("To keep an eye on"),
    "runs": T("In the sandbox"),
    "drill": T("In the drill"),
    "quiz": T("In a checkpoint or the review"),
    "always": T("Always"),
}
"""Headings of the list of commands."""
