// What SwingExplorer says of a motion.

import { grown, sized } from "./graph.js";
import { milli } from "./swing_controls.js";
import { gainsOf, STEPPERS, tipOf } from "./swing_model.js";
import { poses } from "./tree.js";
import { norm, shown, subtract } from "./vectors.js";

export const opening = (view) =>
  view.state().motors === "off"
    ? "A chain is let go: solid, by the method below; dashed, as it truly swings. The green level is how high its " +
      "energy could lift its centre of mass, and should stay. Drag a link to another start."
    : "Motors drive the chain to the dashed line; the arcs are their torques. Drag a link to another start.";

// How far the tip is from where it should be [m], of a free chain.
export function astray(view, q, exact) {
  const [tip, should] = [q, exact].map((posture) => tipOf(view.tree(), poses(view.tree(), posture)));
  return norm(subtract(tip, should));
}

export function readout(view) {
  const { held, player } = view;
  const tip = tipOf(view.tree(), poses(view.tree(), view.posture()))
    .map((x) => shown(x))
    .join(", ");
  const start = `Time ${shown(player.time)} s: tip at (${tip}) m`;
  if (!view.fresh()) return `${start}.`;
  const { kinetic, potential, tau } = held.motion;
  const [K, U] = [kinetic, potential].map((x) => player.at(x));
  const torques = tau
    ? `; torques ${player
        .at(tau)
        .map((x) => grown(x, 1))
        .join(", ")} ${unitsOf(view, "N\u00a0m", "N").join(" or ")}`
    : "";
  return `${start}, kinetic energy ${grown(K)} J, potential ${grown(U)} J, total ${grown(K + U)} J${torques}.`;
}

export function unitsOf(view, turn, slide) {
  return [turn, slide].filter((_, k) => view.tree().kind.includes(["Revolute", "Prismatic"][k]));
}

export function judge(view, request) {
  const { held, player, t } = view;
  const { energy, kinetic, errors, closed, tau, reason } = held.motion;
  const span = `${shown(player.last() - t[0], 1)} s`;
  const how = STEPPERS[request.method] ? `${request.method}, steps of ${milli(request.step)}` : request.method;
  const ended = reason ? ` It ended early: ${reason}.` : "";
  const most = (rows) => Math.max(...rows.flat().map(Math.abs));
  if (!errors) {
    const drift = most(energy.map((x) => x - energy[0]));
    const share = (100 * drift) / (Math.max(...kinetic) || 1);
    return (
      `${how}: in ${span} the total energy strays by ${sized(drift, "J")}, ` +
      `${share < 0.01 ? "less than 0.01" : grown(share, share < 1 ? 2 : 0)} % of the largest kinetic energy: ` +
      `the method\u2019s error, all of it.${ended}`
    );
  }
  const { kp, kd } = gainsOf(request);
  const stray = most(errors.map((e, k) => subtract(e, closed[k])));
  const left = most([errors.at(-1)]);
  const units = unitsOf(view, "rad", "m");
  return (
    `kp = ${shown(kp)} /s\u00b2, kd = ${shown(kd)} /s. ${how}: the tracking error strays from its closed form ` +
    `by at most ${sized(stray, ...units)}, and is ${sized(left, ...units)} after ${span}. Largest torque: ` +
    `${grown(most(tau), 0)} ${unitsOf(view, "N\u00a0m", "N").join(" or ")}.${ended}`
  );
}
