"""What a page may load and run: a content security policy, said in its head.

A script runs only if it is one of the site's files, or stands in the page as it was built, which its hash tells. What
somebody brings into a page by its address, its storage or a notebook does not run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

POLICY = '<meta http-equiv="Content-Security-Policy"'
# Widgets are modules that the page holds as text (blob:), and the lab's kernel starts as one. Python for the browser
# is WebAssembly; the style of formulas and widgets is written into the page. Nothing is asked of another host.
ALLOWED = {
    "default-src": "'self'",
    "script-src": "'self' blob: 'wasm-unsafe-eval'",
    "worker-src": "'self' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
# The theme's, on any page: the search reads pages too, and what it reads is held to its own policy.
BUTTONS = ("toggleFullScreen()", "window.print()")
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_RUNS = re.compile(r"""type=["']?(?:module|text/javascript|application/javascript)\b""")
_HEAD = re.compile(r"<head>", re.IGNORECASE)


def hashes(texts: Iterable[str]) -> list[str]:
    """What a policy calls scripts by that stand in a page."""
    digests = {hashlib.sha256(text.encode()).digest() for text in texts}
    return sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def with_policy(html: str, *more: str) -> str:
    """Return the page with its policy, by which its own scripts, as they stand in it, may run; and `more` scripts."""
    scripts = [
        text
        for attributes, text in _SCRIPT.findall(html)
        if " src=" not in attributes and ("type=" not in attributes or _RUNS.search(attributes))
    ]
    own = [ALLOWED["script-src"], "'unsafe-hashes'", *hashes([*scripts, *BUTTONS]), *more]
    allowed = {**ALLOWED, "script-src": " ".join(own)}
    content = "; ".join(f"{name} {words}" for name, words in allowed.items())
    tag = f'<head>\n{POLICY} content="{content}">'
    return _HEAD.sub(lambda _: tag, html, count=1)
