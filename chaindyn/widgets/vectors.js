// Vectors are arrays, and matrices arrays of rows.

/** @typedef {number[]} Vector */
/** @typedef {number[][]} Matrix */

/** @type {(a: Vector, b: Vector) => Vector} */
export const add = (a, b) => a.map((x, i) => x + b[i]);
/** @type {(a: Vector, b: Vector) => Vector} */
export const subtract = (a, b) => a.map((x, i) => x - b[i]);
/** @type {(s: number, a: Vector) => Vector} */
export const scale = (s, a) => a.map((x) => s * x);
/** @type {(a: Vector, b: Vector) => number} */
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
/** @type {(a: Vector) => number} */
export const norm = (a) => Math.sqrt(dot(a, a));
/** @type {(a: Vector, b: Vector) => Vector} */
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
/** @type {(M: Matrix, a: Vector) => Vector} */
export const apply = (M, a) => M.map((row) => dot(row, a));
/** @type {(M: Matrix) => Matrix} */
export const transpose = (M) => M[0].map((_, j) => M.map((row) => row[j]));
/** @type {(A: Matrix, B: Matrix) => Matrix} */
export const multiply = (A, B) => transpose(transpose(B).map((column) => apply(A, column)));
/** @type {(degrees: number) => number} */
export const radians = (degrees) => (degrees * Math.PI) / 180;
/** @type {(radians: number) => number} */
export const degrees = (radians) => (radians * 180) / Math.PI;
/** @type {(x: number, digits?: number) => number} */
export const rounded = (x, digits = 2) => Number(x.toFixed(digits));

// A weighted sum of numbers, or of arrays of any depth.
/**
 * @param {number[]} weights
 * @param {any[]} terms
 * @returns {any}
 */
export function combine(weights, terms) {
  if (typeof terms[0] === "number") return dot(weights, terms);
  return terms[0].map((_, i) =>
    combine(
      weights,
      terms.map((term) => term[i]),
    ),
  );
}

// What a table of Python's `tabulate` says where its bases have these values.
export const contract = (table, ...bases) => bases.reduce((rest, basis) => combine(basis, rest), table);

// A number for the reader. Python sends null for what is not finite.
/** @param {number | null} x */
export function shown(x, digits = 2) {
  if (x === null || !Number.isFinite(x)) return "nan";
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "\u2212");
}
