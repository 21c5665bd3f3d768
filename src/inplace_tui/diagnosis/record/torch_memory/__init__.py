"""What is read from torch's memory: the only place that knows a private layout.

Each reading has its reason at the field of `Layout` that it is done with. The offsets are
looked for when a process starts, on the build that runs; where they are not found, nothing
is recorded, and that is said.
"""
