"""Known answers of contact, asked of other engines: MuJoCo, Bullet (PyBullet) and DART (dartpy).

Run as ``python bench/contact_answers.py ENGINE ...``, an engine being mujoco, bullet or dart, with a Python that has
it; only NumPy is needed beside. Every engine gets the same bodies in the same places, exactly touching, the same
friction and restitution, no damping and no sleep, and is asked with two settings: as it comes, and tuned by what its
manual says of rigid contact. What it answers is printed. ``--save`` adds it to
chapters/22_through_time_engines.json, which that chapter reads; there stand, for each engine and setting, its version,
what was set, and the error on each answer.

The answers are those of rigid bodies with Coulomb's friction:

* zeno: a ball falls 1 m and bounces with e = 0.8; the time after which it is never faster than 1 mm/s [s];
* cradle: five balls touch, the first comes with 1 m/s and e = 1; all five speeds;
* housner: a block rocks from one edge to the other; the ratio of its angular velocities is 1 - 3/2 sin^2(alpha);
* backspin: a ball hits the floor, spinning backwards; it leaves with (5 u - 2 r w)/7 and e v;
* rod: a beam lies on two supports; the share of its weight on each follows from the lever;
* sticks: a block on 15 degrees with mu = 0.5; the way that it creeps in 10 s [m];
* slides: a block on 30 degrees with mu = 0.3; the way in 1 s is half of g (sin - mu cos) [relative];
* stack: ten boxes on each other; by how much one of them sinks, or goes aside, in 10 s [m].
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parents[1] / "chapters" / "22_through_time_engines.json"
G = 9.81
STILL = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Body:
    """A solid ball (size: its radius) or box (size: three edges) [m]; mass 0 is one that does not move."""

    size: Any
    place: Any
    mass: float = 1.0
    velocity: Any = STILL
    spin: Any = STILL

    @property
    def moments(self) -> Any:
        """Its three moments of inertia [kg m^2]."""
        if np.ndim(self.size) == 0:
            return np.full(3, 0.4 * self.mass * self.size**2)
        squares = np.square(self.size)
        return self.mass / 12 * (squares.sum() - squares)


@dataclass(frozen=True)
class Scene:
    """Bodies over a floor at z = 0 (unless there is none), one friction and restitution for all contacts."""

    bodies: list[Body]
    time: float
    gravity: Any = (0, 0, -G)
    friction: float = 0.0
    restitution: float = 0.0
    floor: bool = True


@dataclass
class Run:
    """What an engine answers: times (k,), places (k, n, 3), velocities (k, n, 6) [spin; v] after each step.

    loads : for each pair of bodies (-1 is the floor), how hard they press on each other at the end [N].
    """

    t: Any
    places: Any
    velocities: Any
    loads: dict[tuple[int, int], float] = field(default_factory=dict)


Engine = Callable[[Scene, dict[str, Any]], Run]


def recorded(step: float, time: float, advance: Callable[[], tuple[Any, Any]]) -> Run:
    """Return the run of as many steps as fill a time; advance makes one and gives places and velocities."""
    count = round(time / step)
    states = [advance() for _ in range(count)]
    places, velocities = (np.array(column) for column in zip(*states, strict=True))
    return Run(step * np.arange(1, count + 1), places, velocities)


# --- the engines ---


def mujoco(scene: Scene, settings: dict[str, Any]) -> Run:
    """Run a scene in MuJoCo. Its contacts are springs; restitution is given as their damping ratio."""
    import mujoco as mj

    spec = mj.MjSpec()
    spec.option.gravity = scene.gravity
    spec.option.timestep = settings.get("timestep", 0.002)
    for name, value in settings.get("option", {}).items():
        setattr(spec.option, name, value)
    constant, impedance = settings.get("timeconst", 0.02), settings.get("impedance")
    solref = [constant, settings.get("dampratio", 1.0)]
    if scene.restitution:
        # a spring of that time constant, damped so that half a swing leaves a share e of the speed
        log = np.log(scene.restitution)
        solref = [-1 / constant**2, 2 * log / np.hypot(np.pi, log) / constant]
    common = {
        "solref": solref,
        "friction": [scene.friction, 0, 0],
        "condim": 3 if scene.friction else 1,
    }
    if impedance:
        common["solimp"] = [impedance, impedance, 0.001, 0.5, 2]
    if scene.floor:
        spec.worldbody.add_geom(
            type=mj.mjtGeom.mjGEOM_PLANE, size=[9, 9, 1], name="floor", **common
        )
    if "solreffriction" in settings and scene.floor and scene.restitution and scene.friction:
        # friction damped as if nothing bounced
        own_reference = {
            "solref": solref,
            "solreffriction": settings["solreffriction"],
            "solimp": common["solimp"],
        }
        friction = [scene.friction, scene.friction, 0, 0, 0]
        spec.add_pair(
            geomname1="floor", geomname2="0", condim=3, friction=friction, **own_reference
        )
    for i, body in enumerate(scene.bodies):
        common["name"] = str(i)
        own = spec.worldbody.add_body(pos=body.place)
        if np.ndim(body.size):
            shape = {"type": mj.mjtGeom.mjGEOM_BOX, "size": np.array(body.size) / 2}
        else:
            shape = {"type": mj.mjtGeom.mjGEOM_SPHERE, "size": [body.size, 0, 0]}
        own.add_geom(mass=body.mass, **shape, **common)
        if body.mass:
            own.add_freejoint()
    model = spec.compile()
    data = mj.MjData(model)
    moving = [i for i, body in enumerate(scene.bodies) if body.mass]
    data.qvel[:] = np.concatenate(
        [[*scene.bodies[i].velocity, *scene.bodies[i].spin] for i in moving]
    )

    def advance() -> tuple[Any, Any]:
        mj.mj_step(model, data)
        mj.mj_kinematics(model, data)
        places = [body.place for body in scene.bodies]
        velocities = np.zeros((len(scene.bodies), 6))
        for k, i in enumerate(moving):
            places[i] = data.qpos[7 * k : 7 * k + 3].copy()
            turned = data.xmat[i + 1].reshape(3, 3) @ data.qvel[6 * k + 3 : 6 * k + 6]
            velocities[i] = np.concatenate([turned, data.qvel[6 * k : 6 * k + 3]])
        return places, velocities

    run = recorded(model.opt.timestep, scene.time, advance)
    mj.mj_forward(model, data)
    for k in range(data.ncon):
        wrench = np.zeros(6)
        mj.mj_contactForce(model, data, k, wrench)
        pair = tuple(sorted(int(model.geom_bodyid[g]) - 1 for g in data.contact[k].geom))
        run.loads[pair] = run.loads.get(pair, 0.0) + float(wrench[0])
    return run


def bullet(scene: Scene, settings: dict[str, Any]) -> Run:
    """Run a scene in Bullet. Friction and restitution of two bodies are multiplied."""
    import pybullet as pb

    pb.connect(pb.DIRECT)
    try:
        return bullets_run(pb, scene, settings)
    finally:
        pb.disconnect()


def bullets_run(pb: Any, scene: Scene, settings: dict[str, Any]) -> Run:
    """Run a scene in a world of Bullet's that is connected."""
    step = settings.get("fixedTimeStep", 1 / 240)
    pb.setPhysicsEngineParameter(**{"fixedTimeStep": step, **settings.get("parameters", {})})
    pb.setGravity(*scene.gravity)
    common = {
        "lateralFriction": np.sqrt(scene.friction),
        "restitution": np.sqrt(scene.restitution),
        "rollingFriction": 0,
        "spinningFriction": 0,
        "linearDamping": 0,
        "angularDamping": 0,
        **settings.get("body", {}),
    }
    numbers = {}
    if scene.floor:
        numbers[pb.createMultiBody(0, pb.createCollisionShape(pb.GEOM_PLANE))] = -1
    for i, body in enumerate(scene.bodies):
        if np.ndim(body.size):
            half = (np.array(body.size) / 2).tolist()
            shape = pb.createCollisionShape(pb.GEOM_BOX, halfExtents=half)
        else:
            shape = pb.createCollisionShape(pb.GEOM_SPHERE, radius=body.size)
        own = pb.createMultiBody(body.mass, shape, basePosition=body.place)
        numbers[own] = i
        if body.mass:
            pb.changeDynamics(own, -1, localInertiaDiagonal=body.moments.tolist())
            pb.resetBaseVelocity(own, body.velocity, body.spin)
    for own in numbers:
        pb.changeDynamics(own, -1, **common)

    def advance() -> tuple[Any, Any]:
        pb.stepSimulation()
        places, velocities = [], []
        for own, i in numbers.items():
            if i >= 0:
                places.append(pb.getBasePositionAndOrientation(own)[0])
                v, w = pb.getBaseVelocity(own)
                velocities.append([*w, *v])
        return places, velocities

    run = recorded(step, scene.time, advance)
    for point in pb.getContactPoints():
        pair = tuple(sorted((numbers[point[1]], numbers[point[2]])))
        run.loads[pair] = run.loads.get(pair, 0.0) + float(point[9])
    return run


def dart(scene: Scene, settings: dict[str, Any]) -> Run:
    """Run a scene in DART. Of two bodies the smaller friction counts, and the product of restitutions."""
    import dartpy

    dynamics = dartpy.dynamics
    world = dartpy.simulation.World()
    world.setGravity(scene.gravity)
    step = settings.get("timeStep", 0.001)
    world.setTimeStep(step)
    awake = world.getDeactivationOptions()
    awake.mEnabled = False
    world.setDeactivationOptions(awake)
    if "detector" in settings:
        world.setCollisionDetector(
            getattr(dartpy.simulation.CollisionDetectorType, settings["detector"])
        )
    world.getConstraintSolver().setSplitImpulseEnabled(settings.get("splitImpulse", False))
    numbers, bodies = {}, list(scene.bodies)
    if scene.floor:
        bodies.append(Body((20, 20, 1), (0, 0, -0.5), 0))
    skeletons = []
    for i, body in enumerate(bodies):
        skeleton = dynamics.Skeleton(f"body {i}")
        joint, node = (
            skeleton.createFreeJointAndBodyNodePair()
            if body.mass
            else skeleton.createWeldJointAndBodyNodePair()
        )
        shape = (
            dynamics.BoxShape(body.size) if np.ndim(body.size) else dynamics.SphereShape(body.size)
        )
        shaped = node.createShapeNode(shape)
        shaped.createCollisionAspect()
        surface = shaped.createDynamicsAspect()
        surface.setFrictionCoeff(scene.friction)
        surface.setRestitutionCoeff(np.sqrt(scene.restitution))
        place = dartpy.math.Isometry3()
        place.set_translation(np.array(body.place, float))
        if body.mass:
            node.setInertia(dynamics.Inertia(body.mass, np.zeros(3), np.diag(body.moments)))
            joint.setTransform(place)
            skeleton.setVelocities([*body.spin, *body.velocity])
        else:
            joint.setTransformFromParentBodyNode(place)
        world.addSkeleton(skeleton)
        skeletons.append(node)
        numbers[skeleton.getName()] = i if i < len(scene.bodies) else -1

    def advance() -> tuple[Any, Any]:
        world.step()
        own = skeletons[: len(scene.bodies)]
        places = [node.getTransform().translation().copy() for node in own]
        spins = [np.concatenate([n.getAngularVelocity(), n.getLinearVelocity()]) for n in own]
        return places, spins

    run = recorded(step, scene.time, advance)
    found = world.getLastCollisionResult()
    for k in range(found.getNumContacts()):
        point = found.getContact(k)
        ends = (point.collisionObject1, point.collisionObject2)
        names = [end.getShapeFrame().getBodyNodePtr().getSkeleton().getName() for end in ends]
        pair = tuple(sorted(numbers[name] for name in names))
        run.loads[pair] = run.loads.get(pair, 0.0) + abs(float(point.force @ point.normal))
    return run


# --- the scenes, and what a run is worth ---


def zeno(ask: Callable[[Scene], Run]) -> float:
    """Return by how much the time is wrong at which the ball has come to rest [s]."""
    e, slow, v = 0.8, 1e-3, float(np.sqrt(2 * G))
    end = v / G
    while e * v > slow:
        v *= e
        end += 2 * v / G
    run = ask(Scene([Body(0.1, (0, 0, 1.1))], 5.0, restitution=e))
    return float(run.t[np.abs(run.velocities[:, 0, 5]) > slow][-1] - end)


def cradle(ask: Callable[[Scene], Run]) -> list[float]:
    """Return the speeds of five balls after the first has struck the others."""
    balls = [Body(0.5, (i, 0, 0), velocity=(float(i == 0), 0, 0)) for i in range(5)]
    run = ask(Scene(balls, 0.5, STILL, restitution=1.0, floor=False))
    return run.velocities[-1, :, 3].tolist()


def housner(ask: Callable[[Scene], Run]) -> float:
    """Return by how much the ratio of angular velocities is wrong, of a block without weight at the blow."""
    wide, high = 0.3, 1.0
    sine = wide / np.hypot(wide, high)
    # it turns by 1 rad/s about the edge at x = -wide/2
    block = Body((wide, 0.4, high), (0, 0, high / 2), 1.0, (high / 2, 0, -wide / 2), (0, 1.0, 0))
    run = ask(Scene([block], 0.05, STILL, friction=1.0))
    return float(run.velocities[-1, 0, 1] - (1 - 1.5 * sine**2))


def backspin(ask: Callable[[Scene], Run]) -> float:
    """Return by how much the ball's velocity after the blow is wrong [m/s]."""
    r, e, u, v, w = 0.1, 0.6, 1.0, 2.0, 40.0
    ball = Body(r, (0, 0, r), 2.0, (u, 0, -v), (0, -w, 0))
    run = ask(Scene([ball], 0.05, STILL, friction=1.0, restitution=e))
    left = run.velocities[-1, 0, 3:]
    return float(np.abs(left - [(5 * u - 2 * r * w) / 7, 0, e * v]).max())


def rod(ask: Callable[[Scene], Run]) -> float:
    """Return by how much the share of the weight that one support carries is wrong."""
    beam = Body((2.0, 0.4, 0.1), (0, 0, 0.05), 3.0)
    knobs = [Body(0.1, (x, y, -0.1), 0) for x in (-0.4, 0.8) for y in (-0.15, 0.15)]
    run = ask(Scene([beam, *knobs], 2.0, friction=0.5, floor=False))
    left, right = (sum(run.loads.get((0, k), 0.0) for k in pair) for pair in ((1, 2), (3, 4)))
    return max(abs(left / (3 * G) - 2 / 3), abs(right / (3 * G) - 1 / 3))


def on_slope(ask: Callable[[Scene], Run], degrees: float, mu: float, time: float) -> Any:
    """Return how far a block goes (3,) in a time; gravity leans instead of the floor [m]."""
    slope = np.radians(degrees)
    block = Body((1.0, 0.8, 0.2), (0, 0, 0.1), 3.0)
    leaning = (G * np.sin(slope), 0, -G * np.cos(slope))
    run = ask(Scene([block], time, leaning, friction=mu))
    return run.places[-1, 0] - block.place


def sticks(ask: Callable[[Scene], Run]) -> float:
    """Return how far a block goes that must not go [m]."""
    return float(np.linalg.norm(on_slope(ask, 15, 0.5, 10.0)))


def slides(ask: Callable[[Scene], Run]) -> float:
    """Return by how much the way of a sliding block is wrong, relative."""
    slope, mu = np.radians(30), 0.3
    way = G * (np.sin(slope) - mu * np.cos(slope)) / 2
    return float(on_slope(ask, 30, mu, 1.0)[0] / way - 1)


def stack(ask: Callable[[Scene], Run]) -> float:
    """Return how far the worst of ten boxes ends from where it began [m]."""
    boxes = [Body((1.0, 1.0, 0.5), (0, 0, 0.25 + 0.5 * i)) for i in range(10)]
    run = ask(Scene(boxes, 10.0, friction=0.5))
    return float(np.linalg.norm(run.places[-1] - [body.place for body in boxes], axis=-1).max())


ANSWERS: tuple[Callable[..., Any], ...] = (
    zeno,
    cradle,
    housner,
    backspin,
    rod,
    sticks,
    slides,
    stack,
)

ELLIPTIC = 1  # MuJoCo's number for friction in round cones
# What is tuned follows the manuals. MuJoCo: springs of two steps' time constant and an impedance near 1, elliptic cones
# with a large `impratio` and the no-slip solver against creep; for a plastic blow a large damping ratio; for a bounce a
# spring that swings for many short steps. Bullet: many iterations, no slop, no bounce below what falls in two steps.
# DART: short steps, and what lies too deep is mended beside the velocities.
SETTINGS: dict[str, tuple[str, Engine, dict[str, dict[str, Any]]]] = {
    "mujoco": (
        "mujoco",
        mujoco,
        {
            "default": {},
            "tuned": {
                "timestep": 1e-4,
                "timeconst": 2e-4,
                "impedance": 0.9999,
                "option": {
                    "cone": ELLIPTIC,
                    "impratio": 100.0,
                    "noslip_iterations": 20,
                    "tolerance": 1e-12,
                },
                "blow": {"dampratio": 10.0},
                "bounce": {"timestep": 1e-5, "timeconst": 1e-4, "solreffriction": [1e-4, 1.0]},
            },
        },
    ),
    "bullet": (
        "pybullet",
        bullet,
        {
            "default": {},
            "tuned": {
                "fixedTimeStep": 1e-3,
                "parameters": {
                    "numSolverIterations": 1000,
                    "solverResidualThreshold": 0,
                    "contactSlop": 0,
                    "restitutionVelocityThreshold": 0.02,
                    "enableConeFriction": 1,
                },
            },
        },
    ),
    "dart": (
        "dartpy",
        dart,
        {
            "default": {},
            "tuned": {"timeStep": 1e-4, "detector": "ODE", "splitImpulse": True},
        },
    ),
}


def for_scene(settings: dict[str, Any], scene: Scene) -> dict[str, Any]:
    """Return settings with what they say of a bounce, or of a blow without one, where the scene is that."""
    kind = "bounce" if scene.restitution else "rest" if np.any(scene.gravity) else "blow"
    return {**settings, **settings.get(kind, {})}


def asked(engine: Engine, settings: dict[str, Any], scene: Scene) -> Run:
    """Return what an engine makes of a scene with settings."""
    return engine(scene, for_scene(settings, scene))


def measure(name: str) -> dict[str, Any]:
    """Return what an engine answers, by setting, with its version."""
    package, engine, settings = SETTINGS[name]
    results: dict[str, Any] = {"version": version(package)}
    for kind, given in settings.items():
        results[kind] = {"settings": given}
        for question in ANSWERS:
            try:
                answer = question(partial(asked, engine, given))
            except Exception as problem:  # whatever an engine says when it cannot
                answer = f"{type(problem).__name__}: {problem}"
            results[kind][question.__name__] = answer
            print(f"{name:8s}{kind:9s}{question.__name__:10s}{answer}", flush=True)
    return results


def main(arguments: list[str] | None = None) -> None:
    """Ask the engines, print, and keep what is to be kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engines", nargs="+", choices=list(SETTINGS))
    parser.add_argument("--save", action="store_true", help=f"add the answers to {FILE.name}")
    options = parser.parse_args(arguments)
    answers = {name: measure(name) for name in options.engines}
    if options.save:
        old = json.loads(FILE.read_text()) if FILE.exists() else {}
        FILE.write_text(json.dumps({**old, **answers}, indent=1) + "\n")


if __name__ == "__main__":
    main()
