// The controls of InertiaExplorer.

import { button, group, html, numberRow, section } from "./elements.js";
import { AXES } from "./inertia_model.js";
import { REACH } from "./inertia_picture.js";
import { layout } from "./talk.js";
import { dot, scale, transpose } from "./vectors.js";

export const replaced = (all, i, x) => all.map((old, k) => (k === i ? x : old));

// Put the controls beside the picture.
export function addControls(view) {
  const { duration, el, stage, talk } = view;
  const playButton = button("play", () => view.play());
  const rideButton = button("ride along", () => {
    view.riding = !view.riding;
    talk.update();
  });
  const moment = { min: 0, max: duration, step: 0.02, unit: "s" };
  const [numbers, verdict, energies] = [html("div"), html("p", { class: "work" }), html("p")];
  const controls = [
    group(
      "Throw about a side",
      "throw about",
      ...["longest", "middle", "shortest"].map((name, rank) => throwButton(view, name, rank)),
    ),
    section(
      "Time, sides and spin, and all numbers",
      false,
      view.row(
        numberRow(
          "time",
          moment,
          () => view.time,
          (value) => {
            view.began = null;
            view.setTime(value);
          },
        ),
      ),
      heading("Sides of the brick"),
      ...AXES.map((axis, i) => side(view, axis, i)),
      heading("Spin at the start"),
      ...AXES.map((axis, i) => spinAbout(view, axis, i)),
      numbers,
      energies,
    ),
  ];
  view.fly(talk.result());
  AXES.forEach((axis, i) => {
    const outward = () => transpose(view.pose())[i];
    const middle = () => scale(talk.request.sides[i] / 2, outward());
    stage.handle(`Side ${axis} of the brick`, axis, middle, (point) => view.setSide(i, 2 * dot(point, outward())));
  });
  stage.handle(
    "Spin at the start",
    "motion",
    () => view.tip(),
    (point) => view.setSpin(scale(1 / REACH, point)),
  );
  // Whoever takes hold of the brick or its spin does so at the start, before the handle says where it is.
  for (const kind of ["pointerdown", "keydown"]) {
    stage.handles.addEventListener(
      kind,
      (event) => {
        if (event.key === "Tab") return;
        view.rewind();
        talk.update();
      },
      true,
    );
  }
  const report = layout(el, stage, controls, html("div", {}, group("Flight", playButton, rideButton), verdict));
  return { energies, numbers, playButton, rideButton, report, verdict };
}

function throwButton(view, name, rank) {
  return html(
    "button",
    { type: "button", "aria-label": `throw about the ${name} side`, onclick: () => view.throwAbout(rank) },
    name,
  );
}

function side(view, axis, i) {
  const { longest, shortest, talk } = view;
  const get = () => talk.request.sides[i];
  const set = (value) => value >= shortest && view.setSide(i, value); // 0.3 begins with a 0
  return view.row(numberRow(axis, { of: "side", min: shortest, max: longest, step: 0.05, unit: "m" }, get, set));
}

function spinAbout(view, axis, i) {
  const { scene, talk } = view;
  const range = { min: -scene.fastest, max: scene.fastest, step: 0.1 };
  const set = (w) => view.setSpin(replaced(talk.request.spin, i, w));
  return view.row(numberRow(axis, { of: "spin", ...range, unit: "rad/s" }, () => talk.request.spin[i], set));
}

const heading = (text) => html("p", { class: "legend" }, text);
