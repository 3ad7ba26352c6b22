// The camera: parallel projection, z up.

import { add, cross, dot, radians, scale, subtract } from "./vectors.js";

/** @typedef {import("./vectors.js").Vector} Vector */

// yaw and tilt of the eye, degrees
/** @type {Record<string, [number, number]>} */
const VIEWS = { space: [-60, 25], "x\u2013y": [-90, 90], "x\u2013z": [-90, 0], "y\u2013z": [0, 0] };
export const USUAL = [480, 400]; // of a picture, in pixels

export class Camera {
  /**
   * @param {number} pixelsPerMetre
   * @param {Vector} centre what of space is in the middle
   * @param {Vector} size
   */
  constructor(pixelsPerMetre, centre = [0, 0, 0], size = USUAL) {
    this.zoom = pixelsPerMetre;
    this.centre = centre;
    this.size = size; // of the picture, in pixels
    this.yaw = VIEWS.space[0];
    this.tilt = VIEWS.space[1];
  }
  /** @param {string} view */
  look(view) {
    [this.yaw, this.tilt] = VIEWS[view];
  }
  /**
   * @param {number} dyaw
   * @param {number} dtilt
   */
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
  /** @param {Vector} displacement */
  flatten(displacement) {
    const { right, up } = this.axes();
    return [this.zoom * dot(right, displacement), -this.zoom * dot(up, displacement)];
  }
  /** @param {Vector} place */
  lift([dx, dy]) {
    const { right, up } = this.axes();
    return add(scale(dx / this.zoom, right), scale(-dy / this.zoom, up));
  }
  /** @param {Vector} point */
  project(point) {
    return add(scale(0.5, this.size), this.flatten(subtract(point, this.centre)));
  }
  // Where the line of sight through a place of the picture meets the x-z plane; seen from its edge, where it comes
  // near it.
  /** @param {Vector} place */
  onPlane(place) {
    const at = add(this.centre, this.lift(subtract(place, scale(0.5, this.size))));
    const { toward } = this.axes();
    return Math.abs(toward[1]) < 0.1 ? at : subtract(at, scale(at[1] / toward[1], toward));
  }
  // Let points fill this share of the picture, if they leave it, or fill less than a part of that.
  /**
   * @param {Vector[]} points
   * @param {number} share
   * @param {number} part
   */
  fit(points, share, part = 1) {
    const places = points.map((point) => this.project(point));
    const [low, high] = [Math.min, Math.max].map((end) => [0, 1].map((k) => end(...places.map((place) => place[k]))));
    const spans = subtract(high, low);
    const fills = Math.max(...spans.map((span, k) => span / this.size[k]));
    const inside = [0, 1].every((k) => low[k] > 0 && high[k] < this.size[k]);
    if ((inside && fills >= part * share) || !(fills > 0)) return;
    this.centre = add(this.centre, this.lift(scale(0.5, subtract(add(low, high), this.size))));
    this.zoom *= share / fills;
  }
  /** @param {Vector} point */
  depth(point) {
    return dot(this.axes().toward, subtract(point, this.centre));
  }
}

export const PRESETS = { "three-quarter": "space", front: "x\u2013z", side: "y\u2013z", top: "x\u2013y" };

// how far above the x-z plane's own view what moves in it is looked at from, so that its bodies show their depth
// [degrees]
const ABOVE = 10;

// A camera before the x-z plane.
export function cameraBefore(pixelsPerMetre) {
  const camera = new Camera(pixelsPerMetre);
  camera.look(PRESETS.front);
  camera.turn(0, ABOVE);
  return camera;
}
