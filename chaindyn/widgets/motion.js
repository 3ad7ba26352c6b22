// What the explorers that move share: a clock to play and to scrub, curves, and words for sizes.

// --- A clock -------------------------------------------------------------------------------------------------------------------

// A time among those of a motion, t, up to where `last` says that it goes: played, paused and scrubbed. `update` draws.
class Player {
  constructor(t, last, update) {
    Object.assign(this, { t, last, update, time: t[0], began: null }); // began: while it plays, when by the page's clock [ms] it was t[0]
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
  }
  get playing() {
    return this.began !== null;
  }
  set(wanted) {
    this.time = Math.max(this.t[0], Math.min(this.last(), wanted));
    this.update();
  }
  scrub(wanted) {
    this.stop();
    this.set(wanted);
  }
  stop() {
    this.began = null;
  }
  reset() {
    [this.time, this.began] = [this.t[0], null];
  }
  // Not beyond where a new motion ends.
  shorten() {
    this.time = Math.min(this.time, this.last());
  }
  play() {
    const start = this.time < this.last() ? this.time - this.t[0] : 0;
    this.began = this.playing ? null : performance.now() - 1000 * start;
    if (this.playing) requestAnimationFrame((now) => this.advance(now));
    this.update();
  }
  advance(now) {
    if (!this.playing) return;
    const gone = Math.max(0, now - this.began) / 1000;
    const wanted = this.t[0] + (this.calm.matches ? Math.floor(2 * gone) / 2 : gone); // a still every half second, for who wants no motion
    if (wanted !== this.time) this.set(wanted);
    if (wanted < this.last()) requestAnimationFrame((later) => this.advance(later));
    else this.stop();
  }
  // Which sample is the latest.
  index(samples) {
    const after = this.t.findIndex((x) => x > this.time);
    return Math.min(after < 0 ? this.t.length - 1 : after - 1, samples.length - 1);
  }
  // The value now, between two samples.
  at(samples) {
    const i = this.index(samples);
    if (i + 1 >= samples.length) return samples[i];
    const share = (this.time - this.t[i]) / (this.t[i + 1] - this.t[i]);
    return combine([1 - share, share], [samples[i], samples[i + 1]]);
  }
  // The time as a named number.
  row() {
    const range = { min: this.t[0], max: rounded(this.t.at(-1), 4), step: 0.02, unit: "s" };
    return numberRow("time", range, () => this.time, (wanted) => this.scrub(wanted));
  }
  // Space plays and pauses, where it is not the key of what has the focus.
  listen(root, play = () => this.play()) {
    root.addEventListener("keydown", (event) => {
      const busy = event.target.closest("button, select, summary, input[type='number']");
      if (event.key !== " " || busy) return;
      event.preventDefault();
      play();
    });
  }
}

// --- Curves --------------------- ----------------------------------------------------------------------------------------------------

const GRAPH = { width: 360, height: 190, left: 64, right: 10, top: 12, bottom: 42 };
const CURVES = ["motion", "force", "y", "slide", "ink"];
const DASHES = ["none", "8 3", "2 3", "9 3 2 3", "4 4"];

// Round numbers from low to high, about so many.
function ticksOf(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(6)));
}
// A number for the reader, however large it has grown.
const grown = (x, digits = 2) => (Math.abs(x) < 1e6 ? shown(x, digits) : x.toExponential(1).replace("-", "\u2212").replace("+", ""));
// A power of a thousand for numbers of this size, and its letter.
function prefixOf(size) {
  const found = [[1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]].find(([unit]) => size >= unit);
  return found ?? [1e-12, "p"];
}

// A picture of curves with a cursor; pressed at, it moves the cursor there. `axis` is what t is, `ticks` where it has numbers;
// `log`: decades from FLOOR to TOP, for sizes; what is smaller or larger lies on these.
const [FLOOR, TOP] = [1e-17, 10];
class Graph {
  constructor(title, t, scrub, { axis = "time [s]", ticks = ticksOf(t[0], t.at(-1), 4), log = false } = {}) {
    const { width, height, left, right, top, bottom } = GRAPH;
    Object.assign(this, { title, t, axis, ticks, log });
    this.across = (time) => left + ((time - t[0]) / (t.at(-1) - t[0])) * (width - left - right);
    this.name = html("p", { class: "title" });
    this.key = html("p", { class: "key" });
    this.marks = svg("g");
    this.curves = svg("g");
    this.cursor = svg("line", { class: "cursor", y1: top, y2: height - bottom });
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "graph" }, this.marks, this.curves, this.cursor);
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
      return { share: (x) => (Math.log10(Math.min(Math.max(x, FLOOR), TOP)) - low) / (high - low), ticks, factor: 1, letter: "" };
    }
    const [factor, letter] = prefixOf(Math.max(...numbers.map(Math.abs)) || 1);
    let [low, high] = [Math.min(0, ...numbers) / factor, Math.max(0, ...numbers) / factor];
    if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
    const text = (x) => (Math.abs(x) < 1e5 ? String(x) : x.toExponential().replace("+", "")).replace("-", "\u2212");
    const ticks = ticksOf(low, high, 5).map((x) => [x * factor, text(x)]);
    return { share: (x) => (x / factor - low) / (high - low), ticks, factor, letter };
  }
  // Each of `curves` is {name, values, colour, dash, width, opacity}; those without a name are left out of the key. Where a
  // value is null, a curve is broken.
  draw(curves, unit) {
    const { width, height, left, right, top, bottom } = GRAPH;
    const { share, ticks, factor, letter } = this.scaleFor(curves.flatMap(({ values }) => values).filter(Number.isFinite));
    const up = (x) => height - bottom - share(x) * (height - top - bottom);
    const level = ticks.flatMap(([x, text]) => [
      svg("line", { class: x === 0 ? "zero" : "rule", x1: left, x2: width - right, y1: up(x), y2: up(x) }),
      svg("text", { x: left - 6, y: up(x) + 5, "text-anchor": "end" }, text),
    ]);
    const ending = (x) => (this.across(x) > width - right - 5 ? { x: width, "text-anchor": "end" } : { x: this.across(x), "text-anchor": "middle" });
    const times = this.ticks.map((x) => svg("text", { ...ending(x), y: height - bottom + 18 }, String(x).replace("-", "\u2212")));
    this.marks.replaceChildren(...level, ...times, svg("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" }, this.axis));
    const look = ({ colour, dash = "none", width: thick = 2, opacity = 1 }) => ({ class: `stroke ${colour}`, "stroke-width": thick, "stroke-dasharray": dash, opacity });
    const point = (x, k) => (Number.isFinite(x) ? `${this.across(this.t[k]).toFixed(1)},${up(x).toFixed(1)}` : "|");
    const pieces = (curve) => curve.values.map(point).join(" ").split("|").map((points) => points.trim()).filter(Boolean);
    this.curves.replaceChildren(...curves.flatMap((curve) => pieces(curve).map((points) => svg("polyline", { ...look(curve), points }))));
    this.name.textContent = `${this.title} [${unit.map((x) => letter + x).join(" or ")}]`;
    const sample = (curve) => svg("svg", { viewBox: "0 0 28 8", "aria-hidden": "true" }, svg("line", { ...look(curve), x1: 1, x2: 27, y1: 4, y2: 4 }));
    this.key.replaceChildren(...curves.filter(({ name }) => name).map((curve) => html("span", {}, sample(curve), curve.name)));
    const said = (x) => (this.log ? x.toExponential(0).replace("-", "\u2212") : grown(x / factor));
    const range = ({ name, values }) => `${name} from ${said(Math.min(...values))} to ${said(Math.max(...values))}`;
    const named = curves.map((curve) => ({ ...curve, values: curve.values.filter(Number.isFinite) })).filter(({ name, values }) => name && values.length);
    this.svg.setAttribute("aria-label", `${this.name.textContent} against ${this.axis.replace(/ \[.*/, "")}: ${named.map(range).join(", ")}`);
  }
  place(time) {
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.across(time));
  }
}
// A whole number as an exponent.
const raised = (power) => [...String(power)].map((sign) => (sign === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[sign])).join("");

// A size for the reader, with three digits that count, in one unit or two.
function sized(x, ...units) {
  const [factor, letter] = prefixOf(x);
  const value = x / factor;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return x === 0 ? `0\u00a0${units[0]}` : `${grown(value, digits)}\u00a0${units.map((unit) => letter + unit).join(" or ")}`;
}
