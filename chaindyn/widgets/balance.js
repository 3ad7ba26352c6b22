// The view of BalanceExplorer. The request is {system, count, drive, places, rates, effort, limit, joint, aside,
// rate, widest, fastest}: which chain and which of its joints have motors; the powers of ten of its weights; the
// largest force; the knock; and how far the basin goes. The answer is {A, B, K}: the linear model and the gain.

import { Basin, feedback, gainOf, knocked, PATIENCE, standing, stepOn } from "./balance_laws.js";
import { basinPanel, FADING, planeOf } from "./balance_panels.js";
import { button, group, html, named, numberRow, numberTable, pickerRow, section } from "./elements.js";
import { grown } from "./graph.js";
import { eigenvaluesOf } from "./riccati.js";
import { cameraBefore, LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { poses } from "./tree.js";
import { add, apply, degrees, radians, rounded, scale, shown } from "./vectors.js";

// how long a frame may move the chain, and work on the basin, beside that or alone [ms]
const BUSY = { move: 5, basin: 4, alone: 6 };
const AFTER = 3; // for how long a chain that fell is seen to swing [s]
const KEPT = 4; // knocks in the table
const CAR = { length: 0.4, height: 0.2, mark: 0.5 }; // of the cart, and between marks on its track [m]

const UPRIGHT = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]; // how the cart stands

const BELOW = -60; // below all of it [m]
const SLIDE = { widest: 1.5, fastest: 4 }; // how far the basin of a slide goes [m], [m/s]

const CHOICES = {
  system: [
    ["cart-pole", "a pole on a cart"],
    ["acrobot", "an acrobot"],
    ["chain", "a chain of rods"],
  ],
  drive: [
    ["every", "at every joint"],
    ["others", "at all but the first"],
    ["first", "at the first alone"],
  ],
  pace: [
    [1, "as it is"],
    [0.25, "4 times slower"],
    [0.05, "20 times slower"],
  ],
  reach: [
    [0.25, "a quarter"],
    [0.5, "half"],
    [1, "as it is"],
    [2, "twice"],
  ],
};

function render({ model, el }) {
  const scene = model.get("scene");
  const { systems, ranges } = scene;
  const talk = new Talk(model, { embedded, data: "the chain\u2019s masses, with the book\u2019s own laws", show });
  // What is shown: the linear model of the chain (`still`), the feedback and all that moves by it (`world`), the
  // motion, the basin.
  const held = {
    key: "",
    still: null,
    world: null,
    values: null,
    gains: "",
    motion: null,
    knock: "",
    latest: null,
    basin: null,
    trail: [],
    knocks: [],
    listed: null,
    playing: false,
    looping: false,
    inSight: false,
    pace: 1,
    reach: 1,
    owed: 0,
    last: 0,
    fault: "",
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const camera = cameraBefore(100);
  const stage = new LitStage("The chain. Space knocks it, pauses and goes on", camera, talk.update, { looks: false });
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };
  const turned = (request, joint = request.joint) => systems[request.system].tree.kind[joint] === "Revolute";
  const nameOf = ({ system, joint }) => `the ${systems[system].tree.names[joint]}`.replace("the rod", "rod");

  // --- The feedback
  const keyOf = ({ system, count, drive }) => `${system} ${count} ${drive}`;
  const computed = { asked: "", values: null }; // by the page, for the latest weights
  function embedded(request) {
    const { places, rates, effort } = request;
    const asked = JSON.stringify([keyOf(request), places, rates, effort]);
    if (computed.asked !== asked) {
      const still = stillOf(request);
      Object.assign(computed, { asked, values: { A: still.A, B: still.B, K: gainOf(still, request) } });
    }
    return computed.values;
  }
  function stillOf(request) {
    if (held.key !== keyOf(request))
      Object.assign(held, { key: keyOf(request), still: standing(scene, request), values: null, gains: "", trail: [] });
    return held.still;
  }
  // Python's answer to this request; while it computes, what there was; without it, the page's own.
  function valuesOf(request) {
    stillOf(request);
    const { answer } = talk;
    if (talk.live && answer.values && answer.serial === request.serial) return answer.values;
    if (talk.live && answer.serial < request.serial && held.values) return held.values;
    return embedded(request);
  }
  // Take up what a request changes: another feedback, another knock.
  function follow(request) {
    const values = valuesOf(request);
    const gains = JSON.stringify([held.key, values.K, request.limit]);
    const another = !held.world || held.world.tree !== held.still.tree;
    if (gains !== held.gains) {
      if (held.world && !another) held.trail = [...held.trail, held.world.values].slice(-FADING);
      const world = feedback(held.still, values.K, request.limit);
      Object.assign(held, { gains, values, world, basin: null });
      plane.draw(world.values, eigenvaluesOf(world.A), held.trail);
    }
    const { joint, aside, rate, widest, fastest } = request;
    const knock = JSON.stringify([held.key, joint, aside, rate]);
    if (another) Object.assign(held, { knocks: [], latest: null });
    if (another || knock !== held.knock)
      Object.assign(held, { knock, playing: false, motion: knocked(held.world, request) });
    const { basin } = held;
    if (!basin || basin.joint !== joint || basin.widest !== widest || basin.fastest !== fastest)
      held.basin = new Basin(held.world, request);
  }

  // --- The motion
  function knock() {
    follow(talk.request); // what was changed since the last frame
    const { joint, aside, rate } = talk.request;
    Object.assign(held, {
      motion: knocked(held.world, talk.request),
      latest: { joint, aside, rate },
      playing: true,
      owed: 0,
    });
    wake();
    show();
  }
  function strike() {
    const { joint, rate } = talk.request;
    const { motion } = held;
    Object.assign(motion, {
      qd: motion.qd.map((x, k) => (k === joint ? x + rate : x)),
      fate: "",
      quiet: null,
      since: motion.time,
      noted: false,
    });
    Object.assign(held, { playing: true, owed: 0, latest: null });
    wake();
    show();
  }
  function stand() {
    Object.assign(held, { playing: false, latest: null, motion: knocked(held.world, { joint: 0, aside: 0, rate: 0 }) });
    show();
  }
  const over = () => {
    const { fate, time, ended, gone } = held.motion;
    return fate !== "" && (fate !== "fell" || gone || time > ended + AFTER);
  };
  function play() {
    if (!held.playing && (over() || held.motion.time === 0)) return knock();
    held.playing = !held.playing;
    wake();
    show();
  }
  function move(seconds) {
    const { motion, world } = held;
    held.owed += seconds * held.pace;
    const enough = performance.now() + BUSY.move;
    while (held.owed >= world.step && !over() && performance.now() < enough) {
      held.owed -= world.step;
      stepOn(world, motion);
      if (motion.fate && !motion.noted) note();
    }
    held.owed = Math.min(held.owed, world.step);
    if (over()) held.playing = false;
  }
  // The fate of a knock, for the table.
  function note() {
    const { motion, world } = held;
    Object.assign(motion, { noted: true, ended: motion.time });
    const settled = motion.fate === "recovered" ? motion.quiet - (motion.since ?? 0) : null;
    held.knocks = [
      { slowest: world.values[0][0], peak: motion.peak, settled, fate: motion.fate },
      ...held.knocks,
    ].slice(0, KEPT);
  }
  // One loop for the motion and for the basin, while there is anything to do and somebody sees it.
  function wake() {
    held.last = performance.now();
    if (!held.looping && held.inSight) requestAnimationFrame(frame);
    held.looping = held.inSight;
  }
  const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
    held.inSight = isIntersecting;
    if (isIntersecting) wake();
  });
  function frame(now) {
    if (!held.looping) return;
    const drawn = Math.floor(2 * held.motion.time);
    if (held.playing) {
      move(Math.min(0.05, Math.max(0, now - held.last) / 1000));
      // a still every half second, for who wants no motion
      if (!held.playing || !calm.matches || Math.floor(2 * held.motion.time) !== drawn) show();
    }
    held.last = now;
    if (held.basin && !held.basin.complete) {
      const before = Math.floor(held.basin.done / 8);
      held.basin.work(held.playing ? BUSY.basin : BUSY.alone);
      if (held.basin.complete || Math.floor(held.basin.done / 8) !== before) drawBasin();
    }
    held.looping = held.inSight && (held.playing || !held.basin?.complete);
    if (held.looping) requestAnimationFrame(frame);
  }

  // --- Controls
  const own = (name) => () => talk.request[name];
  const ask = (change) => talk.ask(change);
  const between = (low, high, set) => (value) => value >= low && value <= high && set(value);
  // How far knocks go, by the joint that is knocked.
  function spansOf(request) {
    const { widest, fastest } = turned(request) ? systems[request.system] : SLIDE;
    return { widest: widest * held.reach, fastest: fastest * held.reach };
  }
  function choose(system) {
    const { count, drives, places, rates, effort, limit, joint, aside, rate } = systems[system];
    const change = { system, count, drive: Object.keys(drives)[0], places, rates, effort, limit, joint, aside, rate };
    held.reach = 1;
    ask({ ...change, ...spansOf(change) });
    aim();
  }
  function chooseCount(count) {
    const { drive, joint } = talk.request;
    if (!Number.isInteger(count) || count < fewest(talk.request) || count > systems.chain.drives[drive]) return;
    ask({ count, joint: Math.min(joint, count - 1), limit: limitFor(count) });
    aim();
  }
  // What holds more rods must be stronger as the square of their number.
  const limitFor = (count) => rounded(systems.chain.limit * (count / systems.chain.count) ** 2);
  const fewest = ({ drive, system }) => (drive === "others" || system !== "chain" ? 2 : 1);
  function chooseDrive(drive) {
    const count = Math.max(
      fewest({ drive, system: "chain" }),
      Math.min(talk.request.count, systems.chain.drives[drive]),
    );
    ask({ drive, count, joint: Math.min(talk.request.joint, count - 1), limit: limitFor(count) });
    aim();
  }
  function chooseJoint(joint) {
    const request = { ...talk.request, joint };
    const change = turned(request) === turned(talk.request) ? {} : { aside: 0, ...spansOf(request) };
    ask({ joint, ...change });
  }
  const countRow = numberRow("rods", { min: 1, max: 10, step: 1, digits: 0 }, own("count"), chooseCount);
  const driveRow = pickerRow("Motors", CHOICES.drive, own("drive"), chooseDrive);
  const power = (name, text) =>
    row(
      numberRow(
        text,
        { min: ranges[name][0], max: ranges[name][1], step: 0.1, of: "power of ten of the weight on" },
        own(name),
        between(...ranges[name], (value) => ask({ [name]: value })),
      ),
    );
  const limitRow = numberRow(
    "limit",
    { min: 1, max: 1000, step: 1, unit: "N or N\u00a0m", digits: 1 },
    own("limit"),
    (value) => value > 0 && ask({ limit: value }),
  );
  // The joints by name, which are others in another chain.
  const jointSelect = html("select", {
    "aria-label": "Knocked",
    onchange: () => chooseJoint(Number(jointSelect.value)),
  });
  function refreshJoints() {
    const { system, count, joint } = talk.request;
    const names = systems[system].tree.names.slice(0, count);
    if (jointSelect.textContent !== names.join(""))
      jointSelect.replaceChildren(...names.map((name, k) => html("option", { value: k }, name)));
    jointSelect.value = joint;
  }
  const [asideTurn, asideSlide] = [
    numberRow(
      "aside",
      { min: -90, max: 90, step: 0.5, unit: "\u00b0", digits: 1 },
      () => degrees(talk.request.aside),
      between(-180, 180, (value) => ask({ aside: radians(value) })),
    ),
    numberRow(
      "aside",
      { min: -2, max: 2, step: 0.01, unit: "m", digits: 3 },
      own("aside"),
      between(-10, 10, (value) => ask({ aside: value })),
    ),
  ];
  const [rateTurn, rateSlide] = ["rad/s", "m/s"].map((unit) =>
    numberRow(
      "rate",
      { min: -5, max: 5, step: 0.05, unit },
      own("rate"),
      between(-100, 100, (value) => ask({ rate: value })),
    ),
  );
  const controls = [
    row(pickerRow("System", CHOICES.system, own("system"), choose)),
    section("The chain", false, row(driveRow), row(countRow), row(limitRow)),
    section(
      "Weights, as powers of ten",
      false,
      power("places", "places"),
      power("rates", "rates"),
      power("effort", "effort"),
    ),
    section(
      "The knock",
      false,
      named("Knocked", jointSelect),
      ...[asideTurn, asideSlide, rateTurn, rateSlide].map(row),
      row(
        pickerRow(
          "Basin\u2019s size",
          CHOICES.reach,
          () => held.reach,
          (value) => {
            held.reach = Number(value);
            ask(spansOf(talk.request));
          },
        ),
      ),
      row(
        pickerRow(
          "Time goes",
          CHOICES.pace,
          () => held.pace,
          (value) => {
            held.pace = Number(value);
          },
        ),
      ),
    ),
  ];
  const playButton = button("pause", play);
  const [where, verdict] = ["readout", "work"].map((name) => html("p", { class: name }));
  const [history, gains] = [html("div"), html("div")];
  const gainList = section("Latest knocks, and gains", false, history, gains);
  gainList.addEventListener("toggle", () => talk.update());
  const short = html(
    "div",
    {},
    group("Knock", button("knock", knock), button("strike again", strike), playButton, button("stand up", stand)),
    where,
    verdict,
  );
  const tell = layout(el, stage, [...controls, gainList], short);
  const root = el.querySelector(".chaindyn");
  root.prepend(
    html(
      "p",
      { class: "opening" },
      "A chain that feedback holds upright. Knock it; change the weights while it moves; click in the basin " +
        "to knock it from there.",
    ),
  );
  const plane = planeOf();
  const area = basinPanel((aside, rate) => {
    const { widest, fastest } = talk.request;
    const within = (x, most) => rounded(Math.max(-most, Math.min(most, x)), 4);
    ask({ aside: within(aside, widest), rate: within(rate, fastest) });
    knock();
  });
  root.append(html("div", { class: "graphs" }, plane.element, area.element));
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select, summary, input[type='number']")) return;
    event.preventDefault();
    play();
  });

  // --- Show
  function aim() {
    const { system, count } = talk.request;
    camera.zoom = system === "cart-pole" ? 150 : 172 / count;
    camera.centre = [0, 0, system === "cart-pole" ? 0.1 : 0.08 * count];
    Object.assign(
      stage,
      system === "cart-pole" ? { floor: BELOW, extent: 1.6 } : { floor: -1.02 * count, extent: 1.4 * count },
    );
    stage.settle();
  }
  function show() {
    const { request } = talk;
    held.fault = "";
    try {
      follow(request);
    } catch (problem) {
      held.fault = `${problem.message[0].toUpperCase()}${problem.message.slice(1)}.`;
      if (!held.world) throw problem;
    }
    stage.draw(paint);
    refreshers.forEach((refresh) => refresh());
    refreshJoints();
    driveRow.row.hidden = countRow.row.hidden = request.system !== "chain";
    const slide = !turned(request);
    asideTurn.row.hidden = rateTurn.row.hidden = slide;
    asideSlide.row.hidden = rateSlide.row.hidden = !slide;
    bound(asideTurn, degrees(request.widest));
    bound(asideSlide, request.widest);
    for (const each of [rateTurn, rateSlide]) bound(each, request.fastest);
    bound(limitRow, systems[request.system].strongest, 1);
    bound(countRow, systems.chain.drives[request.drive] ?? 10, fewest(request));
    playButton.textContent = held.playing ? "pause" : "go on";
    playButton.disabled = !held.playing && (over() || held.motion.time === 0);
    where.textContent = motionInWords(request);
    verdict.textContent = fateInWords();
    if (!held.playing || held.listed !== held.knocks) drawTables(request);
    if (!held.playing || held.basin.done === 0) drawBasin();
    if (!held.basin.complete) wake();
    tell(
      sourceOf(request),
      `${where.textContent} ${verdict.textContent} ${plane.words.textContent} ${area.words.textContent}`,
    );
  }
  // What is not read while it moves.
  function drawTables(request) {
    held.listed = held.knocks;
    history.replaceChildren(historyTable(request));
    if (gainList.open) gains.replaceChildren(gainTable(request));
  }
  function bound({ row: element }, most, least = -most) {
    const slider = element.querySelector("input[type='range']");
    const value = slider.value;
    [slider.min, slider.max] = [rounded(least, 3), rounded(most, 3)];
    slider.value = value;
  }
  const drawBasin = () =>
    area.draw(
      held.basin,
      talk.request,
      held.latest?.joint === talk.request.joint ? held.latest : null,
      nameOf(talk.request),
    );
  function sourceOf(request) {
    const result = talk.result();
    if (held.fault) result.error ||= held.fault;
    const { answer } = talk;
    if (!talk.live || result.error) return result;
    if (answer.serial < request.serial)
      return { ...result, source: "Python is computing; until then, the feedback stays as it was." };
    const { A, B } = held.still;
    const far = (M, N) =>
      Math.max(...M.flatMap((row, i) => row.map((x, j) => Math.abs(x - N[i][j])))) /
      Math.max(...N.flat().map(Math.abs));
    const off = Math.max(far(answer.values.A, A), far(answer.values.B, B));
    const judged =
      off < 1e-8
        ? "The chain\u2019s own linear model is the same."
        : `Of the chain\u2019s own linear model yours misses ${sizeInWords(off)}; the eigenvalues are those of ` +
          "the chain itself with your gain.";
    return { ...result, source: `${result.source} ${judged}` };
  }
  const sizeInWords = (x) => (x < 1e-3 ? x.toExponential(0).replace("-", "\u2212") : `${grown(100 * x, 1)}\u00a0%`);
  const unitOf = ({ system }) => (system === "cart-pole" ? "N" : "N\u00a0m");
  function motionInWords(request) {
    const { time, peak, tau } = held.motion;
    const unit = unitOf(request);
    const now = tau ? Math.max(...tau.map(Math.abs)) : 0;
    return (
      `Time ${shown(time)} s. Largest ${unit === "N" ? "force" : "torque"} now ${shown(now, 1)}\u00a0${unit}, ` +
      `so far ${shown(peak, 1)}\u00a0${unit}, of at most ${shown(request.limit, 1)}\u00a0${unit}.`
    );
  }
  function fateInWords() {
    const { fate, time, quiet, ended, since = 0 } = held.motion;
    const { values } = held.world;
    if (fate === "recovered") return `It recovered: quiet ${shown(quiet - since)} s after the knock.`;
    if (fate === "fell")
      return (
        `It fell ${shown(ended - since)} s after the knock: its centre of mass came below its foot. Its motors ` +
        "are off."
      );
    if (fate === "neither") return `Neither quiet nor fallen after ${PATIENCE} s.`;
    if (time > 0) return "It is on its way.";
    return values[0][0] < 0
      ? "It is held, and waits for a knock."
      : "It is held by a feedback that does not balance it.";
  }
  function historyTable(request) {
    const head = html(
      "tr",
      {},
      ...["knock", "slowest [1/s]", `peak [${unitOf(request)}]`, "quiet after [s]"].map((text) =>
        html("th", { scope: "col" }, text),
      ),
    );
    const rows = held.knocks.map(({ slowest, peak, settled, fate }) => [
      fate,
      shown(slowest),
      shown(peak, 1),
      settled === null ? "\u2013" : shown(settled),
    ]);
    const body = (rows.length ? rows : [["none yet", "\u2013", "\u2013", "\u2013"]]).map(([name, ...cells]) =>
      html("tr", {}, html("th", { scope: "row" }, name), ...cells.map((cell) => html("td", {}, cell))),
    );
    return html(
      "table",
      { class: "knocks" },
      html("caption", {}, "The latest knocks, the last one first"),
      html("thead", {}, head),
      html("tbody", {}, ...body),
    );
  }
  // The gains of all motors on the joint that is knocked would say little; these are all gains of the motor that is
  // knocked, or of the first.
  function gainTable({ joint }) {
    const { K, motors, tree } = held.world;
    const m = Math.max(0, motors.indexOf(joint));
    const n = tree.names.length;
    return numberTable(
      `Gains of the motor of ${tree.names[motors[m]]}: its force is minus the sum of these times the deviations`,
      ["on place", "on rate"],
      tree.names.map((name, k) => [name, K[m][k], K[m][n + k]]),
    );
  }

  // --- The picture
  function paint() {
    const { request } = talk;
    const { tree, upright, motors, limit } = held.world;
    const { q, qd, tau, time } = held.motion;
    const now = poses(tree, q);
    const cart = request.system === "cart-pole";
    const base = cart ? q[0] : 0;
    camera.centre = [Math.sign(base) * Math.max(0, Math.abs(base) - 1), 0, camera.centre[2]];
    if (cart) paintTrack(base);
    const wanted = poses(tree, cart ? [q[0], ...upright.slice(1)] : upright);
    const last = tree.names.length - 1;
    stage.line([wanted.p[cart ? 1 : 0], add(wanted.p[last], apply(wanted.R[last], tree.tip))], "force", {
      width: 2,
      dash: "6 6",
    });
    const width = Math.max(5, 12 - tree.names.length);
    const thick = width / 2 / stage.home.zoom;
    tree.names.forEach((_, i) => {
      if (!held.world.turns[i]) return;
      const ends = [now.p[i], add(now.p[i], apply(now.R[i], i === last ? tree.tip : tree.offset[i + 1]))];
      const seen = !stage.rod(`rod ${i}`, ...ends, thick, "body");
      stage.line(ends, "motion", { width, opacity: 0.8, seen });
    });
    now.p.forEach((place, i) => {
      const motor = motors.includes(i);
      const glow = motor && tau && time > 0 ? Math.min(1, Math.abs(tau[motors.indexOf(i)] / limit)) : 0;
      const seen =
        held.world.turns[i] &&
        !stage.pin(`pin ${i}`, place, (motor ? 1.7 : 1.2) * thick, 1.6 * thick, motor ? "slide" : "joint", { glow });
      stage.line([place, place], motor ? "force" : "ink", { width: motor ? width + 5 : width, seen });
    });
    if (!cart)
      stage.solid(
        "post",
        { shape: "cylinder", from: [0, 3 * thick, stage.floor], to: [0, 3 * thick, 0], radius: 1.4 * thick },
        "joint",
      );
    if (tau && time > 0) motors.forEach((k) => paintForce(now.p[k], held.world.turns[k], tau[k] / limit));
    if (time === 0 && qd[request.joint] !== 0) paintRate(request, now, qd[request.joint]);
  }
  function paintTrack(x) {
    const under = -CAR.height / 2;
    const from = CAR.mark * Math.round(x / CAR.mark);
    if (stage.lit) return paintCar(x, under);
    stage.line(
      [
        [x - 4, 0, under],
        [x + 4, 0, under],
      ],
      "faint",
      { width: 1.5 },
    );
    for (let k = -8; k <= 8; k++)
      stage.line(
        [0, -0.06].map((z) => [from + k * CAR.mark, 0, under + z]),
        "faint",
        { width: 1.5 },
      );
    stage.line(
      [
        [0, 0, under],
        [0, 0, under - 0.14],
      ],
      "ink",
      { width: 2.5 },
    );
    const corner = (i, k) => [x + (i * CAR.length) / 2, 0, (k * CAR.height) / 2];
    stage.face([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], "slide");
  }
  // The cart on its wheels, and below it the track with its marks, of which the middle one is the tallest.
  function paintCar(x, under) {
    const box = (name, colour, centre, sides) => stage.solid(name, { shape: "box", R: UPRIGHT, centre, sides }, colour);
    const wheel = 0.3 * CAR.height;
    box("cart", "slide", [x, 0, 0.2 * CAR.height], [CAR.length, 0.24, 0.6 * CAR.height]);
    for (const k of [-1, 1])
      stage.pin(`wheel ${k}`, [x + 0.32 * k * CAR.length, 0, under + wheel], wheel, 0.14, "joint");
    box("track", "body", [x, 0, under - 0.03], [8, 0.34, 0.06]);
    const from = CAR.mark * Math.round(x / CAR.mark);
    for (let k = -8; k <= 8; k++) {
      const at = from + k * CAR.mark;
      box(`mark ${k}`, at ? "body" : "joint", [at, -0.17, under - (at ? 0.06 : 0.11)], [0.025, 0.03, at ? 0.12 : 0.22]);
    }
  }
  // A motor's share of its limit: an arc of up to three quarters of a turn about the joint, or an arrow.
  function paintForce(place, turns, share) {
    if (Math.abs(share) < 0.005) return;
    const full = Math.abs(share) > 0.999;
    if (!turns)
      return stage.arrow(add(place, [0, 0, -0.35]), [(90 / camera.zoom) * share, 0, 0], "force", {
        width: full ? 5 : 3,
      });
    const radius = Math.max(8, Math.min(20, 0.45 * camera.zoom)) / camera.zoom;
    const at = (angle) => add(place, [-radius * Math.sin(angle), 0, radius * Math.cos(angle)]);
    const angles = Array.from({ length: 19 }, (_, k) => (1.5 * Math.PI * share * k) / 18);
    stage.line(angles.map(at), "force", { width: full ? 4.5 : 2.5 });
  }
  function paintRate({ joint }, { R, p }, rate) {
    if (!held.world.turns[joint])
      return stage.arrow(add(p[joint], [0, 0, 0.25]), [0.3 * rate, 0, 0], "x", { width: 3 });
    const end = apply(R[joint], held.world.tree.tip);
    stage.arrow(add(p[joint], end), scale(Math.max(-1, Math.min(1, 0.25 * rate)), [-end[2], 0, end[0]]), "x", {
      width: 3,
    });
  }

  aim();
  show();
  talk.ask();
  stage.beginWith(knock);
  watcher.observe(root);
  return () => {
    watcher.disconnect();
    held.playing = held.looping = false;
    stage.close();
    talk.close();
  };
}

export default { render };
