// The view of SwingExplorer. The request is {chain, q, qd, method, step, motors, frequency, damping}: which of the
// scene's chains, its state at the first time, how it is integrated, what the motors do ("off", "hold" or "sway"),
// and their gains.

import { Camera } from "./camera.js";
import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { CURVES, DASHES, Graph, grown, sized } from "./graph.js";
import { Player } from "./motion.js";
import { LitStage } from "./stage.js";
import { bySteps, desiredAt, gainsOf, MOTORS, motionOf, SHORT, STEPPERS, tipOf } from "./swing_model.js";
import { layout, Talk } from "./talk.js";
import { endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, rounded, scale, shown, subtract } from "./vectors.js";

const TRAIL = 1.5; // how long the tip's trail lasts [s]

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
  const held = {}; // the motion that is shown, and the values it was made from
  const player = new Player(t, () => t[Math.max(0, held.motion.q.length - 1)], talk.update);
  const camera = new Camera(1);
  const stage = new LitStage("The chain, swinging. Space plays and pauses", camera, talk.update);
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  function aim() {
    camera.zoom = 185 / tree().reach;
    Object.assign(stage, sceneAround(tree(), state()));
    stage.settle();
    camera.look(tree().view);
  }
  function change(values) {
    Object.assign(draft, values);
    if ("q" in values || "qd" in values || "chain" in values) player.reset();
    clearTimeout(resting);
    resting = setTimeout(commit, 150);
    talk.update();
  }
  function commit() {
    const asked = { ...draft };
    Object.keys(draft).forEach((name) => delete draft[name]);
    talk.ask(asked);
  }
  const choose = (index) => {
    change({ chain: index, ...chains[index].start });
    aim();
  };

  const fresh = () => Object.keys(draft).length === 0;
  const posture = () => (fresh() ? player.at(held.motion.q) : state().q);

  // A link that is taken hold of stays where it is, and is the start of a new motion, from rest.
  stage.onGrab = (link, where, moved) => {
    if (player.time > t[0]) {
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
  const playButton = button("play", () => player.play());
  const timeRow = row(player.row());
  const set = (name) => (value) => change({ [name]: value });
  const gain = (name, range, text, unit) =>
    row(
      numberRow(
        text,
        { ...range, unit },
        () => state()[name],
        (value) => value > 0 && change({ [name]: value }),
      ),
    );
  const gains = html(
    "div",
    {},
    gain("frequency", { min: 0.5, max: 20, step: 0.1 }, "frequency", "rad/s"),
    gain("damping", { min: 0.05, max: 2, step: 0.05 }, "damping ratio", ""),
  );
  const milli = (h) => `${rounded(1000 * h, 2)}\u00a0ms`;
  const stepRow = row(
    pickerRow(
      "Step",
      scene.steps.map((h) => [h, milli(h)]),
      () => state().step,
      (value) => change({ step: Number(value) }),
    ),
  );
  // The posture of one of the chains; only the present one's is on the page.
  function panelOf(tree, index) {
    const movable = tree.names.map((_, i) => i).filter((i) => tree.column[i] !== null);
    const now = () => (state().chain === index ? state() : tree.start);
    const own = ({ row: element, refresh }) =>
      row({ row: element, refresh: () => state().chain === index && refresh() });
    const unit = (i) => (tree.kind[i] === "Revolute" ? "rad/s" : "m/s");
    const speed = (i) => {
      const replaced = (value) => now().qd.map((old, k) => (k === tree.column[i] ? value : old));
      return own(
        numberRow(
          tree.names[i],
          { of: "speed of", min: -6, max: 6, step: 0.1, unit: unit(i) },
          () => now().qd[tree.column[i]],
          (value) => change({ qd: replaced(value) }),
        ),
      );
    };
    return html(
      "div",
      {},
      section(
        "Posture at the start",
        false,
        ...movable.map((i) =>
          own(
            jointRow(
              tree,
              i,
              () => now().q[tree.column[i]],
              (value) => setJoint(i, value),
            ),
          ),
        ),
      ),
      section("Speeds at the start", false, ...movable.map(speed)),
    );
  }
  const panels = chains.map(panelOf);
  const panel = html("div", {}, ...panels);
  const controls = [
    row(
      pickerRow(
        "Chain",
        labels.map((label, i) => [i, label]),
        () => state().chain,
        (value) => choose(Number(value)),
      ),
    ),
    panel,
    section(
      "Method",
      false,
      row(
        pickerRow(
          "Method",
          scene.methods.map((name) => [name, name]),
          () => state().method,
          set("method"),
        ),
      ),
      stepRow,
    ),
    section(
      "Motors",
      false,
      row(pickerRow("Motors", Object.entries(MOTORS), () => state().motors, set("motors"))),
      gains,
    ),
  ];
  const where = html("p", { class: "readout" });
  const verdict = html("p", { class: "work" });
  const numbers = html("div", {}, group("Motion", playButton, timeRow), where, verdict);
  const tell = layout(el, stage, controls, numbers);
  const root = el.querySelector(".chaindyn");
  root.prepend(
    html(
      "p",
      { class: "opening" },
      "A chain is let go. Press play, or move the time; drag a link to another start; switch the motors on.",
    ),
  );
  const graphs = ["Energy", "Change of the total energy", "Tracking error", "Torque"].map(
    (title) => new Graph(title, t, (time) => player.scrub(time)),
  );
  const shelf = html("div", { class: "graphs" }, ...graphs.map(({ element }) => element));
  root.append(shelf);
  player.listen(root);

  // --- Show
  function show() {
    const request = talk.request;
    talk.data = STEPPERS[request.method]
      ? "the chain\u2019s embedded masses, with the book\u2019s own functions"
      : `the chain\u2019s embedded masses, by RK4 with steps of ${milli(SHORT)}: DOP853 needs Python`;
    const late = talk.live && talk.answer.serial < request.serial;
    const result = late
      ? {
          values: embedded(request),
          source: "Python is computing; until then, this is from the page\u2019s own functions.",
        }
      : talk.result();
    if (result.values !== held.values) {
      Object.assign(held, {
        values: result.values,
        motion: motionOf(chains[request.chain], request, scene, result.values),
      });
      player.shorten();
      if (fresh()) drawGraphs();
    }
    stage.draw(paint);
    refreshers.forEach((refresh) => refresh());
    if (panel.childElementCount > 1 || panel.firstChild !== panels[state().chain])
      panel.replaceChildren(panels[state().chain]);
    gains.hidden = state().motors === "off";
    stepRow.hidden = !STEPPERS[state().method];
    playButton.textContent = player.playing ? "pause" : "play";
    graphs.forEach((graph) => graph.place(player.time));
    shelf.classList.toggle("late", late || !fresh());
    where.textContent = readout();
    verdict.textContent = fresh() ? judge(request) : "The chain is in your hand.";
    root.setAttribute("aria-busy", late);
    tell(result, `${where.textContent} ${verdict.textContent}`);
  }

  function readout() {
    const tip = tipOf(tree(), poses(tree(), posture()))
      .map((x) => shown(x))
      .join(", ");
    const start = `Time ${shown(player.time)} s: tip at (${tip}) m`;
    if (!fresh()) return `${start}.`;
    const { kinetic, potential, tau } = held.motion;
    const [T, P] = [kinetic, potential].map((x) => player.at(x));
    const torques = tau
      ? `; torques ${player
          .at(tau)
          .map((x) => grown(x, 1))
          .join(", ")} ${unitsOf("N\u00a0m", "N").join(" or ")}`
      : "";
    return `${start}, kinetic energy ${grown(T)} J, potential ${grown(P)} J, total ${grown(T + P)} J${torques}.`;
  }
  const unitsOf = (turn, slide) => [turn, slide].filter((_, k) => tree().kind.includes(["Revolute", "Prismatic"][k]));

  function judge(request) {
    const { energy, kinetic, errors, closed, tau, reason } = held.motion;
    const span = `${shown(player.last() - t[0], 1)} s`;
    const how = STEPPERS[request.method] ? `${request.method}, steps of ${milli(request.step)}` : request.method;
    const ended = reason ? ` It ended early: ${reason}.` : "";
    const most = (rows) => Math.max(...rows.flat().map(Math.abs));
    if (!errors) {
      const drift = most(energy.map((x) => x - energy[0]));
      const share = (100 * drift) / (Math.max(...kinetic) || 1);
      return (
        `${how}: in ${span} the total energy strays by ${sized(drift, "J")}, ` +
        `${share < 0.01 ? "less than 0.01" : grown(share, share < 1 ? 2 : 0)} % of the largest kinetic energy. ` +
        `Nothing takes or brings any: all of it is the method\u2019s error.${ended}`
      );
    }
    const { kp, kd } = gainsOf(request);
    const stray = most(errors.map((e, k) => subtract(e, closed[k])));
    const left = most([errors.at(-1)]);
    const units = unitsOf("rad", "m");
    return (
      `kp = ${shown(kp)} /s\u00b2, kd = ${shown(kd)} /s. ${how}: the tracking error strays from its closed form ` +
      `by at most ${sized(stray, ...units)}, and is ${sized(left, ...units)} after ${span}. Largest torque: ` +
      `${grown(most(tau), 0)} ${unitsOf("N\u00a0m", "N").join(" or ")}.${ended}`
    );
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
    const each = (rows) =>
      movable.map((name, k) => ({
        name,
        values: rows.map((row) => row[k]),
        colour: CURVES[k % 5],
        dash: DASHES[(k + Math.floor(k / 5)) % 5],
      }));
    drift.element.hidden = Boolean(tau);
    tracking.element.hidden = torques.element.hidden = !tau;
    if (!tau)
      return drift.draw(
        [{ name: "total \u2212 total at the start", values: energy.map((x) => x - energy[0]), colour: "ink" }],
        ["J"],
      );
    const theory = each(closed).map((curve, k) => ({
      ...curve,
      name: k ? "" : "closed form",
      colour: "faint",
      dash: "none",
      width: 7,
      opacity: 0.5,
    }));
    tracking.draw([...theory, ...each(errors)], unitsOf("rad", "m"));
    torques.draw(each(tau), unitsOf("N\u00a0m", "N"));
  }

  function paint() {
    const now = poses(tree(), posture());
    const ends = endsOf(tree());
    const { motors } = state();
    if (motors !== "off") {
      const wanted = poses(tree(), desiredAt(tree(), state(), scene.period, player.time - t[0]).q);
      tree().names.forEach((_, i) => {
        for (const end of ends[i])
          stage.line([wanted.p[i], add(wanted.p[i], apply(wanted.R[i], end))], "force", { width: 2.5, dash: "6 5" });
      });
    }
    if (fresh()) {
      const { tips } = held.motion;
      const { time } = player;
      const seen = t
        .slice(0, tips.length)
        .map((x, k) => [x, tips[k]])
        .filter(([x]) => x <= time && x > time - TRAIL);
      const points = [...seen, [time, player.at(tips)]];
      points
        .slice(1)
        .forEach(([x, point], k) =>
          stage.line([points[k][1], point], "motion trail", { width: 3, opacity: rounded(1 - (time - x) / TRAIL) }),
        );
    }
    paintLinks(stage, tree(), ends, now, -1, { axes: false });
    now.p.forEach((p, i) => tree().column[i] !== null && stage.line([p, p], "ink", { width: 11, seen: !stage.lit }));
    const tip = tipOf(tree(), now);
    stage.line([tip, tip], "motion", { width: 9 });
  }

  aim();
  show();
  talk.ask();
  stage.beginWith(() => player.play());
  return () => {
    player.stop();
    clearTimeout(resting);
    stage.close();
    talk.close();
  };
}

export default { render };
