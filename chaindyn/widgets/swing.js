// The view of SwingExplorer. The request is {chain, q, qd, method, step, motors, frequency, damping}: which of the
// scene's chains, its state at the first time, how it is integrated, what the motors do ("off", "hold" or "sway"),
// and their gains.

import { Camera } from "./camera.js";
import { Player } from "./motion.js";
import { LitStage } from "./stage.js";
import { addControls, milli } from "./swing_controls.js";
import { bySteps, exactly, motionOf, SHORT, STEPPERS, strayedBy } from "./swing_model.js";
import { drawGraphs, paint } from "./swing_picture.js";
import { judge, opening, readout } from "./swing_words.js";
import { Talk } from "./talk.js";
import { poses, pulled, sceneAround, withJoint } from "./tree.js";
import { rounded, scale } from "./vectors.js";
import { rendering, View } from "./view.js";

class SwingView extends View {
  constructor(given) {
    super(given);
    this.chains = this.scene.chains;
    this.labels = this.scene.labels;
    this.t = this.scene.t;
    this.computed = {}; // by the page, for the latest request
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "",
      show: () => this.show(),
    });
    this.talk.patience = 30000; // a motion takes Python a while
    this.draft = {}; // what the hand has changed since the last request
    this.resting = undefined; // the timer until the draft is asked for
    this.held = {}; // the motion that is shown, and the values it was made from
    this.exact = { start: "", q: [] }; // of the free chain, and from where
    this.strays = {}; // by how much the energy changes with the other methods, by their names
    this.framed = {}; // the motion that the camera fits, and the picture's size then
    this.player = new Player(this.t, () => this.t[Math.max(0, this.held.motion.q.length - 1)], this.talk.update);
    this.camera = new Camera(1);
    this.stage = new LitStage("The chain, swinging. Space plays and pauses", this.camera, this.talk.update);
    // A link that is taken hold of stays where it is, and is the start of a new motion, from rest.
    this.stage.onGrab = (link, where, moved) => {
      if (this.player.time > this.t[0]) {
        const { kind, column } = this.tree();
        const turns = column.map((k, i) => [k, kind[i] === "Revolute"]).filter(([k]) => k !== null);
        const q = [...this.posture()];
        for (const [k, round] of turns) if (round) q[k] -= 2 * Math.PI * Math.round(q[k] / (2 * Math.PI));
        this.change({ q: q.map((x) => rounded(x, 4)), qd: scale(0, q) });
      }
      const [i, by] = pulled(this.tree(), this.camera, poses(this.tree(), this.state().q), link, where, moved);
      if (i !== undefined) this.setJoint(i, this.state().q[this.tree().column[i]] + by);
    };
    this.controls = addControls(this);
    this.aim();
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.player.play());
  }

  embedded(request) {
    const { computed, scene } = this;
    if (computed.request !== request) Object.assign(computed, { request, values: bySteps(scene, request) });
    return computed.values;
  }

  state() {
    const { draft, talk } = this;
    return { ...talk.request, ...draft };
  }

  tree() {
    return this.chains[this.state().chain];
  }

  aim() {
    const { camera, stage } = this;
    camera.zoom = 185 / this.tree().reach;
    camera.centre = [0, 0, 0];
    Object.assign(stage, sceneAround(this.tree(), this.state()));
    camera.look(this.tree().view);
    stage.settle();
    this.framed = {};
  }

  change(values) {
    const { draft, player, talk } = this;
    Object.assign(draft, values);
    if ("q" in values || "qd" in values || "chain" in values) player.reset();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.commit(), 150);
    talk.update();
  }

  commit() {
    const { draft, talk } = this;
    const asked = { ...draft };
    Object.keys(draft).forEach((name) => delete draft[name]);
    talk.ask(asked);
  }

  choose(index) {
    const { chains } = this;
    this.change({ chain: index, ...chains[index].start });
    this.aim();
  }

  fresh() {
    return Object.keys(this.draft).length === 0;
  }

  // The postures of the free chain from the same start, as good as exact; they are computed once for all methods.
  truth() {
    const { exact, held, scene, talk } = this;
    if (held.motion.tau) return null;
    const { chain, q, qd } = talk.request;
    const start = JSON.stringify([chain, q, qd]);
    if (exact.start !== start) Object.assign(exact, { start, q: exactly(scene, talk.request) });
    return exact.q;
  }

  // How the other methods fare from the same start, one after another; a Python is asked for none that the reader did
  // not choose.
  compare() {
    const { held, scene, strays, talk } = this;
    const { request } = talk;
    clearTimeout(this.pending);
    const next = Object.keys(STEPPERS).find((name) => name !== request.method && !(name in strays));
    if (!next || held.motion.tau || talk.live) return;
    this.pending = setTimeout(() => {
      if (talk.request !== request || this.strays !== strays) return;
      strays[next] = strayedBy(scene, request, next);
      this.compare();
      talk.update();
    });
  }

  // The camera fits a whole motion, where the reader has let it be and holds nothing.
  frame() {
    const { camera, framed, held, stage } = this;
    const { home } = stage;
    const size = `${camera.size}`;
    if (framed.motion === held.motion && framed.size === size) return;
    if (stage.fingers.size || ["zoom", "yaw", "tilt"].some((part) => camera[part] !== home[part])) return;
    const part = framed.size === size ? 0.7 : 1;
    Object.assign(framed, { motion: held.motion, size });
    const most = 2 * this.tree().reach;
    const near = held.motion.seen.map((place) => place.map((x) => Math.max(-most, Math.min(most, x))));
    camera.fit([[0, 0, 0], ...near], 0.84, part);
    stage.settle();
  }

  posture() {
    const { held, player } = this;
    return this.fresh() ? player.at(held.motion.q) : this.state().q;
  }

  setJoint(i, value) {
    this.change({ q: withJoint(this.tree(), this.state().q, i, value).map((x) => rounded(x, 6)) });
  }

  show() {
    const { chains, held, player, refreshers, scene, stage, talk } = this;
    const { gains, graphs, lead, panel, panels, playButton, root, shelf, stepRow, report, verdict, where } =
      this.controls;
    const request = talk.request;
    talk.data = STEPPERS[request.method]
      ? "the chain\u2019s embedded masses, with the book\u2019s own functions"
      : `the chain\u2019s embedded masses, by RK4 with steps of ${milli(SHORT)}: DOP853 needs Python`;
    const late = talk.live && talk.answer.serial < request.serial;
    const result = late
      ? {
          values: this.embedded(request),
          source: "Python is computing; until then, this is from the page\u2019s own functions.",
        }
      : talk.result();
    if (result.values !== held.values) {
      Object.assign(held, {
        values: result.values,
        motion: motionOf(chains[request.chain], request, scene, result.values),
      });
      player.shorten();
      this.strays = {};
      this.compare();
      if (this.fresh()) drawGraphs(this);
    }
    stage.draw(() => paint(this));
    refreshers.forEach((refresh) => refresh());
    if (panel.childElementCount > 1 || panel.firstChild !== panels[this.state().chain])
      panel.replaceChildren(panels[this.state().chain]);
    gains.hidden = this.state().motors === "off";
    stepRow.hidden = !STEPPERS[this.state().method];
    playButton.textContent = player.playing ? "pause" : "play";
    graphs.forEach((graph) => graph.place(player.time));
    shelf.classList.toggle("late", late || !this.fresh());
    lead.textContent = opening(this);
    where.textContent = readout(this);
    verdict.textContent = this.fresh() ? judge(this, request) : "The chain is in your hand.";
    root.setAttribute("aria-busy", late);
    report(result, `${where.textContent} ${verdict.textContent}`);
  }

  close() {
    const { player } = this;
    player.stop();
    clearTimeout(this.pending);
    clearTimeout(this.resting);
    super.close();
  }
}

const render = rendering(SwingView);

export default { render };
