// The view of LoopExplorer. The request is {mechanism, lengths, held, flipped, cure, rate, step, dropped}: which of the scene's
// mechanisms, the lengths of its rods, the angles of the cranks in the hand, which of its two assemblies, what keeps the loop
// closed once it falls, how fast (of "Baumgarte") and in which steps, and whether it was let go.
//
// A mechanism is a row of rods in the x-z plane, the first on a hinge at the origin, the last to be pinned at the foot (base, 0).
// Two rods in the middle, 1 and 2, close the loop between the ends of what is before and after them.

import { Talk, add, button, combine, degrees, dot, group, html, layout, norm, numberRow, pickerRow, radians, rounded, scale, section, shown, subtract, transpose } from "./base.js";
import { ENERGIES } from "./emitted/energies.js";
import { HELD } from "./emitted/held.js";
import { PIN } from "./emitted/pin.js";
import { rk4_step } from "./emitted/rk4_step.js";
import { Graph, sized } from "./graph.js";
import { Player } from "./motion.js";
import { compute } from "./physics.js";
import { LitStage, cameraBefore } from "./stage.js";

// --- Without Python: where it closes ------------------------------------------------------------------------------------------

// Angles go from x to z.
const pointing = (angle) => [Math.cos(angle), Math.sin(angle)];
const turned = ([x, z]) => [-z, x]; // by a quarter
const angleOf = ([x, z]) => Math.atan2(z, x);
const wrapped = (angle) => angle - 2 * Math.PI * Math.ceil(angle / (2 * Math.PI) - 1 / 2); // above -pi, up to pi
const anglesOf = (q) => q.map((_, k) => q.slice(0, k + 1).reduce((sum, x) => sum + x));
const same = (a, b) => Math.abs(a - b) <= 1e-12;

// The pivot, length and end of the crank that is in the hand's place k, 0 or 1; of a foot with nothing on it the length is zero.
function crankAt({ lengths, base }, held, k) {
  const [pivot, length] = k === 0 ? [[0, 0], lengths[0]] : [[base, 0], lengths[3] ?? 0];
  return { pivot, length, end: add(pivot, scale(length, pointing(held[k] ?? 0))) };
}

// The joint coordinates that close the loop, and the gap, zero if they do; if none do, those that come nearest.
function closedAt(model, held, flipped) {
  const [first, second] = model.lengths.slice(1, 3);
  const [A, B] = [0, 1].map((k) => crankAt(model, held, k).end);
  const far = norm(subtract(B, A));
  const towards = far > 1e-12 ? scale(1 / far, subtract(B, A)) : scale(-1, turned(pointing(held[0])));
  const excess = (first - second) * (first + second);
  const along = far / 2 + (same(excess, 0) ? 0 : excess / (2 * far)); // of the first rod, from A towards B
  const gap = Math.max(0, far - first - second, Math.abs(first - second) - far);
  const reach = Math.max(-first, Math.min(first, along));
  const aside = (flipped ? -1 : 1) * Math.sqrt(Math.max(0, (first - reach) * (first + reach)));
  const knee = add(A, add(scale(reach, towards), scale(aside, turned(towards))));
  const rest = held.length > 1 ? [held[1] + Math.PI] : [];
  const angles = [held[0], angleOf(subtract(knee, A)), far > 1e-12 || aside ? angleOf(subtract(B, knee)) : angleOf(scale(-1, towards)), ...rest];
  return { q: angles.map((x, k) => wrapped(k ? x - angles[k - 1] : x)), gap: gap > 1e-12 ? gap : 0 };
}

// Where a crank's circle meets the end of what the other rods reach: the angles at which it locks, and whether it passes through
// places in which all lie in line, `0` or `pi` from the line between the pivots, where the assemblies meet.
function reachOf(model, held, k) {
  const [{ pivot, length }, { end }] = [crankAt(model, held, k), crankAt(model, held, 1 - k)];
  const [first, second] = model.lengths.slice(1, 3);
  const away = norm(subtract(end, pivot));
  const line = angleOf(subtract(end, pivot));
  const shares = [first + second, Math.abs(first - second)].map((far) => (length ** 2 + away ** 2 - far ** 2) / (2 * length * away));
  const edges = shares.filter((share) => Math.abs(share) < 1 - 1e-12).flatMap((share) => [line - Math.acos(share), line + Math.acos(share)]);
  const meets = { 0: same(Math.abs(away - length), Math.abs(first - second)), pi: same(away + length, first + second) };
  return { line, edges: edges.map(wrapped).sort((a, b) => a - b), meets };
}

// Which assembly a crank is in at another angle if it goes there the short way, and goes straight through where they meet.
function flippedAt(model, held, flipped, k, angle) {
  const { line, meets } = reachOf(model, held, k);
  const [from, to] = [held[k], angle].map((x) => wrapped(x - line));
  const crosses = from < 0 !== to < 0;
  const near = Math.abs(to - from) < Math.PI; // through 0, not through pi
  return crosses && (near ? meets[0] : meets.pi) ? !flipped : flipped;
}

// --- Without Python: how it moves ---------------------------------------------------------------------------------------------

const TREES = new WeakMap(); // of each model, its rods as a tree in space: x, and z up
function treeOf(model) {
  const { lengths, density, gravity } = model;
  const each = (of) => lengths.map(of);
  const eye = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const bar = (L) => (density * L ** 3) / 12;
  const tree = {
    ...{ parent: each((_, k) => k - 1), column: each((_, k) => k), kind: each(() => "Revolute"), axis: each(() => [0, -1, 0]) },
    ...{ offset: each((_, k) => [k ? lengths[k - 1] : 0, 0, 0]), rotation: each(() => eye), mass: scale(density, lengths) },
    ...{ com: each((L) => [L / 2, 0, 0]), inertia: each((L) => [[0, 0, 0], [0, bar(L), 0], [0, 0, bar(L)]]), gravity: [0, 0, -gravity] },
  };
  if (!TREES.has(model)) TREES.set(model, tree);
  return TREES.get(model);
}
// Where the pin is: which link has it, where on that, and the foot.
const pinOf = ({ lengths, base }) => [lengths.map((_, k) => Number(k === lengths.length - 1)), [lengths.at(-1), 0, 0], [base, 0, 0]];
// Of the pin in the last rod's axes the rows K and the gap; and the energies.
function partsOf(model, q, qd) {
  const tree = treeOf(model);
  const [screws, gap] = compute(PIN, tree, [q, ...pinOf(model)]);
  const inPlane = (x) => [x.at(-3), x.at(-1)];
  return { K: transpose(screws.map(inPlane)), gap: inPlane(gap), energy: compute(ENERGIES, tree, [q, qd]).slice(0, 2) };
}
// What moves the rods with the loop closed, as the emitted function says: `weights` are those of accelerations, the rate and the gap.
const heldIn = (model, q, qd, weights) => compute(HELD, treeOf(model), [q, qd, ...pinOf(model), weights])[0];

// The lengths of two vectors made orthogonal, the longer one first, by a Jacobi rotation and one for its rounding.
function singularValues(...columns) {
  for (let k = 0; k < 2; k++) {
    const [x, y] = columns;
    const angle = Math.atan2(2 * dot(x, y), dot(x, x) - dot(y, y)) / 2;
    columns = [combine([Math.cos(angle), Math.sin(angle)], [x, y]), combine([-Math.sin(angle), Math.cos(angle)], [x, y])];
  }
  return columns.map(norm);
}

// The state near by that keeps the loop closed: three steps of Newton's for the posture, then the velocity.
function projectedState(model, q, qd) {
  let now = q;
  for (let k = 0; k < 3; k++) now = add(now, heldIn(model, now, qd, [0, 0, 1]));
  return [now, add(qd, heldIn(model, now, qd, [0, 1, 0]))];
}

// The motion from rest at times t, by RK4.
function fallOf(model, { cure, rate, step }, start, t) {
  const weights = cure === "Baumgarte" ? [1, 2 * rate, rate ** 2] : [1, 0, 0];
  const driven = { acceleration: (_, q, qd) => heldIn(model, q, qd, weights) };
  const ahead = (q, qd, h) => {
    const next = rk4_step(driven, 0, q, qd, h);
    return cure === "projection" ? projectedState(model, ...next) : next;
  };
  const run = { q: [], gap: [], sizes: [], kinetic: [], potential: [], reason: "" };
  let [q, qd] = [start, scale(0, start)];
  for (let k = 0; k < t.length; k++) {
    const span = k ? t[k] - t[k - 1] : 0;
    const count = Math.ceil(span / step - 1e-9);
    for (let j = 0; j < count; j++) [q, qd] = ahead(q, qd, span / count);
    const { K, gap, energy } = partsOf(model, q, qd);
    if (!energy.every(Number.isFinite)) return { ...run, reason: "the state is no longer finite: shorter steps may help" };
    const now = { q, gap: norm(gap), sizes: singularValues(...K), kinetic: energy[0], potential: energy[1] };
    Object.entries(now).forEach(([name, x]) => run[name].push(x));
  }
  return run;
}

// Of a closed posture the two singular values of K, and of K for the rods that are not in the hand; NaN of one that is not closed.
function sizesAt(model, { q, gap }) {
  if (gap > 0) return { sizes: [NaN, NaN], passive: [NaN, NaN] };
  const { K } = partsOf(model, q, scale(0, q));
  const column = (k) => subtract(...[k, k + 1].map((j) => K.map((row) => row[j] ?? 0))); // of rod k when it turns alone
  return { sizes: singularValues(...K), passive: singularValues(column(1), column(2)) };
}

function fromRods(scene, request) {
  const model = modelOf(scene, request);
  const { held, flipped } = request;
  const at = closedAt(model, held, flipped);
  const there = scene.sweep.map((angle) => sizesAt(model, closedAt(model, [angle, ...held.slice(1)], flippedAt(model, held, flipped, 0, angle))));
  const sweep = { sizes: there.map(({ sizes }) => sizes[1]), passive: there.map(({ passive }) => passive[1]) };
  const run = request.dropped && at.gap === 0 ? fallOf(model, request, at.q, scene.t) : null;
  return { mechanism: request.mechanism, ...at, ...sizesAt(model, at), sweep, run };
}
const modelOf = ({ mechanisms, gravity, density }, { mechanism, lengths }) => ({ lengths, base: mechanisms[mechanism].base, gravity, density });

// --- The view -----------------------------------------------------------------------------------------------------------------

const CURES = { none: ["no cure", "force", "none"], Baumgarte: ["Baumgarte", "motion", "8 3"], projection: ["projection", "y", "2 3"] }; // name, colour, dash
const THICKNESS = 0.04; // radius of a rod, in distances of the hinges of the ground
const EDGE = 2.785; // of step times rate: above it RK4 makes Baumgarte's gap grow
const NONE = 1e-6; // the share of the larger singular value below which the smaller one counts as zero
const inDegrees = (angle) => `${shown(degrees(angle), 1)}\u00b0`;

// The joints of a mechanism, from the ground to the pin, in space.
function jointsOf({ lengths }, q) {
  const points = [[0, 0, 0]];
  anglesOf(q).forEach((angle, k) => {
    const [x, z] = scale(lengths[k], pointing(angle));
    points.push(add(points.at(-1), [x, 0, z]));
  });
  return points;
}

// A run as far as it goes: of one that broke off, Python sends null from there on.
function asFarAs(run) {
  const end = run.kinetic.findIndex((x, k) => x === null || run.q[k].includes(null));
  const [q, gap, sizes, kinetic, potential] = [run.q, run.gap, run.sizes, run.kinetic, run.potential].map((x) => (end < 0 ? x : x.slice(0, end)));
  const energy = add(kinetic, potential);
  return { q, gap, sizes, reason: run.reason, strayed: energy.map((x) => Math.abs(x - energy[0])) };
}

// Grashof's rule for a four-bar.
function ruleFor({ lengths, base }) {
  const sides = [...lengths, base].sort((a, b) => a - b);
  const [ends, middle] = [sides[0] + sides[3], sides[1] + sides[2]];
  const sums = `Shortest and longest side: ${shown(ends)} m together; the other two: ${shown(middle)} m.`;
  if (same(ends, middle)) return `${sums} Equal: there are postures with all rods in line.`;
  return `${sums} By Grashof\u2019s rule ${ends < middle ? "the shortest can turn all the way round" : "none can turn all the way round"}.`;
}

function render({ model, el }) {
  const scene = model.get("scene");
  const { mechanisms, t, sweep } = scene;
  const computed = {}; // by the page, for the latest request
  const embedded = (request) => {
    if (computed.request !== request) Object.assign(computed, { request, values: fromRods(scene, request) });
    return computed.values;
  };
  const talk = new Talk(model, { embedded, data: "the rods\u2019 lengths and masses, with the book\u2019s own functions", show });
  talk.patience = 60000; // a fall takes Python a while
  const held = { values: {}, run: null, runs: {} }; // what is shown, the fall in it, and all falls from this start, by their cures
  const player = new Player(t, () => t[Math.max(0, (held.run?.q.length ?? 1) - 1)], talk.update);
  const camera = cameraBefore(1);
  const stage = new LitStage("The mechanism. Space drops it, and pauses", camera, talk.update, { looks: false });
  const refreshers = [];
  const row = ({ row, refresh }) => (refreshers.push(refresh), row);

  const mechanism = () => mechanisms[talk.request.mechanism];
  const rods = () => modelOf(scene, talk.request);
  const open = () => held.values.gap > 0;
  const falling = () => held.run !== null && player.time > t[0];
  // Of what falls, the latest sample: between two of them the loop would look open.
  const latest = (samples) => samples[player.index(samples)];
  const posture = () => (held.run ? latest(held.run.q) : held.values.q);
  // Of the cranks that can be in the hand, the angles now.
  const cranks = () => anglesOf(posture()).filter((_, k, all) => k === 0 || (k === 3 && all.length > 3)).map((angle, k) => wrapped(angle - k * Math.PI));

  function aim() {
    const { lengths, base } = rods();
    const [left, right] = [lengths[0], lengths.at(-1)];
    camera.centre = [base / 2, 0, 0];
    const low = Math.max(left, right);
    Object.assign(stage, { floor: -1.15 * low, extent: base + low });
    camera.zoom = Math.min(210 / (base / 2 + Math.max(left, right)), 180 / Math.max(left, right, lengths.length > 3 ? 0.9 * (left + lengths[1]) : 0));
    stage.settle();
  }
  // Another start ends a fall, and forgets those before.
  function restart(values) {
    Object.assign(held, { run: null, runs: {} });
    player.reset();
    talk.ask(values);
  }
  const choose = (index) => (restart({ mechanism: index, lengths: mechanisms[index].lengths, held: mechanisms[index].start, flipped: false, dropped: false }), aim());
  // Let it fall, if it is not falling already, and do something with the clock.
  function drop(then) {
    if (open()) return;
    if (!talk.request.dropped) talk.ask({ dropped: true });
    show();
    then();
  }
  const play = () => drop(() => player.play());
  const step = () => drop(() => player.scrub(t.find((x) => x > player.time + 1e-9) ?? player.time));

  // --- The hand: a crank is taken to an angle; what falls is caught where it is.
  function turnTo(k, angle) {
    let { held: angles, flipped } = talk.request;
    if (falling()) {
      angles = cranks();
      const [A, B] = [0, 1].map((i) => crankAt(rods(), angles, i).end);
      flipped = dot(turned(subtract(B, A)), pointing(anglesOf(posture())[1])) < 0;
    }
    flipped = flippedAt(rods(), angles, flipped, k, angle);
    restart({ held: angles.map((old, i) => wrapped(i === k ? angle : old)), flipped, dropped: false });
  }
  function towards(k, [x, , z]) {
    return angleOf(subtract([x, z], crankAt(rods(), talk.request.held, k).pivot));
  }
  stage.onGrab = (name, where, moved) => {
    const k = Number(name);
    const [before, after] = [where, add(where, moved)].map((place) => towards(k, camera.onPlane(place)));
    turnTo(k, cranks()[k] + wrapped(after - before));
  };
  const knees = () => jointsOf(rods(), posture()).filter((_, i, all) => i === 1 || (i === 3 && all.length > 4)); // ends of the cranks
  [0, 1].forEach((k) => stage.handle("", "motion", () => knees()[k] ?? [0, 0, 0], (point) => turnTo(k, towards(k, point))));
  const rings = [...stage.handles.children];

  // --- Controls
  // Of one mechanism; only the present one's are on the page.
  function panelOf(each, index) {
    const now = () => (talk.request.mechanism === index ? talk.request : { ...each, held: each.start });
    const own = ({ row: element, refresh }) => row({ row: element, refresh: () => talk.request.mechanism === index && refresh() });
    const angle = (name, k) => own(numberRow(name, { of: "angle of", min: -180, max: 180, step: 1, unit: "\u00b0", digits: 1 }, () => degrees(falling() ? cranks()[k] : now().held[k]), (value) => turnTo(k, radians(value))));
    const length = ([name, which]) => {
      const resized = (value) => talk.request.lengths.map((old, i) => (which.includes(i) ? value : old));
      return own(numberRow(name, { of: "length of", min: 0.2, max: 1.6, step: 0.05, unit: "m" }, () => now().lengths[which[0]], (value) => value > 0 && (restart({ lengths: resized(value), dropped: false }), aim())));
    };
    const other = button("the other assembly", () => restart({ flipped: !talk.request.flipped, dropped: false }));
    const rule = html("p", { class: "legend" });
    refreshers.push(() => (rule.textContent = each.lengths.length === 3 ? ruleFor({ ...now(), base: each.base }) : ""));
    return section("Posture and lengths", false, ...each.held.map(angle), group("Assembly", other), ...each.adjustable.map(length), rule);
  }
  const panels = mechanisms.map(panelOf);
  const panel = html("div", {}, ...panels);
  const rate = numberRow("rate", { of: "Baumgarte\u2019s", min: 1, max: 200, step: 1, unit: "1/s" }, () => talk.request.rate, (value) => value > 0 && talk.ask({ rate: value }));
  const bars = html("div");
  const afresh = (value) => restart({ step: Number(value) });
  const cures = Object.entries(CURES).map(([value, [name]]) => [value, name]);
  const controls = [
    row(pickerRow("Mechanism", mechanisms.map(({ name }, i) => [i, name]), () => talk.request.mechanism, (value) => choose(Number(value)))),
    panel,
    section(
      "Cure for the drift",
      false,
      row(pickerRow("Cure", cures, () => talk.request.cure, (cure) => talk.ask({ cure }))),
      row(rate),
      row(pickerRow("Step", scene.steps.map((h) => [h, `${rounded(1000 * h, 2)}\u00a0ms`]), () => talk.request.step, afresh)),
    ),
    section("Singular values", false, bars),
  ];
  const playButton = button("drop", play);
  const stepButton = button("step", step);
  const timeRow = row(player.row());
  const where = html("p", { class: "readout" });
  const verdict = html("p", { class: "work" });
  const short = html("div", {}, group("Fall", playButton, stepButton, button("reset", () => player.scrub(t[0])), timeRow), where, verdict);
  const tell = layout(el, stage, controls, short);
  const root = el.querySelector(".chaindyn");
  root.prepend(html("p", { class: "opening" }, "Turn a crank: pull at a ring, or move a slider. Then drop the mechanism, with and without a cure, and watch its loop."));
  const turning = new Graph("Smaller singular value", sweep.map(degrees), (angle) => turnTo(0, radians(angle)), { ticks: [-180, -90, 0, 90, 180] });
  const [gaps, energies] = ["Gap", "Change of the total energy"].map((title) => new Graph(title, t, (time) => player.scrub(time), { log: true }));
  root.append(html("div", { class: "graphs" }, ...[turning, gaps, energies].map(({ element }) => element)));
  player.listen(root, play);

  // --- Show
  function show() {
    const { request } = talk;
    const stale = talk.live && talk.answer.serial < request.serial;
    const late = stale && (request.dropped || talk.answer.values?.mechanism !== request.mechanism);
    const result = late ? { values: embedded(request), source: "Python is computing; until then, this is from the page\u2019s own functions." } : talk.result();
    if (result.values !== held.values) {
      Object.assign(held, { values: result.values, run: result.values.run && asFarAs(result.values.run) });
      if (held.run) held.runs[request.cure] = held.run;
      player.shorten();
      drawGraphs();
    }
    stage.draw(paint);
    refreshers.forEach((refresh) => refresh());
    const names = mechanism().held;
    if (stage.handles.childElementCount !== names.length) stage.handles.replaceChildren(...rings.slice(0, names.length));
    names.forEach((name, k) => rings[k].setAttribute("aria-label", `End of the ${name}. Arrow keys move it.`));
    if (panel.childElementCount > 1 || panel.firstChild !== panels[request.mechanism]) panel.replaceChildren(panels[request.mechanism]);
    rate.row.hidden = request.cure !== "Baumgarte";
    playButton.textContent = player.playing ? "pause" : falling() ? "go on" : "drop";
    for (const button of [playButton, stepButton]) button.disabled = open();
    turning.place(degrees(cranks()[0]));
    for (const graph of [gaps, energies]) graph.place(player.time);
    where.textContent = readout();
    verdict.textContent = falling() ? judge(request) : `${closing()}${reach()}`;
    bars.replaceChildren(barTable());
    root.setAttribute("aria-busy", late);
    tell(result, `${where.textContent} ${verdict.textContent}`);
  }

  function readout() {
    const angles = mechanism().held.map((name, k) => `${name} at ${inDegrees(cranks()[k])}`).join(", ");
    if (!held.run) return `In the hand: ${angles}.`;
    const [gap, strayed] = [held.run.gap, held.run.strayed].map(latest);
    return `Time ${shown(player.time)} s: ${angles}, gap ${gap < 1e-13 ? "below 0.1\u00a0pm" : sized(gap, "m")}, energy changed by ${sized(strayed, "J")}.`;
  }

  function closing() {
    const { gap, sizes, passive, q } = held.values;
    if (open()) return `It locks: here the loop cannot close. Its end misses the foot by ${sized(gap, "m")} at least.`;
    if (sizes[1] <= NONE * sizes[0]) return `The loop is closed, in a singular posture: K has rank 1, and the mechanism ${q.length - 1} freedoms instead of ${q.length - 2}. The two assemblies meet here.`;
    if (passive[1] <= NONE * passive[0]) return "The loop is closed at a dead point: the two rods between lie in line, and the crank locks.";
    return `The loop is closed: K has rank 2, and the mechanism ${q.length - 2} freedom${q.length > 3 ? "s" : ""}.`;
  }
  function reach() {
    const names = mechanism().held;
    return names.map((name, k) => {
      const { edges } = reachOf(rods(), talk.request.held, k);
      const other = names.length > 1 ? `, with the ${names[1 - k]} where it is,` : "";
      if (edges.length) return ` The ${name}${other} locks at ${edges.map(inDegrees).join(" and ")}.`;
      return open() ? ` The ${name} cannot help it.` : ` The ${name}${other} can turn all the way round.`;
    }).join("");
  }
  function judge({ cure, rate, step }) {
    const { gap, strayed, reason } = held.run;
    const factor = shown(step * rate);
    const how = cure === "Baumgarte" ? `, rate ${rate} /s (step times rate is ${factor}, and must be below ${EDGE})` : "";
    const [largest, lost] = [gap, strayed].map((x) => Math.max(...x));
    const words = `${CURES[cure][0]}${how}: in ${shown(t[gap.length - 1] - t[0], 1)} s the gap ${largest < 1e-13 ? "stays below 0.1\u00a0pm" : `is ${sized(largest, "m")} at most`}, and the energy strays by ${sized(lost, "J")}.`;
    return `${words[0].toUpperCase()}${words.slice(1)}${reason ? ` It broke off: ${reason}.` : ""}`;
  }

  // The singular values of K, and of its part for the rods that are not in the hand, each with a bar.
  function barTable() {
    const { sizes, passive } = held.values;
    const rows = [["all rods move", falling() ? latest(held.run.sizes) : sizes], ["cranks held", falling() ? [NaN, NaN] : passive]];
    const most = Math.max(...rows.flatMap(([, values]) => values).filter(Number.isFinite), 1e-9);
    const cell = (x) => html("td", { class: "motion", style: `--from: 50%; --to: ${50 + (Number.isFinite(x) ? (50 * x) / most : 0)}%` }, html("span", {}, Number.isFinite(x) ? `${shown(x, 3)}\u00a0m` : "\u2013"));
    const body = rows.map(([name, values]) => html("tr", {}, html("th", { scope: "row" }, name), ...values.map(cell)));
    const head = html("tr", {}, html("td"), ...["larger", "smaller"].map((text) => html("th", { scope: "col" }, text)));
    return html("table", { class: "bars" }, html("caption", {}, "Singular values of K, the rows that close the loop"), html("thead", {}, head), html("tbody", {}, ...body));
  }

  function drawGraphs() {
    const { sizes, passive } = held.values.sweep;
    turning.axis = `angle of the ${mechanism().held[0]} [\u00b0]`;
    turning.draw([{ name: "all rods move", values: sizes, colour: "ink" }, { name: "cranks held: zero where it locks", values: passive, colour: "motion", dash: "8 3" }], ["m"]);
    const curves = (part) => Object.entries(held.runs).map(([cure, run]) => {
      const [name, colour, dash] = CURES[cure];
      const present = cure === talk.request.cure;
      return { name, values: run[part], colour, dash, width: present ? 2.5 : 1.5, opacity: present ? 1 : 0.7 };
    });
    for (const graph of [gaps, energies]) graph.element.hidden = held.run === null;
    if (!held.run) return;
    gaps.draw(curves("gap"), ["m"]);
    energies.draw(curves("strayed"), ["J"]);
  }

  function paint() {
    const { base, lengths } = rods();
    const foot = [base, 0, 0];
    const thick = THICKNESS * base;
    stage.line([[-0.12 * base, 0, 0], [1.12 * base, 0, 0]], "faint", { width: 2, seen: !paintPosts([[0, 0, 0], foot], thick) });
    const places = (angle) => add([0, 0, 0], [lengths[0] * Math.cos(angle), 0, lengths[0] * Math.sin(angle)]);
    sweep.slice(1).forEach((angle, i) => {
      const closes = [i, i + 1].every((k) => Number.isFinite(held.values.sweep.passive[k]));
      if (closes) stage.line([places(sweep[i]), places(angle)], "motion", { width: 1.5, opacity: 0.6 });
    });
    const joints = jointsOf(rods(), posture());
    if (!falling() && !open()) {
      const other = jointsOf(rods(), closedAt(rods(), talk.request.held, !talk.request.flipped).q);
      stage.line(other.slice(1, 4), "faint", { width: 2.5, dash: "6 6" });
    }
    joints.slice(1).forEach((end, i) => {
      const crank = i === 0 ? 0 : i === 3 ? 1 : undefined;
      // Rods that follow one another pass before and behind.
      const [from, to] = [joints[i], end].map((place) => add(place, [0, (i % 2 ? -1 : 1) * 1.05 * thick, 0]));
      const seen = !stage.rod(`rod ${i}`, from, to, thick, crank === undefined ? "body" : "struck");
      stage.line([joints[i], end], crank === undefined ? "faint" : "motion", { width: 8, opacity: 0.8, grab: crank, seen });
    });
    joints.forEach((joint, i) => stage.line([joint, joint], "ink", { width: 10, seen: !stage.pin(`pin ${i}`, joint, 0.75 * thick, 2.3 * thick, "joint") }));
    stage.line([foot, foot], "ink", { width: 10, seen: !stage.lit });
    const gap = held.run ? latest(held.run.gap) : held.values.gap;
    if (gap < 1e-3 * base) return;
    stage.line([joints.at(-1), foot], "force", { width: 3, dash: "3 5" });
    stage.text(scale(0.5, add(joints.at(-1), foot)), `gap ${sized(gap, "m")}`);
  }

  // What the two hinges of the ground stand on, behind the rods.
  function paintPosts(places, thick) {
    places.forEach(([x, , z], k) => {
      const [low, high] = [[x, 3.4 * thick, stage.floor], [x, 3.4 * thick, z]];
      stage.solid(`post ${k}`, { shape: "cylinder", from: low, to: high, radius: 1.1 * thick }, "joint");
      stage.pin(`axle ${k}`, [x, 0, z], 0.75 * thick, 3.4 * thick, "joint");
    });
    return stage.lit;
  }

  aim();
  show();
  talk.ask();
  stage.beginWith(play);
  return () => (player.stop(), stage.close(), talk.close());
}

export default { render };
