// Where labels go in a picture.

import { add, norm, subtract } from "./vectors.js";

const lengths = new Map(); // of words, as drawn

// How long an SVG text is as drawn, asked once for its words at each size; nothing while it is hidden.
export function drawnLength(text, larger) {
  const key = `${larger} ${text.textContent}`;
  if (!lengths.has(key)) {
    const long = text.getComputedTextLength();
    if (!long) return undefined;
    if (lengths.size > 1000) lengths.clear();
    lengths.set(key, long);
  }
  return lengths.get(key);
}

// Where labels go, [x, y] of where each begins: beside its point, within the picture, and off what is to be kept
// free, points with room about them, and off the labels before it, as far as may be.
/**
 * @param {{ at: number[], words: string, long?: number }[]} labels long : as drawn, else guessed by its letters
 * @param {number[]} size of the picture
 * @param {number[][]} free
 */
export function spread(labels, [width, height], free = [], larger = 1) {
  const [letter, line] = [7.6 * larger, 18 * larger];
  const taken = free.map(([x, y]) => [x - 10, y - 10, x + 10, y + 10]);
  const overlap = (a, b) =>
    Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  return labels.map(({ at: [x, y], words, long = letter * words.length }) => {
    const beside = [
      [8, -8],
      [8, 20],
      [-8 - long, -8],
      [-8 - long, 20],
      [-long / 2, -22],
      [-long / 2, 34],
      [22, 6],
      [-22 - long, 6],
    ];
    const places = beside.map(([dx, dy]) => [
      Math.max(4, Math.min(width - long - 4, x + dx)),
      Math.max(line, Math.min(height - 6, y + dy)),
    ]);
    const boxes = places.map(([left, base]) => [left, base - line + 4, left + long, base + 4]);
    const costs = boxes.map(
      (box, k) =>
        taken.reduce((sum, other) => sum + overlap(box, other), 0) + norm(subtract(places[k], add([x, y], beside[k]))),
    );
    const best = costs.indexOf(Math.min(...costs));
    taken.push(boxes[best]);
    return places[best];
  });
}
