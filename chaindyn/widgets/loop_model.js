// The mechanisms of LoopExplorer: where they close, and how they fall, by the book’s own lines.

import { ENERGIES } from "./emitted/energies.js";
import { HELD } from "./emitted/held.js";
import { PIN } from "./emitted/pin.js";
import { rk4_step } from "./emitted/rk4_step.js";
import { compute } from "./physics.js";
import { add, combine, dot, norm, scale, shown, subtract, transpose } from "./vectors.js";

// Angles go from x to z.
export const pointing = (angle) => [Math.cos(angle), Math.sin(angle)];
/** @type {(place: number[]) => number[]} */
export const turned = ([x, z]) => [-z, x]; // by a quarter
/** @type {(place: number[]) => number} */
export const angleOf = ([x, z]) => Math.atan2(z, x);
export const wrapped = (angle) => angle - 2 * Math.PI * Math.ceil(angle / (2 * Math.PI) - 1 / 2); // above -pi, up to pi
export const anglesOf = (q) => q.map((_, k) => q.slice(0, k + 1).reduce((sum, x) => sum + x));
const same = (a, b) => Math.abs(a - b) <= 1e-12;

// The pivot, length and end of the crank that is in the hand's place k, 0 or 1; of a foot with nothing on it the
// length is zero.
export function crankAt({ lengths, base }, held, k) {
  const [pivot, length] = k === 0 ? [[0, 0], lengths[0]] : [[base, 0], lengths[3] ?? 0];
  return { pivot, length, end: add(pivot, scale(length, pointing(held[k] ?? 0))) };
}

// The joint coordinates that close the loop, and the gap, zero if they do; if none do, those that come nearest.
export function closedAt(model, held, flipped) {
  const [first, second] = model.lengths.slice(1, 3);
  const [A, B] = [0, 1].map((k) => crankAt(model, held, k).end);
  const far = norm(subtract(B, A));
  const towards = far > 1e-12 ? scale(1 / far, subtract(B, A)) : scale(-1, turned(pointing(held[0])));
  const excess = (first - second) * (first + second);
  const along = far / 2 + (same(excess, 0) ? 0 : excess / (2 * far)); // of the first rod, from A towards B
  const gap = Math.max(0, far - first - second, Math.abs(first - second) - far);
  const reach = Math.max(-first, Math.min(first, along));
  const aside = (flipped ? -1 : 1) * Math.sqrt(Math.max(0, (first - reach) * (first + reach)));
  const knee = add(A, add(scale(reach, towards), scale(aside, turned(towards))));
  const rest = held.length > 1 ? [held[1] + Math.PI] : [];
  const angles = [
    held[0],
    angleOf(subtract(knee, A)),
    far > 1e-12 || aside ? angleOf(subtract(B, knee)) : angleOf(scale(-1, towards)),
    ...rest,
  ];
  return { q: angles.map((x, k) => wrapped(k ? x - angles[k - 1] : x)), gap: gap > 1e-12 ? gap : 0 };
}

// Where a crank's circle meets the end of what the other rods reach: the angles at which it locks, and whether it
// passes through places in which all lie in line, `0` or `pi` from the line between the pivots, where the assemblies
// meet.
export function reachOf(model, held, k) {
  const [{ pivot, length }, { end }] = [crankAt(model, held, k), crankAt(model, held, 1 - k)];
  const [first, second] = model.lengths.slice(1, 3);
  const away = norm(subtract(end, pivot));
  const line = angleOf(subtract(end, pivot));
  const shares = [first + second, Math.abs(first - second)].map(
    (far) => (length ** 2 + away ** 2 - far ** 2) / (2 * length * away),
  );
  const edges = shares
    .filter((share) => Math.abs(share) < 1 - 1e-12)
    .flatMap((share) => [line - Math.acos(share), line + Math.acos(share)]);
  const meets = { 0: same(Math.abs(away - length), Math.abs(first - second)), pi: same(away + length, first + second) };
  return { line, edges: edges.map(wrapped).sort((a, b) => a - b), meets };
}

// Which assembly a crank is in at another angle if it goes there the short way, and goes straight through where they
// meet.
export function flippedAt(model, held, flipped, k, angle) {
  const { line, meets } = reachOf(model, held, k);
  const [from, to] = [held[k], angle].map((x) => wrapped(x - line));
  const crosses = from < 0 !== to < 0;
  const near = Math.abs(to - from) < Math.PI; // through 0, not through pi
  return crosses && (near ? meets[0] : meets.pi) ? !flipped : flipped;
}

const TREES = new WeakMap(); // of each model, its rods as a tree in space: x, and z up

function treeOf(model) {
  const { lengths, density, gravity } = model;
  const each = (of) => lengths.map(of);
  const eye = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const bar = (L) => (density * L ** 3) / 12;
  const tree = {
    ...{
      parent: each((_, k) => k - 1),
      column: each((_, k) => k),
      kind: each(() => "Revolute"),
      axis: each(() => [0, -1, 0]),
    },
    ...{
      offset: each((_, k) => [k ? lengths[k - 1] : 0, 0, 0]),
      rotation: each(() => eye),
      mass: scale(density, lengths),
    },
    ...{
      com: each((L) => [L / 2, 0, 0]),
      inertia: each((L) => [
        [0, 0, 0],
        [0, bar(L), 0],
        [0, 0, bar(L)],
      ]),
      gravity: [0, 0, -gravity],
    },
  };
  if (!TREES.has(model)) TREES.set(model, tree);
  return TREES.get(model);
}

// Where the pin is: which link has it, where on that, and the foot.
const pinOf = ({ lengths, base }) => [
  lengths.map((_, k) => Number(k === lengths.length - 1)),
  [lengths.at(-1), 0, 0],
  [base, 0, 0],
];

// Of the pin in the last rod's axes the rows K and the gap; and the energies.
function partsOf(model, q, qd) {
  const tree = treeOf(model);
  const [screws, gap] = compute(PIN, tree, [q, ...pinOf(model)]);
  const inPlane = (x) => [x.at(-3), x.at(-1)];
  return { K: transpose(screws.map(inPlane)), gap: inPlane(gap), energy: compute(ENERGIES, tree, [q, qd]).slice(0, 2) };
}

// What moves the rods with the loop closed, as the emitted function says: `weights` are those of accelerations, the
// rate and the gap.
const heldIn = (model, q, qd, weights) => compute(HELD, treeOf(model), [q, qd, ...pinOf(model), weights])[0];

// The lengths of two vectors made orthogonal, the longer one first, by a Jacobi rotation and one for its rounding.
function singularValues(...columns) {
  for (let k = 0; k < 2; k++) {
    const [x, y] = columns;
    const angle = Math.atan2(2 * dot(x, y), dot(x, x) - dot(y, y)) / 2;
    columns = [
      combine([Math.cos(angle), Math.sin(angle)], [x, y]),
      combine([-Math.sin(angle), Math.cos(angle)], [x, y]),
    ];
  }
  return columns.map(norm);
}

// The state near by that keeps the loop closed: three steps of Newton's for the posture, then the velocity.
function projectedState(model, q, qd) {
  let now = q;
  for (let k = 0; k < 3; k++) now = add(now, heldIn(model, now, qd, [0, 0, 1]));
  return [now, add(qd, heldIn(model, now, qd, [0, 1, 0]))];
}

// The motion from rest at times t, by RK4.
function fallOf(model, { cure, rate, step }, start, t) {
  const weights = cure === "Baumgarte" ? [1, 2 * rate, rate ** 2] : [1, 0, 0];
  const driven = { acceleration: (_, q, qd) => heldIn(model, q, qd, weights) };
  const ahead = (q, qd, h) => {
    const next = rk4_step(driven, 0, q, qd, h);
    return cure === "projection" ? projectedState(model, ...next) : next;
  };
  const run = { q: [], gap: [], sizes: [], kinetic: [], potential: [], reason: "" };
  let [q, qd] = [start, scale(0, start)];
  for (let k = 0; k < t.length; k++) {
    const span = k ? t[k] - t[k - 1] : 0;
    const count = Math.ceil(span / step - 1e-9);
    for (let j = 0; j < count; j++) [q, qd] = ahead(q, qd, span / count);
    const { K, gap, energy } = partsOf(model, q, qd);
    if (!energy.every(Number.isFinite))
      return { ...run, reason: "the state is no longer finite: shorter steps may help" };
    const now = { q, gap: norm(gap), sizes: singularValues(...K), kinetic: energy[0], potential: energy[1] };
    Object.entries(now).forEach(([name, x]) => run[name].push(x));
  }
  return run;
}

// Of a closed posture the two singular values of K, and of K for the rods that are not in the hand; NaN of one that
// is not closed.
function sizesAt(model, { q, gap }) {
  if (gap > 0) return { sizes: [NaN, NaN], passive: [NaN, NaN] };
  const { K } = partsOf(model, q, scale(0, q));
  const part = (j) => K.map((row) => row[j] ?? 0);
  const column = (k) => subtract(part(k), part(k + 1)); // of rod k when it turns alone
  return { sizes: singularValues(...K), passive: singularValues(column(1), column(2)) };
}

export function fromRods(scene, request) {
  const model = modelOf(scene, request);
  const { held, flipped } = request;
  const at = closedAt(model, held, flipped);
  const there = scene.sweep.map((angle) =>
    sizesAt(model, closedAt(model, [angle, ...held.slice(1)], flippedAt(model, held, flipped, 0, angle))),
  );
  const sweep = { sizes: there.map(({ sizes }) => sizes[1]), passive: there.map(({ passive }) => passive[1]) };
  const run = request.dropped && at.gap === 0 ? fallOf(model, request, at.q, scene.t) : null;
  return { mechanism: request.mechanism, ...at, ...sizesAt(model, at), sweep, run };
}

// The fall alone, with another cure; null where the loop cannot close.
export function fallWith(scene, request, cure) {
  const model = modelOf(scene, request);
  const at = closedAt(model, request.held, request.flipped);
  return at.gap === 0 ? fallOf(model, { ...request, cure }, at.q, scene.t) : null;
}

export const modelOf = ({ mechanisms, gravity, density }, { mechanism, lengths }) => ({
  lengths,
  base: mechanisms[mechanism].base,
  gravity,
  density,
});

// The joints of a mechanism, from the ground to the pin, in space.
export function jointsOf({ lengths }, q) {
  const points = [[0, 0, 0]];
  anglesOf(q).forEach((angle, k) => {
    const [x, z] = scale(lengths[k], pointing(angle));
    points.push(add(points.at(-1), [x, 0, z]));
  });
  return points;
}

// A run as far as it goes: of one that broke off, Python sends null from there on.
export function asFarAs(run) {
  const end = run.kinetic.findIndex((x, k) => x === null || run.q[k].includes(null));
  const [q, gap, sizes, kinetic, potential] = [run.q, run.gap, run.sizes, run.kinetic, run.potential].map((x) =>
    end < 0 ? x : x.slice(0, end),
  );
  const energy = add(kinetic, potential);
  return { q, gap, sizes, reason: run.reason, strayed: energy.map((x) => Math.abs(x - energy[0])) };
}

// Grashof's rule for a four-bar.
export function ruleFor({ lengths, base }) {
  const sides = [...lengths, base].sort((a, b) => a - b);
  const [ends, middle] = [sides[0] + sides[3], sides[1] + sides[2]];
  const sums = `Shortest and longest side: ${shown(ends)} m together; the other two: ${shown(middle)} m.`;
  if (same(ends, middle)) return `${sums} Equal: there are postures with all rods in line.`;
  return (
    `${sums} By Grashof\u2019s rule ` +
    `${ends < middle ? "the shortest can turn all the way round" : "none can turn all the way round"}.`
  );
}
