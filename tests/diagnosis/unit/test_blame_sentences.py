"""What is said of a compiled region that saved a tensor, and of the write that no check saw."""

from __future__ import annotations

import os

import pytest

from inplace_tui.blame import frames
from inplace_tui.blame.libraries import is_library
from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.sentences import SentenceBuilder
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.explain.rows import sentences_on_lines

SOURCE = "y = f(x)\nx.mul_(2)\ny.backward()\n"


@pytest.mark.parametrize(
    ("node", "slot", "after", "saved", "changed"),
    [
        ("CompiledFunctionBackward", "tensors[0]", 1, "of the compiled region", "from version 0"),
        ("ExpBackward0", "self", 1, "its input self", "from version 0 to 1, which no check saw"),
        ("ExpBackward0", "self", 0, "its input self", "and no version number moved"),
    ],
)
def test_a_write_that_moved_a_version_is_not_said_to_have_moved_none(
    node: str, slot: str, after: int, saved: str, changed: str
) -> None:
    saver = Saver(line=1, node=node, slot=slot, version=0, is_output=False, tensor="x")
    blame = Blame(
        verdict=Verdict.SILENTLY_WRONG,
        tensor="x",
        saver=saver,
        writes=(Mutation(line=2, before=0, after=after),),
        reader=3,
    )
    build = SentenceBuilder(SOURCE, "en")
    text = "\n".join(
        "".join(span.text for span in each.spans) for each in sentences_on_lines(build, blame)
    )

    assert saved in text
    assert changed in text
    assert ("no version number moved" in text) is (after == 0)
    assert "tensors[" not in text


def test_what_the_compiler_generates_is_nobodys_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", os.path.join(os.sep, "generated", "here"))
    file = os.path.join(os.sep, "generated", "here", "ab", "cab1.py")

    assert is_library(file)
    assert not is_library(os.path.join(os.sep, "generated", "hereafter", "train.py"))


def test_frames_that_dynamo_made_are_left_out() -> None:
    def stack(*places: tuple[str, str]) -> list[frames.Frame]:
        return [
            {"file": file, "function": function, "line": 1, "library": file != "train.py"}
            for file, function in places
        ]

    dynamo, module = os.path.join("torch", "_dynamo", "eval_frame.py"), "torch/nn/modules/module.py"
    enters, calls = (dynamo, "_fn"), (dynamo, "compile_wrapper")
    main, resumed = ("train.py", "<module>"), ("train.py", "torch_dynamo_resume_in_forward_at_9")
    region, disabled = ("train.py", "forward"), ("train.py", "without_dynamo")

    for given, left in [
        ([("<eval_with_key>.1", "forward"), enters, region, calls, main], [main]),
        ([enters, region, (module, "_call_impl"), calls, main], [main]),
        ([enters, resumed, region, calls, main], [main]),
        ([disabled, enters, main], [disabled, main]),
        ([("torch/optim/sgd.py", "step"), enters, region, main], [region, main]),
        ([enters, region, calls, main, calls, main], [main, main]),
    ]:
        kept = frames._without_regions(stack(*given))
        assert [(e["file"], e["function"]) for e in kept if not e["library"]] == left
