// Feedback for a linear model dx/dt = A x + B u: the Riccati equation, and eigenvalues. Matrices are lists of rows.

function product(A, B) {
  return A.map((row) => {
    const sum = new Float64Array(B[0].length);
    for (let k = 0; k < row.length; k++) {
      const [x, other] = [row[k], B[k]];
      for (let j = 0; j < sum.length; j++) sum[j] += x * other[j];
    }
    return sum;
  });
}

const flipped = (A) => Array.from(A[0], (_, j) => Float64Array.from(A, (row) => row[j]));
const sumOf = (A, B) => A.map((row, i) => row.map((x, j) => x + B[i][j]));
const shifted = (A, s) => A.map((row, i) => row.map((x, j) => (i === j ? x + s : x)));

const identity = (n) =>
  Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => Number(i === j)));

const stretched = (A, s) => A.map((row) => row.map((x) => s * x));
const evenly = (A) => A.map((row, i) => row.map((x, j) => (x + A[j][i]) / 2)); // symmetric, but for rounding
const farthest = (A) => A.reduce((most, row) => row.reduce((far, x) => Math.max(far, Math.abs(x)), most), 0);
const UNHELD = "no feedback holds this: the Riccati equation has no stabilising solution";

// X with A X = B, by elimination with row pivots.
function solveColumns(A, B) {
  const [n, rows] = [A.length, A.map((row, i) => Float64Array.from([...row, ...B[i]]))];
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    if (!(Math.abs(rows[best][k]) > 0)) throw new Error(UNHELD);
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const share = rows[i][k] / rows[k][k];
      const [own, other] = [rows[i], rows[k]];
      if (share !== 0) for (let j = k; j < own.length; j++) own[j] -= share * other[j];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    const own = rows[k];
    for (let i = k + 1; i < n; i++) {
      const [share, other] = [own[i], rows[i]];
      if (share !== 0) for (let j = n; j < own.length; j++) own[j] -= share * other[j];
    }
    for (let j = n; j < own.length; j++) own[j] /= rows[k][k];
  }
  return rows.map((row) => row.slice(n));
}

// P of A'P + P A + W = 0 for an A whose motions decay, by doubling (Smith, 1968): P sums U'^k M U^k, and each turn
// takes twice as many.
const TURNS = 60;

function lyapunov(A, W, shift) {
  const inverse = solveColumns(shifted(A, -shift), identity(A.length));
  let U = product(inverse, shifted(A, shift));
  let P = evenly(stretched(product(flipped(inverse), product(W, inverse)), 2 * shift));
  for (let k = 0; k < TURNS; k++) {
    const more = product(flipped(U), product(P, U));
    P = evenly(sumOf(P, more));
    if (!(farthest(more) > Number.EPSILON * farthest(P))) break;
    U = product(U, U);
  }
  return P;
}

// The stabilising P of A'P + P A - P G P + Q = 0: by structured doubling (Chu, Fan and Lin, 2005), each turn of which
// squares the map (s + shift) / (s - shift) of every eigenvalue s, and then a step of Newton's method (Kleinman,
// 1968) against rounding.
function riccati(A, G, Q) {
  // Above all eigenvalues of a chain at rest, whose squares are those of a part of A, and those are no larger than
  // its rows.
  const shift = 1.25 * Math.sqrt(Math.max(1, ...A.map((row) => row.reduce((sum, x) => sum + Math.abs(x), 0))));
  const [left, unit] = [shifted(A, -shift), identity(A.length)];
  const W = solveColumns(sumOf(flipped(left), product(Q, solveColumns(left, G))), unit);
  const inverse = solveColumns(left, unit);
  let a = shifted(stretched(flipped(W), 2 * shift), 1);
  let g = evenly(stretched(product(inverse, product(G, W)), 2 * shift));
  let P = evenly(stretched(product(W, product(Q, inverse)), 2 * shift));
  let more = P;
  for (let k = 0; k < TURNS && farthest(more) > Number.EPSILON * farthest(P); k++) {
    const both = solveColumns(
      shifted(product(g, P), 1),
      a.map((row, i) => [...row, ...g[i]]),
    );
    const [through, along] = [
      both.map((row) => row.slice(0, row.length / 2)),
      both.map((row) => row.slice(row.length / 2)),
    ];
    more = product(flipped(a), product(P, through));
    g = evenly(sumOf(g, product(a, product(along, flipped(a)))));
    P = evenly(sumOf(P, more));
    a = product(a, through);
  }
  const closed = sumOf(A, stretched(product(G, P), -1));
  const half = product(P, sumOf(A, stretched(product(G, P), -0.5)));
  P = sumOf(P, lyapunov(closed, sumOf(Q, sumOf(half, flipped(half))), shift));
  if (!Number.isFinite(farthest(P))) throw new Error(UNHELD);
  return P;
}

// The gain K of u = -K x that keeps the integral of x'Q x + u'R u smallest; Q and R are diagonal, given as lists.
export function lqr(A, B, Q, R) {
  const pull = flipped(B).map((row, i) => row.map((x) => x / R[i])); // R^-1 B'
  const weights = A.map((row, i) => row.map((_, j) => (i === j ? Q[i] : 0)));
  return product(pull, riccati(A, product(B, pull), weights)).map((row) => [...row]);
}

// --- Eigenvalues: to a Hessenberg matrix by reflections, and from there by rotations with Wilkinson's shifts, in com

// Scaled by powers of two until rows and columns have about the same size.
function balancedMatrix(A) {
  const M = A.map((row) => [...row]);
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 0; i < M.length; i++) {
      let [c, r] = [0, 0];
      for (let j = 0; j < M.length; j++) if (j !== i) [c, r] = [c + Math.abs(M[j][i]), r + Math.abs(M[i][j])];
      if (c === 0 || r === 0) continue;
      const f = 2 ** Math.round(Math.log2(r / c) / 2);
      if (c * f + r / f > 0.95 * (c + r)) continue;
      changed = true;
      for (let j = 0; j < M.length; j++) M[i][j] /= f;
      for (let j = 0; j < M.length; j++) M[j][i] *= f;
    }
  }
  return M;
}

function hessenberg(A) {
  const M = balancedMatrix(A);
  const n = M.length;
  for (let k = 0; k < n - 2; k++) {
    const v = M.map((row, i) => (i > k ? row[k] : 0));
    const size = Math.hypot(...v);
    if (size === 0) continue;
    v[k + 1] += v[k + 1] < 0 ? -size : size;
    const beta = 2 / v.reduce((sum, x) => sum + x * x, 0);
    for (let j = 0; j < n; j++) {
      let s = 0;
      for (let i = k + 1; i < n; i++) s += v[i] * M[i][j];
      for (let i = k + 1; i < n; i++) M[i][j] -= beta * s * v[i];
    }
    for (let i = 0; i < n; i++) {
      let s = 0;
      for (let j = k + 1; j < n; j++) s += M[i][j] * v[j];
      for (let j = k + 1; j < n; j++) M[i][j] -= beta * s * v[j];
    }
  }
  return M;
}

// The eigenvalue of [[a, b], [c, d]] that is nearer to d; complex numbers are [re, im].
function nearerRoot(a, b, c, d) {
  const half = [(a[0] - d[0]) / 2, (a[1] - d[1]) / 2];
  const bc = [b[0] * c[0] - b[1] * c[1], b[0] * c[1] + b[1] * c[0]];
  const root = complexRoot([half[0] ** 2 - half[1] ** 2 + bc[0], 2 * half[0] * half[1] + bc[1]]);
  const sign = half[0] * root[0] + half[1] * root[1] > 0 ? -1 : 1;
  return [d[0] + half[0] + sign * root[0], d[1] + half[1] + sign * root[1]];
}

function complexRoot([x, y]) {
  const size = Math.hypot(x, y);
  const re = Math.sqrt((size + Math.abs(x)) / 2);
  if (re === 0) return [0, 0];
  const im = y / (2 * re);
  return x >= 0 ? [re, im] : [Math.abs(im), y < 0 ? -re : re];
}

// All eigenvalues [re, im] of a real matrix, the slowest to decay first.
export function eigenvaluesOf(A) {
  const n = A.length;
  const re = hessenberg(A).map((row) => Float64Array.from(row));
  const im = re.map(() => new Float64Array(n));
  const found = [];
  let [end, tries] = [n - 1, 0];
  while (end >= 0) {
    let start = end;
    const at = (i, j) => [re[i][j], im[i][j]];
    const sizeOf = (i, j) => Math.abs(re[i][j]) + Math.abs(im[i][j]);
    while (
      start > 0 &&
      sizeOf(start, start - 1) > Number.EPSILON * (sizeOf(start, start) + sizeOf(start - 1, start - 1))
    )
      start--;
    if (start === end) {
      found.push(at(end, end));
      [end, tries] = [end - 1, 0];
      continue;
    }
    if (++tries > 200) throw new Error("the eigenvalues do not converge");
    const shift =
      tries % 10
        ? nearerRoot(at(end - 1, end - 1), at(end - 1, end), at(end, end - 1), at(end, end))
        : [sizeOf(end, end - 1), 0];
    qrSweep(re, im, start, end, shift);
  }
  return found.sort((one, other) => other[0] - one[0] || one[1] - other[1]);
}

// One step H - s = Q R, H = R Q + s, on the rows and columns from start to end.
/**
 * @param {any[]} re
 * @param {any[]} im
 * @param {number} start
 * @param {number} end
 * @param {number[]} shift
 */
function qrSweep(re, im, start, end, [sr, si]) {
  for (let i = start; i <= end; i++) [re[i][i], im[i][i]] = [re[i][i] - sr, im[i][i] - si];
  const turns = [];
  for (let k = start; k < end; k++) {
    const [xr, xi, yr, yi] = [re[k][k], im[k][k], re[k + 1][k], im[k + 1][k]];
    const size = Math.hypot(xr, xi, yr, yi) || 1;
    const [cr, ci, dr, di] = [xr / size, xi / size, yr / size, yi / size];
    turns.push([cr, ci, dr, di]);
    for (let j = k; j <= end; j++) {
      const [ar, ai, br, bi] = [re[k][j], im[k][j], re[k + 1][j], im[k + 1][j]];
      re[k][j] = cr * ar + ci * ai + dr * br + di * bi; // conj(c) a + conj(d) b
      im[k][j] = cr * ai - ci * ar + dr * bi - di * br;
      re[k + 1][j] = cr * br - ci * bi - dr * ar + di * ai; // c b - d a
      im[k + 1][j] = cr * bi + ci * br - dr * ai - di * ar;
    }
  }
  turns.forEach(([cr, ci, dr, di], m) => {
    const k = start + m;
    for (let i = start; i <= Math.min(k + 1, end); i++) {
      const [ar, ai, br, bi] = [re[i][k], im[i][k], re[i][k + 1], im[i][k + 1]];
      re[i][k] = ar * cr - ai * ci + br * dr - bi * di; // a c + b d
      im[i][k] = ar * ci + ai * cr + br * di + bi * dr;
      re[i][k + 1] = br * cr + bi * ci - ar * dr - ai * di; // b conj(c) - a conj(d)
      im[i][k + 1] = bi * cr - br * ci - ai * dr + ar * di;
    }
  });
  for (let i = start; i <= end; i++) [re[i][i], im[i][i]] = [re[i][i] + sr, im[i][i] + si];
}
