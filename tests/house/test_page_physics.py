"""The pages' physics is emitted from the chapters' lines; by hand there is only drawing and bookkeeping."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import chaindyn
from chaindyn import _ops
from chaindyn.compiler.recording import CannotRecord
from chaindyn.widgets import physics

pytest.importorskip("anywidget")
from chaindyn.widgets.explorer import IMPORT

WIDGETS = Path(chaindyn.__file__).parent / "widgets"
BY_HAND = sorted(path.name for path in WIDGETS.glob("*.js"))


def test_what_is_emitted_is_what_the_chapters_say_today():
    """If not: python -m book physics."""
    assert physics.write(check=True) == []


def test_what_is_emitted_does_not_depend_on_the_chain_that_was_recorded(monkeypatch):
    """One text serves chains of every length."""
    names = ("forward_kinematics", "aba", "margins")
    model = physics.Model()
    short = [physics.emitted(name, physics.FUNCTIONS[name], model) for name in names]
    steps = {name: physics.emitted_step(name, told) for name, told in physics.STEPS.items()}
    monkeypatch.setattr(physics, "LINKS", 29)
    assert short == [physics.emitted(name, physics.FUNCTIONS[name], model) for name in names]
    assert steps == {name: physics.emitted_step(name, told) for name, told in physics.STEPS.items()}


def test_a_function_that_is_not_right_for_all_arguments_is_not_emitted_alone():
    """Nobody on the page would look at what its numbers must be."""

    def root(x):
        _ops.expect(x)
        return _ops.sqrt(x)

    with pytest.raises(CannotRecord, match="root is not right for all arguments"):
        physics.emitted_alone("root", physics.Alone(root, {"x": (1,)}))


def uneven(driven, t, q, qd, h):
    """A step in which the first joint goes ahead."""
    return q + h * (np.arange(len(q)) == 0), qd


def mixing(driven, t, q, qd, h):
    """A step in which joints look at one another."""
    return q + h * qd[::-1], qd


@pytest.mark.parametrize("step", [uneven, mixing])
def test_a_step_in_which_joints_differ_is_not_emitted(step):
    with pytest.raises(CannotRecord, match="a step in which joints differ"):
        physics.emitted_step("step", physics.Step(step, {}, physics.MOVING))


# What dynamics cannot do without: how links hang together, their masses, weight, and solving with a mass
# matrix. Who reads these in a file written by hand stands here, with what for; a recursion that somebody
# puts back does not.

READ = re.compile(r"\b(?:mass|inertia|moments|gravity|com|parent)\b")
READERS = {
    "atlas.js": {
        "AtlasView": "an effective mass",
    },
    "atlas_chart.js": {
        "MassChart": "an effective mass",
    },
    "atlas_model.js": {
        "struckAt": "an effective mass",
        "quantityOf": "an effective mass",
        "drawnFrom": "an effective mass",
        "fromBlows": "an effective mass",
        "shareBelow": "an effective mass",
    },
    "atlas_picture.js": {
        "showMap": "an effective mass",
        "paint": "an effective mass",
    },
    "atlas_words.js": {
        "heavy": "an effective mass",
        "judge": "an effective mass",
    },
    "balance_laws.js": {
        "fallen": "where the centre of mass is",
    },
    "blow.js": {
        "blowOn": "an effective mass",
    },
    "blow_answer.js": {
        "mapOf": "an effective mass",
        "fromBlow": "an effective mass, and moments",
    },
    "contact.js": {
        "ContactView": "where the bodies are",
    },
    "contact_scenes.js": {
        "ROD": "the scenes' bodies",
        "BOX": "the scenes' bodies",
        "BALL": "the scenes' bodies",
        "carrier": "the scenes' bodies",
        "TREES": "the scenes' bodies",
    },
    "contact_step.js": {
        "heavy": "which links are bodies",
        "inSpaceOf": "the scenes' bodies as a tree",
        "touchedAt": "handed on",
    },
    "crba.js": {
        "massMatrix": "which screws and wrenches meet",
    },
    "effort.js": {
        "fromLaws": "the load's weight",
        "EffortView": "the load's arrow",
    },
    "forward.js": {
        "accelerations": "handed on",
    },
    "heft.js": {
        "HeftView": "the mass of all links, told",
    },
    "hybrid.js": {
        "HybridView": "where centres of mass are",
    },
    "hybrid_picture.js": {
        "paint": "where centres of mass are",
    },
    "impact_controls.js": {
        "QUANTITIES": "an effective mass",
    },
    "impact_others.js": {
        "othersOf": "an effective mass",
    },
    "impact_words.js": {
        "judge": "an effective mass, and moments",
        "jointTable": "an effective mass, and moments",
    },
    "inertia.js": {
        "InertiaView": "moments, told, and the ellipsoid of one energy",
    },
    "inertia_model.js": {
        "fromTables": "handed on",
        "flightOf": "handed on",
    },
    "inertia_picture.js": {
        "paint": "moments, told, and the ellipsoid of one energy",
    },
    "loop_model.js": {
        "treeOf": "the rods as a tree",
        "modelOf": "handed on",
    },
    "mass.js": {
        "MassView": "masses and centres, told",
    },
    "physics.js": {
        "numbersOf": "how many links",
        "roomFor": "the tree for what is emitted",
        "compute": "handed on",
    },
    "stage.js": {
        "LitStage": "which link is the ground's",
    },
    "strike_whence.js": {
        "impulseStep": "an effective mass",
        "massSteps": "an effective mass",
        "madeOfLinks": "what the links weigh, told",
    },
    "strike_share.js": {
        "sharedWords": "an effective mass",
    },
    "strike_words.js": {
        "answer": "an effective mass",
        "captionOf": "an effective mass",
    },
    "swing_model.js": {
        "needed": "handed on",
        "levelOf": "an emitted energy as a height",
    },
    "tree.js": {
        "pathOf": "the way in",
        "endsOf": "what is drawn",
        "paintLinks": "what is drawn",
    },
}
# Who solves equations by itself, and which: with matrices that emitted functions, the reader's function or a linear
# model gave. None of them is a mass matrix, and their sizes are known only when a page is read.
SOLVE = re.compile(r"\b(?:cholesky|solveLower|solveUpper|solveSquare|solveColumns|inverse3)\(")
SOLVERS = {
    "contact_algebra.js": {
        "solveSquare": "elimination",
        "leastImpulses": "the smallest of many impulses that do the same",
    },
    "contact_laws.js": {
        "ofMode": "the emitted equations of one mode",
    },
    "contact_lcp.js": {
        "polished": "the unknowns of a last pivot",
    },
    "inertia_model.js": {
        "inverse3": "of three rows",
        "fromTables": "how the reader's moment yields",
    },
    "riccati.js": {
        "solveColumns": "the Riccati equation",
        "lyapunov": "the Riccati equation",
        "riccati": "the Riccati equation",
    },
}
# Whoever calculates with friction or restitution says what contacts do, which only emitted functions may: what is
# written by hand draws, hands on, and solves.
COEFFICIENT = r"(?:\w+\.)?(?:mu|friction|restitution|eps)\b(?:\[\w+\])?"
LAW = re.compile(rf"[-+*/] *\(?{COEFFICIENT}|\b{COEFFICIENT}\)? *[-+*/]")
FORBIDDEN = re.compile(  # words for what a recursion needs, or a step in time
    r"crossMotion|crossForce|motionTransform|inertiaMatrix|throughJoint|articulate\b|inverseDynamics|jointPose|Rodrigues"
    r"|\bk[14]\b|\bslopes?\b|eulerStep|rk4(?!_step\b)"
)


def declared(name: str) -> dict[str, str]:
    """The code of a file's functions and constants by name, without comments and strings."""
    start = re.compile(
        r"^(?:export )?(?:default|async function|function\*?|const|let|class) (\w+|\W)"
    )
    parts: dict[str, str] = {}
    now = ""
    text = IMPORT.sub("", (WIDGETS / name).read_text(encoding="utf-8"))
    for line in re.sub(r"/\*\*.*?\*/", "", text, flags=re.DOTALL).splitlines():
        if found := start.match(line):
            now = found[1]
        code = re.sub(r'//.*|"[^"]*"|`[^`]*`', "", line)
        parts[now] = parts.get(now, "") + code + "\n"
    return parts


@pytest.mark.parametrize("name", BY_HAND)
def test_no_dynamics_is_written_by_hand(name):
    parts = declared(name)
    readers = {part for part, code in parts.items() if READ.search(code)}
    allowed = READERS.get(name, {}).keys()
    assert readers <= allowed, f"{name}: {sorted(readers - allowed)} read what links are made of"
    assert allowed <= readers, f"{name}: strike those off that are gone"
    solvers = {part for part, code in parts.items() if SOLVE.search(code)}
    known = SOLVERS.get(name, {}).keys()
    assert solvers <= known, f"{name}: {sorted(solvers - known)} solve by themselves"
    assert known <= solvers, f"{name}: strike those off that are gone"
    laws = {part for part, code in parts.items() if LAW.search(code)}
    assert not laws, f"{name}: {sorted(laws)} calculate with friction or restitution"
    assert not FORBIDDEN.search("\n".join(parts.values()))


def test_every_file_that_is_named_is_there():
    assert {*READERS, *SOLVERS} <= set(BY_HAND)


def test_a_recursion_that_is_put_back_is_found(tmp_path, monkeypatch):
    """Poses added up along the tree, forces along it, a step in time, and laws of contact."""
    poses = "function placed(tree, q) {\n  return tree.parent.map((k, i) => turn(k, q[i]));\n}\n"
    forces = "const weight = (tree) => tree.mass.map((m) => scale(m, tree.gravity));\n"
    steps = "function step(f, y, h) {\n  const k1 = f(y);\n  return add(y, scale(h, k1));\n}\n"
    free = "const free = (M, b) => solveUpper(cholesky(M), b);\n"
    cone = "const holds = (p, mu) => p[0] >= 0 && Math.abs(p[1]) <= mu * p[0];\n"
    moreau = "const BLOWS = {\n  moreau: (p, { restitution }) => scale(1 + restitution, p),\n};\n"
    newton = "function newton(v, laws) {\n  return v.map((x, k) => (k % 2 ? 0 : x * laws.restitution));\n}\n"
    for code in (poses, forces, steps, free, cone, moreau, newton):
        (tmp_path / "new.js").write_text(code, encoding="utf-8")
        monkeypatch.setattr(f"{__name__}.WIDGETS", tmp_path)
        with pytest.raises(AssertionError):
            test_no_dynamics_is_written_by_hand("new.js")
