// Blows over an atlas of postures, by the book’s own lines.

import { blowOn } from "./blow.js";
import { atJointShare } from "./map.js";
import { singular } from "./singular.js";
import { poses } from "./tree.js";
import { apply, norm, scale, subtract } from "./vectors.js";

// What a blow at 1 m/s without bounce does; a mass that is infinite is null, and then nothing is felt.
function struckAt(tree, q, direction) {
  const asked = {
    q,
    qd: q.map(() => 0),
    body: tree.body,
    point: tree.point,
    normal: scale(-1, direction),
    restitution: 0,
  };
  const { mass, reactions, singularAt, change } = blowOn(tree, asked);
  const finite = Number.isFinite(mass);
  const felt = (part) => reactions.map((x) => (finite ? mass * norm(part(x)) : 0));
  return {
    mass: finite ? mass : null,
    force: felt((x) => x.slice(3)),
    moment: felt((x) => x.slice(0, 3)),
    singularAt,
    change,
  };
}

// The direction in which the chain is heaviest: that in which an impulse moves the point least, W d = w d with the
// least w. Powers of trace(W) - W turn any vector there.
export function heaviestWay(tree, q) {
  const W = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((d) => struckAt(tree, q, scale(-1, d)).change);
  const trace = W[0][0] + W[1][1] + W[2][2];
  let d = [0.6, 0.5, 0.62];
  for (let k = 0; k < 500; k++) {
    d = subtract(scale(trace, d), apply(W, d));
    d = scale(1 / norm(d), d);
  }
  return d;
}

const quantityOf = ({ mass, force, moment }, [kind, joint]) =>
  ({ mass, force: force[joint], moment: moment[joint] })[kind];

function cellsOf(tree, { q, direction, axes: [across, up], quantity }) {
  const shares = Array.from({ length: tree.cells }, (_, i) => (i + 0.5) / tree.cells);
  const posture = (x, y) => atJointShare(tree, atJointShare(tree, q, across, x), up, y);
  return shares.map((y) => shares.map((x) => quantityOf(struckAt(tree, posture(x, y), direction), quantity)));
}

// Blow number i of an endless row of random ones: a number in [0, 1) is its index with the bits mixed (the hash
// "lowbias32" of Christopher Wellons), so it does not matter which are asked for, nor when.
function mixed(i) {
  let x = i ^ (i >>> 16);
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

export function blowOf(tree, i) {
  const width = tree.limits.length + 2;
  const u = Array.from({ length: width }, (_, k) => mixed(i * width + k + 1));
  const [turn, up] = [2 * Math.PI * u.at(-1), 2 * u.at(-2) - 1];
  const level = Math.sqrt(1 - up * up);
  return {
    q: tree.limits.map(([low, high], k) => low + (high - low) * u[k]),
    direction: [level * Math.cos(turn), level * Math.sin(turn), up],
  };
}

function drawnFrom(tree, start) {
  const blows = Array.from({ length: tree.drawn }, (_, k) => blowOf(tree, start + k));
  return blows.map(({ q, direction }) => struckAt(tree, q, direction).mass);
}

export function fromBlows(tree, request) {
  const { q, direction, map, sample } = request;
  const { mass, force, moment, singularAt } = struckAt(tree, q, direction);
  /** @type {Record<string, any>} */
  const values = { ...poses(tree, q), mass, force, moment };
  if (map !== null) values.map = { key: map, cells: cellsOf(tree, request) };
  if (sample !== null) values.sample = { start: sample, mass: drawnFrom(tree, sample) };
  return { values, fault: singularAt === undefined ? "" : singular(tree.names[singularAt]) };
}

// The share of an atlas that is lighter than a mass, linear in its logarithm within a bin.
export function shareBelow({ edges, counts }, mass) {
  const total = counts.reduce((sum, x) => sum + x, 0);
  const part = (k) => Math.max(0, Math.min(1, Math.log(mass / edges[k]) / Math.log(edges[k + 1] / edges[k])));
  return counts.reduce((sum, x, k) => sum + x * part(k), 0) / total;
}
