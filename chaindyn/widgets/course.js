// The film of a blow: what is seen when, and how it is drawn.

import { paintWall } from "./blow.js";
import { rk4_step } from "./emitted/rk4_step.js";
import { accelerations } from "./forward.js";
import { endsOf, paintLinks, poses } from "./tree.js";
import { add, apply, combine, dot, norm, scale, shown, subtract } from "./vectors.js";

const SPAN = 0.42; // of motion on either side of the blow [s]
export const SLOWER = 6; // times slower than it is
const FLASH = 2.6; // how long the film stands still for the blow [s]
const LINGER = 0.7; // and at its end
const STEPS = 63; // of RK4 on either side

// The states [q, qd] after each of so many steps of RK4, the first one included; a negative step goes back in time.
function marched(system, q, qd, h, count) {
  const states = [[q, qd]];
  for (let k = 0; k < count; k++) states.push(rk4_step(system, k * h, ...states[k], h));
  return states;
}

// The chain's postures and rates before the blow, latest first, and after it, in equal steps of time, each as far as
// the struck point stays before the wall. Its motors carry its weight, and do no more.
export function courseOf(tree, { q, qd, body, point, normal }, after) {
  const none = qd.map(() => 0);
  const free = { acceleration: (_, q, qd) => accelerations(tree, q, qd, none, [0, 0, 0]) };
  const place = (q) => {
    const { R, p } = poses(tree, q);
    return add(p[body], apply(R[body], point));
  };
  const wall = dot(place(q), normal);
  const asFar = (states) => {
    const behind = states.findIndex(([q]) => !(dot(place(q), normal) > wall - 1e-3 * tree.reach));
    return behind < 0 ? states : states.slice(0, Math.max(1, behind));
  };
  const h = SPAN / STEPS;
  return { h, before: asFar(marched(free, q, qd, -h, STEPS)), after: asFar(marched(free, q, after, h, STEPS)) };
}

// When each part of the film begins [s of the film], and how long it is.
export function cutOf({ h, before, after }) {
  const blow = SLOWER * h * (before.length - 1);
  const leave = blow + FLASH;
  return { blow, leave, end: leave + SLOWER * h * (after.length - 1) + LINGER };
}

// What the film shows at a time of its own: posture and rates, how far the flash of the blow has come, 0 to 1, and
// how much of it is left.
export function sceneAt(course, clock) {
  const { blow, leave } = cutOf(course);
  const between = (states, time) => {
    const place = Math.max(0, Math.min(states.length - 1, time / course.h));
    const k = Math.min(Math.floor(place), states.length - 2);
    return states.length < 2 ? states[0] : combine([1 - place + k, place - k], [states[k], states[k + 1]]);
  };
  const early = clock < leave;
  const [q, qd] = early
    ? between(course.before, (blow - clock) / SLOWER)
    : between(course.after, (clock - leave) / SLOWER);
  const flash = Math.max(0, Math.min(1, (clock - blow) / FLASH));
  return { q, qd, early, flash, left: early ? 1 : Math.max(0, 1 - (clock - leave) / 1.2) };
}

// How bright each of n joints glows while the flash runs from the struck end inward; it comes in turn, that the eye
// can follow, though in truth all feel the blow at once.
export const turnOfJoint = (i, n) => 0.1 + (0.65 * (n - 1 - i)) / n;
export const arrived = (i, n, flash) => Math.max(0, Math.min(1, (flash - turnOfJoint(i, n)) / 0.1));

const glowOf = (i, n, { flash, left }) =>
  arrived(i, n, flash) * (0.35 + 0.65 * Math.max(0, 1 - (flash - turnOfJoint(i, n)) / 0.3)) * left;

// What the film shows: the chain before its wall, the way of the struck point and, while it stands still, the impulse
// on its way inward.
export function paintFilm(stage, tree, values, request, scene, way = { before: [], after: [] }) {
  const { reach, names, column } = tree;
  const n = names.length;
  const { impulse, reactions, before, after, point } = values;
  const { normal, body } = request;
  paintWall(stage, point, normal, reach);
  const at = poses(tree, scene.q);
  const tip = add(at.p[body], apply(at.R[body], request.point));
  paintLinks(stage, tree, endsOf(tree), at, body, {
    axes: false,
    glow: names.map((_, i) => (impulse ? glowOf(i, n, scene) : 0)),
  });
  stage.line(way.before, "faint", { width: 2, dash: "2 5" });
  if (!scene.early) stage.line(way.after, "motion", { width: 2, dash: "2 5" });
  const metres = 0.2 * reach;
  const quickest = Math.max(norm(before), after.includes(null) ? 0 : norm(after), 1e-9);
  if (!scene.flash) stage.arrow(tip, scale(metres / quickest, before), "motion", { width: 3 });
  if (!impulse || !scene.flash || !scene.left) return;
  const largest = Math.max(impulse, ...reactions.filter((f) => !f.includes(null)).map(norm));
  const grow = (share) => (metres / largest) * Math.max(0.001, share);
  const first = Math.min(1, scene.flash / 0.08);
  const blow = scale(grow(first) * impulse, normal);
  stage.arrow(subtract(tip, blow), blow, "force", { width: 5, opacity: scene.left });
  stage.text(subtract(tip, blow), `${shown(impulse)} N s`);
  names.forEach((_, i) => {
    const share = arrived(i, n, scene.flash);
    if (column[i] === null || !share || reactions[i].includes(null)) return;
    const push = scale(grow(share), reactions[i]);
    stage.arrow(at.p[i], push, "force", { width: 2.5, opacity: scene.left });
    if (norm(reactions[i]) > 0.02 * largest) stage.text(add(at.p[i], push), shown(norm(reactions[i])));
  });
}
