// Contacts in a plane: how large their impulses are. What Coulomb's law and the laws of impact ask is emitted from
// chapters 20 and 31, for one contact; here all contacts are gathered, and what they ask is solved. Each contact has
// two components in a row, along its normal and along its tangent: p are impulses, v velocities, and W says how v
// yields to p. A problem is {W, b, mu, known}: b is v without impulses, mu the friction, and `known` what friction may
// be, at each contact, beyond mu times the normal impulse.

import { inner, largest, leastImpulses, meanDiagonal, solveSquare, submatrix, times } from "./contact_algebra.js";
import { lemke } from "./contact_lcp.js";
import { contact_modes } from "./emitted/contact_modes.js";
import { contact_turn } from "./emitted/contact_turn.js";
import { coulomb_conditions } from "./emitted/coulomb_conditions.js";
import { mode_equations } from "./emitted/mode_equations.js";
import { mode_margins } from "./emitted/mode_margins.js";
import { pyramid_impulse } from "./emitted/pyramid_impulse.js";
import { add, norm, scale, subtract, transpose } from "./vectors.js";

// --- Coulomb's law -------------------------------------------------------------------------------------------------
export const ofContact = (x, j) => [x[2 * j], x[2 * j + 1]];
const unit = (n, k) => Array.from({ length: n }, (_, i) => Number(i === k));

// The law as an LCP. Of each contact four are unknown; in a row stand all normal impulses, then friction along and
// against each tangent, then how fast each slips, and of smooth contacts only the first. Returns A, a column for a
// unit of each, b, and how to read p from z.
function coulombLcp({ W, b, mu, known }) {
  const m = known.length;
  const size = meanDiagonal(W);
  const unknowns = Array.from({ length: mu > 0 ? 4 * m : m }, (_, i) => [i % m, Math.floor(i / m)]);
  const asked = (conditions) => unknowns.map(([j, part]) => conditions[j][part]);
  const nothing = [0, 0, 0, 0];
  const columns = unknowns.map(([k, part]) => {
    const z = unit(4, part);
    const p = pyramid_impulse(z);
    const v = (row) => (row[2 * k] * p[0] + row[2 * k + 1] * p[1]) / size;
    return asked(known.map((_, j) => coulomb_conditions(j === k ? z : nothing, [v(W[2 * j]), v(W[2 * j + 1])], mu, 0)));
  });
  const impulses = (z) => {
    const parts = known.map(() => [...nothing]);
    unknowns.forEach(([j, part], i) => {
      parts[j][part] = z[i] / size;
    });
    return parts.flatMap(pyramid_impulse);
  };
  const start = known.map((more, j) => coulomb_conditions(nothing, ofContact(b, j), mu, size * more));
  return { A: transpose(columns), b: asked(start), impulses };
}

const [OPEN, STICKS, ...OTHERS] = contact_modes();

// A smooth contact is open or pushes; where friction is known, there are more modes than four.
const modesFor = (mu, some) =>
  mu > 0 ? (some ? [STICKS, ...OTHERS] : [OPEN, STICKS, ...OTHERS.slice(0, 2)]) : [OPEN, [1, 0, 0]];

const STILL = [0, 0];
export const coneMargins = (p, mu, more) => mode_margins(p, STILL, mu, more, STICKS)[0];
const holds = (p, j, mu, more, slack = 0) => coneMargins(ofContact(p, j), mu, more).every((x) => x >= -slack);

// The smallest p at which nothing moves, or null if some contact would have to pull, or friction were too large.
function allStuck({ W, b, mu, known }) {
  const asked = b.map((_, k) => k).filter((k) => mu > 0 || k % 2 === 0);
  const [own, right] = [submatrix(W, asked, asked), asked.map((k) => b[k])];
  const some = leastImpulses(own, right);
  const p = b.map(() => 0);
  asked.forEach((k, i) => {
    p[k] = some[i];
  });
  const size = Math.max(...W.map(largest)) * largest(p);
  const missed = largest(add(times(own, some), right));
  return missed <= 1e-12 * size && known.every((more, j) => holds(p, j, mu, more)) ? p : null;
}

// The smallest impulses of what sticks that do the same as p, where they obey the law: forces are not unique, and
// these are even.
function evened({ W, b, mu, known }, p) {
  const v = add(times(W, p), b);
  const size = Math.max(largest(b), 1e-12);
  const pushes = known.map((_, j) => p[2 * j] > 0 && Math.abs(v[2 * j]) <= 1e-9 * size);
  const sticks = b
    .map((_, k) => k)
    .filter((k) => pushes[k >> 1] && (k % 2 === 0 || (mu > 0 && Math.abs(v[k]) <= 1e-9 * size)));
  const fixed = known.map((_, j) => pushes[j] && mu > 0 && !sticks.includes(2 * j + 1));
  const free = sticks.filter((k) => !fixed[k >> 1]);
  if (!free.length) return p;
  const own = submatrix(W, free, free);
  const some = leastImpulses(
    own,
    scale(
      -1,
      times(
        own,
        free.map((k) => p[k]),
      ),
    ),
  );
  const even = [...p];
  free.forEach((k, i) => {
    even[k] = some[i];
  });
  const same = largest(subtract(times(W, even), times(W, p))) <= 1e-10 * size;
  return same && known.every((more, j) => holds(even, j, mu, more, 1e-12 * largest(p)))
    ? even.map((x, k) => (k % 2 ? x : Math.max(0, x)))
    : p;
}

// By how much p fails to obey the law, as a speed: how much a turn would change it, for contacts that yield alike.
function residualOf({ W, b, mu, known }, p) {
  const size = meanDiagonal(W);
  const yields = [
    [size, 0],
    [0, size],
  ];
  return known.reduce((most, more, j) => {
    const own = ofContact(p, j);
    const turned = contact_turn(own, velocityOf(W, b, p, j), yields, mu, more);
    return Math.max(most, size * Math.abs(turned[0] - own[0]), size * Math.abs(turned[1] - own[1]));
  }, 0);
}

const velocityOf = (W, b, p, j) => [inner(W[2 * j], p) + b[2 * j], inner(W[2 * j + 1], p) + b[2 * j + 1]];

// --- Three solvers: each returns {p, iterations, count} ------------------------------------------------------------
function byLemke(problem) {
  const stuck = allStuck(problem);
  if (stuck) return { p: stuck, iterations: 0, count: "" };
  const lcp = coulombLcp(problem);
  const { z, iterations } = lemke(lcp.A, lcp.b);
  return { p: evened(problem, lcp.impulses(z)), iterations, count: "" };
}

// Each contact in its turn puts right its own push, then its own friction, as if all others were right.
function bySweeps({ W, b, mu, known }, { sweeps }) {
  const p = b.map(() => 0);
  const own = known.map((_, j) => submatrix(W, [2 * j, 2 * j + 1], [2 * j, 2 * j + 1]));
  const enough = 1e-14 * largest(b);
  let count = 0;
  while (count < sweeps) {
    count += 1;
    known.forEach((more, j) => {
      [p[2 * j], p[2 * j + 1]] = contact_turn(ofContact(p, j), velocityOf(W, b, p, j), own[j], mu, more);
    });
    if (residualOf({ W, b, mu, known }, p) <= enough) break;
  }
  return { p, iterations: count, count: "" };
}

// All modes of all contacts. `count` says how many motions obey the law.
const MOST_MODES = 1024;

function byModes(problem) {
  const { b, mu, known, beyond = known } = problem;
  const kinds = modesFor(
    mu,
    beyond.some((x) => x > 0),
  );
  const modes = kinds.length ** known.length;
  if (modes > MOST_MODES) return { ...byLemke(problem), count: "too many" };
  const equations = equationsOf(problem, kinds);
  const found = [];
  for (let mode = 0; mode < modes; mode++) {
    const p = ofMode(
      problem,
      kinds,
      equations,
      known.map((_, j) => Math.floor(mode / kinds.length ** j) % kinds.length),
    );
    if (p && found.every((other) => largest(times(problem.W, subtract(p, other))) > 1e-8 * largest(b))) found.push(p);
  }
  if (!found.length) throw new Error(`none of the ${modes} modes fits: the law has no answer here`);
  const smallest = found.reduce((best, p) => (norm(p) < norm(best) ? p : best));
  return { p: evened(problem, smallest), iterations: modes, count: found.length > 1 ? "many" : "one" };
}

// Of each contact in each mode its two equations: rows of what units of all impulses do, in which speeds and impulses
// are of one size, and what is left without impulses. `asked` are impulses of which the equation does not say that
// they are zero.
function equationsOf({ W, b, mu, known }, kinds) {
  const size = meanDiagonal(W);
  return known.map((more, j) =>
    kinds.map((mode) => {
      const columns = b.map((_, k) => {
        const own = k >> 1 === j ? unit(2, k % 2) : STILL;
        return mode_equations(own, [W[2 * j][k] / size, W[2 * j + 1][k] / size], mu, 0, mode);
      });
      const [rows, left] = [transpose(columns), mode_equations(STILL, ofContact(b, j), mu, size * more, mode)];
      const asked = [2 * j, 2 * j + 1].filter((k, i) => left[i] !== 0 || rows[i].some((x, l) => x !== 0 && l !== k));
      return { rows, left, asked };
    }),
  );
}

// p of one mode, or null if it does not fit; `chosen` are the places of the contacts' kinds. A singular mode is left
// out: where it has an answer, another mode with fewer unknowns has it too.
function ofMode({ W, b, mu, known }, kinds, equations, chosen) {
  const own = chosen.map((kind, j) => equations[j][kind]);
  const unknown = own.flatMap(({ asked }) => asked);
  const rows = unknown.map((k) => unknown.map((l) => own[k >> 1].rows[k % 2][l]));
  const solved = solveSquare(
    rows,
    unknown.map((k) => -own[k >> 1].left[k % 2]),
  );
  if (!solved) return null;
  const p = b.map(() => 0);
  const size = meanDiagonal(W);
  unknown.forEach((k, i) => {
    p[k] = solved[i] / size;
  });
  const v = add(times(W, p), b);
  const [little, slow] = [1e-11 * largest(p), 1e-11 * Math.max(largest(b), largest(v))];
  const fits = chosen.every((kind, j) => {
    const [impulses, speeds] = mode_margins(ofContact(p, j), ofContact(v, j), mu, known[j], kinds[kind]);
    return impulses.every((x) => x >= -little) && speeds.every((x) => x >= -slow);
  });
  return fits ? p.map((x, k) => (k % 2 ? x : Math.max(0, x))) : null;
}

const SOLVERS = { lemke: byLemke, pgs: bySweeps, modes: byModes };

// Where rounding leaves a solver no room, it is given a problem that lies next to its own: speeds, and what friction
// may be, larger by the first share of the largest, and contacts that yield to themselves by the second share of the
// mean more.
const NEXT_TO = [
  [0, 0],
  [1e-12, 0],
  [1e-12, 1e-14],
  [1e-12, 1e-12],
  [1e-10, 1e-11],
  [1e-9, 1e-10],
  [1e-8, 1e-10],
];

// Impulses by the solver that `how` names. The work that was done is kept in `how.work`: the iterations of all calls,
// the largest residual, and the count of motions.
export function contactImpulses(problem, how) {
  const { W, b } = problem;
  const known = problem.known ?? new Array(b.length / 2).fill(0);
  let why;
  for (const [more, share] of NEXT_TO) {
    const wider = b.map((x, k) => (k % 2 ? x : x + more * largest(b)));
    const freer = known.map((x) => x + (more * largest(b)) / meanDiagonal(W));
    const yielding = share ? W.map((row, i) => row.map((x, j) => (i === j ? x + share * meanDiagonal(W) : x))) : W;
    try {
      const { p, iterations, count } = SOLVERS[how.solver](
        { ...problem, W: yielding, b: wider, known: freer, beyond: known },
        how,
      );
      const { work } = how;
      Object.assign(work, {
        iterations: work.iterations + iterations,
        residual: Math.max(work.residual, residualOf({ ...problem, known }, p)),
        count: count || work.count,
      });
      return p;
    } catch (caught) {
      why ??= caught;
    }
  }
  throw why;
}
