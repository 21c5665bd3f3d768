from functools import cached_property

import torch


class KroneckerLikeTensor:
    def __init__(self, matrix):
        self.matrix = matrix

    def _symeig(self):
        evals, evecs = torch.linalg.eigh(self.matrix)
        return evals.clamp_min_(0.0), evecs

    @cached_property
    def symeig(self):
        return self._symeig()

    def inv_quad_logdet(self, rhs, noise):
        evals, evecs = self.symeig
        shifted = evals + noise
        rotated = evecs.mT @ rhs
        return (rotated.square() / shifted).sum(), shifted.log().sum()
