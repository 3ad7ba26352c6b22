// A chain that stands, by motors: its linear model, the feedback, and what becomes of it after a knock.

import { rk4_step } from "./emitted/rk4_step.js";
import { WEIGHT_CHANGE } from "./emitted/weight_change.js";
import { accelerations } from "./forward.js";
import { compute } from "./physics.js";
import { eigenvaluesOf, lqr } from "./riccati.js";
import { poses } from "./tree.js";
import { dot, radians, scale, transpose } from "./vectors.js";

const TIDY = { turn: radians(2), slide: 0.05, rate: 0.1 }; // recovered is who is no further off, in place and in rate,
const QUIET = 1; // for so long [s],
export const PATIENCE = 10; // within so long [s]
const [FINEST, COARSEST] = [0.001, 0.008]; // steps [s]

// The first links of a tree.
function cut(tree, count) {
  const own = ["names", "parent", "kind", "axis", "column", "offset", "rotation", "com", "mass", "inertia"];
  return { ...tree, ...Object.fromEntries(own.map((name) => [name, tree[name].slice(0, count)])) };
}

// Which joints have motors.
const MOTORS = {
  every: (n) => Array.from({ length: n }, (_, k) => k),
  first: () => [0],
  others: (n) => Array.from({ length: n - 1 }, (_, k) => k + 1),
};

// The chain that a request names: its tree, where it stands, its motors, and its linear model there.
export function standing({ systems }, { system, count, drive }) {
  const { tree, upright } = systems[system];
  const own = cut(tree, count);
  const stand = upright.slice(0, count);
  const motors = MOTORS[drive](count);
  return {
    tree: own,
    upright: stand,
    motors,
    turns: own.kind.map((kind) => kind === "Revolute"),
    ...linearModel(own, stand, motors),
  };
}

// A (2n, 2n) and B (2n, m) of small motions about a place where no force is needed: M^-1 times how the forces change
// that the weight asks for, negated, as chapter 23 has it.
function linearModel(tree, upright, motors) {
  const none = upright.map(() => 0);
  const unit = (k) => none.map((_, i) => Number(i === k));
  const yielding = (force) => accelerations(tree, upright, none, force, [0, 0, 0]);
  const falling = (k) => yielding(scale(-1, compute(WEIGHT_CHANGE, tree, [upright, unit(k)])[0]));
  const [byPlace, byForce] = [none.map((_, k) => falling(k)), motors.map((k) => yielding(unit(k)))].map(transpose);
  return {
    // at rest, rates change the forces by nothing
    A: [...none.map((_, i) => [...none, ...unit(i)]), ...byPlace.map((row) => [...row, ...none])],
    B: [...none.map(() => motors.map(() => 0)), ...byForce],
  };
}

// The weights are powers of ten: on all places, all rates, and all forces.
export function gainOf({ A, B, upright, motors }, { places, rates, effort }) {
  const weights = [...upright.map(() => 10 ** places), ...upright.map(() => 10 ** rates)];
  return lqr(
    A,
    B,
    weights,
    motors.map(() => 10 ** effort),
  );
}

const closedLoop = ({ A, B }, K) =>
  A.map((row, i) => row.map((x, j) => x - B[i].reduce((sum, b, m) => sum + b * K[m][j], 0)));

// All that a motion needs: `still` is how the chain stands, K the feedback, `limit` the largest force of a motor. The
// step is short enough for RK4 to follow the fastest decay.
export function feedback(still, K, limit) {
  const { tree, upright, motors } = still;
  const n = upright.length;
  const forces = (q, qd) => {
    const tau = new Array(n).fill(0);
    for (let m = 0; m < motors.length; m++) {
      const row = K[m];
      let sum = 0;
      for (let k = 0; k < n; k++) sum -= row[k] * (q[k] - upright[k]) + row[n + k] * qd[k];
      tau[motors[m]] = Math.max(-limit, Math.min(limit, sum));
    }
    return tau;
  };
  const values = eigenvaluesOf(closedLoop(still, K));
  const fastest = Math.max(...values.map(([re, im]) => Math.hypot(re, im)));
  const step = Math.max(FINEST, Math.min(COARSEST, 1.5 / fastest));
  const off = new Array(n).fill(0);
  return {
    ...still,
    K,
    limit,
    forces,
    values,
    step,
    driven: { acceleration: (_, q, qd) => accelerations(tree, q, qd, forces(q, qd)) },
    loose: { acceleration: (_, q, qd) => accelerations(tree, q, qd, off) },
  };
}

// A motion from a knock: joint `joint` is `aside` and moves at `rate`, all else stands. `fate` is "" until it is known:
// "recovered", "fell", or "neither".
export function knocked({ upright }, { joint, aside, rate }) {
  const [q, qd] = [
    upright.map((x, k) => (k === joint ? x + aside : x)),
    upright.map((_, k) => (k === joint ? rate : 0)),
  ];
  return { time: 0, q, qd, tau: null, peak: 0, quiet: null, fate: "" };
}

function tidy({ upright, turns }, { q, qd }) {
  for (let k = 0; k < q.length; k++) {
    if (!(Math.abs(q[k] - upright[k]) <= (turns[k] ? TIDY.turn : TIDY.slide) && Math.abs(qd[k]) <= TIDY.rate))
      return false;
  }
  return true;
}

// Whether the centre of mass has come below the foot, or the numbers have left all bounds.
function fallen({ tree }, { q }) {
  const { R, p } = poses(tree, q);
  let sum = 0;
  for (let k = 0; k < q.length; k++) sum += tree.mass[k] * (p[k][2] + dot(R[k][2], tree.com[k]));
  return !(sum >= 0);
}

export function stepOn(world, motion) {
  const { step, forces, driven, loose } = world;
  const lost = motion.fate === "fell";
  const tau = lost ? motion.q.map(() => 0) : forces(motion.q, motion.qd);
  motion.tau = tau;
  for (const x of tau) motion.peak = Math.max(motion.peak, Math.abs(x));
  try {
    [motion.q, motion.qd] = rk4_step(lost ? loose : driven, motion.time, motion.q, motion.qd, step);
  } catch {
    // so fast that nothing can be computed any more
    Object.assign(motion, { fate: "fell", gone: true });
  }
  motion.time += step;
  if (motion.fate) return;
  if (fallen(world, motion)) motion.fate = "fell";
  else if (!tidy(world, motion)) motion.quiet = null;
  else {
    motion.quiet ??= motion.time;
    if (motion.time >= motion.quiet + QUIET) motion.fate = "recovered";
  }
  if (!motion.fate && motion.time >= PATIENCE) motion.fate = "neither";
}

// --- The basin: knocks on a grid, from the middle outward. What mirrors each other has one fate, so half of them are
export const CELLS = 25; // a side

export class Basin {
  constructor(world, { joint, widest, fastest }) {
    this.world = world;
    this.joint = joint;
    this.widest = widest;
    this.fastest = fastest;
    this.fates = new Array(CELLS * CELLS).fill("");
    this.done = 0;
    this.motion = null;
    const middle = (CELLS - 1) / 2;
    const far = (k) => Math.hypot((k % CELLS) - middle, Math.floor(k / CELLS) - middle);
    const half = (CELLS * CELLS + 1) / 2;
    this.order = Array.from({ length: half }, (_, k) => k).sort((one, other) => far(one) - far(other) || one - other);
  }
  // The knock of a cell: columns are places from left to right, rows are rates from the highest down.
  knockAt(k) {
    const middle = (CELLS - 1) / 2;
    const [column, row] = [(k % CELLS) - middle, middle - Math.floor(k / CELLS)];
    return { joint: this.joint, aside: (column / middle) * this.widest, rate: (row / middle) * this.fastest };
  }
  get complete() {
    return this.done === this.order.length;
  }
  // Go on for so many milliseconds.
  work(milliseconds) {
    const enough = performance.now() + milliseconds;
    while (!this.complete && performance.now() < enough) {
      const cell = this.order[this.done];
      this.motion ??= knocked(this.world, this.knockAt(cell));
      for (let count = 0; count < 20 && !this.motion.fate; count++) stepOn(this.world, this.motion);
      if (!this.motion.fate) continue;
      this.fates[cell] = this.fates[CELLS * CELLS - 1 - cell] = this.motion.fate;
      this.done += 1;
      this.motion = null;
    }
  }
  // How many are done, of all, and how many of them recovered.
  count() {
    const known = this.fates.filter(Boolean);
    return {
      all: this.fates.length,
      done: known.length,
      recovered: known.filter((fate) => fate === "recovered").length,
    };
  }
}
