// The chart of effective masses.

import { svg } from "./elements.js";

const CHART = { width: 440, height: 190, left: 12, right: 12, top: 14, bottom: 44 };
const BINS = 40; // of the reader's own blows

// How often masses occur, on a logarithmic axis: of the atlas an area, of the reader's own blows dots, and the
// present one a line.
export class MassChart {
  constructor(range, atlas) {
    const { width, height, left, right, bottom } = CHART;
    this.range = range.map(Math.log);
    this.atlas = atlas;
    this.area = svg("polygon", { class: "known" });
    this.dots = svg("g", { class: "drawn" });
    this.here = svg("path", { class: "present" });
    const floor = height - bottom;
    const decades = Array.from(
      { length: Math.round(Math.log10(range[1] / range[0])) + 1 },
      (_, k) => range[0] * 10 ** k,
    );
    const anchor = (k) => (k === 0 ? "start" : k === decades.length - 1 ? "end" : "middle");
    const ticks = decades.flatMap((m, k) => [
      svg("line", { class: "axis", x1: this.across(m), x2: this.across(m), y1: floor, y2: floor + 6 }),
      svg(
        "text",
        { class: "tick", x: this.across(m), y: floor + 20, "text-anchor": anchor(k) },
        `${Number(m.toPrecision(3))}`,
      ),
    ]);
    const axis = svg("line", { class: "axis", x1: left, x2: width - right, y1: floor, y2: floor });
    const name = svg("text", { x: width / 2, y: height - 6, "text-anchor": "middle" }, "effective mass [kg]");
    this.svg = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "chart", "aria-hidden": "true" },
      this.area,
      axis,
      ...ticks,
      this.dots,
      this.here,
      name,
    );
    if (atlas) this.drawAtlas();
  }
  across(mass) {
    const [low, high] = this.range;
    const share = (Math.log(mass) - low) / (high - low);
    return CHART.left + Math.max(0, Math.min(1, share)) * (CHART.width - CHART.left - CHART.right);
  }
  upTo(density) {
    const { height, top, bottom } = CHART;
    return height - bottom - Math.min(1, density / this.greatest) * (height - bottom - top);
  }
  drawAtlas() {
    const { edges, counts } = this.atlas;
    const total = counts.reduce((sum, x) => sum + x, 0);
    const densities = counts.map((x, k) => x / total / Math.log(edges[k + 1] / edges[k]));
    this.greatest = 1.15 * Math.max(...densities);
    const inside = (k) => edges[k + 1] > Math.exp(this.range[0]) && edges[k] < Math.exp(this.range[1]);
    const steps = densities.flatMap((density, k) =>
      inside(k) ? [edges[k], edges[k + 1]].map((m) => [this.across(m), this.upTo(density)]) : [],
    );
    const floor = this.upTo(0);
    this.area.setAttribute(
      "points",
      [[steps[0][0], floor], ...steps, [steps.at(-1)[0], floor]]
        .map((x) => x.map((y) => y.toFixed(1)).join(","))
        .join(" "),
    );
  }
  // masses : of the reader's own blows.
  drawOwn(masses) {
    const [low, high] = this.range;
    const bin = (high - low) / BINS;
    const counts = new Array(BINS).fill(0);
    for (const m of masses) {
      const k = Math.floor((Math.log(m) - low) / bin);
      if (k >= 0 && k < BINS) counts[k] += 1;
    }
    const densities = counts.map((x) => x / masses.length / bin);
    if (!this.atlas) this.greatest = 1.15 * Math.max(...densities);
    const dots = densities.map((density, k) =>
      counts[k]
        ? svg("circle", { cx: this.across(Math.exp(low + (k + 0.5) * bin)), cy: this.upTo(density), r: 3 })
        : "",
    );
    this.dots.replaceChildren(...dots.filter(Boolean));
  }
  mark(mass) {
    const x = this.across(mass ?? Math.exp(this.range[1])).toFixed(1);
    this.here.setAttribute("d", `M${x} ${CHART.top - 8}V${CHART.height - CHART.bottom}`);
  }
}
