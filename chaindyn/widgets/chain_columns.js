// The columns of a Jacobian in the picture of ChainExplorer: an arrow for each joint, how the body's origin moves when
// that joint alone moves at its unit rate; and the sweep in which one joint after another shows its own.

import { sinceFrame } from "./film.js";
import { cross, norm, scale, shown } from "./vectors.js";

const SWING = 0.22; // how far a joint goes to either side [rad, or a share of the reach]
const EACH = 1.3; // of each joint's turn [s]
export const ALIKE = 0.05; // the sine of the angle between two arrows below which they are one direction

// The sweep of some joints, one after another: where each is at a time, and which have left their arrows.
export class Sweep {
  constructor(joints, update) {
    this.joints = joints;
    this.update = update;
    this.clock = Number.POSITIVE_INFINITY; // it is over
    /** @type {number | null} */
    this.latest = null;
    this.closed = false;
  }
  get playing() {
    return this.clock < EACH * this.joints.length;
  }
  play() {
    const idle = !this.playing;
    this.clock = 0;
    this.latest = null;
    if (idle) this.next();
  }
  stop() {
    this.clock = Number.POSITIVE_INFINITY;
    this.update();
  }
  next() {
    requestAnimationFrame((now) => {
      if (this.closed || !this.playing) return;
      this.clock += sinceFrame(this.latest, now);
      this.latest = now;
      this.update();
      if (this.playing) this.next();
    });
  }
  // How far the joint whose turn it is has moved from its place, and how much of each arrow is there, 0 to 1.
  moved(joint) {
    const turn = this.clock / EACH - this.joints.indexOf(joint);
    return turn > 0 && turn < 1 ? SWING * Math.sin(2 * Math.PI * turn) : 0;
  }
  share(joint) {
    return this.playing ? Math.max(0, Math.min(1, (2 * this.clock) / EACH - 2 * this.joints.indexOf(joint))) : 1;
  }
}

// Pairs of joints whose arrows lie along one line, so that one direction is theirs together and another is lost.
export function alike(joints, arrows) {
  const long = joints.filter((i) => norm(arrows[i]) > 1e-9);
  return long.flatMap((i, k) =>
    long
      .slice(k + 1)
      .filter((j) => norm(cross(arrows[i], arrows[j])) < ALIKE * norm(arrows[i]) * norm(arrows[j]))
      .map((j) => [i, j]),
  );
}

// The arrows at a point of the body; the chosen joint's is thick and says its number, those of a pair are red.
export function paintArrows(stage, point, joints, arrows, { chosen, pairs, share, metres, turns }) {
  const paired = pairs.flat();
  for (const i of joints) {
    const grown = scale(metres * share(i), arrows[i]);
    if (norm(grown) < 1e-9) continue;
    const colour = paired.includes(i) ? "force" : turns(i) ? "motion" : "slide";
    stage.arrow(point, grown, colour, {
      width: i === chosen ? 5 : 3,
      opacity: i === chosen || !paired.length ? 1 : 0.8,
    });
    if (i === chosen && share(i) === 1)
      stage.text(
        point.map((x, k) => x + grown[k]),
        `${shown(norm(arrows[i]))} m/s`,
        [8, 0],
      );
  }
}
