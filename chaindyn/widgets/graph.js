// Curves against time, or against whatever else, with a cursor.

import { html, svg } from "./elements.js";
import { follow, placeIn } from "./picture.js";
import { shown } from "./vectors.js";

const GRAPH = { width: 360, height: 190, left: 64, right: 10, top: 12, bottom: 42 };
export const CURVES = ["motion", "force", "y", "slide", "ink"];
export const DASHES = ["none", "8 3", "2 3", "9 3 2 3", "4 4"];

// Round numbers from low to high, about so many.
function ticksOf(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) =>
    Number(((first + k) * step).toPrecision(6)),
  );
}

// A number for the reader, however large it has grown.
export const grown = (x, digits = 2) =>
  Math.abs(x) < 1e6 ? shown(x, digits) : x.toExponential(1).replace("-", "\u2212").replace("+", "");

// A power of a thousand for numbers of this size, and its letter.
/**
 * @param {number} size
 * @returns {[number, string]}
 */
function prefixOf(size) {
  /** @type {[number, string][]} */
  const prefixes = [
    [1, ""],
    [1e-3, "m"],
    [1e-6, "\u00b5"],
    [1e-9, "n"],
  ];
  return prefixes.find(([unit]) => size >= unit) ?? [1e-12, "p"];
}

// A picture of curves with a cursor; pressed at, it moves the cursor there. `axis` is what t is, `ticks` where it has
// numbers; `log`: decades from FLOOR to TOP, for sizes; what is smaller or larger lies on these. `prefixed`: whether
// small numbers are told in thousandths of the unit.
const [FLOOR, TOP] = [1e-17, 10];

export class Graph {
  constructor(
    title,
    t,
    scrub,
    { axis = "time [s]", ticks = ticksOf(t[0], t.at(-1), 4), log = false, prefixed = true } = {},
  ) {
    const { width, height, left, right, top, bottom } = GRAPH;
    this.title = title;
    this.t = t;
    this.axis = axis;
    this.ticks = ticks;
    this.log = log;
    this.prefixed = prefixed;
    this.across = (time) => left + ((time - t[0]) / (t.at(-1) - t[0])) * (width - left - right);
    this.name = html("p", { class: "title" });
    this.key = html("p", { class: "key" });
    this.marks = svg("g");
    this.curves = svg("g");
    this.cursor = svg("line", { class: "cursor", y1: top, y2: height - bottom });
    this.svg = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", class: "graph" },
      this.marks,
      this.curves,
      this.cursor,
    );
    /** @param {number[]} place */
    const timeAt = ([x]) => t[0] + ((x - left) / (width - left - right)) * (t.at(-1) - t[0]);
    this.svg.addEventListener("pointerdown", (event) => {
      scrub(timeAt(placeIn(this.svg, event)));
      follow(this.svg, this.svg, event, (_, __, now) => scrub(timeAt(now)));
    });
    this.element = html("div", {}, this.name, this.svg, this.key);
  }
  // How high numbers stand as shares of the picture, which of them are marked, and the letter before their unit.
  scaleFor(numbers) {
    if (this.log) {
      const [low, high] = [FLOOR, TOP].map(Math.log10);
      const ticks = ticksOf(low, high, 6).map((power) => [10 ** power, `10${raised(power)}`]);
      return {
        share: (x) => (Math.log10(Math.min(Math.max(x, FLOOR), TOP)) - low) / (high - low),
        ticks,
        factor: 1,
        letter: "",
      };
    }
    const [factor, letter] = this.prefixed ? prefixOf(Math.max(...numbers.map(Math.abs)) || 1) : [1, ""];
    let [low, high] = [Math.min(0, ...numbers) / factor, Math.max(0, ...numbers) / factor];
    if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
    const text = (x) => (Math.abs(x) < 1e5 ? String(x) : x.toExponential().replace("+", "")).replace("-", "\u2212");
    const ticks = ticksOf(low, high, 5).map((x) => [x * factor, text(x)]);
    return { share: (x) => (x / factor - low) / (high - low), ticks, factor, letter };
  }
  // Each of `curves` is {name, values, colour, dash, width, opacity}; those without a name are left out of the key.
  // Where a value is null, a curve is broken.
  draw(curves, unit) {
    const { width, height, left, right, top, bottom } = GRAPH;
    const { share, ticks, factor, letter } = this.scaleFor(
      curves.flatMap(({ values }) => values).filter(Number.isFinite),
    );
    const up = (x) => height - bottom - share(x) * (height - top - bottom);
    const level = ticks.flatMap(([x, text]) => [
      svg("line", { class: x === 0 ? "zero" : "rule", x1: left, x2: width - right, y1: up(x), y2: up(x) }),
      svg("text", { x: left - 6, y: up(x) + 5, "text-anchor": "end" }, text),
    ]);
    const ending = (x) =>
      this.across(x) > width - right - 5
        ? { x: width, "text-anchor": "end" }
        : { x: this.across(x), "text-anchor": "middle" };
    const times = this.ticks.map((x) =>
      svg("text", { ...ending(x), y: height - bottom + 18 }, String(x).replace("-", "\u2212")),
    );
    this.marks.replaceChildren(
      ...level,
      ...times,
      svg("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" }, this.axis),
    );
    const look = ({ colour, dash = "none", width: thick = 2, opacity = 1 }) => ({
      class: `stroke ${colour}`,
      "stroke-width": thick,
      "stroke-dasharray": dash,
      opacity,
    });
    const point = (x, k) => (Number.isFinite(x) ? `${this.across(this.t[k]).toFixed(1)},${up(x).toFixed(1)}` : "|");
    const pieces = (curve) =>
      curve.values
        .map(point)
        .join(" ")
        .split("|")
        .map((points) => points.trim())
        .filter(Boolean);
    this.curves.replaceChildren(
      ...curves.flatMap((curve) => pieces(curve).map((points) => svg("polyline", { ...look(curve), points }))),
    );
    const units = unit.map((x) => letter + x).join(" or ");
    this.name.textContent = units ? `${this.title} [${units}]` : this.title;
    const sample = (curve) =>
      svg(
        "svg",
        { viewBox: "0 0 28 8", "aria-hidden": "true" },
        svg("line", { ...look(curve), x1: 1, x2: 27, y1: 4, y2: 4 }),
      );
    this.key.replaceChildren(
      ...curves.filter(({ name }) => name).map((curve) => html("span", {}, sample(curve), curve.name)),
    );
    const said = (x) => (this.log ? x.toExponential(0).replace("-", "\u2212") : grown(x / factor));
    const range = ({ name, values }) => `${name} from ${said(Math.min(...values))} to ${said(Math.max(...values))}`;
    const named = curves
      .map((curve) => ({ ...curve, values: curve.values.filter(Number.isFinite) }))
      .filter(({ name, values }) => name && values.length);
    this.svg.setAttribute(
      "aria-label",
      `${this.name.textContent} against ${this.axis.replace(/ \[.*/, "")}: ${named.map(range).join(", ")}`,
    );
  }
  place(time) {
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.across(time));
  }
}

// A whole number as an exponent.
export const raised = (power) =>
  [...String(power)]
    .map((sign) => (sign === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[sign]))
    .join("");

// A size for the reader, with three digits that count, in one unit or two.
export function sized(x, ...units) {
  const [factor, letter] = prefixOf(x);
  const value = x / factor;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return x === 0
    ? `0\u00a0${units[0]}`
    : `${grown(value, digits)}\u00a0${units.map((unit) => letter + unit).join(" or ")}`;
}
