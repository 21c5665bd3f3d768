"""What `explain` says of a program: its culprits, their stacks, the fixes that hold."""
