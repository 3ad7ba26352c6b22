// What is thrown, onto what, and how it starts.

import { rotated, shapeAt } from "./contact_shapes.js";
import { add } from "./vectors.js";

const ROD = { length: 0.4, radius: 0.03, mass: 1 };
const BOX = { width: 0.4, height: 0.2, mass: 1 };
const BALL = { radius: 0.1, string: 1, height: 1.3, mass: 1 };
const STEP = { count: 5, run: 0.5, rise: 0.2 };
const carrier = (parent, joint) => ({ parent, joint, offset: [0, 0], mass: 0, inertia: 0, com: [0, 0], shape: null });

const TREES = {
  // Rods, the first of them afloat. The round end at a joint is the rod's before it: the next one `skips` it.
  chain(count) {
    const { length, radius, mass } = ROD;
    const rods = Array.from({ length: count }, (_, k) => {
      const shape = {
        core: [
          [0, 0],
          [length, 0],
        ],
        radius,
        skips: k > 0,
      };
      return {
        parent: k + 1,
        joint: "turn",
        offset: [k ? length : 0, 0],
        mass,
        inertia: (mass * length ** 2) / 12,
        com: [length / 2, 0],
        shape,
      };
    });
    return [carrier(-1, "x"), carrier(0, "z"), ...rods];
  },
  stack(count) {
    const { width, height, mass } = BOX;
    const [w, h] = [width / 2, height / 2];
    const shape = {
      core: [
        [-w, -h],
        [w, -h],
        [w, h],
        [-w, h],
      ],
      radius: 0,
    };
    const inertia = (mass * (width ** 2 + height ** 2)) / 12;
    const box = (k) => [carrier(-1, "x"), carrier(3 * k, "z"), { ...carrier(3 * k + 1, "turn"), mass, inertia, shape }];
    return Array.from({ length: count }, (_, k) => box(k)).flat();
  },
  // Balls on strings, side by side.
  cradle(count) {
    const { radius, string, height, mass } = BALL;
    const shape = { core: [[0, -string]], radius };
    const pivot = (k) => [radius * (2 * k - count + 1), height];
    return Array.from({ length: count }, (_, k) => ({
      parent: -1,
      joint: "turn",
      offset: pivot(k),
      mass,
      inertia: (mass * radius ** 2) / 2,
      com: [0, -string],
      shape,
    }));
  },
};

// The ground as convex pieces. Stairs go down to the right; each step's piece reaches on under those before, so that
// only one edge shows. A cradle hangs above a floor.
function groundOf({ scene, ground, angle }) {
  const far = 60;
  const piece = (left, right, top) => [
    [left, top - 6],
    [right, top - 6],
    [right, top],
    [left, top],
  ];
  if (ground === "slope" && scene !== "cradle") return [piece(-far, far, 0).map((point) => rotated(-angle, point))];
  if (ground === "floor" || scene === "cradle") return [piece(-far, far, 0)];
  const { count, run, rise } = STEP;
  return Array.from({ length: count + 1 }, (_, k) => piece(-far, k === count ? far : k * run, (count - k) * rise));
}

// Where the scene begins: a point of the ground, and by how much it is tilted there.
function placeOf({ ground, angle }) {
  if (ground === "slope") return { at: rotated(-angle, [-1.2, 0]), tilt: -angle };
  return { at: ground === "stairs" ? [-0.4, STEP.count * STEP.rise] : [0, 0], tilt: 0 };
}

// q and qd at the start: a chain is thrown to the right and spins, a stack stands and moves along, a cradle's first
// ball is lifted so high that it arrives with the speed.
const STARTS = {
  chain({ count, speed }, { at: [x, z] }) {
    const bent = Array.from({ length: count }, (_, k) => (k ? 0.25 : 0.3));
    return { q: [x - 0.9, z + 0.6, ...bent], qd: [speed, 0.3 * speed, -0.4 * speed, ...bent.slice(1).map(() => 0)] };
  },
  stack({ count, speed }, { at, tilt }) {
    const boxes = Array.from({ length: count }, (_, k) => [
      ...add(at, rotated(tilt, [0, (k + 0.5) * BOX.height])),
      tilt,
    ]);
    return { q: boxes.flat(), qd: boxes.flatMap(() => [...rotated(tilt, [speed, 0]), 0]) };
  },
  cradle({ count, speed }) {
    const lifted = Math.acos(Math.max(-0.9, 1 - speed ** 2 / (2 * GRAVITY * BALL.string)));
    return { q: Array.from({ length: count }, (_, k) => (k ? 0 : -lifted)), qd: new Array(count).fill(0) };
  },
};

export const GRAVITY = 9.81;

export function worldOf(request) {
  const pieces = groundOf(request).map((core) => shapeAt(core, 0));
  return { tree: TREES[request.scene](request.count), pieces, jointed: request.scene === "chain" };
}

export const startOf = (request) => STARTS[request.scene](request, placeOf(request));
