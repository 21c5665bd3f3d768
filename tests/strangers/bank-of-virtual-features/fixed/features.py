"""Piece features of a board game, with virtual features that share their knowledge."""
import torch

SQUARES, PIECES, KINGS = 9, 2, 3
REAL = KINGS * PIECES * SQUARES
VIRTUAL = PIECES * SQUARES


def encode(king, pieces):
    """One row of ones and zeros: the real features and their virtual partners."""
    row = torch.zeros(REAL + VIRTUAL)
    for piece, square in pieces:
        row[(king * PIECES + piece) * SQUARES + square] = 1.0
        row[REAL + piece * SQUARES + square] = 1.0
    return row
