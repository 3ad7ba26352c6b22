// A map over the postures of a chain: shaded cells with two coordinates, and the present place in it, for the views
// that have one.

import { svg } from "./elements.js";
import { follow, placeIn } from "./picture.js";
import { add, degrees, scale, shown, subtract } from "./vectors.js";

// Where a grid of numbers passes through zero: pieces [[x, y], [x, y]] in cells, each between linear crossings of a
// square's edges.
function zeroLine(grid) {
  const pieces = [];
  for (let j = 0; j + 1 < grid.length; j++) {
    for (let i = 0; i + 1 < grid[j].length; i++) {
      const corners = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ];
      const values = corners.map(([x, y]) => grid[y][x]);
      if (values.includes(null)) continue;
      const crossings = corners.flatMap((a, k) => {
        const [b, fa, fb] = [corners[(k + 1) % 4], values[k], values[(k + 1) % 4]];
        return fa < 0 === fb < 0 ? [] : [add(a, scale(fa / (fa - fb), subtract(b, a)))];
      });
      for (let k = 0; k + 1 < crossings.length; k += 2) pieces.push([crossings[k], crossings[k + 1]]);
    }
  }
  return pieces;
}

const PLOT = { left: 56, top: 16, size: 330, bottom: 52 };

// A square of shaded cells with two coordinates, a line in it and the present place, which can be moved. `get`
// returns the place's shares of the way across and up, `set` takes them.
export class PostureMap {
  constructor(get, set) {
    const { left, top, size, bottom } = PLOT;
    this.get = get;
    this.cells = svg("g", { class: "cells" });
    this.line = svg("path", { class: "zero" });
    this.labels = svg("g");
    const clamp = (x) => Math.max(0, Math.min(1, x));
    /** @param {number[]} place */
    const setAt = ([x, y]) => set([clamp((x - left) / size), clamp(1 - (y - top) / size)]);
    const ring = (kind) => svg("circle", { class: kind, r: kind === "halo" ? 12 : 9 });
    this.handle = svg(
      "g",
      {
        class: "handle ink",
        tabindex: 0,
        role: "button",
        "aria-roledescription": "movable point",
        "aria-label": "The present posture in the map. Arrow keys move it.",
      },
      svg("circle", { class: "reach", r: 20 }),
      ring("halo"),
      ring("here"),
    );
    const drag = (element) => (event) => {
      event.stopPropagation();
      follow(this.svg, element, event, (_, __, now) => setAt(now));
    };
    const plot = svg("rect", { class: "plot", x: left, y: top, width: size, height: size });
    this.svg = svg(
      "svg",
      { viewBox: `0 0 ${left + size + 14} ${top + size + bottom}`, class: "map" },
      plot,
      this.cells,
      this.line,
      this.labels,
      this.handle,
    );
    this.handle.addEventListener("pointerdown", drag(this.handle));
    // A mouse takes the place along from where it is pressed; a finger taps, or scrolls the page.
    plot.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse") return;
      setAt(placeIn(this.svg, event));
      drag(plot)(event);
    });
    plot.addEventListener("click", (event) => setAt(placeIn(this.svg, event)));
    this.handle.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      if (!steps[event.key]) return;
      event.preventDefault();
      set(add(get(), scale(event.shiftKey ? 1 / 24 : 1 / 180, steps[event.key])).map(clamp));
    });
  }
  // Shade the cells by numbers from 0 to `most`, more is shown as `most`; null is left out.
  shade(grid, most) {
    const cell = PLOT.size / grid.length;
    const rects = grid.flatMap((row, j) =>
      row.map((x, i) => {
        if (!x) return "";
        const y = PLOT.top + PLOT.size - (j + 1) * cell;
        return svg("rect", {
          x: PLOT.left + i * cell,
          y,
          width: cell,
          height: cell,
          "fill-opacity": Math.min(1, x / most).toFixed(3),
        });
      }),
    );
    this.cells.replaceChildren(...rects.filter(Boolean));
  }
  trace(grid) {
    const cell = PLOT.size / grid.length;
    const place = ([x, y]) =>
      `${(PLOT.left + (x + 0.5) * cell).toFixed(1)} ${(PLOT.top + PLOT.size - (y + 0.5) * cell).toFixed(1)}`;
    this.line.setAttribute(
      "d",
      zeroLine(grid)
        .map(([a, b]) => `M${place(a)}L${place(b)}`)
        .join(""),
    );
  }
  // Name the coordinates and their values at the ends and in the middle: {name, ticks}.
  name(across, up) {
    const { left, top, size } = PLOT;
    const anchors = ["start", "middle", "end"];
    const low = across.ticks.map((text, k) =>
      svg("text", { class: "tick", x: left + (k * size) / 2, y: top + size + 18, "text-anchor": anchors[k] }, text),
    );
    const side = up.ticks.map((text, k) =>
      svg(
        "text",
        { class: "tick", x: left - 6, y: top + size - (k * size) / 2 + [0, 5, 11][k], "text-anchor": "end" },
        text,
      ),
    );
    const upright = { transform: `translate(14 ${top + size / 2}) rotate(-90)`, "text-anchor": "middle" };
    this.labels.replaceChildren(
      ...low,
      ...side,
      svg("text", { x: left + size / 2, y: top + size + 40, "text-anchor": "middle" }, across.name),
      svg("text", upright, up.name),
    );
  }
  place() {
    const [x, y] = this.get();
    this.handle.setAttribute("transform", `translate(${PLOT.left + x * PLOT.size} ${PLOT.top + (1 - y) * PLOT.size})`);
  }
}

// The number that the darkest shade stands for: the greatest, or, where few cells tower over the rest, three times
// the median.
export function mostOf(grid) {
  const sorted = grid
    .flat()
    .filter((x) => x !== null && x > 0)
    .sort((a, b) => a - b);
  if (!sorted.length) return { most: 1, capped: false };
  const [greatest, usual] = [sorted.at(-1), sorted[Math.floor(sorted.length / 2)]];
  return greatest > 3 * usual ? { most: 3 * usual, capped: true } : { most: greatest, capped: false };
}

// How far a joint is from one limit to the other, and the posture in which it is so far.
export function jointShare({ limits, column }, q, i) {
  const [low, high] = limits[column[i]];
  return (q[column[i]] - low) / (high - low);
}

export function atJointShare({ limits, column }, q, i, share) {
  const [low, high] = limits[column[i]];
  return q.map((old, k) => (k === column[i] ? low + (high - low) * share : old));
}

// A joint of a chain as a coordinate of the map: its name, and its values at the ends and in the middle.
export function coordinateOf({ names, kind, limits, column }, i) {
  const [low, high] = limits[column[i]];
  const turns = kind[i] === "Revolute";
  const text = (x) => (turns ? `${shown(degrees(x), 0)}\u00b0` : `${shown(x)} m`);
  return { name: `${turns ? "angle" : "slide"} of ${names[i]}`, ticks: [low, (low + high) / 2, high].map(text) };
}
