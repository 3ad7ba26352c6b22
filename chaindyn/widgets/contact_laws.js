// Contacts in a plane: how large their impulses are. What Coulomb's law and the laws of impact ask is emitted from chapter 17, for
// one contact; here all contacts are gathered, and what they ask is solved. Each contact has two components in a row, along its
// normal and along its tangent: p are impulses, v velocities, and W says how v yields to p. A problem is {W, b, mu, known}: b is v
// without impulses, mu the friction, and `known` what friction may be, at each contact, beyond mu times the normal impulse.

import { add, norm, scale, subtract, transpose } from "./base.js";
import { contact_modes } from "./emitted/contact_modes.js";
import { contact_turn } from "./emitted/contact_turn.js";
import { coulomb_conditions } from "./emitted/coulomb_conditions.js";
import { mode_equations } from "./emitted/mode_equations.js";
import { mode_margins } from "./emitted/mode_margins.js";
import { moreau_blow } from "./emitted/moreau_blow.js";
import { newton_blow } from "./emitted/newton_blow.js";
import { poisson_blow } from "./emitted/poisson_blow.js";
import { pyramid_impulse } from "./emitted/pyramid_impulse.js";

// Each step of a stack makes tens of thousands of these products: plain loops keep it within a frame.
export function inner(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
export const times = (A, x) => A.map((row) => inner(row, x));
export function largest(x) {
  let most = 0;
  for (let i = 0; i < x.length; i++) most = Math.max(most, Math.abs(x[i]));
  return most;
}
export const square = (n) => Array.from({ length: n }, () => new Array(n).fill(0));
const submatrix = (A, rows, columns) => rows.map((i) => columns.map((j) => A[i][j]));
const meanDiagonal = (W) => W.reduce((sum, row, i) => sum + row[i], 0) / W.length || 1;

// --- Linear equations -----------------------------------------------------------------------------------------------------

// x with A x = b, or null if A is singular: if no pivot is larger than a share of its largest entry.
function solveSquare(A, b, share = 1e-11) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const nothing = share * Math.max(0, ...A.map(largest));
  for (let k = 0; k < rows.length; k++) {
    let best = k;
    for (let i = k + 1; i < rows.length; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    if (!(Math.abs(rows[best][k]) > nothing)) return null;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < rows.length; i++) {
      const factor = rows[i][k] / rows[k][k];
      if (factor !== 0) for (let j = k; j <= rows.length; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const x = new Array(rows.length).fill(0);
  for (let k = rows.length - 1; k >= 0; k--) {
    let rest = rows[k][rows.length];
    for (let j = k + 1; j < rows.length; j++) rest -= rows[k][j] * x[j];
    x[k] = rest / rows[k][k];
  }
  return x;
}

// The columns of C with W = C C^T, as many as the rank of a positive semidefinite W, the largest pivot first.
function rootColumns(W) {
  const left = W.map((row, i) => row[i]);
  const nothing = 1e-11 * largest(left);
  const columns = [];
  while (columns.length < W.length) {
    const k = left.indexOf(Math.max(...left));
    if (!(left[k] > nothing)) break;
    const root = Math.sqrt(left[k]);
    const column = W.map((row) => row[k]);
    for (const c of columns) for (let i = 0; i < c.length; i++) column[i] -= c[i] * c[k];
    for (let i = 0; i < column.length; i++) left[i] -= (column[i] /= root) ** 2;
    left[k] = 0;
    columns.push(column);
  }
  return columns;
}

// The smallest p with W p = -b, for b in the range of a positive semidefinite W; corrected once for rounding.
function leastImpulses(W, b) {
  const columns = rootColumns(W);
  const products = columns.map((column) => times(columns, column));
  const inverse = (x) => solveSquare(products, x, 0);
  const least = (right) => {
    const y = inverse(inverse(times(columns, right)));
    const p = right.map(() => 0);
    columns.forEach((column, k) => { for (let i = 0; i < p.length; i++) p[i] -= column[i] * y[k]; });
    return p;
  };
  const p = least(b);
  return add(p, least(add(times(W, p), b)));
}

// --- Linear complementarity: w = A z + b, w and z >= 0, w.z = 0 -----------------------------------------------------------

function pivotOn(tableau, row, column) {
  const own = tableau[row];
  const by = own[column];
  for (let k = 0; k < own.length; k++) own[k] /= by;
  for (const other of tableau) {
    const share = other[column];
    if (other === own || share === 0) continue;
    for (let k = 0; k < own.length; k++) other[k] -= share * own[k];
    other[column] = 0;
  }
}

// The row of the lexicographically least ratio, undefined if nothing grows; `last`, with which the path ends, goes first of equals.
function leavingRow(tableau, column, last) {
  const least = tableau.reduce((most, row) => Math.max(most, Math.abs(row[column])), 0) * 1e-11;
  const n = tableau.length;
  let rows = tableau.map((_, i) => i).filter((i) => tableau[i][column] > least);
  for (let j = -1; j < n && rows.length > 1; j++) {
    const value = (i) => tableau[i][j < 0 ? 2 * n + 1 : j];
    const smallest = Math.min(...rows.map((i) => value(i) / tableau[i][column]));
    rows = rows.filter((i) => value(i) - smallest * tableau[i][column] <= 1e-12); // of entries of size one, what is rounding
    if (j < 0 && rows.includes(last)) return last;
  }
  return rows[0];
}

// z by Lemke's path, and the number of pivots. Throws if the path ends on a ray.
function lemke(A, b) {
  const n = b.length;
  if (b.every((x) => x >= 0)) return { z: b.map(() => 0), iterations: 0 };
  const [large, most] = [Math.max(...A.map(largest)) || 1, largest(b)];
  const tableau = A.map((row, i) => Float64Array.from([...row.map((_, j) => Number(i === j)), ...row.map((x) => -x / large), -1, b[i] / most]));
  const basis = b.map((_, i) => i); // w_i is i, z_i is n + i, z_0 is 2 n
  let [entering, row] = [2 * n, b.lastIndexOf(Math.min(...b))];
  for (let count = 1; count <= 1000 + 100 * n; count++) {
    pivotOn(tableau, row, entering);
    const left = basis[row];
    basis[row] = entering;
    if (left === 2 * n) {
      const z = new Array(2 * n).fill(0);
      basis.forEach((k, i) => (z[k] = Math.max(0, tableau[i][2 * n + 1] * (most / large))));
      return { z: polished(A, b, z.slice(n), basis.filter((k) => k >= n).map((k) => k - n)), iterations: count };
    }
    entering = left < n ? left + n : left - n;
    row = leavingRow(tableau, entering, basis.indexOf(2 * n));
    if (row === undefined) throw new Error("Lemke\u2019s path ends on a ray: the law has no answer here");
  }
  throw new Error("Lemke\u2019s path does not end: rounding hides it");
}
const residualOfLcp = (A, b, z) => largest(times(A, z).map((x, i) => Math.min(z[i], x + b[i])));
function polished(A, b, z, active) {
  const solved = solveSquare(submatrix(A, active, active), active.map((i) => -b[i]));
  if (!solved) return z;
  const again = z.map(() => 0);
  active.forEach((i, k) => (again[i] = Math.max(0, solved[k])));
  return residualOfLcp(A, b, again) < residualOfLcp(A, b, z) ? again : z;
}

// --- Coulomb's law --------------------------------------------------------------------------------------------------------

export const ofContact = (x, j) => [x[2 * j], x[2 * j + 1]];
const unit = (n, k) => Array.from({ length: n }, (_, i) => Number(i === k));

// The law as an LCP. Of each contact four are unknown; in a row stand all normal impulses, then friction along and against each
// tangent, then how fast each slips, and of smooth contacts only the first. Returns A, a column for a unit of each, b, and how
// to read p from z.
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
    unknowns.forEach(([j, part], i) => (parts[j][part] = z[i] / size));
    return parts.flatMap(pyramid_impulse);
  };
  const start = known.map((more, j) => coulomb_conditions(nothing, ofContact(b, j), mu, size * more));
  return { A: transpose(columns), b: asked(start), impulses };
}

const [OPEN, STICKS, ...OTHERS] = contact_modes();
// A smooth contact is open or pushes; where friction is known, there are more modes than four.
const modesFor = (mu, some) => (mu > 0 ? (some ? [STICKS, ...OTHERS] : [OPEN, STICKS, ...OTHERS.slice(0, 2)]) : [OPEN, [1, 0, 0]]);
const STILL = [0, 0];
export const coneMargins = (p, mu, more) => mode_margins(p, STILL, mu, more, STICKS)[0];
const holds = (p, j, mu, more, slack = 0) => coneMargins(ofContact(p, j), mu, more).every((x) => x >= -slack);

// The smallest p at which nothing moves, or null if some contact would have to pull, or friction were too large.
function allStuck({ W, b, mu, known }) {
  const asked = b.map((_, k) => k).filter((k) => mu > 0 || k % 2 === 0);
  const [own, right] = [submatrix(W, asked, asked), asked.map((k) => b[k])];
  const some = leastImpulses(own, right);
  const p = b.map(() => 0);
  asked.forEach((k, i) => (p[k] = some[i]));
  const size = Math.max(...W.map(largest)) * largest(p);
  const missed = largest(add(times(own, some), right));
  return missed <= 1e-12 * size && known.every((more, j) => holds(p, j, mu, more)) ? p : null;
}

// The smallest impulses of what sticks that do the same as p, where they obey the law: forces are not unique, and these are even.
function evened({ W, b, mu, known }, p) {
  const v = add(times(W, p), b);
  const size = Math.max(largest(b), 1e-12);
  const pushes = known.map((_, j) => p[2 * j] > 0 && Math.abs(v[2 * j]) <= 1e-9 * size);
  const sticks = b.map((_, k) => k).filter((k) => pushes[k >> 1] && (k % 2 === 0 || (mu > 0 && Math.abs(v[k]) <= 1e-9 * size)));
  const fixed = known.map((_, j) => pushes[j] && mu > 0 && !sticks.includes(2 * j + 1));
  const free = sticks.filter((k) => !fixed[k >> 1]);
  if (!free.length) return p;
  const own = submatrix(W, free, free);
  const some = leastImpulses(own, scale(-1, times(own, free.map((k) => p[k]))));
  const even = [...p];
  free.forEach((k, i) => (even[k] = some[i]));
  const same = largest(subtract(times(W, even), times(W, p))) <= 1e-10 * size;
  return same && known.every((more, j) => holds(even, j, mu, more, 1e-12 * largest(p))) ? even.map((x, k) => (k % 2 ? x : Math.max(0, x))) : p;
}

// By how much p fails to obey the law, as a speed: how much a turn would change it, for contacts that yield alike.
function residualOf({ W, b, mu, known }, p) {
  const size = meanDiagonal(W);
  const yields = [[size, 0], [0, size]];
  return known.reduce((most, more, j) => {
    const own = ofContact(p, j);
    const turned = contact_turn(own, velocityOf(W, b, p, j), yields, mu, more);
    return Math.max(most, size * Math.abs(turned[0] - own[0]), size * Math.abs(turned[1] - own[1]));
  }, 0);
}
const velocityOf = (W, b, p, j) => [inner(W[2 * j], p) + b[2 * j], inner(W[2 * j + 1], p) + b[2 * j + 1]];

// --- Three solvers: each returns {p, iterations, count} -------------------------------------------------------------------

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
  const kinds = modesFor(mu, beyond.some((x) => x > 0));
  const modes = kinds.length ** known.length;
  if (modes > MOST_MODES) return { ...byLemke(problem), count: "too many" };
  const equations = equationsOf(problem, kinds);
  const found = [];
  for (let mode = 0; mode < modes; mode++) {
    const p = ofMode(problem, kinds, equations, known.map((_, j) => Math.floor(mode / kinds.length ** j) % kinds.length));
    if (p && found.every((other) => largest(times(problem.W, subtract(p, other))) > 1e-8 * largest(b))) found.push(p);
  }
  if (!found.length) throw new Error(`none of the ${modes} modes fits: the law has no answer here`);
  const smallest = found.reduce((best, p) => (norm(p) < norm(best) ? p : best));
  return { p: evened(problem, smallest), iterations: modes, count: found.length > 1 ? "many" : "one" };
}
// Of each contact in each mode its two equations: rows of what units of all impulses do, in which speeds and impulses are of one size,
// and what is left without impulses. `asked` are impulses of which the equation does not say that they are zero.
function equationsOf({ W, b, mu, known }, kinds) {
  const size = meanDiagonal(W);
  return known.map((more, j) => kinds.map((mode) => {
    const columns = b.map((_, k) => {
      const own = k >> 1 === j ? unit(2, k % 2) : STILL;
      return mode_equations(own, [W[2 * j][k] / size, W[2 * j + 1][k] / size], mu, 0, mode);
    });
    const [rows, left] = [transpose(columns), mode_equations(STILL, ofContact(b, j), mu, size * more, mode)];
    const asked = [2 * j, 2 * j + 1].filter((k, i) => left[i] !== 0 || rows[i].some((x, l) => x !== 0 && l !== k));
    return { rows, left, asked };
  }));
}
// p of one mode, or null if it does not fit; `chosen` are the places of the contacts' kinds. A singular mode is left out: where it
// has an answer, another mode with fewer unknowns has it too.
function ofMode({ W, b, mu, known }, kinds, equations, chosen) {
  const own = chosen.map((kind, j) => equations[j][kind]);
  const unknown = own.flatMap(({ asked }) => asked);
  const rows = unknown.map((k) => unknown.map((l) => own[k >> 1].rows[k % 2][l]));
  const solved = solveSquare(rows, unknown.map((k) => -own[k >> 1].left[k % 2]));
  if (!solved) return null;
  const p = b.map(() => 0);
  const size = meanDiagonal(W);
  unknown.forEach((k, i) => (p[k] = solved[i] / size));
  const v = add(times(W, p), b);
  const [little, slow] = [1e-11 * largest(p), 1e-11 * Math.max(largest(b), largest(v))];
  const fits = chosen.every((kind, j) => {
    const [impulses, speeds] = mode_margins(ofContact(p, j), ofContact(v, j), mu, known[j], kinds[kind]);
    return impulses.every((x) => x >= -little) && speeds.every((x) => x >= -slow);
  });
  return fits ? p.map((x, k) => (k % 2 ? x : Math.max(0, x))) : null;
}

const SOLVERS = { lemke: byLemke, pgs: bySweeps, modes: byModes };

// Where rounding leaves a solver no room, it is given a problem that lies next to its own: speeds, and what friction may be, larger by
// the first share of the largest, and contacts that yield to themselves by the second share of the mean more.
const NEXT_TO = [[0, 0], [1e-12, 0], [1e-12, 1e-14], [1e-12, 1e-12], [1e-10, 1e-11], [1e-9, 1e-10], [1e-8, 1e-10]];

// Impulses by the solver that `how` names. The work that was done is kept in `how.work`: the iterations of all calls, the largest
// residual, and the count of motions.
function contactImpulses(problem, how) {
  const { W, b } = problem;
  const known = problem.known ?? new Array(b.length / 2).fill(0);
  let why;
  for (const [more, share] of NEXT_TO) {
    const wider = b.map((x, k) => (k % 2 ? x : x + more * largest(b)));
    const freer = known.map((x) => x + (more * largest(b)) / meanDiagonal(W));
    const yielding = share ? W.map((row, i) => row.map((x, j) => (i === j ? x + share * meanDiagonal(W) : x))) : W;
    try {
      const { p, iterations, count } = SOLVERS[how.solver]({ ...problem, W: yielding, b: wider, known: freer, beyond: known }, how);
      const { work } = how;
      Object.assign(work, { iterations: work.iterations + iterations, residual: Math.max(work.residual, residualOf({ ...problem, known }, p)), count: count || work.count });
      return p;
    } catch (caught) {
      why ??= caught;
    }
  }
  throw why;
}

// --- Laws of impact: impulses of one blow at contacts that come with velocities v -----------------------------------------

const BLOWS = { newton: newton_blow, poisson: poisson_blow, moreau: moreau_blow };
export const normalsOf = (v) => v.map((_, k) => Number(k % 2 === 0));
export const forEach = (v, x) => v.map(() => x);

// Whom a law of impact asks. With one restitution, at most 1, energy allows all that Moreau's law returns.
export const struckBy = (W, mu, how) => ({
  impulses: (b, known) => contactImpulses({ W, b, mu, known: known.filter((_, k) => k % 2 === 0) }, how),
  response: (p) => times(W, p),
  affordable: (again) => again,
});
function blowBy(law, W, v, restitution, mu, how) {
  const [p] = BLOWS[law](struckBy(W, mu, how), v, forEach(v, restitution), normalsOf(v), forEach(v, mu));
  return p;
}

// Which contacts take part in the next blow: all, or those that approach fastest; none if nothing approaches.
function struckNext(v, order, limit) {
  const contacts = v.filter((_, k) => k % 2 === 0);
  const fastest = Math.min(...contacts);
  if (!(fastest < -limit)) return [];
  return contacts.map((_, j) => j).filter((j) => order === "together" || contacts[j] <= fastest * (1 - 1e-9));
}

// The impulses of all blows until nothing approaches faster than the limit, and their number. After 100 for each contact a last one
// is together and without restitution.
export function seriesOfBlows(W, v, { restitution, friction, law, order }, how, limit = 1e-12 * largest(v)) {
  const total = v.map(() => 0);
  const most = 50 * v.length;
  for (let count = 0; count <= most; count++) {
    const now = add(v, times(W, total));
    const struck = struckNext(now, count === most ? "together" : order, limit);
    if (!struck.length) return { p: total, blows: count };
    if (largest(now) > 1e6 * largest(v)) throw new Error(`the law gains energy with each blow: after ${count} blows all is 1e6 times faster`);
    const own = struck.flatMap((j) => [2 * j, 2 * j + 1]);
    const more = blowBy(law, submatrix(W, own, own), own.map((k) => now[k]), count === most ? 0 : restitution, friction, how);
    own.forEach((k, i) => (total[k] += more[i]));
  }
  return { p: total, blows: most + 1 };
}
