"""Learn what PyTorch's in-place operations do to autograd, one line at a time."""

__version__ = "0.1.0"
