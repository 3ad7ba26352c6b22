// The view of LoopExplorer. The request is {mechanism, lengths, held, flipped, cure, rate, step, dropped}: which of
// the scene's mechanisms, the lengths of its rods, the angles of the cranks in the hand, which of its two assemblies,
// what keeps the loop closed once it falls, how fast (of "Baumgarte") and in which steps, and whether it was let go.
//
// A mechanism is a row of rods in the x-z plane, the first on a hinge at the origin, the last to be pinned at the
// foot (base, 0). Two rods in the middle, 1 and 2, close the loop between the ends of what is before and after them.

import { cameraBefore } from "./camera.js";
import { addControls } from "./loop_controls.js";
import {
  angleOf,
  anglesOf,
  asFarAs,
  crankAt,
  fallWith,
  flippedAt,
  fromRods,
  jointsOf,
  modelOf,
  pointing,
  turned,
  wrapped,
} from "./loop_model.js";
import { drawGraphs, LENSES, paint } from "./loop_picture.js";
import { barTable, CURES, closing, judge, reach, readout } from "./loop_words.js";
import { Player } from "./motion.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { add, degrees, dot, subtract } from "./vectors.js";
import { rendering, View } from "./view.js";

class LoopView extends View {
  constructor(given) {
    super(given);
    this.mechanisms = this.scene.mechanisms;
    this.t = this.scene.t;
    this.sweep = this.scene.sweep;
    this.computed = {}; // by the page, for the latest request
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the rods\u2019 lengths and masses, with the book\u2019s own functions",
      show: () => this.show(),
    });
    this.talk.patience = 60000; // a fall takes Python a while
    this.talk.again = () => {
      this.held.runs = {}; // which the functions of before computed
      this.talk.ask();
    };
    // what is shown, the fall in it, and all falls from this start, by their cures
    this.held = { values: {}, run: null, runs: {} };
    this.player = new Player(this.t, () => this.t[Math.max(0, (this.held.run?.q.length ?? 1) - 1)], this.talk.update);
    this.camera = cameraBefore(1);
    this.stage = new LitStage("The mechanism. Space drops it, and pauses", this.camera, this.talk.update, {
      looks: false,
    });
    this.stage.onGrab = (name, where, moved) => {
      const k = Number(name);
      const [before, after] = [where, add(where, moved)].map((place) => this.towards(k, this.camera.onPlane(place)));
      this.turnTo(k, this.cranks()[k] + wrapped(after - before));
    };
    [0, 1].forEach((k) =>
      this.stage.handle(
        "",
        "motion",
        () => this.knees()[k] ?? [0, 0, 0],
        (point) => this.turnTo(k, this.towards(k, point)),
      ),
    );
    this.rings = [...this.stage.handles.children];
    this.controls = addControls(this);
    this.aim();
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.play());
  }

  embedded(request) {
    const { computed, scene } = this;
    if (computed.request !== request) Object.assign(computed, { request, values: fromRods(scene, request) });
    return computed.values;
  }

  mechanism() {
    const { mechanisms, talk } = this;
    return mechanisms[talk.request.mechanism];
  }

  rods() {
    const { scene, talk } = this;
    return modelOf(scene, talk.request);
  }

  open() {
    return this.held.values.gap > 0;
  }

  falling() {
    const { held, player, t } = this;
    return held.run !== null && player.time > t[0];
  }

  // Of what falls, the latest sample: between two of them the loop would look open.
  latest(samples) {
    return samples[this.player.index(samples)];
  }

  posture() {
    const { held } = this;
    return held.run ? this.latest(held.run.q) : held.values.q;
  }

  // Of the cranks that can be in the hand, the angles now.
  cranks() {
    return anglesOf(this.posture())
      .filter((_, k, all) => k === 0 || (k === 3 && all.length > 3))
      .map((angle, k) => wrapped(angle - k * Math.PI));
  }

  aim() {
    const { camera, stage } = this;
    const { lengths, base } = this.rods();
    const [left, right] = [lengths[0], lengths.at(-1)];
    const low = Math.max(left, right);
    const knee = lengths.length > 3 ? 0.9 * (left + lengths[1]) : 0;
    Object.assign(stage, { floor: -Math.max(1.15 * low, knee), extent: base + low });
    const corners = [
      [-left, 0, stage.floor],
      [base + right, 0, Math.max(low, knee)],
    ];
    // beside what the mechanism fills stand the lenses
    const [wide, high] = camera.size;
    Object.assign(camera, { zoom: 1, centre: [0, 0, 0], size: [wide - LENSES, high] });
    camera.fit(corners, 0.96);
    camera.size = [wide, high];
    camera.centre = add(camera.centre, camera.lift([LENSES / 2, 0]));
    this.aimed = `${camera.size}`;
    stage.settle();
  }

  // Another cure is seen at work from the start.
  cured(cure) {
    const { held, player, talk } = this;
    talk.ask({ cure });
    if (!held.run) return;
    player.reset();
    player.play();
  }

  // The same fall with the other cures, one after another, that they are seen beside it; a Python is asked for none
  // that the reader did not choose.
  fallOtherwise() {
    const { held, scene, talk } = this;
    const { request } = talk;
    const { runs } = held;
    const next = Object.keys(CURES).find((cure) => !(cure in runs));
    if (!next || !held.run || talk.live) return;
    clearTimeout(this.pending);
    this.pending = setTimeout(() => {
      if (held.runs !== runs || talk.request !== request || runs[next]) return;
      const run = fallWith(scene, request, next);
      if (!run) return;
      runs[next] = asFarAs(run);
      drawGraphs(this);
      this.fallOtherwise();
      talk.update();
    });
  }

  // Another start ends a fall, and forgets those before.
  restart(values) {
    const { held, player, talk } = this;
    Object.assign(held, { run: null, runs: {} });
    player.reset();
    talk.ask(values);
  }

  choose(index) {
    const { mechanisms } = this;
    this.restart({
      mechanism: index,
      lengths: mechanisms[index].lengths,
      held: mechanisms[index].start,
      flipped: false,
      dropped: false,
    });
    this.aim();
  }

  // Let it fall, if it is not falling already, and do something with the clock.
  drop(then) {
    const { talk } = this;
    if (this.open()) return;
    if (!talk.request.dropped) talk.ask({ dropped: true });
    this.show();
    then();
  }

  play() {
    return this.drop(() => this.player.play());
  }

  step() {
    const { player, t } = this;
    this.drop(() => player.scrub(t.find((x) => x > player.time + 1e-9) ?? player.time));
  }

  turnTo(k, angle) {
    const { talk } = this;
    let { held: angles, flipped } = talk.request;
    if (this.falling()) {
      angles = this.cranks();
      const [A, B] = [0, 1].map((i) => crankAt(this.rods(), angles, i).end);
      flipped = dot(turned(subtract(B, A)), pointing(anglesOf(this.posture())[1])) < 0;
    }
    flipped = flippedAt(this.rods(), angles, flipped, k, angle);
    this.restart({ held: angles.map((old, i) => wrapped(i === k ? angle : old)), flipped, dropped: false });
  }

  /**
   * @param {number} k
   * @param {number[]} place
   */
  towards(k, [x, , z]) {
    const { talk } = this;
    return angleOf(subtract([x, z], crankAt(this.rods(), talk.request.held, k).pivot));
  }

  // ends of the cranks
  knees() {
    return jointsOf(this.rods(), this.posture()).filter((_, i, all) => i === 1 || (i === 3 && all.length > 4));
  }

  afresh(value) {
    return this.restart({ step: Number(value) });
  }

  show() {
    const { held, player, refreshers, rings, stage, talk } = this;
    const { bars, energies, gaps, panel, panels, playButton, rate, root, stepButton, report, turning, verdict, where } =
      this.controls;
    const { request } = talk;
    const stale = talk.live && talk.answer.serial < request.serial;
    const late = stale && (request.dropped || talk.answer.values?.mechanism !== request.mechanism);
    const result = late
      ? {
          values: this.embedded(request),
          source: "Python is computing; until then, this is from the page\u2019s own functions.",
        }
      : talk.result();
    if (result.values !== held.values) {
      Object.assign(held, { values: result.values, run: result.values.run && asFarAs(result.values.run) });
      if (held.run) held.runs[request.cure] = held.run;
      player.shorten();
      drawGraphs(this);
      this.fallOtherwise();
    }
    stage.draw(() => paint(this));
    refreshers.forEach((refresh) => refresh());
    const names = this.mechanism().held;
    if (stage.handles.childElementCount !== names.length)
      stage.handles.replaceChildren(...rings.slice(0, names.length));
    names.forEach((name, k) => rings[k].setAttribute("aria-label", `End of the ${name}. Arrow keys move it.`));
    if (panel.childElementCount > 1 || panel.firstChild !== panels[request.mechanism])
      panel.replaceChildren(panels[request.mechanism]);
    rate.row.hidden = request.cure !== "Baumgarte";
    playButton.textContent = player.playing
      ? "pause"
      : !this.falling()
        ? "drop"
        : player.time < player.last()
          ? "go on"
          : "drop again";
    for (const button of [playButton, stepButton]) button.disabled = this.open();
    turning.place(degrees(this.cranks()[0]));
    for (const graph of [gaps, energies]) graph.place(player.time);
    where.textContent = readout(this);
    verdict.textContent = this.falling() ? judge(this, request) : `${closing(this)}${reach(this)}`;
    bars.replaceChildren(barTable(this));
    root.setAttribute("aria-busy", late);
    report(result, `${where.textContent} ${verdict.textContent}`);
  }

  close() {
    const { player } = this;
    player.stop();
    clearTimeout(this.pending);
    super.close();
  }
}

const render = rendering(LoopView);

export default { render };
