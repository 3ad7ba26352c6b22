"""Functions of a chain as C for others: compiled with their own ten lines, and called."""

import subprocess

import numpy as np
import pytest
from trees import EPS

from chaindyn import aba, compiled, constrained_forward_dynamics, crba, impact, random_state, rnea
from chaindyn.compiler.native import compiler
from chaindyn.models.robots import five_bar, ur5
from chaindyn.teaching import normwise

CALLER = """#include <math.h>
#include <stdio.h>
#include "{name}.h"
int main(void) {{
  {arrays}
  int wrong = {name}({passed});
  for (int j = 0; j < {count}; j++) printf("%.17g\\n", result0[j]);
  return wrong;
}}
"""


def literal(x):
    """Return a float as C writes it."""
    return x.hex() if np.isfinite(x) else "NAN"


def called(folder, sources, values, count, others=()):
    """Return what the function says of one state, and its first result; others : how long further results are."""
    sources.write(folder)
    arrays = [
        f"double in{k}[] = {{{', '.join(literal(x) for x in v.ravel().tolist())}}};"
        for k, v in enumerate(values)
    ]
    arrays += [f"double result{k}[{size}];" for k, size in enumerate([count, *others])]
    passed = [f"in{k}" for k in range(len(values))] + [f"result{k}" for k in range(1 + len(others))]
    text = CALLER.format(
        name=sources.name, arrays="\n  ".join(arrays), passed=", ".join(passed), count=count
    )
    (folder / "caller.c").write_text(text)
    files = ["caller.c", f"{sources.name}.c", "-o", "caller", "-lm"]
    subprocess.run(
        [*compiler(), "-O1", "-Wall", "-Werror", *files], cwd=folder, check=True, timeout=300
    )
    said = subprocess.run([folder / "caller"], capture_output=True, text=True)
    return said.returncode, np.array(said.stdout.split(), float)


def test_others_call_forward_dynamics(tmp_path):
    arm = ur5()
    q, qd = random_state(arm, 1)
    tau = np.arange(6.0)
    sources = compiled(aba, arm, target="c")
    assert repr(sources) == "Sources(name='aba')"
    wrong, found = called(tmp_path, sources, (q, qd, tau), 6)
    assert wrong == 0 and normwise(found, aba(arm, q, qd, tau)) <= 1e3 * EPS
    wrong, _ = called(tmp_path, sources, (q * np.nan, qd, tau), 6)
    assert wrong == 1


@pytest.mark.parametrize("parameters", ["fixed", "data"])
def test_others_call_inverse_dynamics_as_walks_or_in_one_text(tmp_path, parameters):
    arm = ur5()
    q, qd = random_state(arm, 2)
    sources = compiled(rnea, arm, target="c", parameters=parameters)
    wrong, found = called(tmp_path, sources, (q, qd, q), 6)
    assert wrong == 0 and normwise(found, rnea(arm, q, qd, q)) <= 1e3 * EPS


def test_others_call_a_matrix(tmp_path):
    arm = ur5()
    q, _ = random_state(arm, 2)
    wrong, found = called(tmp_path, compiled(crba, arm, target="c"), (q,), 36)
    assert wrong == 0 and normwise(found.reshape(6, 6), crba(arm, q)) <= 1e3 * EPS


def test_others_call_a_mechanism(tmp_path):
    chain, loops = five_bar()
    given = {"constraints": loops, "stabilisation": (100, 20)}
    sources = compiled(constrained_forward_dynamics, chain, given=given, target="c")
    q, qd, tau = np.array([2.3, -1.1, 2.0, -1.4]), np.zeros(4), np.ones(4)
    wrong, found = called(tmp_path, sources, (q, qd, tau), 4, [5])
    wanted, _ = constrained_forward_dynamics(chain, q=q, qd=qd, tau=tau, **given)
    assert wrong == 0 and normwise(found, wanted) <= 1e4 * EPS


def test_what_has_no_shape_is_refused():
    def odd(chain, q, strange):
        return q

    with pytest.raises(ValueError, match=r"the shapes of \['strange'\] are not known"):
        compiled(odd, ur5(), target="c")
    with pytest.raises(ValueError, match="target is"):
        compiled(impact, ur5(), target="fortran")
