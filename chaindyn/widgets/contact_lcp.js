// Linear complementarity problems by Lemke’s method.

import { largest, solveSquare, submatrix, times } from "./contact_algebra.js";

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

// The row of the lexicographically least ratio, undefined if nothing grows; `last`, with which the path ends, goes
// first of equals.
function leavingRow(tableau, column, last) {
  const least = tableau.reduce((most, row) => Math.max(most, Math.abs(row[column])), 0) * 1e-11;
  const n = tableau.length;
  let rows = tableau.map((_, i) => i).filter((i) => tableau[i][column] > least);
  for (let j = -1; j < n && rows.length > 1; j++) {
    const value = (i) => tableau[i][j < 0 ? 2 * n + 1 : j];
    const smallest = Math.min(...rows.map((i) => value(i) / tableau[i][column]));
    // of entries of size one, what is rounding
    rows = rows.filter((i) => value(i) - smallest * tableau[i][column] <= 1e-12);
    if (j < 0 && rows.includes(last)) return last;
  }
  return rows[0];
}

// z by Lemke's path, and the number of pivots. Throws if the path ends on a ray.
export function lemke(A, b) {
  const n = b.length;
  if (b.every((x) => x >= 0)) return { z: b.map(() => 0), iterations: 0 };
  const [large, most] = [Math.max(...A.map(largest)) || 1, largest(b)];
  const tableau = A.map((row, i) =>
    Float64Array.from([...row.map((_, j) => Number(i === j)), ...row.map((x) => -x / large), -1, b[i] / most]),
  );
  const basis = b.map((_, i) => i); // w_i is i, z_i is n + i, z_0 is 2 n
  let [entering, row] = [2 * n, b.lastIndexOf(Math.min(...b))];
  for (let count = 1; count <= 1000 + 100 * n; count++) {
    pivotOn(tableau, row, entering);
    const left = basis[row];
    basis[row] = entering;
    if (left === 2 * n) {
      const z = new Array(2 * n).fill(0);
      basis.forEach((k, i) => {
        z[k] = Math.max(0, tableau[i][2 * n + 1] * (most / large));
      });
      return {
        z: polished(
          A,
          b,
          z.slice(n),
          basis.filter((k) => k >= n).map((k) => k - n),
        ),
        iterations: count,
      };
    }
    entering = left < n ? left + n : left - n;
    row = leavingRow(tableau, entering, basis.indexOf(2 * n));
    if (row === undefined) throw new Error("Lemke\u2019s path ends on a ray: the law has no answer here");
  }
  throw new Error("Lemke\u2019s path does not end: rounding hides it");
}

const residualOfLcp = (A, b, z) => largest(times(A, z).map((x, i) => Math.min(z[i], x + b[i])));

function polished(A, b, z, active) {
  const solved = solveSquare(
    submatrix(A, active, active),
    active.map((i) => -b[i]),
  );
  if (!solved) return z;
  const again = z.map(() => 0);
  active.forEach((i, k) => {
    again[i] = Math.max(0, solved[k]);
  });
  return residualOfLcp(A, b, again) < residualOfLcp(A, b, z) ? again : z;
}
