"""The search leads to the section that answers, for what students type."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from book.browser import open_page

pytestmark = pytest.mark.browser

WRONG = 2  # of the questions below, at most
# What readers type, and the page (or the section) that answers it best; of several any.
ANSWERS: dict[str, str | tuple[str, ...]] = {
    "articulated inertia": "chapters/09_articulated_body_inertia#two-bodies-and-then-all-of-them",
    "gimbal lock": "chapters/02_rigid_motions_as_a_lie_group#three-numbers-are-not-enough",
    "coriolis": "chapters/08_the_mass_matrix_by_composite_inertia#the-coriolis-matrix-by-the-same-sweep",
    "plucker": "chapters/01_plucker_coordinates",
    "LCP": "chapters/20_contact#either-a-gap-or-a-force",
    "friction cone": "chapters/20_contact#friction",
    "quaternion derivative": "chapters/02_rigid_motions_as_a_lie_group#quaternions",
    "how to load urdf": (
        "book/api/robots#chaindyn.load_urdf",
        "chapters/36_a_joint_of_your_own#robots-from-files",
    ),
    "baumgarte": "chapters/13_maximal_coordinates#baumgarte-s-spring",
    "the Jacobian": "chapters/05_velocity_acceleration_jacobians#the-jacobian",
    "forward kinematics": "chapters/04_joints_links_chains_trees",
    "mass matrix": "chapters/08_the_mass_matrix_by_composite_inertia",
    "computed torque": "chapters/12_control#computed-torque",
    "restitution": "chapters/17_impulse_response_of_a_chain#the-law-of-contact",
    "Lagrange multipliers": "chapters/13_maximal_coordinates",
    "spatial acceleration": "chapters/05_velocity_acceleration_jacobians",
    "centre of mass": "chapters/08_the_mass_matrix_by_composite_inertia#where-the-mass-is",
    "crba": "chapters/08_the_mass_matrix_by_composite_inertia",
    "aba": "chapters/09_articulated_body_inertia",
    "rnea": "chapters/06_inverse_dynamics",
    "newton euler": "chapters/06_inverse_dynamics",
    "inverse dynamics": "chapters/06_inverse_dynamics",
    "forward dynamics": "chapters/09_articulated_body_inertia#forward-dynamics",
    "singular": (
        "chapters/14_loops_and_redundancy#through-a-singular-posture",
        "chapters/09_articulated_body_inertia#a-posture-without-a-solution",
    ),
    "spatial inertia": "chapters/03_inertia_momentum_equation_of_motion",
    "parallel axis": "chapters/03_inertia_momentum_equation_of_motion#a-body-is-a-cloud-of-particles",
    "featherstone": ("book/conventions", "chapters/09_articulated_body_inertia"),
    "rodrigues formula": "chapters/04_joints_links_chains_trees#rodrigues-formula",
    "exponential map": "chapters/02_rigid_motions_as_a_lie_group#turning-at-a-constant-rate-the-exponential",
    "denavit hartenberg": "chapters/04_joints_links_chains_trees",
    "four bar linkage": "chapters/14_loops_and_redundancy",
    "closed loop": "chapters/14_loops_and_redundancy",
    "effective mass": "chapters/17_impulse_response_of_a_chain",
    "collision": (
        "chapters/17_impulse_response_of_a_chain",
        "chapters/19_where_bodies_touch",
        "chapters/20_contact",
    ),
    "sweet spot": "chapters/18_two_links_and_a_wall#where-the-bearings-feel-nothing",
    "center of percussion": "chapters/18_two_links_and_a_wall#where-the-bearings-feel-nothing",
    "lemke": "chapters/31_solving_contact#lemke-s-method",
    "gjk": "chapters/19_where_bodies_touch#any-two-bodies-one-point-against-the-origin",
    "runge kutta": "chapters/11_simulation",
    "rk4": "chapters/11_simulation",
    "symplectic": "chapters/11_simulation#the-new-velocity-first",
    "lqr": "chapters/23_derivatives#the-best-gain",
    "pd controller": "chapters/12_control#feedback",
    "base parameters": "chapters/25_identification#what-can-be-known",
    "wrench": "chapters/01_plucker_coordinates#six-numbers-for-a-force",
    "twist": "chapters/01_plucker_coordinates",
    "reciprocal screw": "chapters/01_plucker_coordinates#screws-that-do-no-work-on-each-other",
    "rotor inertia": "chapters/06_inverse_dynamics#the-motor-has-inertia-too",
    "gear ratio": "chapters/06_inverse_dynamics#the-motor-has-inertia-too",
    "gravity compensation": "chapters/06_inverse_dynamics",
    "operational space": (
        "chapters/12_control#operational-space",
        "chapters/17_impulse_response_of_a_chain",
    ),
    "rolling without slipping": "chapters/16_what_rolls#a-wheel",
    "painleve paradox": "chapters/21_rest_and_friction#painleve-s-rod",
    "zeno": "chapters/22_through_time#infinitely-many-blows",
    "floating base": "chapters/05_velocity_acceleration_jacobians#a-base-that-floats",
    "inertia of a rod": "chapters/03_inertia_momentum_equation_of_motion",
    "tennis racket theorem": "chapters/03_inertia_momentum_equation_of_motion#a-free-body-turns-over",
    "christoffel symbols": "chapters/07_the_stacked_form_and_composite_inertia#from-lagrange-christoffel-symbols",
    "why is ABA O(n)": "chapters/09_articulated_body_inertia",
    "null space": "chapters/14_loops_and_redundancy#the-null-space",
    "pinocchio": "book/conventions",
    "jax gpu": (
        "chapters/26_from_readable_to_fast",
        "chapters/27_ten_million_postures",
        "book/speed",
    ),
    "energy drift": "chapters/11_simulation",
    "double pendulum": ("chapters/09_articulated_body_inertia", "chapters/11_simulation"),
    "euler angles": "chapters/02_rigid_motions_as_a_lie_group#three-numbers-are-not-enough",
    "adjoint": "chapters/02_rigid_motions_as_a_lie_group#what-a-pose-does-to-a-twist-ad",
    "kkt": "chapters/13_maximal_coordinates",
    "degrees of freedom": ("chapters/14_loops_and_redundancy#what-is-unique", "chapters/04_joints"),
    "inverse kinematics": (
        "chapters/15_assembly",
        "chapters/05_velocity",
        "chapters/29_assembling",
    ),
    "moment of inertia": "chapters/03_inertia_momentum_equation_of_motion",
    "cross product": "chapters/01_plucker_coordinates",
}
LOOK = """async (questions) => {
    const { read, find } = await import("./_static/find.js");
    const rows = read(await (await fetch("find.json")).json());
    const place = (row) => `${row?.page}#${row?.anchor}`;
    return [rows.map(place), questions.map((question) => place(find(rows, question)[0]?.row))];
}"""


def test_the_search_leads_to_the_section_that_answers(chromium: Browser, site_url: str) -> None:
    page = open_page(chromium, 1280, "light")
    page.goto(f"{site_url}search.html")
    places, firsts = page.evaluate(LOOK, list(ANSWERS))
    page.context.close()
    wrong = {
        question: first
        for (question, right), first in zip(ANSWERS.items(), firsts, strict=True)
        if not first.startswith(right)
    }
    for right in ANSWERS.values():  # a section that was renamed or moved is no answer
        for one in (right,) if isinstance(right, str) else right:
            assert any(place.startswith(one) for place in places), one
    assert len(ANSWERS) >= 40
    assert len(wrong) <= WRONG, wrong
    assert "mass matrix" not in wrong
