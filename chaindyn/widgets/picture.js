// A picture to turn and pull at, drawn in strokes.

import { svg } from "./elements.js";
import { add, rounded, scale, subtract, transpose } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

// Follow a pointer over a picture from `down` until it is lifted: move(units of its viewBox since the last event,
// where it was, where it is now). `element` keeps the pointer meanwhile.
/** @type {(picture: SVGSVGElement, event: MouseEvent) => Vector} */
export const placeIn = (picture, event) => {
  const [box, { width, height }] = [picture.getBoundingClientRect(), picture.viewBox.baseVal];
  return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
};

/**
 * @param {SVGSVGElement} picture
 * @param {Element} element
 * @param {PointerEvent} down
 * @param {(moved: Vector, from: Vector, to: Vector) => void} move
 */
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
  /**
   * @param {string} label
   * @param {import("./camera.js").Camera} camera
   * @param {() => void} redraw
   */
  constructor(label, camera, redraw) {
    this.camera = camera;
    this.redraw = redraw;
    this.strokes = svg("g");
    this.handles = svg("g");
    this.refreshers = [];
    // for strokes drawn with a name to be grabbed by: where, and how far [pixels]
    /** @type {(name: string, where: Vector, moved: Vector) => void} */
    this.onGrab = () => {};
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
    if (turns[event.key]) this.camera.turn(turns[event.key][0], turns[event.key][1]);
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

  // A point of space to pull at, in the plane parallel to the picture. `get` returns the point, `set` takes where it
  // is wanted.
  /**
   * @param {string} label
   * @param {string} colour
   * @param {() => Vector} get
   * @param {(wanted: Vector) => void} set
   */
  handle(label, colour, get, set) {
    const element = svg(
      "g",
      {
        class: `handle ${colour}`,
        tabindex: 0,
        role: "button",
        "aria-roledescription": "movable point",
        "aria-label": `${label}. Arrow keys move it.`,
      },
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
  /**
   * @param {Vector[]} points
   * @param {string} colour
   * @param {{ width?: number, dash?: string, opacity?: number, grab?: string | number, seen?: boolean }} look
   */
  line(points, colour, { width = 2, dash = "none", opacity = 1, grab, seen = true } = {}) {
    const places = points.map((point) => this.camera.project(point)).join(" ");
    const look = {
      class: `stroke ${colour}`,
      points: places,
      "stroke-width": width,
      "stroke-dasharray": dash,
      opacity,
    };
    if (seen) this.strokes.append(svg("polyline", look));
    if (grab !== undefined) this.strokes.append(svg("polyline", { class: "hit", points: places, "data-grab": grab }));
  }
  // A painted polygon, that can be grabbed by this name, also where it is not seen.
  face(points, colours, grab, { seen = true } = {}) {
    const places = points.map((point) => this.camera.project(point)).join(" ");
    this.strokes.append(
      svg("polygon", { class: seen ? `face ${colours}` : "hidden", points: places, "data-grab": grab }),
    );
  }
  /**
   * @param {Vector} from
   * @param {Vector} displacement
   * @param {string} colour
   * @param {{ width?: number, opacity?: number, above?: boolean }} look
   */
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
