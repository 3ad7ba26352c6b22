"""Dynamics of chains of rigid bodies: the package that the book of the same name derives."""

from chaindyn.articulated import (
    FactorisedChain,
    aba,
    apparent_inertia,
    articulated_inertia,
    decompose_force,
    factorise,
)
from chaindyn.assembly import assemble
from chaindyn.bearings import joint_friction
from chaindyn.chain import Chain, Link, forward_kinematics, inward, outward
from chaindyn.closure import Closure, constraint_bias, constraint_error, constraint_jacobian
from chaindyn.compiler.compilation import compiled
from chaindyn.compiler.rollouts import rollout
from chaindyn.complementarity import solve_lcp
from chaindyn.composite import (
    center_of_mass,
    center_of_mass_jacobian,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
    coriolis_matrix,
    crba,
)
from chaindyn.constraints import Held, constrained_forward_dynamics, solve_kkt
from chaindyn.contact import collision_impulses
from chaindyn.contract import Joint
from chaindyn.control import commanded_acceleration, computed_torque, tracking_error
from chaindyn.conventions import Convention, convention
from chaindyn.derivatives import rnea_derivatives
from chaindyn.forward_derivatives import aba_derivatives
from chaindyn.guards.complementarity import LCP
from chaindyn.hybrid import hybrid_dynamics, hybrid_dynamics_dense
from chaindyn.identification import (
    BaseParameters,
    LinearFit,
    base_parameters,
    fit_linear,
    inertial_parameters,
    torque_regressor,
    with_parameters,
)
from chaindyn.impulse import (
    Impact,
    dynamically_consistent_inverse,
    impact,
    inverse_operational_space_inertia,
    operational_space_inertia,
)
from chaindyn.inertia import (
    apparent_inverse_inertia,
    inertia_from_parameters,
    inertia_parameters,
    inertia_rate,
    newton_euler,
    pseudo_inertia,
    spatial_inertia,
    weight_wrench,
)
from chaindyn.inverse_dynamics import bias_force, joint_wrenches, rnea, solve_full_system
from chaindyn.jobs.contact_records import Collision, ContactLog, ContactMotion
from chaindyn.jobs.searching import Reached
from chaindyn.joints import Prismatic, Revolute, Spherical, rotation_about
from chaindyn.kinematics import (
    body_accelerations,
    body_jacobian,
    body_twists,
    classical_acceleration,
    jacobian_dot_qd,
    point_velocity,
)
from chaindyn.lie import (
    Ad,
    ad,
    exp_quaternion,
    exp_se3,
    exp_so3,
    left_jacobian_so3,
    log_quaternion,
    log_se3,
    log_so3,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
)
from chaindyn.linear_models import linearise
from chaindyn.maximal import MaximalDynamics, maximal_coordinate_dynamics
from chaindyn.models.between_bodies import constraint_wrenches
from chaindyn.models.files import load_model
from chaindyn.models.free_links import to_maximal, to_maximal_state
from chaindyn.models.mjcf import load_mjcf
from chaindyn.models.model import Model
from chaindyn.models.parts import Drive, Frame, Limits, Target
from chaindyn.models.scenes import Separation, distance, find_contacts, overlapping_pairs
from chaindyn.models.shapes import Box, Capsule, Contact, ConvexHull, Geometry, HalfSpace, Sphere
from chaindyn.models.urdf import load_collision, load_couplings, load_urdf
from chaindyn.models.written import from_json, to_json, to_urdf
from chaindyn.operational import operational_space_torque
from chaindyn.other_constraints import Coupling, Distance, Rolling
from chaindyn.other_joints import Cylindrical, Fixed, Free, Helical, Planar, Universal
from chaindyn.pictures import Surface, animate, draw_shapes, load_visual
from chaindyn.possible_bodies import fit_bodies
from chaindyn.postures import coordinate_rate, difference, integrate, random_state, within_limits
from chaindyn.reaching import inverse_kinematics, pose_error
from chaindyn.redundancy import constrained_hybrid_dynamics, constrained_inverse_dynamics
from chaindyn.rest import resting_contact
from chaindyn.sensitivity import (
    ImpactDerivatives,
    body_jacobian_derivative,
    constrained_forward_dynamics_derivatives,
    impact_derivatives,
    saltation_matrix,
)
from chaindyn.serial_impulse import inverse_operational_space_inertia_serial
from chaindyn.simulation import (
    Driven,
    Simulation,
    kinetic_energy,
    momentum,
    potential_energy,
    simulate,
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
    swap_order,
    swap_order_matrix,
    wrench,
)
from chaindyn.stacked import tree_matrix
from chaindyn.stepping import simulate_contact
from chaindyn.sweeps import sweep

__version__ = "0.1.0"

__all__ = [
    "LCP",
    "Ad",
    "BaseParameters",
    "Box",
    "Capsule",
    "Chain",
    "Closure",
    "Collision",
    "Contact",
    "ContactLog",
    "ContactMotion",
    "Convention",
    "ConvexHull",
    "Coupling",
    "Cylindrical",
    "Distance",
    "Drive",
    "Driven",
    "FactorisedChain",
    "Fixed",
    "Frame",
    "Free",
    "Geometry",
    "HalfSpace",
    "Held",
    "Helical",
    "Impact",
    "ImpactDerivatives",
    "Joint",
    "Limits",
    "LinearFit",
    "Link",
    "MaximalDynamics",
    "Model",
    "Planar",
    "Prismatic",
    "Reached",
    "Revolute",
    "Rolling",
    "Separation",
    "Simulation",
    "Sphere",
    "Spherical",
    "Surface",
    "Target",
    "Universal",
    "X_force",
    "X_inverse",
    "X_motion",
    "aba",
    "aba_derivatives",
    "ad",
    "animate",
    "apparent_inertia",
    "apparent_inverse_inertia",
    "articulated_inertia",
    "assemble",
    "base_parameters",
    "bias_force",
    "body_accelerations",
    "body_jacobian",
    "body_jacobian_derivative",
    "body_twists",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_momentum_bias",
    "centroidal_momentum_matrix",
    "classical_acceleration",
    "collision_impulses",
    "commanded_acceleration",
    "compiled",
    "computed_torque",
    "constrained_forward_dynamics",
    "constrained_forward_dynamics_derivatives",
    "constrained_hybrid_dynamics",
    "constrained_inverse_dynamics",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "constraint_wrenches",
    "convention",
    "coordinate_rate",
    "coriolis_matrix",
    "crba",
    "crf",
    "crm",
    "decompose_force",
    "difference",
    "distance",
    "draw_shapes",
    "dynamically_consistent_inverse",
    "exp_quaternion",
    "exp_se3",
    "exp_so3",
    "factorise",
    "find_contacts",
    "fit_bodies",
    "fit_linear",
    "forward_kinematics",
    "from_json",
    "hybrid_dynamics",
    "hybrid_dynamics_dense",
    "impact",
    "impact_derivatives",
    "inertia_from_parameters",
    "inertia_parameters",
    "inertia_rate",
    "inertial_parameters",
    "integrate",
    "inverse_kinematics",
    "inverse_operational_space_inertia",
    "inverse_operational_space_inertia_serial",
    "inward",
    "jacobian_dot_qd",
    "joint_friction",
    "joint_wrenches",
    "kinetic_energy",
    "left_jacobian_so3",
    "linearise",
    "load_collision",
    "load_couplings",
    "load_mjcf",
    "load_model",
    "load_urdf",
    "load_visual",
    "log_quaternion",
    "log_se3",
    "log_so3",
    "maximal_coordinate_dynamics",
    "momentum",
    "newton_euler",
    "operational_space_inertia",
    "operational_space_torque",
    "outward",
    "overlapping_pairs",
    "point_velocity",
    "pose_error",
    "potential_energy",
    "pseudo_inertia",
    "quaternion_from_rotation",
    "quaternion_product",
    "random_state",
    "resting_contact",
    "rnea",
    "rnea_derivatives",
    "rollout",
    "rotation_about",
    "rotation_from_quaternion",
    "saltation_matrix",
    "screw",
    "screw_axis",
    "simulate",
    "simulate_contact",
    "skew",
    "solve_full_system",
    "solve_kkt",
    "solve_lcp",
    "spatial_inertia",
    "swap_order",
    "swap_order_matrix",
    "sweep",
    "to_json",
    "to_maximal",
    "to_maximal_state",
    "to_urdf",
    "torque_regressor",
    "tracking_error",
    "tree_matrix",
    "weight_wrench",
    "with_parameters",
    "within_limits",
    "wrench",
]


def __dir__() -> list[str]:
    """Return the public names, and not the modules that they come from."""
    return [*__all__, "__version__"]
