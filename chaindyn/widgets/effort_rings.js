// The picture of EffortExplorer: a ring at each joint, whose four colours are what its torque is for and whose size is
// how much that is; and the lift that goes on for ever.

import { html } from "./elements.js";
import { add, scale, shown } from "./vectors.js";

export const COLOURS = { weight: "z", velocity: "y", acceleration: "x", load: "slide", all: "ink" };
const [LEAST, MOST, THICK] = [13, 44, 9]; // of a ring's radius, and its stroke [pixels]
const FAR = 0.3; // how far a joint goes in a lift [rad, or m for a reach of 2 m]
const PERIOD = 4; // [s]

// Where a chain is at a time of its lift, which begins and ends at rest in the posture q.
export function lifted(tree, request, time) {
  const rate = (2 * Math.PI) / PERIOD;
  const most = tree.names.flatMap((_, i) => {
    if (tree.column[i] === null) return [];
    return tree.kind[i] === "Revolute" ? (i % 2 ? -FAR : FAR) : (FAR * tree.reach) / 2;
  });
  const along = (q, qd, qdd) => ({ q, qd, qdd });
  return {
    ...request,
    ...along(
      add(request.q, scale((1 - Math.cos(rate * time)) / 2, most)),
      scale((rate * Math.sin(rate * time)) / 2, most),
      scale((rate ** 2 * Math.cos(rate * time)) / 2, most),
    ),
    load: request.load || 1, // a litre of milk
  };
}

// A ring in the plane of the picture, an arc of each colour for each part; how much they are together, as a share of
// the most that any joint of its kind has to do, is how wide it is.
export function paintRing(stage, centre, parts, names, share) {
  const sum = parts.reduce((all, x) => all + Math.abs(x), 0);
  if (!(sum > 1e-9)) return;
  const radius = LEAST + (MOST - LEAST) * Math.sqrt(share);
  const at = (angle) => add(centre, stage.camera.lift([radius * Math.sin(angle), -radius * Math.cos(angle)]));
  let from = 0;
  parts.forEach((part, k) => {
    const wide = (2 * Math.PI * Math.abs(part)) / sum;
    const steps = Math.max(2, Math.round(8 * wide));
    const points = Array.from({ length: steps + 1 }, (_, j) => at(from + (wide * j) / steps));
    if (wide > 0.02) stage.line(points, COLOURS[names[k]], { width: THICK });
    from += wide;
  });
}

// The load, a carton that hangs upright.
export function paintCarton(stage, tip, side) {
  const R = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const carton = { shape: "box", R, centre: [0, 0, -side], sides: [side, side, 2 * side] };
  if (!stage.solid("milk", carton, "slide", { R, p: tip }))
    stage.line([tip, add(tip, [0, 0, -2 * side])], "slide", { width: 12 });
}

export const ringLabel = (parts, unit) =>
  `${shown(
    parts.reduce((sum, x) => sum + x, 0),
    1,
  )} ${unit}`;

// What the colours are, in a line.
export const keyOf = (names) =>
  html(
    "p",
    { class: "legend" },
    "Each joint\u2019s torque: ",
    ...names.flatMap((name, k) => [k ? " " : "", html("span", { class: COLOURS[name] }, `\u25cf\u00a0${name}`)]),
  );
