"""A stopped program and its copies: each goes on with an edit in its code."""
