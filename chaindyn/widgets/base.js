// What every explorer is made of: vectors, a camera, a picture to turn and pull at, number inputs, and the talk with
// Python. An explorer's own module follows this text, in one file.

// --- Vectors are arrays -------------------------------------------------------------------------------------------

export const add = (a, b) => a.map((x, i) => x + b[i]);
export const subtract = (a, b) => a.map((x, i) => x - b[i]);
export const scale = (s, a) => a.map((x) => s * x);
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const norm = (a) => Math.sqrt(dot(a, a));
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const apply = (M, a) => M.map((row) => dot(row, a));
export const transpose = (M) => M[0].map((_, j) => M.map((row) => row[j]));
export const multiply = (A, B) => transpose(transpose(B).map((column) => apply(A, column)));
export const radians = (degrees) => (degrees * Math.PI) / 180;
export const degrees = (radians) => (radians * 180) / Math.PI;
export const rounded = (x, digits = 2) => Number(x.toFixed(digits));

// A weighted sum of numbers, or of arrays of any depth.
export function combine(weights, terms) {
  if (typeof terms[0] === "number") return dot(weights, terms);
  return terms[0].map((_, i) => combine(weights, terms.map((term) => term[i])));
}

// What a table of Python's `tabulate` says where its bases have these values.
export const contract = (table, ...bases) => bases.reduce((rest, basis) => combine(basis, rest), table);

// A number for the reader. Python sends null for what is not finite.
export function shown(x, digits = 2) {
  if (x === null || !Number.isFinite(x)) return "nan";
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "\u2212");
}

// What the page computes by: its own function of a name, or the same recorded with what the reader redefined.
export const inForce = (name, own) => globalThis.chaindynPhysics?.runs[name] ?? own;

// --- Elements -----------------------------------------------------------------------------------------------------

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
export const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

export const button = (text, onclick) => html("button", { type: "button", onclick }, text);
export const group = (label, ...children) => html("div", { class: "line", role: "group", "aria-label": label }, ...children);
export const section = (title, open, ...children) => html("details", open ? { open: "" } : {}, html("summary", {}, title), ...children);

// Rows of which the first few stand open and the others are folded, so that who goes on by the keyboard is soon past them.
export const firstFew = (title, rows, count = 3) => (rows.length > count + 1 ? [...rows.slice(0, count), section(title, false, ...rows.slice(count))] : rows);

// A row of inputs that have labels of their own, with a name to see, which may break after an underscore.
export const named = (text, ...inputs) => html("div", { class: "line" }, html("span", { class: "name", "aria-hidden": "true" }, text.replaceAll("_", "_\u200b")), ...inputs);

// A named number: a field to type in and, where it has a range, a slider. `get` and `set` read and write the request; `of`
// says whose number it is to who cannot see where the row stands. Returns the row, and how to show a value changed elsewhere.
export function numberRow(name, { of = "", min, max, step = 0.01, unit = "", digits = 2 }, get, set) {
  const text = unit ? `${name} [${unit}]` : name;
  const label = `${of} ${text}`.trim();
  const take = (event) => event.target.value !== "" && set(Number(event.target.value));
  const field = html("input", { type: "number", step, "aria-label": label, oninput: take, onchange: () => refresh() });
  const inputs = [field];
  if (min !== undefined) {
    inputs.unshift(html("input", { type: "range", min, max, step, "aria-label": `${label}, slider`, oninput: take }));
  }
  function refresh() {
    for (const input of inputs) {
      const typing = input === field && input.getRootNode().activeElement === field;
      if (!typing || Number(input.value) !== rounded(get(), digits)) input.value = rounded(get(), digits);
    }
  }
  refresh();
  return { row: named(text, ...inputs), refresh };
}

// The three coordinates of a point, side by side.
export function pointRow(name, of, get, set) {
  const cells = ["x", "y", "z"].map((axis, i) => {
    const setOne = (value) => set(get().map((old, k) => (k === i ? value : old)));
    return numberRow(`${name} ${axis}`, { of, step: 0.05, unit: "m" }, () => get()[i], setOne);
  });
  const fields = cells.map((cell) => cell.row.querySelector("input"));
  return { row: named(`${name} [m]`, ...fields), refresh: () => cells.forEach((cell) => cell.refresh()) };
}

// A named choice: options are [value, text]; returns the row, and how to show a choice made elsewhere.
export function pickerRow(label, options, get, set) {
  const items = options.map(([value, text]) => html("option", { value }, text));
  const select = html("select", { "aria-label": label, onchange: () => set(select.value) }, ...items);
  return { row: named(label, select), refresh: () => (select.value = get()) };
}

// Rows of numbers under a caption. `rows` are [name, number, number, ...].
export function numberTable(caption, heads, rows) {
  const head = html("tr", {}, html("td"), ...heads.map((text) => html("th", { scope: "col" }, text)));
  const body = rows.map(([name, ...numbers]) =>
    html("tr", {}, html("th", { scope: "row" }, name), ...numbers.map((x) => html("td", {}, shown(x)))),
  );
  return html("table", {}, html("caption", {}, caption), html("thead", {}, head), html("tbody", {}, ...body));
}

// --- The camera: parallel projection, z up ------------------------------------------------------------------------

const VIEWS = { space: [-60, 25], "x\u2013y": [-90, 90], "x\u2013z": [-90, 0], "y\u2013z": [0, 0] }; // yaw and tilt of the eye, degrees
const WIDTH = 480;
const HEIGHT = 400;

export class Camera {
  constructor(pixelsPerMetre, centre = [0, 0, 0], size = [WIDTH, HEIGHT]) {
    this.zoom = pixelsPerMetre;
    this.centre = centre;
    this.size = size; // of the picture, in pixels
    this.look("space");
  }
  look(view) {
    [this.yaw, this.tilt] = VIEWS[view];
  }
  turn(dyaw, dtilt) {
    this.yaw += dyaw;
    this.tilt = Math.max(-90, Math.min(90, this.tilt + dtilt));
  }
  axes() {
    const [yaw, tilt] = [radians(this.yaw), radians(this.tilt)];
    const right = [-Math.sin(yaw), Math.cos(yaw), 0];
    const toward = [Math.cos(yaw) * Math.cos(tilt), Math.sin(yaw) * Math.cos(tilt), Math.sin(tilt)];
    return { right, up: cross(toward, right), toward };
  }
  // A displacement of space on the picture, in pixels; and the displacement parallel to the picture that looks so.
  flatten(displacement) {
    const { right, up } = this.axes();
    return [this.zoom * dot(right, displacement), -this.zoom * dot(up, displacement)];
  }
  lift([dx, dy]) {
    const { right, up } = this.axes();
    return add(scale(dx / this.zoom, right), scale(-dy / this.zoom, up));
  }
  project(point) {
    return add(scale(0.5, this.size), this.flatten(subtract(point, this.centre)));
  }
  // Where the line of sight through a place of the picture meets the x-z plane; seen from its edge, where it comes near it.
  onPlane(place) {
    const at = add(this.centre, this.lift(subtract(place, scale(0.5, this.size))));
    const { toward } = this.axes();
    return Math.abs(toward[1]) < 0.1 ? at : subtract(at, scale(at[1] / toward[1], toward));
  }
  depth(point) {
    return dot(this.axes().toward, subtract(point, this.centre));
  }
}

// --- The picture --------------------------------------------------------------------------------------------------

// Follow a pointer over a picture from `down` until it is lifted: move(units of its viewBox since the last event, where it was,
// where it is now). `element` keeps the pointer meanwhile.
export const placeIn = (picture, event) => {
  const [box, { width, height }] = [picture.getBoundingClientRect(), picture.viewBox.baseVal];
  return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
};
export function follow(picture, element, down, move) {
  let last = placeIn(picture, down);
  const onmove = (event) => {
    if (event.pointerId !== down.pointerId) return;
    const now = placeIn(picture, event);
    move(subtract(now, last), last, now);
    last = now;
  };
  const stop = () => {
    element.removeEventListener("pointermove", onmove);
    for (const name of ["pointerup", "pointercancel"]) element.removeEventListener(name, stop);
  };
  element.setPointerCapture(down.pointerId);
  element.addEventListener("pointermove", onmove);
  for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, stop);
}

// Strokes are drawn anew each time; handles stay, so that they keep the focus and the pointer.
export class Stage {
  constructor(label, camera, redraw) {
    this.camera = camera;
    this.redraw = redraw;
    this.strokes = svg("g");
    this.handles = svg("g");
    this.refreshers = [];
    this.onGrab = () => {}; // (name of what was grabbed, where, pixels moved): for strokes drawn with a grab name
    this.svg = svg(
      "svg",
      {
        viewBox: `0 0 ${camera.size.join(" ")}`,
        tabindex: 0,
        role: "application",
        "aria-label": `${label}. Arrow keys turn the view, plus and minus zoom.`,
        onkeydown: (event) => this.key(event),
        onpointerdown: (event) => this.press(event),
      },
      this.strokes,
      this.handles,
    );
  }

  key(event) {
    const turns = { ArrowLeft: [5, 0], ArrowRight: [-5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] };
    const zooms = { "+": 1.1, "=": 1.1, "-": 1 / 1.1 };
    if (event.target !== this.svg) return;
    if (turns[event.key]) this.camera.turn(...turns[event.key]);
    else if (zooms[event.key]) this.camera.zoom *= zooms[event.key];
    else return;
    event.preventDefault();
    this.redraw();
  }

  press(event) {
    const grabbed = event.target.closest("[data-grab]");
    follow(this.svg, this.svg, event, (moved, where) => {
      if (grabbed) return this.onGrab(grabbed.dataset.grab, where, moved);
      this.dragged(moved);
    });
  }
  dragged(moved) {
    this.camera.turn(-moved[0] / 2, moved[1] / 2);
    this.redraw();
  }

  // A point of space to pull at, in the plane parallel to the picture. `get` returns the point, `set` takes where it is wanted.
  handle(label, colour, get, set) {
    const element = svg(
      "g",
      { class: `handle ${colour}`, tabindex: 0, role: "button", "aria-roledescription": "movable point", "aria-label": `${label}. Arrow keys move it.` },
      svg("circle", { class: "reach", r: 20 }),
      svg("circle", { class: "knob", r: 7 }),
    );
    element.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      let wanted = get();
      follow(this.svg, element, event, (moved) => {
        wanted = add(wanted, this.camera.lift(moved));
        set(wanted.map((x) => rounded(x)));
      });
    });
    element.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (!steps[event.key]) return;
      event.preventDefault();
      const step = (event.shiftKey ? 0.25 : 0.05) * this.camera.zoom;
      set(add(get(), this.camera.lift(scale(step, steps[event.key]))).map((x) => rounded(x)));
    });
    this.handles.append(element);
    this.refreshers.push(() => element.setAttribute("transform", `translate(${this.camera.project(get())})`));
  }

  // Draw: `paint` calls line, arrow and text below.
  draw(paint) {
    this.strokes.replaceChildren();
    paint(this);
    this.refreshers.forEach((refresh) => refresh());
  }
  // A stroke that is not seen, for a body stands in its place, can still be grabbed.
  line(points, colour, { width = 2, dash = "none", opacity = 1, grab, seen = true } = {}) {
    const places = points.map((point) => this.camera.project(point)).join(" ");
    const look = { class: `stroke ${colour}`, points: places, "stroke-width": width, "stroke-dasharray": dash, opacity };
    if (seen) this.strokes.append(svg("polyline", look));
    if (grab !== undefined) this.strokes.append(svg("polyline", { class: "hit", points: places, "data-grab": grab }));
  }
  // A painted polygon, that can be grabbed by this name, also where it is not seen.
  face(points, colours, grab, { seen = true } = {}) {
    const places = points.map((point) => this.camera.project(point)).join(" ");
    this.strokes.append(svg("polygon", { class: seen ? `face ${colours}` : "hidden", points: places, "data-grab": grab }));
  }
  arrow(from, displacement, colour, { width = 2, opacity = 1 } = {}) {
    const [tail, [dx, dy]] = [this.camera.project(from), this.camera.flatten(displacement)];
    const length = Math.hypot(dx, dy);
    const head = Math.min(4 + 2 * width, length / 2);
    const tip = add(tail, [dx, dy]);
    const barb = (side) => add(tip, scale(-head / (length || 1), [dx - (side * dy) / 2, dy + (side * dx) / 2]));
    const places = [tail, tip, barb(1), tip, barb(-1)].join(" ");
    this.strokes.append(svg("polyline", { class: `stroke ${colour}`, points: places, "stroke-width": width, opacity }));
  }
  text(point, words, [dx, dy] = [8, -8]) {
    const [x, y] = this.camera.project(point);
    this.strokes.append(svg("text", { x: x + dx, y: y + dy }, words));
  }
  // Draw one body, or the links as bodies, and say whether that could be done: here there are strokes alone.
  solid() {
    return false;
  }
  solids() {
    return false;
  }
  axes(origin, R, name, length = 0.4) {
    transpose(R).forEach((axis, i) => this.arrow(origin, scale(length, axis), "xyz"[i]));
    this.text(origin, name, [-16, 16]);
  }
}

// --- The talk with Python -----------------------------------------------------------------------------------------

// Keeps one view in step with the model: `embedded` computes from the page's own data, which `data` names, what Python would
// answer; `show` draws. What Python answered is shown if there is a Python that answers; every request is numbered, to know.
export class Talk {
  constructor(model, { embedded, data, show }) {
    Object.assign(this, { model, embedded, data, live: false, patience: 1500 });
    this.update = () => {
      this.frame ??= requestAnimationFrame(() => ((this.frame = null), show()));
    };
    this.heard = () => {
      this.live = true;
      if (this.answer.serial >= this.request.serial) clearTimeout(this.alarm);
      this.update();
    };
    model.on("change:answer", this.heard);
    model.on("change:request", this.update);
    this.again = () => this.ask(); // when the reader has redefined what the page computes by
    this.redefined = () => this.again();
    addEventListener("chaindyn-physics", this.redefined);
  }
  get request() {
    return this.model.get("request");
  }
  get answer() {
    return this.model.get("answer");
  }
  ask(change = {}) {
    this.model.set("request", { ...this.request, ...change, serial: this.request.serial + 1 });
    this.model.save_changes();
    clearTimeout(this.alarm);
    this.alarm = setTimeout(() => ((this.live = false), this.update()), this.patience);
    this.update();
  }
  // {values, error, source}: what to draw (of an answer that failed, the page's own), and in words where it is from.
  result() {
    const functions = this.model.get("scene").functions.join(", ");
    const { values, error } = this.answer;
    if (this.live && values) return { values, source: `Computed by Python with your ${functions}.` };
    const yours = globalThis.chaindynPhysics?.names.join(", ");
    if (yours && !this.live) return { values: this.embedded(this.request), error: "", source: `Computed by the page with your ${yours}.` };
    const own = `computed by the page from ${this.data}.`;
    const source = this.live ? `Python reports an error: ${own}` : `All of this is ${own} In a notebook, Python answers, with your ${functions}.`;
    return { values: this.embedded(this.request), error: this.live ? error : "", source };
  }
  close() {
    clearTimeout(this.alarm);
    this.model.off("change:answer", this.heard);
    this.model.off("change:request", this.update);
    removeEventListener("chaindyn-physics", this.redefined);
  }
}

// The frame around an explorer: the picture with what it says in short left, controls and folded tables right (below on a phone), where
// the numbers are from, errors, and for screen readers the numbers in words, said once the reader rests. Returns what shows them.
export function layout(el, stage, controls, short) {
  const source = html("p", { class: "source" });
  const error = html("p", { class: "error", role: "alert" });
  const spoken = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const picture = html("div", {}, stage.element, stage.views(), error, short, source, spoken);
  const columns = html("div", { class: "columns" }, picture, html("div", {}, ...controls));
  el.append(html("div", { class: "chaindyn" }, columns));
  // A key pressed here is not JupyterLab's, which looks for this mark on whatever has the focus.
  const focusable = columns.querySelectorAll("[tabindex], button, input, select, summary");
  for (const element of focusable) element.setAttribute("data-lm-suppress-shortcuts", "true");
  let rest;
  return (result, words) => {
    source.textContent = result.source;
    error.textContent = result.error ?? "";
    clearTimeout(rest);
    rest = setTimeout(() => (spoken.textContent = words), 700);
  };
}
