// The motions of SwingExplorer: free or driven, by steps of several methods, and their errors.

import { ENERGIES } from "./emitted/energies.js";
import { rk4_step } from "./emitted/rk4_step.js";
import { RNEA } from "./emitted/rnea.js";
import { semi_implicit_euler_step } from "./emitted/semi_implicit_euler_step.js";
import { STEP_MOMENTA } from "./emitted/step_momenta.js";
import { variational_correction } from "./emitted/variational_correction.js";
import { variational_end } from "./emitted/variational_end.js";
import { variational_start } from "./emitted/variational_start.js";
import { accelerations } from "./forward.js";
import { byTheBook } from "./in_force.js";
import { compute } from "./physics.js";
import { poses } from "./tree.js";
import { add, apply, norm, rounded, scale, subtract } from "./vectors.js";

const WEIGHTLESS = [0, 0, 0];
const KNOWN = 0.05; // by how much of its reach a tip may stray from one in half the steps, and that one counts as exact

// the joint forces
const needed = (tree, q, qd, qdd, gravity = tree.gravity) => compute(RNEA, tree, [q, qd, qdd], gravity)[0];

// What is desired at a time after the first one: the target, or a sway about it.
export function desiredAt(tree, { motors }, period, time) {
  const rate = (2 * Math.PI) / period;
  const sway = scale(motors === "sway" ? 1 : 0, tree.sway);
  const [sine, cosine] = [Math.sin(rate * time), Math.cos(rate * time)];
  return {
    q: add(tree.target, scale(sine, sway)),
    qd: scale(rate * cosine, sway),
    qdd: scale(-rate * rate * sine, sway),
  };
}

export const gainsOf = ({ frequency, damping }) => ({ kp: frequency ** 2, kd: 2 * damping * frequency });

// What acts on a chain and how it yields, which the steps ask for: functions of time, q and qd.
function drivenBy(tree, request, period) {
  const { kp, kd } = gainsOf(request);
  const none = scale(0, request.qd);
  const torque = (time, q, qd) => {
    if (request.motors === "off") return none;
    const wanted = desiredAt(tree, request, period, time);
    return needed(
      tree,
      q,
      qd,
      [wanted.qdd, scale(kd, subtract(wanted.qd, qd)), scale(kp, subtract(wanted.q, q))].reduce(add),
    );
  };
  const acceleration = (time, q, qd) => accelerations(tree, q, qd, torque(time, q, qd));
  const force = (time, q, qd) => subtract(torque(time, q, qd), needed(tree, q, none, none));
  const carried = (q, qd) => needed(tree, q, none, qd, WEIGHTLESS); // M qd
  const moved = (q, pi) => accelerations(tree, q, none, pi, WEIGHTLESS); // M^-1 pi
  const momenta = (q, next, h) => compute(STEP_MOMENTA, tree, [q, next, h]);
  return { tree, torque, acceleration, force, carried, moved, momenta };
}

function variationalStep(driven, time, q, qd, h) {
  const [pi, first] = variational_start(driven, time, q, qd, h);
  let guess = first;
  for (let k = 0; ; k++) {
    if (k === 50) throw new Error(`the variational step of ${rounded(h, 6)} s does not converge: a shorter one would`);
    const [correction] = variational_correction(driven, time, q, qd, h, pi, guess);
    guess = add(guess, correction);
    if (Math.max(...correction.map(Math.abs)) <= 64 * Number.EPSILON * Math.max(1, driven.tree.reach)) break;
  }
  return variational_end(driven, time, q, qd, h, guess);
}

export const STEPPERS = {
  RK4: rk4_step,
  "semi-implicit Euler": semi_implicit_euler_step,
  variational: variationalStep,
};

export const SHORT = 0.0025; // steps of RK4 in place of DOP853, and of what counts as exact [s]

export function bySteps({ chains, t, period }, request) {
  const tree = chains[request.chain];
  const driven = drivenBy(tree, request, period);
  const [stepper, longest] = STEPPERS[request.method] ? [STEPPERS[request.method], request.step] : [rk4_step, SHORT];
  let [q, qd] = [request.q, request.qd];
  const values = {
    chain: request.chain,
    q: [],
    tau: request.motors === "off" ? null : [],
    kinetic: [],
    potential: [],
    reason: "",
  };
  const keep = (time) => {
    const [kinetic, potential] = compute(ENERGIES, tree, [q, qd]);
    if (!Number.isFinite(kinetic)) throw new Error("the state is no longer finite: shorter steps may help");
    values.q.push(q);
    values.tau?.push(driven.torque(time, q, qd));
    values.kinetic.push(kinetic);
    values.potential.push(potential);
  };
  keep(0);
  try {
    for (let k = 1; k < t.length; k++) {
      const count = Math.max(1, Math.ceil((t[k] - t[k - 1]) / longest - 1e-9));
      const h = (t[k] - t[k - 1]) / count;
      for (let j = 0; j < count; j++) [q, qd] = stepper(driven, t[k - 1] - t[0] + j * h, q, qd, h);
      keep(t[k] - t[0]);
    }
  } catch (problem) {
    values.reason = problem.message;
  }
  return values;
}

// The postures of the free chain at the same times, by the book's RK4 in short steps, as long as steps of twice that
// lead to the same place: those of a method of order 4 err sixteen times as much.
export function exactly(scene, request) {
  const tree = scene.chains[request.chain];
  const run = (step) => bySteps(scene, { ...request, method: "RK4", step, motors: "off" }).q;
  return byTheBook(() => {
    const [fine, coarse] = [run(SHORT), run(2 * SHORT)];
    const tip = (q) => tipOf(tree, poses(tree, q));
    const agrees = (k) => k < coarse.length && norm(subtract(tip(fine[k]), tip(coarse[k]))) < KNOWN * tree.reach;
    const lost = fine.findIndex((_, k) => !agrees(k));
    return lost < 0 ? fine : fine.slice(0, lost);
  });
}

// The solution of e'' + 2 z w e' + w^2 e = 0 from e and its rate v at the start.
function closedForm({ frequency, damping }, e, v, time) {
  const decay = damping * frequency;
  const beat = frequency ** 2 - decay ** 2;
  if (Math.abs(beat) < 1e-9 * frequency ** 2) return Math.exp(-decay * time) * (e + (v + decay * e) * time);
  const rate = Math.sqrt(Math.abs(beat));
  if (beat > 0)
    return Math.exp(-decay * time) * (e * Math.cos(rate * time) + ((v + decay * e) / rate) * Math.sin(rate * time));
  const [slow, fast] = [-decay + rate, -decay - rate];
  return ((v - fast * e) * Math.exp(slow * time) - (v - slow * e) * Math.exp(fast * time)) / (2 * rate);
}

export const MOTORS = { off: "off", hold: "hold the target", sway: "sway about the target" };

// What is drawn of a motion, as far as it goes: tips, total energy, tracking errors and their closed form.
export function motionOf(tree, request, { t, period }, values) {
  const end = values.q.findIndex((q, k) => q.includes(null) || values.kinetic[k] === null);
  const count = end < 0 ? values.q.length : end;
  const [q, kinetic, potential] = [values.q, values.kinetic, values.potential].map((x) => x.slice(0, count));
  const places = q.map((now) => poses(tree, now));
  const tips = places.map((now) => tipOf(tree, now));
  const energy = add(kinetic, potential);
  const sizes = { kinetic, potential, energy, tau: null, errors: null, closed: null };
  const motion = { q, tips, seen: [...tips, ...places.flatMap(({ p }) => p)], reason: values.reason, ...sizes };
  if (!values.tau) return { ...motion, seen: [...motion.seen, ...energy.map((x) => levelOf(tree, x)).filter(Boolean)] };
  const first = desiredAt(tree, request, period, 0);
  const [e, v] = [subtract(first.q, request.q), subtract(first.qd, request.qd)];
  const errors = q.map((now, k) => subtract(desiredAt(tree, request, period, t[k] - t[0]).q, now));
  const closed = q.map((_, k) => e.map((x, i) => closedForm(request, x, v[i], t[k] - t[0])));
  return { ...motion, tau: values.tau.slice(0, count), errors, closed };
}

// How high a chain of this energy can lift its centre of mass, above the place from which heights are counted;
// null where nothing is heavy.
export function levelOf({ mass, gravity }, energy) {
  const pull = norm(gravity);
  return pull > 0 ? scale(-energy / (pull ** 2 * mass.reduce((sum, x) => sum + x)), gravity) : null;
}

// By how much the energy of the free chain has changed, by another method from the same start.
export function strayedBy(scene, request, method) {
  const { kinetic, potential } = bySteps(scene, { ...request, method });
  const energy = add(kinetic, potential);
  return energy.map((x) => x - energy[0]);
}

export const tipOf = (tree, { R, p }) => add(p.at(-1), apply(R.at(-1), tree.tip));
