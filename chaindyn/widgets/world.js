// The lit solids of a picture, which three.js draws.

import { html } from "./elements.js";
import { matrixOf } from "./solids.js";
import { add, scale } from "./vectors.js";

const PAINTS = ["body", "struck", "joint", "wall", "ink", "faint", "motion", "force", "slide", "x", "y", "z"];
const LIGHT = [-0.45, -0.75, 1.1]; // where the main light is, from the middle of the picture

// One WebGL context with lights, and a solid for each name that was drawn.
export class World {
  constructor(three, canvas, context, root) {
    this.three = three;
    this.canvas = canvas;
    this.solids = new Map();
    this.shapes = new Map();
    this.drawn = new Set();
    this.palette = null;
    /** @type {number[] | null} */
    this.size = null;
    this.drawnOn = []; // width, height and pixels a pixel of what is drawn on
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
    this.scene.add(
      new three.HemisphereLight("#ffffff", "#9aa0a8", 1.9),
      this.sun,
      this.sun.target,
      counter,
      this.floor,
    );
    this.probes = Object.fromEntries(PAINTS.map((name) => [name, html("span", { class: name, hidden: "" })]));
    root.append(...Object.values(this.probes));
  }
  // The colours of the page, light or dark, read anew once `palette` is null: to read them costs a frame its styles.
  colours() {
    this.palette ??= Object.fromEntries(
      PAINTS.map((name) => [name, new this.three.Color().setStyle(getComputedStyle(this.probes[name]).color)]),
    );
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
  // Draw a solid under a name. glow: how much of the colour of forces shines through, 0 to 1; above: in front of all
  // others.
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
  // To set a size, even the same, makes a canvas anew, which costs more than to draw on it.
  resize(...wanted) {
    if (wanted.every((one, k) => one === this.drawnOn[k])) return;
    this.drawnOn = wanted;
    const [wide, high, ratio] = wanted;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(wide, high, false);
  }
  // Show all of it as the camera of the strokes sees it. floor: its height; extent: how far shadows reach.
  show(camera, { floor, extent, shadows, ratio }) {
    this.sun.castShadow = this.floor.visible = shadows;
    const [width, height] = camera.size;
    const [wide, high] = this.sizes();
    if (!wide) return;
    this.resize(wide, high, ratio);
    const { right, up, toward } = camera.axes();
    const [halfWidth, halfHeight] = [width / camera.zoom / 2, height / camera.zoom / 2];
    const far = 20 * extent + 2 * halfWidth;
    Object.assign(this.eye, {
      left: -halfWidth,
      right: halfWidth,
      top: halfHeight,
      bottom: -halfHeight,
      near: 0,
      far: 2 * far,
      matrixAutoUpdate: false,
    });
    const at = add(camera.centre, scale(far, toward));
    this.eye.matrix.set(...[0, 1, 2].flatMap((k) => [right[k], up[k], toward[k], at[k]]), 0, 0, 0, 1);
    this.eye.matrixWorldNeedsUpdate = true;
    this.eye.updateProjectionMatrix();
    this.sun.target.position.set(...camera.centre);
    this.sun.position.set(...add(camera.centre, scale(2 * extent, LIGHT)));
    const shade = this.sun.shadow.camera;
    Object.assign(shade, {
      left: -1.3 * extent,
      right: 1.3 * extent,
      top: 1.3 * extent,
      bottom: -1.3 * extent,
      near: 0.1 * extent,
      far: 6 * extent,
    });
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
