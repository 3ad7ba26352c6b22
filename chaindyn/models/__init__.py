"""Models: shapes of bodies, readers of robots' files, and robots and benchmark problems ready made."""
