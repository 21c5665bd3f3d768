"""Asks torch what it offers, by a program of ours that prints it."""

from __future__ import annotations

from contextlib import aclosing

import msgspec

from inplace_tui.model.event import Printed
from inplace_tui.model.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.model.torch_names import TorchNames
from inplace_tui.protocol.messages import ProgramWrote
from inplace_tui.runner.worker import Worker

ASK = Program(
    source="from inplace_tui.worker.torch_names import print_names\nprint_names()\n",
    origin=Origin.BUILT_IN,
)
LIMITS = Limits(seconds=30.0, output_bytes=8 * 2**20)


async def learn(worker: Worker) -> TorchNames | None:
    """Return what torch offers; None where it could not be asked."""
    printed = []
    detail = Detail(output=True)
    async with aclosing(worker.run_in_detail(ASK, Mode.BARE, LIMITS, detail)) as reports:
        async for report in reports:
            if isinstance(report, ProgramWrote):
                texts = (each for each in report.events if isinstance(each, Printed))
                printed += [each.text for each in texts if each.stream == "stdout"]
    try:
        return msgspec.json.decode("".join(printed), type=TorchNames)
    except msgspec.DecodeError:
        return None
