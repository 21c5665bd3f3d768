"""The kinds of question: one module each, with its rules, answers, judgement and view."""
