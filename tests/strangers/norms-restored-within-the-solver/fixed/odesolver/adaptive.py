import torch


def odesolve(func, y0, options):
    """Heun's method; trials of a step's size, without a graph, shall not count for the norms."""
    t, t1, h = options["t0"], options["t1"], options["h"]

    def step(t, y, h):
        k1 = func(t, y)
        k2 = func(t + h, y + h * k1)
        return y + 0.5 * h * (k1 + k2), 0.5 * h * (k2 - k1).abs().max().item()

    y = y0
    while t < t1 - 1e-9:
        with torch.no_grad():
            while step(t, y, min(h, t1 - t))[1] > options["rtol"] and h > 0.1:
                h /= 2
        y = step(t, y, min(h, t1 - t))[0]
        t += min(h, t1 - t)
    return y
