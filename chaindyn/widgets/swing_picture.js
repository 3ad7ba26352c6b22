// The picture and the graphs of SwingExplorer.

import { CURVES, DASHES, sized } from "./graph.js";
import { desiredAt, levelOf, tipOf } from "./swing_model.js";
import { astray, unitsOf } from "./swing_words.js";
import { endsOf, paintLinks, poses } from "./tree.js";
import { add, apply, dot, norm, rounded, scale, shown, subtract } from "./vectors.js";

const TRAIL = 1.5; // how long the tip's trail lasts [s]
const NEAR = 12; // how far a level may be from where it began, and counts as still there [pixels]
const ARC = 26; // the radius of a torque's arc [pixels]

export function drawGraphs(view) {
  const { held } = view;
  const { graphs } = view.controls;
  const { kinetic, potential, energy, tau, errors, closed } = held.motion;
  const movable = view.tree().names.filter((_, i) => view.tree().column[i] !== null);
  const [energies, drift, tracking, torques] = graphs;
  energies.draw(
    [
      { name: "kinetic", values: kinetic, colour: "motion" },
      { name: "potential", values: potential, colour: "force", dash: "8 3" },
      { name: "total", values: energy, colour: "ink", width: 2.5 },
    ],
    ["J"],
  );
  const each = (rows) =>
    movable.map((name, k) => ({
      name,
      values: rows.map((row) => row[k]),
      colour: CURVES[k % 5],
      dash: DASHES[(k + Math.floor(k / 5)) % 5],
    }));
  drift.element.hidden = Boolean(tau);
  tracking.element.hidden = torques.element.hidden = !tau;
  if (!tau)
    return drift.draw(
      [{ name: "total \u2212 total at the start", values: energy.map((x) => x - energy[0]), colour: "ink" }],
      ["J"],
    );
  const theory = each(closed).map((curve, k) => ({
    ...curve,
    name: k ? "" : "closed form",
    colour: "faint",
    dash: "none",
    width: 7,
    opacity: 0.5,
  }));
  tracking.draw([...theory, ...each(errors)], unitsOf(view, "rad", "m"));
  torques.draw(each(tau), unitsOf(view, "N\u00a0m", "N"));
}

export function paint(view) {
  const { held, player, scene, stage, t } = view;
  if (view.fresh()) view.frame();
  const tree = view.tree();
  const now = poses(tree, view.posture());
  const ends = endsOf(tree);
  const driven = view.state().motors !== "off";
  const exact = !driven && view.fresh() ? view.truth() : null;
  const known = exact && player.time <= t[exact.length - 1];
  const should = driven ? desiredAt(tree, view.state(), scene.period, player.time - t[0]).q : known && player.at(exact);
  if (view.fresh()) paintTrail(view);
  if (!driven && view.fresh()) paintLevels(view);
  paintLinks(stage, tree, ends, now, -1, { axes: false });
  now.p.forEach((p, i) => tree.column[i] !== null && stage.line([p, p], "ink", { width: 11, seen: !stage.lit }));
  const tip = tipOf(tree, now);
  stage.line([tip, tip], "motion", { width: 9 });
  if (driven && view.fresh() && held.motion.tau) paintTorques(view, now);
  if (exact && !known) stage.text(tip, "chaos: where it should be cannot be told");
  if (!should) return;
  const wanted = poses(tree, should);
  tree.names.forEach((_, i) => {
    for (const end of ends[i])
      stage.line([wanted.p[i], add(wanted.p[i], apply(wanted.R[i], end))], "force", { width: 2.5, dash: "6 5" });
  });
  if (driven) return;
  const off = astray(view, view.posture(), should);
  stage.line([tip, tipOf(tree, wanted)], "force", { width: 4 });
  if (off > 0) stage.text(tip, `${sized(off, "m")} off`);
}

// How high the centre of mass can rise, by the energy that the chain has now with each method: up to the dashed level,
// where all began, if nothing is lost or gained. Methods that are still there share a label.
function paintLevels(view) {
  const { held, player, stage, strays, talk } = view;
  const { camera } = stage;
  const [left, right] = [-0.48, 0.48].map((share) =>
    scale((share * camera.size[0]) / camera.zoom, camera.axes().right),
  );
  const start = held.motion.energy[0];
  const height = (change) => levelOf(view.tree(), start + change);
  if (!height(0)) return;
  const level = (change, look) =>
    stage.line(
      [left, right].map((end) => add(height(change), end)),
      "y",
      look,
    );
  const label = (change, words) => stage.text(add(height(change), left), words);
  level(0, { width: 1.5, dash: "5 5" });
  const { method } = talk.request;
  const now = Object.entries({ [method]: held.motion.energy.map((x) => x - start), ...strays });
  const changes = now.map(([name, values]) => [name, player.at(values)]);
  const signed = (x) => `${x < 0 ? "\u2212" : "+"}${sized(Math.abs(x), "J")}`;
  const moved = (change) => camera.zoom * norm(subtract(height(change), height(0))) > NEAR;
  const kept = changes.filter(([name, change]) => name !== method && !moved(change));
  changes
    .filter((each) => !kept.includes(each))
    .forEach(([name, change]) => {
      level(change, { width: name === method ? 3 : 1.5 });
      label(change, `${name}: ${signed(change)}`);
    });
  const most = Math.max(...kept.map(([, change]) => Math.abs(change)));
  if (kept.length) label(0, `${kept.map(([name]) => name).join(", ")}: \u00b1${sized(most, "J")}`);
}

function paintTrail({ held, player, stage, t }) {
  const { tips } = held.motion;
  const { time } = player;
  const seen = t
    .slice(0, tips.length)
    .map((x, k) => [x, tips[k]])
    .filter(([x]) => x <= time && x > time - TRAIL);
  const points = [...seen, [time, player.at(tips)]];
  points
    .slice(1)
    .forEach(([x, point], k) =>
      stage.line([points[k][1], point], "motion trail", { width: 3, opacity: rounded(1 - (time - x) / TRAIL) }),
    );
}

// At each joint what its motor gives: of a turn an arc, which is a whole circle for the most that any gives in this
// motion; of a slide an arrow.
function paintTorques(view, { R, p }) {
  const { held, player, stage } = view;
  const tree = view.tree();
  const tau = player.at(held.motion.tau);
  const { toward } = stage.camera.axes();
  tree.names.forEach((_, i) => {
    const k = tree.column[i];
    if (k === null || !Number.isFinite(tau[k])) return;
    const turns = tree.kind[i] === "Revolute";
    const axis = apply(R[i], tree.axis[i]);
    const alike = tree.column.filter((other, j) => other !== null && tree.kind[j] === tree.kind[i]);
    const most = Math.max(...held.motion.tau.flatMap((row) => alike.map((other) => Math.abs(row[other]))));
    const share = tau[k] / (most || 1);
    if (Math.abs(share) < 0.005) return;
    stage.text(p[i], `${shown(tau[k], Math.abs(tau[k]) < 10 ? 1 : 0)} ${turns ? "N\u00a0m" : "N"}`);
    if (!turns) return stage.arrow(p[i], scale(0.4 * tree.reach * share, axis), "slide", { width: 4 });
    const angle = 2 * Math.PI * share * Math.sign(dot(axis, toward) || 1);
    const steps = Math.max(2, Math.ceil(Math.abs(8 * angle)));
    const at = (turn, radius) => add(p[i], stage.camera.lift([radius * Math.cos(turn), -radius * Math.sin(turn)]));
    const arc = Array.from({ length: steps + 1 }, (_, j) => at((angle * j) / steps, ARC));
    const back = angle - (Math.sign(angle) * Math.min(10, ARC * Math.abs(angle))) / ARC; // where the barbs end
    stage.line([...arc, at(back, ARC - 7), at(angle, ARC), at(back, ARC + 7)], "slide", { width: 4 });
  });
}
