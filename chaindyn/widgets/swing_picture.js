// The picture and the graphs of SwingExplorer.

import { CURVES, DASHES } from "./graph.js";
import { desiredAt, tipOf } from "./swing_model.js";
import { unitsOf } from "./swing_words.js";
import { endsOf, paintLinks, poses } from "./tree.js";
import { add, apply, rounded } from "./vectors.js";

const TRAIL = 1.5; // how long the tip's trail lasts [s]

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
  const now = poses(view.tree(), view.posture());
  const ends = endsOf(view.tree());
  const { motors } = view.state();
  if (motors !== "off") {
    const wanted = poses(view.tree(), desiredAt(view.tree(), view.state(), scene.period, player.time - t[0]).q);
    view.tree().names.forEach((_, i) => {
      for (const end of ends[i])
        stage.line([wanted.p[i], add(wanted.p[i], apply(wanted.R[i], end))], "force", { width: 2.5, dash: "6 5" });
    });
  }
  if (view.fresh()) {
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
  paintLinks(stage, view.tree(), ends, now, -1, { axes: false });
  now.p.forEach((p, i) => view.tree().column[i] !== null && stage.line([p, p], "ink", { width: 11, seen: !stage.lit }));
  const tip = tipOf(view.tree(), now);
  stage.line([tip, tip], "motion", { width: 9 });
}
