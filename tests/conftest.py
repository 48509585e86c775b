"""Fixtures that several test modules use."""

from engine import lint

__all__ = ["lint"]
