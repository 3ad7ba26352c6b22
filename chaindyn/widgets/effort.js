// The view of EffortExplorer. The request is {q, qd, qdd, load}; the scene is the tree, masses, inertias about the
// centres of mass, gravity, and the names of the parts.

import { COLOURS, keyOf, lifted, paintCarton, paintRing, ringLabel } from "./effort_rings.js";
import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { LOADS } from "./emitted/loads.js";
import { Film } from "./film.js";
import { compute } from "./physics.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, cross, dot, norm, scale, shown, subtract, transpose } from "./vectors.js";
import { rendering, View } from "./view.js";

function fromLaws(tree, { q, qd, qdd, load }) {
  const at = poses(tree, q);
  const [still, last] = [scale(0, qd), tree.names.length - 1];
  const weight = scale(load, tree.gravity);
  const external = tree.names.map((_, i) =>
    i < last ? scale(0, [...weight, ...weight]) : [...cross(apply(at.R[last], tree.tip), weight), ...weight],
  );
  const free = external.map((x) => scale(0, x));
  const steps = [
    [still, still, free],
    [qd, still, free],
    [qd, qdd, free],
    [qd, qdd, external],
  ].map((step) => compute(LOADS, tree, [q, ...step]));
  const parts = steps.map(([effort], k) => (k ? subtract(effort, steps[k - 1][0]) : effort));
  return { ...at, parts, wrench: steps[3][1] };
}

const signed = (x) => (x < 0 ? `\u2212 ${shown(-x)}` : `+ ${shown(x)}`);
const totals = ({ parts }) => parts.reduce(add);

class EffortView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene;
    this.names = this.tree.names;
    this.kind = this.tree.kind;
    this.column = this.tree.column;
    this.reach = this.tree.reach;
    this.talk = new Talk(this.model, {
      embedded: (request) => fromLaws(this.tree, request),
      data: "the chain\u2019s embedded parameters, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    const first = poses(this.tree, this.talk.request.q);
    const camera = cameraOn(this.tree, { p: [...first.p, this.tipOf(first)] });
    this.stage = new LitStage("The chain", camera, this.talk.update, sceneAround(this.tree, this.talk.request));
    this.movable = this.names.map((_, i) => i).filter((i) => this.column[i] !== null);
    this.chosen = this.tree.joint;
    this.most = []; // what each joint had to do at most so far
    this.ends = endsOf(this.tree);
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.film = new Film(
      () => 4000, // an hour: a lift ends where it began
      () => this.show(),
    );
    this.addControls();
    this.stopWatching = this.film.watch(this.stage.element);
    this.stage.fitting = 0.62;
    this.show();
    this.stage.beginWith(() => this.film.play());
    this.talk.ask();
  }

  close() {
    this.stopWatching();
    super.close();
  }

  // What is shown: the lift, or the motion that the reader set.
  request() {
    return this.film.playing ? lifted(this.tree, this.talk.request, this.film.clock) : this.talk.request;
  }

  // Put the controls below the picture.
  addControls() {
    // One row of inputs for each joint's position; those of the rates are the chosen joint's.
    const positions = this.movable.map((i) => {
      const { row: element, refresh } = jointRow(
        this.tree,
        i,
        () => this.talk.request.q[this.column[i]],
        (value) => this.setJoint(i, value),
      );
      element.addEventListener("focusin", () => this.choose(i));
      this.refreshers.push(refresh);
      return element;
    });
    this.per = ["rad", "m"].filter((_, k) => this.movable.some((i) => this.turns(i) === (k === 0)));
    this.bars = html("div");
    const controls = [
      this.row(
        pickerRow(
          "Joint",
          this.movable.map((i) => [i, this.names[i]]),
          () => this.chosen,
          (value) => this.choose(Number(value)),
        ),
      ),
      this.rateRow("velocity", "qd", 8, "/s"),
      this.rateRow("acceleration", "qdd", 30, "/s\u00b2"),
      this.row(
        numberRow(
          "load",
          { min: 0, max: this.tree.heaviest, step: 0.1, unit: "kg" },
          () => this.talk.request.load,
          (load) => this.ask({ load: Math.max(0, load) }),
        ),
      ),
      section("Posture", false, ...positions),
      section(
        "What each joint must do, in numbers",
        false,
        group(
          "All joints",
          button("hold still", () => this.ask({ qd: this.still(), qdd: this.still() })),
          button("no load", () => this.ask({ load: 0 })),
        ),
        this.bars,
      ),
    ];
    this.numbers = html("div");
    this.playButton = button("lift", () => this.film.play(!this.film.playing));
    const short = html("div", {}, group("Motion", this.playButton), keyOf(this.tree.parts), this.numbers);
    this.report = layout(this.el, this.stage, controls, short);
  }

  tipOf({ R, p }) {
    return add(p.at(-1), apply(R.at(-1), this.tree.tip));
  }

  turns(i) {
    return this.kind[i] === "Revolute";
  }

  unit(i) {
    return this.turns(i) ? "N\u00a0m" : "N";
  }

  // What a reader sets is looked at at rest.
  ask(change) {
    this.film.playing = false;
    this.talk.ask(change);
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    this.chosen = i;
    this.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  setRate(name, value) {
    const { column, talk } = this;
    this.ask({ [name]: talk.request[name].map((old, k) => (k === column[this.chosen] ? value : old)) });
  }

  choose(i) {
    const { talk } = this;
    this.chosen = i;
    talk.update();
  }

  rateRow(text, name, largest, time) {
    const { column, per, talk } = this;
    return this.row(
      numberRow(
        text,
        { min: -largest, max: largest, step: 0.1, unit: per.map((of) => of + time).join(" or ") },
        () => talk.request[name][column[this.chosen]],
        (value) => this.setRate(name, value),
      ),
    );
  }

  still() {
    return this.talk.request.qd.map(() => 0);
  }

  show() {
    const { bars, column, film, names, numbers, playButton, refreshers, stage, talk, report, tree } = this;
    const result = talk.result();
    const request = this.request();
    if (film.playing) result.values = fromLaws(tree, request);
    playButton.textContent = film.playing ? "hold" : "lift";
    const { parts, wrench } = result.values;
    stage.draw(() => this.paint(result.values, request));
    numbers.hidden = film.playing;
    if (film.playing) return;
    refreshers.forEach((refresh) => refresh());
    bars.replaceChildren(this.barTable(parts));
    const k = column[this.chosen];
    const total = totals(result.values)[k];
    const [moment, force] = [wrench[this.chosen].slice(0, 3), wrench[this.chosen].slice(3)].map(norm);
    const sum = tree.parts.map((name, part) => `${signed(parts[part][k])} (${name})`).join(" ");
    const words =
      `Joint ${names[this.chosen]}: ${shown(total)} ${this.unit(this.chosen)} = ` +
      `${sum.replace(/^\+ /, "").replace(/^\u2212 /, "\u2212")}. At its velocity the motor gives ` +
      `${shown(total * talk.request.qd[k])} W.`;
    const own = this.turns(this.chosen) ? "moment" : "force";
    const carried =
      `All that goes through this joint is a force of ${shown(force)} N (arrow) and a moment of ` +
      `${shown(moment)} N m; the motor makes the part of the ${own} along the joint\u2019s axis, the bearing ` +
      "carries the rest.";
    numbers.replaceChildren(html("p", { class: "work" }, words));
    bars.prepend(html("p", {}, carried));
    if (talk.live) result.error ||= this.disagreement(result.values);
    report(result, `${words} Force through the joint: ${shown(force)} newtons.`);
  }

  // One row for each joint; turns and slides have each their own scale.
  barTable(parts) {
    const { column, movable, names, tree } = this;
    const rows = transpose([...parts, parts.reduce(add)]);
    const heads = [...tree.parts, "all"];
    const scaleOf = (i) =>
      Math.max(
        ...movable.filter((k) => this.turns(k) === this.turns(i)).flatMap((k) => rows[column[k]].map(Math.abs)),
      ) || 1;
    const cell = (x, head, largest) => {
      const share = 50 * Math.max(-1, Math.min(1, x / largest));
      const style = `--from: ${50 + Math.min(0, share)}%; --to: ${50 + Math.max(0, share)}%`;
      return html("td", { class: COLOURS[head], style }, html("span", {}, shown(x, largest >= 10 ? 1 : 2)));
    };
    const body = movable.map((i) => {
      const name = html("th", { scope: "row" }, `${names[i].replaceAll("_", "_\u200b")} [${this.unit(i)}]`);
      return html(
        "tr",
        i === this.chosen ? { class: "chosen" } : {},
        name,
        ...rows[column[i]].map((x, k) => cell(x, heads[k], scaleOf(i))),
      );
    });
    const short = { velocity: "veloc\u00adity", acceleration: "accel\u00ader\u00adation" };
    const head = html("tr", {}, html("td"), ...heads.map((name) => html("th", { scope: "col" }, short[name] ?? name)));
    return html(
      "table",
      { class: "bars" },
      html("caption", {}, "What each joint must do, and for what"),
      html("thead", {}, head),
      html("tbody", {}, ...body),
    );
  }

  // What a reader's functions may have wrong: the joint force is the wrench's part along the joint.
  disagreement(values) {
    const { column, movable, names, tree } = this;
    const efforts = totals(values);
    const largest = Math.max(...efforts.map(Math.abs));
    const other = (i) =>
      dot(apply(values.R[i], tree.axis[i]), this.turns(i) ? values.wrench[i].slice(0, 3) : values.wrench[i].slice(3));
    const wrong = movable.find((i) => !(Math.abs(other(i) - efforts[column[i]]) <= 1e-6 * largest));
    return wrong === undefined
      ? ""
      : `rnea and joint_wrenches disagree at joint ${names[wrong]}: ${shown(efforts[column[wrong]])} and ` +
          `${shown(other(wrong))} ${this.unit(wrong)}.`;
  }

  paint({ R, p, parts, wrench }, { load }) {
    const { chosen, column, ends, movable, reach, stage, tree } = this;
    paintLinks(stage, tree, ends, { R, p }, chosen, { axes: false });
    const forces = wrench.map((x) => x.slice(3));
    const metres = (0.3 * reach) / (Math.max(...forces.map(norm)) || 1); // a newton of the arrows
    const half = scale(0.2 * reach, apply(R[chosen], tree.axis[chosen]));
    stage.line([subtract(p[chosen], half), add(p[chosen], half)], "motion", { width: 2.5 });
    if (!forces[chosen].includes(null)) {
      const force = scale(metres, forces[chosen]);
      stage.arrow(p[chosen], force, "force", { width: 4 });
      stage.text(add(p[chosen], force), `${shown(norm(forces[chosen]), 1)} N`);
    }
    const own = (i) => parts.map((part) => part[column[i]]);
    const size = (i) => own(i).reduce((sum, x) => sum + Math.abs(x), 0);
    for (const i of movable) {
      this.most[i] = Math.max(this.most[i] ?? 0, size(i)); // that rings swell and shrink, and do not change their scale
      const most = Math.max(...movable.filter((k) => this.turns(k) === this.turns(i)).map((k) => this.most[k] ?? 0));
      paintRing(stage, p[i], own(i), tree.parts, size(i) / (most || 1));
      if (size(i) > 0.02 * most) stage.text(p[i], ringLabel(own(i), this.unit(i)));
    }
    if (load === 0) return;
    const tip = this.tipOf({ R, p });
    stage.arrow(tip, scale(metres * load, tree.gravity), "slide", { width: 3 });
    stage.text(tip, `${shown(load, 1)} kg`);
    paintCarton(stage, tip, 0.09 * reach);
  }
}

const render = rendering(EffortView);

export default { render };
