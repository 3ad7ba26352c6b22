// Forward dynamics by the emitted aba.

// qdd under the joint forces tau; throws if some joint feels no inertia.
function accelerations(tree, q, qd, tau, gravity = tree.gravity) {
  const [qdd, kept, sure] = compute(ABA, tree, [q, qd, tau], gravity);
  const singularAt = withoutInertia(tree, q, kept, sure);
  if (singularAt !== undefined) throw new Error(singular(tree.names[singularAt]));
  return qdd;
}
