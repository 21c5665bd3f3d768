"""The program's code: its statements, and which expression may write what."""
