"""What both houses stand on: texts, files, terminal, and the frozen data of a run."""
