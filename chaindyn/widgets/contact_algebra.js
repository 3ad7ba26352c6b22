// Matrices of contacts: their sizes, equations and square roots.

import { add } from "./vectors.js";

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
export const submatrix = (A, rows, columns) => rows.map((i) => columns.map((j) => A[i][j]));
export const meanDiagonal = (W) => W.reduce((sum, row, i) => sum + row[i], 0) / W.length || 1;

// x with A x = b, or null if A is singular: if no pivot is larger than a share of its largest entry.
export function solveSquare(A, b, share = 1e-11) {
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
    for (let i = 0; i < column.length; i++) {
      column[i] /= root;
      left[i] -= column[i] ** 2;
    }
    left[k] = 0;
    columns.push(column);
  }
  return columns;
}

// The smallest p with W p = -b, for b in the range of a positive semidefinite W; corrected once for rounding.
export function leastImpulses(W, b) {
  const columns = rootColumns(W);
  const products = columns.map((column) => times(columns, column));
  const inverse = (x) => solveSquare(products, x, 0);
  const least = (right) => {
    const y = inverse(inverse(times(columns, right)));
    const p = right.map(() => 0);
    columns.forEach((column, k) => {
      for (let i = 0; i < p.length; i++) p[i] -= column[i] * y[k];
    });
    return p;
  };
  const p = least(b);
  return add(p, least(add(times(W, p), b)));
}
