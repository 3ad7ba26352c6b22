// The chain of HybridExplorer in motion: a hand moves the first prescribed joint to and fro, motors that are switched
// on bring their joints to rest, and the rest hangs limp.

import { rk4_step } from "./emitted/rk4_step.js";
import { fromEquations } from "./hybrid_words.js";

const STEP = 1 / 240; // [s]
const PERIOD = 1.9; // of the hand [s]
const TURN = 0.5; // how far it turns a joint to either side [rad]
const BRAKE = 9; // of a motor: how fast it takes the speed away [1/s]
// Of a limp joint, in what its slider's end gives: what a unit of speed takes, and beyond its limits also a stop's
// spring and loss.
const LOSS = 0.004;
const STOP = { spring: 30, loss: 0.5 };

export class Motion {
  constructor(tree) {
    this.tree = tree;
    this.playing = false;
    /** @type {number | null} */
    this.latest = null;
  }
  begin({ q, qd, prescribed }) {
    this.time = 0;
    this.q = q;
    this.qd = qd.map(() => 0);
    this.hand = prescribed.indexOf(true);
    this.latest = null;
    this.playing = true;
  }
  // What the joints are given at a time and in a state.
  given(prescribed, time, q, qd) {
    const { column, kind, reach, strongest } = this.tree;
    const rate = (2 * Math.PI) / PERIOD;
    const most = (k) => (kind[column.indexOf(k)] === "Revolute" ? TURN : 0.25 * reach);
    const hand = (k) => most(k) * rate ** 2 * Math.cos(rate * time);
    return {
      q,
      qd,
      prescribed,
      qdd: qd.map((x, k) => (k === this.hand ? hand(k) : -BRAKE * x)),
      tau: qd.map((x, k) => -strongest[k] * this.held(k, q[k], x)),
    };
  }
  held(k, q, qd) {
    const [low, high] = this.tree.limits[k];
    const beyond = q - Math.max(low, Math.min(high, q));
    return LOSS * qd + (beyond ? STOP.spring * beyond + STOP.loss * qd : 0);
  }
  now(prescribed) {
    return this.given(prescribed, this.time, this.q, this.qd);
  }
  // A frame later. It ends where the equations have no solution.
  tick(now, prescribed) {
    const gone = Math.min(60, now - (this.latest ?? now)) / 1000;
    this.latest = now;
    const acceleration = (time, q, qd) => fromEquations(this.tree, this.given(prescribed, time, q, qd)).values.qdd;
    for (let k = 0; k < Math.round(gone / STEP); k++) {
      const [q, qd] = rk4_step({ acceleration }, this.time, this.q, this.qd, STEP);
      if (![...q, ...qd].every(Number.isFinite)) {
        this.playing = false;
        return;
      }
      [this.q, this.qd, this.time] = [q, qd, this.time + STEP];
    }
  }
}
