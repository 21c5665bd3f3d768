"""What every op of torch does: kept for backward, counted, aliased. `make ops` found it out."""
