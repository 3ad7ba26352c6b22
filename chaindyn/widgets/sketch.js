// The view of Sketch: a picture of marks whose numbers stand on a tape, which is played with what the reader chose.

import { Camera, add, apply, button, html, named, norm, radians, scale, shown, subtract } from "./base.js";
import { Film } from "./film.js";
import { DASHES, Graph } from "./graph.js";
import { LitStage, upright } from "./stage.js";
import { Symbols } from "./symbols.js";

const HIGH = 300; // of the picture, in its own pixels, 480 wide
const POINTS = 121; // of a curve
const ACTS = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  and: (x, y) => x * y,
  negative: (x) => -x,
  inverse: (x) => 1 / x,
  not: (x) => 1 - x,
  positive: (x) => Number(x > 0),
  where: (truth, x, y) => (truth ? x : y),
  sin: Math.sin,
  cos: Math.cos,
  sqrt: Math.sqrt,
  atan2: Math.atan2,
  max: Math.max,
  min: Math.min,
};

// The numbers on a tape: rows of an operation and the places of its operands.
function played(tape, inputs) {
  const x = [];
  tape.forEach(([name, a, b, c]) => x.push(name === "constant" ? a : name === "input" ? inputs[a] : ACTS[name](x[a], x[b], x[c])));
  return x;
}

// The numbers between samples: shares are where each slider stands on its way, 0 to 1; rows run over the last slider first.
function between({ counts, fixed, columns, rows }, shares) {
  let corners = [[0, 1]]; // which row, and its weight
  counts.forEach((count, k) => {
    const at = Math.max(0, Math.min(1, shares[k])) * (count - 1);
    const low = Math.min(Math.floor(at), count - 2);
    corners = corners.flatMap(([row, weight]) => [
      [row * count + low, weight * (1 - at + low)],
      [row * count + low + 1, weight * (at - low)],
    ]);
  });
  const x = [...fixed];
  columns.forEach((column, j) => (x[column] = corners.reduce((sum, [row, weight]) => (weight ? sum + weight * (rows[row][j] ?? NaN) : sum), 0)));
  return x;
}

// What a reader chose, as `draw` gets it: radians for degrees.
const handed = ({ kind, unit }, value) => (kind === "Slider" && unit === "\u00b0" ? radians(value) : value);

function numbersFor({ arguments: all, tape, samples }, chosen) {
  if (tape) return played(tape, all.flatMap((own, k) => handed(own, chosen[k])));
  return between(samples, all.map(({ bounds: [low, high] }, k) => (chosen[k] - low) / (high - low)));
}

// --- Marks -----------------------------------------------------------------------------------------------------------------------

const edgesOf = ({ R, centre, sides }) => {
  const corner = (k) => add(centre, apply(R, sides.map((side, i) => ((k >> i) & 1 ? side : -side) / 2)));
  return [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [1, 2, 4].filter((bit) => !(k & bit)).map((bit) => [corner(k), corner(k | bit)]));
};
// A circle about an axis, as points.
function ring(middle, axis, radius) {
  const frame = upright(axis);
  return Array.from({ length: 41 }, (_, k) => add(middle, scale(radius, apply(frame, [Math.cos((k * Math.PI) / 20), 0, Math.sin((k * Math.PI) / 20)]))));
}

// How each kind of mark is drawn; `look` has its opacity and whether it is lit. Where there are no solids, strokes stand in their place.
const PAINT = {
  Arrow(stage, { start, along, name, colour, grab }, { opacity, lit }) {
    const tip = add(start, along);
    if (norm(along) * stage.camera.zoom < 2) return stage.line([start, start], colour, { width: 6, opacity });
    stage.arrow(start, along, colour, { width: lit ? 6 : 3, opacity });
    if (grab !== undefined) stage.line([start, tip], colour, { grab, seen: false });
    stage.text(tip, name, undefined, colour);
  },
  Line(stage, { points, colour, dashed, name }, { opacity, lit }) {
    stage.line(points, colour, { width: lit ? 4 : 2, dash: dashed ? "7 5" : "none", opacity });
    stage.text(points.at(-1), name, undefined, colour);
  },
  Dot(stage, { place, colour, name }, { opacity, lit }) {
    stage.line([place, place], colour, { width: lit ? 13 : 8, opacity });
    stage.text(place, name, undefined, colour);
  },
  Rod(stage, { id, start, end, radius, flat, colour }, { opacity }) {
    const seen = !stage.solid(id, { shape: flat ? "cylinder" : "capsule", from: start, to: end, radius }, colour, null, { opacity });
    if (seen && flat) [start, end].forEach((middle) => stage.line(ring(middle, subtract(end, start), radius), colour, { width: 3, opacity }));
    else if (seen) stage.line([start, end], colour, { width: 2 * radius * stage.camera.zoom, opacity });
  },
  Box(stage, { id, R, centre, sides, colour }, { opacity }) {
    const seen = !stage.solid(id, { shape: "box", R, centre, sides }, colour, null, { opacity });
    if (seen) edgesOf({ R, centre, sides }).forEach((edge) => stage.line(edge, colour, { width: 3, opacity }));
  },
  Ball(stage, { id, centre, radius, colour }, { opacity }) {
    const sides = [2 * radius, 2 * radius, 2 * radius];
    const seen = !stage.solid(id, { shape: "ellipsoid", R: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], centre, sides }, colour, null, { opacity });
    if (seen) stage.line([centre, centre], colour, { width: 2 * radius * stage.camera.zoom, opacity });
  },
  Axes(stage, { R, origin, name, length }) {
    stage.axes(origin, R, name, length);
  },
  Value() {},
};

const LIT = ["Arrow", "Line", "Dot"]; // kinds of which one is lit and the others go dim

// --- The view --------------------------------------------------------------------------------------------------------------------

// A slider with its value beside it.
function sliderRow({ argument, bounds: [min, max], unit, step = 0.02 }, get, set) {
  const digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(step) + 1e-9)));
  const said = () => `${shown(get(), digits)}${unit === "\u00b0" ? "" : "\u00a0"}${unit}`;
  const slider = html("input", { type: "range", min, max, step, "aria-label": argument.replaceAll("_", " "), oninput: () => set(Number(slider.value)) });
  const value = html("output", {});
  const refresh = () => {
    if (Number(slider.value) !== get()) slider.value = get();
    slider.setAttribute("aria-valuetext", said());
    value.textContent = said();
  };
  return { row: named(argument.replaceAll("_", " "), slider, value), refresh };
}

// A curve for each value that is drawn against an argument, those of one argument in one picture.
function graphsOf(scene, chosen, choose) {
  return scene.arguments.flatMap((own, k) => {
    const values = scene.marks.filter(({ kind, against }) => kind === "Value" && against === own.argument);
    if (!values.length) return [];
    const [low, high] = own.bounds;
    const t = Array.from({ length: POINTS }, (_, i) => low + ((high - low) * i) / (POINTS - 1));
    const graph = new Graph(values.map(({ name }) => name).join(", "), t, (wanted) => choose(k, Math.max(low, Math.min(high, wanted))), {
      axis: `${own.argument.replaceAll("_", " ")}${own.unit ? ` [${own.unit}]` : ""}`,
      prefixed: false,
    });
    let drawn = null;
    const show = () => {
      const others = JSON.stringify(chosen.filter((_, i) => i !== k));
      if (others !== drawn) {
        const rows = t.map((x) => numbersFor(scene, chosen.map((own, i) => (i === k ? x : own))));
        graph.draw(values.map(({ name, numbers, colour }, i) => ({ name, colour, dash: DASHES[i], values: rows.map((row) => row[numbers.value]) })), [values[0].unit]);
        drawn = others;
      }
      graph.place(chosen[k]);
    };
    return [{ element: graph.element, show }];
  });
}

// What the reader holds: a slider for each number, a handle in the picture for each place, a button that plays the time.
class Controls {
  constructor(all, chosen, stage, update) {
    Object.assign(this, { chosen, update, rows: [], film: null });
    this.elements = all.flatMap((own, k) => {
      const set = (value) => this.choose(k, value);
      if (own.kind === "Place") return stage.handle(own.name, own.colour, () => chosen[k], set), [];
      const { row, refresh } = sliderRow(own, () => chosen[k], set);
      this.rows.push(refresh);
      if (own.kind === "Clock") row.prepend(this.clock(own, k));
      return [row];
    });
  }
  // Who takes hold of anything stops the film.
  choose(k, value) {
    this.film?.play(false);
    this.chosen[k] = value;
    this.update();
  }
  clock({ length, slow }, k) {
    const film = (this.film = new Film(() => length * slow, this.update));
    const play = button("play", () => {
      film.clock = this.chosen[k] < length ? this.chosen[k] * slow : 0;
      film.play(!film.playing);
    });
    this.tick = () => {
      if (film.playing) this.chosen[k] = film.clock / slow;
      play.textContent = film.playing ? "pause" : "play";
    };
    return play;
  }
  refresh() {
    this.rows.forEach((refresh) => refresh());
  }
}

// The numbers under the picture, and for screen readers the same, said once the reader rests.
class Readout {
  constructor(values) {
    this.values = values;
    this.outputs = values.map(() => html("output"));
    this.rows = values.map(({ name, colour }, k) => html("p", { class: `value ${colour}` }, `${name} `, this.outputs[k]));
    this.spoken = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
  }
  show(x, moving) {
    const said = this.values.map(({ numbers, digits, unit }) => `${shown(x[numbers.value], digits)}${unit ? `\u00a0${unit}` : ""}`);
    said.forEach((text, k) => (this.outputs[k].textContent = text));
    clearTimeout(this.rest);
    if (!moving) this.rest = setTimeout(() => (this.spoken.textContent = this.values.map(({ name }, k) => `${name} ${said[k]}`).join(", ")), 700);
  }
}

// Draw marks, with the numbers x. lit: the symbol that is pointed at; other arrows, lines and dots are dim then.
function paintMarks(stage, marks, x, lit) {
  const valueAt = (slots) => (Array.isArray(slots) ? slots.map(valueAt) : x[slots]);
  const stands = ({ kind, symbol }) => lit !== null && symbol === lit && LIT.includes(kind);
  const others = marks.some(stands) ? 0.25 : 1;
  for (const mark of marks) {
    const numbers = Object.entries(mark.numbers).map(([name, slots]) => [name, valueAt(slots)]);
    if (!numbers.every(([, own]) => [own].flat(2).every(Number.isFinite))) continue;
    const opacity = stands(mark) || !LIT.includes(mark.kind) ? 1 : others;
    PAINT[mark.kind](stage, { ...mark, ...Object.fromEntries(numbers) }, { lit: stands(mark), opacity });
  }
}

// The picture of a scene, which `update` draws again.
function stageOf({ title, view, width, centre, floor }, update) {
  const camera = new Camera(480 / width, centre, [480, HIGH]);
  camera.look(view);
  const stage = new LitStage(title, camera, update, { floor, foot: false, extent: width / 2, looks: false });
  stage.settle();
  stage.onGrab = (_, __, moved) => stage.dragged(moved); // arrows can be pointed at, not pulled
  return stage;
}

function render({ model, el }) {
  const scene = model.get("scene");
  const chosen = scene.arguments.map(({ start }) => start);
  let waiting = null;
  const update = () => (waiting ??= requestAnimationFrame(() => ((waiting = null), show())));
  const stage = stageOf(scene, update);
  const marks = scene.marks.map((mark, k) => ({ ...mark, id: `mark ${k}`, grab: mark.symbol ? k : undefined }));
  const firsts = marks.filter(({ symbol }, k) => symbol && marks.findIndex((other) => other.symbol === symbol) === k);
  const others = marks.filter(({ symbol, words }, k) => words && !symbol && marks.findIndex((other) => other.words === words) === k);
  const symbols = new Symbols(firsts, others, update);
  stage.svg.addEventListener("pointerover", ({ target }) => symbols.light(marks[target.closest("[data-grab]")?.dataset.grab]?.symbol ?? null));
  stage.svg.addEventListener("pointerleave", () => symbols.light(null));

  const controls = new Controls(scene.arguments, chosen, stage, update);
  const graphs = graphsOf(scene, chosen, (k, value) => controls.choose(k, value));
  const readout = new Readout(marks.filter(({ kind }) => kind === "Value"));
  const curves = graphs.map(({ element }) => html("div", { class: "graphs" }, element));
  const beside = html("div", {}, ...controls.elements, ...readout.rows, symbols.element, ...curves);
  const columns = html("div", { class: "columns" }, html("div", {}, stage.element, readout.spoken), beside);
  el.append(html("div", { class: "chaindyn sketch" }, columns));
  for (const element of el.querySelectorAll("[tabindex], button, input")) element.setAttribute("data-lm-suppress-shortcuts", "true");

  function show() {
    controls.tick?.();
    const x = numbersFor(scene, chosen);
    stage.draw(() => paintMarks(stage, marks, x, symbols.lit));
    controls.refresh();
    readout.show(x, controls.film?.playing);
    graphs.forEach((graph) => graph.show());
  }

  show();
  symbols.findAround(el);
  const unwatch = controls.film?.watch(el);
  return () => (cancelAnimationFrame(waiting), clearTimeout(readout.rest), unwatch?.(), symbols.close(), stage.close());
}

export default { render };
