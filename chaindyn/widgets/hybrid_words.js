// What HybridExplorer says of a posture.

import { html } from "./elements.js";
import { HYBRID } from "./emitted/hybrid.js";
import { compute } from "./physics.js";
import { withoutInertia } from "./singular.js";
import { poses } from "./tree.js";
import { scale, shown, subtract } from "./vectors.js";

// All accelerations and forces; NaN, and the link at fault, where the equations of the free joints are singular.
export function fromEquations(tree, { q, qd, prescribed, qdd, tau }) {
  const free = prescribed.map((prescribed) => Number(!prescribed));
  const [all, forces, kept, sure] = compute(HYBRID, tree, [q, qd, free, qdd, tau]);
  const singularAt = withoutInertia(tree, q, kept, sure);
  const known = (x, given) => x.map((y, k) => (singularAt === undefined || given(k) ? y : NaN));
  return {
    values: { ...poses(tree, q), qdd: known(all, (k) => prescribed[k]), tau: known(forces, (k) => !prescribed[k]) },
    singularAt,
  };
}

// The joint forces of a motion: every joint is prescribed.
const efforts = (tree, q, qd, qdd) => compute(HYBRID, tree, [q, qd, scale(0, qd), qdd, scale(0, qd)])[1];

function listed(view, links) {
  return links.map((i) => view.names[i]).join(", ");
}

export function explained(view) {
  const { movable } = view;
  const [given, free] = [movable.filter((i) => view.isPrescribed(i)), movable.filter((i) => !view.isPrescribed(i))];
  if (free.length === 0)
    return "All prescribed: inverse dynamics. Nothing is solved; every force follows from the motion.";
  if (given.length === 0)
    return (
      `All free: forward dynamics. ${count(free.length)} solved for all accelerations, and no force is left ` +
      "to find."
    );
  return (
    `Prescribed: ${listed(view, given)}. Free: ${listed(view, free)}. ${count(free.length)} solved for the ` +
    "accelerations " +
    "of the free joints; then the forces of the others follow."
  );
}

const count = (n) => (n === 1 ? "One equation is" : `${n} equations are`);

export function sentenceOf(view, i, { qdd, tau }) {
  const { column, names } = view;
  const [a, f] = [
    [qdd, "qdd"],
    [tau, "tau"],
  ].map(([x, name]) => `${shown(x[column[i]])} ${view.units(i)[name]}`);
  return view.isPrescribed(i)
    ? `${names[i]}: acceleration ${a} is given, force ${f} answers.`
    : `${names[i]}: force ${f} is given, acceleration ${a} answers.`;
}

// The least of 1, 2, 5, 10, 20 ... that is not below the largest, so that bars and arrows keep their scale for a
// while.
export function roundUp(sizes) {
  const largest = Math.max(...sizes.map(Math.abs).filter(Number.isFinite));
  if (!(largest > 1e-9)) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((m) => m * power).find((x) => x >= largest);
}

export function scaleOf(view, x, i) {
  const { column, movable } = view;
  return roundUp(movable.filter((k) => view.turns(k) === view.turns(i)).map((k) => x[column[k]]));
}

// One row for each joint; turns and slides have each their own scale.
export function barTable(view, { qdd, tau }) {
  const { column, movable, names } = view;
  const cell = (x, i, name) => {
    const [value, most] = [x[column[i]], scaleOf(view, x, i)];
    const share = Number.isFinite(value) ? (50 * value) / most : 0;
    const given = view.isPrescribed(i) === (name === "qdd");
    const style = `--from: ${50 + Math.min(0, share)}%; --to: ${50 + Math.max(0, share)}%`;
    const colour = name === "qdd" ? "motion" : "force";
    return html(
      "td",
      { class: `${colour} ${given ? "given" : "answered"}`, style },
      html("span", {}, `${shown(value)}\u00a0${view.units(i)[name]}`),
      html("span", { class: "unseen" }, given ? " given" : " answered"),
    );
  };
  const body = movable.map((i) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, names[i].replaceAll("_", "_\u200b")),
      cell(qdd, i, "qdd"),
      cell(tau, i, "tau"),
    ),
  );
  const head = html(
    "tr",
    {},
    html("td"),
    ...["acceleration", "force"].map((text) => html("th", { scope: "col" }, text)),
  );
  const caption = html("caption", {}, "Of each joint one is given (hollow bar), the other answers (filled, bold)");
  return html("table", { class: "bars answers" }, caption, html("thead", {}, head), html("tbody", {}, ...body));
}

// The page's own reason to have no answer.
export function withoutAnswer(view) {
  const { names, talk, tree } = view;
  const { singularAt } = fromEquations(tree, talk.request);
  if (singularAt === undefined) return "";
  return (
    `The equations of the free joints are singular: joint ${names[singularAt]} feels no inertia in this ` +
    "posture. The link, or what it carries, needs mass that this joint moves; or tell it its acceleration."
  );
}

// What a reader's function may have wrong: it keeps what it is given, and the answers obey the laws of motion.
export function disagreement(view, { qdd, tau }) {
  const { column, movable, names, talk, tree } = view;
  const { request } = talk;
  if (request.serial !== talk.answer.serial || [...qdd, ...tau].includes(null)) return "";
  const close = (x, given) => Math.abs(x - given) <= 1e-6 * Math.max(1, Math.abs(given));
  const kept = (i) =>
    view.isPrescribed(i)
      ? close(qdd[column[i]], request.qdd[column[i]])
      : close(tau[column[i]], request.tau[column[i]]);
  const changed = movable.find((i) => !kept(i));
  if (changed !== undefined) return `hybrid_dynamics did not keep what joint ${names[changed]} was given.`;
  const [needed, bias] = [qdd, scale(0, qdd)].map((a) => efforts(tree, request.q, request.qd, a));
  const largest = Math.max(...[needed, bias, subtract(needed, bias)].flat().map(Math.abs));
  const wrong = movable.find((i) => !(Math.abs(needed[column[i]] - tau[column[i]]) <= 1e-6 * largest));
  if (wrong === undefined) return "";
  const [law, ours] = [needed, tau].map((x) => `${shown(x[column[wrong]])} ${view.units(wrong).tau}`);
  return (
    "These accelerations and forces do not fit together: by Newton\u2019s and Euler\u2019s laws joint " +
    `${names[wrong]} needs ${law}, not ${ours}.`
  );
}
