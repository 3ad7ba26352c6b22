// The stage: the picture of picture.js with lit solids below its strokes. three.js draws them, which the site serves
// once for all its pages; it is fetched when the picture comes near, and where it or WebGL is missing, and in print,
// the strokes serve alone.

import { Camera } from "./camera.js";
import { group, html, pickerRow, svg } from "./elements.js";
import { spread } from "./labels.js";
import { Stage } from "./picture.js";
import { arrowShapes, carriedBy, solidOf } from "./solids.js";
import { add, apply, multiply, norm, subtract } from "./vectors.js";
import { World } from "./world.js";

const THREE_AT = () => document.documentElement.dataset.stage; // where the site has three.js; other places have none

const PRESETS = { "three-quarter": "space", front: "x\u2013z", side: "y\u2013z", top: "x\u2013y" };

const LOOKS = [
  ["links", "as they reach"],
  ["box", "boxes with the same inertia"],
  ["ellipsoid", "ellipsoids with the same inertia"],
];

// how far above the x-z plane's own view what moves in it is looked at from, so that its bodies show their depth
// [degrees]
const ABOVE = 10;
const SLOW = 45; // a frame [ms] that lasts longer, time and again, is too long

// A camera before the x-z plane.
export function cameraBefore(pixelsPerMetre) {
  const camera = new Camera(pixelsPerMetre);
  camera.look(PRESETS.front);
  camera.turn(0, ABOVE);
  return camera;
}

export class LitStage extends Stage {
  // floor: its height, below which nothing is; foot: whether the first link stands on it; extent: of the scene, for
  // its shadows [m]; looks: whether links have other looks to choose from.
  constructor(label, camera, redraw, { floor = 0, foot = true, extent = 1, looks = true } = {}) {
    super(label, camera, redraw);
    Object.assign(this, {
      floor,
      foot,
      extent,
      looks,
      look: "links",
      world: null,
      lit: false,
      level: 0,
      paces: [],
      held: [],
      fingers: new Map(),
    });
    this.home = { zoom: camera.zoom, yaw: camera.yaw, tilt: camera.tilt };
    this.canvas = html("canvas", { "aria-hidden": "true" });
    this.element = html("div", { class: "stage" }, this.canvas, this.svg);
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.ending = new AbortController();
    this.light();
  }

  // Wait until the picture comes near and the page is painted, then light it, if that can be done here.
  light() {
    if (!THREE_AT()) return;
    const { signal } = this.ending;
    const near = new IntersectionObserver(
      (seen) => {
        if (!seen.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        const open = () => this.open();
        // also where the page never rests
        window.requestIdleCallback ? requestIdleCallback(open, { timeout: 500 }) : setTimeout(open);
      },
      { rootMargin: "50%" },
    );
    near.observe(this.element);
    signal.addEventListener("abort", () => near.disconnect());
  }
  async open() {
    const context = this.canvas.getContext("webgl2", { alpha: true, antialias: true });
    if (!context) return;
    try {
      const three = await import(THREE_AT());
      if (this.ending.signal.aborted) return;
      this.world = new World(three, this.canvas, context, this.element);
    } catch {
      return; // the strokes serve on
    }
    this.turnOn(true);
    const { signal } = this.ending;
    this.canvas.addEventListener(
      "webglcontextlost",
      (event) => {
        event.preventDefault();
        this.turnOn(false);
      },
      { signal },
    );
    this.canvas.addEventListener("webglcontextrestored", () => this.turnOn(true), { signal });
    addEventListener(
      "beforeprint",
      () => {
        this.turnOn(false);
        this.again();
      },
      { signal },
    );
    addEventListener("afterprint", () => this.turnOn(true), { signal });
    const repaint = () => {
      this.world.palette = null;
      this.redraw();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal });
    const changes = new MutationObserver(repaint);
    for (const element of [document.documentElement, document.body])
      changes.observe(element, { attributeFilter: ["data-theme", "data-mode", "data-jp-theme-light"] });
    const sizes = new ResizeObserver(() => {
      this.world.size = null;
      this.again();
    });
    sizes.observe(this.canvas);
    signal.addEventListener("abort", () => {
      changes.disconnect();
      sizes.disconnect();
    });
  }
  // Begin to move when most of the picture is first in sight, for readers who do not mind that, unless they were
  // quicker and took hold of something.
  beginWith(play) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const root = this.element.closest(".chaindyn");
    const watcher = new IntersectionObserver(
      (seen) => {
        if (!seen.some((entry) => entry.isIntersecting)) return;
        over.abort();
        play();
      },
      { threshold: 0.6 },
    );
    const over = new AbortController();
    over.signal.addEventListener("abort", () => watcher.disconnect());
    this.ending.signal.addEventListener("abort", () => over.abort());
    for (const kind of ["pointerdown", "keydown", "focusin"])
      root.addEventListener(kind, () => over.abort(), { signal: over.signal });
    watcher.observe(this.element);
  }
  turnOn(wanted) {
    this.lit = wanted;
    this.canvas.hidden = !this.lit;
    this.element.dataset.lit = this.lit;
    this.redraw();
  }
  close() {
    this.ending.abort();
    clearTimeout(this.rested);
    this.world?.close();
    this.lit = false;
  }

  views() {
    const look = (preset) => () => {
      this.camera.look(PRESETS[preset]);
      this.redraw();
    };
    const zoom = (factor) => () => {
      this.camera.zoom *= factor;
      this.redraw();
    };
    const named = (text, label, onclick) => html("button", { type: "button", "aria-label": label, onclick }, text);
    const buttons = group(
      "View",
      ...Object.keys(PRESETS).map((preset) => named(preset, `view ${preset}`, look(preset))),
      named("+", "zoom in", zoom(1.2)),
      named("\u2212", "zoom out", zoom(1 / 1.2)),
      named("reset", "view reset", () => this.reset()),
    );
    const picker = pickerRow(
      "Links",
      LOOKS,
      () => this.look,
      (value) => {
        this.look = value;
        this.redraw();
      },
    );
    const rows = this.looks ? [buttons, picker.row] : [buttons];
    return html(
      "details",
      { class: "views" },
      html("summary", {}, "View"),
      ...rows,
      html(
        "p",
        { class: "aside" },
        "Drag to turn; pinch, or turn the wheel with Ctrl held, to zoom. In the picture: arrow keys turn it, " +
          "plus and minus zoom, 0 resets.",
      ),
    );
  }
  // A place to return to: where the camera is now.
  settle() {
    this.home = { zoom: this.camera.zoom, yaw: this.camera.yaw, tilt: this.camera.tilt };
  }
  reset() {
    Object.assign(this.camera, this.home);
    this.redraw();
  }
  key(event) {
    if (event.target === this.svg && (event.key === "0" || event.key === "Home")) {
      event.preventDefault();
      return this.reset();
    }
    super.key(event);
  }
  // The wheel alone scrolls the page; with Ctrl held, which is also how a pinch on a trackpad arrives, it zooms.
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.camera.zoom *= Math.exp(-event.deltaY / 300);
    this.redraw();
  }
  // Two fingers pinch; one turns, as everywhere.
  press(event) {
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    const lifted = () => this.fingers.delete(event.pointerId);
    for (const name of ["pointerup", "pointercancel"]) this.svg.addEventListener(name, lifted, { once: true });
    if (this.fingers.size === 1) return super.press(event);
    const apart = () => {
      const [a, b] = [...this.fingers.values()];
      return a && b ? Math.max(20, norm(subtract(a, b))) : undefined;
    };
    let last = apart();
    const moved = (now) => {
      if (!this.fingers.has(now.pointerId)) return;
      this.fingers.set(now.pointerId, [now.clientX, now.clientY]);
      const wide = apart();
      if (wide === undefined) return this.svg.removeEventListener("pointermove", moved);
      this.camera.zoom *= wide / last;
      last = wide;
      this.redraw();
    };
    this.svg.addEventListener("pointermove", moved);
  }

  handle(label, colour, get, set) {
    this.held.push(get);
    super.handle(label, colour, get, set);
  }
  dragged(moved) {
    if (this.fingers.size < 2) super.dragged(moved);
  }

  // --- Drawing ---

  again() {
    if (this.paint) this.draw(this.paint);
  }
  draw(paint) {
    this.paint = paint;
    this.arrows = 0;
    this.words = [];
    if (this.lit) this.world.colours();
    super.draw(paint);
    const places = spread(
      this.words,
      this.camera.size,
      this.held.map((get) => this.camera.project(get())),
    );
    this.words.forEach(({ words, colour }, k) =>
      this.strokes.append(
        svg("text", { x: places[k][0], y: places[k][1], ...(colour ? { class: colour } : {}) }, words),
      ),
    );
    if (!this.lit) return;
    this.world.sift();
    const moving = performance.now() - this.latest < 1200;
    this.render(moving ? this.level : 0);
    this.keepPace(!moving);
  }
  // Where frames come too slowly one after another, draw moving pictures without shadows, and then with fewer pixels;
  // a picture that rests is drawn in full.
  keepPace(full) {
    const now = performance.now();
    const took = now - this.latest;
    this.latest = now;
    clearTimeout(this.rested);
    if (this.level && !full) this.rested = setTimeout(() => this.lit && this.render(0), 250);
    if (full || !(took < 1200)) return;
    this.paces.push(took);
    if (this.paces.length < 12) return;
    const median = this.paces.sort((a, b) => a - b)[6];
    this.paces = [];
    if (median > SLOW) this.level = Math.min(2, this.level + 1);
  }
  render(level) {
    this.world.show(this.camera, {
      floor: this.floor,
      extent: this.extent,
      shadows: level === 0,
      ratio: [Math.min(2, devicePixelRatio), 1, 0.6][level],
    });
  }
  solid(name, shape, colour, frame, options) {
    if (!this.lit) return false;
    const own = solidOf(shape, 0.006 * this.extent);
    this.world.put(name, frame ? carriedBy(frame, own) : own, colour, options);
    return true;
  }
  // A round rod, and the pin of a joint about y at a place of the x-z plane.
  rod(name, from, to, radius, colour, options) {
    return this.solid(name, { shape: "capsule", from, to, radius }, colour, null, options);
  }
  pin(name, [x, , z], radius, half, colour, options) {
    return this.solid(
      name,
      { shape: "cylinder", from: [x, -half, z], to: [x, half, z], radius },
      colour,
      null,
      options,
    );
  }
  // The links of a tree where they are, and its joints; the struck or chosen body in a colour of its own. glow: of
  // each joint.
  solids(tree, { R, p }, { body = -1, glow = [] } = {}) {
    if (!this.lit || !tree.bodies) return false;
    const { links, joints, seats, radius } = tree.bodies;
    tree.names.forEach((_, i) => {
      const frame = { R: R[i], p: p[i] };
      const equal = this.look !== "links" && tree.bodies[this.look][i];
      const shapes = equal ? [equal] : links[i];
      shapes.forEach((shape, k) =>
        this.solid(`link ${i} ${k}`, shape, i === body ? "struck" : "body", frame, equal ? { opacity: 0.75 } : {}),
      );
      joints[i].forEach((shape, k) => this.solid(`joint ${i} ${k}`, shape, "joint", frame, { glow: glow[i] ?? 0 }));
      const parent = tree.parent[i];
      const base =
        parent < 0
          ? {
              R: [
                [1, 0, 0],
                [0, 1, 0],
                [0, 0, 1],
              ],
              p: [0, 0, 0],
            }
          : { R: R[parent], p: p[parent] };
      const seat = add(base.p, apply(base.R, tree.offset[i]));
      seats[i].forEach((shape, k) =>
        this.solid(`seat ${i} ${k}`, shape, "slide", { R: multiply(base.R, tree.rotation[i]), p: seat }),
      );
      if (norm(subtract(p[i], seat)) > 1e-6)
        this.solid(`rail ${i}`, { shape: "cylinder", from: seat, to: p[i], radius: 0.6 * radius[i] }, "slide");
      const foot = [seat[0], seat[1], Math.min(seat[2], this.floor)];
      if (this.foot && parent < 0 && seat[2] - this.floor > 1.5 * radius[i])
        this.solid(`foot ${i}`, { shape: "cylinder", from: foot, to: seat, radius: 1.5 * radius[i] }, "joint");
    });
    return true;
  }
  arrow(from, displacement, colour, options = {}) {
    if (!this.lit) return super.arrow(from, displacement, colour, options);
    const { width = 2, opacity = 1, above = true } = options;
    const shapes = arrowShapes(from, displacement, (1.5 + width) / this.camera.zoom);
    shapes.forEach((shape, k) => this.solid(`arrow ${this.arrows} ${k}`, shape, colour, null, { above, opacity }));
    this.arrows += 1;
  }
  text(point, words, _, colour) {
    if (words) this.words.push({ at: this.camera.project(point), words, colour });
  }
}
