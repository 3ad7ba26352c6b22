// The mass matrix, from what each joint's screw asks of all that it carries.

import { CRBA } from "./emitted/crba.js";
import { compute } from "./physics.js";
import { dot } from "./vectors.js";

export function massMatrix(tree, q) {
  const { parent, column } = tree;
  const [screws, wrenches] = compute(CRBA, tree, [q]);
  const M = screws.map(() => screws.map(() => 0));
  column.forEach((k, j) => {
    for (let i = j; k !== null && i >= 0; i = parent[i])
      if (column[i] !== null) M[k][column[i]] = M[column[i]][k] = dot(screws[column[i]], wrenches[k]);
  });
  return M;
}
