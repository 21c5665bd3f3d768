"""The place to write and run programs: the editor, its files, live runs, challenges."""
