// The picture of a state, with its contacts.

import { GROUND, inSpace, paintBlock, paintBodies, paintContact } from "./contact_picture.js";
import { posesOf } from "./contact_step.js";
import { all } from "./contact_words.js";
import { svg } from "./elements.js";
import { add, scale, subtract } from "./vectors.js";

export const GLOW = 0.3; // for how long a blow is seen [s]

export function paint(view) {
  const { camera, held, stage, talk } = view;
  const { request } = talk;
  const poses = posesOf(held.world.tree, held.now.q);
  const moved = subtract(view.middleOf(held.now.q), held.middle ?? view.middleOf(held.now.q));
  // The camera follows what goes far: down a slope too, on level ground along it only.
  const ahead = Math.sign(moved[0]) * Math.max(0, Math.abs(moved[0]) - 0.6);
  const beyond = () =>
    request.ground === "slope" && request.scene !== "cradle" ? [ahead, -ahead * Math.tan(request.angle)] : [ahead, 0];
  camera.centre = inSpace(add(held.centre ?? [0, 0], beyond()));
  for (const [k, { core }] of [...held.world.pieces.entries()].reverse()) {
    if (paintBlock(stage, `ground ${k}`, core, GROUND, "wall")) continue;
    stage.strokes.append(
      svg("polygon", { class: "ground", points: core.map((point) => camera.project(inSpace(point))).join(" ") }),
    );
  }
  paintBodies(stage, request, held.world, poses);
  if (held.now.time === 0 && request.speed > 0 && request.scene !== "cradle") {
    const { qd } = held.now;
    stage.arrow(inSpace(view.middleOf(held.now.q)), inSpace(scale(0.15, qd.slice(0, 2))), "x", { width: 3 });
  }
  const unit = 70 / view.weight();
  for (const { time, contacts, impulses, step } of held.blows) {
    const opacity = 0.8 * (1 - (held.now.time - time) / GLOW);
    if (opacity > 0.05)
      contacts.forEach((contact, k) =>
        paintContact(stage, contact, impulses[k], { friction: request.friction, step }, unit, opacity),
      );
  }
  all(view).forEach((contact) => paintContact(stage, contact, contact.impulse, request, unit));
}
