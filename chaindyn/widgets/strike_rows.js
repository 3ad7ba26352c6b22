// Rows of what a blow does to each joint.

import { html, svg } from "./elements.js";

// A row of a table with a bar: one from nothing, or two about a middle.
export function barRow(name, cells, bars, largest) {
  const middle = bars.length > 1 ? 50 : 0;
  const width = (x) => ((100 - middle) * Math.abs(x)) / (largest || 1);
  const rects = bars.map(([kind, x], k) =>
    svg("rect", {
      class: kind,
      x: x < 0 ? middle - width(x) : middle,
      y: bars.length > 1 ? 2 + 7 * k : 4,
      width: width(x),
      height: bars.length > 1 ? 6 : 9,
    }),
  );
  const axis = svg("line", { class: "axis", x1: middle, x2: middle, y1: 0, y2: 17 });
  const picture = svg(
    "svg",
    { viewBox: "0 0 100 17", preserveAspectRatio: "none", "aria-hidden": "true" },
    axis,
    ...rects,
  );
  return html(
    "tr",
    {},
    html("th", { scope: "row" }, name),
    ...cells.map((text) => html("td", { class: "number" }, text)),
    html("td", {}, picture),
  );
}

export function few(heads, rows) {
  const head = html(
    "tr",
    {},
    html("td"),
    ...heads.map((text) => html("th", { scope: "col", class: "number" }, text)),
    html("td"),
  );
  return html("table", { class: "few" }, html("thead", {}, head), html("tbody", {}, ...rows));
}

export const plainName = (name) => name.replace(/_link$/, "").replaceAll("_", " ");
