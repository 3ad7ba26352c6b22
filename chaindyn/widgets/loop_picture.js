// The picture and the graphs of LoopExplorer.

import { svg } from "./elements.js";
import { raised, sized } from "./graph.js";
import { closedAt, jointsOf } from "./loop_model.js";
import { CURES } from "./loop_words.js";
import { add, dot, norm, scale, subtract } from "./vectors.js";

const THICKNESS = 0.04; // radius of a rod, in distances of the hinges of the ground
const LENS = 56; // radius of the lens [pixels]
const SEEN = 1e-13; // what is smaller than this is rounding [m]

export function drawGraphs(view) {
  const { held, talk } = view;
  const { energies, gaps, turning } = view.controls;
  const { sizes, passive } = held.values.sweep;
  turning.axis = `angle of the ${view.mechanism().held[0]} [\u00b0]`;
  turning.draw(
    [
      { name: "all rods move", values: sizes, colour: "ink" },
      { name: "cranks held: zero where it locks", values: passive, colour: "motion", dash: "8 3" },
    ],
    ["m"],
  );
  const curves = (part) =>
    Object.entries(held.runs).map(([cure, run]) => {
      const [name, colour, dash] = CURES[cure];
      const present = cure === talk.request.cure;
      return { name, values: run[part], colour, dash, width: present ? 2.5 : 1.5, opacity: present ? 1 : 0.7 };
    });
  for (const graph of [gaps, energies]) graph.element.hidden = held.run === null;
  if (!held.run) return;
  gaps.draw(curves("gap"), ["m"]);
  energies.draw(curves("strayed"), ["J"]);
}

export function paint(view) {
  const { held, stage, sweep, talk } = view;
  if (view.aimed !== `${stage.camera.size}`) view.aim();
  const { base, lengths } = view.rods();
  const foot = [base, 0, 0];
  const thick = THICKNESS * base;
  stage.line(
    [
      [-0.12 * base, 0, 0],
      [1.12 * base, 0, 0],
    ],
    "faint",
    { width: 2, seen: !paintPosts(view, [[0, 0, 0], foot], thick) },
  );
  const places = (angle) => add([0, 0, 0], [lengths[0] * Math.cos(angle), 0, lengths[0] * Math.sin(angle)]);
  sweep.slice(1).forEach((angle, i) => {
    const closes = [i, i + 1].every((k) => Number.isFinite(held.values.sweep.passive[k]));
    if (closes) stage.line([places(sweep[i]), places(angle)], "motion", { width: 1.5, opacity: 0.6 });
  });
  const joints = jointsOf(view.rods(), view.posture());
  if (!view.falling() && !view.open()) {
    const other = jointsOf(view.rods(), closedAt(view.rods(), talk.request.held, !talk.request.flipped).q);
    stage.line(other.slice(1, 4), "faint", { width: 2.5, dash: "6 6" });
  }
  joints.slice(1).forEach((end, i) => {
    const crank = i === 0 ? 0 : i === 3 ? 1 : undefined;
    // Rods that follow one another pass before and behind.
    const [from, to] = [joints[i], end].map((place) => add(place, [0, (i % 2 ? -1 : 1) * 1.05 * thick, 0]));
    const seen = !stage.rod(`rod ${i}`, from, to, thick, crank === undefined ? "body" : "struck");
    stage.line([joints[i], end], crank === undefined ? "faint" : "motion", {
      width: 8,
      opacity: 0.8,
      grab: crank,
      seen,
    });
  });
  joints.forEach((joint, i) =>
    stage.line([joint, joint], "ink", {
      width: 10,
      seen: !stage.pin(`pin ${i}`, joint, 0.75 * thick, 2.3 * thick, "joint"),
    }),
  );
  stage.line([foot, foot], "ink", { width: 10, seen: !stage.lit });
  if (joints.length && (held.run || view.open())) paintLens(stage, joints.at(-2), joints.at(-1), foot);
}

// The place where the loop is pinned under a lens, which magnifies by the power of ten that makes the gap a good part
// of it: where the last rod, which comes from `before`, ends, and the foot on which it should.
function paintLens(stage, before, end, foot) {
  const { camera, strokes } = stage;
  const [wide, high] = camera.size;
  const middle = [wide - LENS - 10, high - LENS - 10];
  const [at, apart] = [camera.project(foot), camera.flatten(subtract(end, foot))];
  const gap = norm(subtract(end, foot));
  const power = gap < SEEN ? 0 : Math.max(0, Math.floor(Math.log10((0.75 * LENS) / norm(apart))));
  const away = gap < SEEN ? [0, 0] : scale(10 ** power, apart);
  const shift = scale(Math.min(1, (0.8 * LENS) / (norm(away) || 1)), away); // one too large ends at its rim
  const along = camera.flatten(subtract(before, end));
  const back = scale(1 / (norm(along) || 1), along);
  // how far it is from there to the rim, along the rod
  const rim = -dot(shift, back) + Math.sqrt(dot(shift, back) ** 2 - dot(shift, shift) + LENS ** 2);
  const line = (from, to, colour, thick, opacity = 1) =>
    svg("polyline", { class: `stroke ${colour}`, points: `${from} ${to}`, "stroke-width": thick, opacity });
  const there = add(middle, shift);
  const towards = scale(1 / norm(subtract(at, middle)), subtract(at, middle));
  const text = (words, y) => svg("text", { x: middle[0], y: middle[1] + y, "text-anchor": "middle" }, words);
  strokes.append(
    line(at, add(middle, scale(LENS, towards)), "force", 1.5, 0.6),
    svg("circle", { class: "lens force", cx: middle[0], cy: middle[1], r: LENS }),
    line(there, add(there, scale(rim - 10, back)), "faint", 14, 0.35),
    line(middle, there, "force", 4),
    line(middle, middle, "joint", 18),
    line(there, there, "force", 11),
    text(gap < SEEN ? "closed" : `gap ${sized(gap, "m")}`, -LENS - 8),
    text(power ? `\u00d7 ${power < 4 ? 10 ** power : `10${raised(power)}`}` : "", LENS - 8),
  );
}

// What the two hinges of the ground stand on, behind the rods.
function paintPosts(view, places, thick) {
  const { stage } = view;
  places.forEach(([x, , z], k) => {
    const [low, high] = [
      [x, 3.4 * thick, stage.floor],
      [x, 3.4 * thick, z],
    ];
    stage.solid(`post ${k}`, { shape: "cylinder", from: low, to: high, radius: 1.1 * thick }, "joint");
    stage.pin(`axle ${k}`, [x, 0, z], 0.75 * thick, 3.4 * thick, "joint");
  });
  return stage.lit;
}
