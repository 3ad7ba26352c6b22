// Where a number of StrikeExplorer comes from: the blow backwards, from the number to what the reader sets and what
// the arm is made of.

import { blowOn, faultOf } from "./blow.js";
import { screwsOn } from "./screws.js";
import { plainName } from "./strike_rows.js";
import { poses } from "./tree.js";
import { add, apply, dot, norm, scale, shown } from "./vectors.js";

const IMPULSE_PAGE = "17_impulse_response_of_a_chain.html";
const VELOCITY_PAGE = "05_velocity_acceleration_jacobians.html";
// The cells that export the laws.
const RESPONSE = ["impulse_response: chapter 17", `${IMPULSE_PAGE}#export-impulse_response`];
const CONTACT = ["contact_impulse: chapter 17", `${IMPULSE_PAGE}#export-contact_impulse`];
const VELOCITY = ["point_velocity: chapter 5", `${VELOCITY_PAGE}#export-point_velocity`];
const WORLD = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const withUnit = (x, unit, digits = 3) => `${shown(x, digits)}\u00a0${unit}`;
const factor = (x, digits = 3) => {
  const text = shown(x, digits);
  return text.startsWith("\u2212") ? `(${text})` : text;
};
const listed = (numbers, digits = 2) => numbers.map((x) => shown(x, digits)).join(", ");

// What a rate of one in each joint gives the struck point along the normal.
function leversOf(tree, { q, body, point, normal }) {
  const { R, p } = poses(tree, q);
  const struck = add(p[body], apply(R[body], point));
  return screwsOn(tree, q, body, struck, WORLD).map((screw) => dot(normal, screw.slice(3)));
}

// Each number that can be asked, from the blow: its name, its value, and the first step of its way back.
const QUESTIONS = {
  impulse: (_tree, request, given) => impulseStep(request, given),
  speed: (tree, { qd }, { impulse, rates, lines }, i) => {
    const k = tree.column[i];
    const unit = tree.kind[i] === "Revolute" ? "rad/s" : "m/s";
    return [
      {
        name: nameOf(tree, "speed", i),
        value: withUnit(qd[k] + impulse * rates[k], unit, 2),
        formula:
          `= ${shown(qd[k])} + ${factor(impulse)} \u00b7 ${factor(rates[k])}; ` +
          "from its speed before, impulse, change by 1\u00a0N\u00a0s",
        words: "Its speed before, and the impulse times the change by 1\u00a0N\u00a0s.",
      },
      {
        name: "change by 1\u00a0N\u00a0s",
        value: withUnit(rates[k], unit),
        words: "The blow runs from the tip down to the ground, and the changes of speed back up.",
        line: lines.rates,
        laws: [RESPONSE],
      },
    ];
  },
  bearing: (tree, _request, { impulse, reactions }, i) => {
    const alone = norm(reactions[i].slice(3));
    return [
      {
        name: nameOf(tree, "bearing", i),
        value: withUnit(impulse * alone, "N\u00a0s", 2),
        formula: `= ${shown(impulse, 3)} \u00b7 ${shown(alone, 3)}; from impulse, load by 1\u00a0N\u00a0s`,
        words: "The impulse times the load by 1\u00a0N\u00a0s.",
      },
      {
        name: "load by 1\u00a0N\u00a0s",
        value: withUnit(alone, "N\u00a0s"),
        words: "With the blow, it changes the momentum of all links beyond the bearing.",
        laws: [RESPONSE],
      },
    ];
  },
};

export function nameOf(tree, kind, i) {
  if (kind === "impulse") return "impulse";
  return `${plainName(tree.names[i])}\u2019s ${kind === "speed" ? "speed" : "load"}`;
}

function impulseStep({ restitution }, { impulse, mass, approach, lines }) {
  const blow = approach > 0 && Number.isFinite(mass);
  return [
    {
      name: "impulse",
      value: withUnit(impulse, "N\u00a0s", 2),
      formula: blow
        ? `= (1 + ${shown(restitution)}) \u00b7 ${shown(mass, 3)} \u00b7 ${shown(approach, 3)}; ` +
          "from restitution, effective mass, speed of approach"
        : "= 0",
      words: blow
        ? "It stops the effective mass, and throws it back at the restitution\u2019s share of its speed."
        : "Nothing is stopped: the point does not approach the wall, or cannot move towards it.",
      line: lines.impulse,
      laws: [CONTACT],
    },
  ];
}

function massSteps({ mass, yielding, lines }) {
  const free = Number.isFinite(mass);
  return [
    {
      name: "effective mass",
      value: free ? withUnit(mass, "kg") : "\u221e",
      formula: free ? `= 1 / ${shown(yielding, 4)}; from the tip\u2019s change` : "",
      words: "How heavy the arm is to who pushes its tip along the normal.",
    },
    {
      name: "the tip\u2019s change",
      value: withUnit(yielding, "m/s", 4),
      words:
        "By how much 1\u00a0N\u00a0s on the tip along the normal changes its speed there: " +
        "from the joint angles, and each link\u2019s mass, centre and inertia.",
      line: lines.rates,
      laws: [RESPONSE],
    },
  ];
}

function approachStep({ qd }, { approach, levers, lines }) {
  const terms = levers.map((lever, k) => `${factor(lever)} \u00b7 ${factor(qd[k], 2)}`);
  return {
    name: "speed of approach",
    value: withUnit(approach, "m/s"),
    formula: terms.length ? `= \u2212(${terms.join(" + ")}); from joint angles, joint speeds, normal` : "",
    words: "For each joint: what a unit of its speed gives the tip along the normal, times its speed.",
    line: lines.approach,
    laws: [VELOCITY],
  };
}

const setBy = ({ q, qd, normal, restitution }) => [
  { name: "restitution", value: shown(restitution), words: "You set it." },
  { name: "joint angles", value: `${listed(q)}\u00a0rad`, words: "You set them, by dragging the links." },
  { name: "joint speeds", value: `${listed(qd)}\u00a0rad/s`, words: "You set them." },
  { name: "normal", value: `(${listed(normal)})`, words: "You turn the wall." },
];

const madeOfLinks = ({ mass }) => ({
  name: "masses of the links",
  value: `${listed(mass)}\u00a0kg`,
  words: "The model\u2019s, as are the places of the joints, the centres of mass and the inertias.",
});

// The steps behind a number of the blow, `kind` of joint `i`, those of the reader's own numbers last; `lines` are the
// chapters' own, by what they compute.
/** @returns {import("./whence.js").Origin} */
export function originOfBlow(tree, asked, kind, i, lines = {}) {
  const request = { ...asked, normal: scale(1 / (norm(asked.normal) || 1), asked.normal) };
  const { q, qd, normal, restitution } = request;
  const at = [...q, ...qd, ...normal, restitution];
  const blow = blowOn(tree, request);
  const fault = faultOf(tree, request, blow.singularAt);
  const name = nameOf(tree, kind, i);
  if (fault) return { steps: [{ name, value: "unknown", words: `${fault}.` }], sentence: `${name}: ${fault}.`, at };
  const given = {
    ...blow,
    lines,
    levers: leversOf(tree, request),
    approach: -dot(blow.velocity, normal),
    yielding: dot(blow.change, normal),
  };
  const own = QUESTIONS[kind](tree, request, given, i);
  const through = [
    ...own.slice(1),
    ...(kind === "impulse" ? [] : impulseStep(request, given)),
    ...massSteps(given),
    approachStep(request, given),
  ];
  const between = through.map((step) => `${step.name} ${step.value}`).join(", ");
  const from = "from restitution, joint angles, joint speeds, normal, and the masses of the links";
  const sentence = `${name} is ${own[0].value}, through ${between}, ${from}.`;
  return { steps: [own[0], ...through, ...setBy(request), madeOfLinks(tree)], sentence, at };
}

// What an address says of a blow: of as many numbers as it has, else nothing.
export function requestAt(tree, numbers) {
  const n = tree.column.filter((k) => k !== null).length; // of hinges and slides: one angle and one rate each
  if (numbers.length !== 2 * n + 4) return null;
  const normal = numbers.slice(2 * n, -1);
  const restitution = numbers[numbers.length - 1];
  if (!(norm(normal) > 0) || !(restitution >= 0 && restitution <= 1)) return null;
  return { q: numbers.slice(0, n), qd: numbers.slice(n, 2 * n), normal: scale(1 / norm(normal), normal), restitution };
}
