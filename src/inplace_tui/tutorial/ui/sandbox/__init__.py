"""The place to write and run programs: the editor, its files, challenges."""
