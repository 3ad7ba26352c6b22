// The picture of RotationExplorer.

import { UNIT, volume } from "./rotation_ways.js";
import { add, cross, dot, norm, radians, scale, subtract, transpose } from "./vectors.js";

const SIDES = [1.2, 0.8, 0.4]; // of the brick [m]
export const REACH = 0.42; // how long a vector is drawn for 1 rad [m]
export const NEAR_FLIP = 2.7; // from this angle on the arrow of the other way round is shown, too [rad]
export const AXES = ["x", "y", "z"];

export function paint(view, { log, target }, way) {
  const { camera, stage, talk } = view;
  const { right, up } = camera.axes();
  const round = Array.from({ length: 73 }, (_, k) =>
    scale(Math.PI * REACH, add(scale(Math.cos(radians(5 * k)), right), scale(Math.sin(radians(5 * k)), up))),
  );
  stage.line(round, "faint", { width: 1 });
  stage.axes([0, 0, 0], UNIT, "", 1);
  AXES.forEach((axis, i) => stage.text(UNIT[i], axis, [4, -4]));
  const tip = (R) => scale(0.5 * SIDES[0], transpose(R)[0]);
  paintFaces(view, way[view.place]);
  paintEdges(view, target);
  stage.line(way.map(tip), "slide", { width: 3, dash: "2 6" });
  if (log.includes(null)) return;
  const angle = norm(log);
  if (angle > NEAR_FLIP)
    stage.line([[0, 0, 0], scale(REACH * (1 - (2 * Math.PI) / angle), log)], "motion", { width: 2, dash: "5 6" });
  if (norm(subtract(log, talk.request.w)) > 1e-6)
    stage.line([[0, 0, 0], scale(REACH, talk.request.w)], "motion", { width: 1.5 });
  stage.arrow([0, 0, 0], scale(REACH, log), "motion", { width: 4 });
  stage.text(scale(REACH, log), "log R", [12, -10]);
}

// The corners of one face, around it: along `side` of axis i, on which the two other axes span it.
function corners(R, i, side) {
  const half = transpose(R).map((axis, k) => scale(SIDES[k] / 2, axis));
  const [u, v] = [half[(i + 1) % 3], half[(i + 2) % 3]];
  return [
    [1, 1],
    [-1, 1],
    [-1, -1],
    [1, -1],
  ].map(([a, b]) => [scale(side, half[i]), scale(a, u), scale(b, v)].reduce(add));
}

// The brick, with the colour of each axis on the two faces that it goes through.
function paintBrick(view, R) {
  const { stage } = view;
  const box = (name, sides, colour, opacity) =>
    stage.solid(name, { shape: "box", R, centre: [0, 0, 0], sides }, colour, null, { opacity });
  AXES.forEach((axis, i) =>
    box(
      `side ${axis}`,
      SIDES.map((side, k) => (k === i ? side + 0.02 : side - 0.08)),
      axis,
      0.65,
    ),
  );
  return box("brick", SIDES, "body", 1);
}

// The faces that look this way; where the matrix is no rotation, these are not those whose axes do.
function paintFaces(view, R) {
  const { camera, stage } = view;
  if (R.flat().includes(null)) return;
  const seen = !paintBrick(view, R);
  for (const i of [0, 1, 2]) {
    const columns = transpose(R);
    const outward = scale(Math.sign(volume(R)), cross(columns[(i + 1) % 3], columns[(i + 2) % 3]));
    const side = Math.sign(dot(outward, camera.axes().toward)) || 1;
    stage.face(corners(R, i, side), `${AXES[i]}${side > 0 ? "" : " back"}`, "brick", { seen });
    if (side > 0) stage.text(scale(SIDES[i] / 2, columns[i]), AXES[i], [-4, 5]);
  }
}

function paintEdges(view, R) {
  const { camera, stage } = view;
  if (R.flat().includes(null)) return;
  for (const side of [1, -1]) {
    const around = corners(R, 0, side);
    stage.line([...around, around[0]], "force", { width: 1.5, dash: "6 4" });
  }
  const [near, far] = [corners(R, 0, 1), corners(R, 0, -1)];
  near.forEach((corner, k) => stage.line([corner, far[k]], "force", { width: 1.5, dash: "6 4" }));
  const rightmost = [...near, ...far].reduce((a, b) => (camera.project(b)[0] > camera.project(a)[0] ? b : a));
  stage.text(rightmost, "target", [6, 6]);
}
