"""Questions outside of their lessons: the checkpoint of a chapter, and what comes back."""
