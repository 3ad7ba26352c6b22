// The view of InertiaExplorer. The request is {sides, spin}: of a brick [m], and in its own axes as it is let go
// [rad/s].

import { Camera } from "./camera.js";
import { numberTable } from "./elements.js";
import { rotation_from_quaternion } from "./emitted/rotation_from_quaternion.js";
import { addControls, replaced } from "./inertia_controls.js";
import { AXES, flightOf, fromTables, UPRIGHT } from "./inertia_model.js";
import { paint, REACH } from "./inertia_picture.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { add, apply, rounded, scale, shown } from "./vectors.js";
import { rendering, View } from "./view.js";

const within = (x, low, high) => rounded(Math.max(low, Math.min(high, x)));

class InertiaView extends View {
  constructor(given) {
    super(given);
    this.shortest = this.scene.limits[0];
    this.longest = this.scene.limits[1];
    this.interval = this.scene.step * this.scene.kept;
    this.duration = this.scene.step * this.scene.steps;
    this.computed = {}; // by the page, for the latest request
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "an embedded table of your newton_euler",
      show: () => this.show(),
    });
    this.camera = new Camera(130);
    this.stage = new LitStage("A brick that spins freely", this.camera, this.talk.update, {
      floor: -1.35,
      extent: 1.4,
      looks: false,
    });
    this.drawn = {}; // the flight, and the values it was made from
    this.time = 0;
    this.began = null; // while it flies: when, by the clock of the page [ms]
    this.riding = false; // seen by an observer who turns with the brick
    this.controls = addControls(this);
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.play());
  }

  embedded(request) {
    const { computed, scene } = this;
    if (computed.request !== request) Object.assign(computed, { request, values: fromTables(scene, request) });
    return computed.values;
  }

  rewind() {
    [this.time, this.began] = [0, null];
  }

  change(values) {
    const { talk } = this;
    this.rewind();
    talk.ask(values);
  }

  // Another brick, another throw, another observer; it flies, for readers who do not mind.
  take({ riding = false, ...change }) {
    this.riding = riding;
    this.change(change);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
  }

  setSide(i, side) {
    const { longest, shortest, talk } = this;
    return this.change({ sides: replaced(talk.request.sides, i, within(side, shortest, longest)) });
  }

  setSpin(spin) {
    this.change({ spin: spin.map((w) => within(w, -this.scene.fastest, this.scene.fastest)) });
  }

  setTime(wanted) {
    const { duration, talk } = this;
    this.time = within(wanted, 0, duration);
    talk.update();
  }

  // A value between two samples.
  at(samples) {
    const { interval } = this;
    const place = Math.min(this.time / interval, samples.length - 1);
    const i = Math.floor(place);
    return add(scale(1 - (place - i), samples[i]), scale(place - i, samples[Math.min(i + 1, samples.length - 1)]));
  }

  pose() {
    return rotation_from_quaternion(this.riding ? UPRIGHT : this.at(this.drawn.attitude));
  }

  play() {
    const { duration, talk } = this;
    this.began = this.began === null ? performance.now() - (this.time < duration ? 1000 * this.time : 0) : null;
    if (this.began !== null) requestAnimationFrame((now) => this.advance(now));
    talk.update();
  }

  advance(now) {
    const { duration } = this;
    if (this.began === null) return;
    this.setTime((now - this.began) / 1000);
    if (this.time < duration) requestAnimationFrame((now) => this.advance(now));
    else this.began = null;
  }

  // Spin about the longest, middle or shortest side, but for a little.
  throwAbout(rank) {
    const { talk } = this;
    const { sides } = talk.request;
    const axis = [0, 1, 2].sort((a, b) => sides[b] - sides[a])[rank];
    this.setSpin([0, 1, 2].map((k) => (k === axis ? 4 : k === (axis + 1) % 3 ? 0.2 : 0)));
    this.play();
  }

  fly({ values }) {
    const { drawn, scene } = this;
    values !== drawn.values && Object.assign(drawn, flightOf(values, scene), { values });
  }

  tip() {
    return apply(this.pose(), scale(REACH, this.talk.request.spin));
  }

  show() {
    const { drawn, refreshers, scene, stage, talk } = this;
    const { energies, numbers, playButton, rideButton, report, verdict } = this.controls;
    const result = talk.result();
    this.fly(result);
    const [spin, momentum, [energy]] = [
      this.at(drawn.spin),
      this.at(drawn.momentum),
      this.at(drawn.energy.map((K) => [K])),
    ];
    stage.draw(() => paint(this, this.pose(), spin));
    refreshers.forEach((refresh) => refresh());
    playButton.textContent = this.began === null ? "play" : "stop";
    rideButton.setAttribute("aria-pressed", this.riding);
    const milli = (values) => scale(1000, values);
    numbers.replaceChildren(
      numberTable("Moments of inertia I and spin \u03c9 in the brick\u2019s axes, angular momentum h in space", AXES, [
        ["I [g m\u00b2]", ...milli(drawn.moments)],
        ["\u03c9 [rad/s]", ...spin],
        ["h [g m\u00b2/s]", ...milli(momentum)],
      ]),
    );
    const first = shown(1000 * drawn.energy[0]);
    energies.textContent = `Energy at the start ${first} mJ, at ${shown(this.time)} s ${shown(1000 * energy)} mJ.`;
    verdict.textContent = drawn.verdict;
    if (!talk.live && !scene.exact)
      result.error = "This function is not quadratic in the spin, so that without Python the flight is a guess.";
    report(result, drawn.verdict);
  }

  close() {
    this.began = null;
    super.close();
  }
}

const render = rendering(InertiaView);

export default { render };
