// The view of ContactExplorer. The request is {scene, count, ground, angle, speed, restitution, friction, law, order,
// solver, sweeps, step, q, qd, contacts}: what is thrown and where, by which laws and methods, the state that is
// shown, and where it touches. The picture shows a state with the impulses of the step that follows.

import { cameraBefore } from "./camera.js";
import { addControls, EVERY } from "./contact_controls.js";
import { GLOW, paint } from "./contact_paint.js";
import { BELOW, framing } from "./contact_picture.js";
import { GRAVITY, startOf, worldOf } from "./contact_scenes.js";
import { placed } from "./contact_shapes.js";
import { energyOf, heavy, posesOf, stepOf } from "./contact_step.js";
import { contactsInWords, contactTable, energyInWords, solverInWords, sourceOf } from "./contact_words.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { add, rounded, scale } from "./vectors.js";
import { rendering, View } from "./view.js";

const BUSY = 12; // how long a frame may compute [ms]; if that is not enough, time goes slower

class ContactView extends View {
  constructor(given) {
    super(given);
    this.kinds = this.scene.kinds;
    this.steps = this.scene.steps;
    this.longest = this.scene.longest;
    this.fastest = this.scene.fastest;
    this.t = Array.from({ length: Math.round(this.longest / EVERY) + 1 }, (_, k) => rounded(k * EVERY, 4));
    this.talk = new Talk(this.model, {
      embedded: () => this.held.next,
      data: "the bodies\u2019 shapes and masses, with the book\u2019s own laws",
      show: () => this.show(),
    });
    // What is shown: the world, the state now, the step that follows, samples since the throw, and blows that are still
    // seen.
    this.held = {
      world: null,
      now: null,
      next: null,
      samples: [],
      blows: [],
      playing: false,
      pace: 1,
      owed: 0,
      last: 0,
    };
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera = cameraBefore(100);
    this.stage = new LitStage("Bodies that touch. Space starts and pauses", this.camera, this.talk.update, {
      floor: BELOW,
      extent: 1.8,
      looks: false,
    });
    this.controls = addControls(this);
    this.restart();
    this.aim();
    this.show();
    this.stage.beginWith(() => this.play());
  }

  following(request) {
    const { held } = this;
    try {
      return stepOf(request, held.world);
    } catch (problem) {
      return {
        q: request.q,
        qd: request.qd,
        contacts: [],
        open: [],
        impulses: [],
        blows: 0,
        given: 0,
        iterations: 0,
        residual: 0,
        overlap: 0,
        count: "",
        fault: problem.message,
      };
    }
  }

  stateOf() {
    return { q: this.held.now.q, qd: this.held.now.qd };
  }

  // Ask for the step from the state now, after a change of the request.
  ask(change = {}) {
    const { held, talk } = this;
    const request = { ...talk.request, ...change, ...this.stateOf() };
    held.next = this.following(request);
    const contacts = held.next.contacts.map(({ bodies, point, normal, gap }) => ({ bodies, point, normal, gap }));
    talk.ask({ ...change, ...this.stateOf(), contacts });
  }

  // Go back to the start, after a change of what is thrown.
  restart(change = {}) {
    const { held, talk } = this;
    const request = { ...talk.request, ...change };
    held.world = worldOf(request);
    const { q, qd } = startOf(request);
    const energy = energyOf(held.world.tree, q, qd);
    Object.assign(held, {
      playing: false,
      samples: [],
      blows: [],
      start: { q, energy },
      now: { time: 0, q, qd, energy, given: 0 },
    });
    this.ask(change);
    this.keep();
  }

  throwAgain() {
    this.restart();
    this.play();
  }

  aim() {
    const { camera, held, stage, talk } = this;
    const { centre, zoom } = framing(talk.request);
    Object.assign(held, { centre, middle: this.middleOf(held.now.q) });
    camera.zoom = zoom;
    stage.settle();
  }

  afresh(change) {
    this.restart(change);
    this.aim();
  }

  // Another scene comes with its own numbers.
  choose(scene) {
    const { kinds } = this;
    const { count, speed, restitution, friction, order, step } = kinds[scene];
    this.afresh({ scene, count, speed, restitution, friction, order, step });
  }

  keep() {
    const { held } = this;
    const k = Math.round(held.now.time / EVERY);
    if (k < held.samples.length || held.now.time < k * EVERY - 1e-9) return;
    held.samples.push({ ...held.now, residual: held.next.residual, overlap: held.next.overlap });
  }

  // Take a step: the page's own, or one that Python computed.
  take({ q, qd } = this.held.next) {
    const { held, talk } = this;
    const { now, next } = held;
    const { step, scene } = talk.request;
    const push = next.impulses.reduce((sum, [normal]) => sum + normal, 0);
    if (push > (scene === "cradle" ? 0.02 : 3 * step * this.weight()))
      held.blows.push({ time: now.time, contacts: next.contacts, impulses: next.impulses, step });
    // what was ahead is no longer, after a way back
    held.samples.length = Math.min(held.samples.length, Math.floor(now.time / EVERY + 1e-6) + 1);
    held.blows = held.blows.filter(({ time }) => now.time - time < GLOW);
    held.now = {
      time: now.time + step,
      q,
      qd,
      energy: energyOf(held.world.tree, q, qd),
      given: now.given + Math.max(0, next.given),
    };
    held.next = this.following({ ...talk.request, ...this.stateOf() });
    this.keep();
  }

  weight() {
    return GRAVITY * this.held.world.tree.reduce((sum, { mass }) => sum + mass, 0);
  }

  ended() {
    const { held, longest } = this;
    return held.now.time >= longest - 1e-9 || held.next.fault !== undefined;
  }

  play() {
    const { held } = this;
    held.playing = !held.playing && !this.ended();
    Object.assign(held, { owed: 0, last: performance.now() });
    if (held.playing) requestAnimationFrame((frame) => this.advance(frame));
    else this.ask();
    this.show();
  }

  advance(frame) {
    const { calm, held, talk } = this;
    if (!held.playing) return;
    const drawn = Math.floor(2 * held.now.time);
    held.owed += Math.min(0.05, Math.max(0, frame - held.last) / 1000) * held.pace;
    held.last = frame;
    const enough = performance.now() + BUSY;
    const { step } = talk.request;
    while (held.owed >= step && !this.ended() && performance.now() < enough) {
      held.owed -= step;
      this.take();
    }
    held.owed = Math.min(held.owed, step);
    if (this.ended()) return this.play();
    // a still every half second, for who wants no motion
    if (!calm.matches || Math.floor(2 * held.now.time) !== drawn) this.show();
    requestAnimationFrame((frame) => this.advance(frame));
  }

  // One step, as Python has it where Python answers.
  stepOn() {
    const { held } = this;
    if (held.playing) return this.play();
    if (this.ended()) return;
    this.take(this.fromPython() ?? held.next);
    this.ask();
  }

  goTo(time) {
    const { held } = this;
    const k = Math.max(0, Math.min(held.samples.length - 1, Math.round(time / EVERY)));
    const { time: at, q, qd, energy, given } = held.samples[k];
    Object.assign(held, { playing: false, blows: [], now: { time: at, q, qd, energy, given } });
    this.ask();
  }

  // Python's step from the state that is shown, if it has answered this request.
  fromPython() {
    const { held, talk } = this;
    return !held.playing && talk.live && talk.answer.serial === talk.request.serial && talk.answer.values?.q
      ? talk.answer.values
      : null;
  }

  show() {
    const { held, kinds, refreshers, stage, talk } = this;
    const { angle, count, energies, ground, playButton, sweeps, report, verdict, where, worth, worths } = this.controls;
    if (!held.now) return;
    const { request } = talk;
    stage.draw(() => paint(this));
    refreshers.forEach((refresh) => refresh());
    angle.row.hidden = request.ground !== "slope" || request.scene === "cradle";
    ground.row.hidden = request.scene === "cradle";
    sweeps.row.hidden = request.solver !== "pgs";
    const [most] = count.row.querySelectorAll("input");
    most.max = kinds[request.scene].most;
    playButton.textContent = held.playing ? "pause" : held.now.time > 0 ? "go on" : "start";
    playButton.disabled = this.ended();
    [where.textContent, verdict.textContent, worth.textContent] = [
      contactsInWords(this),
      energyInWords(this),
      solverInWords(this, request),
    ];
    if (!held.playing || held.samples.length % 5 === 0) this.drawSlowly();
    for (const graph of [energies, worths]) graph.place(held.now.time);
    report(sourceOf(this), `${where.textContent} ${verdict.textContent} ${worth.textContent}`);
  }

  // What is costly, and not read while it runs.
  drawSlowly() {
    const { held } = this;
    const { energies, list, table, worths } = this.controls;
    const columns = (name) => held.samples.map((sample) => sample[name]);
    energies.draw([{ name: "kinetic and potential", values: columns("energy"), colour: "motion" }], ["J"]);
    worths.draw(
      [
        { name: "residual [m/s]", values: columns("residual"), colour: "force" },
        { name: "deepest overlap [m]", values: columns("overlap"), colour: "ink", dash: "8 3" },
      ],
      ["m/s", "m"],
    );
    worths.name.textContent = "Residual and deepest overlap";
    if (list.open) table.replaceChildren(contactTable(this));
  }

  middleOf(q) {
    const { held } = this;
    const poses = posesOf(held.world.tree, q);
    const bodies = heavy(held.world.tree);
    return scale(1 / bodies.length, bodies.map(({ i, com }) => placed(poses[i], com)).reduce(add));
  }

  close() {
    const { held } = this;
    held.playing = false;
    super.close();
  }
}

const render = rendering(ContactView);

export default { render };
