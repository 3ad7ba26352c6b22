// The picture and the graphs of LoopExplorer.

import { svg } from "./elements.js";
import { raised, sized } from "./graph.js";
import { closedAt, jointsOf } from "./loop_model.js";
import { CURES } from "./loop_words.js";
import { add, dot, norm, scale, subtract } from "./vectors.js";

const THICKNESS = 0.04; // radius of a rod, in distances of the hinges of the ground
const LENS = 54; // radius of a lens [pixels]
export const LENSES = 130; // what is kept free for them at the right [pixels]
const ALIGNED = 0.07; // share of the larger singular value below which all rods lie as good as in line
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
  const [before, end] = joints.slice(-2);
  if (view.open()) paintLens(stage, { before, end, foot, row: 1, words: "gap", colour: "force" });
  if (held.run) paintCures(view, foot);
}

// The same moment with each cure; a lens that is pressed chooses its own.
function paintCures(view, foot) {
  const { held, player, stage, talk, t } = view;
  const { runs, run } = held;
  Object.entries(CURES).forEach(([cure, [words, colour]], row) => {
    if (!runs[cure]) return;
    const [before, end] = jointsOf(view.rods(), view.latest(runs[cure].q)).slice(-2);
    const chosen = cure === talk.request.cure;
    paintLens(stage, { before, end, foot, row, words, colour, chosen, choose: () => view.cured(cure) });
  });
  const now = player.index(run.q);
  const lined = run.sizes.some(([large, small], k) => k <= now && t[now] - t[k] < 0.6 && small < ALIGNED * large);
  if (lined) stage.text([0, 0, 0.95 * stage.floor], "rods in line: no hold");
}

// The place where the loop is pinned under a lens, which magnifies by the power of ten that makes the gap a good part
// of it: where the last rod, which comes from `before`, ends, and the foot on which it should.
function paintLens(stage, { before, end, foot, row, words, colour, chosen = true, choose = () => {} }) {
  const { camera, strokes } = stage;
  const [wide, high] = camera.size;
  const radius = Math.min(LENS, high / 6 - 15);
  const middle = [wide - radius - 10, ((2 * row + 1) * high) / 6 + 12];
  const [at, apart] = [camera.project(foot), camera.flatten(subtract(end, foot))];
  const gap = norm(subtract(end, foot));
  const power = gap < SEEN ? 0 : Math.max(0, Math.floor(Math.log10((0.75 * radius) / norm(apart))));
  const away = gap < SEEN ? [0, 0] : scale(10 ** power, apart);
  const shift = scale(Math.min(1, (0.8 * radius) / (norm(away) || 1)), away); // one too large ends at its rim
  const along = camera.flatten(subtract(before, end));
  const back = scale(1 / (norm(along) || 1), along);
  // how far it is from there to the rim, along the rod
  const rim = -dot(shift, back) + Math.sqrt(dot(shift, back) ** 2 - dot(shift, shift) + radius ** 2);
  const line = (from, to, hue, thick, opacity = 1) =>
    svg("polyline", { class: `stroke ${hue}`, points: `${from} ${to}`, "stroke-width": thick, opacity });
  const there = add(middle, shift);
  const towards = scale(1 / norm(subtract(at, middle)), subtract(at, middle));
  const text = (said, y, look = {}) =>
    svg("text", { x: middle[0], y: middle[1] + y, "text-anchor": "middle", ...look }, said);
  const size = gap < SEEN ? "closed" : sized(gap, "m");
  const circle = { class: `lens ${colour}`, cx: middle[0], cy: middle[1], r: radius };
  const onpointerdown = (event) => {
    event.stopPropagation(); // it would turn the view
    choose();
  };
  strokes.append(
    line(at, add(middle, scale(radius, towards)), colour, 1.5, chosen ? 0.6 : 0.2),
    svg("circle", { ...circle, onpointerdown, style: chosen ? "" : "stroke-width: 1.5" }),
    line(there, add(there, scale(rim - 10, back)), "faint", 14, 0.35),
    line(middle, there, colour, 4),
    line(middle, middle, "joint", 18),
    line(there, there, colour, 11),
    text(`${words}: ${size}`, -radius - 7, { x: wide - 6, "text-anchor": "end" }),
    text(power ? `\u00d7 ${power < 4 ? 10 ** power : `10${raised(power)}`}` : "", radius - 12),
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
