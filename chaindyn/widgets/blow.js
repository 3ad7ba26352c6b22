// A chain that strikes a wall, for the views that show it: the blow without Python, by `impact` of the book, emitted,
// and the picture.

import { Camera } from "./camera.js";
import { BLOW } from "./emitted/blow.js";
import { compute } from "./physics.js";
import { singular, withoutInertia } from "./singular.js";
import { poses } from "./tree.js";
import { add, apply, cross, degrees, dot, norm, radians, scale, subtract, transpose } from "./vectors.js";

// What a blow does, and what one of 1 N s along the normal would.
export function blowOn(tree, { q, qd, body, point, normal, restitution }) {
  const struck = tree.names.map((_, i) => Number(i === body));
  const [impulse, mass, before, after, velocity, change, rates, reactions, kept, sure] = compute(BLOW, tree, [
    q,
    qd,
    struck,
    point,
    normal,
    restitution,
  ]);
  return {
    impulse,
    mass,
    energy: [before, after],
    velocity,
    change,
    rates,
    reactions,
    singularAt: withoutInertia(tree, q, kept, sure),
  };
}

// Why there is no answer; "" if there is one. NaN stands for what is not known.
export function faultOf(tree, { normal, restitution }, singularAt) {
  if (!(norm(normal) > 0)) return "normal is zero: a direction must not be zero";
  if (!(restitution >= 0 && restitution <= 1)) return `restitution is ${restitution}, but must lie between 0 and 1`;
  return singularAt === undefined ? "" : singular(tree.names[singularAt]);
}

// --- The picture ----------------------------------------------------------------------------------------------------
export const ARM = 0.3; // how far behind the wall the handle that turns it is, in reaches of the chain

// A direction as two angles: turn about z from x, and tilt up from the x-y plane [degrees].
export const toDirection = (turn, tilt) => [
  Math.cos(radians(tilt)) * Math.cos(radians(turn)),
  Math.cos(radians(tilt)) * Math.sin(radians(turn)),
  Math.sin(radians(tilt)),
];

export const turnOf = ([x, y]) => degrees(Math.atan2(y, x));
export const tiltOf = ([x, y, z]) => degrees(Math.atan2(z, Math.hypot(x, y)));
export const endPoints = (tree, { R, p }) => [...p, ...p.map((origin, i) => add(origin, apply(R[i], tree.end[i])))];

// A camera that has the whole of a chain as it starts, and the arrow of the blow, in the picture.
export function cameraFor(tree, { q, body, point, normal }) {
  const at = poses(tree, q);
  const struck = add(at.p[body], apply(at.R[body], point));
  const points = [[0, 0, 0], ...endPoints(tree, at), subtract(struck, scale(ARM * tree.reach, normal))];
  const [low, high] = [Math.min, Math.max].map((pick) => [0, 1, 2].map((k) => pick(...points.map((x) => x[k]))));
  const middle = scale(0.5, add(low, high));
  const camera = new Camera(165 / Math.max(tree.reach / 3, ...points.map((x) => norm(subtract(x, middle)))), middle);
  camera.look(tree.view);
  return camera;
}

// The greatest speed of a link's end [m/s].
export function fastest(tree, q, qd) {
  const [here, step] = [endPoints(tree, poses(tree, q)), 1e-5];
  return Math.max(
    ...endPoints(tree, poses(tree, add(q, scale(step, qd)))).map((x, i) => norm(subtract(x, here[i])) / step),
  );
}

// The wall: a plate across the normal, whose front holds the struck point.
export function plate(point, normal, reach) {
  const aside = cross(normal, Math.abs(normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
  const u = scale(1 / norm(aside), aside);
  const v = cross(normal, u);
  const corners = (depth) =>
    [
      [1, 1],
      [1, -1],
      [-1, -1],
      [-1, 1],
    ].map(([a, b]) =>
      [scale(0.22 * reach * a, u), scale(0.22 * reach * b, v), scale(-depth * reach, normal)].reduce(add, point),
    );
  const shape = {
    shape: "box",
    R: transpose([u, v, normal]),
    centre: subtract(point, scale(0.0175 * reach, normal)),
    sides: [0.44 * reach, 0.44 * reach, 0.035 * reach],
  };
  return { front: corners(0), back: corners(0.035), shape };
}

export function paintWall(stage, point, normal, reach) {
  const { front, back, shape } = plate(point, normal, reach);
  const before = dot(stage.camera.axes().toward, normal) < -0.02; // the eye is behind the wall, and looks through it
  if (stage.solid("wall", shape, "wall", null, { opacity: before ? 0.4 : 1 })) return;
  stage.line([...front, front[0]], "ink", { width: 2.5, opacity: 0.7 });
  stage.line([...back, back[0]], "faint", { width: 1.5 });
  front.forEach((corner, k) => stage.line([corner, back[k]], "faint", { width: 1.5 }));
}
