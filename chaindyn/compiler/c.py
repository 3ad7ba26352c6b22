"""Programs in C: for one state, several side by side, many steps, or slopes along all directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chaindyn.compiler.plan import MOST_IN_ONE, Plan
from chaindyn.compiler.text import first_values, lines_between, loop_lines, straight_lines

__all__: list[str] = []


PIECE = 400  # lines of straight text that one function holds: compilers take more than linear time
# what every program starts with, and what its words mean for one state and for some side by side
PRELUDE = """#include <math.h>
#include <stdint.h>
#include <string.h>
typedef long long I;
#define K(link) tree[6 * (link) + 3]

/* sine and cosine: quarter turns taken off in three parts of pi/2, then Taylor's polynomials up to pi/4 */
#define PARTS(x, turns) \\
  ((((x) - (turns) * 0x1.921fb544p+0) - (turns) * 0x1.0b4611a6p-34) - (turns) * 0x1.3198a2e037073p-69)
#define SINE(r, s) \\
  ((r) + (r) * (s) * (-1.0/6 + (s) * (1.0/120 + (s) * (-1.0/5040 + (s) * (1.0/362880 + (s) * (-1.0/39916800 \\
   + (s) * (1.0/6227020800.0 + (s) * (-1.0/1307674368000.0))))))))
#define COSINE(s) \\
  (1.0 + (s) * (-0.5 + (s) * (1.0/24 + (s) * (-1.0/720 + (s) * (1.0/40320 + (s) * (-1.0/3628800 \\
   + (s) * (1.0/479001600.0 + (s) * (-1.0/87178291200.0 + (s) * (1.0/20922789888000.0)))))))))
#define FAR 1e5
/* the place nearest to a computed one, of so many */
static inline I place_of(double x, I count) { return x > 0.0 ? (x < count ? (I)x : count - 1) : 0; }
static inline long long bits_of(double x) { long long bits; memcpy(&bits, &x, 8); return bits; }
static inline __attribute__((always_inline)) double turn_s(double x, long long quarter) {
  if (!(fabs(x) < FAR)) return quarter ? cos(x) : sin(x);
  double shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, turns = shifted - 0x1.8p52, r = PARTS(x, turns), s = r * r, y;
  long long bits = bits_of(shifted) + quarter, odd = -(bits & 1), sign = (bits & 2) << 62;
  bits = ((odd & bits_of(COSINE(s))) | (~odd & bits_of(SINE(r, s)))) ^ sign;
  memcpy(&y, &bits, 8);
  return y;
}
"""
# and what those have that compute some states side by side
VECTORS = """#define LANES 4
typedef double V __attribute__((vector_size(8 * LANES)));
typedef long long M __attribute__((vector_size(8 * LANES)));
static inline V splat(double x) { V v; for (int l = 0; l < LANES; l++) v[l] = x; return v; }
static inline V each_atan2(V y, V x) {
  V r; for (int l = 0; l < LANES; l++) r[l] = atan2(y[l], x[l]); return r;
}
static inline V each_sqrt(V x) { V r; for (int l = 0; l < LANES; l++) r[l] = sqrt(x[l]); return r; }
static inline V choose_v(V c, V a, V b) { M m = c != 0.0; return (V)((m & (M)a) | (~m & (M)b)); }
static inline V min_v(V a, V b) { M m = a < b; return (V)((m & (M)a) | (~m & (M)b)); }
static inline V max_v(V a, V b) { M m = a > b; return (V)((m & (M)a) | (~m & (M)b)); }
/* the model's numbers in every lane, laid down where there is room */
static V *wide_model(const double *x, I size, V **free) {
  V *wide = *free;
  for (I j = 0; j < size; j++) wide[j] = splat(x[j]);
  *free += size;
  return wide;
}
static inline V differs_v(V a, V b) { return (V)((a != b) & (M)splat(1.0)); }
static inline V at_v(const V *w, V x, I count, I step) {
  V r; for (int l = 0; l < LANES; l++) r[l] = w[place_of(x[l], count) * step][l]; return r;
}
static inline void lay_v(V *w, V x, I count, I step, V value) {
  for (int l = 0; l < LANES; l++) w[place_of(x[l], count) * step][l] = value[l];
}
static inline V positive_v(V x) { return (V)((x > 0.0) & (M)splat(1.0)); }

static inline __attribute__((always_inline)) V turn_v(V x, long long quarter) {
  V shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, turns = shifted - 0x1.8p52, r = PARTS(x, turns), s = r * r;
  M bits = (M)shifted + quarter, odd = -(bits & 1), sign = (bits & 2) << 62;
  V y = (V)((odd & (M)(COSINE(s))) | (~odd & (M)(SINE(r, s))));
  y = (V)((M)y ^ sign);
  M near = (x < FAR) & (x > -FAR);
  if (!(near[0] & near[1] & near[2] & near[3]))
    for (int l = 0; l < LANES; l++) if (!near[l]) y[l] = quarter ? cos(x[l]) : sin(x[l]);
  return y;
}
"""
SINGLE = """#define T double
#define WIDE_MODEL(x, size, free) (x)
#define WIDE(x) (x)
#define EACH(from, j) (from)[0][j]
#define SIN(x) turn_s(x, 0)
#define COS(x) turn_s(x, 1)
#define SQRT(x) sqrt(x)
#define ATAN2(y, x) atan2(y, x)
#define POSITIVE(x) ((x) > 0.0 ? 1.0 : 0.0)
#define WHERE(c, a, b) ((c) != 0.0 ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define DIFFERS(a, b) ((a) != (b) ? 1.0 : 0.0)
#define AT(w, x, count, step) (w)[place_of(x, count) * (step)]
#define LAY(w, x, count, step, value) AT(w, x, count, step) = value
#define STILL(x) ((x) == 0.0)
"""
SIDE_BY_SIDE = """#define T V
#define WIDE_MODEL(x, size, free) wide_model(x, size, free)
#define WIDE(x) splat(x)
#define EACH(from, j) (V){(from)[0][j], (from)[1][j], (from)[2][j], (from)[3][j]}
#define SIN(x) turn_v(x, 0)
#define COS(x) turn_v(x, 1)
#define SQRT(x) each_sqrt(x)
#define ATAN2(y, x) each_atan2(y, x)
#define POSITIVE(x) positive_v(x)
#define WHERE(c, a, b) choose_v(c, a, b)
#define MIN(a, b) min_v(a, b)
#define MAX(a, b) max_v(a, b)
#define DIFFERS(a, b) differs_v(a, b)
#define AT(w, x, count, step) at_v(w, x, count, step)
#define LAY(w, x, count, step, value) lay_v(w, x, count, step, value)
#define STILL(x) ((x)[0] + (x)[1] + (x)[2] + (x)[3] == 0.0)
"""


def c_shared(plan: Plan, inputs: int, results: int) -> tuple[str, str]:
    """Return the parameters that all functions of a program in C have, and the arguments passed on for them."""
    arrays = [f"in{a}" for a in range(inputs)]
    state = [*[f"out{r}" for r in range(results)], "g"]
    const = "".join(f", const T *restrict {a}" for a in arrays)
    changed = "".join(f", T *restrict {x}" for x in state)
    passed = "".join(f", {x}" for x in [*arrays, *state])
    return f"const T *restrict G{const}{changed}, I n, I nq, I nv", f"G{passed}, n, nq, nv"


def c_emptied(plan: Plan) -> tuple[str, str]:
    """Return what empties the ground's record of what sweeps inward add up, and what empties a link's."""
    if not plan.gathered:
        return "", ""
    empty = f"for (int j = 0; j < {plan.gathered}; j++)"
    return f"{empty} w[j] = WIDE(0.0);", f"T *own = w + K(i); {empty} own[j] = WIDE(0.0);"


def c_loop(plan: Plan, loop: int, head: str, passed: str) -> tuple[list[str], list[str]]:
    """Return the functions of a loop, one for each kind of link, and the lines that walk along the links."""
    functions, calls = [], {}
    columns = (", const I *restrict tree, T *w", ", tree, w") if plan.on_the_way else ("", "")
    for kind in plan.widths:
        if not (lines := loop_lines(plan, "c", loop, kind)):
            continue
        name = f"link{kind}_{loop}_@"
        top = (
            f"static inline void {name}({head}, const T *restrict D, T *restrict own, T *restrict parent, "
            f"I i, I q, I v{columns[0]}) {{"
        )
        functions.append("\n".join([top, *lines, "}"]))
        calls[kind] = f"{name}({passed}, D + t[2], w + t[3], parent, i, t[4], t[5]{columns[1]});"
    # records are emptied in the first walk, which holds them anyway: nothing is added before the second
    empty = c_emptied(plan)[1] if loop == 1 else ""
    walk = "for (I i = 0; i < n; i++)" if loop % 2 else "for (I i = n - 1; i >= 0; i--)"
    if not calls:
        return [], [f"{walk} {{ {empty} }}"] if empty else []
    cases = "\n".join(f"case {kind}: {call} break;" for kind, call in calls.items())
    body = f"switch (t[1]) {{ {cases} }}"
    if len(plan.widths) == 1:
        (body,) = calls.values()
    place = "const I *t = tree + 6 * i; T *parent = w + (t[0] < 0 ? 0 : K(t[0]));"
    first = f"{{ {empty} }} " if empty else ""
    return functions, [f"{walk} {{ {first}{place} {body} }}"]


def c_between(plan: Plan, after: int, head: str, passed: str) -> tuple[list[str], list[str]]:
    """Return what is done after a loop with nobody's numbers: functions, if it is much, and the lines themselves."""
    alone = not plan.recording.parent and plan.asked is None
    if alone and len(plan.live) > MOST_IN_ONE:
        pieces = straight_lines(plan, "c", PIECE)
    else:
        lines = lines_between(plan, "c", after)
        if len(lines) <= PIECE or not plan.recording.parent:
            return [], lines
        pieces = [lines[k : k + PIECE] for k in range(0, len(lines), PIECE)]
    functions, calls = [], []
    for part, lines in enumerate(pieces):
        name = f"piece_{after}_{part}_@"
        top = f"static __attribute__((noinline)) void {name}(const I *tree, T *w, {head}) {{"
        functions.append("\n".join([top, *lines, "}"]))
        calls.append(f"{name}(tree, w, {passed});")
    return functions, calls


def c_kernel(plan: Plan, inputs: int, results: int) -> str:
    """Return the program in C for one type of number T, single or in lanes, as text with @ for its suffix."""
    head, passed = c_shared(plan, inputs, results)
    text, body = [], [c_emptied(plan)[0], *first_values(plan, "c")]
    if (own := plan.asked) is not None:
        text.append(c_kernel(own.plan, len(own.inputs), len(own.results)).replace("@", "asked_@"))
    for loop in range(plan.last + 1):
        if loop:
            functions, lines = c_loop(plan, loop, head, passed)
            text += functions
            body += lines
        functions, lines = c_between(plan, loop, head, passed)
        text += functions
        body += lines
    arguments = "".join(f", const T *restrict in{a}" for a in range(inputs))
    arguments += "".join(f", T *restrict out{r}" for r in range(results))
    top = (
        "static void run_@(I n, I nq, I nv, const I *restrict tree, const T *restrict D, "
        f"const T *restrict G{arguments}, T *restrict w, T *restrict g) {{"
    )
    return "\n".join([*text, top, *body, "}"])


def c_entries(inputs: int, results: int) -> str:
    """Return the inputs and results of a program, as arguments of its kernel."""
    names = [f"vin[{a}]" for a in range(inputs)] + [f"vout[{r}]" for r in range(results)]
    return "".join(f", {name}" for name in names)


# zero if all entries are finite, else no number: four sums side by side, for none waits for another
UNFIT = """static inline T unfit(const T *x, I size) {
  T a = WIDE(0.0), b = a, c = a, d = a;
  I j = 0;
  for (; j + 4 <= size; j += 4) {
    a += x[j] - x[j]; b += x[j + 1] - x[j + 1]; c += x[j + 2] - x[j + 2]; d += x[j + 3] - x[j + 3];
  }
  for (; j < size; j++) a += x[j] - x[j];
  return (a + b) + (c + d);
}
"""
LAID_OUT = """  const I *length = sizes + 6;
  T *free = w;
  const T *vD = WIDE_MODEL(D, sizes[4], &free), *vG = WIDE_MODEL(G, sizes[5], &free);
  for (int a = 0; a < INPUTS; a++) { vin[a] = free; free += length[a]; }
  for (int r = 0; r < RESULTS; r++) { vout[r] = free; free += length[INPUTS + r]; }"""
# the inputs of the states from b on; where fewer are left than there are lanes, the first stands in
GATHERED = """    for (int a = 0; a < INPUTS; a++) {
      const double *from[LANES];
      for (int l = 0; l < LANES; l++) from[l] = in[a] + (b + (l < own ? l : 0)) * strides[a];
      for (I j = 0; j < length[a]; j++) vin[a][j] = EACH(from, j);
    }"""
# added to a sum that stays zero, unless some input or result is no number, or what must be positive is not
GIVEN = "for (int a = 0; a < INPUTS; a++) for (I j = 0; j < length[a]; j++) sum += vin[a][j] - vin[a][j];"
JUDGED = """    for (int r = 0; r < RESULTS; r++) sum += unfit(vout[r], length[INPUTS + r]);
    for (I j = 0; j < length[INPUTS + RESULTS - 1]; j++) {
      sum += WHERE(POSITIVE(vout[RESULTS - 1][j]), WIDE(0.0), WIDE(NAN));
    }"""


def c_march(plan: Plan, inputs: int, results: int, suffix: str) -> str:
    """Return the function of a program that runs it again and again, for one motion ("s") or some ("v")."""
    given = c_entries(inputs, results)
    return f"""
/* The first `again` results are the next step's first inputs; of every `every`-th step the first `kept` are written
   down, states before steps. Returns whether something did not hold. */
I march(const I *restrict sizes, const I *restrict tree, const double *restrict D,
    const double *restrict G, const double *const *in, double *const *out, T *restrict w,
    I states, const I *restrict strides, I again, I kept, I steps,
    I every) {{
  T g[{max(plan.handed_on, 1)}], *vin[{max(inputs, 1)}], *vout[{max(results, 1)}];
{LAID_OUT}
  I wrong = 0, lanes = sizeof(T) / sizeof(double);
  for (I b = 0; b < states && !wrong; b += lanes) {{
    I own = states - b < lanes ? states - b : lanes;
{GATHERED}
    for (I s = 1; s <= steps && !wrong; s++) {{
      T sum = WIDE(0.0);
      run_{suffix}(sizes[0], sizes[1], sizes[2], tree, vD, vG{given}, free, g);
{JUDGED}
      for (int r = 0; r < again; r++) for (I j = 0; j < length[r]; j++) vin[r][j] = vout[r][j];
      for (int l = 0; l < own; l++) wrong |= !(((double *)&sum)[l] == 0.0);
      if (s % every == 0) for (int l = 0; l < own && !wrong; l++) for (int r = 0; r < kept; r++) {{
        const I size = length[INPUTS + r];
        double *to = out[r] + ((b + l) * (steps / every) + s / every - 1) * size;
        for (I j = 0; j < size; j++) to[j] = ((double *)&vout[r][j])[l];
      }}
    }}
  }}
  return wrong;
}}
"""


def c_one(plan: Plan, inputs: int, results: int) -> str:
    """Return the function of a program that computes one state: whether all that it must be holds.

    How often it did is counted in the first place of the room to work.
    """
    return f"""
I one(const I *restrict sizes, const I *restrict tree, const double *restrict D, const double *restrict G,
         const double *const *vin, double *const *vout, double *restrict w) {{
  double g[{max(plan.handed_on, 1)}];
  const I *length = sizes + 6;
  double sum = 0.0;
  {GIVEN}
  run_s(sizes[0], sizes[1], sizes[2], tree, D, G{c_entries(inputs, results)}, w + 1, g);
{JUDGED}
  w[0] += sum == 0.0;
  return sum == 0.0;
}}
"""


def c_many(plan: Plan, inputs: int, results: int) -> str:
    """Return the function of a program that computes a batch of states, some side by side."""
    return f"""
/* Returns the first state in which something does not hold, or an input is no number; -1 if there is none. What must be
   positive is not written down. strides : how far one state of each input lies from the next, 0 where all share it. */
I many(const I *restrict sizes, const I *restrict tree, const double *restrict D, const double *restrict G,
          const double *const *in, double *const *out, V *restrict w, I states, const I *restrict strides) {{
  V g[{max(plan.handed_on, 1)}], *vin[{max(inputs, 1)}], *vout[{max(results, 1)}];
{LAID_OUT}
  I wrong = -1;
  for (I b = 0; b < states; b += LANES) {{
    I own = states - b < LANES ? states - b : LANES;
{GATHERED}
    V sum = splat(0.0);
    {GIVEN}
    run_v(sizes[0], sizes[1], sizes[2], tree, vD, vG{c_entries(inputs, results)}, free, g);
{JUDGED}
    for (int l = 0; l < own; l++) {{
      for (int r = 0; r < RESULTS - 1; r++) {{
        double *to = out[r] + (b + l) * length[INPUTS + r];
        for (I j = 0; j < length[INPUTS + r]; j++) to[j] = vout[r][j][l];
      }}
      if (wrong < 0 && !(sum[l] == 0.0)) wrong = b + l;
    }}
  }}
  return wrong;
}}
"""


def c_slopes(plan: Plan, along: Sequence[bool], inputs: int, results: int) -> str:
    """Return `one` of a program whose inputs are arguments and then directions: of one state, all unit vectors in turn.

    along : for each direction whether it is a joint velocity, else it is as long as the argument in its place. The
    results are ordered by direction; each has the unit vectors of its direction as its last axis.
    """
    flags = ",".join(str(int(x)) for x in along)
    return f"""
I one(const I *restrict sizes, const I *restrict tree, const double *restrict D, const double *restrict G,
         const double *const *in, double *const *out, double *restrict work) {{
  enum {{ TURNED = {len(along)}, OWN = INPUTS - TURNED, PARTS = RESULTS - 1 }};
  static const int along[] = {{{flags}}};
  const I *length = sizes + 6;
  I turns[TURNED], size[RESULTS], total = 0;
  V g[{max(plan.handed_on, 1)}], *vin[INPUTS], *vout[RESULTS];
  V *free = (V *)(((uintptr_t)work / sizeof(V) + 1) * sizeof(V)); /* behind work[0], the count */
  const V *vD = wide_model(D, sizes[4], &free), *vG = wide_model(G, sizes[5], &free);
  for (int a = 0; a < OWN; a++) {{
    vin[a] = free; free += length[a];
    for (I j = 0; j < length[a]; j++) vin[a][j] = splat(in[a][j]);
  }}
  for (int a = 0; a < TURNED; a++) {{
    turns[a] = along[a] ? sizes[2] : length[a];
    total += turns[a];
    vin[OWN + a] = free; free += turns[a];
    for (I j = 0; j < turns[a]; j++) vin[OWN + a][j] = splat(0.0);
    if (turns[a]) for (int r = 0; r < PARTS; r++) size[r] = length[OWN + a * PARTS + r] / turns[a];
  }}
  size[PARTS] = length[OWN + TURNED * PARTS];
  if (total) for (int r = 0; r < RESULTS; r++) {{ vout[r] = free; free += size[r]; }}
  double sum = 0.0;
  for (I b = 0, a = 0, j = 0; b < total; b += LANES) {{
    I own = total - b < LANES ? total - b : LANES, which[LANES], at[LANES];
    for (int l = 0; l < own; l++) {{
      while (j == turns[a]) {{ a++; j = 0; }}
      which[l] = a; at[l] = j++;
      vin[OWN + a][at[l]][l] = 1.0;
    }}
    run_v(sizes[0], sizes[1], sizes[2], tree, vD, vG{c_entries(inputs, results)}, free, g);
    for (int l = 0; l < own; l++) {{
      vin[OWN + which[l]][at[l]][l] = 0.0;
      for (I i = 0; i < size[PARTS]; i++) if (!(vout[PARTS][i][l] > 0.0)) sum = NAN;
      for (int r = 0; r < PARTS; r++) {{
        double *to = out[which[l] * PARTS + r] + at[l];
        for (I i = 0; i < size[r]; i++) {{
          to[i * turns[which[l]]] = vout[r][i][l];
          sum += vout[r][i][l] - vout[r][i][l];
        }}
      }}
    }}
  }}
  work[0] += sum == 0.0;
  return sum == 0.0;
}}
"""


def c_program(
    plan: Plan,
    inputs: int,
    results: int,
    *,
    lanes: bool,
    along: Sequence[bool] | None = None,
) -> str:
    """Return the whole program: for one state at a time, `one`, or for a batch, some side by side, `many`.

    along : of a program whose last inputs are directions, as for `c_slopes`.

    `march` takes many steps. one(sizes, tree, D, G, in, out, w): sizes are n, nq, nv, the length of all records, of D
    and of G, then that of each input and result; the last result is what must be positive.
    """
    suffix = "v" if lanes else "s"
    parts = [
        f"#define INPUTS {inputs}\n#define RESULTS {results}\n",
        PRELUDE,
        VECTORS,
        SIDE_BY_SIDE if lanes else SINGLE,
        UNFIT,
        c_kernel(plan, inputs, results).replace("@", suffix),
        c_march(plan, inputs, results, suffix),
        (c_many if lanes else c_one)(plan, inputs, results),
        "" if along is None else c_slopes(plan, along, inputs, results),
    ]
    return "".join(parts)


def c_table(kind: str, name: str, numbers: Sequence[Any]) -> str:
    """Return a constant array of whole numbers or of floats."""
    said = [float(x).hex() if kind == "double" else str(int(x)) for x in numbers]
    return f"static const {kind} {name}[] = {{{', '.join(said)}}};"


def c_sources(
    plan: Plan, name: str, given: dict[str, int], results: Sequence[int], tables: Sequence[Any]
) -> tuple[str, str]:
    """Return a header and a program for others: a function of that name, of one state.

    given : how long each argument is, by name; results : how long each result is, last what must be positive; tables :
    as from `model_tables`, after n, nq and nv.
    """
    sizes, (tree, data, common), lines = tables[:3], tables[3:], "\n  "
    *own, expected = results
    outs = [f"result{k}" for k in range(len(own))]
    arrays = [f"const double {a}[{max(size, 1)}]" for a, size in given.items()]
    arrays += [f"double {r}[{max(size, 1)}]" for r, size in zip(outs, own, strict=True)]
    top = f"int {name}({', '.join(arrays)})"
    judged = [
        f"for (int j_ = 0; j_ < {size}; j_++) sum_ += {x}[j_] - {x}[j_];"
        for x, size in [*given.items(), *zip(outs, own, strict=True)]
    ]
    header = f"""/* {name}: recorded by chaindyn for one chain; angles in rad, otherwise SI units.
   Returns 0; or 1 where something is no number, or is not as it must be, and results are not to be trusted.
   Nothing is kept from call to call. Compile {name}.c with GCC or Clang and link with -lm, without -ffast-math. */
#ifndef CHAINDYN_{name.upper()}_H
#define CHAINDYN_{name.upper()}_H
#ifdef __cplusplus
extern "C" {{
#endif
{top};
#ifdef __cplusplus
}}
#endif
#endif
"""
    body = f"""{c_kernel(plan, len(given), len(results)).replace("@", "s")}
{top} {{
  {c_table("I", "tree_", tree)}
  {c_table("double", "D_", data)}
  {c_table("double", "G_", common)}
  double held_[{max(expected, 1)}], w_[{plan.room + 1}], g_[{max(plan.handed_on, 1)}], sum_ = 0.0;
  run_s({", ".join([*map(str, sizes), "tree_", "D_", "G_", *given, *outs, "held_", "w_", "g_"])});
  {lines.join(judged)}
  for (int j_ = 0; j_ < {expected}; j_++) if (!(held_[j_] > 0.0)) return 1;
  return !(sum_ == 0.0);
}}
"""
    return header, f'#include "{name}.h"\n{PRELUDE}{SINGLE}{body}'
