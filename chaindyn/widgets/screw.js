// The view of ScrewExplorer. A screw of the request is {point, direction, pitch, size}: size is the rate of a motion
// [rad/s] or the magnitude of a force [N]; the frame B is {origin, turn}, turn in degrees about z.

import { Camera } from "./camera.js";
import { button, group, html, numberRow, numberTable, pointRow, section } from "./elements.js";
import { Film } from "./film.js";
import { ARM, FILM, paint } from "./screw_picture.js";
import { judge } from "./screw_words.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { add, apply, contract, degrees, dot, norm, radians, scale, shown, subtract } from "./vectors.js";
import { rendering, View } from "./view.js";

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

class ScrewView extends View {
  constructor(given) {
    super(given);
    this.lattice = this.scene.lattice;
    this.tables = this.scene.tables;
    this.exact = this.scene.exact;
    this.computed = {}; // by the page, for the latest request
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "embedded tables of your screw, X_motion, X_force",
      show: () => this.show(),
    });
    this.camera = new Camera(125);
    this.stage = new LitStage("A motion screw, a force screw and the velocity field", this.camera, this.talk.update, {
      floor: -1.7,
      extent: 2.2,
      looks: false,
    });
    this.addControls();
    this.drawn = null; // the values that the numbers are of
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.film.play());
  }

  // Put the controls beside the picture.
  addControls() {
    this.numbers = html("div");
    const controls = [
      this.pitchRow("motion", "m/rad"),
      this.screwControls("motion", "Motion screw", "rate", "rad/s", 3),
      this.screwControls("force", "Force screw", "magnitude", "N", 5),
      section(
        "Frame B, the field, and all numbers",
        false,
        this.numbers,
        this.row(
          pointRow(
            "origin",
            "B",
            () => this.frame().origin,
            (origin) => this.moveB(origin),
          ),
        ),
        this.row(
          numberRow(
            "turn",
            { of: "B", min: -180, max: 180, step: 1, unit: "\u00b0", digits: 1 },
            () => this.frame().turn,
            (turn) => this.change("frame", { turn }),
          ),
        ),
      ),
    ];
    this.stage.handle(
      "Origin of frame B",
      "ink",
      () => this.frame().origin,
      (origin) => this.moveB(origin),
    );
    // The frame can be taken hold of while its numbers are to be seen.
    this.handleB = this.stage.handles.lastChild;
    this.sectionB = controls.at(-1);
    this.sectionB.addEventListener("toggle", () => this.talk.update());
    // What rides on the motion screw: from one turn back to one turn on, at its rate.
    this.film = new Film(() => FILM, this.talk.update);
    this.film.clock = FILM / 2;
    this.unwatch = this.film.watch(this.el);
    this.playButton = button("play", () => this.film.play(!this.film.playing));
    this.work = html("p", { class: "work" });
    const hint = html("p", {}, "Pitch 0 is a wheel, a great one a drawer. Turn the force until its lamp goes out.");
    const short = html("div", {}, group("Motion", this.playButton), this.work, hint);
    this.report = layout(this.el, this.stage, controls, short);
  }

  embedded(request) {
    const { computed, lattice, tables } = this;
    if (computed.request !== request)
      Object.assign(computed, { request, values: fromTables(tables, lattice, request) });
    return computed.values;
  }

  change(part, values) {
    this.talk.ask({ [part]: { ...this.talk.request[part], ...values } });
  }

  number(part, name, key, range, unit, step) {
    return this.row(
      numberRow(
        name,
        { of: part, min: -range, max: range, step, unit },
        () => this.talk.request[part][key],
        (value) => this.change(part, { [key]: value }),
      ),
    );
  }

  pitchRow(part, unit) {
    return this.number(part, "pitch", "pitch", 1, unit, 0.05);
  }

  screwControls(part, title, size, unit, largest) {
    const { stage, talk } = this;
    const get = () => talk.request[part];
    const aim = (direction) => this.change(part, { direction: scale(1 / norm(direction), direction) });
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
      (point) => this.change(part, { point }),
    ); // on top, seen end on
    const angle = (name, range, from, to) =>
      this.row(
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
      this.row(
        pointRow(
          "point",
          part,
          () => get().point,
          (point) => this.change(part, { point }),
        ),
      ),
      angle("turn", 180, turnOf, (turn) => aim(toDirection(turn, tiltOf(get().direction)))),
      angle("tilt", 90, tiltOf, (tilt) => aim(toDirection(turnOf(get().direction), tilt))),
      ...(part === "motion" ? [] : [this.pitchRow(part, "m")]),
      this.number(part, size, "size", largest, unit, 0.1),
    );
  }

  frame() {
    return this.talk.request.frame;
  }

  moveB(origin) {
    return this.change("frame", { origin });
  }

  show() {
    const { exact, film, handleB, numbers, playButton, refreshers, sectionB, stage, talk, report, work } = this;
    const result = talk.result();
    const { motion, force, power, field } = result.values;
    stage.draw(() => paint(this, talk.request, motion, field, power.O));
    refreshers.forEach((refresh) => refresh());
    const table = (part, title, { O, B }) =>
      numberTable(
        title,
        ["O", "B"],
        COORDINATES[part].map((name, i) => [name, O[i], B[i]]),
      );
    playButton.textContent = film.playing ? "pause" : "play";
    handleB.style.display = sectionB.open ? "" : "none";
    if (film.playing && this.drawn === result.values) return;
    this.drawn = result.values;
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
    report(
      result,
      `${work.textContent} Linear velocity at O: ${motion.O.slice(3)
        .map((x) => shown(x))
        .join(", ")} metres per second.`,
    );
  }

  close() {
    const { unwatch } = this;
    unwatch();
    super.close();
  }
}

const render = rendering(ScrewView);

export default { render };
