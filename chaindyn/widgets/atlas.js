// The view of AtlasExplorer. The request is {q, direction, axes, quantity, map, sample}: a posture, the direction in
// which the chain strikes, the two joints of the map, what it shows (["mass" | "force" | "moment", joint]), the name
// under which a new map is wanted, or null, and from which index on blows are to be drawn at random, or null.

import { addControls } from "./atlas_controls.js";
import { fromBlows } from "./atlas_model.js";
import { BEHIND, paint, showDrawn, showMap } from "./atlas_picture.js";
import { judge } from "./atlas_words.js";
import { numberTable } from "./elements.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { cameraOn, endsOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, norm, scale, subtract } from "./vectors.js";
import { rendering, View } from "./view.js";

class AtlasView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene;
    this.names = this.tree.names;
    this.column = this.tree.column;
    this.reach = this.tree.reach;
    this.atlas = this.tree.atlas;
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the chain\u2019s masses, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    const camera = cameraOn(this.tree, poses(this.tree, this.talk.request.q));
    camera.look(this.tree.view);
    this.stage = new LitStage(
      "The chain and the wall",
      camera,
      this.talk.update,
      sceneAround(this.tree, this.talk.request),
    );
    this.movable = this.names.map((_, i) => i).filter((i) => this.column[i] !== null);
    this.ends = endsOf(this.tree);
    this.held = { key: null }; // the map that is shown
    this.drawn = []; // masses of random blows
    this.counted = undefined; // how many of them the chart shows
    this.drawing = false;
    this.next = 0; // which random blow the reader looks at next
    this.resting = undefined;
    this.talk.again = () => {
      this.drawn = [];
      this.held = { key: null };
      this.ask({});
    };
    this.stage.handle(
      "Direction of the blow",
      "force",
      () => subtract(this.struck(), scale(BEHIND * this.reach, this.talk.request.direction)),
      (tail) => this.aim(subtract(this.struck(), tail)),
    );
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.controls = addControls(this);
    this.show();
    this.ask({});
  }

  embedded(request) {
    return fromBlows(this.tree, { ...request, map: request.map === this.held.key ? null : request.map }).values;
  }

  // The blow is asked for at once, a new map when the hand rests.
  keyOf({ q, direction, axes, quantity }) {
    return JSON.stringify([
      q.map((x, k) => (axes.some((axis) => this.column[axis] === k) ? 0 : x)),
      direction,
      axes,
      quantity,
      globalThis.chaindynPhysics?.version,
    ]);
  }

  ask(change) {
    const { talk } = this;
    talk.ask({ map: null, sample: this.drawing ? this.drawn.length : null, ...change });
    clearTimeout(this.resting);
    this.resting = setTimeout(
      () => this.keyOf(talk.request) !== this.held.key && talk.ask({ map: this.keyOf(talk.request) }),
      80,
    );
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    this.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  aim(direction) {
    norm(direction) > 1e-6 && this.ask({ direction: scale(1 / norm(direction), direction) });
  }

  struck() {
    const { talk, tree } = this;
    const { R, p } = poses(tree, talk.request.q);
    return add(p[tree.body], apply(R[tree.body], tree.point));
  }

  show() {
    const { names, refreshers, stage, talk, tree } = this;
    const { chart, rank, table, report } = this.controls;
    const result = talk.result();
    const { values } = result;
    const { request } = talk;
    if (values.map) this.held = values.map;
    if (values.sample?.start === this.drawn.length && this.drawing)
      this.drawn = this.drawn.concat(values.sample.mass.filter((m) => m !== null));
    if (!talk.live) result.error = fromBlows(tree, { ...request, map: null, sample: null }).fault;
    stage.draw(() => paint(this, values, request));
    refreshers.forEach((refresh) => refresh());
    showMap(this, request);
    const words = judge(this, values);
    rank.textContent = words;
    chart.mark(values.mass);
    showDrawn(this, result.error);
    const { force, moment, mass } = values;
    table.replaceChildren(
      numberTable(
        "At 1 m/s: what each bearing carries of the blow, in newton seconds, its moment, and its share of the impulse",
        ["impulse [N s]", "moment [N m s]", "share [%]"],
        names.map((name, i) => [name, force[i], moment[i], mass ? (100 * force[i]) / mass : 0]),
      ),
    );
    report(result, words);
  }

  close() {
    clearTimeout(this.resting);
    this.drawing = false;
    super.close();
  }
}

const render = rendering(AtlasView);

export default { render };
