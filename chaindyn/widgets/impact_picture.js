// The picture of ImpactExplorer, and its map.

import { fastest, paintWall } from "./blow.js";
import { html } from "./elements.js";
import { paintOthers } from "./impact_others.js";
import { coordinateOf, mostOf } from "./map.js";
import { endsOf, paintLinks, poses } from "./tree.js";
import { add, apply, norm, scale, shown, subtract } from "./vectors.js";

export function showMap(view, request) {
  const { about, line, map, most } = view.controls;
  const { axes, feel, quantity } = request;
  const { names } = view.tree();
  const coordinate = (axis) =>
    axis === "along"
      ? { name: `blow along ${names[request.body]}`, ticks: ["0", "\u00bd", "1"] }
      : coordinateOf(view.tree(), axis);
  map.name(...axes.map(coordinate));
  map.place();
  const fresh = view.held.key === view.keyOf(request);
  map.cells.classList.toggle("late", !fresh);
  about.textContent =
    `Map: the ${quantity === "impulse" ? "impulse" : "effective mass"} in other postures, all else as it is: ` +
    "none where the point would be leaving. The ring is the present one.";
  if (view.held.impulse === undefined) return;
  if (view.held !== map.drawn || quantity !== map.quantity) {
    const { most: top, capped } = mostOf(view.held[quantity]);
    map.shade(view.held[quantity], top);
    map.trace(view.held.felt);
    Object.assign(map, { drawn: view.held, quantity });
    most.textContent = `${shown(top)}${capped ? " and more" : ""} ${quantity === "impulse" ? "N s" : "kg"}`;
  }
  const where =
    feel[0] === "jump"
      ? `joint ${names[feel[1]]} keeps its speed`
      : `bearing ${names[feel[1]]} feels nothing along the blow`;
  const there = map.line.getAttribute("d") ? "" : " (nowhere here)";
  line.replaceChildren(html("span", { class: "motion" }, html("i"), html("span", {}, `where ${where}${there}`)));
}

// A chain moved on, or back, for a moment: thin, with its ends where the arrows of the velocity point.
function ghost(view, rates, time, colour, dash) {
  const { stage, talk } = view;
  const at = poses(view.tree(), add(talk.request.q, scale(time, rates)));
  view.tree().names.forEach((_, i) => {
    for (const end of endsOf(view.tree())[i])
      stage.line([at.p[i], add(at.p[i], apply(at.R[i], end))], colour, { width: 2.5, dash, opacity: 0.75 });
  });
}

export function paint(view, values, request) {
  const { q, qd, body, normal } = request;
  const { stage } = view;
  const { p, point, before, after, impulse, reactions, qd_after } = values;
  const { reach, column } = view.tree();
  if (point.includes(null)) return;
  paintWall(stage, point, normal, reach);
  const finite = !qd_after.includes(null);
  const quickest = Math.max(fastest(view.tree(), q, qd), finite ? fastest(view.tree(), q, qd_after) : 0);
  const usual = fastest(view.tree(), view.tree().start.q, view.tree().start.qd);
  const moment = Math.min((0.25 * reach) / (usual || 1), (0.4 * reach) / (quickest || 1));
  const compared = view.comparing && view.held.impulse !== undefined && view.held.key === view.keyOf(request);
  if (compared) paintOthers(view, request);
  if (!view.comparing) {
    ghost(view, qd, -moment, "faint", "6 5");
    if (finite) ghost(view, qd_after, moment, "motion", "none");
  }
  // their colours are those of pushes and speeds
  paintLinks(stage, view.tree(), endsOf(view.tree()), values, body, { axes: false });
  p.forEach((at, i) => column[i] !== null && stage.line([at, at], "ink", { width: 11, seen: !stage.lit }));
  // Velocities of the struck point: arriving, and leaving.
  if (!view.comparing) {
    stage.arrow(subtract(point, scale(moment, before)), scale(moment, before), "faint", { width: 3.5 });
    if (!after.includes(null)) stage.arrow(point, scale(moment, after), "motion", { width: 3.5 });
  }
  stage.line([point, subtract(point, scale(view.arm(), normal))], "force", { width: 1.5, dash: "3 5" });
  if (!impulse) return;
  const largest = Math.max(impulse, ...reactions.filter((f) => !f.includes(null)).map(norm));
  const metres = (0.3 * reach) / largest; // a newton second of the arrows
  const blow = scale(metres * impulse, normal); // out of the wall
  stage.arrow(subtract(point, blow), blow, "force", { width: 5 });
  stage.text(subtract(point, blow), `${shown(impulse)} N s`, [8, -8], "force");
  if (view.comparing) return;
  const strongest = Math.max(...reactions.map((f) => (f.includes(null) ? 0 : norm(f))));
  reactions.forEach((f, i) => {
    if (f.includes(null) || norm(f) <= 1e-9 * largest) return;
    stage.arrow(p[i], scale(metres, f), "force", { width: 2.5 });
    if (norm(f) === strongest) stage.text(add(p[i], scale(metres, f)), `${shown(strongest)} N s`, [8, -8], "force");
  });
}
