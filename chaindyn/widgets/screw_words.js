// What ScrewExplorer says of two screws.

import { shown } from "./vectors.js";

export function judge({ O, B }) {
  if (shown(O) !== shown(B))
    return `Power m\u00b7f: ${shown(O)} W about O but ${shown(B)} W about B. It must not depend on the frame.`;
  if (Number(shown(O)) === 0)
    return "Power m\u00b7f: 0.00 W in both frames. The screws are reciprocal: the force does no work on this motion.";
  return `Power m\u00b7f: ${shown(O)} W, about O and about B alike.`;
}
