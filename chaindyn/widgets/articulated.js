// The sweep inward of chapter 8 in the links' own axes, and its judgement of postures in which some joint feels no inertia.

// The 6 x 6 inertia about the origin of a body with its centre of mass at c and moments `inertia` about it, row by row.
function inertiaMatrix(mass, inertia, c) {
  const hat = [[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]];
  const upper = inertia.map((row, i) => [...row.map((x, j) => x + mass * ((i === j) * dot(c, c) - c[i] * c[j])), ...scale(mass, hat[i])]);
  return [...upper, ...hat.map((row, i) => [...scale(-mass, row), ...[0, 1, 2].map((j) => (i === j ? mass : 0))])];
}
const inertiasOf = (tree, moments) => tree.names.map((_, i) => inertiaMatrix(tree.mass[i], moments[i], tree.com[i]));

// The motion of link i at unit rate of its joint, in its own axes.
const ownMotion = (tree, i) => (tree.kind[i] === "Revolute" ? [...tree.axis[i], 0, 0, 0] : [0, 0, 0, ...tree.axis[i]]);

// What a link's inertia shows through its joint: I - I S (S^T I S)^-1 S^T I.
function throughJoint(tree, i, I) {
  if (tree.column[i] === null) return I;
  const S = ownMotion(tree, i);
  const U = apply(I, S);
  const D = dot(S, U);
  return I.map((row, j) => row.map((x, k) => x - (U[j] * U[k]) / D));
}

// The motion transform from a parent to its child, whose pose there is R, p: [E 0; -E p~ E] with E = R^T.
function motionTransform(R, p) {
  const E = transpose(R);
  const crossed = transpose(transpose([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).map((e) => cross(p, e)));
  const below = multiply(E, crossed);
  return [...E.map((row) => [...row, 0, 0, 0]), ...E.map((row, i) => [...scale(-1, below[i]), ...row])];
}
function fromParent(tree, q, i) {
  const joint = jointPose(tree.kind[i], tree.axis[i], q[tree.column[i]]);
  return motionTransform(multiply(tree.rotation[i], joint.R), add(tree.offset[i], apply(tree.rotation[i], joint.p)));
}
const seenFrom = (X, A) => multiply(transpose(X), multiply(A, X)); // X^T A X
const plus = (A, B) => A.map((row, k) => add(row, B[k]));

// The outermost link whose joint feels no inertia; undefined if M is regular. `inertias` are the links' 6 x 6, `free` says of
// a link whether its joint is free to move. As `require_inertia` in Python: an inertia D within its own rounding is none.
function withoutInertia(tree, inertias, q, free = () => true) {
  const none = inertias[0].map((row) => row.map(() => 0));
  const I = [...inertias];
  const E = inertias.map(() => none); // how large the rounding of I can be, in rounding units, to first order
  let [doubtful, found] = [false, undefined];
  for (let i = I.length - 1; i >= 0; i--) {
    const size = I[i].map((row, k) => row.map((x, l) => (k === l ? x : 0)));
    let [up, noise] = [I[i], plus(E[i], size)];
    if (tree.column[i] !== null && free(i)) {
      const S = ownMotion(tree, i);
      const U = apply(I[i], S);
      const D = dot(S, U);
      doubtful ||= !(D > 1e-9 * Math.max(0, ...I[i].flat()));
      if (!(D - 32 * Number.EPSILON * dot(S, apply(noise, S)) > 0)) found ??= i;
      if (doubtful && found !== undefined) return found; // what lies inward of a zero is undefined
      const P = S.map((s, k) => U.map((u, l) => (k === l) - (s * u) / D));
      [up, noise] = [throughJoint(tree, i, I[i]), seenFrom(P, noise)];
    }
    const parent = tree.parent[i];
    if (parent < 0) continue;
    const X = fromParent(tree, q, i);
    I[parent] = plus(I[parent], seenFrom(X, up));
    E[parent] = plus(E[parent], seenFrom(X, plus(noise, size)));
  }
  return undefined; // far from singular everywhere, or nowhere within rounding
}
const singular = (name) => `M is singular: the joint of link ${name} feels no inertia in this posture; the link, or what it carries, needs mass that this joint moves`;

// The pose {R, p} of a link in the frame of its joint's seat. Rodrigues' formula, column by column.
function jointPose(kind, axis, q) {
  const identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  if (kind === "Prismatic") return { R: identity, p: scale(q, axis) };
  if (kind !== "Revolute") return { R: identity, p: [0, 0, 0] };
  const turned = (e) =>
    [scale(Math.cos(q), e), scale(Math.sin(q), cross(axis, e)), scale((1 - Math.cos(q)) * dot(axis, e), axis)].reduce(add);
  return { R: transpose(identity.map(turned)), p: [0, 0, 0] };
}
