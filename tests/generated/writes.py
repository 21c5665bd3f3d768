"""Ways to write to a tensor, and ways not to. `{t}` is the tensor; `# write` marks the line."""

from __future__ import annotations

from collections.abc import Mapping

ANY = "any"
"""For real and complex tensors of any shape."""

REAL = "real"
ROWS = "rows"
"""For tensors that have a first dimension."""

REAL_ROWS = "real rows"
DISCRETE = "discrete"
"""For indices and masks, which stay in their range."""

_NO_GRAD = "with torch.no_grad():\n    "

HOWS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "method": {
        ANY: (
            "{t}.add_(1)", "{t}.mul_(2)", "{t}.zero_()", "{t}.exp_()", "{t}.fill_(0.5)",
            "{t}.sub_(0.5)", "{t}.div_(2)", "{t}.neg_()", "{t}.sin_()", "{t}.cos_()",
            "{t}.tanh_()", "{t}.sigmoid_()", "{t}.pow_(2)", "{t}.square_()",
            "{t}.reciprocal_()", "{t}.copy_({t} * 2)", "{t}.addcmul_({t}, {t})",
            "torch.exp_({t})",
        ),
        REAL: (
            "{t}.abs_()", "{t}.relu_()", "{t}.clamp_(max=0.2)", "{t}.normal_()",
            "{t}.uniform_()", "{t}.masked_fill_({t} > 0, 0.1)", "{t}.lerp_({t} * 2, 0.3)",
            "F.relu_({t})", "F.elu_({t})", "F.leaky_relu_({t})", "torch.sigmoid_({t})",
            "F.dropout({t}, 0.5, inplace=True)", "torch.nn.ReLU(inplace=True)({t})",
            "F.hardtanh({t}, -0.1, 0.1, inplace=True)", "torch.nn.init.ones_({t})",
            "{t}.erf_()", "{t}.atan_()", "{t}.expm1_()", "{t}.floor_()", "{t}.cumsum_(-1)",
        ),
        ROWS: ("{t}.index_fill_(0, torch.tensor([0]), 0.5)",),
        DISCRETE: ("{t}.fill_(True)", "{t}.bitwise_xor_(True)", "{t}.zero_()"),
    },
    "augmented": {
        ANY: ("{t} += 1", "{t} *= 2", "{t} -= 0.5", "{t} /= 2", "{t} **= 2", "{t} += {t}"),
        REAL: ("{t} %= 0.3",),
        DISCRETE: ("{t} ^= True", "{t} &= False", "{t} |= True"),
    },
    "item": {
        ANY: ("{t}[...] = 0.5", "{t}[...] *= 2"),
        ROWS: (
            "{t}[0] = 0.5", "{t}[-1:] = 2.0", "{t}[:] = 3.0", "{t}[0] += 1", "{t}[[0]] = 0.1",
            "{t}[0] = torch.full_like({t}[0], 0.5)", "{t}[torch.tensor([0])] = 0.5",
        ),
        REAL_ROWS: ("{t}[{t} > 0] = 0.1", "{t}[{t} < 0.5] *= 3"),
        DISCRETE: ("{t}[...] = True", "{t}[0] = True", "{t}[:, 1] ^= True"),
    },
    "data": {
        ANY: (
            "{t}.data.mul_(2)", "{t}.data.add_(1)", "{t}.data = {t}.data * 2",
            "{t}.data.zero_()", "{t}.data *= 2", "{t}.data[...] = 0.5",
            "{t}.data.copy_({t}.data + 1)", "d = {t}.data\nd.mul_(3)  # write",
        ),
        ROWS: ("{t}.data[0] = 0.5", "{t}.data[-1:].mul_(3)"),
        DISCRETE: ("{t}.data.fill_(True)", "{t}.data[0] = True", "{t}.data ^= True"),
    },
    "detach": {
        ANY: (
            "{t}.detach().mul_(2)", "{t}.detach().zero_()", "{t}.detach()[...] = 0.5",
            "d = {t}.detach()\nd += 1  # write", "d = {t}.detach()\nd.exp_()  # write",
        ),
        ROWS: ("{t}.detach()[0] = 0.5", "{t}[0].detach().mul_(3)"),
        DISCRETE: ("{t}.detach().fill_(True)", "d = {t}.detach()\nd ^= True  # write"),
    },
    "no_grad": {
        ANY: tuple(
            f"{_NO_GRAD}{write}  # write"
            for write in ("{t}.mul_(2)", "{t} += 1", "{t}[...] = 0.5", "{t}.copy_({t} * 3)")
        ),
        ROWS: (f"{_NO_GRAD}{{t}}[0] = 0.5  # write", f"{_NO_GRAD}{{t}}[0].mul_(2)  # write"),
        DISCRETE: (f"{_NO_GRAD}{{t}}.fill_(True)  # write", f"{_NO_GRAD}{{t}} ^= True  # write"),
    },
    "view": {
        ANY: (
            "{t}.unsqueeze(0).add_(1)", "{t}.view_as({t}).mul_(2)",
            "v = {t}[None]\nv *= 2  # write", "v = {t}.unsqueeze(-1)\nv[0] = 0.5  # write",
            "v = {t}[...]\nv.sin_()  # write",
        ),
        ROWS: (
            "{t}[0].mul_(2)", "{t}[:1].zero_()", "{t}.narrow(0, 0, 1).mul_(3)",
            "{t}.select(0, 0).add_(1)", "v = {t}[-1:]\nv.exp_()  # write",
            "v = {t}[0]\nw = v[None]\nw.mul_(2)  # write", "{t}.movedim(0, -1).mul_(2)",
            "v = {t}.unbind(0)[0]\nv.mul_(2)  # write", "v = {t}.split(1)[0]\nv += 1  # write",
        ),
        DISCRETE: ("{t}[0].fill_(True)", "v = {t}[:1]\nv ^= True  # write"),
    },
    "numpy": {
        ANY: (
            "n = {t}.detach().numpy()\nn *= 2  # write",
            "n = {t}.detach().numpy()\nn[...] = 0.5  # write",
            "n = {t}.detach().numpy()\nnp.add(n, 1, out=n)  # write",
            "{t}.detach().numpy()[...] = 0.5",
            "n = {t}.detach().numpy()\nn += 1  # write",
        ),
        ROWS: (
            "n = {t}.detach().numpy()\nn[0] = 0.5  # write",
            "n = {t}.detach().numpy()[:1]\nn *= 3  # write",
        ),
        DISCRETE: (
            "n = {t}.numpy()\nn[...] = True  # write", "n = {t}.numpy()\nn ^= True  # write",
        ),
    },
    "nothing": {
        ANY: (
            "{t}.mul(2)", "{t} + 1", "{t}.clone().add_(1)", "{t}.detach().clone().mul_(2)",
            "{t}.detach().numpy().copy()", "c = {t}.clone()\nc[...] = 0.5  # write",
            "{t}.detach().numpy() * 2", "{t}.data.mul(2)", "{t}[...]",
        ),
        DISCRETE: ("{t}.clone().fill_(True)", "{t} ^ True", "{t}.numpy().copy()"),
    },
}  # fmt: skip
"""By the way that is taken, then by what can be written so."""


def spellings(how: str, *, kind: str, is_scalar: bool) -> list[str]:
    """Return the writes of one way that a tensor allows.

    Args:
        how: a key of `HOWS`.
        kind: `real`, `complex` or `discrete`.
        is_scalar: it has no dimension.
    """
    ways = HOWS[how]
    if kind == "discrete":
        return list(ways[DISCRETE])
    found = list(ways[ANY])
    if kind == "real":
        found += ways.get(REAL, ())
    if not is_scalar:
        found += ways.get(ROWS, ())
        if kind == "real":
            found += ways.get(REAL_ROWS, ())
    return found
