// The view of HybridExplorer. The request is {q, qd, prescribed, qdd, tau}, the last two with a number for every
// joint, of which only those that are given count; the scene is the tree, masses, inertias about the centres of mass,
// gravity, and how far the sliders of the forces go.

import { addControls, placeSigns } from "./hybrid_controls.js";
import { paint } from "./hybrid_picture.js";
import { barTable, disagreement, explained, fromEquations, told, withoutAnswer } from "./hybrid_words.js";
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
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, this.camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.controls = addControls(this);
    this.show();
    this.talk.ask();
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

  isTold(i) {
    const { column, talk } = this;
    return talk.request.prescribed[column[i]];
  }

  replaced(name, k, value) {
    return {
      [name]: this.talk.request[name].map((old, other) => (other === k ? value : old)),
    };
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  give(i, name, value) {
    const { column, talk } = this;
    talk.ask(this.replaced(name, column[i], value));
  }

  toggle(i) {
    const { column, talk } = this;
    talk.ask(this.replaced("prescribed", column[i], !this.isTold(i)));
  }

  all(told) {
    return () => this.talk.ask({ prescribed: this.talk.request.prescribed.map(() => told) });
  }

  zero() {
    const { talk } = this;
    talk.ask({ qdd: scale(0, talk.request.qdd), tau: scale(0, talk.request.tau) });
  }

  // What was answered is given, and what was given asked for: the same motion, the other way round.
  swap() {
    const { talk } = this;
    const { qdd, tau } = talk.result().values;
    if ([...qdd, ...tau].every(Number.isFinite))
      talk.ask({ qdd, tau, prescribed: talk.request.prescribed.map((told) => !told) });
  }

  range(i, name) {
    const { column, tree } = this;
    return name === "qdd" ? 30 : tree.strongest[column[i]];
  }

  stepOf(i, name) {
    return name === "qdd" ? 0.1 : this.range(i, name) / 200;
  }

  show() {
    const { movable, refreshers, stage, talk } = this;
    const { bars, numbers, tell } = this.controls;
    const result = talk.result();
    const { values } = result;
    placeSigns(this, values);
    stage.draw(() => paint(this, values));
    refreshers.forEach((refresh) => refresh());
    bars.replaceChildren(barTable(this, values));
    numbers.firstChild.textContent = explained(this);
    if (talk.live) result.error ||= disagreement(this, values);
    else result.error = withoutAnswer(this);
    tell(result, movable.map((i) => told(this, i, values)).join(" "));
  }
}

const render = rendering(HybridView);

export default { render };
