"""What the command line does without a screen: one module for a command, and how they speak."""
