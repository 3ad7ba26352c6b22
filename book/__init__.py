"""The small tools that make the book: ``python -m book --help``."""
