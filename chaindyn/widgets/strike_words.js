// What StrikeExplorer says of a blow.

import { arrived } from "./course.js";
import { html } from "./elements.js";
import { barRow, few, plainName } from "./strike_rows.js";
import { dot, norm, shown } from "./vectors.js";

export function answer(view, { impulse, mass, before, after, qd_after, reactions }, { qd, normal }) {
  const { movable, tree } = view;
  const { answers } = view.controls;
  const [came, left] = [before, after].map((v) => (v.includes(null) ? null : dot(v, normal)));
  const question = (text) => html("p", { class: "question" }, text);
  const as =
    impulse === 0
      ? `No blow: the point ${came > 0 ? "is leaving the wall" : "rests against the wall"}.`
      : `as if a ball of ${shown(mass)} kg had come at ${shown(-came)} m/s and left at ${shown(left)} m/s.`;
  const forces = movable.map((i) => (reactions[i].includes(null) ? null : norm(reactions[i])));
  const largest = Math.max(impulse ?? 0, ...forces);
  const fastest = Math.max(...qd.map(Math.abs), ...qd_after.map((x) => Math.abs(x ?? 0)));
  view.words = `Impulse ${shown(impulse)} N s, ${as}`;
  answers.replaceChildren(
    question("How strong was the blow?"),
    html("p", { class: "answer" }, html("b", {}, view.asks("impulse", 0, `${shown(impulse)} N\u00a0s`)), ` ${as}`),
    question("What does each joint\u2019s speed become?"),
    few(
      ["before", "after"],
      movable.map((i) => {
        const [was, now] = [qd[tree.column[i]], qd_after[tree.column[i]]];
        return barRow(
          plainName(tree.names[i]),
          [shown(was), view.asks("speed", i, shown(now))],
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
        barRow(
          plainName(tree.names[i]),
          [view.asks("bearing", i, shown(forces[k]))],
          [["push", forces[k] ?? 0]],
          largest,
        ),
      ),
    ),
  );
}

// One line on the picture: the answer that the film has come to.
export function captionOf({ movable, tree }, { impulse, mass, before, qd_after, reactions }, { qd, normal }, scene) {
  if (!impulse) return "No blow";
  if (!scene.flash) return `${shown(-dot(before, normal))} m/s towards the wall`;
  if (!scene.early) {
    const change = (i) => Math.abs((qd_after[tree.column[i]] ?? 0) - qd[tree.column[i]]);
    const most = movable.reduce((a, b) => (change(b) > change(a) ? b : a));
    const [was, now] = [qd[tree.column[most]], qd_after[tree.column[most]]].map((x) => shown(x));
    const unit = tree.kind[most] === "Revolute" ? "rad/s" : "m/s";
    return `${plainName(tree.names[most])} turned at ${was}, and now at ${now} ${unit}`;
  }
  const lit = movable.filter((i) => arrived(i, tree.names.length, scene.flash) > 0);
  if (!lit.length) return `the blow: ${shown(impulse)} N s, as of ${shown(mass)} kg`;
  const load = reactions[lit[0]].includes(null) ? null : norm(reactions[lit[0]]);
  return `${plainName(tree.names[lit[0]])}\u2019s bearing carries ${shown(load)} N s`;
}
