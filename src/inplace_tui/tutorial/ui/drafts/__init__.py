"""What a learner writes, as text in files: kept, found again, never lost."""
