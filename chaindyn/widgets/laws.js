// The laws of Newton and Euler for each link of a posed tree, and what its children hand on. The tree has its links' masses,
// inertias about the centres of mass, and gravity.

// What each joint does (by column) and passes on [moment about the link's origin; force], in the world's axes, and how each
// link's centre of mass accelerates, less the weight's.
function inverseDynamics(tree, at, qd, qdd, load) {
  const { R, p } = at;
  const origin = { w: [0, 0, 0], dw: [0, 0, 0], a: scale(-1, tree.gravity), p: [0, 0, 0] }; // weight, as if the ground went up
  const motion = [];
  const wrench = [];
  const centres = [];
  tree.parent.forEach((parent, i) => {
    const from = parent < 0 ? origin : motion[parent];
    const axis = apply(R[i], tree.axis[i]);
    const turns = tree.kind[i] === "Revolute";
    const [rate, more] = [qd, qdd].map((x) => scale(x[tree.column[i]] ?? 0, axis));
    const arm = subtract(p[i], from.p);
    let a = [from.a, cross(from.dw, arm), cross(from.w, cross(from.w, arm))].reduce(add);
    if (!turns) a = [a, more, scale(2, cross(from.w, rate))].reduce(add);
    const w = turns ? add(from.w, rate) : from.w;
    const dw = turns ? [from.dw, more, cross(from.w, rate)].reduce(add) : from.dw;
    motion.push({ w, dw, a, p: p[i] });
    const c = apply(R[i], tree.com[i]);
    centres.push([a, cross(dw, c), cross(w, cross(w, c))].reduce(add));
    const force = scale(tree.mass[i], centres[i]);
    const inertia = multiply(R[i], multiply(tree.inertia[i], transpose(R[i])));
    const moment = add(apply(inertia, dw), cross(w, apply(inertia, w)));
    wrench.push([...add(moment, cross(c, force)), ...force]);
  });
  const last = p.length - 1;
  const weight = scale(load, tree.gravity);
  wrench[last] = subtract(wrench[last], [...cross(apply(R[last], tree.tip), weight), ...weight]);
  const effort = [];
  for (let i = last; i >= 0; i--) {
    const [moment, force] = [wrench[i].slice(0, 3), wrench[i].slice(3)];
    const axis = apply(R[i], tree.axis[i]);
    if (tree.column[i] !== null) effort[tree.column[i]] = dot(axis, tree.kind[i] === "Revolute" ? moment : force);
    const parent = tree.parent[i];
    if (parent >= 0) wrench[parent] = add(wrench[parent], [...add(moment, cross(subtract(p[i], p[parent]), force)), ...force]);
  }
  return { effort, wrench, centres };
}
