"""spark-lint: what in a repository will fail, run slowly or silently differ on a DGX Spark."""

__version__ = "0.1.0"
