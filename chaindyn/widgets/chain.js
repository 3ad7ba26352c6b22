// The view of ChainExplorer. The request is {q, body, frame}; the scene is the tree: parents, where each joint sits in
// its parent, its kind and axis, and which entry of q is its own (null for a fixed joint).

import { alike, paintArrows, Sweep } from "./chain_columns.js";
import { button, firstFew, group, html, numberTable, pickerRow, section } from "./elements.js";
import { screwsOn } from "./screws.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, pathOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, cross, dot, norm, scale, shown, subtract, transpose } from "./vectors.js";
import { rendering, View } from "./view.js";

// The Jacobian (6 rows) of a body about a point, in the axes that are the columns of `axes`: the screws of the joints
// that carry it.
function jacobian(tree, q, body, about, axes) {
  const columns = screwsOn(tree, q, body, about, axes);
  return columns.length ? transpose(columns) : [[], [], [], [], [], []];
}

function fromTree(tree, { q, body, frame }) {
  const at = poses(tree, q);
  const world = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const J_world = jacobian(tree, q, body, [0, 0, 0], world);
  const J = frame === "world" ? J_world : jacobian(tree, q, body, at.p[body], frame === "body" ? at.R[body] : world);
  return { ...at, J, J_world };
}

// The velocity of a point that moves with a twist about the origin.
const velocityAt = (point, twist) => add(twist.slice(3), cross(twist.slice(0, 3), point));

const FRAMES = {
  world: "about the world origin, in world axes",
  body: "about the link\u2019s origin, in link axes",
  mixed: "about the link\u2019s origin, in world axes",
};

class ChainView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene;
    this.names = this.tree.names;
    this.kind = this.tree.kind;
    this.column = this.tree.column;
    this.reach = this.tree.reach;
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the chain\u2019s embedded parameters, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    this.camera = cameraOn(this.tree, poses(this.tree, this.talk.request.q));
    this.stage = new LitStage("The chain", this.camera, this.talk.update, sceneAround(this.tree, this.talk.request));
    this.movable = this.names.map((_, i) => i).filter((i) => this.column[i] !== null);
    // The link whose joint's column is shown: at first the one that moves the body's origin fastest.
    this.chosen = this.quickest(this.talk.request.body) ?? this.movable[0];
    this.sweep = new Sweep(this.carriersOf(this.talk.request.body), () => this.show());
    this.addControls();
    this.stage.fitting = 0.84;
    this.show();
    this.stage.beginWith(() => this.sweep.play());
    this.talk.ask();
  }

  // Put the controls beside the picture.
  addControls() {
    const sliders = this.movable.map((i) => {
      const { row, refresh } = jointRow(
        this.tree,
        i,
        () => this.talk.request.q[this.column[i]],
        (value) => this.setJoint(i, value),
      );
      row.addEventListener("focusin", () => this.choose(i));
      this.refreshers.push(refresh);
      return row;
    });
    this.ends = endsOf(this.tree);
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, this.camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.numbers = html("div");
    this.words = html("p", { class: "work" });
    this.lost = html("p", { class: "lost" });
    const short = html(
      "div",
      {},
      this.words,
      this.lost,
      group(
        "Joints",
        button("sweep each joint", () => this.sweep.play()),
      ),
    );
    const controls = [
      ...firstFew("Other joints", sliders),
      section(
        "Body, joint and frame, and its column of J",
        false,
        this.picker(
          "Body",
          this.names.map((name, i) => [i, name]),
          () => this.talk.request.body,
          (value) => this.talk.ask({ body: Number(value) }),
        ),
        this.picker(
          "Joint",
          this.movable.map((i) => [i, this.names[i]]),
          () => this.chosen,
          (value) => this.choose(Number(value)),
        ),
        this.picker(
          "Frame",
          Object.entries(FRAMES).map(([key]) => [key, key]),
          () => this.talk.request.frame,
          (frame) => this.talk.ask({ frame }),
        ),
        this.numbers,
      ),
    ];
    this.report = layout(this.el, this.stage, controls, short);
  }

  embedded(request) {
    return fromTree(this.tree, request);
  }

  close() {
    this.sweep.closed = true;
    super.close();
  }

  // The joints that carry a body, the first one first.
  carriersOf(body) {
    return pathOf(this.tree, body)
      .filter((i) => this.column[i] !== null)
      .reverse();
  }

  // What is shown while a joint sweeps: the same chain, with that joint a little further.
  swept(values) {
    const { column, kind, reach, sweep, talk } = this;
    if (!sweep.playing) return values;
    const q = talk.request.q.map((x, k) => {
      const i = column.indexOf(k);
      return x + sweep.moved(i) * (kind[i] === "Revolute" ? 1 : reach / 3);
    });
    return this.embedded({ ...talk.request, q });
  }

  quickest(body) {
    const { column, talk, tree } = this;
    const { p, J_world } = this.embedded(talk.request);
    const speed = (i) =>
      norm(
        velocityAt(
          p[body],
          J_world.map((row) => row[column[i]]),
        ),
      );
    const carriers = pathOf(tree, body).filter((i) => column[i] !== null);
    return carriers.reduce((best, i) => (best === undefined || speed(i) > 1.001 * speed(best) ? i : best), undefined);
  }

  setJoint(i, value) {
    const { sweep, talk, tree } = this;
    if (sweep.playing) sweep.stop();
    this.chosen = i;
    talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  choose(i) {
    const { talk } = this;
    this.chosen = i;
    talk.update();
  }

  picker(...of) {
    const { refreshers } = this;
    const { row, refresh } = pickerRow(...of);
    refreshers.push(refresh);
    return row;
  }

  show() {
    const { column, kind, lost, names, numbers, refreshers, stage, sweep, talk, report, words } = this;
    const result = talk.result();
    const { body, frame } = talk.request;
    sweep.joints = this.carriersOf(body);
    const seen = this.swept(result.values);
    const arrows = this.arrowsOf(seen, body);
    const pairs = sweep.playing ? [] : alike(sweep.joints, arrows);
    stage.draw(() => this.paint(seen, body, arrows, pairs));
    if (sweep.playing) return;
    const [pair] = pairs;
    lost.textContent = pair
      ? `${names[pair[0]]} and ${names[pair[1]]} move it along one line: a direction is lost.`
      : "";
    refreshers.forEach((refresh) => refresh());
    if (this.chosen === undefined) return report(result, "No joint of this chain can move.");
    const J = result.values.J.map((row) => row[column[this.chosen]]);
    const rate = kind[this.chosen] === "Revolute" ? "1 rad/s" : "1 m/s";
    const caption =
      `Twist of ${names[body]} when only joint ${names[this.chosen]} moves, at ${rate}: column ` +
      `${column[this.chosen] + 1} ` +
      `of J, ${FRAMES[frame]}`;
    const units = ["angular \u03c9 [rad/s]", "linear v [m/s]"];
    numbers.replaceChildren(
      numberTable(
        caption,
        ["x", "y", "z"],
        units.map((unit, k) => [unit, ...J.slice(3 * k, 3 * k + 3)]),
      ),
    );
    const speed = norm(
      velocityAt(
        result.values.p[body],
        result.values.J_world.map((row) => row[column[this.chosen]]),
      ),
    );
    words.textContent =
      `Each arrow is a column of J: when joint ${names[this.chosen]} alone moves, at ${rate}, the origin of ` +
      `${names[body]} moves at ${shown(speed)} m/s.`;
    report(
      result,
      `${names[this.chosen]} ${shown(talk.request.q[column[this.chosen]])}. Column of J: ` +
        `${J.map((x) => shown(x)).join(", ")}.`,
    );
  }

  // By link, how the body's origin moves when its joint alone does, at 1 rad/s or 1 m/s.
  arrowsOf({ p, J_world }, body) {
    const arrow = (k) =>
      velocityAt(
        p[body],
        J_world.map((row) => row[k]),
      );
    return this.column.map((k) => (k === null || J_world.flat().includes(null) ? [0, 0, 0] : arrow(k)));
  }

  paint({ R, p, J_world }, body, arrows, pairs) {
    const { chosen, column, ends, kind, movable, names, reach, stage, sweep, tree } = this;
    paintLinks(stage, tree, ends, { R, p }, body, { axes: false });
    for (const i of movable)
      this.paintJoint(
        i,
        p[i],
        J_world.map((row) => row[column[i]]),
      );
    stage.text(p[body], names[body], [-16, 16]);
    const metres = (0.4 * reach) / Math.max(...sweep.joints.map((i) => norm(arrows[i])), 1e-9);
    const share = (i) => sweep.share(i);
    const turns = (i) => kind[i] === "Revolute";
    paintArrows(stage, p[body], sweep.joints, arrows, { chosen, pairs, share, metres, turns });
  }

  // A joint's axis, where its column of the Jacobian says that it is: a line along w through w x v / w.w, or along v.
  paintJoint(i, near, screw) {
    const { kind, reach, stage } = this;
    const colour = kind[i] === "Revolute" ? "motion" : "slide";
    stage.line([near, near], colour, { width: i === this.chosen ? 16 : 11, seen: i === this.chosen || !stage.lit });
    const [w, v] = [screw.slice(0, 3), screw.slice(3)];
    if (screw.includes(null) || norm(screw) === 0) return;
    const turning = norm(w) > 1e-9 * norm(screw);
    const along = turning ? scale(1 / norm(w), w) : scale(1 / norm(v), v);
    const foot = turning ? scale(1 / dot(w, w), cross(w, v)) : near;
    const centre = add(foot, scale(dot(along, subtract(near, foot)), along));
    const half = scale((i === this.chosen ? 0.3 : 0.15) * reach, along);
    stage.line([subtract(centre, half), add(centre, half)], colour, {
      width: i === this.chosen ? 3 : 1.5,
      dash: turning ? "none" : "7 5",
    });
  }
}

const render = rendering(ChainView);

export default { render };
