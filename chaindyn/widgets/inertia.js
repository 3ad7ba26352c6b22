// The view of InertiaExplorer. The request is {sides, spin}: of a brick [m], and in its own axes as it is let go
// [rad/s].

import { Camera } from "./camera.js";
import { button, group, html, numberRow, numberTable, section } from "./elements.js";
import { rotation_from_quaternion } from "./emitted/rotation_from_quaternion.js";
import { AXES, flightOf, fromTables, UPRIGHT } from "./inertia_model.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { add, apply, dot, norm, radians, rounded, scale, shown, transpose } from "./vectors.js";

const REACH = 0.27; // how long the spin is drawn for 1 rad/s [m]

function render({ model, el }) {
  const scene = model.get("scene");
  const [shortest, longest] = scene.limits;
  const [interval, duration] = [scene.step * scene.kept, scene.step * scene.steps];
  const computed = {}; // by the page, for the latest request
  const embedded = (request) => {
    if (computed.request !== request) Object.assign(computed, { request, values: fromTables(scene, request) });
    return computed.values;
  };
  const talk = new Talk(model, { embedded, data: "an embedded table of your newton_euler", show });
  const camera = new Camera(130);
  const stage = new LitStage("A brick that spins freely", camera, talk.update, {
    floor: -1.35,
    extent: 1.4,
    looks: false,
  });
  const drawn = {}; // the flight, and the values it was made from
  let time = 0;
  let began = null; // while it flies: when, by the clock of the page [ms]
  let riding = false; // seen by an observer who turns with the brick
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  const within = (x, low, high) => rounded(Math.max(low, Math.min(high, x)));
  const rewind = () => {
    [time, began] = [0, null];
  };
  const change = (values) => {
    rewind();
    talk.ask(values);
  };
  const replaced = (all, i, x) => all.map((old, k) => (k === i ? x : old));
  const setSide = (i, side) => change({ sides: replaced(talk.request.sides, i, within(side, shortest, longest)) });
  const setSpin = (spin) => change({ spin: spin.map((w) => within(w, -scene.fastest, scene.fastest)) });
  const setTime = (wanted) => {
    time = within(wanted, 0, duration);
    talk.update();
  };

  // A value between two samples.
  function at(samples) {
    const place = Math.min(time / interval, samples.length - 1);
    const i = Math.floor(place);
    return add(scale(1 - (place - i), samples[i]), scale(place - i, samples[Math.min(i + 1, samples.length - 1)]));
  }
  const pose = () => rotation_from_quaternion(riding ? UPRIGHT : at(drawn.attitude));

  function play() {
    began = began === null ? performance.now() - (time < duration ? 1000 * time : 0) : null;
    if (began !== null) requestAnimationFrame(advance);
    talk.update();
  }
  function advance(now) {
    if (began === null) return;
    setTime((now - began) / 1000);
    if (time < duration) requestAnimationFrame(advance);
    else began = null;
  }
  // Spin about the longest, middle or shortest side, but for a little.
  function throwAbout(rank) {
    const { sides } = talk.request;
    const axis = [0, 1, 2].sort((a, b) => sides[b] - sides[a])[rank];
    setSpin([0, 1, 2].map((k) => (k === axis ? 4 : k === (axis + 1) % 3 ? 0.2 : 0)));
    play();
  }

  const playButton = button("play", play);
  const rideButton = button("ride along", () => {
    riding = !riding;
    talk.update();
  });
  const throwButton = (name, rank) =>
    html(
      "button",
      { type: "button", "aria-label": `throw about the ${name} side`, onclick: () => throwAbout(rank) },
      name,
    );
  const side = (axis, i) => {
    const get = () => talk.request.sides[i];
    const set = (value) => value >= shortest && setSide(i, value); // 0.3 begins with a 0
    return row(numberRow(axis, { of: "side", min: shortest, max: longest, step: 0.05, unit: "m" }, get, set));
  };
  const spinAbout = (axis, i) => {
    const range = { min: -scene.fastest, max: scene.fastest, step: 0.1 };
    const set = (w) => setSpin(replaced(talk.request.spin, i, w));
    return row(numberRow(axis, { of: "spin", ...range, unit: "rad/s" }, () => talk.request.spin[i], set));
  };
  const moment = { min: 0, max: duration, step: 0.02, unit: "s" };
  const [numbers, verdict, energies] = [html("div"), html("p", { class: "work" }), html("p")];
  const heading = (text) => html("p", { class: "legend" }, text);
  const controls = [
    group("Throw about a side", "throw about", ...["longest", "middle", "shortest"].map(throwButton)),
    section(
      "Time, sides and spin, and all numbers",
      false,
      row(
        numberRow(
          "time",
          moment,
          () => time,
          (value) => {
            began = null;
            setTime(value);
          },
        ),
      ),
      heading("Sides of the brick"),
      ...AXES.map(side),
      heading("Spin at the start"),
      ...AXES.map(spinAbout),
      numbers,
      energies,
    ),
  ];

  const fly = ({ values }) => values !== drawn.values && Object.assign(drawn, flightOf(values, scene), { values });
  fly(talk.result());
  AXES.forEach((axis, i) => {
    const outward = () => transpose(pose())[i];
    const middle = () => scale(talk.request.sides[i] / 2, outward());
    stage.handle(`Side ${axis} of the brick`, axis, middle, (point) => setSide(i, 2 * dot(point, outward())));
  });
  const tip = () => apply(pose(), scale(REACH, talk.request.spin));
  stage.handle("Spin at the start", "motion", tip, (point) => setSpin(scale(1 / REACH, point)));
  // Whoever takes hold of the brick or its spin does so at the start, before the handle says where it is.
  for (const kind of ["pointerdown", "keydown"]) {
    stage.handles.addEventListener(
      kind,
      (event) => {
        if (event.key === "Tab") return;
        rewind();
        talk.update();
      },
      true,
    );
  }
  const tell = layout(el, stage, controls, html("div", {}, group("Flight", playButton, rideButton), verdict));

  function show() {
    const result = talk.result();
    fly(result);
    const [spin, momentum, [energy]] = [at(drawn.spin), at(drawn.momentum), at(drawn.energy.map((T) => [T]))];
    stage.draw(() => paint(pose(), spin));
    refreshers.forEach((refresh) => refresh());
    playButton.textContent = began === null ? "play" : "stop";
    rideButton.setAttribute("aria-pressed", riding);
    const milli = (values) => scale(1000, values);
    numbers.replaceChildren(
      numberTable("Moments of inertia I and spin \u03c9 in the brick\u2019s axes, angular momentum h in space", AXES, [
        ["I [g m\u00b2]", ...milli(drawn.moments)],
        ["\u03c9 [rad/s]", ...spin],
        ["h [g m\u00b2/s]", ...milli(momentum)],
      ]),
    );
    const first = shown(1000 * drawn.energy[0]);
    energies.textContent = `Energy at the start ${first} mJ, at ${shown(time)} s ${shown(1000 * energy)} mJ.`;
    verdict.textContent = drawn.verdict;
    if (!talk.live && !scene.exact)
      result.error = "This function is not quadratic in the spin, so that without Python the flight is a guess.";
    tell(result, drawn.verdict);
  }

  function paint(R, spin) {
    const half = scale(0.5, talk.request.sides);
    const place = (own) => apply(R, own);
    const ellipsoid = drawn.moments.map((I) => REACH * Math.sqrt((2 * drawn.energy[0]) / I)); // of spins of this energy
    const angles = Array.from({ length: 73 }, (_, k) => radians(5 * k));
    const solid = (shape, sides, colour, opacity) =>
      stage.solid(shape, { shape, R, centre: [0, 0, 0], sides }, colour, null, { opacity });
    const seen = !solid("box", talk.request.sides, "struck", 1);
    solid("ellipsoid", scale(2, ellipsoid), "motion", 0.16);
    for (const [i, j, k] of [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ]) {
      const point = (a, b, c) => place([0, 1, 2].map((axis) => (axis === i ? a : axis === j ? b : c)));
      const round = angles.map((angle) => point(0, ellipsoid[j] * Math.cos(angle), ellipsoid[k] * Math.sin(angle)));
      stage.line(round, "faint", { width: 1, opacity: 0.7 });
      for (const [b, c] of [
        [1, 1],
        [1, -1],
        [-1, 1],
        [-1, -1],
      ]) {
        const ends = [-half[i], half[i]].map((a) => point(a, b * half[j], c * half[k]));
        const near = camera.depth(add(...ends)) > 0;
        stage.line(ends, "ink", { width: near ? 2.5 : 1.5, opacity: near ? 1 : 0.6, seen });
      }
      stage.line([[0, 0, 0], point(half[i], 0, 0)], AXES[i], { width: 2 });
    }
    stage.line(
      drawn.spin.map((w) => place(scale(REACH, w))),
      "motion",
      { width: 2 },
    );
    const length = 1.4 / (norm(drawn.own[0]) || 1);
    const trace = riding ? drawn.own : drawn.momentum;
    stage.line(
      trace.map((h) => scale(length, h)),
      "force",
      { width: 2, dash: "3 5" },
    );
    const tips = [
      ["force", "h", scale(length, at(trace)), [10, -6]],
      ["motion", "\u03c9", place(scale(REACH, spin)), [-20, -8]],
    ];
    for (const [colour, name, displacement, offset] of tips) {
      stage.arrow([0, 0, 0], displacement, colour, { width: 3 });
      stage.text(displacement, name, offset);
    }
  }

  show();
  talk.ask();
  stage.beginWith(play);
  return () => {
    began = null;
    stage.close();
    talk.close();
  };
}

export default { render };
