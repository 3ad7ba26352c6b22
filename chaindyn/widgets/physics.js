// What emitted/*.js computes, with a tree's own numbers. Each text there is a function of the book, recorded for
// links whose joints turn about an axis, slide along it, or do neither; here it is only given room, numbers and the
// tree.

import { MODEL } from "./emitted/model.js";
import { inForce } from "./in_force.js";

const PREPARED = new WeakMap(); // of each tree: by model its numbers, and by function room to work

function prepared(recorded, tree) {
  if (!PREPARED.has(tree)) PREPARED.set(tree, { numbers: new Map(), rooms: new Map() });
  const { numbers, rooms } = PREPARED.get(tree);
  const model = recorded.model ?? MODEL;
  if (!numbers.has(model)) numbers.set(model, numbersOf(tree, model));
  const own = numbers.get(model);
  if (!rooms.has(recorded)) rooms.set(recorded, { ...own, ...roomFor(recorded, own.links, model) });
  return rooms.get(recorded);
}

const isKind = (tree, name) => tree.kind.map((kind) => Number(kind === name));

function numbersOf(tree, model) {
  // A joint that is fixed neither turns nor slides, and feels an inertia of one: it answers no force.
  const parts = {
    turn: isKind(tree, "Revolute"),
    slide: isKind(tree, "Prismatic"),
    reflected_inertia: isKind(tree, "Fixed").map((x) => [x]),
  };
  const D = new Float64Array(tree.parent.length * model.links);
  tree.parent.forEach((_, i) => model.fill({ ...tree, ...parts }, i, D, i * model.links));
  return { D, model, links: tree.parent };
}

const sizeOf = (shape, n) => shape.reduce((size, k) => size * (k === "n" ? n : k), 1);

function roomFor({ keep, carried, kept, inputs, outputs }, links, model) {
  const n = links.length;
  const room = (size) => new Float64Array(size);
  const records = carried + n * keep; // the ground's, and one of each link
  return {
    sizes: [n, n, n, records],
    links: Int32Array.from(links.flatMap((parent, i) => [parent, 0, i * model.links, carried + i * keep, i, i])),
    G: room(model.shared),
    inputs: inputs.map((shape) => room(sizeOf(shape ?? ["n"], n))),
    outputs: outputs.map((shape) => room(sizeOf(shape, n))),
    w: room(records + kept),
  };
}

// Numbers in a row as rows of rows. A loop: this is asked for thousands of times in a frame.
function nested(x, shape, from = 0) {
  if (shape.length === 0) return x[from];
  const [count, ...rest] = shape;
  const size = sizeOf(rest);
  const rows = new Array(count);
  for (let k = 0; k < count; k++) rows[k] = rest.length ? nested(x, rest, from + k * size) : x[from + k];
  return rows;
}

// The results of a function; inputs and results that have a row for each joint have one for each that moves. What is
// "kept" for another function is as it stands there, until the next call. The last result is what must be positive,
// for the answers to be beyond doubt.
/**
 * @param {any} known as it is emitted
 * @param {any} tree
 * @param {any[]} inputs
 * @param {number[]} gravity
 * @returns {any[]}
 */
export function compute(known, tree, inputs, gravity = tree.gravity) {
  const recorded = inForce(known.run.name, known); // one with what the reader redefined has a model of its own
  const own = prepared(recorded, tree);
  const { column } = tree;
  for (let k = 0; k < inputs.length; k++) {
    const x = inputs[k];
    if (recorded.inputs[k]) own.inputs[k].set(ArrayBuffer.isView(x) ? x : [x].flat(Infinity));
    else for (let i = 0; i < column.length; i++) own.inputs[k][i] = column[i] === null ? 0 : x[column[i]];
  }
  own.model.common({ gravity }, own.G);
  recorded.run(own.sizes, own.links, own.D, own.G, own.inputs, own.outputs, own.w);
  return own.outputs.map((x, k) => {
    const [rows, ...rest] = recorded.outputs[k];
    if (recorded.rows[k] === "kept") return x;
    if (rows !== "n") return nested(x, recorded.outputs[k]);
    const all = nested(x, [column.length, ...rest]);
    return recorded.rows[k] === "joints" ? all.filter((_, i) => column[i] !== null) : all;
  });
}
