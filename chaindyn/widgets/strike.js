// The view of StrikeExplorer, the first screen: a chain that swings into a wall in slow motion, over and over, and
// what the blow does to it. The request is that of ImpactExplorer, without a map.

import { endPoints, plate, tiltOf, toDirection, turnOf } from "./blow.js";
import { fromBlow } from "./blow_answer.js";
import { Camera } from "./camera.js";
import { arrived, courseOf, cutOf, paintFilm, SLOWER, sceneAt, turnOfJoint } from "./course.js";
import { button, html, numberRow, section } from "./elements.js";
import { Film } from "./film.js";
import { LitStage } from "./stage.js";
import { barRow, few, plainName } from "./strike_rows.js";
import { layout, Talk } from "./talk.js";
import { jointRow, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, dot, norm, scale, shown, subtract } from "./vectors.js";

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

function render({ model, el }) {
  const [tree] = model.get("scene").chains;
  const embedded = (request) => fromBlow(tree, { ...request, map: null }).values;
  const talk = new Talk(model, {
    embedded,
    data: "the arm\u2019s masses, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const camera = new Camera(300, [0, 0, 0], SIZES[el.clientWidth && el.clientWidth < 640 ? "narrow" : "wide"]);
  camera.look(tree.view);
  if (tree.view === "space") Object.assign(camera, { yaw: -116, tilt: 17 });
  const stage = new LitStage("The chain and the wall", camera, talk.update, sceneAround(tree, talk.request));
  const movable = tree.names.map((_, i) => i).filter((i) => tree.column[i] !== null);
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };
  let course; // of the request and the answer that `known` tells
  let way; // of the struck point in it
  let known;
  let words = "";

  const film = new Film(() => cutOf(course).end, talk.update);
  const unwatch = film.watch(el);

  // What is taken hold of stands at the instant of the blow; let go, or left alone for a while, it swings again.
  let [resting, pressed] = [0, false];
  function ask(change) {
    film.playing = false;
    film.still = true;
    talk.ask({ ...change, map: null });
    clearTimeout(resting);
    if (!pressed) resting = setTimeout(letGo, 900);
  }
  function letGo() {
    if (!film.still || calm.matches) return;
    film.still = false;
    film.clock = 0;
    film.play();
  }
  el.addEventListener("pointerdown", () => {
    pressed = true;
  });
  const released = () => {
    if (!pressed) return;
    pressed = false;
    clearTimeout(resting);
    resting = setTimeout(letGo, 250);
  };
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, released);

  const setJoint = (i, value) => ask({ q: withJoint(tree, talk.request.q, i, value) });
  const aim = (direction) => norm(direction) > 1e-6 && ask({ normal: scale(1 / norm(direction), direction) });
  const struck = () => {
    const { R, p } = poses(tree, talk.request.q);
    return add(p[talk.request.body], apply(R[talk.request.body], talk.request.point));
  };
  const behind = () => subtract(struck(), scale(BACK * tree.reach, talk.request.normal));
  stage.handle("The wall: turn it", "force", behind, (tail) => aim(subtract(struck(), tail)));
  stage.onGrab = (link, where, moved) => {
    // Where the film stands elsewhere, the arm is first taken to the instant of the blow.
    if (!film.still) return ask({});
    const [i, change] = pulled(tree, camera, poses(tree, talk.request.q), link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[tree.column[i]] + change);
  };

  const play = button("Pause", () => {
    if (film.still || !film.playing) {
      film.clock = film.still ? 0 : film.clock;
      film.still = false;
      film.play();
    } else film.play(false);
  });
  const scrub = html("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 0.001,
    "aria-label": "time of the film",
    oninput: () => {
      film.playing = film.still = false;
      film.clock = Number(scrub.value) * (cutOf(course).end - 1e-9);
      talk.update();
    },
  });
  const restitution = numberRow(
    "restitution",
    { min: 0, max: 1, step: 0.01 },
    () => talk.request.restitution,
    (value) => ask({ restitution: Math.max(0, Math.min(1, value)) }),
  );
  const speed = (i) => {
    const unit = tree.kind[i] === "Revolute" ? "rad/s" : "m/s";
    const set = (value) => ask({ qd: talk.request.qd.map((old, k) => (k === tree.column[i] ? value : old)) });
    return numberRow(
      plainName(tree.names[i]),
      { of: "speed of", min: -3, max: 3, step: 0.05, unit },
      () => talk.request.qd[tree.column[i]],
      set,
    );
  };
  const angle = (name, range, from, to) =>
    numberRow(
      name,
      { of: "wall", min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
      () => from(talk.request.normal),
      (value) => aim(to(value)),
    );
  const joints = { ...tree, names: tree.names.map(plainName) };
  const more = section(
    "Posture, speeds and wall in numbers",
    false,
    html(
      "p",
      { class: "aside" },
      "At the instant of the blow: where the joints are, how fast they turn, where the wall\u2019s normal points.",
    ),
    ...movable.map((i) =>
      row(
        jointRow(
          joints,
          i,
          () => talk.request.q[tree.column[i]],
          (value) => setJoint(i, value),
        ),
      ),
    ),
    ...movable.map((i) => row(speed(i))),
    row(angle("turn", 180, turnOf, (turn) => toDirection(turn, tiltOf(talk.request.normal)))),
    row(angle("tilt", 90, tiltOf, (tilt) => toDirection(turnOf(talk.request.normal), tilt))),
  );
  const strip = html("div", { class: "strip" }, play, scrub);
  const answers = html("div", { class: "answers" });
  const hint = html(
    "p",
    { class: "aside" },
    `${SLOWER} times slower than it is. Drag a link, or the dot behind the wall; let go, and it swings again.`,
  );
  const tell = layout(el, stage, [answers], html("div", {}));
  el.querySelector(".chaindyn").classList.add("strike");
  stage.element.after(strip, row(restitution), hint, more);

  function show() {
    const result = talk.result();
    const { request } = talk;
    const { values } = result;
    const asked = JSON.stringify([request, values.qd_after]);
    if (asked !== known) {
      const first = !known;
      known = asked;
      const after = values.qd_after.includes(null) ? request.qd : values.qd_after;
      course = courseOf(tree, request, after);
      way = { before: wayOf(course.before, request), after: wayOf(course.after, request) };
      if (first) begin();
      answer(values, request);
      refreshers.forEach((refresh) => refresh());
      tell({ ...result, error: talk.live ? result.error : fromBlow(tree, { ...request, map: null }).fault }, words);
    }
    if (film.still) film.clock = cutOf(course).leave - 1e-6;
    const scene = sceneAt(course, film.clock);
    stage.draw(() => paintFilm(stage, tree, values, request, scene, way));
    play.textContent = film.playing ? "Pause" : "Play";
    if (scrub.getRootNode().activeElement !== scrub || film.playing) scrub.value = film.clock / cutOf(course).end;
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
  function wayOf(states, { body, point }) {
    const some = states.filter((_, k) => k % 7 === 0).map(([q]) => poses(tree, q));
    return some.map(({ R, p }) => add(p[body], apply(R[body], point)));
  }

  // The camera has the whole film in its picture; the film starts, for readers who do not mind.
  function begin() {
    const seen = [...course.before, ...course.after].flatMap(([q]) => endPoints(tree, poses(tree, q)));
    fit(camera, [[0, 0, stage.floor], ...seen, ...plate(struck(), talk.request.normal, tree.reach).back, behind()]);
    stage.settle();
    film.still = calm.matches;
    film.playing = !calm.matches;
    if (film.playing) film.next();
  }

  function answer({ impulse, mass, before, after, qd_after, reactions }, { qd, normal }) {
    const [came, left] = [before, after].map((v) => (v.includes(null) ? null : dot(v, normal)));
    const question = (text) => html("p", { class: "question" }, text);
    const as =
      impulse === 0
        ? `No blow: the point ${came > 0 ? "is leaving the wall" : "rests against the wall"}.`
        : `as if a ball of ${shown(mass)} kg had come at ${shown(-came)} m/s and left at ${shown(left)} m/s.`;
    const forces = movable.map((i) => (reactions[i].includes(null) ? null : norm(reactions[i])));
    const largest = Math.max(impulse ?? 0, ...forces);
    const fastest = Math.max(...qd.map(Math.abs), ...qd_after.map((x) => Math.abs(x ?? 0)));
    words = `Impulse ${shown(impulse)} N s, ${as}`;
    answers.replaceChildren(
      question("How strong was the blow?"),
      html("p", { class: "answer" }, html("b", {}, `${shown(impulse)} N\u00a0s`), ` ${as}`),
      question("What does each joint\u2019s speed become?"),
      few(
        ["before", "after"],
        movable.map((i) => {
          const [was, now] = [qd[tree.column[i]], qd_after[tree.column[i]]];
          return barRow(
            plainName(tree.names[i]),
            [shown(was), shown(now)],
            [
              ["was", was],
              ["now", now ?? 0],
            ],
            fastest,
          );
        }),
      ),
      question("What did each bearing have to carry?"),
      few(
        ["N\u00a0s"],
        movable.map((i, k) =>
          barRow(plainName(tree.names[i]), [shown(forces[k])], [["push", forces[k] ?? 0]], largest),
        ),
      ),
    );
  }

  // On paper the film stands at the instant of the blow.
  const onPaper = () => {
    film.playing = false;
    film.still = true;
    show();
  };
  addEventListener("beforeprint", onPaper);

  show();
  talk.ask({ map: null });
  return () => {
    removeEventListener("beforeprint", onPaper);
    clearTimeout(resting);
    unwatch();
    for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, released);
    stage.close();
    talk.close();
  };
}

export default { render };
