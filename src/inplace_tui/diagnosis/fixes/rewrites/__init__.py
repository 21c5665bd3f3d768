"""Ways to rewrite a program at its fault; `registry` tries them."""
