// Where shapes touch: discs, rods and boxes in the plane.

import { add, apply, combine, dot, norm, scale, subtract } from "./vectors.js";

/** @type {(angle: number, point: number[]) => number[]} */
export const rotated = (angle, [x, z]) => [
  Math.cos(angle) * x - Math.sin(angle) * z,
  Math.sin(angle) * x + Math.cos(angle) * z,
];

/** @type {(place: number[]) => number[]} */
const quarter = ([x, z]) => [-z, x];
export const placed = ({ at, axes }, point) => add(at, apply(axes, point));
export const tangentOf = (normal) => scale(-1, quarter(normal)); // clockwise
const NEAR = 0.05; // gaps above this are not looked at [m]

// The sides of a core {a, along, length, normal}; a segment has two, a point none.
function sidesOf(core) {
  if (core.length < 2) return [];
  return core.map((a, k) => {
    const edge = subtract(core[(k + 1) % core.length], a);
    const length = norm(edge);
    const along = scale(1 / length, edge);
    return { a, b: core[(k + 1) % core.length], along, length, normal: [along[1], -along[0]] };
  });
}

// The side from which another core is farthest, and how far that is (negative if it lies behind).
function farthestSide(sides, core) {
  let best = { far: -Infinity };
  for (const side of sides) {
    const [[x, z], [ax, az]] = [side.normal, side.a];
    let far = Infinity;
    for (const point of core) far = Math.min(far, x * (point[0] - ax) + z * (point[1] - az));
    if (far > best.far) best = { side, far };
  }
  return best;
}

// The corners of two cores that are nearest to each other, if nothing else of them is nearer.
/**
 * @param {number[][]} one
 * @param {number[][]} other
 * @param {any[][]} sides
 */
function nearestCorners(one, other, [ownSides, otherSides]) {
  let best = { far: Infinity };
  one.forEach((a, i) =>
    other.forEach((b, j) => {
      const far = norm(subtract(a, b));
      if (far < best.far) best = { a, b, i, j, far };
    }),
  );
  const faces = (sides, point) =>
    sides.some(({ a, along, length, normal }) => {
      const [t, away] = [dot(along, subtract(point, a)), dot(normal, subtract(point, a))];
      return t >= 0 && t <= length && away >= 0 && away <= best.far;
    });
  return one.some((a) => faces(otherSides, a)) || other.some((b) => faces(ownSides, b)) ? null : best;
}

// What of a core lies over a side, most of all against it: its ends, and whether each is the core's own first corner.
function overSide({ a, along, length, normal }, core, sides) {
  if (core.length < 2) return [{ point: core[0], first: true }];
  const facing = sides.reduce((best, side) => (dot(side.normal, normal) < dot(best.normal, normal) ? side : best));
  const corners = [facing.a, facing.b];
  const [s, t] = corners.map((point) => dot(along, subtract(point, a)));
  let [low, high] = [0, 1];
  if (s !== t) {
    const cuts = [-s / (t - s), (length - s) / (t - s)];
    [low, high] = [Math.max(0, Math.min(...cuts)), Math.min(1, Math.max(...cuts))];
  } else if (s < 0 || s > length) return [];
  if (low > high) return [];
  return [low, high].slice(low === high ? 1 : 0).map((share) => {
    const corner = share === 0 ? corners[0] : share === 1 ? corners[1] : null;
    return { point: corner ?? combine([1 - share, share], corners), first: corner === core[0] };
  });
}

// A shape in the plane, with its sides and the circle about it.
export function shapeAt(core, radius, more = {}) {
  const middle = scale(1 / core.length, core.reduce(add));
  return {
    ...more,
    core,
    radius,
    sides: sidesOf(core),
    middle,
    size: radius + Math.max(...core.map((point) => norm(subtract(point, middle)))),
  };
}

// The contacts of two shapes: {point, normal from the second into the first, gap}, none beyond NEAR.
function contactsBetween(one, other) {
  const reach = one.radius + other.radius;
  const between = subtract(one.middle, other.middle);
  if (Math.hypot(between[0], between[1]) > one.size + other.size + NEAR) return [];
  const sides = [one.sides, other.sides];
  const theirs = farthestSide(sides[1], one.core);
  if (theirs.far > reach + NEAR) return [];
  const own = farthestSide(sides[0], other.core);
  if (Math.max(own.far, theirs.far) > reach + NEAR) return [];
  const overlap = Math.max(own.far, theirs.far) <= 0 && sides.some((x) => x.length > 2);
  const corners = reach > 0 && !overlap && nearestCorners(one.core, other.core, sides);
  if (corners) {
    const { a, b, i, j, far } = corners;
    if ((one.skips && i === 0) || (other.skips && j === 0) || far - reach > NEAR || far === 0) return [];
    const normal = scale(1 / far, subtract(a, b));
    return [{ point: add(b, scale(other.radius + (far - reach) / 2, normal)), normal, gap: far - reach }];
  }
  const flipped = own.far > theirs.far + 1e-9; // the side belongs to the first
  const { side } = flipped ? own : theirs;
  const [, body, bodySides] = flipped ? [one, other, sides[1]] : [other, one, sides[0]];
  return overSide(side, body.core, bodySides).flatMap(({ point, first }) => {
    const gap = dot(side.normal, subtract(point, side.a)) - reach;
    if (gap > NEAR || (first && body.skips)) return [];
    const at = subtract(point, scale(body.radius + gap / 2, side.normal));
    return [{ point: at, normal: flipped ? scale(-1, side.normal) : side.normal, gap }];
  });
}

// All contacts of a world in a posture, with their bodies: links, or -1 for the ground. Neighbours with a joint
// between them do not touch.
export function contactsOf({ tree, pieces, jointed }, poses) {
  const ground = pieces.map((shape) => ({ ...shape, link: -1 }));
  const shapes = tree.flatMap(({ shape }, link) =>
    shape
      ? [
          shapeAt(
            shape.core.map((point) => placed(poses[link], point)),
            shape.radius,
            { link, skips: shape.skips },
          ),
        ]
      : [],
  );
  return shapes.flatMap((one, k) =>
    [...ground, ...shapes.slice(0, jointed ? Math.max(0, k - 1) : k)].flatMap((other) =>
      contactsBetween(one, other).map((touch) => ({ bodies: [one.link, other.link], ...touch })),
    ),
  );
}
