// The camera: parallel projection, z up.

import { add, cross, dot, radians, scale, subtract } from "./vectors.js";

// yaw and tilt of the eye, degrees
const VIEWS = { space: [-60, 25], "x\u2013y": [-90, 90], "x\u2013z": [-90, 0], "y\u2013z": [0, 0] };
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
  // Where the line of sight through a place of the picture meets the x-z plane; seen from its edge, where it comes
  // near it.
  onPlane(place) {
    const at = add(this.centre, this.lift(subtract(place, scale(0.5, this.size))));
    const { toward } = this.axes();
    return Math.abs(toward[1]) < 0.1 ? at : subtract(at, scale(at[1] / toward[1], toward));
  }
  depth(point) {
    return dot(this.axes().toward, subtract(point, this.centre));
  }
}
