"""What asks: a session, the drill, checkpoints and reviews, challenges."""
