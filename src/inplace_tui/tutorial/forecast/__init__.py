"""What a backward from here would do, as far as the graph can tell."""
