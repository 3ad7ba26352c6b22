"""Dynamics of chains of rigid bodies: the package that the book of the same name derives."""

from chaindyn.articulated import (
    Articulated,
    aba,
    apparent_inertia,
    articulated_inertia,
    decompose_force,
)
from chaindyn.chain import Chain, Link, forward_kinematics, inward, outward, random_state
from chaindyn.impulse import (
    Impact,
    impact,
    inverse_operational_inertia,
    inverse_operational_inertia_serial,
)
from chaindyn.inertia import (
    apparent_inverse_inertia,
    inertia_from_parameters,
    inertia_parameters,
    inertia_rate,
    newton_euler,
    pseudo_inertia,
    weight_wrench,
)
from chaindyn.joints import Fixed, Prismatic, Revolute, rotation_about
from chaindyn.kinematics import (
    body_accelerations,
    body_jacobian,
    body_twists,
    classical_acceleration,
    jacobian_dot_qd,
    point_velocity,
)
from chaindyn.spatial import (
    X_force,
    X_inverse,
    X_motion,
    crf,
    crm,
    screw,
    screw_axis,
    skew,
    spatial_inertia,
    swap_order,
    swap_order_matrix,
    wrench,
)
from chaindyn.urdf import load_urdf

__version__ = "0.1.0"

__all__ = [
    "Articulated",
    "Chain",
    "Fixed",
    "Impact",
    "Link",
    "Prismatic",
    "Revolute",
    "X_force",
    "X_inverse",
    "X_motion",
    "aba",
    "apparent_inertia",
    "apparent_inverse_inertia",
    "articulated_inertia",
    "body_accelerations",
    "body_jacobian",
    "body_twists",
    "classical_acceleration",
    "crf",
    "crm",
    "decompose_force",
    "forward_kinematics",
    "impact",
    "inertia_from_parameters",
    "inertia_parameters",
    "inertia_rate",
    "inverse_operational_inertia",
    "inverse_operational_inertia_serial",
    "inward",
    "jacobian_dot_qd",
    "load_urdf",
    "newton_euler",
    "outward",
    "point_velocity",
    "pseudo_inertia",
    "random_state",
    "rotation_about",
    "screw",
    "screw_axis",
    "skew",
    "spatial_inertia",
    "swap_order",
    "swap_order_matrix",
    "weight_wrench",
    "wrench",
]
