// What the explorers of a chain share: the scene is the tree (parents, where each joint sits in its parent, its kind
// and axis, and which entry of q is its own, null for a fixed joint), posed, drawn, pulled at and set by numbers.

import { Camera } from "./camera.js";
import { numberRow } from "./elements.js";
import { FORWARD_KINEMATICS } from "./emitted/forward_kinematics.js";
import { compute } from "./physics.js";
import { add, apply, cross, degrees, dot, norm, radians, rounded, scale, subtract } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */
/** @typedef {import("./vectors.js").Matrix} Matrix */

/**
 * A chain, in lists with an entry for each link; `column` is which entry of q is its joint's, null where it is fixed.
 * @typedef {object} Tree
 * @property {string[]} names
 * @property {number[]} parent of a root -1
 * @property {("Revolute" | "Prismatic" | "Fixed")[]} kind
 * @property {(number | null)[]} column
 * @property {Vector[]} axis of the joint, in the link's frame
 * @property {Vector[]} offset of the joint in the parent's frame [m]
 * @property {Matrix[]} rotation of the joint's frame in the parent's
 * @property {number[]} mass [kg]
 * @property {Vector[]} com in the link's frame [m]
 * @property {Matrix[]} inertia about the centre of mass, in the link's axes [kg m^2]
 * @property {Vector} gravity [m/s^2]
 * @property {Vector} tip where the last link ends, in its frame [m]
 * @property {number} reach [m]
 * @property {[number, number][]} limits of each entry of q
 * @property {string} view how it is looked at first
 * @property {any} [bodies] what links look like (bodies.py)
 */

/** @typedef {{ R: Matrix[], p: Vector[] }} Poses of all links in the world */

/**
 * @param {Tree} tree
 * @param {Vector} q
 * @returns {Poses}
 */
export function poses(tree, q) {
  const [R, p] = compute(FORWARD_KINEMATICS, tree, [q]);
  return { R, p };
}

// The links from a body in to the ground.
/**
 * @param {Tree} tree
 * @param {number} body
 * @returns {number[]}
 */
export function pathOf(tree, body) {
  return body < 0 ? [] : [body, ...pathOf(tree, tree.parent[body])];
}

// The ends of each link in its own frame: its children's seats; of a leaf its centre of mass, of the last link the tip.
/**
 * @param {Tree} tree
 * @returns {Vector[][]}
 */
export function endsOf(tree) {
  return tree.names.map((_, i) => {
    const seats = tree.offset.filter((_, k) => tree.parent[k] === i);
    return seats.length ? seats : [i === tree.names.length - 1 ? tree.tip : tree.com[i]];
  });
}

// The links' strokes from their origins to their ends, the way that slides have come out, and stalks from the ground.
export function paintLinks(stage, tree, ends, { R, p }, body, { axes = true, glow = [] } = {}) {
  const seen = !stage.solids(tree, { R, p }, { body, glow });
  if (axes)
    stage.axes(
      [0, 0, 0],
      [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
      "",
      0.15 * tree.reach,
    );
  tree.names.forEach((_, i) => {
    const parent = tree.parent[i];
    const seat = parent < 0 ? tree.offset[i] : add(p[parent], apply(R[parent], tree.offset[i]));
    if (parent < 0) stage.line([[0, 0, 0], seat], "faint", { width: 2, seen });
    stage.line([seat, p[i]], "slide", { width: 3, seen });
    for (const end of ends[i]) {
      stage.line([p[i], add(p[i], apply(R[i], end))], i === body ? "ink" : "faint", {
        width: i === body ? 9 : 7,
        opacity: 0.8,
        grab: i,
        seen,
      });
    }
  });
}

// A link pulled at: which joint goes (its own or, if that is fixed, the next one inward), and by how much, to take
// the point along.
/**
 * @param {Tree} tree
 * @param {Camera} camera
 * @param {Poses} at
 * @param {string | number} link
 * @param {Vector} where
 * @param {Vector} moved
 * @returns {[] | [number, number]}
 */
export function pulled(tree, camera, { R, p }, link, where, moved) {
  const i = pathOf(tree, Number(link)).find((k) => tree.column[k] !== null);
  if (i === undefined) return [];
  const axis = apply(R[i], tree.axis[i]);
  const point = add(p[i], camera.lift(subtract(where, camera.project(p[i]))));
  const velocity = tree.kind[i] === "Revolute" ? cross(axis, subtract(point, p[i])) : axis;
  const seen = camera.flatten(velocity); // pixels a unit of q
  const most = (0.05 * camera.zoom * tree.reach) ** 2; // keeps a joint that is seen edge-on from racing
  return [i, dot(seen, moved) / Math.max(dot(seen, seen), most)];
}

// A joint's coordinate as a named number: degrees for a turn, metres for a slide.
/**
 * @param {Tree} tree
 * @param {number} i
 * @param {() => number} get
 * @param {(value: number) => void} set
 */
export function jointRow(tree, i, get, set) {
  const [low, high] = tree.limits[tree.column[i]];
  const inDegrees = tree.kind[i] === "Revolute";
  const [to, from] = inDegrees ? [degrees, radians] : [(x) => x, (x) => x];
  const range = {
    min: rounded(to(low)),
    max: rounded(to(high)),
    unit: inDegrees ? "\u00b0" : "m",
    step: inDegrees ? 1 : 0.01,
    digits: inDegrees ? 1 : 3,
  };
  return numberRow(
    tree.names[i],
    range,
    () => to(get()),
    (value) => set(from(value)),
  );
}

// q with one entry set anew, within its limits.
/**
 * @param {Tree} tree
 * @param {Vector} q
 * @param {number} i
 * @param {number} value
 * @returns {Vector}
 */
export function withJoint(tree, q, i, value) {
  const [low, high] = tree.limits[tree.column[i]];
  return q.map((old, k) => (k === tree.column[i] ? Math.max(low, Math.min(high, value)) : old));
}

// The middle of a posed tree, to look at.
const middleOf = ({ p }) =>
  scale(
    0.5,
    [0, 1, 2].map((k) => Math.min(0, ...p.map((x) => x[k])) + Math.max(0, ...p.map((x) => x[k]))),
  );

// A camera that fits a posed tree; a third of the reach at least, so that a folded one has room to unfold.
/**
 * @param {Tree} tree
 * @param {{ p: Vector[] }} posed
 */
export function cameraOn(tree, posed) {
  const middle = middleOf(posed);
  const extent = Math.max(tree.reach / 3, ...posed.p.map((x) => norm(subtract(x, middle))));
  return new Camera(150 / extent, middle);
}

// How high the floor lies under a tree as it is posed, on the ground or below its lowest link, or, if the tree hangs,
// below its reach; whether the tree stands on it, and how far its shadows may fall.
/**
 * @param {Tree} tree
 * @param {{ q: Vector }} request
 */
export function sceneAround(tree, { q }) {
  const { R, p } = poses(tree, q);
  const radius = tree.bodies?.radius ?? tree.names.map(() => 0);
  const heights = p.flatMap((at, i) =>
    [at, ...endsOf(tree)[i].map((end) => add(at, apply(R[i], end)))].map((x) => x[2] - 1.5 * radius[i]),
  );
  const lowest = Math.min(0, ...heights);
  const hangs = lowest < -0.25 * tree.reach;
  return { floor: hangs ? -1.1 * tree.reach : lowest, foot: !hangs, extent: tree.reach };
}
