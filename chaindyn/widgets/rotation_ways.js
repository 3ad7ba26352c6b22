// Ways from one attitude to another, and what happens on them.

import { exp_so3 } from "./emitted/exp_so3.js";
import { log_so3 } from "./emitted/log_so3.js";
import { add, cross, degrees, dot, multiply, norm, scale, shown, subtract, transpose } from "./vectors.js";

const evenly = (steps, at) => Array.from({ length: steps + 1 }, (_, k) => at(k / steps));

export function fromVectors({ steps }, { w, target }) {
  const [R, end] = [exp_so3(w), exp_so3(target)];
  const step = log_so3(multiply(transpose(R), end));
  return { R, target: end, log: log_so3(R), way: evenly(steps, (s) => multiply(R, exp_so3(scale(s, step)))) };
}

// Yaw, pitch and roll: R is a turn about z after one about y after one about x.
const eulerAngles = (R) => [
  Math.atan2(R[1][0], R[0][0]),
  Math.atan2(-R[2][0], Math.hypot(R[0][0], R[1][0])),
  Math.atan2(R[2][1], R[2][2]),
];

/** @type {(angles: number[]) => number[][]} */
const fromEuler = ([yaw, pitch, roll]) =>
  [
    [0, 0, yaw],
    [0, pitch, 0],
    [roll, 0, 0],
  ]
    .map(exp_so3)
    .reduce(multiply);

const wrapped = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

export const WAYS = {
  "one turn": ({ way }) => way,
  "mix matrices": ({ R, target }, steps) =>
    evenly(steps, (s) => R.map((row, i) => add(scale(1 - s, row), scale(s, target[i])))),
  "mix Euler angles": ({ R, target }, steps) => {
    const start = eulerAngles(R);
    const step = subtract(eulerAngles(target), start).map(wrapped);
    return evenly(steps, (s) => fromEuler(add(start, scale(s, step))));
  },
};

export const volume = (R) => dot(cross(R[0], R[1]), R[2]);

// What happens on a way: of rotations, how far it turns and how evenly; of other matrices, what becomes of the brick.
export function judge(name, way) {
  if (way.flat(2).includes(null)) return "Not all of these numbers are finite.";
  const least = Math.min(...way.map((R) => Math.abs(volume(R))));
  const skewed = Math.max(...way.map((R) => norm(subtract(multiply(transpose(R), R).flat(), UNIT.flat()))));
  if (skewed > 1e-6)
    return (
      `Half-way these are no rotations: the brick is bent out of shape, down to ${shown(100 * least, 0)} % of ` +
      "its volume."
    );
  const steps = way.slice(1).map((R, k) => log_so3(multiply(R, transpose(way[k]))));
  const turns = steps.map(norm);
  const total = degrees(turns.reduce((a, b) => a + b));
  if (total < 0.05) return "The brick is at its target.";
  const differ = Math.max(...steps.map((step) => norm(subtract(step, steps[0])))) > 0.01 * turns[0];
  const [slow, fast] = [Math.min(...turns), Math.max(...turns)].map((turn) => degrees(turn) * turns.length);
  const rate =
    fast - slow < 0.01 * total
      ? "always at the same rate"
      : `at ${shown(slow, 0)}\u00b0 to ${shown(fast, 0)}\u00b0 per unit of s`;
  return (
    `${name[0].toUpperCase()}${name.slice(1)}: it turns by ${shown(total, 0)}\u00b0 in all, ${rate}, about ` +
    `${differ ? "an axis that moves" : "one axis"}.`
  );
}

export const UNIT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
