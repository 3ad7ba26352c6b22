// What three.js is told of a solid: no more than numbers.

import { add, apply, cross, multiply, norm, rounded, scale, subtract, transpose } from "./vectors.js";

// A rotation, as rows, whose second column lies along a direction.
export function upright(direction) {
  const y = scale(1 / norm(direction), direction);
  const aside = cross(y, Math.abs(y[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
  const x = scale(1 / norm(aside), aside);
  return transpose([x, y, cross(x, y)]);
}

// Which solid a shape of `bodies.py` is, how it is turned, where its middle is, and how long it is along its own
// axes. A capsule's ends stay round, so its measures are the solid's own.
export function solidOf(shape, thinnest = 0) {
  if (shape.sides)
    return {
      solid: [shape.shape],
      R: shape.R,
      p: shape.centre,
      size: shape.sides.map((side) => Math.max(side, thinnest)),
    };
  const { from, to, radius } = shape;
  const along = subtract(to, from);
  const length = norm(along);
  const frame = { R: upright(length > 0 ? along : [0, 0, 1]), p: scale(0.5, add(from, to)) };
  if (shape.shape === "capsule")
    return { solid: ["capsule", rounded(radius, 5), rounded(length, 5)], ...frame, size: [1, 1, 1] };
  return { solid: [shape.shape], ...frame, size: [2 * radius, length, 2 * radius] };
}

export const carriedBy = ({ R, p }, { solid, R: own, p: at, size }) => ({
  solid,
  R: multiply(R, own),
  p: add(p, apply(R, at)),
  size,
});

// The rows of a solid's 4 x 4 matrix, one after another.
export const matrixOf = ({ R, p, size }) => [
  ...R.flatMap((row, i) => [...row.map((x, k) => x * size[k]), p[i]]),
  0,
  0,
  0,
  1,
];

// The shaft and the head of an arrow, of a thickness in metres; a short arrow is all head.
export function arrowShapes(from, displacement, thickness) {
  const length = norm(displacement);
  if (!(length > 0)) return [];
  const head = Math.min(5 * thickness, length);
  const neck = add(from, scale(1 - head / length, displacement));
  const shaft = { shape: "cylinder", from, to: neck, radius: thickness / 2 };
  const tip = { shape: "cone", from: neck, to: add(from, displacement), radius: 0.34 * head };
  return length > head ? [shaft, tip] : [tip];
}
