// The view of HybridExplorer. The request is {q, qd, prescribed, qdd, tau}, the last two with a number for every
// joint, of which only those that are given count; the scene is the tree, masses, inertias about the centres of mass,
// gravity, and how far the sliders of the forces go.

import { addControls, placeSigns } from "./hybrid_controls.js";
import { Motion } from "./hybrid_motion.js";
import { paint } from "./hybrid_picture.js";
import { barTable, disagreement, explained, fromEquations, sentenceOf, withoutAnswer } from "./hybrid_words.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { cameraOn, endsOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, scale } from "./vectors.js";
import { rendering, View } from "./view.js";

class HybridView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene;
    this.names = this.tree.names;
    this.kind = this.tree.kind;
    this.column = this.tree.column;
    this.reach = this.tree.reach;
    this.mass = this.tree.mass;
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the chain\u2019s embedded parameters, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    const first = poses(this.tree, this.talk.request.q);
    this.camera = cameraOn(this.tree, { p: [...first.p, this.tipOf(first)] });
    this.camera.look(this.tree.view);
    this.stage = new LitStage("The chain", this.camera, this.talk.update, sceneAround(this.tree, this.talk.request));
    // the link of each row and column
    this.movable = this.names.map((_, i) => i).filter((i) => this.column[i] !== null);
    this.ends = endsOf(this.tree);
    this.ahead = 0.2; // [s]
    /** @type {number | null} */
    this.frame = null;
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, this.camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.motion = new Motion(this.tree);
    this.inSight = true;
    this.watcher = new IntersectionObserver(([{ isIntersecting }]) => {
      this.inSight = isIntersecting;
      if (isIntersecting && this.motion.playing) this.next();
    });
    this.watcher.observe(this.stage.element);
    this.controls = addControls(this);
    this.stage.fitting = 0.78;
    this.show();
    this.stage.beginWith(() => this.play(true));
    this.talk.ask();
  }

  // Let the hand take hold of the chain, or stop it where it is.
  play(wanted) {
    const { motion, talk } = this;
    if (wanted) motion.begin(talk.request);
    else motion.playing = false;
    this.show();
    if (wanted) this.next();
  }

  next() {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = null;
      if (!this.inSight || !this.motion.playing) {
        this.motion.latest = null;
        return;
      }
      this.motion.tick(now, this.talk.request.prescribed);
      this.show();
      this.next();
    });
  }

  close() {
    this.watcher.disconnect();
    this.motion.playing = false;
    super.close();
  }

  embedded(request) {
    return fromEquations(this.tree, request).values;
  }

  tipOf({ R, p }) {
    return add(p.at(-1), apply(R.at(-1), this.tree.tip));
  }

  turns(i) {
    return this.kind[i] === "Revolute";
  }

  units(i) {
    return this.turns(i) ? { qdd: "rad/s\u00b2", tau: "N\u00a0m" } : { qdd: "m/s\u00b2", tau: "N" };
  }

  isPrescribed(i) {
    const { column, talk } = this;
    return talk.request.prescribed[column[i]];
  }

  replaced(name, k, value) {
    return {
      [name]: this.talk.request[name].map((old, other) => (other === k ? value : old)),
    };
  }

  // What a reader sets is looked at at rest.
  ask(change) {
    this.motion.playing = false;
    this.talk.ask(change);
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    this.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  give(i, name, value) {
    this.ask(this.replaced(name, this.column[i], value));
  }

  toggle(i) {
    const { column, talk } = this;
    talk.ask(this.replaced("prescribed", column[i], !this.isPrescribed(i)));
  }

  all(prescribed) {
    return () => this.ask({ prescribed: this.talk.request.prescribed.map(() => prescribed) });
  }

  zero() {
    const { talk } = this;
    this.ask({ qdd: scale(0, talk.request.qdd), tau: scale(0, talk.request.tau) });
  }

  // What was answered is given, and what was given asked for: the same motion, the other way round.
  swap() {
    const { talk } = this;
    const { qdd, tau } = talk.result().values;
    if ([...qdd, ...tau].every(Number.isFinite))
      this.ask({ qdd, tau, prescribed: talk.request.prescribed.map((prescribed) => !prescribed) });
  }

  range(i, name) {
    const { column, tree } = this;
    return name === "qdd" ? 30 : tree.strongest[column[i]];
  }

  stepOf(i, name) {
    return name === "qdd" ? 0.1 : this.range(i, name) / 200;
  }

  show() {
    const { motion, movable, refreshers, stage, talk } = this;
    const { bars, numbers, playButton, report } = this.controls;
    const result = talk.result();
    const request = motion.playing ? motion.now(talk.request.prescribed) : talk.request;
    if (motion.playing) result.values = fromEquations(this.tree, request).values;
    const { values } = result;
    placeSigns(this, values);
    stage.draw(() => paint(this, values, request));
    playButton.textContent = motion.playing ? "stop" : "move it";
    if (motion.playing) return;
    refreshers.forEach((refresh) => refresh());
    bars.replaceChildren(barTable(this, values));
    numbers.firstChild.textContent = explained(this);
    if (talk.live) result.error ||= disagreement(this, values);
    else result.error = withoutAnswer(this);
    report(result, movable.map((i) => sentenceOf(this, i, values)).join(" "));
  }
}

const render = rendering(HybridView);

export default { render };
