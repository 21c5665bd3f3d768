"""What a view looks like, as rows of styled text. Serves the panels and the pages alike."""
