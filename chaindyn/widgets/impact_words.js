// What ImpactExplorer says of a blow.

import { html, svg } from "./elements.js";
import { dot, norm, shown } from "./vectors.js";

export function judge({ impulse, mass, before, after, energy }, { normal }) {
  const [came, left] = [before, after].map((v) => (v.includes(null) ? null : dot(v, normal)));
  const lost = energy.includes(null) ? null : energy[0] - energy[1];
  if (impulse === 0 && mass === null)
    return "The chain cannot move in the direction of the blow: no impulse acts, and it weighs infinitely much.";
  if (impulse === 0)
    return (
      `No blow: the point ${came > 0 ? "is leaving the wall" : "rests against the wall"}. It would weigh ` +
      `${shown(mass)} kg there.`
    );
  return (
    `Impulse ${shown(impulse)} N s. The wall feels a mass of ${shown(mass)} kg that comes at ` +
    `${shown(-came)} m/s and leaves at ${shown(left)} m/s. ` +
    `Energy lost: ${shown(lost)} J of ${shown(energy[0])} J, ` +
    `${shown(lost === null ? null : (100 * lost) / energy[0], 0)} %.`
  );
}

const entry = (colour, style, words) =>
  html("span", { class: colour }, html("i", { class: style }), html("span", {}, words));

export const keyOfOthers = () =>
  html(
    "p",
    { class: "key" },
    entry("force", "", "the thicker and stronger, the harder the blow in that posture"),
    entry("faint", "thin", "no blow: the point would be leaving"),
  );

export function keyOfColours() {
  return html(
    "p",
    { class: "key" },
    entry("faint", "dashed", "before"),
    entry("motion", "", "after"),
    entry("force", "", "blow"),
    entry("force", "thin", "push of each bearing on its link"),
  );
}

// The speeds of each joint as numbers and as bars, and what its bearing hands on.
export function jointTable(view, { qd_after, reactions, moments }, { qd }) {
  const { names, column, kind } = view.tree();
  const largest = Math.max(1e-9, ...qd.map(Math.abs), ...qd_after.map(Math.abs));
  const bar = (x, kind, y) =>
    svg("rect", {
      class: kind,
      x: x < 0 ? 100 + (100 * x) / largest : 100,
      y,
      width: (100 * Math.abs(x)) / largest,
      height: 7,
    });
  const cells = (i) => {
    const force = reactions[i].includes(null) ? null : norm(reactions[i]);
    const moment = moments[i].includes(null) ? null : norm(moments[i]);
    const heard = [shown(force), shown(moment)].map((text) => html("td", {}, text));
    if (column[i] === null) return ["\u2013", "\u2013", "\u2013"].map((text) => html("td", {}, text)).concat(heard);
    const [was, now] = [qd[column[i]], qd_after[column[i]]];
    const bars = svg(
      "svg",
      { viewBox: "0 0 200 18", preserveAspectRatio: "none", "aria-hidden": "true" },
      bar(was, "was", 1),
      bar(now ?? 0, "now", 10),
      svg("line", { class: "axis", x1: 100, x2: 100, y1: 0, y2: 18 }),
    );
    const jump = now === null ? null : now - was;
    return [html("td", {}, shown(was)), html("td", {}, shown(now)), html("td", {}, shown(jump), bars), ...heard];
  };
  const unit = kind.includes("Prismatic") ? "rad/s or m/s" : "rad/s";
  const heads = ["before", "after", "jump", "push [N\u00a0s]", "moment [N\u00a0m\u00a0s]"].map((text) =>
    html("th", { scope: "col" }, text),
  );
  return html(
    "table",
    { class: "joints" },
    html("caption", {}, `Joint speeds [${unit}], and the impulse of each bearing on its link`),
    html("thead", {}, html("tr", {}, html("td"), ...heads)),
    html(
      "tbody",
      {},
      ...names.map((name, i) =>
        html("tr", {}, html("th", { scope: "row" }, name.replaceAll("_", "_\u200b")), ...cells(i)),
      ),
    ),
  );
}
