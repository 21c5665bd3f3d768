"""By which names the program reaches its tensors, and what the names mean."""
