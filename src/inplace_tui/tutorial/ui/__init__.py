"""The screens, in Textual."""
