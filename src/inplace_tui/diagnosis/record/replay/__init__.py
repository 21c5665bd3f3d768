"""The program run once more, changed on purpose: what a gradient should have been."""
