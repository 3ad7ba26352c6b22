// The view of LoopExplorer. The request is {mechanism, lengths, held, flipped, cure, rate, step, dropped}: which of
// the scene's mechanisms, the lengths of its rods, the angles of the cranks in the hand, which of its two assemblies,
// what keeps the loop closed once it falls, how fast (of "Baumgarte") and in which steps, and whether it was let go.
//
// A mechanism is a row of rods in the x-z plane, the first on a hinge at the origin, the last to be pinned at the
// foot (base, 0). Two rods in the middle, 1 and 2, close the loop between the ends of what is before and after them.

import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { Graph, sized } from "./graph.js";
import {
  angleOf,
  anglesOf,
  asFarAs,
  closedAt,
  crankAt,
  flippedAt,
  fromRods,
  jointsOf,
  modelOf,
  pointing,
  reachOf,
  ruleFor,
  turned,
  wrapped,
} from "./loop_model.js";
import { Player } from "./motion.js";
import { cameraBefore, LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { add, degrees, dot, radians, rounded, scale, shown, subtract } from "./vectors.js";

const CURES = {
  none: ["no cure", "force", "none"],
  Baumgarte: ["Baumgarte", "motion", "8 3"],
  projection: ["projection", "y", "2 3"],
}; // name, colour, dash

const THICKNESS = 0.04; // radius of a rod, in distances of the hinges of the ground
const EDGE = 2.785; // of step times rate: above it RK4 makes Baumgarte's gap grow
const NONE = 1e-6; // the share of the larger singular value below which the smaller one counts as zero
const inDegrees = (angle) => `${shown(degrees(angle), 1)}\u00b0`;

function render({ model, el }) {
  const scene = model.get("scene");
  const { mechanisms, t, sweep } = scene;
  const computed = {}; // by the page, for the latest request
  const embedded = (request) => {
    if (computed.request !== request) Object.assign(computed, { request, values: fromRods(scene, request) });
    return computed.values;
  };
  const talk = new Talk(model, {
    embedded,
    data: "the rods\u2019 lengths and masses, with the book\u2019s own functions",
    show,
  });
  talk.patience = 60000; // a fall takes Python a while
  // what is shown, the fall in it, and all falls from this start, by their cures
  const held = { values: {}, run: null, runs: {} };
  const player = new Player(t, () => t[Math.max(0, (held.run?.q.length ?? 1) - 1)], talk.update);
  const camera = cameraBefore(1);
  const stage = new LitStage("The mechanism. Space drops it, and pauses", camera, talk.update, { looks: false });
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  const mechanism = () => mechanisms[talk.request.mechanism];
  const rods = () => modelOf(scene, talk.request);
  const open = () => held.values.gap > 0;
  const falling = () => held.run !== null && player.time > t[0];
  // Of what falls, the latest sample: between two of them the loop would look open.
  const latest = (samples) => samples[player.index(samples)];
  const posture = () => (held.run ? latest(held.run.q) : held.values.q);
  // Of the cranks that can be in the hand, the angles now.
  const cranks = () =>
    anglesOf(posture())
      .filter((_, k, all) => k === 0 || (k === 3 && all.length > 3))
      .map((angle, k) => wrapped(angle - k * Math.PI));

  function aim() {
    const { lengths, base } = rods();
    const [left, right] = [lengths[0], lengths.at(-1)];
    camera.centre = [base / 2, 0, 0];
    const low = Math.max(left, right);
    Object.assign(stage, { floor: -1.15 * low, extent: base + low });
    camera.zoom = Math.min(
      210 / (base / 2 + Math.max(left, right)),
      180 / Math.max(left, right, lengths.length > 3 ? 0.9 * (left + lengths[1]) : 0),
    );
    stage.settle();
  }
  // Another start ends a fall, and forgets those before.
  function restart(values) {
    Object.assign(held, { run: null, runs: {} });
    player.reset();
    talk.ask(values);
  }
  const choose = (index) => {
    restart({
      mechanism: index,
      lengths: mechanisms[index].lengths,
      held: mechanisms[index].start,
      flipped: false,
      dropped: false,
    });
    aim();
  };
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
  // ends of the cranks
  const knees = () => jointsOf(rods(), posture()).filter((_, i, all) => i === 1 || (i === 3 && all.length > 4));
  [0, 1].forEach((k) =>
    stage.handle(
      "",
      "motion",
      () => knees()[k] ?? [0, 0, 0],
      (point) => turnTo(k, towards(k, point)),
    ),
  );
  const rings = [...stage.handles.children];

  // --- Controls
  // Of one mechanism; only the present one's are on the page.
  function panelOf(each, index) {
    const now = () => (talk.request.mechanism === index ? talk.request : { ...each, held: each.start });
    const own = ({ row: element, refresh }) =>
      row({ row: element, refresh: () => talk.request.mechanism === index && refresh() });
    const angle = (name, k) =>
      own(
        numberRow(
          name,
          { of: "angle of", min: -180, max: 180, step: 1, unit: "\u00b0", digits: 1 },
          () => degrees(falling() ? cranks()[k] : now().held[k]),
          (value) => turnTo(k, radians(value)),
        ),
      );
    const length = ([name, which]) => {
      const resized = (value) => talk.request.lengths.map((old, i) => (which.includes(i) ? value : old));
      return own(
        numberRow(
          name,
          { of: "length of", min: 0.2, max: 1.6, step: 0.05, unit: "m" },
          () => now().lengths[which[0]],
          (value) => {
            if (!(value > 0)) return;
            restart({ lengths: resized(value), dropped: false });
            aim();
          },
        ),
      );
    };
    const other = button("the other assembly", () => restart({ flipped: !talk.request.flipped, dropped: false }));
    const rule = html("p", { class: "legend" });
    refreshers.push(() => {
      rule.textContent = each.lengths.length === 3 ? ruleFor({ ...now(), base: each.base }) : "";
    });
    return section(
      "Posture and lengths",
      false,
      ...each.held.map(angle),
      group("Assembly", other),
      ...each.adjustable.map(length),
      rule,
    );
  }
  const panels = mechanisms.map(panelOf);
  const panel = html("div", {}, ...panels);
  const rate = numberRow(
    "rate",
    { of: "Baumgarte\u2019s", min: 1, max: 200, step: 1, unit: "1/s" },
    () => talk.request.rate,
    (value) => value > 0 && talk.ask({ rate: value }),
  );
  const bars = html("div");
  const afresh = (value) => restart({ step: Number(value) });
  const cures = Object.entries(CURES).map(([value, [name]]) => [value, name]);
  const controls = [
    row(
      pickerRow(
        "Mechanism",
        mechanisms.map(({ name }, i) => [i, name]),
        () => talk.request.mechanism,
        (value) => choose(Number(value)),
      ),
    ),
    panel,
    section(
      "Cure for the drift",
      false,
      row(
        pickerRow(
          "Cure",
          cures,
          () => talk.request.cure,
          (cure) => talk.ask({ cure }),
        ),
      ),
      row(rate),
      row(
        pickerRow(
          "Step",
          scene.steps.map((h) => [h, `${rounded(1000 * h, 2)}\u00a0ms`]),
          () => talk.request.step,
          afresh,
        ),
      ),
    ),
    section("Singular values", false, bars),
  ];
  const playButton = button("drop", play);
  const stepButton = button("step", step);
  const timeRow = row(player.row());
  const where = html("p", { class: "readout" });
  const verdict = html("p", { class: "work" });
  const short = html(
    "div",
    {},
    group(
      "Fall",
      playButton,
      stepButton,
      button("reset", () => player.scrub(t[0])),
      timeRow,
    ),
    where,
    verdict,
  );
  const tell = layout(el, stage, controls, short);
  const root = el.querySelector(".chaindyn");
  root.prepend(
    html(
      "p",
      { class: "opening" },
      "Turn a crank: pull at a ring, or move a slider. Then drop the mechanism, with and without a cure, and " +
        "watch its loop.",
    ),
  );
  const turning = new Graph("Smaller singular value", sweep.map(degrees), (angle) => turnTo(0, radians(angle)), {
    ticks: [-180, -90, 0, 90, 180],
  });
  const [gaps, energies] = ["Gap", "Change of the total energy"].map(
    (title) => new Graph(title, t, (time) => player.scrub(time), { log: true }),
  );
  root.append(html("div", { class: "graphs" }, ...[turning, gaps, energies].map(({ element }) => element)));
  player.listen(root, play);

  // --- Show
  function show() {
    const { request } = talk;
    const stale = talk.live && talk.answer.serial < request.serial;
    const late = stale && (request.dropped || talk.answer.values?.mechanism !== request.mechanism);
    const result = late
      ? {
          values: embedded(request),
          source: "Python is computing; until then, this is from the page\u2019s own functions.",
        }
      : talk.result();
    if (result.values !== held.values) {
      Object.assign(held, { values: result.values, run: result.values.run && asFarAs(result.values.run) });
      if (held.run) held.runs[request.cure] = held.run;
      player.shorten();
      drawGraphs();
    }
    stage.draw(paint);
    refreshers.forEach((refresh) => refresh());
    const names = mechanism().held;
    if (stage.handles.childElementCount !== names.length)
      stage.handles.replaceChildren(...rings.slice(0, names.length));
    names.forEach((name, k) => rings[k].setAttribute("aria-label", `End of the ${name}. Arrow keys move it.`));
    if (panel.childElementCount > 1 || panel.firstChild !== panels[request.mechanism])
      panel.replaceChildren(panels[request.mechanism]);
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
    const angles = mechanism()
      .held.map((name, k) => `${name} at ${inDegrees(cranks()[k])}`)
      .join(", ");
    if (!held.run) return `In the hand: ${angles}.`;
    const [gap, strayed] = [held.run.gap, held.run.strayed].map(latest);
    return (
      `Time ${shown(player.time)} s: ${angles}, gap ${gap < 1e-13 ? "below 0.1\u00a0pm" : sized(gap, "m")}, ` +
      `energy changed by ${sized(strayed, "J")}.`
    );
  }

  function closing() {
    const { gap, sizes, passive, q } = held.values;
    if (open()) return `It locks: here the loop cannot close. Its end misses the foot by ${sized(gap, "m")} at least.`;
    if (sizes[1] <= NONE * sizes[0])
      return (
        `The loop is closed, in a singular posture: K has rank 1, and the mechanism ${q.length - 1} freedoms ` +
        `instead of ${q.length - 2}. The two assemblies meet here.`
      );
    if (passive[1] <= NONE * passive[0])
      return "The loop is closed at a dead point: the two rods between lie in line, and the crank locks.";
    return `The loop is closed: K has rank 2, and the mechanism ${q.length - 2} freedom${q.length > 3 ? "s" : ""}.`;
  }
  function reach() {
    const names = mechanism().held;
    return names
      .map((name, k) => {
        const { edges } = reachOf(rods(), talk.request.held, k);
        const other = names.length > 1 ? `, with the ${names[1 - k]} where it is,` : "";
        if (edges.length) return ` The ${name}${other} locks at ${edges.map(inDegrees).join(" and ")}.`;
        return open() ? ` The ${name} cannot help it.` : ` The ${name}${other} can turn all the way round.`;
      })
      .join("");
  }
  function judge({ cure, rate, step }) {
    const { gap, strayed, reason } = held.run;
    const factor = shown(step * rate);
    const how =
      cure === "Baumgarte" ? `, rate ${rate} /s (step times rate is ${factor}, and must be below ${EDGE})` : "";
    const [largest, lost] = [gap, strayed].map((x) => Math.max(...x));
    const words =
      `${CURES[cure][0]}${how}: in ${shown(t[gap.length - 1] - t[0], 1)} s the gap ` +
      `${largest < 1e-13 ? "stays below 0.1\u00a0pm" : `is ${sized(largest, "m")} at most`}, and the energy ` +
      `strays by ${sized(lost, "J")}.`;
    return `${words[0].toUpperCase()}${words.slice(1)}${reason ? ` It broke off: ${reason}.` : ""}`;
  }

  // The singular values of K, and of its part for the rods that are not in the hand, each with a bar.
  function barTable() {
    const { sizes, passive } = held.values;
    const rows = [
      ["all rods move", falling() ? latest(held.run.sizes) : sizes],
      ["cranks held", falling() ? [NaN, NaN] : passive],
    ];
    const most = Math.max(...rows.flatMap(([, values]) => values).filter(Number.isFinite), 1e-9);
    const cell = (x) =>
      html(
        "td",
        { class: "motion", style: `--from: 50%; --to: ${50 + (Number.isFinite(x) ? (50 * x) / most : 0)}%` },
        html("span", {}, Number.isFinite(x) ? `${shown(x, 3)}\u00a0m` : "\u2013"),
      );
    const body = rows.map(([name, values]) => html("tr", {}, html("th", { scope: "row" }, name), ...values.map(cell)));
    const head = html("tr", {}, html("td"), ...["larger", "smaller"].map((text) => html("th", { scope: "col" }, text)));
    return html(
      "table",
      { class: "bars" },
      html("caption", {}, "Singular values of K, the rows that close the loop"),
      html("thead", {}, head),
      html("tbody", {}, ...body),
    );
  }

  function drawGraphs() {
    const { sizes, passive } = held.values.sweep;
    turning.axis = `angle of the ${mechanism().held[0]} [\u00b0]`;
    turning.draw(
      [
        { name: "all rods move", values: sizes, colour: "ink" },
        { name: "cranks held: zero where it locks", values: passive, colour: "motion", dash: "8 3" },
      ],
      ["m"],
    );
    const curves = (part) =>
      Object.entries(held.runs).map(([cure, run]) => {
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
    stage.line(
      [
        [-0.12 * base, 0, 0],
        [1.12 * base, 0, 0],
      ],
      "faint",
      { width: 2, seen: !paintPosts([[0, 0, 0], foot], thick) },
    );
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
      stage.line([joints[i], end], crank === undefined ? "faint" : "motion", {
        width: 8,
        opacity: 0.8,
        grab: crank,
        seen,
      });
    });
    joints.forEach((joint, i) =>
      stage.line([joint, joint], "ink", {
        width: 10,
        seen: !stage.pin(`pin ${i}`, joint, 0.75 * thick, 2.3 * thick, "joint"),
      }),
    );
    stage.line([foot, foot], "ink", { width: 10, seen: !stage.lit });
    const gap = held.run ? latest(held.run.gap) : held.values.gap;
    if (gap < 1e-3 * base) return;
    stage.line([joints.at(-1), foot], "force", { width: 3, dash: "3 5" });
    stage.text(scale(0.5, add(joints.at(-1), foot)), `gap ${sized(gap, "m")}`);
  }

  // What the two hinges of the ground stand on, behind the rods.
  function paintPosts(places, thick) {
    places.forEach(([x, , z], k) => {
      const [low, high] = [
        [x, 3.4 * thick, stage.floor],
        [x, 3.4 * thick, z],
      ];
      stage.solid(`post ${k}`, { shape: "cylinder", from: low, to: high, radius: 1.1 * thick }, "joint");
      stage.pin(`axle ${k}`, [x, 0, z], 0.75 * thick, 3.4 * thick, "joint");
    });
    return stage.lit;
  }

  aim();
  show();
  talk.ask();
  stage.beginWith(play);
  return () => {
    player.stop();
    stage.close();
    talk.close();
  };
}

export default { render };
