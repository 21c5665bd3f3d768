"""What every command line of ours is made of: options, what is read, what is printed."""
