// The screws of the joints that carry a body.

import { SCREWS } from "./emitted/screws.js";
import { compute } from "./physics.js";
import { pathOf } from "./tree.js";

// For each degree of freedom its screw about a point, in the axes that are the columns of `axes`; zeros if it does not
// carry the body.
export function screwsOn(tree, q, body, about, axes) {
  const [all] = compute(SCREWS, tree, [q, axes, about]);
  const carriers = pathOf(tree, body).map((i) => tree.column[i]);
  return all.map((screw, k) => (carriers.includes(k) ? screw : screw.map(() => 0)));
}
