"""What an editor knows of a program that is being written, broken as it may be."""
