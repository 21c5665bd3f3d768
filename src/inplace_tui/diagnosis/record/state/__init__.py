"""What torch holds, read where it lies: nothing in torch or in the program notices."""
