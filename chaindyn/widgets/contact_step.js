// Bodies in the x-z plane that touch: where they are, where they touch, and one step of Moreau and Jean.
//
// A tree is a list of links {parent, joint, offset, mass, inertia, com, shape}: the joint is "x" or "z", which
// slides, or "turn", from x towards z. A shape is a convex core, its corners anticlockwise in the link's frame, and a
// radius about it.

import { inner, largest, square, times } from "./contact_algebra.js";
import { forEach, normalsOf, seriesOfBlows, struckBy } from "./contact_blows.js";
import { coneMargins, ofContact } from "./contact_laws.js";
import { GRAVITY, worldOf } from "./contact_scenes.js";
import { contactsOf, tangentOf } from "./contact_shapes.js";
import { ENERGIES } from "./emitted/energies.js";
import { energy_given } from "./emitted/energy_given.js";
import { FORWARD_KINEMATICS } from "./emitted/forward_kinematics.js";
import { gap_half_way } from "./emitted/gap_half_way.js";
import { moreau_jean_step } from "./emitted/moreau_jean_step.js";
import { moreau_push } from "./emitted/moreau_push.js";
import { newton_push } from "./emitted/newton_push.js";
import { TOUCHED } from "./emitted/touched.js";
import { compute } from "./physics.js";
import { add, combine, scale } from "./vectors.js";

export const heavy = (tree) => tree.map((link, i) => ({ ...link, i })).filter(({ mass }) => mass > 0);

// The same links in space, x and z up, as the emitted functions take them.
const SPATIAL = new WeakMap();
const AXES = { x: [1, 0, 0], z: [0, 0, 1], turn: [0, -1, 0] };
/** @type {(point: number[]) => number[]} */
const lifted = ([x, z]) => [x, 0, z];

function inSpaceOf(tree) {
  if (!SPATIAL.has(tree)) {
    const eye = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    SPATIAL.set(tree, {
      ...{
        parent: tree.map(({ parent }) => parent),
        column: tree.map((_, k) => k),
        rotation: tree.map(() => eye),
        gravity: [0, 0, -GRAVITY],
      },
      ...{
        kind: tree.map(({ joint }) => (joint === "turn" ? "Revolute" : "Prismatic")),
        axis: tree.map(({ joint }) => AXES[joint]),
      },
      ...{
        offset: tree.map(({ offset }) => lifted(offset)),
        com: tree.map(({ com }) => lifted(com)),
        mass: tree.map(({ mass }) => mass),
      },
      inertia: tree.map(({ inertia }) => eye.map((row) => scale(inertia, row))),
    });
  }
  return SPATIAL.get(tree);
}

// Of each link where its frame is, and its axes.
export function posesOf(tree, q) {
  const [R, p] = compute(FORWARD_KINEMATICS, inSpaceOf(tree), [q]);
  return R.map(([[a, , b], , [c, , d]], i) => ({
    at: [p[i][0], p[i][2]],
    axes: [
      [a, b],
      [c, d],
    ],
  }));
}

// Kinetic and potential energy together.
export const energyOf = (tree, q, qd) =>
  compute(ENERGIES, inSpaceOf(tree), [q, qd])
    .slice(0, 2)
    .reduce((a, b) => a + b);

// How joint forces accelerate bodies, and the rows of a contact, as the emitted function says.
const NOWHERE = { bodies: [], point: [0, 0], normal: [0, 0] };

function touchedAt(tree, q, qd, tau, { bodies, point, normal } = NOWHERE, gravity = [0, 0, -GRAVITY]) {
  const side = tree.map((_, link) => Number(link === bodies[0]) - Number(link === bodies[1]));
  const axes = [normal, tangentOf(normal)].map(lifted);
  const [acceleration, ...rows] = compute(TOUCHED, inSpaceOf(tree), [q, qd, tau, side, lifted(point), axes], gravity);
  return { acceleration, K: rows.slice(0, 2), L: rows.slice(2, 4) };
}

// --- One step ------------------------------------------------------------------------------------------------------
const MARGIN = 1e-9; // gaps up to this are closed [m]
const RESTING = 1e-9; // and approaches up to this are none [m/s]
const WEIGHTLESS = [0, 0, 0];

// Kinetic energy that impulses p give in a step: to velocities `before` at its start, `moved` without impulses.
function givenBy(W, p, before, moved, restitution) {
  const after = add(moved, times(W, p));
  return p.reduce(
    (sum, _, k) =>
      k % 2 ? sum : sum + energy_given(...[p, before, moved, after].map((x) => ofContact(x, k / 2)), restitution),
    0,
  );
}

// The impulses p of a step at contacts that come with velocities `before` and would have `free` without impulses, how
// many blows they are, and what energy they gave. Newton's and Moreau's law together make one problem of the step.
// Else blows come first, and the step then only holds up.
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

// A step of the request from its q and qd: {q, qd} at its end, the contacts that acted, their impulses (normal,
// tangent) and modes, the kinetic energy that they gave, how deep bodies overlap half way, what the solver did, and
// the contacts that were near but open. Throws if the law has no answer.
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
    L.forEach((a, i) => {
      for (let j = 0; j <= i; j++) W[i][j] = W[j][i] = inner(a, L[j]);
    });
    const { p, blows, given } = K.length
      ? impulsesOf(W, times(K, before), times(K, moved), request, how)
      : { p: [], blows: 0, given: 0 };
    if (!(largest(moved) < 1e4)) throw new Error("the motion has grown without bound");
    const after = K.length
      ? add(moved, touchedAt(tree, there, still, combine(p, K), NOWHERE, WEIGHTLESS).acceleration)
      : moved;
    const impulses = closed.map((_, j) => [p[2 * j], p[2 * j + 1]]);
    const withMode = ({ bodies, point, normal, gap }, mode) => ({ bodies, point, normal, gap, mode });
    const contacts = closed.map((contact, j) =>
      withMode(contact, modeOf(impulses[j], inner(contact.K[1], after), request.friction)),
    );
    const open = near.filter((contact) => !closed.includes(contact)).map((contact) => withMode(contact, "open"));
    Object.assign(acted, {
      contacts,
      open,
      impulses,
      blows,
      given,
      overlap: Math.max(0, ...near.map(({ halfWay }) => -halfWay)),
    });
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
