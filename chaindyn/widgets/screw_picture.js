// The picture of ScrewExplorer.

import { add, cross, norm, radians, scale, shown, transpose } from "./vectors.js";

export const ARM = 0.9; // length of the handle that turns a direction [m]
const ROUND = 0.32; // how far from the axis of the motion what rides on it is [m]
export const FILM = 8; // how long it rides, at most a turn either way [s]
const BRIGHT = 3; // the power at which the lamp shines at its brightest [W]
const SPEED = 0.25; // how long an arrow is drawn for 1 m/s

const UNIT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

// Two directions across a third.
function acrossTo(direction) {
  const across = cross(direction, Math.abs(direction[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
  const u = scale(1 / norm(across), across);
  return [u, cross(direction, u)];
}

// The path of a body beside the axis, one turn either way: a helix that climbs 2 pi pitch a turn.
function helix(screw) {
  return Array.from({ length: 81 }, (_, i) => riding(screw, ((i - 40) * Math.PI) / 20).p);
}

// Where a body on the motion's path is, so many radians on: its attitude and place.
function riding({ point, direction, pitch }, angle) {
  const [u, v] = acrossTo(direction);
  const out = add(scale(Math.cos(angle), u), scale(Math.sin(angle), v));
  const R = transpose([out, cross(direction, out), direction]);
  return { R, p: [scale(pitch * angle, direction), scale(ROUND, out)].reduce(add, point) };
}

function paintScrew(stage, colour, screw, dash) {
  const { point, direction } = screw;
  stage.line([add(point, scale(-4, direction)), add(point, scale(4, direction))], colour, { width: 2, dash });
  stage.line(helix(screw), colour, { width: 3, opacity: 0.8 });
  stage.arrow(point, scale(ARM, direction), colour, { width: 4 });
}

// The field of velocities and the two frames, for who looks at the numbers.
function paintNumbers(view, B, twist, field) {
  const { camera, lattice, stage } = view;
  const byDepth = lattice.map((P, i) => ({ P, v: field[i], depth: camera.depth(P) })).sort((a, b) => a.depth - b.depth);
  for (const { P, v, depth } of byDepth) {
    if (v.includes(null)) continue;
    stage.arrow(P, scale(SPEED, v), "faint", {
      width: 1.5,
      opacity: 0.65 + 0.15 * Math.max(-2, Math.min(2, depth)),
      above: false,
    });
  }
  const [c, s] = [Math.cos(radians(B.turn)), Math.sin(radians(B.turn))];
  stage.axes([0, 0, 0], UNIT, "O");
  stage.axes(
    B.origin,
    [
      [c, -s, 0],
      [s, c, 0],
      [0, 0, 1],
    ],
    "B",
  );
  stage.arrow([0, 0, 0], scale(SPEED, twist.O.slice(3)), "motion", { width: 3 });
  stage.text(scale(SPEED, twist.O.slice(3)), "v", [6, 4]);
}

// A lamp on the axis of the force, as bright as the power; where the screws do no work on each other it is out.
function paintLamp(stage, { point, direction }, power) {
  const at = add(point, scale(-0.35, direction));
  const bright = Math.min(1, Math.abs(power) / BRIGHT);
  const glass = { shape: "ellipsoid", R: UNIT, centre: [0, 0, 0], sides: [0.22, 0.22, 0.22] };
  const lit = stage.solid("lamp", glass, bright > 0.01 ? "slide" : "joint", { R: UNIT, p: at });
  if (!lit) stage.line([at, at], "faint", { width: 24 });
  for (const wide of [34, 50, 66]) stage.line([at, at], "slide", { width: wide, opacity: 0.28 * bright });
  stage.text(at, Math.abs(power) < 0.005 ? "0 W: no work" : `${shown(power)} W`);
}

export function paint(view, { motion, force, frame: B }, twist, field, power) {
  const { film, sectionB, stage } = view;
  if (sectionB.open) paintNumbers(view, B, twist, field);
  paintScrew(stage, "force", force, "9 6");
  paintScrew(stage, "motion", motion, "none");
  const rider = riding(motion, Math.max(-2 * Math.PI, Math.min(2 * Math.PI, motion.size * (film.clock - FILM / 2))));
  const seen = !stage.solid(
    "rider",
    { shape: "box", R: UNIT, centre: [0, 0, 0], sides: [0.22, 0.3, 0.3] },
    "struck",
    rider,
  );
  stage.line([rider.p, rider.p], "motion", { width: 12, seen });
  if (Number.isFinite(power)) paintLamp(stage, force, power);
  stage.text(add(motion.point, scale(ARM, motion.direction)), "\u03c9", [12, -8]);
  stage.text(add(force.point, scale(ARM, force.direction)), "f", [12, -8]);
}
