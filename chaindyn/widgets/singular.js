// Postures in which some joint feels no inertia.

// The outermost link whose joint feels none but rounding; undefined if M is regular. free : of each joint 1, or 0 where its rate is told.
function withoutInertia(tree, q, free = q.map(() => 1)) {
  const [felt, sure] = compute(MARGINS, tree, [q, free]);
  return sure[0] > 0 ? undefined : outermost(tree, felt);
}
const outermost = (tree, felt) => tree.names.map((_, i) => i).findLast((i) => tree.column[i] !== null && !(felt[tree.column[i]] > 0));
const singular = (name) => `M is singular: the joint of link ${name} feels no inertia in this posture; the link, or what it carries, needs mass that this joint moves`;
