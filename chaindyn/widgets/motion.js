// What the explorers that move share: a clock to play and to scrub.

import { numberRow } from "./elements.js";
import { combine, rounded } from "./vectors.js";

// --- A clock -------------------------------------------------------------------------------------------------------

// A time among those of a motion, t, up to where `last` says that it goes: played, paused and scrubbed. `update` draws.
export class Player {
  constructor(t, last, update) {
    this.t = t;
    this.last = last;
    this.update = update;
    this.time = t[0];
    this.began = null; // while it plays, when by the page's clock [ms] it was t[0]
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
  }
  get playing() {
    return this.began !== null;
  }
  set(wanted) {
    this.time = Math.max(this.t[0], Math.min(this.last(), wanted));
    this.update();
  }
  scrub(wanted) {
    this.stop();
    this.set(wanted);
  }
  stop() {
    this.began = null;
  }
  reset() {
    [this.time, this.began] = [this.t[0], null];
  }
  // Not beyond where a new motion ends.
  shorten() {
    this.time = Math.min(this.time, this.last());
  }
  play() {
    const start = this.time < this.last() ? this.time - this.t[0] : 0;
    this.began = this.playing ? null : performance.now() - 1000 * start;
    if (this.playing) requestAnimationFrame((now) => this.advance(now));
    this.update();
  }
  advance(now) {
    if (!this.playing) return;
    const gone = Math.max(0, now - this.began) / 1000;
    // a still every half second, for who wants no motion
    const wanted = this.t[0] + (this.calm.matches ? Math.floor(2 * gone) / 2 : gone);
    if (wanted !== this.time) this.set(wanted);
    if (wanted < this.last()) requestAnimationFrame((later) => this.advance(later));
    else this.stop();
  }
  // Which sample is the latest.
  index(samples) {
    const after = this.t.findIndex((x) => x > this.time);
    return Math.min(after < 0 ? this.t.length - 1 : after - 1, samples.length - 1);
  }
  // The value now, between two samples.
  at(samples) {
    const i = this.index(samples);
    if (i + 1 >= samples.length) return samples[i];
    const share = (this.time - this.t[i]) / (this.t[i + 1] - this.t[i]);
    return combine([1 - share, share], [samples[i], samples[i + 1]]);
  }
  // The time as a named number.
  row() {
    const range = { min: this.t[0], max: rounded(this.t.at(-1), 4), step: 0.02, unit: "s" };
    return numberRow(
      "time",
      range,
      () => this.time,
      (wanted) => this.scrub(wanted),
    );
  }
  // Space plays and pauses, where it is not the key of what has the focus.
  listen(root, play = () => this.play()) {
    root.addEventListener("keydown", (event) => {
      const busy = event.target.closest("button, select, summary, input[type='number']");
      if (event.key !== " " || busy) return;
      event.preventDefault();
      play();
    });
  }
}
