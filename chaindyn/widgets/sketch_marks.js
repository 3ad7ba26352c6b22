// The marks of a sketch, as they are drawn.

import { upright } from "./solids.js";
import { add, apply, norm, scale, subtract } from "./vectors.js";

export const HIGH = 300; // of the picture, in its own pixels, 480 wide
export const POINTS = 121; // of a curve

const edgesOf = ({ R, centre, sides }) => {
  const corner = (k) =>
    add(
      centre,
      apply(
        R,
        sides.map((side, i) => ((k >> i) & 1 ? side : -side) / 2),
      ),
    );
  return [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) =>
    [1, 2, 4].filter((bit) => !(k & bit)).map((bit) => [corner(k), corner(k | bit)]),
  );
};

// A circle about an axis, as points.
function ring(middle, axis, radius) {
  const frame = upright(axis);
  return Array.from({ length: 41 }, (_, k) =>
    add(middle, scale(radius, apply(frame, [Math.cos((k * Math.PI) / 20), 0, Math.sin((k * Math.PI) / 20)]))),
  );
}

// How each kind of mark is drawn; `look` has its opacity and whether it is lit. Where there are no solids, strokes
// stand in their place.
const PAINT = {
  Arrow(stage, { start, along, name, colour, grab }, { opacity, lit }) {
    const tip = add(start, along);
    if (norm(along) * stage.camera.zoom < 2) return stage.line([start, start], colour, { width: 6, opacity });
    stage.arrow(start, along, colour, { width: lit ? 6 : 3, opacity });
    if (grab !== undefined) stage.line([start, tip], colour, { grab, seen: false });
    stage.text(tip, name, undefined, colour);
  },
  Line(stage, { points, colour, dashed, name }, { opacity, lit }) {
    stage.line(points, colour, { width: lit ? 4 : 2, dash: dashed ? "7 5" : "none", opacity });
    stage.text(points.at(-1), name, undefined, colour);
  },
  Dot(stage, { place, colour, name }, { opacity, lit }) {
    stage.line([place, place], colour, { width: lit ? 13 : 8, opacity });
    stage.text(place, name, undefined, colour);
  },
  Rod(stage, { id, start, end, radius, flat, colour }, { opacity }) {
    const seen = !stage.solid(
      id,
      { shape: flat ? "cylinder" : "capsule", from: start, to: end, radius },
      colour,
      null,
      { opacity },
    );
    if (seen && flat)
      [start, end].forEach((middle) =>
        stage.line(ring(middle, subtract(end, start), radius), colour, { width: 3, opacity }),
      );
    else if (seen) stage.line([start, end], colour, { width: 2 * radius * stage.camera.zoom, opacity });
  },
  Box(stage, { id, R, centre, sides, colour }, { opacity }) {
    const seen = !stage.solid(id, { shape: "box", R, centre, sides }, colour, null, { opacity });
    if (seen) edgesOf({ R, centre, sides }).forEach((edge) => stage.line(edge, colour, { width: 3, opacity }));
  },
  Ball(stage, { id, centre, radius, colour }, { opacity }) {
    const sides = [2 * radius, 2 * radius, 2 * radius];
    const seen = !stage.solid(
      id,
      {
        shape: "ellipsoid",
        R: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        centre,
        sides,
      },
      colour,
      null,
      { opacity },
    );
    if (seen) stage.line([centre, centre], colour, { width: 2 * radius * stage.camera.zoom, opacity });
  },
  Axes(stage, { R, origin, name, length }) {
    stage.axes(origin, R, name, length);
  },
  Value() {},
};

const LIT = ["Arrow", "Line", "Dot"]; // kinds of which one is lit and the others go dim

// Draw marks, with the numbers x. lit: the symbol that is pointed at; other arrows, lines and dots are dim then.
export function paintMarks(stage, marks, x, lit) {
  const valueAt = (slots) => (Array.isArray(slots) ? slots.map(valueAt) : x[slots]);
  const stands = ({ kind, symbol }) => lit !== null && symbol === lit && LIT.includes(kind);
  const others = marks.some(stands) ? 0.25 : 1;
  for (const mark of marks) {
    const numbers = Object.entries(mark.numbers).map(([name, slots]) => [name, valueAt(slots)]);
    if (!numbers.every(([, own]) => [own].flat(2).every(Number.isFinite))) continue;
    const opacity = stands(mark) || !LIT.includes(mark.kind) ? 1 : others;
    PAINT[mark.kind](stage, { ...mark, ...Object.fromEntries(numbers) }, { lit: stands(mark), opacity });
  }
}
