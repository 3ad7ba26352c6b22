// The picture of HybridExplorer.

import { CENTRE_ACCELERATIONS } from "./emitted/centre_accelerations.js";
import { roundUp, scaleOf } from "./hybrid_words.js";
import { compute } from "./physics.js";
import { paintLinks, poses } from "./tree.js";
import { add, apply, cross, dot, norm, scale, subtract } from "./vectors.js";

export function paint(view, { R, p, qdd, tau }, { q, qd }) {
  const { column, ends, mass, motion, movable, reach, stage, tree } = view;
  for (const i of movable.filter((i) => !view.turns(i))) {
    const half = scale(0.3 * reach, apply(R[i], tree.axis[i]));
    stage.line([subtract(p[i], half), add(p[i], half)], "slide", { width: 1.5, dash: "2 6" });
  }
  if (qdd.every(Number.isFinite) && !motion.playing) paintLater(view, qdd);
  // a motor that is on glows
  const glow = tree.names.map((_, i) => (column[i] !== null && view.isPrescribed(i) ? 0.8 : 0));
  paintLinks(stage, tree, ends, { R, p }, -1, { axes: false, glow }); // whose colours mean other things here
  for (const i of movable)
    if (Number.isFinite(tau[column[i]]))
      paintForce(view, i, p[i], apply(R[i], tree.axis[i]), tau[column[i]] / scaleOf(view, tau, i));
  if (!qdd.every(Number.isFinite)) return;
  const [accelerations] = compute(CENTRE_ACCELERATIONS, tree, [q, qd, qdd]);
  const metres = (0.45 * reach) / roundUp(accelerations.map(norm)); // a m/s^2 of the arrows
  accelerations.forEach((a, i) => {
    if (mass[i] > 0 && norm(a) > 1e-9)
      stage.arrow(add(p[i], apply(R[i], tree.com[i])), scale(metres, a), "motion", { width: 3 });
  });
}

// Where the chain is a little later, to second order.
function paintLater(view, qdd) {
  const { ends, stage, talk, tree } = view;
  const { q, qd } = talk.request;
  const { R, p } = poses(
    tree,
    q.map((x, k) => x + view.ahead * qd[k] + (view.ahead ** 2 / 2) * qdd[k]),
  );
  ends.forEach((own, i) =>
    own.forEach((end) => stage.line([p[i], add(p[i], apply(R[i], end))], "motion", { width: 2.5, dash: "5 7" })),
  );
}

// A share of three quarters of a turn about the axis, or of an arrow along it.
function paintForce(view, i, centre, axis, share) {
  const { camera, stage } = view;
  const look = view.isPrescribed(i) ? { width: 6 } : { width: 2, dash: "4 5" };
  if (Math.abs(share) < 1e-6) return;
  if (!view.turns(i)) return paintPush(view, centre, scale((70 / camera.zoom) * share, axis), look);
  const { right, up } = camera.axes();
  const [u] = [up, right].map((e) => subtract(e, scale(dot(e, axis), axis))).filter((e) => norm(e) > 0.5);
  const [radius, w] = [24 / camera.zoom / norm(u), cross(axis, u)];
  const at = (angle) => add(centre, add(scale(radius * Math.cos(angle), u), scale(radius * Math.sin(angle), w)));
  const angles = Array.from({ length: 25 }, (_, k) => (1.5 * Math.PI * share * k) / 24);
  stage.line(angles.map(at), "force", look);
  const [tip, before] = [at(angles[24]), at(angles[24] - Math.sign(share) * 0.35)];
  stage.arrow(before, subtract(tip, before), "force", { width: 3 });
}

// Beside the slide, where the accelerations are not.
/**
 * @param {any} view
 * @param {number[]} centre
 * @param {number[]} displacement
 * @param {{ width: number, dash?: string }} look
 */
function paintPush(view, centre, displacement, { width, dash }) {
  const { camera, stage } = view;
  const [dx, dy] = camera.flatten(displacement);
  const beside = add(centre, camera.lift(scale(16 / (Math.hypot(dx, dy) || 1), dx > 0 ? [dy, -dx] : [-dy, dx])));
  stage.line([beside, add(beside, displacement)], "force", { width, dash });
  stage.arrow(add(beside, scale(0.7, displacement)), scale(0.3, displacement), "force", { width });
}
