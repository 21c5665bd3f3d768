"""One run, line by line: what each line made, wrote and left behind."""
