// Bodies in the x-z plane that touch: where they are, where they touch, and one step of Moreau and Jean.
//
// A tree is a list of links {parent, joint, offset, mass, inertia, com, shape}: the joint is "x" or "z", which slides, or "turn",
// from x towards z. A shape is a convex core, its corners anticlockwise in the link's frame, and a radius about it.

import { add, apply, combine, dot, norm, scale, subtract } from "./base.js";
import { coneMargins, forEach, inner, largest, normalsOf, ofContact, seriesOfBlows, square, struckBy, times } from "./contact_laws.js";
import { ENERGIES } from "./emitted/energies.js";
import { energy_given } from "./emitted/energy_given.js";
import { FORWARD_KINEMATICS } from "./emitted/forward_kinematics.js";
import { gap_half_way } from "./emitted/gap_half_way.js";
import { moreau_jean_step } from "./emitted/moreau_jean_step.js";
import { moreau_push } from "./emitted/moreau_push.js";
import { newton_push } from "./emitted/newton_push.js";
import { TOUCHED } from "./emitted/touched.js";
import { compute } from "./physics.js";

// --- The scenes -----------------------------------------------------------------------------------------------------------

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
      const shape = { core: [[0, 0], [length, 0]], radius, skips: k > 0 };
      return { parent: k + 1, joint: "turn", offset: [k ? length : 0, 0], mass, inertia: (mass * length ** 2) / 12, com: [length / 2, 0], shape };
    });
    return [carrier(-1, "x"), carrier(0, "z"), ...rods];
  },
  stack(count) {
    const { width, height, mass } = BOX;
    const [w, h] = [width / 2, height / 2];
    const shape = { core: [[-w, -h], [w, -h], [w, h], [-w, h]], radius: 0 };
    const inertia = (mass * (width ** 2 + height ** 2)) / 12;
    const box = (k) => [carrier(-1, "x"), carrier(3 * k, "z"), { ...carrier(3 * k + 1, "turn"), mass, inertia, shape }];
    return Array.from({ length: count }, (_, k) => box(k)).flat();
  },
  // Balls on strings, side by side.
  cradle(count) {
    const { radius, string, height, mass } = BALL;
    const shape = { core: [[0, -string]], radius };
    const pivot = (k) => [radius * (2 * k - count + 1), height];
    return Array.from({ length: count }, (_, k) => ({ parent: -1, joint: "turn", offset: pivot(k), mass, inertia: (mass * radius ** 2) / 2, com: [0, -string], shape }));
  },
};

// The ground as convex pieces. Stairs go down to the right; each step's piece reaches on under those before, so that only one edge shows.
// A cradle hangs above a floor.
function groundOf({ scene, ground, angle }) {
  const far = 60;
  const piece = (left, right, top) => [[left, top - 6], [right, top - 6], [right, top], [left, top]];
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

// q and qd at the start: a chain is thrown to the right and spins, a stack stands and moves along, a cradle's first ball is lifted so
// high that it arrives with the speed.
const STARTS = {
  chain({ count, speed }, { at: [x, z] }) {
    const bent = Array.from({ length: count }, (_, k) => (k ? 0.25 : 0.3));
    return { q: [x - 0.9, z + 0.6, ...bent], qd: [speed, 0.3 * speed, -0.4 * speed, ...bent.slice(1).map(() => 0)] };
  },
  stack({ count, speed }, { at, tilt }) {
    const boxes = Array.from({ length: count }, (_, k) => [...add(at, rotated(tilt, [0, (k + 0.5) * BOX.height])), tilt]);
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

// --- Where links are, and how they move -----------------------------------------------------------------------------------

export const rotated = (angle, [x, z]) => [Math.cos(angle) * x - Math.sin(angle) * z, Math.sin(angle) * x + Math.cos(angle) * z];
const quarter = ([x, z]) => [-z, x];
export const placed = ({ at, axes }, point) => add(at, apply(axes, point));

export const heavy = (tree) => tree.map((link, i) => ({ ...link, i })).filter(({ mass }) => mass > 0);

// The same links in space, x and z up, as the emitted functions take them.
const SPATIAL = new WeakMap();
const AXES = { x: [1, 0, 0], z: [0, 0, 1], turn: [0, -1, 0] };
const lifted = ([x, z]) => [x, 0, z];
function inSpaceOf(tree) {
  if (!SPATIAL.has(tree)) {
    const eye = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    SPATIAL.set(tree, {
      ...{ parent: tree.map(({ parent }) => parent), column: tree.map((_, k) => k), rotation: tree.map(() => eye), gravity: [0, 0, -GRAVITY] },
      ...{ kind: tree.map(({ joint }) => (joint === "turn" ? "Revolute" : "Prismatic")), axis: tree.map(({ joint }) => AXES[joint]) },
      ...{ offset: tree.map(({ offset }) => lifted(offset)), com: tree.map(({ com }) => lifted(com)), mass: tree.map(({ mass }) => mass) },
      inertia: tree.map(({ inertia }) => eye.map((row) => scale(inertia, row))),
    });
  }
  return SPATIAL.get(tree);
}

// Of each link where its frame is, and its axes.
export function posesOf(tree, q) {
  const [R, p] = compute(FORWARD_KINEMATICS, inSpaceOf(tree), [q]);
  return R.map(([[a, , b], , [c, , d]], i) => ({ at: [p[i][0], p[i][2]], axes: [[a, b], [c, d]] }));
}

// Kinetic and potential energy together.
export const energyOf = (tree, q, qd) => compute(ENERGIES, inSpaceOf(tree), [q, qd]).slice(0, 2).reduce((a, b) => a + b);

// How joint forces accelerate bodies, and the rows of a contact, as the emitted function says.
const NOWHERE = { bodies: [], point: [0, 0], normal: [0, 0] };
function touchedAt(tree, q, qd, tau, { bodies, point, normal } = NOWHERE, gravity = [0, 0, -GRAVITY]) {
  const side = tree.map((_, link) => Number(link === bodies[0]) - Number(link === bodies[1]));
  const axes = [normal, tangentOf(normal)].map(lifted);
  const [acceleration, ...rows] = compute(TOUCHED, inSpaceOf(tree), [q, qd, tau, side, lifted(point), axes], gravity);
  return { acceleration, K: rows.slice(0, 2), L: rows.slice(2, 4) };
}
export const tangentOf = (normal) => scale(-1, quarter(normal)); // clockwise

// --- Where shapes touch ---------------------------------------------------------------------------------------------------

const NEAR = 0.05; // gaps above this are not looked at [m]

// The sides of a core {a, along, length, normal}; a segment has two, a point none.
function sidesOf(core) {
  if (core.length < 2) return [];
  return core.map((a, k) => {
    const edge = subtract(core[(k + 1) % core.length], a);
    const length = norm(edge);
    const along = scale(1 / length, edge);
    return { a, b: core[(k + 1) % core.length], along, length, normal: [along[1], -along[0]] };
  });
}
// The side from which another core is farthest, and how far that is (negative if it lies behind).
function farthestSide(sides, core) {
  let best = { far: -Infinity };
  for (const side of sides) {
    const [[x, z], [ax, az]] = [side.normal, side.a];
    let far = Infinity;
    for (const point of core) far = Math.min(far, x * (point[0] - ax) + z * (point[1] - az));
    if (far > best.far) best = { side, far };
  }
  return best;
}
// The corners of two cores that are nearest to each other, if nothing else of them is nearer.
function nearestCorners(one, other, [ownSides, otherSides]) {
  let best = { far: Infinity };
  one.forEach((a, i) => other.forEach((b, j) => {
    const far = norm(subtract(a, b));
    if (far < best.far) best = { a, b, i, j, far };
  }));
  const faces = (sides, point) => sides.some(({ a, along, length, normal }) => {
    const [t, away] = [dot(along, subtract(point, a)), dot(normal, subtract(point, a))];
    return t >= 0 && t <= length && away >= 0 && away <= best.far;
  });
  return one.some((a) => faces(otherSides, a)) || other.some((b) => faces(ownSides, b)) ? null : best;
}
// What of a core lies over a side, most of all against it: its ends, and whether each is the core's own first corner.
function overSide({ a, along, length, normal }, core, sides) {
  if (core.length < 2) return [{ point: core[0], first: true }];
  const facing = sides.reduce((best, side) => (dot(side.normal, normal) < dot(best.normal, normal) ? side : best));
  const corners = [facing.a, facing.b];
  const [s, t] = corners.map((point) => dot(along, subtract(point, a)));
  let [low, high] = [0, 1];
  if (s !== t) {
    const cuts = [-s / (t - s), (length - s) / (t - s)];
    [low, high] = [Math.max(0, Math.min(...cuts)), Math.min(1, Math.max(...cuts))];
  } else if (s < 0 || s > length) return [];
  if (low > high) return [];
  return [low, high].slice(low === high ? 1 : 0).map((share) => {
    const corner = share === 0 ? corners[0] : share === 1 ? corners[1] : null;
    return { point: corner ?? combine([1 - share, share], corners), first: corner === core[0] };
  });
}

// A shape in the plane, with its sides and the circle about it.
function shapeAt(core, radius, more = {}) {
  const middle = scale(1 / core.length, core.reduce(add));
  return { ...more, core, radius, sides: sidesOf(core), middle, size: radius + Math.max(...core.map((point) => norm(subtract(point, middle)))) };
}
// The contacts of two shapes: {point, normal from the second into the first, gap}, none beyond NEAR.
function contactsBetween(one, other) {
  const reach = one.radius + other.radius;
  const between = subtract(one.middle, other.middle);
  if (Math.hypot(between[0], between[1]) > one.size + other.size + NEAR) return [];
  const sides = [one.sides, other.sides];
  const theirs = farthestSide(sides[1], one.core);
  if (theirs.far > reach + NEAR) return [];
  const own = farthestSide(sides[0], other.core);
  if (Math.max(own.far, theirs.far) > reach + NEAR) return [];
  const overlap = Math.max(own.far, theirs.far) <= 0 && sides.some((x) => x.length > 2);
  const corners = reach > 0 && !overlap && nearestCorners(one.core, other.core, sides);
  if (corners) {
    const { a, b, i, j, far } = corners;
    if ((one.skips && i === 0) || (other.skips && j === 0) || far - reach > NEAR || far === 0) return [];
    const normal = scale(1 / far, subtract(a, b));
    return [{ point: add(b, scale(other.radius + (far - reach) / 2, normal)), normal, gap: far - reach }];
  }
  const flipped = own.far > theirs.far + 1e-9; // the side belongs to the first
  const { side } = flipped ? own : theirs;
  const [face, body, bodySides] = flipped ? [one, other, sides[1]] : [other, one, sides[0]];
  return overSide(side, body.core, bodySides).flatMap(({ point, first }) => {
    const gap = dot(side.normal, subtract(point, side.a)) - reach;
    if (gap > NEAR || (first && body.skips)) return [];
    const at = subtract(point, scale(body.radius + gap / 2, side.normal));
    return [{ point: at, normal: flipped ? scale(-1, side.normal) : side.normal, gap }];
  });
}

// All contacts of a world in a posture, with their bodies: links, or -1 for the ground. Neighbours with a joint between them do not touch.
function contactsOf({ tree, pieces, jointed }, poses) {
  const ground = pieces.map((shape) => ({ ...shape, link: -1 }));
  const shapes = tree.flatMap(({ shape }, link) => (shape ? [shapeAt(shape.core.map((point) => placed(poses[link], point)), shape.radius, { link, skips: shape.skips })] : []));
  return shapes.flatMap((one, k) => [...ground, ...shapes.slice(0, jointed ? Math.max(0, k - 1) : k)].flatMap((other) =>
    contactsBetween(one, other).map((touch) => ({ bodies: [one.link, other.link], ...touch })),
  ));
}

// --- One step -------------------------------------------------------------------------------------------------------------

const MARGIN = 1e-9; // gaps up to this are closed [m]
const RESTING = 1e-9; // and approaches up to this are none [m/s]
const WEIGHTLESS = [0, 0, 0];

// Kinetic energy that impulses p give in a step: to velocities `before` at its start, `moved` without impulses.
function givenBy(W, p, before, moved, restitution) {
  const after = add(moved, times(W, p));
  return p.reduce((sum, _, k) => (k % 2 ? sum : sum + energy_given(...[p, before, moved, after].map((x) => ofContact(x, k / 2)), restitution)), 0);
}

// The impulses p of a step at contacts that come with velocities `before` and would have `free` without impulses, how many blows
// they are, and what energy they gave. Newton's and Moreau's law together make one problem of the step. Else blows come first, and
// the step then only holds up.
function impulsesOf(W, before, free, request, how) {
  const { restitution, friction, law, order } = request;
  const struck = struckBy(W, friction, how);
  const pushes = { newton: newton_push, moreau: moreau_push };
  if (order === "together" && pushes[law]) {
    const [p] = pushes[law](struck, free, before, forEach(free, restitution), normalsOf(free));
    return { p, blows: 0, given: givenBy(W, p, before, free, restitution) };
  }
  const { p, blows } = seriesOfBlows(W, before, request, how, RESTING);
  const pushed = add(free, times(W, p));
  const push = struck.impulses(pushed, forEach(free, 0));
  return { p: add(p, push), blows, given: givenBy(W, p, before, before, 0) + givenBy(W, push, pushed, pushed, 0) };
}

// A step of the request from its q and qd: {q, qd} at its end, the contacts that acted, their impulses (normal, tangent) and modes,
// the kinetic energy that they gave, how deep bodies overlap half way, what the solver did, and the contacts that were near but open. Throws if the law has no answer.
export function stepOf(request, world = worldOf(request)) {
  const { tree } = world;
  const how = { solver: request.solver, sweeps: request.sweeps, work: { iterations: 0, residual: 0, count: "" } };
  const [acted, still] = [{}, scale(0, request.qd)];
  const pushed = (there, before, moved) => {
    const near = contactsOf(world, posesOf(tree, there)).map((contact) => {
      const own = touchedAt(tree, there, still, still, contact);
      return { ...contact, ...own, halfWay: gap_half_way(contact.gap, inner(own.K[0], moved), request.step) };
    });
    const closed = near.filter(({ halfWay }) => halfWay <= MARGIN);
    const [K, L] = ["K", "L"].map((rows) => closed.flatMap((contact) => contact[rows]));
    const W = square(K.length);
    L.forEach((a, i) => { for (let j = 0; j <= i; j++) W[i][j] = W[j][i] = inner(a, L[j]); });
    const { p, blows, given } = K.length ? impulsesOf(W, times(K, before), times(K, moved), request, how) : { p: [], blows: 0, given: 0 };
    if (!(largest(moved) < 1e4)) throw new Error("the motion has grown without bound");
    const after = K.length ? add(moved, touchedAt(tree, there, still, combine(p, K), NOWHERE, WEIGHTLESS).acceleration) : moved;
    const impulses = closed.map((_, j) => [p[2 * j], p[2 * j + 1]]);
    const told = ({ bodies, point, normal, gap }, mode) => ({ bodies, point, normal, gap, mode });
    const contacts = closed.map((contact, j) => told(contact, modeOf(impulses[j], inner(contact.K[1], after), request.friction)));
    const open = near.filter((contact) => !closed.includes(contact)).map((contact) => told(contact, "open"));
    Object.assign(acted, { contacts, open, impulses, blows, given, overlap: Math.max(0, ...near.map(({ halfWay }) => -halfWay)) });
    return after;
  };
  const falling = { acceleration: (_, q, qd) => touchedAt(tree, q, qd, still).acceleration, pushed };
  const [q, qd] = moreau_jean_step(falling, 0, request.q, request.qd, request.step);
  return { q, qd, ...acted, ...how.work };
}

// "open", "sticks", or which way the first body slips along the second.
function modeOf([normal, friction], slip, mu) {
  if (!(normal > 0)) return "open";
  const [left, whole] = [friction, 0].map((x) => coneMargins([normal, x], mu, 0)[1]);
  const full = left <= 1e-6 * whole;
  return full && Math.abs(slip) > 1e-7 ? (slip > 0 ? "right" : "left") : "sticks";
}
