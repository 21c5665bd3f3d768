"""The shared language: frozen data that every process and every screen agrees on."""
