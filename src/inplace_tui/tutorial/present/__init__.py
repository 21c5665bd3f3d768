"""Views as rows of styled text, for panels and text pages alike."""
