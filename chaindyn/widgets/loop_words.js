// What LoopExplorer says of a mechanism: where it is, how far it reaches, and how it fell.

import { html } from "./elements.js";
import { sized } from "./graph.js";
import { reachOf } from "./loop_model.js";
import { degrees, shown } from "./vectors.js";

export const CURES = {
  none: ["no cure", "force", "none"],
  Baumgarte: ["Baumgarte", "motion", "8 3"],
  projection: ["projection", "y", "2 3"],
}; // name, colour, dash

const EDGE = 2.785; // of step times rate: above it RK4 makes Baumgarte's gap grow
const NONE = 1e-6; // the share of the larger singular value below which the smaller one counts as zero
const inDegrees = (angle) => `${shown(degrees(angle), 1)}\u00b0`;

export function readout(view) {
  const { held, player } = view;
  const angles = view
    .mechanism()
    .held.map((name, k) => `${name} at ${inDegrees(view.cranks()[k])}`)
    .join(", ");
  if (!held.run) return `In the hand: ${angles}.`;
  const [gap, strayed] = [held.run.gap, held.run.strayed].map((samples) => view.latest(samples));
  return (
    `Time ${shown(player.time)} s: ${angles}, gap ${gap < 1e-13 ? "below 0.1\u00a0pm" : sized(gap, "m")}, ` +
    `energy changed by ${sized(strayed, "J")}.`
  );
}

export function closing(view) {
  const { held } = view;
  const { gap, sizes, passive, q } = held.values;
  if (view.open())
    return `It locks: here the loop cannot close. Its end misses the foot by ${sized(gap, "m")} at least.`;
  if (sizes[1] <= NONE * sizes[0])
    return (
      `The loop is closed, in a singular posture: K has rank 1, and the mechanism ${q.length - 1} freedoms ` +
      `instead of ${q.length - 2}. The two assemblies meet here.`
    );
  if (passive[1] <= NONE * passive[0])
    return "The loop is closed at a dead point: the two rods between lie in line, and the crank locks.";
  return `The loop is closed: K has rank 2, and the mechanism ${q.length - 2} freedom${q.length > 3 ? "s" : ""}.`;
}

export function reach(view) {
  const { talk } = view;
  const names = view.mechanism().held;
  return names
    .map((name, k) => {
      const { edges } = reachOf(view.rods(), talk.request.held, k);
      const other = names.length > 1 ? `, with the ${names[1 - k]} where it is,` : "";
      if (edges.length) return ` The ${name}${other} locks at ${edges.map(inDegrees).join(" and ")}.`;
      return view.open() ? ` The ${name} cannot help it.` : ` The ${name}${other} can turn all the way round.`;
    })
    .join("");
}

export function judge(view, { cure, rate, step }) {
  const { held, t } = view;
  const { gap, strayed, reason } = held.run;
  const factor = shown(step * rate);
  const how = cure === "Baumgarte" ? `, rate ${rate} /s (step times rate is ${factor}, and must be below ${EDGE})` : "";
  const [largest, lost] = [gap, strayed].map((x) => Math.max(...x));
  const words =
    `${CURES[cure][0]}${how}: in ${shown(t[gap.length - 1] - t[0], 1)} s the gap ` +
    `${largest < 1e-13 ? "stays below 0.1\u00a0pm" : `is ${sized(largest, "m")} at most`}, and the energy ` +
    `strays by ${sized(lost, "J")}.`;
  return `${words[0].toUpperCase()}${words.slice(1)}${reason ? ` It broke off: ${reason}.` : ""}`;
}

// The singular values of K, and of its part for the rods that are not in the hand, each with a bar.
export function barTable(view) {
  const { held } = view;
  const { sizes, passive } = held.values;
  const rows = [
    ["all rods move", view.falling() ? view.latest(held.run.sizes) : sizes],
    ["cranks held", view.falling() ? [NaN, NaN] : passive],
  ];
  const most = Math.max(...rows.flatMap(([, values]) => values).filter(Number.isFinite), 1e-9);
  const cell = (x) =>
    html(
      "td",
      { class: "motion", style: `--from: 50%; --to: ${50 + (Number.isFinite(x) ? (50 * x) / most : 0)}%` },
      html("span", {}, Number.isFinite(x) ? `${shown(x, 3)}\u00a0m` : "\u2013"),
    );
  const body = rows.map(([name, values]) => html("tr", {}, html("th", { scope: "row" }, name), ...values.map(cell)));
  const head = html("tr", {}, html("td"), ...["larger", "smaller"].map((text) => html("th", { scope: "col" }, text)));
  return html(
    "table",
    { class: "bars" },
    html("caption", {}, "Singular values of K, the rows that close the loop"),
    html("thead", {}, head),
    html("tbody", {}, ...body),
  );
}
