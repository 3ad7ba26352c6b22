// The view of Sketch: a picture of marks whose numbers stand on a tape, which is played with what the reader chose.

import { Camera } from "./camera.js";
import { button, html, named } from "./elements.js";
import { Film } from "./film.js";
import { DASHES, Graph } from "./graph.js";
import { Asking } from "./sketch_asking.js";
import { HIGH, POINTS, paintMarks } from "./sketch_marks.js";
import { sweepOnce } from "./sketch_sweep.js";
import { numbersFor } from "./sketch_tape.js";
import { LitStage } from "./stage.js";
import { Symbols } from "./symbols.js";
import { shown } from "./vectors.js";

// A slider with its value beside it.
function sliderRow({ argument, bounds: [min, max], unit, step = 0.02 }, get, set) {
  const digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(step) + 1e-9)));
  const said = () => `${shown(get(), digits)}${unit === "\u00b0" ? "" : "\u00a0"}${unit}`;
  const slider = html("input", {
    type: "range",
    min,
    max,
    step,
    "aria-label": argument.replaceAll("_", " "),
    oninput: () => set(Number(slider.value)),
  });
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
    const graph = new Graph(
      values.map(({ name }) => name).join(", "),
      t,
      (wanted) => choose(k, Math.max(low, Math.min(high, wanted))),
      {
        axis: `${own.argument.replaceAll("_", " ")}${own.unit ? ` [${own.unit}]` : ""}`,
        prefixed: false,
      },
    );
    let drawn = null;
    const show = () => {
      const others = JSON.stringify(chosen.filter((_, i) => i !== k));
      if (others !== drawn) {
        const rows = t.map((x) =>
          numbersFor(
            scene,
            chosen.map((own, i) => (i === k ? x : own)),
          ),
        );
        graph.draw(
          values.map(({ name, numbers, colour }, i) => ({
            name,
            colour,
            dash: DASHES[i],
            values: rows.map((row) => row[numbers.value]),
          })),
          [values[0].unit],
        );
        drawn = others;
      }
      graph.place(chosen[k]);
    };
    return [{ element: graph.element, show }];
  });
}

// What the reader holds: a slider for each number, a handle in the picture for each place, a button that plays the
// time.
class Controls {
  constructor(all, chosen, stage, update) {
    this.all = all;
    this.chosen = chosen;
    this.update = update;
    this.rows = [];
    /** @type {Film | null} */
    this.film = null;
    this.sweeping = false;
    /** @type {(() => void) | undefined} */
    this.tick = undefined;
    this.elements = all.flatMap((own, k) => {
      const set = (value) => this.choose(k, value);
      if (own.kind === "Place") {
        stage.handle(own.name, own.colour, () => chosen[k], set);
        return [];
      }
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
  // Take the numbers of an address, where they fit.
  restore(numbers) {
    if (numbers.length !== this.chosen.flat().length) return;
    const left = [...numbers];
    this.film?.play(false);
    this.all.forEach((own, k) => {
      this.chosen[k] =
        own.kind === "Place" ? left.splice(0, 3) : Math.max(own.bounds[0], Math.min(own.bounds[1], left.shift()));
    });
    this.update();
  }
  clock({ length, slow }, k) {
    const film = new Film(() => length * slow, this.update);
    this.film = film;
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
  // Before it is touched, the first slider shows what it does.
  begin(stage) {
    const k = this.all.findIndex(({ kind }) => kind !== "Place");
    if (k < 0) return;
    const set = (value, sweeping) => {
      this.chosen[k] = value;
      this.sweeping = sweeping;
      this.update();
    };
    sweepOnce(stage, this.all[k].bounds, () => this.chosen[k], set);
  }
  get moving() {
    return this.sweeping || this.film?.playing;
  }
  refresh() {
    this.rows.forEach((refresh) => refresh());
  }
}

// The numbers under the picture, and for screen readers the same, said once the reader rests.
class Readout {
  constructor(values, asking) {
    this.values = values;
    this.outputs = values.map(() => html("output"));
    this.rows = values.map((mark, k) =>
      html("p", { class: `value ${mark.colour}` }, `${mark.name} `, asking(mark, this.outputs[k])),
    );
    this.spoken = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
  }
  show(x, moving) {
    const said = this.values.map(
      ({ numbers, digits, unit }) => `${shown(x[numbers.value], digits)}${unit ? `\u00a0${unit}` : ""}`,
    );
    said.forEach((text, k) => {
      this.outputs[k].textContent = text;
    });
    clearTimeout(this.rest);
    if (!moving)
      this.rest = setTimeout(() => {
        this.spoken.textContent = this.values.map(({ name }, k) => `${name} ${said[k]}`).join(", ");
      }, 700);
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

// The key of the marks, which lights what is pointed at in the picture.
function symbolsOf(marks, stage, update, ask) {
  const firsts = marks.filter(({ symbol }, k) => symbol && marks.findIndex((other) => other.symbol === symbol) === k);
  const others = marks.filter(
    ({ symbol, words }, k) => words && !symbol && marks.findIndex((other) => other.words === words) === k,
  );
  const symbols = new Symbols(firsts, others, update, ask);
  stage.svg.addEventListener("pointerover", ({ target }) =>
    symbols.light(marks[target.closest("[data-grab]")?.dataset.grab]?.symbol ?? null),
  );
  stage.svg.addEventListener("pointerleave", () => symbols.light(null));
  return symbols;
}

function render({ model, el }) {
  const scene = model.get("scene");
  const chosen = scene.arguments.map(({ start }) => start);
  let waiting = null;
  const update = () =>
    (waiting ??= requestAnimationFrame(() => {
      waiting = null;
      show();
    }));
  const stage = stageOf(scene, update);
  const marks = scene.marks.map((mark, k) => ({ ...mark, id: `mark ${k}`, grab: mark.symbol ? k : undefined }));
  const symbols = symbolsOf(marks, stage, update, (mark) => asking.arrow(mark));
  const controls = new Controls(scene.arguments, chosen, stage, update);
  const graphs = graphsOf(scene, chosen, (k, value) => controls.choose(k, value));
  const asking = new Asking(
    scene,
    chosen,
    () => controls,
    (lit) => symbols.report(lit),
  );
  const readout = new Readout(
    marks.filter(({ kind }) => kind === "Value"),
    (mark, output) => asking.value(mark, output),
  );
  asking.join(symbols);
  const curves = graphs.map(({ element }) => html("div", { class: "graphs" }, element));
  const below = [...readout.rows, asking.whence.element, symbols.element, ...curves];
  const beside = html("div", {}, ...controls.elements, ...below);
  const columns = html("div", { class: "columns" }, html("div", {}, stage.element, readout.spoken), beside);
  el.append(html("div", { class: "chaindyn sketch" }, columns));
  for (const element of el.querySelectorAll("[tabindex], button, input"))
    element.setAttribute("data-lm-suppress-shortcuts", "true");

  function show() {
    controls.tick?.();
    const x = numbersFor(scene, chosen);
    stage.draw(() => paintMarks(stage, marks, x, symbols.lit));
    controls.refresh();
    readout.show(x, controls.moving);
    graphs.forEach((graph) => graph.show());
    asking.whence.refresh();
  }

  show();
  symbols.findAround(el).then(() => asking.whence.refresh());
  controls.begin(stage);
  asking.whence.follow();
  const unwatch = controls.film?.watch(el);
  return () => {
    cancelAnimationFrame(waiting);
    clearTimeout(readout.rest);
    unwatch?.();
    asking.whence.end();
    symbols.close();
    stage.close();
  };
}

export default { render };
