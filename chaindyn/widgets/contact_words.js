// What ContactExplorer says of a step: its contacts, its energy, its solver.

import { largest } from "./contact_algebra.js";
import { MODES } from "./contact_picture.js";
import { html } from "./elements.js";
import { raised, sized } from "./graph.js";
import { shown, subtract } from "./vectors.js";

const NOUNS = { chain: "rod", stack: "box", cradle: "ball" };

const raisedPower = (x) =>
  x === 0 ? "0" : x.toExponential(0).replace(/e\+?(-?\d+)/, (_, power) => `\u00b710${raised(Number(power))}`);

export function sourceOf(view) {
  const { held, talk } = view;
  const result = talk.result();
  const python = view.fromPython();
  if (python)
    return {
      ...result,
      source:
        `${result.source} The next step\u2019s rates differ from the page\u2019s by ` +
        `${raisedPower(largest(subtract(python.qd, held.next.qd)))}.`,
    };
  const waits = talk.live && !result.error;
  return waits
    ? {
        source: held.playing
          ? "While it runs the page computes."
          : "Computed by the page: Python takes exact steps only, and when it is asked.",
      }
    : result;
}

export function all(view) {
  const { held } = view;
  return [
    ...held.next.contacts.map((contact, k) => ({ ...contact, impulse: held.next.impulses[k] })),
    ...held.next.open.filter(({ gap }) => gap < 0.02),
  ];
}

export function contactsInWords(view) {
  const { held } = view;
  const counts = Object.entries(MODES)
    .map(([mode, [, , words]]) => ({ n: all(view).filter((contact) => contact.mode === mode).length, words }))
    .filter(({ n }) => n);
  const many = counts
    .map(({ n, words }) => `${n}\u00a0${n > 1 ? words.replace("sticks", "stick").replace("slips", "slip") : words}`)
    .join(", ");
  return `Time ${shown(held.now.time)} s. ${many ? `Contacts: ${many}.` : "Nothing touches."}`;
}

export function energyInWords(view) {
  const { held } = view;
  const { energy, given } = held.now;
  const gift =
    given > 1e-9 * Math.max(1, view.weight())
      ? `Impulses have added ${sized(given, "J")} of energy on the way.`
      : "No impulse has added energy.";
  const error = given < (energy - held.start.energy) / 2 ? " The rest is the error of too long a step." : "";
  const fault = held.next.fault ? `${error} It stops here: ${held.next.fault}.` : "";
  return `Energy ${sized(energy, "J")}, at the start ${sized(held.start.energy, "J")}. ${gift}${fault}`;
}

export function solverInWords(view, { solver, scene }) {
  const { held } = view;
  const { iterations, residual, overlap, count: motions } = held.next;
  const how = {
    lemke: iterations ? `Lemke: ${iterations} pivots` : "Lemke: none needed, all sticks",
    pgs: `Gauss\u2013Seidel: ${iterations} sweeps`,
    modes:
      motions === "too many"
        ? "too many modes to try: Lemke instead"
        : `all ${iterations} modes tried: ${motions || "one"} ` +
          `${motions === "many" ? "motions obey" : "motion obeys"} the law`,
  }[solver];
  const words = held.next.contacts.length
    ? `${how[0].toUpperCase()}${how.slice(1)}; residual ${raisedPower(residual)} m/s.`
    : "No problem to solve.";
  const sunk = scene === "stack" ? held.start.q.at(-2) - held.now.q.at(-2) : 0;
  const down = Math.abs(sunk) < 1e-9 ? "less than 1\u00a0nm" : sunk < 0 ? "nothing" : sized(sunk, "m");
  return (
    `${words} Deepest overlap ` +
    `${overlap < 1e-12 ? "none" : sized(overlap, "m")}` +
    `${scene === "stack" ? `; the top has come down by ${down}` : ""}.`
  );
}

function nameOf(view, link) {
  const { held, talk } = view;
  return link < 0
    ? "ground"
    : `${NOUNS[talk.request.scene]} ${held.world.tree.slice(0, link + 1).filter(({ shape }) => shape).length}`;
}

export function contactTable(view) {
  const { talk } = view;
  const { step } = talk.request;
  const rows = all(view).map(({ bodies, mode, impulse }) => [
    `${nameOf(view, bodies[0])} on ${nameOf(view, bodies[1])}`,
    MODES[mode][2],
    ...(impulse ?? [0, 0]).map((x) => shown(x / step, 1)),
  ]);
  const head = html(
    "tr",
    {},
    ...["contact", "mode", "push [N]", "friction [N]"].map((text) => html("th", { scope: "col" }, text)),
  );
  const body = (rows.length ? rows : [["none", "\u2013", "\u2013", "\u2013"]]).map(([name, ...cells]) =>
    html("tr", {}, html("th", { scope: "row" }, name), ...cells.map((cell) => html("td", {}, cell))),
  );
  return html(
    "table",
    { class: "contacts" },
    html("caption", {}, "Forces on the first body, mean over the next step"),
    html("thead", {}, head),
    html("tbody", {}, ...body),
  );
}
