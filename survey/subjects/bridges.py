"""Memory shared with what is no tensor: numpy, DLPack, buffers of Python."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

import torch

from survey.cases import Row
from survey.experiment import first_line
from survey.sharing import shared_with
from survey.trees import same_snapshot, snapshot

# name, lines that bind `tensor` and `other`, a line that writes `other`
Bridge = tuple[str, list[str], str]
TENSOR = "tensor = torch.tensor([1.0, 2.0, 3.0])"
ARRAY = "other = numpy.array([1.0, 2.0, 3.0])"
BRIDGES: list[Bridge] = [
    ("Tensor.numpy", [TENSOR, "other = tensor.numpy()"], "other[0] = 5"),
    ("Tensor.numpy (+=)", [TENSOR, "other = tensor.numpy()"], "other += 1"),
    ("Tensor.__array__", [TENSOR, "other = tensor.__array__()"], "other[0] = 5"),
    ("numpy.asarray", [TENSOR, "other = numpy.asarray(tensor)"], "other[0] = 5"),
    ("numpy.array", [TENSOR, "other = numpy.array(tensor)"], "other[0] = 5"),
    ("numpy ufunc (out=)", [TENSOR, "other = tensor.numpy()"], "numpy.add(other, 1, out=other)"),
    ("Tensor.__array__ (detach)", [TENSOR, "other = tensor.detach().numpy()"], "other[0] = 5"),
    ("Tensor.numpy(force=True)", [TENSOR, "other = tensor.numpy(force=True)"], "other[0] = 5"),
    ("torch.from_numpy", [ARRAY, "tensor = torch.from_numpy(other)"], "other[0] = 5"),
    ("torch.as_tensor (array)", [ARRAY, "tensor = torch.as_tensor(other)"], "other[0] = 5"),
    ("torch.asarray (array)", [ARRAY, "tensor = torch.asarray(other)"], "other[0] = 5"),
    ("torch.asarray (copy=True)", [ARRAY, "tensor = torch.asarray(other, copy=True)"], "other[0] = 5"),
    ("torch.tensor (array)", [ARRAY, "tensor = torch.tensor(other)"], "other[0] = 5"),
    ("torch.Tensor (array)", [ARRAY, "tensor = torch.Tensor(other)"], "other[0] = 5"),
    ("torch.from_dlpack (array)", [ARRAY, "tensor = torch.from_dlpack(other)"], "other[0] = 5"),
    ("torch.from_dlpack", [TENSOR, "other = torch.from_dlpack(tensor)"], "other.add_(1)"),
    ("torch.utils.dlpack.to_dlpack",
     [TENSOR, "other = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(tensor))"], "other.add_(1)"),
    ("numpy.from_dlpack", [TENSOR, "other = numpy.from_dlpack(tensor)"], "other[0] = 5"),
    ("torch.frombuffer",
     ["other = array.array('f', [1.0, 2.0, 3.0])", "tensor = torch.frombuffer(other, dtype=torch.float32)"],
     "other[0] = 5"),
    ("torch.as_tensor", [TENSOR, "other = torch.as_tensor(tensor)"], "other.add_(1)"),
    ("torch.asarray", [TENSOR, "other = torch.asarray(tensor)"], "other.add_(1)"),
    ("torch.tensor", [TENSOR, "other = torch.tensor(tensor)"], "other.add_(1)"),
    ("Tensor.tolist", [TENSOR, "other = tensor.tolist()"], "other[0] = 5"),
    ("Tensor.detach", [TENSOR, "other = tensor.detach()"], "other.add_(1)"),
    ("Tensor.data (shared)", [TENSOR, "other = tensor.data"], "other.add_(1)"),
    ("Tensor.untyped_storage", [TENSOR, "other = tensor.untyped_storage()"], "other[3] = 65"),
    ("Tensor.view_as", [TENSOR, "other = tensor.view_as(tensor)"], "other.add_(1)"),
    ("Tensor.cpu", [TENSOR, "other = tensor.cpu()"], "other.add_(1)"),
    ("Tensor.to (same dtype)", [TENSOR, "other = tensor.to(torch.float32)"], "other.add_(1)"),
    ("Tensor.contiguous (contiguous)", [TENSOR, "other = tensor.contiguous()"], "other.add_(1)"),
    ("copy.copy", [TENSOR, "other = copy.copy(tensor)"], "other.add_(1)"),
    ("copy.deepcopy", [TENSOR, "other = copy.deepcopy(tensor)"], "other.add_(1)"),
    ("pickle", [TENSOR, "other = pickle.loads(pickle.dumps(tensor))"], "other.add_(1)"),
    ("torch.nn.Parameter",
     [TENSOR, "other = torch.nn.Parameter(tensor)"], "with torch.no_grad(): other.add_(1)"),
    ("torch.nn.Module.state_dict",
     ["layer = torch.nn.Linear(2, 2)", "tensor = layer.weight", "other = layer.state_dict()['weight']"],
     "other.add_(1)"),
    ("torch.nn.Module.load_state_dict",
     ["layer = torch.nn.Linear(2, 2)", "tensor = layer.weight",
      "other = {k: torch.ones_like(v) for k, v in layer.state_dict().items()}"],
     "layer.load_state_dict(other)"),
    ("torch.nn.Module.load_state_dict (assign=True)",
     ["layer = torch.nn.Linear(2, 2)", "tensor = layer.weight",
      "other = {k: torch.ones_like(v) for k, v in layer.state_dict().items()}"],
     "layer.load_state_dict(other, assign=True)"),
    ("torch.nn.Module.to (dtype)",
     ["layer = torch.nn.Linear(2, 2)", "tensor = layer.weight", "other = layer"], "layer.to(torch.float64)"),
    ("torch.nn.Module.zero_grad",
     ["layer = torch.nn.Linear(2, 2)", "layer(torch.ones(2)).sum().backward()", "tensor = layer.weight.grad",
      "other = layer"], "layer.zero_grad(set_to_none=False)"),
    ("Tensor.backward (second, grad)",
     ["w = torch.ones(2, requires_grad=True)", "(w * w).sum().backward()", "tensor = w.grad", "other = w"],
     "(w * w).sum().backward()"),
    ("Tensor.backward (second, create_graph=True)",
     ["w = torch.ones(2, requires_grad=True)", "(w * w).sum().backward(create_graph=True)", "tensor = w.grad",
      "other = w"], "(w * w).sum().backward(create_graph=True)"),
    ("torch.multiprocessing shared memory",
     [TENSOR, "tensor.share_memory_()", "other = torch.empty(0).set_(tensor.untyped_storage(), 0, (3,))"],
     "other.add_(1)"),
]  # fmt: skip


def tasks() -> dict[str, Callable[[], list[Row]]]:
    return {f"bridge {each[0]}": partial(_rows, *each) for each in BRIDGES}


def _rows(name: str, setup: list[str], write: str) -> list[Row]:
    row: Row = {
        "name": name,
        "form": "bridge",
        "of": name.split(" ", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1].strip("_"),
    }
    try:
        row["cases"] = [_looked_at(setup, write)]
    except Exception as error:
        row["untried"] = first_line(error)
    return [row]


def _looked_at(setup: list[str], write: str) -> Row:
    names: dict[str, Any] = {"torch": torch}
    for module in ("array", "copy", "pickle", "numpy"):
        try:
            names[module] = __import__(module)
        except ImportError:  # numpy alone may be missing
            continue
    for line in setup:
        exec(line, names)
    tensor, other = names["tensor"], names["other"]
    result = ["no tensor"]
    if isinstance(other, torch.Tensor):
        result = [shared_with(other, {"tensor": tensor}) or "new"]
    before, version = snapshot(tensor), tensor._version
    exec(write, names)
    moved, changed = tensor._version - version, not same_snapshot(before, snapshot(tensor))
    case: Row = {"call": write, "setup": setup, "node": None, "result": result}
    if moved or changed:
        case["writes"] = {"tensor": [moved, changed]}
    return case
