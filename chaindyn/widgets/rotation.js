// The view of RotationExplorer. The request is {w, target}: the rotation vectors that are set [rad].

import { Camera } from "./camera.js";
import { button, group, html, numberRow, numberTable, section } from "./elements.js";
import { exp_so3 } from "./emitted/exp_so3.js";
import { log_so3 } from "./emitted/log_so3.js";
import { fromVectors, judge, UNIT, volume, WAYS } from "./rotation_ways.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { add, cross, degrees, dot, multiply, norm, radians, scale, shown, subtract, transpose } from "./vectors.js";

const SIDES = [1.2, 0.8, 0.4]; // of the brick [m]
const REACH = 0.42; // how long a vector is drawn for 1 rad [m]
const ARCBALL = 0.8; // radius of the ball that is turned by pulling at the brick [m]
const NEAR_FLIP = 2.7; // from this angle on the arrow of the other way round is shown, too [rad]
const AXES = ["x", "y", "z"];

function render({ model, el }) {
  const scene = model.get("scene");
  const talk = new Talk(model, {
    embedded: (request) => fromVectors(scene, request),
    data: "Rodrigues\u2019 formula and its inverse",
    show,
  });
  const camera = new Camera(132);
  const stage = new LitStage("A brick and its rotation vector", camera, talk.update, {
    floor: -1.4,
    extent: 1.4,
    looks: false,
  });
  let chosen = "one turn";
  let place = 0; // on the way, a whole number of steps
  let began = null; // while it plays: when, by the clock of the page [ms]
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  const shortened = (w) => scale(Math.min(1, (2 * Math.PI) / (norm(w) || 1)), w);
  function set(values) {
    [place, began] = [0, null];
    talk.ask(Object.fromEntries(Object.entries(values).map(([name, w]) => [name, shortened(w)])));
  }
  const turnBy = (R) => set({ w: log_so3(multiply(R, exp_so3(talk.request.w))) });
  const vectorRow = (name, of, axis, i) => {
    const get = () => talk.request[name][i];
    const range = { of, min: -6.28, max: 6.28, step: 0.02, unit: "rad" };
    return row(
      numberRow(axis, range, get, (x) => set({ [name]: talk.request[name].map((old, k) => (k === i ? x : old)) })),
    );
  };

  function setPlace(s) {
    place = Math.round(scene.steps * Math.max(0, Math.min(1, s)));
    talk.update();
  }
  function play() {
    began = began === null ? performance.now() - 3000 * (place < scene.steps ? place / scene.steps : 0) : null;
    if (began !== null) requestAnimationFrame(advance);
    talk.update();
  }
  function advance(now) {
    if (began === null) return;
    setPlace((now - began) / 3000);
    if (place < scene.steps) requestAnimationFrame(advance);
    else began = null;
  }

  const named = (text, label, onclick) => html("button", { type: "button", "aria-label": label, onclick }, text);
  const coloured = (colour, title, ...children) =>
    html("details", {}, html("summary", { class: colour }, title), ...children);
  const ways = Object.keys(WAYS).map((name) =>
    button(name, () => {
      chosen = name;
      talk.update();
    }),
  );
  const playButton = button("play", play);
  const quarter = (i) =>
    named(AXES[i], `quarter turn about ${AXES[i]}`, () => turnBy(exp_so3(scale(Math.PI / 2, UNIT[i]))));
  const [numbers, angleWords, verdictWords] = [html("div"), html("p"), html("p", { class: "work" })];
  const controls = [
    group("How to get to the target", ...ways),
    row(
      numberRow(
        "s",
        { min: 0, max: 1, step: 1 / scene.steps, digits: 3 },
        () => place / scene.steps,
        (s) => {
          began = null;
          setPlace(s);
        },
      ),
    ),
    coloured(
      "motion",
      "Rotation vector w",
      ...AXES.map((axis, i) => vectorRow("w", "w", axis, i)),
      group("Quarter turns about the fixed axes", "turn by 90\u00b0 about", quarter(0), quarter(1), quarter(2)),
      group(
        "Attitude",
        button("no rotation", () => set({ w: [0, 0, 0] })),
        button("make it the target", () => set({ target: talk.request.w })),
      ),
    ),
    coloured("force", "Target", ...AXES.map((axis, i) => vectorRow("target", "target", axis, i))),
    section("Matrix and vectors", false, numbers),
  ];

  // Pulled at, the brick turns with the point of a ball about it that is under the pointer.
  function onBall(where) {
    const across = camera.lift(subtract(where, camera.project([0, 0, 0])));
    const inside = ARCBALL ** 2 - dot(across, across);
    return inside > 0
      ? add(across, scale(Math.sqrt(inside), camera.axes().toward))
      : scale(ARCBALL / norm(across), across);
  }
  stage.onGrab = (_, where, moved) => {
    const [from, to] = [onBall(where), onBall(add(where, moved))];
    const axis = cross(from, to);
    if (norm(axis) > 0) turnBy(exp_so3(scale(Math.atan2(norm(axis), dot(from, to)) / norm(axis), axis)));
  };
  stage.handle(
    "Rotation vector",
    "motion",
    () => scale(REACH, talk.request.w),
    (point) => set({ w: scale(1 / REACH, point) }),
  );
  const tell = layout(el, stage, controls, html("div", {}, group("Way", playButton), verdictWords, angleWords));

  function show() {
    const result = talk.result();
    const { log } = result.values;
    const way = WAYS[chosen](result.values, scene.steps);
    stage.draw(() => paint(result.values, way));
    refreshers.forEach((refresh) => refresh());
    ways.forEach((each) => each.setAttribute("aria-pressed", each.textContent === chosen));
    playButton.textContent = began === null ? "play" : "stop";
    const angle = norm(log);
    const where = place ? `At s = ${shown(place / scene.steps)} of the way: the matrix` : "Attitude R = exp w";
    const verdict = judge(chosen, way);
    angleWords.textContent = aboutAngle(angle, talk.request.w);
    verdictWords.textContent = verdict;
    numbers.replaceChildren(
      numberTable(
        `${where}; its columns are the axes of the brick`,
        AXES,
        way[place].map((entries, i) => [AXES[i], ...entries]),
      ),
      numberTable("What is set, and what is found in R [rad]", AXES, [
        ["w", ...talk.request.w],
        ["log R", ...log],
      ]),
    );
    tell(
      result,
      `Angle ${shown(degrees(angle), 0)} degrees. log R: ${log.map((x) => shown(x)).join(", ")}. ${verdict}`,
    );
  }

  function aboutAngle(angle, w) {
    const quaternion = [
      Math.cos(angle / 2),
      ...scale(angle ? Math.sin(angle / 2) / angle : 0.5, talk.result().values.log),
    ];
    const text =
      `Angle ${shown(degrees(angle), 1)}\u00b0 about the arrow, quaternion ` +
      `(${quaternion.map((x) => shown(x)).join(", ")}).`;
    if (norm(w) > Math.PI)
      return `${text} w is longer than half a turn: log R goes the shorter way, and points to the other side.`;
    if (angle > NEAR_FLIP)
      return (
        `${text} Another ${shown(180 - degrees(angle), 1)}\u00b0, and log R jumps to the other side of the ball ` +
        "(dashed)."
      );
    return (
      `${text} Pull at the brick, or at the tip of the arrow. The circle is the ball of half a turn: no log R ` +
      "leaves it."
    );
  }

  function paint({ log, target }, way) {
    const { right, up } = camera.axes();
    const round = Array.from({ length: 73 }, (_, k) =>
      scale(Math.PI * REACH, add(scale(Math.cos(radians(5 * k)), right), scale(Math.sin(radians(5 * k)), up))),
    );
    stage.line(round, "faint", { width: 1 });
    stage.axes([0, 0, 0], UNIT, "", 1);
    AXES.forEach((axis, i) => stage.text(UNIT[i], axis, [4, -4]));
    const tip = (R) => scale(0.5 * SIDES[0], transpose(R)[0]);
    paintFaces(way[place]);
    paintEdges(target);
    stage.line(way.map(tip), "slide", { width: 3, dash: "2 6" });
    if (log.includes(null)) return;
    const angle = norm(log);
    if (angle > NEAR_FLIP)
      stage.line([[0, 0, 0], scale(REACH * (1 - (2 * Math.PI) / angle), log)], "motion", { width: 2, dash: "5 6" });
    if (norm(subtract(log, talk.request.w)) > 1e-6)
      stage.line([[0, 0, 0], scale(REACH, talk.request.w)], "motion", { width: 1.5 });
    stage.arrow([0, 0, 0], scale(REACH, log), "motion", { width: 4 });
    stage.text(scale(REACH, log), "log R", [12, -10]);
  }

  // The corners of one face, around it: along `side` of axis i, on which the two other axes span it.
  function corners(R, i, side) {
    const half = transpose(R).map((axis, k) => scale(SIDES[k] / 2, axis));
    const [u, v] = [half[(i + 1) % 3], half[(i + 2) % 3]];
    return [
      [1, 1],
      [-1, 1],
      [-1, -1],
      [1, -1],
    ].map(([a, b]) => [scale(side, half[i]), scale(a, u), scale(b, v)].reduce(add));
  }
  // The brick, with the colour of each axis on the two faces that it goes through.
  function paintBrick(R) {
    const box = (name, sides, colour, opacity) =>
      stage.solid(name, { shape: "box", R, centre: [0, 0, 0], sides }, colour, null, { opacity });
    AXES.forEach((axis, i) =>
      box(
        `side ${axis}`,
        SIDES.map((side, k) => (k === i ? side + 0.02 : side - 0.08)),
        axis,
        0.65,
      ),
    );
    return box("brick", SIDES, "body", 1);
  }
  // The faces that look this way; where the matrix is no rotation, these are not those whose axes do.
  function paintFaces(R) {
    if (R.flat().includes(null)) return;
    const seen = !paintBrick(R);
    for (const i of [0, 1, 2]) {
      const columns = transpose(R);
      const outward = scale(Math.sign(volume(R)), cross(columns[(i + 1) % 3], columns[(i + 2) % 3]));
      const side = Math.sign(dot(outward, camera.axes().toward)) || 1;
      stage.face(corners(R, i, side), `${AXES[i]}${side > 0 ? "" : " back"}`, "brick", { seen });
      if (side > 0) stage.text(scale(SIDES[i] / 2, columns[i]), AXES[i], [-4, 5]);
    }
  }
  function paintEdges(R) {
    if (R.flat().includes(null)) return;
    for (const side of [1, -1]) {
      const around = corners(R, 0, side);
      stage.line([...around, around[0]], "force", { width: 1.5, dash: "6 4" });
    }
    const [near, far] = [corners(R, 0, 1), corners(R, 0, -1)];
    near.forEach((corner, k) => stage.line([corner, far[k]], "force", { width: 1.5, dash: "6 4" }));
    const rightmost = [...near, ...far].reduce((a, b) => (camera.project(b)[0] > camera.project(a)[0] ? b : a));
    stage.text(rightmost, "target", [6, 6]);
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
