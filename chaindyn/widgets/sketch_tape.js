// The numbers of a sketch: its tape, played with the reader’s arguments, or its samples.

import { radians } from "./vectors.js";

const ACTS = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  and: (x, y) => x * y,
  negative: (x) => -x,
  inverse: (x) => 1 / x,
  not: (x) => 1 - x,
  positive: (x) => Number(x > 0),
  where: (truth, x, y) => (truth ? x : y),
  sin: Math.sin,
  cos: Math.cos,
  sqrt: Math.sqrt,
  atan2: Math.atan2,
  max: Math.max,
  min: Math.min,
};

// The numbers on a tape: rows of an operation and the places of its operands.
function played(tape, inputs) {
  const x = [];
  tape.forEach(([name, a, b, c]) =>
    x.push(name === "constant" ? a : name === "input" ? inputs[a] : ACTS[name](x[a], x[b], x[c])),
  );
  return x;
}

// The numbers between samples: shares are where each slider stands on its way, 0 to 1; rows run over the last slider
// first.
function between({ counts, fixed, columns, rows }, shares) {
  let corners = [[0, 1]]; // which row, and its weight
  counts.forEach((count, k) => {
    const at = Math.max(0, Math.min(1, shares[k])) * (count - 1);
    const low = Math.min(Math.floor(at), count - 2);
    corners = corners.flatMap(([row, weight]) => [
      [row * count + low, weight * (1 - at + low)],
      [row * count + low + 1, weight * (at - low)],
    ]);
  });
  const x = [...fixed];
  columns.forEach((column, j) => {
    x[column] = corners.reduce((sum, [row, weight]) => (weight ? sum + weight * (rows[row][j] ?? NaN) : sum), 0);
  });
  return x;
}

// What a reader chose, as `draw` gets it: radians for degrees.
const handed = ({ kind, unit }, value) => (kind === "Slider" && unit === "\u00b0" ? radians(value) : value);

export function numbersFor({ arguments: all, tape, samples }, chosen) {
  if (tape)
    return played(
      tape,
      all.flatMap((own, k) => handed(own, chosen[k])),
    );
  return between(
    samples,
    all.map(({ bounds: [low, high] }, k) => (chosen[k] - low) / (high - low)),
  );
}
