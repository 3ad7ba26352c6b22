// The view of ContactExplorer. The request is {scene, count, ground, angle, speed, restitution, friction, law, order,
// solver, sweeps, step, q, qd, contacts}: what is thrown and where, by which laws and methods, the state that is
// shown, and where it touches. The picture shows a state with the impulses of the step that follows.

import { largest } from "./contact_algebra.js";
import {
  BELOW,
  framing,
  GROUND,
  inSpace,
  MODES,
  paintBlock,
  paintBodies,
  paintContact,
  signOf,
} from "./contact_picture.js";
import { GRAVITY, startOf, worldOf } from "./contact_scenes.js";
import { placed } from "./contact_shapes.js";
import { energyOf, heavy, posesOf, stepOf } from "./contact_step.js";
import { button, group, html, numberRow, pickerRow, section, svg } from "./elements.js";
import { Graph, raised, sized } from "./graph.js";
import { cameraBefore, LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { add, degrees, radians, rounded, scale, shown, subtract } from "./vectors.js";

const EVERY = 0.02; // between samples that are kept, and between points of the curves [s]
const GLOW = 0.3; // for how long a blow is seen [s]
const BUSY = 12; // how long a frame may compute [ms]; if that is not enough, time goes slower
const NOUNS = { chain: "rod", stack: "box", cradle: "ball" };

const NAMES = {
  scene: [
    ["chain", "a chain of rods"],
    ["stack", "a stack of boxes"],
    ["cradle", "Newton\u2019s cradle"],
  ],
  ground: ["floor", "stairs", "slope"].map((name) => [name, name]),
  law: [
    ["newton", "Newton\u2019s"],
    ["poisson", "Poisson\u2019s"],
    ["moreau", "Moreau\u2019s"],
  ],
  order: [
    ["together", "together"],
    ["sequence", "in sequence"],
  ],
  solver: [
    ["lemke", "Lemke"],
    ["pgs", "projected Gauss\u2013Seidel"],
    ["modes", "all modes (few contacts)"],
  ],
  pace: [
    [1, "as it is"],
    [0.25, "4 times slower"],
    [0.05, "20 times slower"],
  ],
};

const raisedPower = (x) =>
  x === 0 ? "0" : x.toExponential(0).replace(/e\+?(-?\d+)/, (_, power) => `\u00b710${raised(Number(power))}`);

function render({ model, el }) {
  const { kinds, steps, longest, fastest } = model.get("scene");
  const t = Array.from({ length: Math.round(longest / EVERY) + 1 }, (_, k) => rounded(k * EVERY, 4));
  const talk = new Talk(model, {
    embedded: () => held.next,
    data: "the bodies\u2019 shapes and masses, with the book\u2019s own laws",
    show,
  });
  // What is shown: the world, the state now, the step that follows, samples since the throw, and blows that are still
  // seen.
  const held = {
    world: null,
    now: null,
    next: null,
    samples: [],
    blows: [],
    playing: false,
    pace: 1,
    owed: 0,
    last: 0,
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const camera = cameraBefore(100);
  const stage = new LitStage("Bodies that touch. Space starts and pauses", camera, talk.update, {
    floor: BELOW,
    extent: 1.8,
    looks: false,
  });
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  // --- The motion
  function following(request) {
    try {
      return stepOf(request, held.world);
    } catch (problem) {
      return {
        q: request.q,
        qd: request.qd,
        contacts: [],
        open: [],
        impulses: [],
        blows: 0,
        given: 0,
        iterations: 0,
        residual: 0,
        overlap: 0,
        count: "",
        fault: problem.message,
      };
    }
  }
  const stateOf = () => ({ q: held.now.q, qd: held.now.qd });
  // Ask for the step from the state now, after a change of the request.
  function ask(change = {}) {
    const request = { ...talk.request, ...change, ...stateOf() };
    held.next = following(request);
    const contacts = held.next.contacts.map(({ bodies, point, normal, gap }) => ({ bodies, point, normal, gap }));
    talk.ask({ ...change, ...stateOf(), contacts });
  }
  // Go back to the start, after a change of what is thrown.
  function restart(change = {}) {
    const request = { ...talk.request, ...change };
    held.world = worldOf(request);
    const { q, qd } = startOf(request);
    const energy = energyOf(held.world.tree, q, qd);
    Object.assign(held, {
      playing: false,
      samples: [],
      blows: [],
      start: { q, energy },
      now: { time: 0, q, qd, energy, given: 0 },
    });
    ask(change);
    keep();
  }
  function aim() {
    const { centre, zoom } = framing(talk.request);
    Object.assign(held, { centre, middle: middleOf(held.now.q) });
    camera.zoom = zoom;
    stage.settle();
  }
  const afresh = (change) => {
    restart(change);
    aim();
  };
  // Another scene comes with its own numbers.
  function choose(scene) {
    const { count, speed, restitution, friction, order, step } = kinds[scene];
    afresh({ scene, count, speed, restitution, friction, order, step });
  }
  function keep() {
    const k = Math.round(held.now.time / EVERY);
    if (k < held.samples.length || held.now.time < k * EVERY - 1e-9) return;
    held.samples.push({ ...held.now, residual: held.next.residual, overlap: held.next.overlap });
  }
  // Take a step: the page's own, or one that Python computed.
  function take({ q, qd } = held.next) {
    const { now, next } = held;
    const { step, scene } = talk.request;
    const push = next.impulses.reduce((sum, [normal]) => sum + normal, 0);
    if (push > (scene === "cradle" ? 0.02 : 3 * step * weight()))
      held.blows.push({ time: now.time, contacts: next.contacts, impulses: next.impulses, step });
    // what was ahead is no longer, after a way back
    held.samples.length = Math.min(held.samples.length, Math.floor(now.time / EVERY + 1e-6) + 1);
    held.blows = held.blows.filter(({ time }) => now.time - time < GLOW);
    held.now = {
      time: now.time + step,
      q,
      qd,
      energy: energyOf(held.world.tree, q, qd),
      given: now.given + Math.max(0, next.given),
    };
    held.next = following({ ...talk.request, ...stateOf() });
    keep();
  }
  const weight = () => GRAVITY * held.world.tree.reduce((sum, { mass }) => sum + mass, 0);
  const ended = () => held.now.time >= longest - 1e-9 || held.next.fault !== undefined;
  function play() {
    held.playing = !held.playing && !ended();
    Object.assign(held, { owed: 0, last: performance.now() });
    if (held.playing) requestAnimationFrame(advance);
    else ask();
    show();
  }
  function advance(frame) {
    if (!held.playing) return;
    const drawn = Math.floor(2 * held.now.time);
    held.owed += Math.min(0.05, Math.max(0, frame - held.last) / 1000) * held.pace;
    held.last = frame;
    const enough = performance.now() + BUSY;
    const { step } = talk.request;
    while (held.owed >= step && !ended() && performance.now() < enough) {
      held.owed -= step;
      take();
    }
    held.owed = Math.min(held.owed, step);
    if (ended()) return play();
    // a still every half second, for who wants no motion
    if (!calm.matches || Math.floor(2 * held.now.time) !== drawn) show();
    requestAnimationFrame(advance);
  }
  // One step, as Python has it where Python answers.
  function stepOn() {
    if (held.playing) return play();
    if (ended()) return;
    take(fromPython() ?? held.next);
    ask();
  }
  function goTo(time) {
    const k = Math.max(0, Math.min(held.samples.length - 1, Math.round(time / EVERY)));
    const { time: at, q, qd, energy, given } = held.samples[k];
    Object.assign(held, { playing: false, blows: [], now: { time: at, q, qd, energy, given } });
    ask();
  }

  // --- Controls
  const own = (name) => () => talk.request[name];
  const picker = (label, name, set) => row(pickerRow(label, NAMES[name], own(name), set));
  const number = (name, options, set = (value) => ask({ [options.name ?? name]: value })) =>
    numberRow(name, options, own(options.name ?? name), set);
  const between = (low, high, set) => (value) => value >= low && value <= high && set(value);
  const ground = pickerRow("Ground", NAMES.ground, own("ground"), (value) => afresh({ ground: value }));
  const angle = numberRow(
    "slope",
    { min: 0, max: 45, step: 1, unit: "\u00b0", digits: 1 },
    () => degrees(talk.request.angle),
    between(0, 45, (value) => restart({ angle: radians(value) })),
  );
  const count = numberRow(
    "how many",
    { min: 1, max: 10, step: 1, digits: 0 },
    own("count"),
    (value) =>
      Number.isInteger(value) && value >= 1 && value <= kinds[talk.request.scene].most && afresh({ count: value }),
  );
  const sweeps = number(
    "sweeps",
    { min: 1, max: 200, step: 1, digits: 0 },
    (value) => Number.isInteger(value) && value >= 1 && value <= 1000 && ask({ sweeps: value }),
  );
  const [where, verdict, worth] = ["readout", "work", "readout"].map((name) => html("p", { class: name }));
  const controls = [
    picker("Scene", "scene", choose),
    section(
      "What is thrown",
      false,
      row(ground),
      row(angle),
      row(count),
      row(
        number(
          "speed",
          { min: 0, max: fastest, step: 0.1, unit: "m/s" },
          between(0, fastest, (speed) => restart({ speed })),
        ),
      ),
    ),
    section(
      "Laws",
      false,
      row(
        number(
          "restitution",
          { min: 0, max: 1, step: 0.05 },
          between(0, 1, (restitution) => ask({ restitution })),
        ),
      ),
      row(
        number(
          "friction",
          { min: 0, max: 1.5, step: 0.05 },
          between(0, Infinity, (friction) => ask({ friction })),
        ),
      ),
      picker("Law", "law", (law) => ask({ law })),
      picker("Blows", "order", (order) => ask({ order })),
    ),
    section(
      "Solver",
      false,
      picker("Solver", "solver", (solver) => ask({ solver })),
      row(sweeps),
      row(
        pickerRow(
          "Step",
          steps.map((h) => [h, `${rounded(1000 * h, 3)}\u00a0ms`]),
          own("step"),
          (step) => ask({ step: Number(step) }),
        ),
      ),
      row(
        pickerRow(
          "Time goes",
          NAMES.pace,
          () => held.pace,
          (pace) => {
            held.pace = Number(pace);
          },
        ),
      ),
      worth,
    ),
  ];
  const playButton = button("start", play);
  const timeRow = row(
    numberRow("time", { min: 0, max: longest, step: EVERY, unit: "s" }, () => held.now?.time ?? 0, goTo),
  );
  const signs = Object.keys(MODES).map((mode) =>
    html(
      "span",
      {},
      svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, signOf(mode, [12, 12], [1, 0])),
      MODES[mode][2],
    ),
  );
  const table = html("div");
  const list = section("All contacts", false, table);
  list.addEventListener("toggle", () => talk.update());
  const short = html(
    "div",
    {},
    html("p", { class: "legend signs" }, ...signs),
    group(
      "Throw",
      playButton,
      button("step", stepOn),
      button("throw again", () => restart()),
      timeRow,
    ),
    where,
    verdict,
  );
  const tell = layout(el, stage, [...controls, list], short);
  const root = el.querySelector(".chaindyn");
  root.prepend(
    html(
      "p",
      { class: "opening" },
      "Start it, and change laws and solvers while it runs. The arrow on what is thrown is its speed at the " +
        "start; the arrow at each contact is its force, and friction keeps it in the cone.",
    ),
  );
  const energies = new Graph("Energy", t, goTo);
  const worths = new Graph("Residual and overlap", t, goTo, { log: true });
  root.append(html("div", { class: "graphs" }, energies.element, worths.element));
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select, summary, input[type='number']")) return;
    event.preventDefault();
    play();
  });

  // --- Show
  // Python's step from the state that is shown, if it has answered this request.
  const fromPython = () =>
    !held.playing && talk.live && talk.answer.serial === talk.request.serial && talk.answer.values?.q
      ? talk.answer.values
      : null;
  function sourceOf() {
    const result = talk.result();
    const python = fromPython();
    if (python)
      return {
        ...result,
        source:
          `${result.source} The next step\u2019s rates differ from the page\u2019s by ` +
          `${raisedPower(largest(subtract(python.qd, held.next.qd)))}.`,
      };
    const waits = talk.live && !result.error;
    return waits
      ? {
          source: held.playing
            ? "While it runs the page computes."
            : "Computed by the page: Python takes exact steps only, and when it is asked.",
        }
      : result;
  }
  function show() {
    if (!held.now) return;
    const { request } = talk;
    stage.draw(paint);
    refreshers.forEach((refresh) => refresh());
    angle.row.hidden = request.ground !== "slope" || request.scene === "cradle";
    ground.row.hidden = request.scene === "cradle";
    sweeps.row.hidden = request.solver !== "pgs";
    const [most] = count.row.querySelectorAll("input");
    most.max = kinds[request.scene].most;
    playButton.textContent = held.playing ? "pause" : held.now.time > 0 ? "go on" : "start";
    playButton.disabled = ended();
    [where.textContent, verdict.textContent, worth.textContent] = [
      contactsInWords(),
      energyInWords(),
      solverInWords(request),
    ];
    if (!held.playing || held.samples.length % 5 === 0) drawSlowly();
    for (const graph of [energies, worths]) graph.place(held.now.time);
    tell(sourceOf(), `${where.textContent} ${verdict.textContent} ${worth.textContent}`);
  }
  // What is costly, and not read while it runs.
  function drawSlowly() {
    const columns = (name) => held.samples.map((sample) => sample[name]);
    energies.draw([{ name: "kinetic and potential", values: columns("energy"), colour: "motion" }], ["J"]);
    worths.draw(
      [
        { name: "residual [m/s]", values: columns("residual"), colour: "force" },
        { name: "deepest overlap [m]", values: columns("overlap"), colour: "ink", dash: "8 3" },
      ],
      ["m/s", "m"],
    );
    worths.name.textContent = "Residual and deepest overlap";
    if (list.open) table.replaceChildren(contactTable());
  }
  const all = () => [
    ...held.next.contacts.map((contact, k) => ({ ...contact, impulse: held.next.impulses[k] })),
    ...held.next.open.filter(({ gap }) => gap < 0.02),
  ];
  function contactsInWords() {
    const counts = Object.entries(MODES)
      .map(([mode, [, , words]]) => [all().filter((contact) => contact.mode === mode).length, words])
      .filter(([n]) => n);
    const many = counts
      .map(([n, words]) => `${n}\u00a0${n > 1 ? words.replace("sticks", "stick").replace("slips", "slip") : words}`)
      .join(", ");
    return `Time ${shown(held.now.time)} s. ${many ? `Contacts: ${many}.` : "Nothing touches."}`;
  }
  function energyInWords() {
    const { energy, given } = held.now;
    const gift =
      given > 1e-9 * Math.max(1, weight())
        ? `Impulses have added ${sized(given, "J")} of energy on the way.`
        : "No impulse has added energy.";
    const error = given < (energy - held.start.energy) / 2 ? " The rest is the error of too long a step." : "";
    const fault = held.next.fault ? `${error} It stops here: ${held.next.fault}.` : "";
    return `Energy ${sized(energy, "J")}, at the start ${sized(held.start.energy, "J")}. ${gift}${fault}`;
  }
  function solverInWords({ solver, scene }) {
    const { iterations, residual, overlap, count: motions } = held.next;
    const how = {
      lemke: iterations ? `Lemke: ${iterations} pivots` : "Lemke: none needed, all sticks",
      pgs: `Gauss\u2013Seidel: ${iterations} sweeps`,
      modes:
        motions === "too many"
          ? "too many modes to try: Lemke instead"
          : `all ${iterations} modes tried: ${motions || "one"} ` +
            `${motions === "many" ? "motions obey" : "motion obeys"} the law`,
    }[solver];
    const words = held.next.contacts.length
      ? `${how[0].toUpperCase()}${how.slice(1)}; residual ${raisedPower(residual)} m/s.`
      : "No problem to solve.";
    const sunk = scene === "stack" ? held.start.q.at(-2) - held.now.q.at(-2) : 0;
    const down = Math.abs(sunk) < 1e-9 ? "less than 1\u00a0nm" : sunk < 0 ? "nothing" : sized(sunk, "m");
    return (
      `${words} Deepest overlap ` +
      `${overlap < 1e-12 ? "none" : sized(overlap, "m")}` +
      `${scene === "stack" ? `; the top has come down by ${down}` : ""}.`
    );
  }
  const nameOf = (link) =>
    link < 0
      ? "ground"
      : `${NOUNS[talk.request.scene]} ${held.world.tree.slice(0, link + 1).filter(({ shape }) => shape).length}`;
  function contactTable() {
    const { step } = talk.request;
    const rows = all().map(({ bodies, mode, impulse }) => [
      `${nameOf(bodies[0])} on ${nameOf(bodies[1])}`,
      MODES[mode][2],
      ...(impulse ?? [0, 0]).map((x) => shown(x / step, 1)),
    ]);
    const head = html(
      "tr",
      {},
      ...["contact", "mode", "push [N]", "friction [N]"].map((text) => html("th", { scope: "col" }, text)),
    );
    const body = (rows.length ? rows : [["none", "\u2013", "\u2013", "\u2013"]]).map(([name, ...cells]) =>
      html("tr", {}, html("th", { scope: "row" }, name), ...cells.map((cell) => html("td", {}, cell))),
    );
    return html(
      "table",
      { class: "contacts" },
      html("caption", {}, "Forces on the first body, mean over the next step"),
      html("thead", {}, head),
      html("tbody", {}, ...body),
    );
  }

  function middleOf(q) {
    const poses = posesOf(held.world.tree, q);
    const bodies = heavy(held.world.tree);
    return scale(1 / bodies.length, bodies.map(({ i, com }) => placed(poses[i], com)).reduce(add));
  }
  function paint() {
    const { request } = talk;
    const poses = posesOf(held.world.tree, held.now.q);
    const moved = subtract(middleOf(held.now.q), held.middle ?? middleOf(held.now.q));
    // The camera follows what goes far: down a slope too, on level ground along it only.
    const ahead = Math.sign(moved[0]) * Math.max(0, Math.abs(moved[0]) - 0.6);
    const beyond = () =>
      request.ground === "slope" && request.scene !== "cradle" ? [ahead, -ahead * Math.tan(request.angle)] : [ahead, 0];
    camera.centre = inSpace(add(held.centre ?? [0, 0], beyond()));
    for (const [k, { core }] of [...held.world.pieces.entries()].reverse()) {
      if (paintBlock(stage, `ground ${k}`, core, GROUND, "wall")) continue;
      stage.strokes.append(
        svg("polygon", { class: "ground", points: core.map((point) => camera.project(inSpace(point))).join(" ") }),
      );
    }
    paintBodies(stage, request, held.world, poses);
    if (held.now.time === 0 && request.speed > 0 && request.scene !== "cradle") {
      const { qd } = held.now;
      stage.arrow(inSpace(middleOf(held.now.q)), inSpace(scale(0.15, qd.slice(0, 2))), "x", { width: 3 });
    }
    const unit = 70 / weight();
    for (const { time, contacts, impulses, step } of held.blows) {
      const opacity = 0.8 * (1 - (held.now.time - time) / GLOW);
      if (opacity > 0.05)
        contacts.forEach((contact, k) =>
          paintContact(stage, contact, impulses[k], { friction: request.friction, step }, unit, opacity),
        );
    }
    all().forEach((contact) => paintContact(stage, contact, contact.impulse, request, unit));
  }

  restart();
  aim();
  show();
  stage.beginWith(play);
  return () => {
    held.playing = false;
    stage.close();
    talk.close();
  };
}

export default { render };
