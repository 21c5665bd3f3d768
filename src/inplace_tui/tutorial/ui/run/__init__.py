"""What a page that shows a run is composed of: an object for each thing one can do with a run."""
