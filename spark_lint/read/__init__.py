"""Readers: one module for each kind of file, and what several of them share."""
