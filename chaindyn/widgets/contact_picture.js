// The picture of ContactExplorer: bodies, ground and contacts.

import { placed, rotated, tangentOf } from "./contact_shapes.js";
import { svg } from "./elements.js";
import { add, norm, scale, subtract, transpose } from "./vectors.js";

export const GROUND = 0.9; // how deep the ground is drawn [m]
export const BELOW = -60; // below all of it [m]

const UPRIGHT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

export const MODES = {
  sticks: ["S", "y", "sticks"],
  left: ["L", "force", "slips left"],
  right: ["R", "force", "slips right"],
  open: ["O", "faint", "open"],
}; // letter, colour, words

/** @type {(place: number[]) => number[]} */
export const inSpace = ([x, z]) => [x, 0, z];

// The sign of a mode: a square, a triangle that points along the slip, or a circle, with a letter.
/**
 * @param {string} mode
 * @param {number[]} place
 * @param {number[]} along
 */
export function signOf(mode, [x, y], [dx, dy]) {
  const [letter, colour] = MODES[mode];
  const look = { class: `sign ${colour}` };
  const sense = mode === "left" ? -1 : 1;
  const at = (along, aside) => [x + sense * along * dx - aside * dy, y + sense * along * dy + aside * dx].join();
  let shape = svg("circle", { ...look, cx: x, cy: y, r: 7 });
  if (mode === "sticks") shape = svg("rect", { ...look, x: x - 6.5, y: y - 6.5, width: 13, height: 13 });
  else if (mode !== "open") shape = svg("polygon", { ...look, points: [at(12, 0), at(-6, 9), at(-6, -9)].join(" ") });
  return svg("g", {}, shape, svg("text", { class: "letter", x, y: y + 3.5 }, letter));
}

// Where the camera looks at first, and from how near.
export function framing({ scene, ground, count }) {
  if (scene === "cradle") return { centre: [0, 0.72], zoom: 210 };
  if (ground === "stairs") return { centre: [0.9, 1.05], zoom: scene === "stack" ? 95 : 100 };
  const high = scene === "stack" ? Math.max(1.4, 0.2 * count + 0.3) : 1.7;
  return { centre: [ground === "slope" ? -0.4 : 0, high / 2 - 0.15], zoom: Math.min(150, 370 / (high + 0.2)) };
}

// Bodies of a world in a posture.
export function paintBodies(stage, { scene }, { tree }, poses) {
  const dot = (place) => stage.line([place, place].map(inSpace), "ink", { width: 6 });
  tree.forEach(({ shape }, i) => {
    if (!shape) return;
    const corners = shape.core.map((point) => placed(poses[i], point));
    if (stage.lit) return paintSolid(stage, scene, i, poses[i].at, corners, shape.radius);
    if (scene === "stack") return stage.face(corners.map(inSpace), "motion");
    if (scene === "chain") {
      stage.line(corners.map(inSpace), "motion", { width: 2 * shape.radius * stage.camera.zoom, opacity: 0.75 });
      return corners.forEach(dot);
    }
    const rim = Array.from({ length: 24 }, (_, k) =>
      add(corners[0], scale(shape.radius, [Math.cos((k * Math.PI) / 12), Math.sin((k * Math.PI) / 12)])),
    );
    stage.line([poses[i].at, corners[0]].map(inSpace), "faint");
    stage.face(rim.map(inSpace), "motion");
    dot(poses[i].at);
  });
}

function paintSolid(stage, scene, i, at, corners, radius) {
  const [here, first] = [at, corners[0]].map(inSpace);
  if (scene === "stack") return paintBlock(stage, `box ${i}`, corners, 0.3, i % 2 ? "body" : "struck");
  if (scene === "chain") {
    stage.rod(`rod ${i}`, first, inSpace(corners[1]), radius, "struck");
    return stage.pin(`pin ${i}`, first, 0.5 * radius, 1.25 * radius, "joint");
  }
  stage.solid(
    `ball ${i}`,
    { shape: "ellipsoid", R: UPRIGHT, centre: first, sides: [1, 1, 1].map((x) => 2 * x * radius) },
    "struck",
  );
  stage.solid(`string ${i}`, { shape: "cylinder", from: here, to: first, radius: 0.06 * radius }, "joint");
  stage.pin(`hook ${i}`, here, 0.15 * radius, 0.5 * radius, "joint");
}

// What has four corners, anticlockwise, as deep as said.
export function paintBlock(stage, name, corners, depth, colour) {
  const [a, b, , d] = corners.map(inSpace);
  const [along, up] = [subtract(b, a), subtract(d, a)];
  const R = transpose([scale(1 / norm(along), along), [0, 1, 0], scale(1 / norm(up), up)]);
  const centre = scale(1 / 4, corners.map(inSpace).reduce(add));
  return stage.solid(name, { shape: "box", R, centre, sides: [norm(along), depth, norm(up)] }, colour);
}

// A contact: its cone, its force as an arrow, its sign. `unit`: pixels for a newton; no arrow is longer than 90.
export function paintContact(stage, { point, normal, mode }, impulse, { friction, step }, unit, opacity = 1) {
  const tangent = tangentOf(normal);
  const pixel = 1 / stage.camera.zoom;
  const [colour, place] = [MODES[mode][1], stage.camera.project(inSpace(point))];
  const edge = (side) => inSpace(add(point, scale(34 * pixel, rotated(side * Math.atan(friction), normal))));
  if (impulse?.[0] > 0) {
    if (friction > 0 && opacity === 1)
      stage.strokes.append(
        svg("polygon", {
          class: `cone ${colour}`,
          points: [place, ...[1, -1].map((side) => stage.camera.project(edge(side)))].join(" "),
        }),
      );
    const force = add(scale(impulse[0] / step, normal), scale(impulse[1] / step, tangent));
    const long = Math.min(90, unit * norm(force)) * pixel;
    stage.arrow(inSpace(point), inSpace(scale(long / norm(force), force)), "ink", { width: 2.5, opacity });
  }
  if (opacity < 1) return;
  const [[dx, dy], [nx, ny]] = [tangent, normal].map((x) => stage.camera.flatten(scale(pixel, inSpace(x))));
  stage.strokes.append(signOf(mode, subtract(place, scale(11, [nx, ny])), [dx, dy]));
}
