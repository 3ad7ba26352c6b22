// The flight of a brick, by the book’s own lines.

import { brick_moments } from "./emitted/brick_moments.js";
import { rk4_step } from "./emitted/rk4_step.js";
import { spin_rates } from "./emitted/spin_rates.js";
import { spinning } from "./emitted/spinning.js";
import { apply, contract, cross, dot, norm, scale, shown, subtract, transpose } from "./vectors.js";

const squareBasis = ([x, y, z]) => [x * x, y * y, z * z, y * z, x * z, x * y];

function inverse3([a, b, c]) {
  const columns = [cross(b, c), cross(c, a), cross(a, b)];
  return transpose(columns.map((column) => scale(1 / dot(a, columns[0]), column)));
}

export function fromTables({ tables, mass, step, steps, kept, runaway }, { sides, spin }) {
  const moments = brick_moments(mass, sides);
  const inverse = inverse3(contract(tables.needed, moments));
  const bias = transpose(contract(tables.bias, moments));
  const needs = (w) => apply(bias, squareBasis(w));
  // Spin and attitude step on as velocities do whose accelerations do not ask where they are.
  const flying = { acceleration: (_, __, x) => spin_rates(inverse, needs(x.slice(0, 3)), x.slice(0, 3), x.slice(3)) };
  let state = [...spin, ...UPRIGHT];
  const states = [state];
  for (let i = 1; i <= steps; i += 1) {
    state = rk4_step(flying, 0, state, state, step)[1];
    if (!(norm(state.slice(0, 3)) < runaway)) break;
    const attitude = state.slice(3);
    state = [...state.slice(0, 3), ...scale(1 / norm(attitude), attitude)];
    if (i % kept === 0) states.push(state);
  }
  return { moments, spin: states.map((x) => x.slice(0, 3)), attitude: states.map((x) => x.slice(3)) };
}

// What is drawn and told: momentum in the brick's axes (own) and in space, energy, and in words whether these stay.
export function flightOf({ moments, spin, attitude }, { step, steps, kept }) {
  const samples = spin.map((w, i) => spinning(moments, w, attitude[i]));
  const [own, momentum, energy] = [0, 1, 2].map((k) => samples.map((sample) => sample[k]));
  const [h, K] = [momentum[0], energy[0]];
  const drift = (100 * Math.max(...momentum.map((other) => norm(subtract(other, h))))) / (norm(h) || 1);
  const loss = (100 * Math.max(...energy.map((other) => Math.abs(other - K)))) / (K || 1);
  const seconds = (samples) => shown(samples * step * kept, 0);
  const verdict = () => {
    if (K === 0) return "Nothing turns.";
    const ended =
      spin.length - 1 < steps / kept ? ` The spin grows beyond all bounds within ${seconds(spin.length)} s.` : "";
    if (ended || drift > 1 || loss > 1)
      return (
        `Momentum in space strays by ${percent(drift)} of its size, energy by ${percent(loss)}.${ended} Nothing ` +
        "acts on the brick: both should stay."
      );
    const main = [0, 1, 2].reduce((a, b) => (Math.abs(spin[0][b]) > Math.abs(spin[0][a]) ? b : a));
    const turns = spin.filter((w, i) => i && w[main] * spin[i - 1][main] < 0).length;
    const often = turns === 0 ? "never turns over" : `turns over ${["", "once", "twice"][turns] ?? `${turns} times`}`;
    return (
      `Momentum in space stays, and so does energy. In the brick, the spin about ${AXES[main]} ${often} in ` +
      `${seconds(steps / kept)} s.`
    );
  };
  return { moments, spin, attitude, own, momentum, energy, verdict: verdict() };
}

export const AXES = ["x", "y", "z"];
export const UPRIGHT = [1, 0, 0, 0];
const percent = (x) => (x > 999 ? "more than 999 %" : `${shown(x, 0)} %`);
