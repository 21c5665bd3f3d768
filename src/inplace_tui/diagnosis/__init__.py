"""One's own program, from the run to the mended file; knows nothing of lessons and screens."""
