"""The page's own dynamics, held to chaindyn by the cases of physics/cases.json, in node: no browser, no view."""

import importlib.util
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chaindyn
from chaindyn import Chain, Link, Prismatic, Revolute
from chaindyn.widgets import physics

pytest.importorskip("anywidget")
from chaindyn.widgets import (
    ChainExplorer,
    EffortExplorer,
    HeftExplorer,
    HybridExplorer,
    ImpactExplorer,
    LoopExplorer,
    MassMatrixExplorer,
    SwingExplorer,
)
from chaindyn.widgets.explorer import linked

EPS = np.finfo(float).eps
FOLDER = Path(__file__).with_name("physics")
KEPT = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))


def numbered(case: dict) -> str:
    return "-".join([case["function"], case["inputs"]["chain"], case["name"]])


# --- The cases are what chaindyn computes -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def make() -> Any:
    spec = importlib.util.spec_from_file_location("make_physics", FOLDER / "make.py")
    assert spec and spec.loader
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make


@pytest.fixture(scope="module")
def made(make) -> dict:
    return make.made()


def misfit(got: dict, case: dict) -> dict[str, float]:
    """Return the results that are further from the expected ones than the case allows, and by how much."""
    far = {}
    for name, value in got.items():
        wanted = np.array(case["expected"][name], float)  # null, infinity, is NaN here
        value = np.array(value, float)
        same = value.shape == wanted.shape and (np.isfinite(value) == np.isfinite(wanted)).all()
        error = np.linalg.norm(np.nan_to_num(value - wanted)) if same else np.inf
        if not error <= case["tolerance"][name]:
            far[name] = error
    return far


def alike(new: object, kept: object) -> bool:
    """Whether two cases ask the same: each machine rounds in its own way."""
    if isinstance(kept, dict):
        return new.keys() == kept.keys() and all(alike(new[key], kept[key]) for key in kept)
    if isinstance(kept, list):
        return len(new) == len(kept) and all(map(alike, new, kept))
    return new == (pytest.approx(kept, rel=1e-9, abs=1e-9) if isinstance(kept, float) else kept)


def test_the_cases_are_what_chaindyn_computes_today(made):
    """If not on purpose, something broke; else: python tests/widgets/physics/make.py."""
    assert made["chains"] == KEPT["chains"]
    assert len(made["cases"]) == len(KEPT["cases"])
    for new, kept in zip(made["cases"], KEPT["cases"], strict=True):
        asked = [{**case, "expected": 0, "tolerance": 0} for case in (new, kept)]
        assert alike(*asked), numbered(kept)
        if "error" in kept["expected"]:
            assert new["expected"] == kept["expected"], numbered(kept)
            continue
        assert not misfit(new["expected"], kept), numbered(kept)
        for name, tolerance in kept["tolerance"].items():
            assert new["tolerance"][name] == pytest.approx(tolerance, rel=0.01), numbered(kept)


def test_the_cases_reach_every_edge():
    """Blows that are none, for each reason; postures that are refused; joints of each kind."""
    blows = [case for case in KEPT["cases"] if case["function"] == "impact"]
    answers = [case["expected"] for case in blows if "error" not in case["expected"]]
    assert sum(x["effective_mass"] is None for x in answers) > 10
    assert sum(x["impulse"] == 0 and x["effective_mass"] is not None for x in answers) > 10
    assert sum(x["impulse"] > 0 for x in answers) > 30
    assert {case["inputs"]["restitution"] for case in blows} >= {0, 0.5, 1, 1.5, -0.1}
    refused = [case for case in KEPT["cases"] if "error" in case["expected"]]
    assert {case["expected"]["error"] for case in refused} == {
        *("normal", "restitution", "spindle", "needle", "inner")
    }
    joints = {link["joint"] for chain in KEPT["chains"].values() for link in chain["links"]}
    assert joints == {"Revolute", "Prismatic", "Fixed"}
    for case in KEPT["cases"]:  # a tolerance that lets anything pass is none
        for name, tolerance in case["tolerance"].items():
            size = np.linalg.norm(np.array(case["expected"][name], float))
            assert not np.isfinite(size) or tolerance <= max(0.3 * size, 1e-6), (
                numbered(case),
                name,
            )


# --- What the page says of a case -------------------------------------------------------------------------------------

SWING = SimpleNamespace(
    _esm=f"""{SwingExplorer._esm}
const forces = (tree, q, qd, qdd) => needed(tree, q, qd, qdd);
const rates = (tree, q, qd, tau) => accelerations(tree, q, qd, tau);
"""
)


class Page:
    """The page's functions by the names and arguments of chaindyn's; each as often as the page has it."""

    def __init__(self, call: Callable[..., Any], chain: dict) -> None:
        self.call, links = call, chain["links"]
        moves = np.array([link["joint"] != "Fixed" for link in links])
        columns = np.cumsum(moves) - 1
        self.tree = {
            **{key: [link[key] for link in links] for key in ("parent", "axis", "mass", "com")},
            **{key: [link[key] for link in links] for key in ("inertia", "offset", "rotation")},
            "names": [link["name"] for link in links],
            "kind": [link["joint"] for link in links],
            "column": [int(k) if move else None for k, move in zip(columns, moves, strict=True)],
            "gravity": chain["gravity"],
            "tip": [0, 0, 0],
            "reach": 1.0,
        }

    def poses(self, q):
        return self.call(ChainExplorer, "poses", self.tree, q)

    def forward_kinematics(self, q):
        return [self.poses(q)]

    def body_jacobian(self, q, body, frame):
        R, p = self.poses(q).values()
        about = [0, 0, 0] if frame == "world" else p[body]
        axes = R[body] if frame == "body" else np.eye(3)
        return [{"J": self.call(ChainExplorer, "jacobian", self.tree, q, body, about, axes)}]

    def rnea(self, q, qd, qdd):
        parts = self.laws(q, qd, qdd)["parts"]
        efforts = self.call(HybridExplorer, "efforts", self.tree, q, qd, qdd)
        swing = self.call(SWING, "forces", self.tree, q, qd, qdd)
        return [{"tau": tau} for tau in (np.sum(parts, axis=0), efforts, swing)]

    def laws(self, q, qd, qdd):
        return self.call(
            EffortExplorer, "fromLaws", self.tree, {"q": q, "qd": qd, "qdd": qdd, "load": 0}
        )

    def joint_wrenches(self, q, qd, qdd, frame):
        assert frame == "mixed"
        return [{"wrenches": self.laws(q, qd, qdd)["wrench"]}]

    def crba(self, q):
        return [{"M": self.call(MassMatrixExplorer, "massMatrix", self.tree, q)}]

    def articulated_inertia(self, q):
        answer = self.call(HeftExplorer, "fromInertias", self.tree, {"q": q, "body": 0})
        return [
            self.refused(answer)
        ]  # of which the page shows one block; test_widget_heft.py sees to that

    def refused(self, answer):
        return {"error": self.tree["names"][answer["singularAt"]]} if "singularAt" in answer else {}

    def hybrid_dynamics(self, q, qd, prescribed, qdd, tau):
        mask = np.array(prescribed)
        given = {"qdd": np.zeros(len(mask)), "tau": np.zeros(len(mask))}
        given["qdd"][mask], given["tau"][~mask] = qdd, tau
        request = {"q": q, "qd": qd, "prescribed": prescribed, **given}
        answer = self.call(HybridExplorer, "fromEquations", self.tree, request)
        results = [self.refused(answer) or {key: answer["values"][key] for key in given}]
        if not mask.any():  # forward dynamics, which the chain that swings has too
            try:
                results.append({"qdd": self.call(SWING, "rates", self.tree, q, qd, tau)})
            except ArithmeticError as error:
                results.append({"error": str(error)})
        return results

    def rods(self, pin):
        """A chain whose loop is closed, as the page knows it: rods in a row, of one weight per length."""
        lengths = [offset[0] for offset in self.tree["offset"][1:]] + [pin["offset"]]
        own = {"lengths": lengths, "base": pin["onto_offset"], "gravity": -self.tree["gravity"][2]}
        return own | {"density": self.tree["mass"][0] / lengths[0]}

    def pin_of(self, q, qd, constraints):
        return self.call(LoopExplorer, "partsOf", self.rods(constraints), q, qd)

    def constraint_jacobian(self, q, constraints):
        K = np.zeros((5, len(q)))  # the other three rows forbid to leave the plane
        K[[2, 4]] = self.pin_of(q, [0] * len(q), constraints)["K"]
        return [{"K": K}]

    def constraint_error(self, q, constraints):
        gap = np.zeros(5)
        gap[[2, 4]] = self.pin_of(q, [0] * len(q), constraints)["gap"]
        return [{"gap": gap}]

    def constrained_forward_dynamics(self, q, qd, tau, constraints, stabilisation):
        assert not np.any(tau)
        kp, kd = stabilisation or (0, 0)
        given = self.rods(constraints), q, qd, [1, kd, kp]
        return [{"qdd": self.call(LoopExplorer, "heldIn", *given)}]

    def fall(self, q, t, step, constraints, stabilisation):
        cure = {"cure": stabilisation or "none", "rate": 10, "step": step}
        if cure["cure"] == [100, 20]:
            cure["cure"] = "Baumgarte"
        run = self.call(LoopExplorer, "fallOf", self.rods(constraints), cure, q, t)
        gap = np.zeros((len(t), 5))
        for k, now in enumerate(run["q"]):
            gap[k, [2, 4]] = self.pin_of(now, [0] * len(q), constraints)["gap"]
        assert np.abs(np.linalg.norm(gap, axis=-1) - run["gap"]).max() < 1e-15
        return [{"gap": gap} | {key: run[key] for key in ("q", "kinetic", "potential")}]

    def simulate(self, q, qd, t, method, step, constraints=None, stabilisation=None):
        if constraints:
            assert method == "RK4"
            assert not np.any(qd)
            return self.fall(q, t, step, constraints, stabilisation)
        scene = {"chains": [self.tree], "t": t, "period": 4}
        request = {"chain": 0, "q": q, "qd": qd, "method": method, "step": step, "motors": "off"}
        request |= {"frequency": 3, "damping": 0.7}
        values = self.call(SWING, "bySteps", scene, request)
        if values["reason"]:
            return [{"error": values["reason"]}]
        return [{key: values[key] for key in ("q", "kinetic", "potential")}]

    def impact(self, q, qd, point, normal, restitution, body):
        R, p = (np.array(x) for x in self.poses(q).values())
        local = R[body].T @ (np.array(point) - p[body])
        request = {"chain": 0, "q": q, "qd": qd, "point": local, "normal": normal, "body": body}
        request |= {"restitution": restitution, "map": None}
        answer = self.call(ImpactExplorer, "fromBlow", self.tree, request)
        if answer["fault"]:
            return [{"error": answer["fault"]}]
        x = answer["values"]
        forces = np.array(x["reactions"])
        moments = x["moments"] + np.cross(p, forces)  # about the world's origin
        return [
            {
                "impulse": x["impulse"],
                "effective_mass": x["mass"],
                "qd_jump": np.subtract(x["qd_after"], qd),
                "joint_impulses": np.hstack([moments, forces]),
                "energy_before": x["energy"][0],
                "energy_after": x["energy"][1],
            }
        ]


@pytest.mark.parametrize("function", sorted({case["function"] for case in KEPT["cases"]}))
def test_the_page_computes_the_cases(on_page, function):
    cases = [case for case in KEPT["cases"] if case["function"] == function]
    wrong = {}
    for case in cases:
        inputs = dict(case["inputs"])
        page = Page(on_page, KEPT["chains"][inputs.pop("chain")])
        for k, got in enumerate(getattr(page, function)(**inputs)):
            refused = case["expected"].get("error")
            if refused and refused not in got.get("error", ""):
                wrong[numbered(case), k] = f"not refused for {refused}: {got}"
            elif not refused and (
                far := {"error": got["error"]} if "error" in got else misfit(got, case)
            ):
                wrong[numbered(case), k] = far
    assert not wrong


# --- Every function that is emitted, held to the lines that were recorded ---------------------------------------------


def emitted_text(name: str, *others: str) -> SimpleNamespace:
    return SimpleNamespace(_esm=linked(f"emitted/{name}.js", *others))


@pytest.mark.parametrize("name", ["exp_so3", "rk4_step"])
def test_what_the_reader_redefined_takes_its_place(on_page, name):
    runs = f"globalThis.chaindynPhysics = {{runs: {{{name}: (x) => -x}}}};"
    asks = f"const run = () => {{ {runs} const now = {name}(3); delete globalThis.chaindynPhysics; return now; }};"
    assert on_page(SimpleNamespace(_esm=f"{emitted_text(name)._esm}\n{asks}"), "run") == -3


def assert_near(there: Any, here: Any, most: float) -> None:
    here = np.asarray(here, float)
    assert np.shape(there) == here.shape
    assert np.linalg.norm(np.subtract(there, here)) <= most * np.linalg.norm(here)


@pytest.mark.parametrize("name", physics.ALONE)
def test_a_function_without_a_chain_is_the_books(on_page, name):
    told, rng = physics.ALONE[name], np.random.default_rng(11)
    for size in (1e-3, 0.03, 0.4, 1, 2) * 4:
        given = [size * rng.normal(size=core) for core in told.arrays.values()]
        if name == "log_so3":
            given = [chaindyn.exp_so3(size * rng.normal(size=3))]
        here = told.function(*given)
        there = on_page(emitted_text(name), name, *given)
        parts = [(there, here)] if not isinstance(here, tuple) else zip(there, here, strict=True)
        for one, other in parts:
            assert_near(one, other, 50 * EPS)


ANSWERS = """
const said = (k, count) => (...given) => {
  const rows = Array.from({ length: count }, (_, r) => given.find(Array.isArray).map((_, i) =>
    Math.cos(k + r + given.reduce((sum, x, j) => sum + (j + 1) * (Array.isArray(x) ? x[i] : x), 0))));
  return count === 1 ? rows[0] : rows;
};
const stepped = (step, asks, given) =>
  step(Object.fromEntries(asks.map(([name, count], k) => [name, said(k, count)])), ...given);
"""


def said(k: int, count: int, *given: Any) -> Any:
    """Return what whoever a step asks answers, some function of all that it is given."""
    sum_of = sum((j + 1) * np.asarray(x, float) for j, x in enumerate(given))
    rows = [np.cos(k + r + sum_of) for r in range(count)]
    return rows[0] if count == 1 else tuple(rows)


@pytest.mark.parametrize("name", physics.STEPS)
def test_a_step_does_what_the_books_does(on_page, name):
    told, rng, n = physics.STEPS[name], np.random.default_rng(12), 3
    chain = Chain([Link(Prismatic(), 1, (0, 0, 0), np.zeros((3, 3)))] * n)
    given = [rng.normal(size=[n] * len(core)) for core in told.arrays.values()]
    asks = {what: partial(said, k, count) for k, (what, count) in enumerate(told.asks.items())}
    here = told.function(physics.Answering(chain=chain, torque=print, **asks), *given)
    page = SimpleNamespace(
        _esm=f"{emitted_text(name)._esm}\n{ANSWERS}\n"
        f"const run = (asks, given) => stepped({name}, asks, given);"
    )
    there = on_page(page, "run", list(told.asks.items()), given)
    for one, other in zip(there, here if isinstance(here, tuple) else [here], strict=True):
        assert_near(one, other, 50 * EPS)


def branched(make: Any) -> Chain:
    """Hinges and slides askew, in two branches."""
    joints = Revolute((0, 3, 4)), Prismatic((1, 1, 0)), Revolute((1, 0, 0)), Revolute((1, 2, 3))
    parents = ("ground", 0, 1, 0)
    return Chain(
        [
            Link(j, **make.lump(0.01), offset=(0.3, 0.1, 0), rotation=make.TURNED, parent=k)
            for j, k in zip(joints, parents, strict=True)
        ]
    )


@pytest.mark.parametrize("which", ["branched", "ur5"])
@pytest.mark.parametrize(
    "name", [n for n, t in physics.FUNCTIONS.items() if "kept" not in t.arrays]
)
def test_a_function_of_a_chain_is_the_books(on_page, make, name, which):
    """What says how something changes, by differences of sixth order."""
    model = branched(make) if which == "branched" else make.ALL[which]
    told, rng = physics.FUNCTIONS[name], np.random.default_rng(13)
    sizes = {"n": model.n, "nq": model.nq, "nv": model.nv}
    given = {}
    for key, core in told.arrays.items():
        x = rng.uniform(0.1, 0.9, [sizes.get(k, k) for k in core])
        if key == "free":
            x = np.round(x)
        if key in ("struck", "pinned", "side"):
            x = (np.arange(model.n) == model.n - 1) * 1.0
        if key == "side":
            x[0] = -1
        if key == "R":
            x = chaindyn.exp_so3(x[0])
        given[key] = x / np.linalg.norm(x) if key == "normal" else x
    here = told.function(model, **given)
    if told.changes:
        (q,), dq = given.values(), rng.normal(size=model.nv)
        shares = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
        ahead = [(s, told.function(model, q + k * 0.02 * dq)) for k, s in shares]
        back = [(s, told.function(model, q - k * 0.02 * dq)) for k, s in shares]
        here = sum(s * x for s, x in ahead) / 0.02 - sum(s * x for s, x in back) / 0.02
        given["dq"] = dq
    tree = Page(on_page, make.described(model)).tree
    page = SimpleNamespace(
        _esm=f"{emitted_text(name, 'physics.js')._esm}\n"
        f"const run = (tree, given) => compute({name.upper()}, tree, given);"
    )
    there = on_page(page, "run", tree, list(given.values()))
    rows = told.rows.split()
    parts = here if isinstance(here, tuple) else (here,)
    for one, other, what in zip(there[: len(rows)], parts, rows, strict=True):
        if what != "kept":
            assert_near(one, other, 1e-8 if told.changes else 1e-11)
