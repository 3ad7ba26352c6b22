// Forward dynamics of a tree: the articulated inertias of chapter 8, written about the world's origin. A page takes it thousands of
// times a second, so it works in place, on numbers that lie in rows: 3 x 3 and 6 x 6 matrices row by row, link after link.

const FORWARD = new WeakMap(); // the forward dynamics of each tree
function forwardOf(tree) {
  if (!FORWARD.has(tree)) FORWARD.set(tree, new Forward(tree));
  return FORWARD.get(tree);
}

class Forward {
  constructor(tree) {
    const n = tree.names.length;
    const rows = (name) => Float64Array.from(tree[name].flat(2));
    const room = (width) => new Float64Array(n * width);
    Object.assign(this, { tree, n, parent: tree.parent, column: tree.column });
    Object.assign(this, { turns: tree.kind.map((kind) => kind === "Revolute"), slides: tree.kind.map((kind) => kind === "Prismatic") });
    for (const name of ["axis", "offset", "rotation", "com", "mass", "inertia"]) this[name] = rows(name);
    Object.assign(this, { R: room(9), p: room(3), S: room(6), V: room(6), c: room(6), A: room(6) });
    Object.assign(this, { I: room(36), f: room(6), U: room(6), D: room(1), u: room(1), turn: room(9), h: new Float64Array(6) });
  }

  // qdd under the joint forces tau; throws if some joint feels no inertia.
  accelerate(q, qd, tau, gravity = this.tree.gravity) {
    for (let i = 0; i < this.n; i++) {
      this.pose(i, q);
      this.move(i, qd);
      this.weigh(i);
    }
    let doubtful = false;
    for (let i = this.n - 1; i >= 0; i--) doubtful = this.articulate(i, tau) || doubtful;
    const singularAt = doubtful ? withoutInertia(this.tree, inertiasOf(this.tree, this.tree.inertia), q) : undefined;
    if (singularAt !== undefined) throw new Error(singular(this.tree.names[singularAt]));
    const qdd = new Array(q.length);
    for (let i = 0; i < this.n; i++) this.respond(i, gravity, qdd);
    return qdd;
  }

  // Where link i is: R and p, from its parent's, its seat there, and its joint.
  pose(i, q) {
    const { R, p, rotation, offset, turn, parent } = this;
    const [j, k] = [9 * i, 3 * i];
    this.turnBy(i, q);
    const slide = this.slides[i] ? q[this.column[i]] : 0;
    const x = offset[k] + slide * this.along(rotation, j, i, 0);
    const y = offset[k + 1] + slide * this.along(rotation, j, i, 1);
    const z = offset[k + 2] + slide * this.along(rotation, j, i, 2);
    if (parent[i] < 0) {
      for (let a = 0; a < 3; a++) {
        p[k + a] = a === 0 ? x : a === 1 ? y : z;
        for (let b = 0; b < 3; b++) R[j + 3 * a + b] = turn[j + 3 * a + b];
      }
      return;
    }
    const [jp, kp] = [9 * parent[i], 3 * parent[i]];
    for (let a = 0; a < 3; a++) {
      const [r, s, t] = [R[jp + 3 * a], R[jp + 3 * a + 1], R[jp + 3 * a + 2]];
      p[k + a] = p[kp + a] + r * x + s * y + t * z;
      for (let b = 0; b < 3; b++) R[j + 3 * a + b] = r * turn[j + b] + s * turn[j + 3 + b] + t * turn[j + 6 + b];
    }
  }
  // A component of the axis of joint i, turned by a matrix that starts at j.
  along(matrix, j, i, a) {
    const { axis } = this;
    return matrix[j + 3 * a] * axis[3 * i] + matrix[j + 3 * a + 1] * axis[3 * i + 1] + matrix[j + 3 * a + 2] * axis[3 * i + 2];
  }
  // The seat's rotation times the joint's, by Rodrigues' formula.
  turnBy(i, q) {
    const { rotation, turn, axis } = this;
    const j = 9 * i;
    if (!this.turns[i]) {
      for (let k = j; k < j + 9; k++) turn[k] = rotation[k];
      return;
    }
    const angle = q[this.column[i]];
    const [s, e] = [Math.sin(angle), 1 - Math.cos(angle)];
    const [x, y, z] = [axis[3 * i], axis[3 * i + 1], axis[3 * i + 2]];
    for (let a = j; a < j + 9; a += 3) {
      const [u, v, w] = [rotation[a], rotation[a + 1], rotation[a + 2]];
      const shared = e * (u * x + v * y + w * z);
      turn[a] = u - e * u + shared * x + s * (v * z - w * y);
      turn[a + 1] = v - e * v + shared * y + s * (w * x - u * z);
      turn[a + 2] = w - e * w + shared * z + s * (u * y - v * x);
    }
  }

  // How it moves: its joint's motion S, its velocity V, and c, the rate of V at constant joint speed.
  move(i, qd) {
    const { R, p, S, V, c, parent } = this;
    const [j, k, l] = [9 * i, 3 * i, 6 * i];
    const [x, y, z] = [this.along(R, j, i, 0), this.along(R, j, i, 1), this.along(R, j, i, 2)];
    if (this.turns[i]) {
      S[l] = x;
      S[l + 1] = y;
      S[l + 2] = z;
      S[l + 3] = p[k + 1] * z - p[k + 2] * y;
      S[l + 4] = p[k + 2] * x - p[k] * z;
      S[l + 5] = p[k] * y - p[k + 1] * x;
    } else if (this.slides[i]) {
      S[l + 3] = x;
      S[l + 4] = y;
      S[l + 5] = z;
    }
    const rate = this.column[i] === null ? 0 : qd[this.column[i]];
    const m = 6 * parent[i];
    for (let a = 0; a < 6; a++) V[l + a] = (m < 0 ? 0 : V[m + a]) + rate * S[l + a];
    for (let a = 0; a < 3; a++) {
      const [b, d] = [l + ((a + 1) % 3), l + ((a + 2) % 3)];
      c[l + a] = rate * (V[b] * S[d] - V[d] * S[b]);
      c[l + 3 + a] = rate * (V[b] * S[d + 3] - V[d] * S[b + 3] + V[b + 3] * S[d] - V[d + 3] * S[b]);
    }
  }

  // Its inertia about the world's origin, and the force that its own motion takes, V x* I V.
  weigh(i) {
    const { R, inertia, I, V, f, h } = this;
    const [j, l, o] = [9 * i, 6 * i, 36 * i];
    const m = this.mass[i];
    const [x, y, z] = [this.centre(i, 0), this.centre(i, 1), this.centre(i, 2)];
    for (let a = o; a < o + 36; a++) I[a] = 0;
    for (let a = 0; a < 3; a++) {
      const [r, s, t] = [R[j + 3 * a], R[j + 3 * a + 1], R[j + 3 * a + 2]];
      const x = r * inertia[j] + s * inertia[j + 3] + t * inertia[j + 6];
      const y = r * inertia[j + 1] + s * inertia[j + 4] + t * inertia[j + 7];
      const z = r * inertia[j + 2] + s * inertia[j + 5] + t * inertia[j + 8];
      for (let b = 0; b < 3; b++) I[o + 6 * a + b] = x * R[j + 3 * b] + y * R[j + 3 * b + 1] + z * R[j + 3 * b + 2];
      I[o + 6 * (a + 3) + a + 3] = m;
    }
    I[o] += m * (y * y + z * z);
    I[o + 7] += m * (x * x + z * z);
    I[o + 14] += m * (x * x + y * y);
    this.couple(o, 0, 1, -m * x * y);
    this.couple(o, 0, 2, -m * x * z);
    this.couple(o, 1, 2, -m * y * z);
    this.couple(o, 0, 4, -m * z);
    this.couple(o, 1, 3, m * z);
    this.couple(o, 1, 5, -m * x);
    this.couple(o, 2, 4, m * x);
    this.couple(o, 2, 3, -m * y);
    this.couple(o, 0, 5, m * y);
    for (let a = 0; a < 6; a++) h[a] = this.row(I, o + 6 * a, V, l);
    for (let a = 0; a < 3; a++) {
      const [b, d] = [(a + 1) % 3, (a + 2) % 3];
      f[l + a] = V[l + b] * h[d] - V[l + d] * h[b] + V[l + b + 3] * h[d + 3] - V[l + d + 3] * h[b + 3];
      f[l + a + 3] = V[l + b] * h[d + 3] - V[l + d] * h[b + 3];
    }
  }
  centre(i, a) {
    const { R, com } = this;
    const j = 9 * i + 3 * a;
    return this.p[3 * i + a] + R[j] * com[3 * i] + R[j + 1] * com[3 * i + 1] + R[j + 2] * com[3 * i + 2];
  }
  couple(o, a, b, by) {
    this.I[o + 6 * a + b] += by;
    this.I[o + 6 * b + a] += by;
  }
  row(A, at, x, l) {
    return A[at] * x[l] + A[at + 1] * x[l + 1] + A[at + 2] * x[l + 2] + A[at + 3] * x[l + 3] + A[at + 4] * x[l + 4] + A[at + 5] * x[l + 5];
  }

  // Link step inward. Returns whether the inertia that the joint feels may be rounding.
  articulate(i, tau) {
    const { I, f, S, U, c, parent } = this;
    const [l, o] = [6 * i, 36 * i];
    const moved = this.column[i] !== null;
    let [doubtful, D, left] = [false, 1, 0];
    if (moved) {
      let most = 0;
      for (let a = 0; a < 6; a++) {
        U[l + a] = this.row(I, o + 6 * a, S, l);
        most = Math.max(most, I[o + 7 * a]);
      }
      D = this.D[i] = this.row(S, l, U, l);
      doubtful = !(D > 1e-9 * most);
      this.u[i] = tau[this.column[i]] - this.row(S, l, f, l);
      left = (this.u[i] - this.row(U, l, c, l)) / D;
    }
    if (parent[i] < 0) return doubtful;
    const [m, w] = [6 * parent[i], 36 * parent[i]];
    for (let a = 0; a < 6; a++) {
      f[m + a] += f[l + a] + this.row(I, o + 6 * a, c, l) + (moved ? U[l + a] * left : 0);
      const share = moved ? U[l + a] / D : 0;
      for (let b = 0; b < 6; b++) I[w + 6 * a + b] += I[o + 6 * a + b] - share * U[l + b];
    }
    return doubtful;
  }

  // Link step outward. At the root, gravity as an acceleration of the ground.
  respond(i, gravity, qdd) {
    const { A, c, S, U, parent } = this;
    const [l, m] = [6 * i, 6 * parent[i]];
    for (let a = 0; a < 6; a++) A[l + a] = c[l + a] + (m >= 0 ? A[m + a] : a < 3 ? 0 : -gravity[a - 3]);
    if (this.column[i] === null) return;
    const rate = (this.u[i] - this.row(U, l, A, l)) / this.D[i];
    qdd[this.column[i]] = rate;
    for (let a = 0; a < 6; a++) A[l + a] += rate * S[l + a];
  }
}
