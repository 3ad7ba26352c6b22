"""The small tools that make the book: ``python -m book --help``."""

import sys

# jsonschema, which checks notebooks, makes a parser of addresses when it is imported: a second in every process that
# reads a notebook, for a format that no notebook's schema asks for. Without the module it goes on without that format.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
