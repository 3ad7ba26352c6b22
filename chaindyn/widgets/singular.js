// Postures in which some joint feels no inertia.

import { MARGINS } from "./emitted/margins.js";
import { compute } from "./physics.js";

// The outermost link whose joint feels none but rounding; undefined if M is regular. kept, sure : from the function
// that was solved, of which `sure` is positive where all is far from singular.
export function withoutInertia(tree, q, kept, [sure]) {
  if (sure > 0) return undefined;
  const [felt] = compute(MARGINS, tree, [q, kept]);
  return tree.names.map((_, i) => i).findLast((i) => tree.column[i] !== null && !(felt[tree.column[i]] > 0));
}

export const singular = (name) =>
  `M is singular: the joint of link ${name} feels no inertia in this posture; the link, or what it carries, ` +
  "needs mass that this joint moves";
