// What Python would answer to a view of a blow, and the numbers of its map.

import { blowOn, faultOf } from "./blow.js";
import { atJointShare, jointShare } from "./map.js";
import { poses } from "./tree.js";
import { add, apply, dot, norm, scale } from "./vectors.js";

// Where a share of the way across or up the map is: the request there.
export function atShare(tree, request, axis, share) {
  if (axis !== "along") return { ...request, q: atJointShare(tree, request.q, axis, share) };
  const end = tree.end[request.body];
  return { ...request, point: add(request.point, scale(share - shareAlong(tree, request), end)) };
}

export function shareAlong(tree, { body, point }) {
  const end = tree.end[body];
  return dot(point, end) / (dot(end, end) || 1);
}

export const shareOf = (tree, request, axis) =>
  axis === "along" ? shareAlong(tree, request) : jointShare(tree, request.q, axis);

function mapOf(tree, request) {
  const [kind, link] = request.feel;
  const { cells } = tree; // each way
  const [impulse, mass, felt] = [[], [], []];
  let fault = "";
  for (let j = 0; j < cells; j++) {
    const up = atShare(tree, request, request.axes[1], (j + 0.5) / cells);
    const row = Array.from({ length: cells }, (_, i) => {
      const there = atShare(tree, up, request.axes[0], (i + 0.5) / cells);
      const { impulse, mass, rates, reactions, singularAt } = blowOn(tree, there);
      fault ||= faultOf(tree, there, singularAt);
      const one = kind === "jump" ? rates[tree.column[link]] : dot(reactions[link].slice(3), request.normal);
      const finite = Number.isFinite(mass);
      return [impulse, finite ? mass : null, finite ? one : null];
    });
    impulse.push(row.map((x) => x[0]));
    mass.push(row.map((x) => x[1]));
    felt.push(row.map((x) => x[2]));
  }
  return fault ? { error: fault } : { impulse, mass, felt };
}

const unknown = (x) => (Array.isArray(x) ? x.map(unknown) : null);

export function fromBlow(tree, asked) {
  const request = { ...asked, normal: scale(1 / (norm(asked.normal) || 1), asked.normal) };
  const { q, qd, body, point, map } = request;
  const [at, given] = [poses(tree, q), blowOn(tree, request)];
  const fault = faultOf(tree, request, given.singularAt);
  const { impulse, mass, velocity, change, rates, reactions, energy } = given;
  const values = {
    chain: request.chain,
    ...at,
    point: add(at.p[body], apply(at.R[body], point)),
    impulse,
    mass: Number.isFinite(mass) ? mass : null,
    qd_after: add(qd, scale(impulse, rates)),
    before: velocity,
    after: add(velocity, scale(impulse, change)),
    reactions: reactions.map((x) => scale(impulse, x.slice(3))),
    moments: reactions.map((x) => scale(impulse, x.slice(0, 3))),
    energy,
  };
  if (fault)
    for (const name of ["impulse", "mass", "qd_after", "after", "reactions", "moments", "energy"])
      values[name] = unknown(values[name]);
  return {
    values:
      map === null ? values : { ...values, map: { key: map, ...(fault ? { error: fault } : mapOf(tree, request)) } },
    fault,
  };
}
