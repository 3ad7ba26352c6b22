// The view of HeftExplorer. The request is {q, body}; the scene is the tree, the links' masses, inertias about the
// centres of mass, and a first view.

import { firstFew, html, numberTable, pickerRow, section } from "./elements.js";
import { MASSES_FELT } from "./emitted/masses_felt.js";
import { compute } from "./physics.js";
import { singular, withoutInertia } from "./singular.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, dot, scale, shown } from "./vectors.js";
import { rendering, View } from "./view.js";

const ROUND = 6000; // how long the pull takes to go round [ms]

// The mass felt in every direction; NaN, and the link at fault, where M is singular.
function fromInertias(tree, { q, body }) {
  const at = poses(tree, q);
  const [felt, kept, sure] = compute(MASSES_FELT, tree, [q]);
  const singularAt = withoutInertia(tree, q, kept, sure);
  if (singularAt !== undefined)
    return { values: { ...at, felt: at.R[body].map((row) => row.map(() => NaN)) }, singularAt };
  return { values: { ...at, felt: felt[body] } };
}

class HeftView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene;
    this.names = this.tree.names;
    this.column = this.tree.column;
    this.reach = this.tree.reach;
    this.mass = this.tree.mass.reduce((sum, x) => sum + x, 0);
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the chain\u2019s embedded inertias, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    this.camera = cameraOn(this.tree, poses(this.tree, this.talk.request.q));
    this.camera.look(this.tree.view);
    this.stage = new LitStage("The chain", this.camera, this.talk.update, sceneAround(this.tree, this.talk.request));
    this.movable = this.names.map((_, i) => i).filter((i) => this.column[i] !== null);
    this.addControls();
    this.stage.fitting = 0.84;
    this.turned = 0; // how far the pull has gone round from where the chain feels heaviest [rad]
    this.closed = false;
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.goRound(performance.now()));
  }

  // The pull goes round once.
  goRound(began) {
    const next = (now) => {
      const share = Math.max(0, Math.min(1, (now - began) / ROUND));
      this.turned = share < 1 ? 2 * Math.PI * share : 0;
      this.talk.update();
      if (share < 1 && !this.closed) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  close() {
    this.closed = true;
    super.close();
  }

  // Put the controls beside the picture.
  addControls() {
    this.heldAt = pickerRow(
      "Held at",
      this.names.map((name, i) => [i, name]),
      () => this.talk.request.body,
      (value) => this.talk.ask({ body: Number(value) }),
    );
    this.rows = this.movable.map((i) =>
      jointRow(
        this.tree,
        i,
        () => this.talk.request.q[this.column[i]],
        (value) => this.setJoint(i, value),
      ),
    );
    this.ends = endsOf(this.tree);
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, this.camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.numbers = html("div");
    this.words = html("p", { class: "work" });
    this.report = layout(
      this.el,
      this.stage,
      [
        this.heldAt.row,
        ...firstFew(
          "Other joints",
          this.rows.map(({ row }) => row),
        ),
        section("All numbers", false, this.numbers),
      ],
      this.words,
    );
  }

  embedded(request) {
    return fromInertias(this.tree, request).values;
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  // The mass felt along directions in the plane of the picture, and its least and greatest.
  slice(felt) {
    const { camera } = this;
    const { right, up } = camera.axes();
    const along = (e) => dot(e, apply(felt, e));
    const curve = Array.from({ length: 181 }, (_, k) => {
      const e = add(scale(Math.cos((k * Math.PI) / 90), right), scale(Math.sin((k * Math.PI) / 90), up));
      return scale(along(e), e);
    });
    const middle = (along(right) + along(up)) / 2;
    const half = Math.hypot((along(right) - along(up)) / 2, dot(right, apply(felt, up)));
    // the direction that feels heaviest, and those turned from it
    const heaviest = Math.atan2(2 * dot(right, apply(felt, up)), along(right) - along(up)) / 2;
    const towards = (turn) => add(scale(Math.cos(heaviest + turn), right), scale(Math.sin(heaviest + turn), up));
    return { curve, along, towards, least: middle - half, greatest: middle + half };
  }

  show() {
    const { ends, heldAt, mass, movable, names, numbers, reach, rows, stage, talk, report, tree, words } = this;
    const result = talk.result();
    const { p, felt } = result.values;
    if (!talk.live) {
      const { singularAt } = fromInertias(tree, talk.request);
      if (singularAt !== undefined) result.error = `${singular(names[singularAt])}.`;
    }
    const { body } = talk.request;
    const { curve, along, towards, least, greatest } = this.slice(felt);
    stage.draw(() => {
      paintLinks(stage, tree, ends, result.values, body);
      for (const i of movable)
        stage.line([p[i], p[i]], i === body ? "force" : "motion", { width: i === body ? 14 : 10 });
      const metres = (0.5 * reach) / mass; // a kilogram of the curve
      if (!felt.flat().every(Number.isFinite)) return;
      stage.line(
        curve.map((x) => add(p[body], scale(metres, x))),
        "force",
        { width: 2.5 },
      );
      // a pull, as long as what it feels, and where it rests what the lightest feels like, too
      for (const turn of this.turned ? [this.turned] : [0, Math.PI / 2]) {
        const e = towards(turn);
        stage.arrow(p[body], scale(metres * along(e), e), "force", { width: 4 });
        stage.text(add(p[body], scale(metres * along(e), e)), `${shown(along(e))} kg`);
      }
    });
    [heldAt, ...rows].forEach(({ refresh }) => refresh());
    const diagonal = felt.map((row, i) => row[i]);
    numbers.replaceChildren(
      numberTable(
        `Mass felt at the joint of ${names[body]} along the world\u2019s axes; all links together weigh ` +
          `${shown(mass)} kg`,
        ["x", "y", "z"],
        [["[kg]", ...diagonal]],
      ),
      numberTable("In the plane of the picture", ["least", "greatest"], [["[kg]", least, greatest]]),
    );
    words.textContent =
      `Held at ${names[body]}, the chain feels like ${shown(least)} to ${shown(greatest)} kg along directions ` +
      `in the plane of the picture (curve), of ${shown(mass)} kg in all.`;
    report(result, words.textContent);
  }
}

const render = rendering(HeftView);

export default { render };
