// The picture of BalanceExplorer.

import { poses } from "./tree.js";
import { add, apply, scale } from "./vectors.js";

const CAR = { length: 0.4, height: 0.2, mark: 0.5 }; // of the cart, and between marks on its track [m]

const UPRIGHT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]; // how the cart stands

export function paint(view) {
  const { camera, held, stage, talk } = view;
  const { request } = talk;
  const { tree, upright, motors, limit } = held.world;
  const { q, qd, tau, time } = held.motion;
  const now = poses(tree, q);
  const cart = request.system === "cart-pole";
  const base = cart ? q[0] : 0;
  camera.centre = [Math.sign(base) * Math.max(0, Math.abs(base) - 1), 0, camera.centre[2]];
  if (cart) paintTrack(view, base);
  const wanted = poses(tree, cart ? [q[0], ...upright.slice(1)] : upright);
  const last = tree.names.length - 1;
  stage.line([wanted.p[cart ? 1 : 0], add(wanted.p[last], apply(wanted.R[last], tree.tip))], "force", {
    width: 2,
    dash: "6 6",
  });
  const width = Math.max(5, 12 - tree.names.length);
  const thick = width / 2 / stage.home.zoom;
  tree.names.forEach((_, i) => {
    if (!held.world.turns[i]) return;
    const ends = [now.p[i], add(now.p[i], apply(now.R[i], i === last ? tree.tip : tree.offset[i + 1]))];
    const seen = !stage.rod(`rod ${i}`, ...ends, thick, "body");
    stage.line(ends, "motion", { width, opacity: 0.8, seen });
  });
  now.p.forEach((place, i) => {
    const motor = motors.includes(i);
    const glow = motor && tau && time > 0 ? Math.min(1, Math.abs(tau[motors.indexOf(i)] / limit)) : 0;
    const seen =
      held.world.turns[i] &&
      !stage.pin(`pin ${i}`, place, (motor ? 1.7 : 1.2) * thick, 1.6 * thick, motor ? "slide" : "joint", { glow });
    stage.line([place, place], motor ? "force" : "ink", { width: motor ? width + 5 : width, seen });
  });
  if (!cart)
    stage.solid(
      "post",
      { shape: "cylinder", from: [0, 3 * thick, stage.floor], to: [0, 3 * thick, 0], radius: 1.4 * thick },
      "joint",
    );
  if (tau && time > 0) motors.forEach((k) => paintForce(view, now.p[k], held.world.turns[k], tau[k] / limit));
  if (time === 0 && qd[request.joint] !== 0) paintRate(view, request, now, qd[request.joint]);
}

function paintTrack(view, x) {
  const { stage } = view;
  const under = -CAR.height / 2;
  const from = CAR.mark * Math.round(x / CAR.mark);
  if (stage.lit) return paintCar(view, x, under);
  stage.line(
    [
      [x - 4, 0, under],
      [x + 4, 0, under],
    ],
    "faint",
    { width: 1.5 },
  );
  for (let k = -8; k <= 8; k++)
    stage.line(
      [0, -0.06].map((z) => [from + k * CAR.mark, 0, under + z]),
      "faint",
      { width: 1.5 },
    );
  stage.line(
    [
      [0, 0, under],
      [0, 0, under - 0.14],
    ],
    "ink",
    { width: 2.5 },
  );
  const corner = (i, k) => [x + (i * CAR.length) / 2, 0, (k * CAR.height) / 2];
  stage.face([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], "slide");
}

// The cart on its wheels, and below it the track with its marks, of which the middle one is the tallest.
function paintCar(view, x, under) {
  const { stage } = view;
  const box = (name, colour, centre, sides) => stage.solid(name, { shape: "box", R: UPRIGHT, centre, sides }, colour);
  const wheel = 0.3 * CAR.height;
  box("cart", "slide", [x, 0, 0.2 * CAR.height], [CAR.length, 0.24, 0.6 * CAR.height]);
  for (const k of [-1, 1]) stage.pin(`wheel ${k}`, [x + 0.32 * k * CAR.length, 0, under + wheel], wheel, 0.14, "joint");
  box("track", "body", [x, 0, under - 0.03], [8, 0.34, 0.06]);
  const from = CAR.mark * Math.round(x / CAR.mark);
  for (let k = -8; k <= 8; k++) {
    const at = from + k * CAR.mark;
    box(`mark ${k}`, at ? "body" : "joint", [at, -0.17, under - (at ? 0.06 : 0.11)], [0.025, 0.03, at ? 0.12 : 0.22]);
  }
}

// A motor's share of its limit: an arc of up to three quarters of a turn about the joint, or an arrow.
function paintForce(view, place, turns, share) {
  const { camera, stage } = view;
  if (Math.abs(share) < 0.005) return;
  const full = Math.abs(share) > 0.999;
  if (!turns)
    return stage.arrow(add(place, [0, 0, -0.35]), [(90 / camera.zoom) * share, 0, 0], "force", {
      width: full ? 5 : 3,
    });
  const radius = Math.max(8, Math.min(20, 0.45 * camera.zoom)) / camera.zoom;
  const at = (angle) => add(place, [-radius * Math.sin(angle), 0, radius * Math.cos(angle)]);
  const angles = Array.from({ length: 19 }, (_, k) => (1.5 * Math.PI * share * k) / 18);
  stage.line(angles.map(at), "force", { width: full ? 4.5 : 2.5 });
}

function paintRate(view, { joint }, { R, p }, rate) {
  const { held, stage } = view;
  if (!held.world.turns[joint]) return stage.arrow(add(p[joint], [0, 0, 0.25]), [0.3 * rate, 0, 0], "x", { width: 3 });
  const end = apply(R[joint], held.world.tree.tip);
  stage.arrow(add(p[joint], end), scale(Math.max(-1, Math.min(1, 0.25 * rate)), [-end[2], 0, end[0]]), "x", {
    width: 3,
  });
}
