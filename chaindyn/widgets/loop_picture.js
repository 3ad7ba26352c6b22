// The picture and the graphs of LoopExplorer.

import { sized } from "./graph.js";
import { closedAt, jointsOf } from "./loop_model.js";
import { CURES } from "./loop_words.js";
import { add, scale } from "./vectors.js";

const THICKNESS = 0.04; // radius of a rod, in distances of the hinges of the ground

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
  const gap = held.run ? view.latest(held.run.gap) : held.values.gap;
  if (gap < 1e-3 * base) return;
  stage.line([joints.at(-1), foot], "force", { width: 3, dash: "3 5" });
  stage.text(scale(0.5, add(joints.at(-1), foot)), `gap ${sized(gap, "m")}`);
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
