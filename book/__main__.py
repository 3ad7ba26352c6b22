"""``python -m book COMMAND``: this file and ``setup.py`` need nothing but the standard library."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (pip asks for 3.11, and has not run yet)
    sys.exit(
        "chaindyn's book needs Python 3.11 or newer; this is Python {}.{}. Where a newer one is "
        "installed, name it: python3.12 -m book ..., or make PYTHON=python3.12 ...".format(
            *sys.version_info
        )
    )

from book.setup import main

sys.exit(main(sys.argv[1:]))
