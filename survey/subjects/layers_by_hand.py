"""Layers of torch.nn that torch's own list leaves out: how to make one, and what to call it with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

# the name, arguments of its maker, shapes of what it is called with
Entry = tuple[str, tuple[Any, ...], tuple[tuple[int, ...], ...]]
IMAGE = (1, 4, 3, 3)
ENTRIES: list[Entry] = [
    ("AlphaDropout", (0.5,), ((2, 3),)),
    ("Dropout", (0.5,), ((2, 3),)),
    ("Dropout1d", (0.5,), ((2, 3, 2),)),
    ("Dropout2d", (0.5,), (IMAGE,)),
    ("Dropout3d", (0.5,), ((1, 2, 2, 2, 2),)),
    ("FeatureAlphaDropout", (0.5,), (IMAGE,)),
    ("Hardsigmoid", (), ((2, 3),)),
    ("RReLU", (), ((2, 3),)),
    ("Identity", (), ((2, 3),)),
    ("Flatten", (), (IMAGE,)),
    ("Unflatten", (1, (2, 2)), ((3, 4),)),
    ("ChannelShuffle", (2,), (IMAGE,)),
    ("PixelShuffle", (2,), (IMAGE,)),
    ("PixelUnshuffle", (2,), ((1, 1, 4, 4),)),
    ("Upsample", (None, 2), (IMAGE,)),
    ("UpsamplingNearest2d", (None, 2), (IMAGE,)),
    ("UpsamplingBilinear2d", (None, 2), (IMAGE,)),
    ("Fold", ((3, 3), 2), ((1, 4, 4),)),
    ("Unfold", (2,), (IMAGE,)),
    ("CosineSimilarity", (), ((2, 3), (2, 3))),
    ("PairwiseDistance", (), ((2, 3), (2, 3))),
    ("TripletMarginLoss", (), ((2, 3), (2, 3), (2, 3))),
    ("TripletMarginWithDistanceLoss", (), ((2, 3), (2, 3), (2, 3))),
    ("CrossMapLRN2d", (2,), (IMAGE,)),
    ("LazyLinear", (2,), ((2, 3),)),
    ("LazyBatchNorm1d", (), ((4, 3),)),
    ("LazyBatchNorm2d", (), (IMAGE,)),
    ("LazyBatchNorm3d", (), ((1, 2, 2, 2, 2),)),
    ("LazyInstanceNorm1d", (), ((2, 3, 4),)),
    ("LazyInstanceNorm2d", (), (IMAGE,)),
    ("LazyInstanceNorm3d", (), ((1, 2, 2, 2, 2),)),
]


def listed(known: set[str]) -> list[Any]:
    """Entries in the form of torch's own list, without those that it has."""
    return [
        SimpleNamespace(
            name=f"nn.{name}",
            module_cls=getattr(torch.nn, name),
            module_inputs_func=_Inputs(made_with, shapes),
        )
        for name, made_with, shapes in ENTRIES
        if name not in known and hasattr(torch.nn, name)
    ]


class _Inputs:
    """What torch's list calls a function of inputs."""

    def __init__(self, made_with: tuple[Any, ...], shapes: tuple[tuple[int, ...], ...]) -> None:
        self._made_with = made_with
        self._shapes = shapes

    def __call__(self, _listed: Any, _device: str, dtype: torch.dtype, **_more: bool) -> list[Any]:
        tensors = tuple(torch.randn(shape, dtype=dtype) for shape in self._shapes)
        return [
            SimpleNamespace(
                constructor_input=SimpleNamespace(args=self._made_with, kwargs={}),
                forward_input=SimpleNamespace(args=tensors, kwargs={}),
            )
        ]
