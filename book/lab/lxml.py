"""What yourdfpy asks of lxml when it reads a URDF, from the standard library: lxml itself is compiled C.

`load_urdf` hands yourdfpy a bare skeleton of elements, without comments or namespaces. For the lab alone.
"""

import sys
from xml.etree.ElementTree import XMLParser as _StandardParser
from xml.etree.ElementTree import parse  # noqa: F401

Comment = "comment"
etree = sys.modules["lxml.etree"] = sys.modules[__name__]


def XMLParser(remove_blank_text=False):
    """Blank text is kept: who reads attributes alone never sees it."""
    return _StandardParser()


def strip_tags(tree, *tags):
    """The standard parser has left comments out already."""


def cleanup_namespaces(tree):
    """There are none."""
