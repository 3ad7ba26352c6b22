// Other postures in the picture of ImpactExplorer: the chain as it would stand elsewhere on the map's way across, each
// the stronger in colour the harder its blow would be, with the numbers of the hardest and of the softest.

import { atShare, shareOf } from "./blow_answer.js";
import { mostOf } from "./map.js";
import { endsOf, pathOf, poses } from "./tree.js";
import { add, apply, shown } from "./vectors.js";

const SHOWN = 11; // of the map's columns

/** The postures, each with what the map says of it: null where the point would be leaving. */
export function othersOf(tree, request, { impulse, mass }) {
  const [across, up] = request.axes;
  const cells = impulse.length;
  const row = Math.max(0, Math.min(cells - 1, Math.floor(shareOf(tree, request, up) * cells)));
  const grid = request.quantity === "mass" ? mass : impulse;
  const most = mostOf(grid).most || 1;
  const own = shareOf(tree, request, across) * cells - 0.5; // where the chain itself stands
  const columns = Array.from({ length: SHOWN }, (_, k) => Math.round((k * (cells - 1)) / (SHOWN - 1)));
  const apart = (cells - 1) / (SHOWN - 1);
  const others = columns.filter((column) => Math.abs(column - own) > apart / 2);
  return others.map((column) => {
    const there = atShare(tree, request, across, (column + 0.5) / cells);
    const value = impulse[row][column] ? grid[row][column] : null;
    return { ...poses(tree, there.q), point: there.point, value, share: Math.min(1, (value ?? 0) / most) };
  });
}

/** The links that stand elsewhere in another posture; of a blow along its link, that link. */
const movedBy = (tree, { axes, body }) =>
  tree.names.map((_, i) => i).filter((i) => (axes[0] === "along" ? i === body : pathOf(tree, i).includes(axes[0])));

/** Draw them, the softest first. */
export function paintOthers(view, request) {
  const { stage } = view;
  const tree = view.tree();
  const links = movedBy(tree, request);
  const others = othersOf(tree, request, view.held);
  const unit = request.quantity === "mass" ? "kg" : "N s";
  const valued = others.filter(({ value }) => value !== null).sort((a, b) => a.value - b.value);
  for (const { R, p, value, share, point } of [...others].sort((a, b) => a.share - b.share)) {
    const look = { width: 2 + 4 * share, opacity: value === null ? 0.25 : 0.15 + 0.8 * share };
    const place = add(p[request.body], apply(R[request.body], point));
    if (request.axes[0] !== "along")
      for (const i of links)
        for (const end of endsOf(tree)[i])
          stage.line([p[i], add(p[i], apply(R[i], end))], value === null ? "faint" : "force", look);
    if (value !== null) stage.line([place, place], "force", { ...look, width: 5 + 9 * share });
  }
  for (const { R, p, point, value } of new Set([valued.at(0), valued.at(-1)].filter(Boolean)))
    stage.text(add(p[request.body], apply(R[request.body], point)), `${shown(value)} ${unit}`, [8, -8], "force");
}
