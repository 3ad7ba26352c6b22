// The stage: the picture of base.js with lit solids below its strokes. three.js draws them, which the site serves once for all its
// pages; it is fetched when the picture comes near, and where it or WebGL is missing, and in print, the strokes serve alone.

import { Camera, Stage, add, apply, cross, group, html, multiply, norm, pickerRow, rounded, scale, subtract, svg, transpose } from "./base.js";

// --- What three.js is told: no more than numbers ---------------------------------------------------------------------------------

// A rotation, as rows, whose second column lies along a direction.
export function upright(direction) {
  const y = scale(1 / norm(direction), direction);
  const aside = cross(y, Math.abs(y[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
  const x = scale(1 / norm(aside), aside);
  return transpose([x, y, cross(x, y)]);
}

// Which solid a shape of `bodies.py` is, how it is turned, where its middle is, and how long it is along its own axes. A capsule's
// ends stay round, so its measures are the solid's own.
function solidOf(shape, thinnest = 0) {
  if (shape.sides) return { solid: [shape.shape], R: shape.R, p: shape.centre, size: shape.sides.map((side) => Math.max(side, thinnest)) };
  const { from, to, radius } = shape;
  const along = subtract(to, from);
  const length = norm(along);
  const frame = { R: upright(length > 0 ? along : [0, 0, 1]), p: scale(0.5, add(from, to)) };
  if (shape.shape === "capsule") return { solid: ["capsule", rounded(radius, 5), rounded(length, 5)], ...frame, size: [1, 1, 1] };
  return { solid: [shape.shape], ...frame, size: [2 * radius, length, 2 * radius] };
}
const carriedBy = ({ R, p }, { solid, R: own, p: at, size }) => ({ solid, R: multiply(R, own), p: add(p, apply(R, at)), size });

// The rows of a solid's 4 x 4 matrix, one after another.
const matrixOf = ({ R, p, size }) => [...R.flatMap((row, i) => [...row.map((x, k) => x * size[k]), p[i]]), 0, 0, 0, 1];

// The shaft and the head of an arrow, of a thickness in metres; a short arrow is all head.
function arrowShapes(from, displacement, thickness) {
  const length = norm(displacement);
  if (!(length > 0)) return [];
  const head = Math.min(5 * thickness, length);
  const neck = add(from, scale(1 - head / length, displacement));
  const shaft = { shape: "cylinder", from, to: neck, radius: thickness / 2 };
  const tip = { shape: "cone", from: neck, to: add(from, displacement), radius: 0.34 * head };
  return length > head ? [shaft, tip] : [tip];
}

// Where labels go, [x, y] of where each begins: beside its point, within the picture, and off what is to be kept free, points with room
// about them, and off the labels before it, as far as may be.
function spread(labels, [width, height], free = [], letter = 7.6, line = 18) {
  const taken = free.map(([x, y]) => [x - 10, y - 10, x + 10, y + 10]);
  const overlap = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  return labels.map(({ at: [x, y], words }) => {
    const long = letter * words.length;
    const beside = [[8, -8], [8, 20], [-8 - long, -8], [-8 - long, 20], [-long / 2, -22], [-long / 2, 34], [22, 6], [-22 - long, 6]];
    const places = beside.map(([dx, dy]) => [Math.max(4, Math.min(width - long - 4, x + dx)), Math.max(line, Math.min(height - 6, y + dy))]);
    const boxes = places.map(([left, base]) => [left, base - line + 4, left + long, base + 4]);
    const costs = boxes.map((box, k) => taken.reduce((sum, other) => sum + overlap(box, other), 0) + norm(subtract(places[k], add([x, y], beside[k]))));
    const best = costs.indexOf(Math.min(...costs));
    taken.push(boxes[best]);
    return places[best];
  });
}

// --- The solids ------------------------------------------------------------------------------------------------------------------

const PAINTS = ["body", "struck", "joint", "wall", "ink", "faint", "motion", "force", "slide", "x", "y", "z"];
const LIGHT = [-0.45, -0.75, 1.1]; // where the main light is, from the middle of the picture
const THREE_AT = () => document.documentElement.dataset.stage; // where the site has three.js; other places have none

// One WebGL context with lights, and a solid for each name that was drawn.
class World {
  constructor(three, canvas, context, root) {
    Object.assign(this, { three, canvas, root, solids: new Map(), shapes: new Map(), drawn: new Set() });
    this.renderer = new three.WebGLRenderer({ canvas, context, alpha: true, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = three.PCFShadowMap;
    this.scene = new three.Scene();
    this.eye = new three.OrthographicCamera();
    this.sun = new three.DirectionalLight("#fff8ee", 2.9);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    Object.assign(this.sun.shadow, { radius: 6, bias: -0.0005, normalBias: 0.01 });
    const counter = new three.DirectionalLight("#dbe9ff", 0.7);
    counter.position.set(1, -0.2, 0.3);
    this.floor = new three.Mesh(new three.PlaneGeometry(1, 1), new three.ShadowMaterial({ opacity: 0.28 }));
    this.floor.receiveShadow = true;
    this.scene.add(new three.HemisphereLight("#ffffff", "#9aa0a8", 1.9), this.sun, this.sun.target, counter, this.floor);
    this.probes = Object.fromEntries(PAINTS.map((name) => [name, html("span", { class: name, hidden: "" })]));
    root.append(...Object.values(this.probes));
  }
  // The colours of the page, light or dark, read anew once `palette` is null: to read them costs a frame its styles.
  colours() {
    this.palette ??= Object.fromEntries(PAINTS.map((name) => [name, new this.three.Color().setStyle(getComputedStyle(this.probes[name]).color)]));
  }
  shape([kind, ...measures]) {
    const name = [kind, ...measures].join(" ");
    const three = this.three;
    const made = {
      box: () => new three.BoxGeometry(1, 1, 1),
      ellipsoid: () => new three.SphereGeometry(0.5, 40, 28),
      cylinder: () => new three.CylinderGeometry(0.5, 0.5, 1, 40),
      cone: () => new three.ConeGeometry(0.5, 1, 28),
      capsule: () => new three.CapsuleGeometry(...measures, 10, 32),
    };
    if (!this.shapes.has(name)) this.shapes.set(name, made[kind]());
    return this.shapes.get(name);
  }
  // Draw a solid under a name. glow: how much of the colour of forces shines through, 0 to 1; above: in front of all others.
  put(name, at, colour, { opacity = 1, glow = 0, above = false } = {}) {
    if (!this.solids.has(name)) {
      const made = new this.three.Mesh(undefined, new this.three.MeshStandardMaterial({ roughness: 0.55 }));
      made.matrixAutoUpdate = false;
      this.solids.set(name, made);
      this.scene.add(made);
    }
    const solid = this.solids.get(name);
    solid.geometry = this.shape(at.solid);
    solid.matrix.set(...matrixOf(at));
    solid.matrixWorldNeedsUpdate = true;
    solid.castShadow = !above && opacity === 1;
    solid.receiveShadow = !above;
    solid.renderOrder = above ? 2 : 0;
    const { material } = solid;
    material.color.copy(this.palette[colour]).lerp(this.palette.force, glow);
    material.emissive.copy(material.color);
    material.emissiveIntensity = above ? 0.35 : 0.5 * glow;
    material.opacity = opacity;
    material.transparent = above || opacity < 1;
    material.depthTest = !above;
    this.drawn.add(name);
  }
  // Only what was put since the last time is seen.
  sift() {
    for (const [name, solid] of this.solids) solid.visible = this.drawn.has(name);
    this.drawn.clear();
  }
  // How large the picture is on the page, read anew once `size` is null: to read it costs a frame its layout.
  sizes() {
    this.size ??= [this.canvas.clientWidth, this.canvas.clientHeight];
    return this.size;
  }
  // Show all of it as the camera of the strokes sees it. floor: its height; extent: how far shadows reach.
  show(camera, { floor, extent, shadows, ratio }) {
    this.sun.castShadow = this.floor.visible = shadows;
    const [width, height] = camera.size;
    const [wide, high] = this.sizes();
    if (!wide) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(wide, high, false);
    const { right, up, toward } = camera.axes();
    const [halfWidth, halfHeight] = [width / camera.zoom / 2, height / camera.zoom / 2];
    const far = 20 * extent + 2 * halfWidth;
    Object.assign(this.eye, { left: -halfWidth, right: halfWidth, top: halfHeight, bottom: -halfHeight, near: 0, far: 2 * far, matrixAutoUpdate: false });
    const at = add(camera.centre, scale(far, toward));
    this.eye.matrix.set(...[0, 1, 2].flatMap((k) => [right[k], up[k], toward[k], at[k]]), 0, 0, 0, 1);
    this.eye.matrixWorldNeedsUpdate = true;
    this.eye.updateProjectionMatrix();
    this.sun.target.position.set(...camera.centre);
    this.sun.position.set(...add(camera.centre, scale(2 * extent, LIGHT)));
    const shade = this.sun.shadow.camera;
    Object.assign(shade, { left: -1.3 * extent, right: 1.3 * extent, top: 1.3 * extent, bottom: -1.3 * extent, near: 0.1 * extent, far: 6 * extent });
    shade.updateProjectionMatrix();
    this.floor.position.set(camera.centre[0], camera.centre[1], floor);
    this.floor.scale.set(8 * extent, 8 * extent, 1);
    this.renderer.render(this.scene, this.eye);
  }
  close() {
    for (const { material } of this.solids.values()) material.dispose();
    for (const shape of this.shapes.values()) shape.dispose();
    this.renderer.dispose();
    Object.values(this.probes).forEach((probe) => probe.remove());
  }
}

// --- The stage -------------------------------------------------------------------------------------------------------------------

const PRESETS = { "three-quarter": "space", front: "x\u2013z", side: "y\u2013z", top: "x\u2013y" };
const LOOKS = [["links", "as they reach"], ["box", "boxes with the same inertia"], ["ellipsoid", "ellipsoids with the same inertia"]];
const ABOVE = 10; // how far above the x-z plane's own view what moves in it is looked at from, so that its bodies show their depth [degrees]
const SLOW = 45; // a frame [ms] that lasts longer, time and again, is too long

// A camera before the x-z plane.
export function cameraBefore(pixelsPerMetre) {
  const camera = new Camera(pixelsPerMetre);
  camera.look(PRESETS.front);
  camera.turn(0, ABOVE);
  return camera;
}

export class LitStage extends Stage {
  // floor: its height, below which nothing is; foot: whether the first link stands on it; extent: of the scene, for its shadows [m];
  // looks: whether links have other looks to choose from.
  constructor(label, camera, redraw, { floor = 0, foot = true, extent = 1, looks = true } = {}) {
    super(label, camera, redraw);
    Object.assign(this, { floor, foot, extent, looks, look: "links", world: null, lit: false, level: 0, paces: [], held: [], fingers: new Map() });
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
        window.requestIdleCallback ? requestIdleCallback(open, { timeout: 500 }) : setTimeout(open); // also where the page never rests
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
    this.canvas.addEventListener("webglcontextlost", (event) => (event.preventDefault(), this.turnOn(false)), { signal });
    this.canvas.addEventListener("webglcontextrestored", () => this.turnOn(true), { signal });
    addEventListener("beforeprint", () => (this.turnOn(false), this.again()), { signal });
    addEventListener("afterprint", () => this.turnOn(true), { signal });
    const repaint = () => {
      this.world.palette = null;
      this.redraw();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal });
    const changes = new MutationObserver(repaint);
    for (const element of [document.documentElement, document.body]) changes.observe(element, { attributeFilter: ["data-theme", "data-mode", "data-jp-theme-light"] });
    const sizes = new ResizeObserver(() => {
      this.world.size = null;
      this.again();
    });
    sizes.observe(this.canvas);
    signal.addEventListener("abort", () => (changes.disconnect(), sizes.disconnect()));
  }
  // Begin to move when most of the picture is first in sight, for readers who do not mind that, unless they were quicker and took hold of
  // something.
  beginWith(play) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const root = this.element.closest(".chaindyn");
    const watcher = new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && (over.abort(), play()), { threshold: 0.6 });
    const over = new AbortController();
    over.signal.addEventListener("abort", () => watcher.disconnect());
    this.ending.signal.addEventListener("abort", () => over.abort());
    for (const kind of ["pointerdown", "keydown", "focusin"]) root.addEventListener(kind, () => over.abort(), { signal: over.signal });
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
    const look = (preset) => () => (this.camera.look(PRESETS[preset]), this.redraw());
    const zoom = (factor) => () => ((this.camera.zoom *= factor), this.redraw());
    const named = (text, label, onclick) => html("button", { type: "button", "aria-label": label, onclick }, text);
    const buttons = group(
      "View",
      ...Object.keys(PRESETS).map((preset) => named(preset, `view ${preset}`, look(preset))),
      named("+", "zoom in", zoom(1.2)),
      named("\u2212", "zoom out", zoom(1 / 1.2)),
      named("reset", "view reset", () => this.reset()),
    );
    const picker = pickerRow("Links", LOOKS, () => this.look, (value) => ((this.look = value), this.redraw()));
    const rows = this.looks ? [buttons, picker.row] : [buttons];
    return html("details", { class: "views" }, html("summary", {}, "View"), ...rows, html("p", { class: "aside" }, "Drag to turn; pinch, or turn the wheel with Ctrl held, to zoom. In the picture: arrow keys turn it, plus and minus zoom, 0 resets."));
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
    if (event.target === this.svg && (event.key === "0" || event.key === "Home")) return event.preventDefault(), this.reset();
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
    const places = spread(this.words, this.camera.size, this.held.map((get) => this.camera.project(get())));
    this.words.forEach(({ words, colour }, k) => this.strokes.append(svg("text", { x: places[k][0], y: places[k][1], ...(colour ? { class: colour } : {}) }, words)));
    if (!this.lit) return;
    this.world.sift();
    const moving = performance.now() - this.latest < 1200;
    this.render(moving ? this.level : 0);
    this.keepPace(!moving);
  }
  // Where frames come too slowly one after another, draw moving pictures without shadows, and then with fewer pixels; a picture that
  // rests is drawn in full.
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
    this.world.show(this.camera, { floor: this.floor, extent: this.extent, shadows: level === 0, ratio: [Math.min(2, devicePixelRatio), 1, 0.6][level] });
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
    return this.solid(name, { shape: "cylinder", from: [x, -half, z], to: [x, half, z], radius }, colour, null, options);
  }
  // The links of a tree where they are, and its joints; the struck or chosen body in a colour of its own. glow: of each joint.
  solids(tree, { R, p }, { body = -1, glow = [] } = {}) {
    if (!this.lit || !tree.bodies) return false;
    const { links, joints, seats, radius } = tree.bodies;
    tree.names.forEach((_, i) => {
      const frame = { R: R[i], p: p[i] };
      const equal = this.look !== "links" && tree.bodies[this.look][i];
      const shapes = equal ? [equal] : links[i];
      shapes.forEach((shape, k) => this.solid(`link ${i} ${k}`, shape, i === body ? "struck" : "body", frame, equal ? { opacity: 0.75 } : {}));
      joints[i].forEach((shape, k) => this.solid(`joint ${i} ${k}`, shape, "joint", frame, { glow: glow[i] ?? 0 }));
      const parent = tree.parent[i];
      const base = parent < 0 ? { R: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], p: [0, 0, 0] } : { R: R[parent], p: p[parent] };
      const seat = add(base.p, apply(base.R, tree.offset[i]));
      seats[i].forEach((shape, k) => this.solid(`seat ${i} ${k}`, shape, "slide", { R: multiply(base.R, tree.rotation[i]), p: seat }));
      if (norm(subtract(p[i], seat)) > 1e-6) this.solid(`rail ${i}`, { shape: "cylinder", from: seat, to: p[i], radius: 0.6 * radius[i] }, "slide");
      const foot = [seat[0], seat[1], Math.min(seat[2], this.floor)];
      if (this.foot && parent < 0 && seat[2] - this.floor > 1.5 * radius[i]) this.solid(`foot ${i}`, { shape: "cylinder", from: foot, to: seat, radius: 1.5 * radius[i] }, "joint");
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
