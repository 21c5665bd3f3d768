"""What opens in front of a screen and gives an answer back."""
