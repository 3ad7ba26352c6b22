"""The cover: what the PDF begins with, and what is seen where somebody links to the book."""

from __future__ import annotations

import numpy as np
import pytest
from bs4 import BeautifulSoup

from book import cover
from book.pdf import COVER
from chaindyn import Chain, forward_kinematics, simulate
from chaindyn.models.robots import UR5_FLANGE, ur5


def test_the_pdf_begins_with_what_is_drawn():
    assert COVER == cover.PICTURE
    drawn = COVER.read_text(encoding="utf-8")
    picture = BeautifulSoup(drawn[drawn.index("<svg") :], "html.parser").svg
    assert picture["viewbox"]
    assert len(COVER.read_bytes()) < 100_000
    assert not picture.select("image, script, [href^=http]")
    head = cover.WIDE.read_bytes()[:24]
    assert head[1:4] == b"PNG"
    width, height = np.frombuffer(head[16:24], ">u4")
    assert (width, height) == (1200, 630)  # what those who show it ask for


def test_the_arm_comes_to_the_wall_and_touches_it():
    """The wall's front, normal to x, holds the tip at the blow; in all earlier postures the tip is before it."""
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = plt.figure()
    ax = figure.add_subplot(projection="3d")
    cover.draw(ax)
    ghosts = [line for line in ax.lines if line.get_alpha() and line.get_alpha() < 0.5]
    plt.close(figure)
    ways = [np.array(ghost.get_data_3d()).T for ghost in ghosts if len(ghost.get_data_3d()[0]) == 8]
    assert len(ways) == len(cover.BEFORE)
    R, p = forward_kinematics(ur5(), cover.Q)
    tip = p[-1] + R[-1] @ UR5_FLANGE
    distances = [tip[0] - way[-1, 0] for way in ways]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] > 0
    forward = simulate(
        Chain(ur5().links, gravity=(0, 0, 0)), cover.Q, -cover.QD, t=[0.0, cover.BEFORE[0]]
    )
    R, p = forward_kinematics(ur5(), forward.q[-1])
    assert ways[0][-1] == pytest.approx(p[-1] + R[-1] @ UR5_FLANGE, abs=1e-6)
