// The view of ImpactExplorer. The request is {chain, q, qd, body, point, normal, restitution, axes, feel, quantity,
// map}: which of the scene's chains, its state, the link that is struck, where (in the link's frame) and against
// which direction (of the world), the map's two coordinates (links whose joints turn, or "along" the struck link),
// whose line is drawn in it (["jump" or "reaction", link]), what it shows ("impulse" or "mass"), and the name under
// which a new one is wanted, or null.

import { ARM, cameraFor } from "./blow.js";
import { atShare, fromBlow, shareAlong } from "./blow_answer.js";
import { courseOf, cutOf, paintFilm, sceneAt } from "./course.js";
import { Film } from "./film.js";
import { addControls } from "./impact_controls.js";
import { paint, showMap } from "./impact_picture.js";
import { jointTable, judge, keyOfColours, keyOfOthers } from "./impact_words.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, norm, rounded, scale, subtract, transpose } from "./vectors.js";
import { rendering, View } from "./view.js";

class ImpactView extends View {
  constructor(given) {
    super(given);
    this.chains = this.scene.chains;
    this.labels = this.scene.labels;
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the chain\u2019s embedded masses, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    this.camera = cameraFor(this.tree(), this.talk.request);
    this.stage = new LitStage(
      "The chain and the wall",
      this.camera,
      this.talk.update,
      sceneAround(this.tree(), this.talk.request),
    );
    this.held = { key: null }; // the map that is shown, until a newer one is there
    this.near = {}; // where the camera was when it stepped back for them
    this.comparing = false; // whether the picture shows other postures, in place of before and after
    this.resting = undefined; // the timer until a new one is asked for
    // The film of the blow, which is made when it is asked for. Without it the chain stands at the instant of the blow,
    // with all arrows.
    this.course = null;
    this.seen = {}; // the request, the answer and the values that all but the film was drawn for
    this.film = new Film(() => cutOf(this.course).end, this.talk.update);
    this.unwatch = this.film.watch(this.el);
    this.talk.again = () => this.ask({});
    this.stage.handle(
      "Direction of the blow",
      "force",
      () => subtract(this.struck(), scale(this.arm(), this.talk.request.normal)),
      (tail) => this.aim(subtract(this.struck(), tail)),
    );
    this.stage.handle(
      "Point of the blow",
      "force",
      () => this.struck(),
      (wanted) => this.strikeAt(wanted),
    );
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree(), this.camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.tree().column[i]] + change);
    };
    this.controls = addControls(this);
    this.show();
    this.ask({});
    this.stage.fitting = 0.84;
    this.stage.beginWith(() => this.play());
  }

  tree() {
    const { chains, talk } = this;
    return chains[talk.request.chain];
  }

  computed(request) {
    return fromBlow(this.chains[request.chain], {
      ...request,
      map: request.map === this.held.key ? null : request.map,
    });
  }

  embedded(request) {
    return this.computed(request).values;
  }

  play() {
    const { film, talk } = this;
    if (this.comparing) this.compare();
    if (film.playing) return film.play(false);
    const { request } = talk;
    const { qd_after } = this.valuesFor(request);
    this.course ??= courseOf(this.tree(), request, qd_after.includes(null) ? request.qd : qd_after);
    film.play();
  }

  compare() {
    this.stand();
    this.comparing = !this.comparing;
    const { camera, comparing, stage, talk } = this;
    if (comparing) this.near = { centre: camera.centre, zoom: camera.zoom };
    else Object.assign(camera, this.near);
    stage.fills = 0;
    this.seen = {}; // all is drawn anew, also where a film begins at once
    talk.update();
    if (!comparing) return stage.settle();
    stage.fitting = 0.85; // and again when the map has come
    stage.fit();
  }

  stand() {
    const { film } = this;
    Object.assign(film, { playing: false, clock: 0 });
    this.course = null;
  }

  // Another chain than Python's last answer was about is the page's own until Python has caught up.
  valuesFor(request) {
    const { talk } = this;
    const { values } = talk.result();
    return values.chain === request.chain ? values : this.embedded(request);
  }

  // The map depends on all that is asked for but its own two coordinates.
  keyOf(request) {
    const { chains } = this;
    const { chain, body, normal, restitution, axes, feel } = request;
    const q = request.q.map((x, k) =>
      axes.some((axis) => axis !== "along" && chains[chain].column[axis] === k) ? 0 : x,
    );
    const end = chains[chain].end[body];
    const point = axes.includes("along")
      ? subtract(request.point, scale(shareAlong(chains[chain], request), end)).map((x) => rounded(x, 9))
      : request.point;
    const physics = globalThis.chaindynPhysics?.version;
    return JSON.stringify([chain, q, request.qd, body, point, normal, restitution, axes, feel, physics]);
  }

  // The blow is asked for at once, a new map when the hand rests: it takes longer.
  ask(change) {
    const { talk } = this;
    this.stand();
    talk.ask({ ...change, map: null });
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.askMap(), 80);
  }

  askMap() {
    const { talk } = this;
    const key = this.keyOf(talk.request);
    if (key !== this.held.key || (talk.live && !this.held.python)) talk.ask({ map: key });
  }

  setJoint(i, value) {
    this.ask({ q: withJoint(this.tree(), this.talk.request.q, i, value) });
  }

  aim(direction) {
    norm(direction) > 1e-6 && this.ask({ normal: scale(1 / norm(direction), direction) });
  }

  setPlace([across, up]) {
    const { talk } = this;
    const there = atShare(
      this.tree(),
      atShare(this.tree(), talk.request, talk.request.axes[0], across),
      talk.request.axes[1],
      up,
    );
    this.ask({ q: there.q, point: there.point });
  }

  // Pulled at, the point of the blow stays on the line of its link where it comes near it.
  strikeAt(wanted) {
    const { talk } = this;
    const { R, p } = poses(this.tree(), talk.request.q);
    const { body } = talk.request;
    const point = apply(transpose(R[body]), subtract(wanted, p[body]));
    const end = this.tree().end[body];
    const on = scale(Math.max(0, Math.min(1, shareAlong(this.tree(), { body, point }))), end);
    this.ask({ point: norm(subtract(point, on)) < 0.04 * this.tree().reach ? on : point });
  }

  arm() {
    return ARM * this.tree().reach;
  }

  struck() {
    const { talk } = this;
    const { R, p } = poses(this.tree(), talk.request.q);
    return add(p[talk.request.body], apply(R[talk.request.body], talk.request.point));
  }

  choose(index) {
    const { camera, chains, stage } = this;
    const { start } = chains[index];
    Object.assign(camera, cameraFor(chains[index], start));
    Object.assign(stage, sceneAround(chains[index], start));
    stage.settle();
    this.ask({ ...start, chain: index });
  }

  paintScene(values, request) {
    const { film, stage } = this;
    return paintFilm(stage, this.tree(), values, request, sceneAt(this.course, film.clock));
  }

  show() {
    const { film, refreshers, stage, talk } = this;
    const { colours, numbers, otherButton, panel, panels, playButton, standButton, report, words } = this.controls;
    if (film.playing && this.seen.request === talk.request && this.seen.answer === talk.answer)
      return stage.draw(() => this.paintScene(this.seen.values, this.seen.request));
    const result = talk.result();
    const { request } = talk;
    if (result.values.map) this.held = { ...result.values.map, python: talk.live && !result.error };
    const values = this.valuesFor(request);
    if (!talk.live) result.error = fromBlow(this.tree(), { ...request, map: null }).fault;
    stage.draw(() =>
      (this.course ? (values, request) => this.paintScene(values, request) : (values, b) => paint(this, values, b))(
        values,
        request,
      ),
    );
    playButton.textContent = film.playing ? "pause" : this.course ? "go on" : "play the blow";
    standButton.disabled = !this.course;
    colours.replaceChildren(this.comparing ? keyOfOthers() : keyOfColours());
    otherButton.setAttribute("aria-pressed", String(this.comparing));
    refreshers.forEach((refresh) => refresh());
    if (panel.childElementCount > 1 || panel.firstChild !== panels[request.chain])
      panel.replaceChildren(panels[request.chain]);
    showMap(this, request);
    words.textContent = judge(values, request);
    numbers.replaceChildren(jointTable(this, values, request));
    report({ ...result, error: result.error || (this.held.error ?? "") }, words.textContent);
    this.seen = { request, answer: talk.answer, values };
  }

  close() {
    const { unwatch } = this;
    clearTimeout(this.resting);
    unwatch();
    super.close();
  }
}

const render = rendering(ImpactView);

export default { render };
