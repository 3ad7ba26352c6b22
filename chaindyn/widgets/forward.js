// Forward dynamics by the emitted aba.

// qdd under the joint forces tau; throws if some joint feels no inertia.
function accelerations(tree, q, qd, tau, gravity = tree.gravity) {
  const [qdd, sure] = compute(ABA, tree, [q, qd, tau], gravity);
  const singularAt = sure[0] > 0 ? undefined : withoutInertia(tree, q);
  if (singularAt !== undefined) throw new Error(singular(tree.names[singularAt]));
  return qdd;
}
