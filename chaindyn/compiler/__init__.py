"""The compiler: laws recorded once, and written as machine code or JavaScript."""
