"""What stands first on PYTHONPATH while Python starts."""
