// The view of ScrewExplorer. A screw of the request is {point, direction, pitch, size}: size is the rate of a motion
// [rad/s] or the magnitude of a force [N]; the frame B is {origin, turn}, turn in degrees about z.

import { Camera } from "./camera.js";
import { button, group, html, numberRow, numberTable, pointRow, section } from "./elements.js";
import { Film } from "./film.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import {
  add,
  apply,
  contract,
  cross,
  degrees,
  dot,
  norm,
  radians,
  scale,
  shown,
  subtract,
  transpose,
} from "./vectors.js";

const ARM = 0.9; // length of the handle that turns a direction [m]
const ROUND = 0.2; // how far from the axis of the motion what rides on it is [m]
const FILM = 8; // how long it rides, at most a turn either way [s]
const SPEED = 0.25; // how long an arrow is drawn for 1 m/s

const UNIT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const COORDINATES = {
  motion: ["\u03c9 x", "\u03c9 y", "\u03c9 z", "v x", "v y", "v z"],
  force: ["\u03c4 x", "\u03c4 y", "\u03c4 z", "f x", "f y", "f z"],
};

// Without Python: the reader's functions as tables of coefficients (see `tabulate` in _base.py), no formula of ours.
function fromTables(tables, lattice, { motion, force, frame }) {
  const unit = ({ point, direction, pitch }) => contract(tables.screw, [1, ...point], direction, [1, pitch]);
  const transform = (table, turn, origin) =>
    contract(table, [1, Math.cos(radians(turn)), Math.sin(radians(turn))], [1, ...origin]);
  const twist = scale(motion.size, unit(motion));
  const screw = scale(force.size, unit(force));
  const wrench = [...screw.slice(3), ...screw.slice(0, 3)];
  const twistB = apply(transform(tables.X_motion, frame.turn, frame.origin), twist);
  const wrenchB = apply(transform(tables.X_force, frame.turn, frame.origin), wrench);
  return {
    motion: { O: twist, B: twistB },
    force: { O: wrench, B: wrenchB },
    power: { O: dot(twist, wrench), B: dot(twistB, wrenchB) },
    field: lattice.map((P) => apply(transform(tables.X_motion, 0, P), twist).slice(3)),
  };
}

// Direction as two angles: turn about z from x, and tilt up from the x-y plane [degrees].
const toDirection = (turn, tilt) => [
  Math.cos(radians(tilt)) * Math.cos(radians(turn)),
  Math.cos(radians(tilt)) * Math.sin(radians(turn)),
  Math.sin(radians(tilt)),
];

const turnOf = ([x, y]) => degrees(Math.atan2(y, x));
const tiltOf = ([x, y, z]) => degrees(Math.atan2(z, Math.hypot(x, y)));

// Two directions across a third.
function acrossTo(direction) {
  const across = cross(direction, Math.abs(direction[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
  const u = scale(1 / norm(across), across);
  return [u, cross(direction, u)];
}

// The path of a body beside the axis, one turn either way: a helix that climbs 2 pi pitch a turn.
function helix(screw) {
  return Array.from({ length: 81 }, (_, i) => riding(screw, ((i - 40) * Math.PI) / 20).p);
}

// Where a body on the motion's path is, so many radians on: its attitude and place.
function riding({ point, direction, pitch }, angle) {
  const [u, v] = acrossTo(direction);
  const out = add(scale(Math.cos(angle), u), scale(Math.sin(angle), v));
  const R = transpose([out, cross(direction, out), direction]);
  return { R, p: [scale(pitch * angle, direction), scale(ROUND, out)].reduce(add, point) };
}

function paintScrew(stage, colour, screw, dash) {
  const { point, direction } = screw;
  stage.line([add(point, scale(-4, direction)), add(point, scale(4, direction))], colour, { width: 2, dash });
  stage.line(helix(screw), colour, { width: 1.5, opacity: 0.8 });
  stage.arrow(point, scale(ARM, direction), colour, { width: 4 });
}

function render({ model, el }) {
  const { lattice, tables, exact } = model.get("scene");
  const computed = {}; // by the page, for the latest request
  const embedded = (request) => {
    if (computed.request !== request)
      Object.assign(computed, { request, values: fromTables(tables, lattice, request) });
    return computed.values;
  };
  const talk = new Talk(model, { embedded, data: "embedded tables of your screw, X_motion, X_force", show });
  const camera = new Camera(95);
  const stage = new LitStage("A motion screw, a force screw and the velocity field", camera, talk.update, {
    floor: -1.7,
    extent: 2.2,
    looks: false,
  });
  const change = (part, values) => talk.ask({ [part]: { ...talk.request[part], ...values } });
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  const number = (part, name, key, range, unit, step) =>
    row(
      numberRow(
        name,
        { of: part, min: -range, max: range, step, unit },
        () => talk.request[part][key],
        (value) => change(part, { [key]: value }),
      ),
    );
  const pitchRow = (part, unit) => number(part, "pitch", "pitch", 1, unit, 0.05);
  function screwControls(part, title, size, unit, largest) {
    const get = () => talk.request[part];
    const aim = (direction) => change(part, { direction: scale(1 / norm(direction), direction) });
    stage.handle(
      `Direction of the ${part} axis`,
      part,
      () => add(get().point, scale(ARM, get().direction)),
      (tip) => norm(subtract(tip, get().point)) > 0.05 && aim(subtract(tip, get().point)),
    );
    stage.handle(
      `Point on the ${part} axis`,
      part,
      () => get().point,
      (point) => change(part, { point }),
    ); // on top, seen end on
    const angle = (name, range, from, to) =>
      row(
        numberRow(
          name,
          { of: part, min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
          () => from(get().direction),
          to,
        ),
      );
    return html(
      "details",
      {},
      html("summary", { class: part }, title),
      row(
        pointRow(
          "point",
          part,
          () => get().point,
          (point) => change(part, { point }),
        ),
      ),
      angle("turn", 180, turnOf, (turn) => aim(toDirection(turn, tiltOf(get().direction)))),
      angle("tilt", 90, tiltOf, (tilt) => aim(toDirection(turnOf(get().direction), tilt))),
      ...(part === "motion" ? [] : [pitchRow(part, "m")]),
      number(part, size, "size", largest, unit, 0.1),
    );
  }

  const frame = () => talk.request.frame;
  const moveB = (origin) => change("frame", { origin });
  const numbers = html("div");
  const controls = [
    pitchRow("motion", "m/rad"),
    screwControls("motion", "Motion screw", "rate", "rad/s", 3),
    screwControls("force", "Force screw", "magnitude", "N", 5),
    section(
      "Frame B, and all numbers",
      false,
      numbers,
      row(pointRow("origin", "B", () => frame().origin, moveB)),
      row(
        numberRow(
          "turn",
          { of: "B", min: -180, max: 180, step: 1, unit: "\u00b0", digits: 1 },
          () => frame().turn,
          (turn) => change("frame", { turn }),
        ),
      ),
    ),
  ];
  stage.handle("Origin of frame B", "ink", () => frame().origin, moveB);
  // The frame can be taken hold of while its numbers are to be seen.
  const handleB = stage.handles.lastChild;
  const sectionB = controls.at(-1);
  sectionB.addEventListener("toggle", () => talk.update());
  // What rides on the motion screw: from one turn back to one turn on, at its rate.
  const film = new Film(() => FILM, talk.update);
  film.clock = FILM / 2;
  const unwatch = film.watch(el);
  const playButton = button("play", () => film.play(!film.playing));
  const work = html("p", { class: "work" });
  const tell = layout(el, stage, controls, html("div", {}, group("Motion", playButton), work));

  let drawn = null; // the values that the numbers are of
  function show() {
    const result = talk.result();
    const { motion, force, power, field } = result.values;
    stage.draw(() => paint(talk.request, motion, field));
    refreshers.forEach((refresh) => refresh());
    const table = (part, title, { O, B }) =>
      numberTable(
        title,
        ["O", "B"],
        COORDINATES[part].map((name, i) => [name, O[i], B[i]]),
      );
    playButton.textContent = film.playing ? "pause" : "play";
    handleB.style.display = sectionB.open ? "" : "none";
    if (film.playing && drawn === result.values) return;
    drawn = result.values;
    work.textContent = judge(power);
    numbers.replaceChildren(
      html(
        "div",
        { class: "pair" },
        table("motion", "Twist m [rad/s, m/s] about", motion),
        table("force", "Wrench f [N m, N] about", force),
      ),
    );
    if (!talk.live && !exact)
      result.error = "These functions are not linear where screws are, so that without Python the numbers are a guess.";
    tell(
      result,
      `${work.textContent} Linear velocity at O: ${motion.O.slice(3)
        .map((x) => shown(x))
        .join(", ")} metres per second.`,
    );
  }

  function judge({ O, B }) {
    if (shown(O) !== shown(B))
      return `Power m\u00b7f: ${shown(O)} W about O but ${shown(B)} W about B. It must not depend on the frame.`;
    if (Number(shown(O)) === 0)
      return "Power m\u00b7f: 0.00 W in both frames. The screws are reciprocal: the force does no work on this motion.";
    return `Power m\u00b7f: ${shown(O)} W, about O and about B alike.`;
  }

  function paint({ motion, force, frame: B }, twist, field) {
    const byDepth = lattice
      .map((P, i) => ({ P, v: field[i], depth: camera.depth(P) }))
      .sort((a, b) => a.depth - b.depth);
    for (const { P, v, depth } of byDepth) {
      if (v.includes(null)) continue;
      stage.arrow(P, scale(SPEED, v), "faint", {
        width: 1.5,
        opacity: 0.65 + 0.15 * Math.max(-2, Math.min(2, depth)),
        above: false,
      });
    }
    const [c, s] = [Math.cos(radians(B.turn)), Math.sin(radians(B.turn))];
    stage.axes([0, 0, 0], UNIT, "O");
    stage.axes(
      B.origin,
      [
        [c, -s, 0],
        [s, c, 0],
        [0, 0, 1],
      ],
      "B",
    );
    paintScrew(stage, "force", force, "9 6");
    paintScrew(stage, "motion", motion, "none");
    const rider = riding(motion, Math.max(-2 * Math.PI, Math.min(2 * Math.PI, motion.size * (film.clock - FILM / 2))));
    const seen = !stage.solid(
      "rider",
      { shape: "box", R: UNIT, centre: [0, 0, 0], sides: [0.1, 0.16, 0.22] },
      "struck",
      rider,
    );
    stage.line([rider.p, rider.p], "motion", { width: 12, seen });
    stage.arrow([0, 0, 0], scale(SPEED, twist.O.slice(3)), "motion", { width: 3 });
    stage.text(scale(SPEED, twist.O.slice(3)), "v", [6, 4]);
    stage.text(add(motion.point, scale(ARM, motion.direction)), "\u03c9", [12, -8]);
    stage.text(add(force.point, scale(ARM, force.direction)), "f", [12, -8]);
  }

  show();
  talk.ask();
  stage.beginWith(() => film.play());
  return () => {
    unwatch();
    stage.close();
    talk.close();
  };
}

export default { render };
