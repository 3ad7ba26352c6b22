// The controls of RotationExplorer.

import { button, group, html, numberRow, section } from "./elements.js";
import { exp_so3 } from "./emitted/exp_so3.js";
import { AXES, REACH } from "./rotation_picture.js";
import { UNIT, WAYS } from "./rotation_ways.js";
import { layout } from "./talk.js";
import { add, cross, dot, norm, scale } from "./vectors.js";

// Put the controls beside the picture.
export function addControls(view) {
  const { el, scene, stage, talk } = view;
  const ways = Object.keys(WAYS).map((name) =>
    button(name, () => {
      view.chosen = name;
      talk.update();
    }),
  );
  const playButton = button("play", () => view.play());
  const [numbers, angleWords, verdictWords] = [html("div"), html("p"), html("p", { class: "work" })];
  const controls = [
    group("How to get to the target", ...ways),
    view.row(
      numberRow(
        "s",
        { min: 0, max: 1, step: 1 / scene.steps, digits: 3 },
        () => view.place / scene.steps,
        (s) => {
          view.began = null;
          view.setPlace(s);
        },
      ),
    ),
    coloured(
      "motion",
      "Rotation vector w",
      ...AXES.map((axis, i) => vectorRow(view, "w", "w", axis, i)),
      group(
        "Quarter turns about the fixed axes",
        "turn by 90\u00b0 about",
        quarter(view, 0),
        quarter(view, 1),
        quarter(view, 2),
      ),
      group(
        "Attitude",
        button("no rotation", () => view.set({ w: [0, 0, 0] })),
        button("make it the target", () => view.set({ target: talk.request.w })),
      ),
    ),
    coloured("force", "Target", ...AXES.map((axis, i) => vectorRow(view, "target", "target", axis, i))),
    section("Matrix and vectors", false, numbers),
  ];
  stage.onGrab = (_, where, moved) => {
    const [from, to] = [view.onBall(where), view.onBall(add(where, moved))];
    const axis = cross(from, to);
    if (norm(axis) > 0) view.turnBy(exp_so3(scale(Math.atan2(norm(axis), dot(from, to)) / norm(axis), axis)));
  };
  stage.handle(
    "Rotation vector",
    "motion",
    () => scale(REACH, talk.request.w),
    (point) => view.set({ w: scale(1 / REACH, point) }),
  );
  const report = layout(el, stage, controls, html("div", {}, group("Way", playButton), verdictWords, angleWords));
  return { angleWords, numbers, playButton, report, verdictWords, ways };
}

function vectorRow(view, name, of, axis, i) {
  const { talk } = view;
  const get = () => talk.request[name][i];
  const range = { of, min: -6.28, max: 6.28, step: 0.02, unit: "rad" };
  return view.row(
    numberRow(axis, range, get, (x) => view.set({ [name]: talk.request[name].map((old, k) => (k === i ? x : old)) })),
  );
}

const namedButton = (text, label, onclick) => html("button", { type: "button", "aria-label": label, onclick }, text);

const coloured = (colour, title, ...children) =>
  html("details", {}, html("summary", { class: colour }, title), ...children);

function quarter(view, i) {
  return namedButton(AXES[i], `quarter turn about ${AXES[i]}`, () => view.turnBy(exp_so3(scale(Math.PI / 2, UNIT[i]))));
}
