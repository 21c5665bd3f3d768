"""The pipe between the screen's process and the worker's: messages and frames."""
