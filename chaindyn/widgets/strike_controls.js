// The controls of StrikeExplorer.

import { tiltOf, toDirection, turnOf } from "./blow.js";
import { cutOf, SLOWER } from "./course.js";
import { button, html, numberRow, section } from "./elements.js";
import { plainName } from "./strike_rows.js";
import { sharing } from "./strike_share.js";
import { layout } from "./talk.js";
import { jointRow } from "./tree.js";

// Put the controls beside the picture.
export function addControls(view) {
  const { el, film, movable, stage, talk, tree } = view;
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
      film.clock = Number(scrub.value) * (cutOf(view.course).end - 1e-9);
      talk.update();
    },
  });
  const restitution = numberRow(
    "restitution",
    { min: 0, max: 1, step: 0.01 },
    () => talk.request.restitution,
    (value) => view.ask({ restitution: Math.max(0, Math.min(1, value)) }),
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
      view.row(
        jointRow(
          joints,
          i,
          () => talk.request.q[tree.column[i]],
          (value) => view.setJoint(i, value),
        ),
      ),
    ),
    ...movable.map((i) => view.row(speed(view, i))),
    view.row(angle(view, "turn", 180, turnOf, (turn) => toDirection(turn, tiltOf(talk.request.normal)))),
    view.row(angle(view, "tilt", 90, tiltOf, (tilt) => toDirection(turnOf(talk.request.normal), tilt))),
  );
  const share = sharing(view);
  const strip = html("div", { class: "strip" }, play, scrub, share.button);
  const caption = html("p", { class: "caption", "aria-hidden": "true" }); // all of it stands in the answers
  stage.element.append(caption);
  const answers = html("div", { class: "answers" });
  const hint = html(
    "p",
    { class: "aside" },
    `${SLOWER} times slower than it is. Drag a link, or the dot behind the wall; let go, and it swings again.`,
  );
  const report = layout(el, stage, [answers, view.whence.element], html("div", {}));
  el.querySelector(".chaindyn").classList.add("strike");
  stage.element.after(strip, share.line, view.row(restitution), hint, more);
  return { answers, caption, play, scrub, report };
}

function speed(view, i) {
  const { talk, tree } = view;
  const unit = tree.kind[i] === "Revolute" ? "rad/s" : "m/s";
  const set = (value) => view.ask({ qd: talk.request.qd.map((old, k) => (k === tree.column[i] ? value : old)) });
  return numberRow(
    plainName(tree.names[i]),
    { of: "speed of", min: -3, max: 3, step: 0.05, unit },
    () => talk.request.qd[tree.column[i]],
    set,
  );
}

function angle(view, name, range, from, to) {
  return numberRow(
    name,
    { of: "wall", min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
    () => from(view.talk.request.normal),
    (value) => view.aim(to(value)),
  );
}
