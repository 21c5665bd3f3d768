"""A witness: names who saved a tensor and who changed it, in one run, in any environment.

The standard library and torch are all that this package needs: Python 3.9 and torch 1.13,
or later ones. torch is not imported before it watches.
"""

from inplace_tui.blame.witness import Witness, watch

__all__ = ["Witness", "watch"]
