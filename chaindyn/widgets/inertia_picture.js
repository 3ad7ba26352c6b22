// The picture of InertiaExplorer.

import { AXES } from "./inertia_model.js";
import { add, apply, norm, radians, scale } from "./vectors.js";

export const REACH = 0.27; // how long the spin is drawn for 1 rad/s [m]

export function paint(view, R, spin) {
  const { camera, drawn, stage, talk } = view;
  const half = scale(0.5, talk.request.sides);
  const place = (own) => apply(R, own);
  const ellipsoid = drawn.moments.map((I) => REACH * Math.sqrt((2 * drawn.energy[0]) / I)); // of spins of this energy
  const angles = Array.from({ length: 73 }, (_, k) => radians(5 * k));
  const solid = (shape, sides, colour, opacity) =>
    stage.solid(shape, { shape, R, centre: [0, 0, 0], sides }, colour, null, { opacity });
  const seen = !solid("box", talk.request.sides, "struck", 1);
  solid("ellipsoid", scale(2, ellipsoid), "motion", 0.16);
  for (const [i, j, k] of [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
  ]) {
    const point = (a, b, c) => place([0, 1, 2].map((axis) => (axis === i ? a : axis === j ? b : c)));
    const round = angles.map((angle) => point(0, ellipsoid[j] * Math.cos(angle), ellipsoid[k] * Math.sin(angle)));
    stage.line(round, "faint", { width: 1, opacity: 0.7 });
    for (const [b, c] of [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ]) {
      const ends = [-half[i], half[i]].map((a) => point(a, b * half[j], c * half[k]));
      const near = camera.depth(add(ends[0], ends[1])) > 0;
      stage.line(ends, "ink", { width: near ? 2.5 : 1.5, opacity: near ? 1 : 0.6, seen });
    }
    stage.line([[0, 0, 0], point(half[i], 0, 0)], AXES[i], { width: 2 });
  }
  stage.line(
    drawn.spin.map((w) => place(scale(REACH, w))),
    "motion",
    { width: 2 },
  );
  const length = 1.4 / (norm(drawn.own[0]) || 1);
  const trace = view.riding ? drawn.own : drawn.momentum;
  stage.line(
    trace.map((h) => scale(length, h)),
    "force",
    { width: 2, dash: "3 5" },
  );
  const tips = [
    ["force", "h", scale(length, view.at(trace)), [10, -6]],
    ["motion", "\u03c9", place(scale(REACH, spin)), [-20, -8]],
  ];
  for (const [colour, name, displacement, offset] of tips) {
    stage.arrow([0, 0, 0], displacement, colour, { width: 3 });
    stage.text(displacement, name, offset);
  }
}
