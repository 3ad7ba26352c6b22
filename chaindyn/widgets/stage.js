// The stage: a picture of strokes (picture.js) with lit solids below them. three.js draws these, which the site serves
// once for all its pages; it is fetched when the picture comes near, and where it or WebGL is missing, and in print,
// the strokes serve alone.

import { USUAL } from "./camera.js";
import { html, svg } from "./elements.js";
import { drawnLength, spread } from "./labels.js";
import { lightOnceNear, playOnceSeen } from "./lighting.js";
import { Stage } from "./picture.js";
import { arrowShapes, carriedBy, solidOf } from "./solids.js";
import { viewButtons } from "./stage_views.js";
import { add, apply, multiply, norm, subtract } from "./vectors.js";

const SMALL = 4 / 3; // how much larger words are there (stage.css)
const WIDE = [740, 430]; // the picture on a card that is wide, where the camera has none of its own [pixels]
const SLOW = 45; // a frame [ms] that lasts longer, time and again, is too long

export class LitStage extends Stage {
  // floor: its height, below which nothing is; foot: whether the first link stands on it; extent: of the scene, for
  // its shadows [m]; looks: whether links have other looks to choose from.
  /**
   * @param {string} label
   * @param {import("./camera.js").Camera} camera
   * @param {() => void} redraw
   * @param {{ floor?: number, foot?: boolean, extent?: number, looks?: boolean }} scene
   */
  constructor(label, camera, redraw, { floor = 0, foot = true, extent = 1, looks = true } = {}) {
    super(label, camera, redraw);
    this.floor = floor;
    this.foot = foot;
    this.extent = extent;
    this.looks = looks;
    this.look = "links";
    /** @type {import("./world.js").World | null} */
    this.world = null; // until it is lit
    this.lit = false;
    this.level = 0; // how much is left out of moving pictures
    this.paces = []; // how long the latest frames took [ms]
    this.held = []; // of each handle, where it is
    this.fingers = new Map(); // that touch the picture, by pointer
    /** @type {((stage: Stage) => void) | undefined} */
    this.paint = undefined; // by which it was drawn last
    this.arrows = 0; // drawn so far
    this.words = []; // to be spread
    this.latest = Number.NEGATIVE_INFINITY; // when it was drawn [ms]
    this.rested = 0; // the timer until it is drawn in full
    this.home = { zoom: camera.zoom, yaw: camera.yaw, tilt: camera.tilt };
    this.canvas = html("canvas", { "aria-hidden": "true" });
    this.element = html("div", { class: "stage" }, this.canvas, this.svg);
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.ending = new AbortController();
    this.small = false; // as on a phone, where words are larger beside all else
    this.usual = `${camera.size}` === `${USUAL}` ? camera.size : null;
    this.fills = 0; // how much of it the drawing filled when it was fitted
    this.fitting = 0; // how much of the picture the drawing is to fill, once it is known how large that is
    const sizes = new ResizeObserver(([{ contentRect }]) => this.resized(contentRect.width));
    sizes.observe(this.element);
    this.ending.signal.addEventListener("abort", () => sizes.disconnect());
    lightOnceNear(this);
  }

  resized(wide) {
    if (!wide) return;
    const size = this.usual && wide > 560 ? WIDE : this.usual;
    const fits = !size || `${size}` === `${this.camera.size}`;
    if (fits && wide < 420 === this.small && !this.fitting) return;
    this.small = wide < 420;
    this.element.classList.toggle("small", this.small);
    if (size) this.camera.size = size;
    this.svg.setAttribute("viewBox", `0 0 ${this.camera.size.join(" ")}`);
    if (this.world) this.world.size = null;
    this.again();
    if (this.fitting) this.fit();
  }
  // Whether what is drawn leaves the picture, whose camera the reader has let be.
  leaves() {
    const { camera, home } = this;
    if (camera.zoom !== home.zoom || camera.yaw !== home.yaw || camera.tilt !== home.tilt) return false;
    const { x, y, width, height } = this.strokes.getBBox();
    const [wide, high] = camera.size;
    return x < -1 || y < -1 || x + width > wide + 1 || y + height > high + 1;
  }
  // Let the camera fit what is drawn, and call that its place to return to.
  fit() {
    const fills = this.fitting || this.fills;
    const most = this.fitting ? 3 : 1;
    [this.fitting, this.fills] = [0, 0]; // while it is drawn anew it fits
    const box = this.strokes.getBBox();
    if (!(box.width + box.height > 0)) return;
    const { camera } = this;
    const [wide, high] = camera.size;
    const middle = [box.x + box.width / 2 - wide / 2, box.y + box.height / 2 - high / 2];
    camera.centre = add(camera.centre, camera.lift(middle));
    camera.zoom *= Math.min((fills * wide) / box.width, (fills * high) / box.height, most);
    this.settle();
    this.again();
    this.fills = fills;
  }
  beginWith(play) {
    playOnceSeen(this, play);
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
    return viewButtons(this);
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
    this.drawWords();
    if (this.fills && !this.fitting && this.leaves()) return this.fit();
    if (!this.lit) return;
    this.world.sift();
    const moving = performance.now() - this.latest < 1200;
    this.render(moving ? this.level : 0);
    this.keepPace(!moving);
  }
  // All words, beside what they name, and off each other.
  drawWords() {
    const texts = this.words.map(({ words, colour }) => svg("text", colour ? { class: colour } : {}, words));
    this.strokes.append(...texts);
    const larger = this.small ? SMALL : 1;
    const places = spread(
      this.words.map((label, k) => ({ ...label, long: drawnLength(texts[k], larger) })),
      this.camera.size,
      this.held.map((get) => this.camera.project(get())),
      larger,
    );
    texts.forEach((text, k) => {
      text.setAttribute("x", places[k][0]);
      text.setAttribute("y", places[k][1]);
    });
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
