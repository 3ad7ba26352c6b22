"""The humanoid beside chapter 10 is the one that the oracles keep."""

from oracles import make_talos


def test_the_chapters_humanoid_is_the_oracles():
    assert make_talos.FILE.read_text(encoding="utf-8") == make_talos.text()
