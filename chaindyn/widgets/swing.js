// The view of SwingExplorer. The request is {chain, q, qd, method, step, motors, frequency, damping}: which of the scene's chains,
// its state at the first time, how it is integrated, what the motors do ("off", "hold" or "sway"), and their gains.

// --- Without Python: the articulated inertias of chapter 8, written about the world's origin, and the steps of chapter 10 ---

// Motions [w; v] and wrenches [moment; force] about the world's origin.
const halves = (x) => [x.slice(0, 3), x.slice(3)];
function crossMotion(a, b) {
  const [[w, v], [x, y]] = [halves(a), halves(b)];
  return [...cross(w, x), ...add(cross(w, y), cross(v, x))];
}
function crossForce(a, f) {
  const [[w, v], [n, g]] = [halves(a), halves(f)];
  return [...add(cross(w, n), cross(v, g)), ...cross(w, g)];
}

// A chain in motion, with the tree and q that it was made from: of each link its pose, joint motion S, velocity V, its rate at constant joint speed c, inertia I and centre.
function inMotion(tree, q, qd) {
  const { R, p } = poses(tree, q);
  const links = Object.assign([], { tree, q });
  tree.parent.forEach((parent, i) => {
    const axis = apply(R[i], tree.axis[i]);
    const still = [0, 0, 0];
    const S = tree.kind[i] === "Revolute" ? [...axis, ...cross(p[i], axis)] : [...still, ...(tree.kind[i] === "Prismatic" ? axis : still)];
    const own = scale(qd[tree.column[i]] ?? 0, S);
    const V = parent < 0 ? own : add(links[parent].V, own);
    const centre = add(p[i], apply(R[i], tree.com[i]));
    const moments = multiply(R[i], multiply(tree.inertia[i], transpose(R[i])));
    links.push({ parent, column: tree.column[i], R: R[i], p: p[i], S, V, c: crossMotion(V, own), I: inertiaMatrix(tree.mass[i], moments, centre), centre });
  });
  return links;
}

// Wrenches on the links, added up along the tree, as joint forces.
function alongJoints(links, wrenches) {
  const through = [...wrenches];
  const tau = [];
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent, column, S } = links[i];
    if (column !== null) tau[column] = dot(S, through[i]);
    if (parent >= 0) through[parent] = add(through[parent], through[i]);
  }
  return tau;
}

// qdd under the joint forces tau; `gravity` and whether the links' own motion counts can be left out: then it is M^-1 tau.
function accelerations(links, tau, gravity, moving = true) {
  const bend = links.map(({ I }) => I.map((row) => [...row]));
  const bias = links.map(({ I, V }) => (moving ? crossForce(V, apply(I, V)) : [0, 0, 0, 0, 0, 0]));
  const given = [];
  let doubtful = false;
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent, column, S, c } = links[i];
    let handed = bias[i];
    if (moving) handed = add(handed, apply(bend[i], c));
    if (column !== null) {
      const U = apply(bend[i], S);
      const D = dot(S, U);
      doubtful ||= !(D > 1e-9 * Math.max(...bend[i].map((row, k) => row[k])));
      const u = tau[column] - dot(S, bias[i]);
      given[i] = { U, D, u };
      const left = (u - (moving ? dot(U, c) : 0)) / D;
      handed = handed.map((x, k) => x + U[k] * left);
      for (let k = 0; k < 6; k++) for (let l = 0; l < 6; l++) bend[i][k][l] -= (U[k] * U[l]) / D;
    }
    if (parent < 0) continue;
    for (let k = 0; k < 6; k++) for (let l = 0; l < 6; l++) bend[parent][k][l] += bend[i][k][l];
    bias[parent] = add(bias[parent], handed);
  }
  const singularAt = doubtful ? withoutInertia(links.tree, inertiasOf(links.tree, links.tree.inertia), links.q) : undefined;
  if (singularAt !== undefined) throw new Error(singular(links.tree.names[singularAt]));
  const qdd = [];
  const A = [];
  links.forEach(({ parent, column, S, c }, i) => {
    const from = parent < 0 ? [0, 0, 0, ...scale(-1, gravity)] : A[parent];
    A[i] = moving ? add(from, c) : from;
    if (column === null) return;
    const { U, D, u } = given[i];
    qdd[column] = (u - dot(U, A[i])) / D;
    A[i] = add(A[i], scale(qdd[column], S));
  });
  return qdd;
}

// The joint forces that qdd needs.
function needed(links, qdd, gravity) {
  const A = [];
  links.forEach(({ parent, column, S, c }, i) => {
    const from = parent < 0 ? [0, 0, 0, ...scale(-1, gravity)] : A[parent];
    A.push([from, c, scale(column === null ? 0 : qdd[column], S)].reduce(add));
  });
  return alongJoints(links, links.map(({ I, V }, i) => add(apply(I, A[i]), crossForce(V, apply(I, V)))));
}

// What is desired at a time after the first one: the target, or a sway about it.
function desiredAt(tree, { motors }, period, time) {
  const rate = (2 * Math.PI) / period;
  const sway = scale(motors === "sway" ? 1 : 0, tree.sway);
  const [sine, cosine] = [Math.sin(rate * time), Math.cos(rate * time)];
  return { q: add(tree.target, scale(sine, sway)), qd: scale(rate * cosine, sway), qdd: scale(-rate * rate * sine, sway) };
}
const gainsOf = ({ frequency, damping }) => ({ kp: frequency ** 2, kd: 2 * damping * frequency });

// What acts on a chain: functions of time, q, qd and the chain in motion.
function drivenBy(tree, request, period) {
  const { kp, kd } = gainsOf(request);
  const none = scale(0, request.qd);
  const torque = (time, q, qd, links) => {
    if (request.motors === "off") return none;
    const wanted = desiredAt(tree, request, period, time);
    return needed(links, [wanted.qdd, scale(kd, subtract(wanted.qd, qd)), scale(kp, subtract(wanted.q, q))].reduce(add), tree.gravity);
  };
  const acceleration = (time, q, qd) => {
    const links = inMotion(tree, q, qd);
    return accelerations(links, torque(time, q, qd, links), tree.gravity);
  };
  const push = (time, q, qd) => subtract(torque(time, q, qd, inMotion(tree, q, qd)), needed(inMotion(tree, q, none), none, tree.gravity));
  return { tree, torque, acceleration, push };
}

function eulerStep({ acceleration }, time, q, qd, h) {
  const next = add(qd, scale(h, acceleration(time, q, qd)));
  return [add(q, scale(h, next)), next];
}
function rk4Step({ acceleration }, time, q, qd, h) {
  const slope = (at, [dq, dv]) => [add(qd, dv), acceleration(time + at, add(q, dq), add(qd, dv))];
  const scaled = (s, [a, b]) => [scale(s, a), scale(s, b)];
  const k1 = [qd, acceleration(time, q, qd)];
  const k2 = slope(h / 2, scaled(h / 2, k1));
  const k3 = slope(h / 2, scaled(h / 2, k2));
  const k4 = slope(h, scaled(h, k3));
  const mean = (part) => scale(h / 6, [k1, k2, k2, k3, k3, k4].map((k) => k[part]).reduce(add));
  return [add(q, mean(0)), add(qd, mean(1))];
}

// The momenta of every link at the start (sign 1) and the end (-1) of a step between two postures, about the world's origin.
function stepMomenta(tree, from, to, h) {
  return tree.names.map((_, i) => {
    const [turned, went] = [multiply(transpose(from.R[i]), to.R[i]), apply(transpose(from.R[i]), subtract(to.p[i], from.p[i]))];
    const trace = 1 + turned[0][0] + turned[1][1] + turned[2][2];
    const c = [turned[2][1] - turned[1][2], turned[0][2] - turned[2][0], turned[1][0] - turned[0][1]].map((x) => x / trace);
    const v = subtract(went, cross(c, went));
    const [n, f] = halves(scale(1 / h, apply(inertiaMatrix(tree.mass[i], tree.inertia[i], tree.com[i]), [...scale(2, c), ...v])));
    const at = (sign, { R, p }) => {
      const turn = (x) => add(x, scale(sign, cross(c, x)));
      const force = turn(f);
      const moment = [turn(n), scale(dot(c, n), c), scale(sign / 2, cross(v, force))].reduce(add);
      return [...add(apply(R[i], moment), cross(p[i], apply(R[i], force))), ...apply(R[i], force)];
    };
    return [at(1, from), at(-1, to)];
  });
}
function variationalStep({ tree, push }, time, q, qd, h) {
  const none = scale(0, qd);
  const inertias = (links, tau) => accelerations(links, tau, [0, 0, 0], false); // M^-1 tau
  const here = inMotion(tree, q, qd);
  const pi = add(alongJoints(here, here.map(({ I, V }) => apply(I, V))), scale(h / 2, push(time, q, qd)));
  const from = poses(tree, q);
  let moved = scale(h, inertias(here, pi));
  for (let k = 0; ; k++) {
    if (k === 50) throw new Error(`the variational step of ${rounded(h, 6)} s does not converge: a shorter one would`);
    const starts = stepMomenta(tree, from, poses(tree, add(q, moved)), h).map(([start]) => start);
    const correction = scale(h, inertias(here, subtract(pi, alongJoints(here, starts))));
    moved = add(moved, correction);
    if (Math.max(...correction.map(Math.abs)) <= 64 * Number.EPSILON * Math.max(1, tree.reach)) break;
  }
  const next = add(q, moved);
  const there = inMotion(tree, next, none);
  const end = alongJoints(there, stepMomenta(tree, from, poses(tree, next), h).map(([, last]) => last));
  const foreseen = inertias(there, add(end, scale(h / 2, push(time, q, qd))));
  return [next, inertias(there, add(end, scale(h / 2, push(time + h, next, foreseen))))];
}

const STEPPERS = { RK4: rk4Step, "semi-implicit Euler": eulerStep, variational: variationalStep };
const SHORT = 0.0025; // steps of RK4 in place of DOP853 [s]

function bySteps({ chains, t, period }, request) {
  const tree = chains[request.chain];
  const driven = drivenBy(tree, request, period);
  const [stepper, longest] = STEPPERS[request.method] ? [STEPPERS[request.method], request.step] : [rk4Step, SHORT];
  let [q, qd] = [request.q, request.qd];
  const values = { chain: request.chain, q: [], tau: request.motors === "off" ? null : [], kinetic: [], potential: [], reason: "" };
  const keep = (time) => {
    const links = inMotion(tree, q, qd);
    const kinetic = links.reduce((sum, { I, V }) => sum + dot(V, apply(I, V)) / 2, 0);
    if (!Number.isFinite(kinetic)) throw new Error("the state is no longer finite: shorter steps may help");
    values.q.push(q);
    values.tau?.push(driven.torque(time, q, qd, links));
    values.kinetic.push(kinetic);
    values.potential.push(-links.reduce((sum, { centre }, i) => sum + tree.mass[i] * dot(tree.gravity, centre), 0));
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

// The solution of e'' + 2 z w e' + w^2 e = 0 from e and its rate v at the start.
function closedForm({ frequency, damping }, e, v, time) {
  const decay = damping * frequency;
  const beat = frequency ** 2 - decay ** 2;
  if (Math.abs(beat) < 1e-9 * frequency ** 2) return Math.exp(-decay * time) * (e + (v + decay * e) * time);
  const rate = Math.sqrt(Math.abs(beat));
  if (beat > 0) return Math.exp(-decay * time) * (e * Math.cos(rate * time) + ((v + decay * e) / rate) * Math.sin(rate * time));
  const [slow, fast] = [-decay + rate, -decay - rate];
  return ((v - fast * e) * Math.exp(slow * time) - (v - slow * e) * Math.exp(fast * time)) / (2 * rate);
}

// --- Curves against time ----------------------------------------------------------------------------------------------------

const GRAPH = { width: 360, height: 190, left: 64, right: 10, top: 12, bottom: 42 };
const CURVES = ["motion", "force", "y", "slide", "ink"];
const DASHES = ["none", "8 3", "2 3", "9 3 2 3", "4 4"];

// Round numbers from low to high, about so many.
function ticksOf(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(6)));
}
// A number for the reader, however large it has grown.
const grown = (x, digits = 2) => (Math.abs(x) < 1e6 ? shown(x, digits) : x.toExponential(1).replace("-", "\u2212").replace("+", ""));
// A power of a thousand for numbers of this size, and its letter.
function prefixOf(size) {
  const found = [[1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]].find(([unit]) => size >= unit);
  return found ?? [1e-12, "p"];
}

// A picture of curves with a cursor; pressed at, it moves the cursor there.
class Graph {
  constructor(title, t, scrub) {
    const { width, height, left, right, top, bottom } = GRAPH;
    Object.assign(this, { title, t });
    this.across = (time) => left + ((time - t[0]) / (t.at(-1) - t[0])) * (width - left - right);
    this.name = html("p", { class: "title" });
    this.key = html("p", { class: "key" });
    this.marks = svg("g");
    this.curves = svg("g");
    this.cursor = svg("line", { class: "cursor", y1: top, y2: height - bottom });
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "graph" }, this.marks, this.curves, this.cursor);
    const timeAt = ([x]) => t[0] + ((x - left) / (width - left - right)) * (t.at(-1) - t[0]);
    this.svg.addEventListener("pointerdown", (event) => {
      scrub(timeAt(placeIn(this.svg, event)));
      follow(this.svg, this.svg, event, (_, __, now) => scrub(timeAt(now)));
    });
    this.element = html("div", {}, this.name, this.svg, this.key);
  }
  // Each of `curves` is {name, values, colour, dash, width, opacity}; those without a name are left out of the key.
  draw(curves, unit) {
    const { width, height, left, right, top, bottom } = GRAPH;
    const numbers = curves.flatMap(({ values }) => values).filter(Number.isFinite);
    const [factor, letter] = prefixOf(Math.max(...numbers.map(Math.abs)) || 1);
    let [low, high] = [Math.min(0, ...numbers) / factor, Math.max(0, ...numbers) / factor];
    if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
    const up = (x) => height - bottom - ((x - low) / (high - low)) * (height - top - bottom);
    const level = ticksOf(low, high, 5).flatMap((x) => [
      svg("line", { class: x === 0 ? "zero" : "rule", x1: left, x2: width - right, y1: up(x), y2: up(x) }),
      svg("text", { x: left - 6, y: up(x) + 5, "text-anchor": "end" }, (Math.abs(x) < 1e5 ? String(x) : x.toExponential().replace("+", "")).replace("-", "\u2212")),
    ]);
    const times = ticksOf(this.t[0], this.t.at(-1), 4).map((x) => svg("text", { x: this.across(x), y: height - bottom + 18, "text-anchor": "middle" }, String(x).replace("-", "\u2212")));
    this.marks.replaceChildren(...level, ...times, svg("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" }, "time [s]"));
    const look = ({ colour, dash = "none", width: thick = 2, opacity = 1 }) => ({ class: `stroke ${colour}`, "stroke-width": thick, "stroke-dasharray": dash, opacity });
    const lines = curves.map((curve) => {
      const points = curve.values.map((x, k) => `${this.across(this.t[k]).toFixed(1)},${up(x / factor).toFixed(1)}`).join(" ");
      return svg("polyline", { ...look(curve), points });
    });
    this.curves.replaceChildren(...lines);
    this.name.textContent = `${this.title} [${unit.map((x) => letter + x).join(" or ")}]`;
    const sample = (curve) => svg("svg", { viewBox: "0 0 28 8", "aria-hidden": "true" }, svg("line", { ...look(curve), x1: 1, x2: 27, y1: 4, y2: 4 }));
    this.key.replaceChildren(...curves.filter(({ name }) => name).map((curve) => html("span", {}, sample(curve), curve.name)));
    const range = ({ name, values }) => `${name} from ${grown(Math.min(...values) / factor)} to ${grown(Math.max(...values) / factor)}`;
    this.svg.setAttribute("aria-label", `${this.name.textContent} against time: ${curves.filter(({ name, values }) => name && values.length).map(range).join(", ")}`);
  }
  place(time) {
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.across(time));
  }
}

// --- The view ---------------------------------------------------------------------------------------------------------------

const MOTORS = { off: "off", hold: "hold the target", sway: "sway about the target" };
const TRAIL = 1.5; // how long the tip's trail lasts [s]

// A size for the reader, with three digits that count, in one unit or two.
function sized(x, ...units) {
  const [factor, letter] = prefixOf(x);
  const value = x / factor;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return x === 0 ? `0\u00a0${units[0]}` : `${grown(value, digits)}\u00a0${units.map((unit) => letter + unit).join(" or ")}`;
}

// What is drawn of a motion, as far as it goes: tips, total energy, tracking errors and their closed form.
function motionOf(tree, request, { t, period }, values) {
  const end = values.q.findIndex((q, k) => q.includes(null) || values.kinetic[k] === null);
  const count = end < 0 ? values.q.length : end;
  const [q, kinetic, potential] = [values.q, values.kinetic, values.potential].map((x) => x.slice(0, count));
  const tips = q.map((now) => tipOf(tree, poses(tree, now)));
  const energy = add(kinetic, potential);
  const motion = { q, kinetic, potential, tips, energy, tau: null, reason: values.reason, errors: null, closed: null };
  if (!values.tau) return motion;
  const first = desiredAt(tree, request, period, 0);
  const [e, v] = [subtract(first.q, request.q), subtract(first.qd, request.qd)];
  const errors = q.map((now, k) => subtract(desiredAt(tree, request, period, t[k] - t[0]).q, now));
  const closed = q.map((_, k) => e.map((x, i) => closedForm(request, x, v[i], t[k] - t[0])));
  return { ...motion, tau: values.tau.slice(0, count), errors, closed };
}
const tipOf = (tree, { R, p }) => add(p.at(-1), apply(R.at(-1), tree.tip));

function render({ model, el }) {
  const scene = model.get("scene");
  const { chains, labels, t } = scene;
  const computed = {}; // by the page, for the latest request
  const embedded = (request) => {
    if (computed.request !== request) Object.assign(computed, { request, values: bySteps(scene, request) });
    return computed.values;
  };
  const talk = new Talk(model, { embedded, data: "", show });
  talk.patience = 30000; // a motion takes Python a while
  const draft = {}; // what the hand has changed since the last request
  const state = () => ({ ...talk.request, ...draft });
  const tree = () => chains[state().chain];
  let resting; // the timer until the draft is asked for
  let time = t[0];
  let began = null; // while it plays: when, by the clock of the page [ms], the time was t[0]
  const held = {}; // the motion that is shown, and the values it was made from
  const camera = new Camera(1);
  const stage = new Stage("The chain, swinging. Space plays and pauses", camera, talk.update);
  const refreshers = [];
  const row = ({ row, refresh }) => (refreshers.push(refresh), row);

  function aim() {
    camera.zoom = 185 / tree().reach;
    camera.look(tree().view);
  }
  function change(values) {
    Object.assign(draft, values);
    if ("q" in values || "qd" in values || "chain" in values) [time, began] = [t[0], null];
    clearTimeout(resting);
    resting = setTimeout(commit, 150);
    talk.update();
  }
  function commit() {
    const asked = { ...draft };
    Object.keys(draft).forEach((name) => delete draft[name]);
    talk.ask(asked);
  }
  const choose = (index) => (change({ chain: index, ...chains[index].start }), aim());

  const last = () => t[Math.max(0, held.motion.q.length - 1)];
  const setTime = (wanted) => ((time = Math.max(t[0], Math.min(last(), wanted))), talk.update());
  // A value between two samples.
  function at(samples) {
    const after = t.findIndex((x) => x > time);
    const i = Math.min(after < 0 ? t.length - 1 : after - 1, samples.length - 1);
    if (i + 1 >= samples.length) return samples[i];
    const share = (time - t[i]) / (t[i + 1] - t[i]);
    return combine([1 - share, share], [samples[i], samples[i + 1]]);
  }
  const fresh = () => Object.keys(draft).length === 0;
  const posture = () => (fresh() ? at(held.motion.q) : state().q);

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  function play() {
    const start = time < last() ? time - t[0] : 0;
    began = began === null ? performance.now() - 1000 * start : null;
    if (began !== null) requestAnimationFrame(advance);
    talk.update();
  }
  function advance(now) {
    if (began === null) return;
    const gone = Math.max(0, now - began) / 1000;
    const shownTime = t[0] + (calm.matches ? Math.floor(2 * gone) / 2 : gone); // a still every half second, for who wants no motion
    if (shownTime !== time) setTime(shownTime);
    if (shownTime < last()) requestAnimationFrame(advance);
    else began = null;
  }
  const scrub = (wanted) => ((began = null), setTime(wanted));

  // A link that is taken hold of stays where it is, and is the start of a new motion, from rest.
  stage.onGrab = (link, where, moved) => {
    if (time > t[0]) {
      const { kind, column } = tree();
      const turns = column.map((k, i) => [k, kind[i] === "Revolute"]).filter(([k]) => k !== null);
      const q = [...posture()];
      for (const [k, round] of turns) if (round) q[k] -= 2 * Math.PI * Math.round(q[k] / (2 * Math.PI));
      change({ q: q.map((x) => rounded(x, 4)), qd: scale(0, q) });
    }
    const [i, by] = pulled(tree(), camera, poses(tree(), state().q), link, where, moved);
    if (i !== undefined) setJoint(i, state().q[tree().column[i]] + by);
  };
  const setJoint = (i, value) => change({ q: withJoint(tree(), state().q, i, value).map((x) => rounded(x, 6)) });

  // --- Controls
  const button = (text, onclick) => html("button", { type: "button", onclick }, text);
  const group = (label, ...children) => html("div", { class: "line", role: "group", "aria-label": label }, ...children);
  const section = (title, open, ...children) => html("details", open ? { open: "" } : {}, html("summary", {}, title), ...children);
  const playButton = button("play", play);
  const timeRow = numberRow("time", { min: t[0], max: rounded(t.at(-1), 4), step: 0.02, unit: "s" }, () => time, scrub);
  refreshers.push(timeRow.refresh);
  const set = (name) => (value) => change({ [name]: value });
  const gain = (name, range, text, unit) => row(numberRow(text, { ...range, unit }, () => state()[name], (value) => value > 0 && change({ [name]: value })));
  const gains = html("div", {}, gain("frequency", { min: 0.5, max: 20, step: 0.1 }, "frequency", "rad/s"), gain("damping", { min: 0.05, max: 2, step: 0.05 }, "damping ratio", ""));
  const milli = (h) => `${rounded(1000 * h, 2)}\u00a0ms`;
  const stepRow = row(pickerRow("Step", scene.steps.map((h) => [h, milli(h)]), () => state().step, (value) => change({ step: Number(value) })));
  // The posture of one of the chains; only the present one's is on the page.
  function panelOf(tree, index) {
    const movable = tree.names.map((_, i) => i).filter((i) => tree.column[i] !== null);
    const now = () => (state().chain === index ? state() : tree.start);
    const own = ({ row: element, refresh }) => row({ row: element, refresh: () => state().chain === index && refresh() });
    const unit = (i) => (tree.kind[i] === "Revolute" ? "rad/s" : "m/s");
    const speed = (i) => {
      const replaced = (value) => now().qd.map((old, k) => (k === tree.column[i] ? value : old));
      return own(numberRow(tree.names[i], { of: "speed of", min: -6, max: 6, step: 0.1, unit: unit(i) }, () => now().qd[tree.column[i]], (value) => change({ qd: replaced(value) })));
    };
    return html(
      "div",
      {},
      section("Posture at the start", true, ...movable.map((i) => own(jointRow(tree, i, () => now().q[tree.column[i]], (value) => setJoint(i, value))))),
      section("Speeds at the start", false, ...movable.map(speed)),
    );
  }
  const panels = chains.map(panelOf);
  const panel = html("div", {}, ...panels);
  const controls = [
    row(pickerRow("Chain", labels.map((label, i) => [i, label]), () => state().chain, (value) => choose(Number(value)))),
    panel,
    section("Method", true, row(pickerRow("Method", scene.methods.map((name) => [name, name]), () => state().method, set("method"))), stepRow),
    section("Motors", true, row(pickerRow("Motors", Object.entries(MOTORS), () => state().motors, set("motors"))), gains),
  ];
  const where = html("p", { class: "readout" });
  const verdict = html("p", { class: "work" });
  const numbers = html("div", {}, group("Motion", playButton, timeRow.row), where, verdict);
  const tell = layout(el, stage, controls, numbers);
  const root = el.querySelector(".chaindyn");
  root.prepend(html("p", { class: "opening" }, "A chain is let go. Press play, or move the time; drag a link to another start; switch the motors on."));
  const graphs = ["Energy", "Change of the total energy", "Tracking error", "Torque"].map((title) => new Graph(title, t, scrub));
  const shelf = html("div", { class: "graphs" }, ...graphs.map(({ element }) => element));
  root.append(shelf);
  root.addEventListener("keydown", (event) => {
    const busy = event.target.closest("button, select, summary, input[type='number']");
    if (event.key !== " " || busy) return;
    event.preventDefault();
    play();
  });

  // --- Show
  function show() {
    const request = talk.request;
    talk.data = STEPPERS[request.method] ? "the chain\u2019s embedded masses, with the book\u2019s own functions" : `the chain\u2019s embedded masses, by RK4 with steps of ${milli(SHORT)}: DOP853 needs Python`;
    const late = talk.live && talk.answer.serial < request.serial;
    const result = late ? { values: embedded(request), source: "Python is computing; until then, this is from the page\u2019s own functions." } : talk.result();
    if (result.values !== held.values) {
      Object.assign(held, { values: result.values, motion: motionOf(chains[request.chain], request, scene, result.values) });
      time = Math.min(time, last());
      if (fresh()) drawGraphs();
    }
    stage.draw(paint);
    refreshers.forEach((refresh) => refresh());
    if (panel.childElementCount > 1 || panel.firstChild !== panels[state().chain]) panel.replaceChildren(panels[state().chain]);
    gains.hidden = state().motors === "off";
    stepRow.hidden = !STEPPERS[state().method];
    playButton.textContent = began === null ? "play" : "pause";
    graphs.forEach((graph) => graph.place(time));
    shelf.classList.toggle("late", late || !fresh());
    where.textContent = readout();
    verdict.textContent = fresh() ? judge(request) : "The chain is in your hand.";
    root.setAttribute("aria-busy", late);
    tell(result, `${where.textContent} ${verdict.textContent}`);
  }

  function readout() {
    const tip = tipOf(tree(), poses(tree(), posture())).map((x) => shown(x)).join(", ");
    const start = `Time ${shown(time)} s: tip at (${tip}) m`;
    if (!fresh()) return `${start}.`;
    const { kinetic, potential, tau } = held.motion;
    const [T, P] = [kinetic, potential].map((x) => at(x));
    const torques = tau ? `; torques ${at(tau).map((x) => grown(x, 1)).join(", ")} ${unitsOf("N\u00a0m", "N").join(" or ")}` : "";
    return `${start}, kinetic energy ${grown(T)} J, potential ${grown(P)} J, total ${grown(T + P)} J${torques}.`;
  }
  const unitsOf = (turn, slide) => [turn, slide].filter((_, k) => tree().kind.includes(["Revolute", "Prismatic"][k]));

  function judge(request) {
    const { energy, kinetic, errors, closed, tau, reason } = held.motion;
    const span = `${shown(last() - t[0], 1)} s`;
    const how = STEPPERS[request.method] ? `${request.method}, steps of ${milli(request.step)}` : request.method;
    const ended = reason ? ` It ended early: ${reason}.` : "";
    const most = (rows) => Math.max(...rows.flat().map(Math.abs));
    if (!errors) {
      const drift = most(energy.map((x) => x - energy[0]));
      const share = (100 * drift) / (Math.max(...kinetic) || 1);
      return `${how}: in ${span} the total energy strays by ${sized(drift, "J")}, ${share < 0.01 ? "less than 0.01" : grown(share, share < 1 ? 2 : 0)} % of the largest kinetic energy. Nothing takes or brings any: all of it is the method\u2019s error.${ended}`;
    }
    const { kp, kd } = gainsOf(request);
    const stray = most(errors.map((e, k) => subtract(e, closed[k])));
    const left = most([errors.at(-1)]);
    const units = unitsOf("rad", "m");
    return `kp = ${shown(kp)} /s\u00b2, kd = ${shown(kd)} /s. ${how}: the tracking error strays from its closed form by at most ${sized(stray, ...units)}, and is ${sized(left, ...units)} after ${span}. Largest torque: ${grown(most(tau), 0)} ${unitsOf("N\u00a0m", "N").join(" or ")}.${ended}`;
  }

  function drawGraphs() {
    const { kinetic, potential, energy, tau, errors, closed } = held.motion;
    const movable = tree().names.filter((_, i) => tree().column[i] !== null);
    const [energies, drift, tracking, torques] = graphs;
    energies.draw(
      [
        { name: "kinetic", values: kinetic, colour: "motion" },
        { name: "potential", values: potential, colour: "force", dash: "8 3" },
        { name: "total", values: energy, colour: "ink", width: 2.5 },
      ],
      ["J"],
    );
    const each = (rows) => movable.map((name, k) => ({ name, values: rows.map((row) => row[k]), colour: CURVES[k % 5], dash: DASHES[(k + Math.floor(k / 5)) % 5] }));
    drift.element.hidden = Boolean(tau);
    tracking.element.hidden = torques.element.hidden = !tau;
    if (!tau) return drift.draw([{ name: "total \u2212 total at the start", values: energy.map((x) => x - energy[0]), colour: "ink" }], ["J"]);
    const theory = each(closed).map((curve, k) => ({ ...curve, name: k ? "" : "closed form", colour: "faint", dash: "none", width: 7, opacity: 0.5 }));
    tracking.draw([...theory, ...each(errors)], unitsOf("rad", "m"));
    torques.draw(each(tau), unitsOf("N\u00a0m", "N"));
  }

  function paint() {
    const now = poses(tree(), posture());
    const ends = endsOf(tree());
    const { motors } = state();
    if (motors !== "off") {
      const wanted = poses(tree(), desiredAt(tree(), state(), scene.period, time - t[0]).q);
      tree().names.forEach((_, i) => {
        for (const end of ends[i]) stage.line([wanted.p[i], add(wanted.p[i], apply(wanted.R[i], end))], "force", { width: 2.5, dash: "6 5" });
      });
    }
    if (fresh()) {
      const { tips } = held.motion;
      const seen = t.slice(0, tips.length).map((x, k) => [x, tips[k]]).filter(([x]) => x <= time && x > time - TRAIL);
      const points = [...seen, [time, at(tips)]];
      points.slice(1).forEach(([x, point], k) => stage.line([points[k][1], point], "motion trail", { width: 3, opacity: rounded(1 - (time - x) / TRAIL) }));
    }
    paintLinks(stage, tree(), ends, now, -1, { axes: false });
    now.p.forEach((p, i) => tree().column[i] !== null && stage.line([p, p], "ink", { width: 11 }));
    const tip = tipOf(tree(), now);
    stage.line([tip, tip], "motion", { width: 9 });
  }

  aim();
  show();
  talk.ask();
  return () => ((began = null), clearTimeout(resting), talk.close());
}

export default { render };
