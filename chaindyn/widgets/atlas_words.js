// What AtlasExplorer says.

import { shareBelow } from "./atlas_model.js";
import { shown } from "./vectors.js";

export const heavy = (mass) => `${shown(mass, mass < 100 ? 2 : 0)} kg`;

function percent(share) {
  if (share < 1e-5 || share > 1 - 1e-5) return share < 0.5 ? "less than 0.001 %" : "more than 99.999 %";
  return `${shown(100 * share, share > 0.999 || share < 0.001 ? 3 : 1)} %`;
}

export function judge(view, { mass }) {
  const { atlas, tree } = view;
  if (mass === null) return "No joint can move the struck point this way: it weighs infinitely much.";
  const beside = atlas
    ? `${percent(shareBelow(atlas, mass))} of the blows in the atlas are lighter`
    : `the whole chain weighs ${heavy(tree.total)}`;
  return `Here it weighs ${heavy(mass)}; ${beside}.`;
}
