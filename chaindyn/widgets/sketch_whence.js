// Where a sketch's number comes from: its tape, read backwards from line to line of the page's own function. A sketch
// that is sampled has no tape, and brings the way back with its marks.

import { numbersFor } from "./sketch_tape.js";
import { shown } from "./vectors.js";

const LONGEST = 9; // entries of an array, and operations of a formula, that are written out

// Which lines hold each number of the tape.
const HOLDERS = new WeakMap();
function holdersOf(scene) {
  if (!HOLDERS.has(scene)) {
    const holders = new Map();
    scene.lines.forEach(({ places }, k) => {
      for (const place of new Set([places].flat(Infinity))) holders.set(place, [...(holders.get(place) ?? []), k]);
    });
    HOLDERS.set(scene, holders);
  }
  return HOLDERS.get(scene);
}

// Of the lines that hold a number, the one that a text names; else the first, which made it.
function holderOf(scene, place, before, names) {
  const holders = (holdersOf(scene).get(place) ?? []).filter((k) => k < before);
  return holders.findLast((k) => names.has(scene.lines[k].name)) ?? holders[0];
}

// What numbers are made of: those of the lines before, and the reader's own. `text` says how the page makes them.
/** @returns {{ lines: Map<number, Set<number>>, inputs: Set<number> }} */
function madeOf(scene, places, before, text) {
  const [lines, inputs, seen, waiting] = [new Map(), new Set(), new Set(), [...places]];
  const names = new Set(text.match(/[A-Za-z_]\w*/g));
  while (waiting.length) {
    const place = waiting.pop();
    if (seen.has(place)) continue;
    seen.add(place);
    const [op, ...operands] = scene.tape[place];
    if (op === "input") inputs.add(operands[0]);
    if (op === "input" || op === "constant") continue;
    const holder = holderOf(scene, place, before, names);
    if (holder === undefined) waiting.push(...operands);
    else lines.set(holder, (lines.get(holder) ?? new Set()).add(place));
  }
  return { lines, inputs };
}

// Which argument each input of the tape belongs to.
const ownersOf = (scene) => scene.arguments.flatMap((own, k) => (own.kind === "Place" ? [k, k, k] : [k]));

// The lines behind a mark's numbers, from the last to the first, with the arguments that each uses itself; of an array
// only those entries are followed that the number is made of.
export function traced(scene, places, before, made) {
  const owners = ownersOf(scene);
  const needed = new Map();
  const step = (line, own, until) => {
    const { lines, inputs } = madeOf(scene, own, until, line === null ? made : scene.lines[line].text);
    for (const [k, found] of lines) needed.set(k, new Set([...(needed.get(k) ?? []), ...found]));
    return {
      line,
      until,
      lines: [...lines.keys()].sort((a, b) => b - a),
      arguments: [...new Set([...inputs].map((k) => owners[k]))].sort((a, b) => a - b),
    };
  };
  const steps = [step(null, places, before)];
  for (let k = before - 1; k >= 0; k--) if (needed.has(k)) steps.push(step(k, needed.get(k), k));
  return steps;
}

const BINARY = { "+": [" + ", 1], "-": [" \u2212 ", 1], "*": [" \u00b7 ", 2] }; // and how closely it binds
const NAMED = ["sin", "cos", "sqrt", "atan2", "max", "min"];

// A number of the tape as a formula of numbers, with how closely its last operation binds, 3 if it is one number;
// null where it is long, or an operation has no sign. `stop` says at which numbers it ends.
function writtenOut(tape, x, place, stop, budget) {
  const [op, a, b] = tape[place];
  const leaf = (value) => ({ text: shown(value, 3), bond: value < 0 ? 1 : 3 });
  if (op === "constant" || op === "input" || stop(place)) return leaf(x[place]);
  budget.left -= 1;
  if (budget.left < 0 || !(op in BINARY || op === "inverse" || op === "negative" || NAMED.includes(op))) return null;
  const part = (k) => writtenOut(tape, x, k, stop, budget);
  const around = (own, bond) => (own.bond < bond ? `(${own.text})` : own.text);
  const quotient = (over, k) => {
    const [one, other] = [over === null ? leaf(1) : part(over), part(tape[k][1])];
    return one && other && { text: `${around(one, 2)} / ${around(other, 3)}`, bond: 2 };
  };
  if (op === "inverse") return quotient(null, place);
  const below = op === "*" ? [b, a].find((k) => tape[k][0] === "inverse" && !stop(k)) : undefined;
  if (below !== undefined) return quotient(below === b ? a : b, below);
  const parts = (b === undefined ? [a] : [a, b]).map(part);
  if (parts.includes(null)) return null;
  if (op === "negative") return { text: `\u2212${around(parts[0], 2)}`, bond: 1 };
  if (NAMED.includes(op)) return { text: `${op}(${parts.map(({ text }) => text).join(", ")})`, bond: 3 };
  const [sign, bond] = BINARY[op];
  const first = parts[0].text.startsWith("\u2212") && bond === 1 ? parts[0].text : around(parts[0], bond);
  return { text: `${first}${sign}${around(parts[1], op === "+" ? 2 : bond + 1)}`, bond };
}

// A number written with those that it is made of, as long as that is short: null if not.
export function formulaOf(scene, x, place, before) {
  if (["constant", "input"].includes(scene.tape[place][0])) return null;
  const stop = (k) =>
    k !== place &&
    Boolean(
      holdersOf(scene)
        .get(k)
        ?.some((line) => line < before),
    );
  return writtenOut(scene.tape, x, place, stop, { left: LONGEST })?.text ?? null;
}

// An array of the tape, or its size where it is long.
function written(places, x, digits = 3) {
  if (!Array.isArray(places)) return shown(x[places], digits);
  if (places.length === 1) return written(places[0], x, digits);
  const all = places.flat(Infinity);
  if (all.length > LONGEST) return `${sizeOfArray(places).join(" \u00d7 ")} numbers`;
  return `(${places.map((own) => written(own, x, digits)).join(Array.isArray(places[0]) ? "; " : ", ")})`;
}

const sizeOfArray = (places) => (Array.isArray(places) ? [places.length, ...sizeOfArray(places[0])] : []);

// What a line's name is worth, or what kind of thing it is.
const worth = ({ places, says, whole }, x) => (places === undefined ? says : written(places, x, whole ? 0 : 3));

const settingOf = (own, value) =>
  own.kind === "Place"
    ? `(${value.map((y) => shown(y)).join(", ")}) m`
    : `${shown(value)}${own.unit === "\u00b0" ? "\u00b0" : `\u00a0${own.unit}`}`.trim();
const called = (own) => (own.kind === "Place" ? own.name : own.argument.replaceAll("_", " "));
const placesOfMark = ({ numbers }) => numbers.value ?? numbers.along ?? numbers.place ?? Object.values(numbers)[0];

// What a step of the trace is called, and what its line says.
function lineOf(scene, { line }, mark, name, places) {
  return line === null ? { name, text: mark.made, laws: mark.laws ?? [], places } : scene.lines[line];
}

// Whether a mark only shows the number of the first line behind it.
function isAlias(scene, trace, mark) {
  if (trace.length < 2) return false;
  const first = scene.lines[trace[1].line];
  return scene.tape ? String(first.places) === String(placesOfMark(mark)) : first.name === mark.made;
}

// The steps of a trace, those of the reader's own numbers last. A mark that only shows a line's number is one step.
/** @returns {import("./whence.js").Step[]} */
function stepsOf(scene, trace, mark, name, x, chosen) {
  const places = placesOfMark(mark);
  const value = numberOfMark(mark, x);
  const steps = trace.slice(isAlias(scene, trace, mark) ? 1 : 0).map((step, k) => {
    const own = lineOf(scene, step, mark, name, places);
    const recorded = scene.tape && !Array.isArray(own.places);
    const formula = recorded ? formulaOf(scene, x, own.places, step.until) : null;
    const rests = [
      ...step.lines.map((line) => scene.lines[line].name),
      ...step.arguments.map((one) => called(scene.arguments[one])),
    ];
    return {
      name: k === 0 ? name : own.name,
      value: k === 0 ? value : worth(own, x),
      line: own.text,
      formula: [formula && `= ${formula}`, rests.length && `from ${rests.join(", ")}`].filter(Boolean).join("; "),
      laws: own.laws.map(([law, page]) => [
        `${law}: chapter ${Number.parseInt(page, 10)}`,
        `${page}.html#export-${law}`,
      ]),
    };
  });
  const used = usedIn(trace).map((k) => scene.arguments[k]);
  const set = used.map((own) => ({
    name: called(own),
    value: settingOf(own, chosen[scene.arguments.indexOf(own)]),
    words: own.kind === "Place" ? "You drag it." : "You set it.",
  }));
  return [...steps, ...set];
}

const usedIn = (trace) => [...new Set(trace.flatMap((step) => step.arguments))].sort((a, b) => a - b);

// A mark's number with its unit; of an arrow, the vector as it is drawn.
function numberOfMark(mark, x) {
  const places = placesOfMark(mark);
  if (mark.kind === "Value") return `${shown(x[places], mark.digits)}\u00a0${mark.unit}`.trim();
  return `${written(places, x)}, as it is drawn`;
}

const wayOf = (scene, mark) =>
  scene.tape ? traced(scene, [placesOfMark(mark)].flat(Infinity), mark.before, mark.made) : mark.trace;

// The steps from a mark back to the sliders, as the panel shows them.
/** @returns {import("./whence.js").Origin} */
export function originOf(scene, mark, chosen) {
  const x = numbersFor(scene, chosen);
  const trace = wayOf(scene, mark);
  const name = mark.kind === "Value" ? mark.name : mark.words || mark.name;
  const steps = stepsOf(scene, trace, mark, name, x, chosen);
  const given = usedIn(trace).length;
  const said = (some) => some.map((step) => `${step.name} ${step.value}`.trim()).join(", ");
  const between = steps.slice(1, steps.length - given);
  const through = between.length ? `, through ${said(between)}` : "";
  const from = given ? `from ${said(steps.slice(steps.length - given))}` : "from constants of the page";
  const sentence = `${name} is ${steps[0].value}${through}, ${from}.`;
  return { steps, sentence, at: chosen.flat(), lit: symbolsIn(scene, trace, x, chosen) };
}

// The symbols of the text behind a number, each with its value: of the marks that show, to whatever scale, one number
// of the trace.
function symbolsIn(scene, trace, x, chosen) {
  const [lines, used] = [trace.map(({ line }) => line), usedIn(trace)];
  const lit = new Map();
  for (const mark of scene.marks.filter(({ symbol }) => symbol)) {
    const { lines: own, arguments: given } = wayOf(scene, mark)[0];
    if (own.length + given.length !== 1) continue;
    if (own.length && lines.includes(own[0])) lit.set(mark.symbol, worth(scene.lines[own[0]], x));
    if (given.length && used.includes(given[0]))
      lit.set(mark.symbol, settingOf(scene.arguments[given[0]], chosen[given[0]]));
  }
  return lit;
}
