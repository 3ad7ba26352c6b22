// Forward dynamics by the emitted aba.

import { ABA } from "./emitted/aba.js";
import { compute } from "./physics.js";
import { singular, withoutInertia } from "./singular.js";

// qdd under the joint forces tau; throws if some joint feels no inertia.
export function accelerations(tree, q, qd, tau, gravity = tree.gravity) {
  const [qdd, kept, sure] = compute(ABA, tree, [q, qd, tau], gravity);
  const singularAt = withoutInertia(tree, q, kept, sure);
  if (singularAt !== undefined) throw new Error(singular(tree.names[singularAt]));
  return qdd;
}
