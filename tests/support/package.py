"""A package of five files: its fault in a model, its error in a trainer."""

from __future__ import annotations

import json
from pathlib import Path

PACKAGE = {
    "train.py": """\
import argparse
import torch
from .data import batches
from .engine import Trainer
from .models.net import Net

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int)
    print(__package__, __spec__.name, parser.parse_args().epochs)
    torch.manual_seed(0)
    Trainer(Net(4)).fit(batches())
""",
    "__init__.py": "",
    "data.py": """\
import torch

def batches():
    for _ in range(2):
        yield torch.randn(3, 4)
""",
    "engine.py": """\
import torch

class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self, loader):
        for x in loader:
            self.optimizer.zero_grad()
            loss = self.model(x).pow(2).mean()
            loss.backward()
            self.optimizer.step()
""",
    "models/net.py": """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one = nn.Linear(width, 8)
        self.two = nn.Linear(8, 1)

    def forward(self, x):
        h = torch.sigmoid(self.one(x))
        h *= 2
        return self.two(h)
""",
}


TEST = """\
from proj.data import batches
from proj.engine import Trainer
from proj.models.net import Net

def test_nothing():
    raise AssertionError("-k leaves it out")

def test_fit():
    Trainer(Net(4)).fit(batches())
"""


def notebook(*sources: tuple[int | None, str]) -> str:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": count, "outputs": [], "source": source}
        for count, source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


IN_CELLS = notebook(
    (1, "%matplotlib inline\nimport torch\n!pip install torch\nfrom proj.data import batches"),
    (4, PACKAGE["models/net.py"]),
    (None, "%%time\nfrom proj.engine import Trainer\nTrainer(Net(4)).fit(batches())"),
)


def write_package(folder: Path) -> None:
    """Write it as `proj` below a folder."""
    for name, source in PACKAGE.items():
        path = folder / "proj" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
