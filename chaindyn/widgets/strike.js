// The view of StrikeExplorer, the first screen: a chain that swings into a wall in slow motion, over and over, and
// what the blow does to it. The request is that of ImpactExplorer, without a map.

import { endPoints, plate } from "./blow.js";
import { fromBlow } from "./blow_answer.js";
import { Camera } from "./camera.js";
import { arrived, courseOf, cutOf, paintFilm, sceneAt, turnOfJoint } from "./course.js";
import { Film } from "./film.js";
import { LitStage } from "./stage.js";
import { addControls } from "./strike_controls.js";
import { sharedIn } from "./strike_share.js";
import { nameOf, originOfBlow, requestAt } from "./strike_whence.js";
import { answer, captionOf } from "./strike_words.js";
import { Talk } from "./talk.js";
import { poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, dot, norm, scale, subtract } from "./vectors.js";
import { rendering, View } from "./view.js";
import { goOn, keyOf, Whence } from "./whence.js";

const SIZES = { wide: [640, 470], narrow: [420, 350] }; // of the picture, so that its letters can be read
const BACK = 0.26; // how far behind the wall the handle that turns it is, in reaches of the chain

// Turn the camera to these points, so that all are in the picture with some room around.
function fit(camera, points, room = 34) {
  const { right, up, toward } = camera.axes();
  const [low, high] = [Math.min, Math.max].map((pick) =>
    [right, up, toward].map((axis) => pick(...points.map((x) => dot(axis, x)))),
  );
  const middle = scale(0.5, add(low, high));
  camera.centre = [right, up, toward].map((axis, k) => scale(middle[k], axis)).reduce(add);
  camera.zoom = Math.min(...camera.size.map((pixels, k) => (pixels - 2 * room) / (high[k] - low[k])));
}

class StrikeView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene.chains[0];
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the arm\u2019s masses, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera = new Camera(
      300,
      [0, 0, 0],
      SIZES[this.el.clientWidth && this.el.clientWidth < 640 ? "narrow" : "wide"],
    );
    this.camera.look(this.tree.view);
    if (this.tree.view === "space") Object.assign(this.camera, { yaw: -116, tilt: 17 });
    this.stage = new LitStage(
      "The chain and the wall",
      this.camera,
      this.talk.update,
      sceneAround(this.tree, this.talk.request),
    );
    this.movable = this.tree.names.map((_, i) => i).filter((i) => this.tree.column[i] !== null);
    this.course = undefined; // of the request and the answer that `known` tells
    this.way = undefined; // of the struck point in it
    this.known = undefined;
    this.words = "";
    this.film = new Film(() => cutOf(this.course).end, this.talk.update);
    this.unwatch = this.film.watch(this.el);
    this.swingWhenLetGo();
    this.letHandsIn();
    this.whence = new Whence((numbers) => {
      const change = requestAt(this.tree, numbers);
      if (change) this.ask(change);
    });
    /** @type {Map<string, import("./whence.js").Asked>} */
    this.questions = new Map();
    this.controls = addControls(this);
    this.followPage();
    this.show();
    this.talk.ask({ map: null });
    this.whence.follow();
    this.followLink();
  }

  // What is taken hold of stands at the instant of the blow; let go, or left alone for a while, it swings again.
  swingWhenLetGo() {
    this.resting = 0;
    this.pressed = false;
    this.el.addEventListener("pointerdown", () => {
      this.pressed = true;
    });
    this.released = () => {
      if (!this.pressed) return;
      this.pressed = false;
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.letGo(), 250);
    };
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, this.released);
  }

  // The wall is turned, and the joints, by what is pulled in the picture.
  letHandsIn() {
    this.stage.handle(
      "The wall: turn it",
      "force",
      () => this.behind(),
      (tail) => this.aim(subtract(this.struck(), tail)),
    );
    this.stage.onGrab = (link, where, moved) => {
      // Where the film stands elsewhere, the arm is first taken to the instant of the blow.
      if (!this.film.still) return this.ask({});
      const [i, change] = pulled(this.tree, this.camera, poses(this.tree, this.talk.request.q), link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.tree.column[i]] + change);
    };
  }

  // What the page does: it is printed, or a link to a blow is followed.
  followPage() {
    // On paper the film stands at the instant of the blow.
    this.onPaper = () => {
      this.film.playing = false;
      this.film.still = true;
      this.show();
    };
    addEventListener("beforeprint", this.onPaper);
    this.followLink = () => {
      const change = sharedIn(location.hash, this.tree);
      if (change) this.ask(change);
    };
    addEventListener("hashchange", this.followLink);
  }

  // A button on a number of the answers, which tells where it comes from; the same question whenever they are anew.
  asks(kind, i, text) {
    const name = nameOf(this.tree, kind, i);
    const key = keyOf("blow", name);
    if (!this.questions.has(key)) {
      const origin = () => originOfBlow(this.tree, this.talk.request, kind, i, this.scene.lines);
      this.questions.set(key, { key, name, origin });
    }
    const own = this.whence.ask(this.questions.get(key), text);
    own.setAttribute("aria-label", `${name} ${text}: where is it from?`);
    own.tabIndex = kind === "impulse" ? 0 : -1;
    own.addEventListener("keydown", (event) =>
      goOn(event, own, [...this.controls.answers.querySelectorAll("button.asks")]),
    );
    return own;
  }

  embedded(request) {
    return fromBlow(this.tree, { ...request, map: null }).values;
  }

  ask(change) {
    const { film, talk } = this;
    film.playing = false;
    film.still = true;
    talk.ask({ ...change, map: null });
    clearTimeout(this.resting);
    if (!this.pressed) this.resting = setTimeout(() => this.letGo(), 900);
  }

  take(change) {
    this.ask(change);
  }

  letGo() {
    const { calm, film } = this;
    if (!film.still || calm.matches) return;
    film.still = false;
    film.clock = 0;
    film.play();
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    this.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  aim(direction) {
    norm(direction) > 1e-6 && this.ask({ normal: scale(1 / norm(direction), direction) });
  }

  struck() {
    const { talk, tree } = this;
    const { R, p } = poses(tree, talk.request.q);
    return add(p[talk.request.body], apply(R[talk.request.body], talk.request.point));
  }

  behind() {
    const { talk, tree } = this;
    return subtract(this.struck(), scale(BACK * tree.reach, talk.request.normal));
  }

  show() {
    const { film, movable, refreshers, stage, talk, tree } = this;
    const { answers, caption, play, scrub, report } = this.controls;
    const result = talk.result();
    const { request } = talk;
    const { values } = result;
    const asked = JSON.stringify([request, values.qd_after]);
    if (asked !== this.known) {
      const first = !this.known;
      this.known = asked;
      const after = values.qd_after.includes(null) ? request.qd : values.qd_after;
      this.course = courseOf(tree, request, after);
      this.way = { before: this.wayOf(this.course.before, request), after: this.wayOf(this.course.after, request) };
      if (first) this.begin();
      answer(this, values, request);
      this.whence.refresh();
      refreshers.forEach((refresh) => refresh());
      report(
        { ...result, error: talk.live ? result.error : fromBlow(tree, { ...request, map: null }).fault },
        this.words,
      );
    }
    if (film.still) film.clock = cutOf(this.course).leave - 1e-6;
    const scene = sceneAt(this.course, film.clock);
    stage.draw(() => paintFilm(stage, tree, values, request, scene, this.way));
    caption.textContent = captionOf(this, values, request, scene);
    play.textContent = film.playing ? "Pause" : "Play";
    if (scrub.getRootNode().activeElement !== scrub || film.playing) scrub.value = film.clock / cutOf(this.course).end;
    const lit = film.still
      ? -1
      : movable.findLast(
          (i) => arrived(i, tree.names.length, scene.flash) < 1 && scene.flash > turnOfJoint(i, tree.names.length),
        );
    answers
      .querySelectorAll("tbody tr")
      .forEach((line, k) => line.classList.toggle("lit", k % movable.length === movable.indexOf(lit)));
  }

  // Where the struck point comes by, now and then.
  wayOf(states, { body, point }) {
    const { tree } = this;
    const some = states.filter((_, k) => k % 7 === 0).map(([q]) => poses(tree, q));
    return some.map(({ R, p }) => add(p[body], apply(R[body], point)));
  }

  // The camera has the whole film in its picture; the film starts, for readers who do not mind.
  begin() {
    const { calm, camera, film, stage, talk, tree } = this;
    const seen = [...this.course.before, ...this.course.after].flatMap(([q]) => endPoints(tree, poses(tree, q)));
    fit(camera, [
      [0, 0, stage.floor],
      ...seen,
      ...plate(this.struck(), talk.request.normal, tree.reach).back,
      this.behind(),
    ]);
    stage.settle();
    film.still = calm.matches;
    film.playing = !calm.matches;
    if (film.playing) film.next();
  }

  close() {
    const { onPaper, released, unwatch } = this;
    removeEventListener("beforeprint", onPaper);
    removeEventListener("hashchange", this.followLink);
    clearTimeout(this.resting);
    this.whence.end();
    unwatch();
    for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, released);
    super.close();
  }
}

const render = rendering(StrikeView);

export default { render };
