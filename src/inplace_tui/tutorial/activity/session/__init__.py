"""One learner in front of one program: signals in, instructions and a view out."""
