"""Learn what PyTorch's in-place operations do to autograd, one line at a time."""

__version__ = "0.2.0"


def load_ipython_extension(shell: object) -> None:
    """Have `%load_ext inplace_tui` give a notebook the magics `%%blame` and `%%inplace`."""
    import importlib  # noqa: PLC0415  # whoever imports this package must not import torch's side

    importlib.import_module("inplace_tui.blame.notebook").register(shell)
