"""Models: readers of robots' files, and robots and benchmark problems ready made."""
