// The view of HybridExplorer. The request is {q, qd, prescribed, qdd, tau}, the last two with a number for every
// joint, of which only those that are given count; the scene is the tree, masses, inertias about the centres of mass,
// gravity, and how far the sliders of the forces go.

import { button, group, html, numberRow, section, svg } from "./elements.js";
import { CENTRE_ACCELERATIONS } from "./emitted/centre_accelerations.js";
import { HYBRID } from "./emitted/hybrid.js";
import { compute } from "./physics.js";
import { withoutInertia } from "./singular.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, cross, dot, norm, scale, shown, subtract } from "./vectors.js";

// --- Without Python: hybrid_dynamics of the book, emitted ----------------------------------------------------------

// All accelerations and forces; NaN, and the link at fault, where the equations of the free joints are singular.
function fromEquations(tree, { q, qd, prescribed, qdd, tau }) {
  const free = prescribed.map((told) => Number(!told));
  const [all, forces, kept, sure] = compute(HYBRID, tree, [q, qd, free, qdd, tau]);
  const singularAt = withoutInertia(tree, q, kept, sure);
  const known = (x, given) => x.map((y, k) => (singularAt === undefined || given(k) ? y : NaN));
  return {
    values: { ...poses(tree, q), qdd: known(all, (k) => prescribed[k]), tau: known(forces, (k) => !prescribed[k]) },
    singularAt,
  };
}

// The joint forces of a motion: every joint is told.
const efforts = (tree, q, qd, qdd) => compute(HYBRID, tree, [q, qd, scale(0, qd), qdd, scale(0, qd)])[1];

// What stands on a joint in the picture: a motor's turning arrow in a square, or an empty ring.
const SQUARE = { x: -10, y: -10, width: 20, height: 20, rx: 3 };
const TURNING = "M -4.5 3 A 5.5 5.5 0 1 1 4.5 3 M 4.5 3 L 5.5 -1 M 4.5 3 L 0.8 1.6";
const SLIDING = "M -6 0 H 6 M 6 0 L 2.5 -3 M 6 0 L 2.5 3 M -6 0 L -2.5 -3 M -6 0 L -2.5 3";

const signOf = (told, turns) =>
  told
    ? [svg("rect", { class: "knob", ...SQUARE }), svg("path", { class: "knob sign", d: turns ? TURNING : SLIDING })]
    : [svg("circle", { class: "knob", r: 9 })];

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, kind, column, reach, mass } = tree;
  const embedded = (request) => fromEquations(tree, request).values;
  const talk = new Talk(model, {
    embedded,
    data: "the chain\u2019s embedded parameters, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const tipOf = ({ R, p }) => add(p.at(-1), apply(R.at(-1), tree.tip));
  const first = poses(tree, talk.request.q);
  const camera = cameraOn(tree, { p: [...first.p, tipOf(first)] });
  camera.look(tree.view);
  const stage = new LitStage("The chain", camera, talk.update, sceneAround(tree, talk.request));
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null); // the link of each row and column
  const ends = endsOf(tree);
  let ahead = 0.2; // [s]
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  const turns = (i) => kind[i] === "Revolute";
  const units = (i) => (turns(i) ? { qdd: "rad/s\u00b2", tau: "N\u00a0m" } : { qdd: "m/s\u00b2", tau: "N" });
  const isTold = (i) => talk.request.prescribed[column[i]];
  const replaced = (name, k, value) => ({
    [name]: talk.request[name].map((old, other) => (other === k ? value : old)),
  });
  const setJoint = (i, value) => talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  const give = (i, name, value) => talk.ask(replaced(name, column[i], value));
  const toggle = (i) => talk.ask(replaced("prescribed", column[i], !isTold(i)));
  const all = (told) => () => talk.ask({ prescribed: talk.request.prescribed.map(() => told) });
  stage.onGrab = (link, where, moved) => {
    const [i, change] = pulled(tree, camera, talk.result().values, link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[column[i]] + change);
  };

  const zero = () => talk.ask({ qdd: scale(0, talk.request.qdd), tau: scale(0, talk.request.tau) });

  // What was answered is given, and what was given asked for: the same motion, the other way round.
  function swap() {
    const { qdd, tau } = talk.result().values;
    if ([...qdd, ...tau].every(Number.isFinite))
      talk.ask({ qdd, tau, prescribed: talk.request.prescribed.map((told) => !told) });
  }

  // --- Inputs: a switch and one number for each joint, in its row and on the joint itself --------------------------

  const range = (i, name) => (name === "qdd" ? 30 : tree.strongest[column[i]]);
  const stepOf = (i, name) => (name === "qdd" ? 0.1 : range(i, name) / 200);
  function givenRow(i) {
    const numbersOf = ["qdd", "tau"].map((name) => {
      const of = name === "qdd" ? "acceleration of" : "force of";
      const limits = {
        min: -range(i, name),
        max: range(i, name),
        step: stepOf(i, name),
        digits: range(i, name) < 5 ? 5 : 2,
      };
      return numberRow(
        names[i],
        { of, ...limits, unit: units(i)[name] },
        () => talk.request[name][column[i]],
        (value) => give(i, name, value),
      );
    });
    const switches = numbersOf.map(({ row }) => {
      const button = html("button", {
        type: "button",
        onclick: () => {
          toggle(i);
          refresh();
          switches.find((each) => !each.closest("[hidden]")).focus();
        },
      });
      row.prepend(button);
      return button;
    });
    function refresh() {
      const told = isTold(i);
      numbersOf.forEach((each, k) => {
        each.refresh();
        each.row.hidden = told !== (k === 0);
      });
    }
    ["prescribed", "free"].forEach((word, k) => {
      switches[k].className = `role ${word}`;
      switches[k].textContent = word;
      switches[k].setAttribute(
        "aria-label",
        k === 0
          ? `${names[i]} is prescribed, its acceleration is given; set it free`
          : `${names[i]} is free, its force is given; prescribe its acceleration`,
      );
    });
    refreshers.push(refresh);
    refresh();
    return html("div", {}, ...numbersOf.map(({ row }) => row));
  }

  function sign(i) {
    const [leader, knob] = [svg("line", { class: "leader" }), svg("g")];
    const attributes = { class: "handle role ink", tabindex: 0, role: "button", "data-joint": names[i] };
    const element = svg("g", attributes, leader, svg("circle", { class: "reach", r: 18 }), knob);
    element.addEventListener("pointerdown", (event) => event.stopPropagation());
    element.addEventListener("click", () => toggle(i));
    element.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: 1, ArrowDown: -1 };
      if (!["Enter", " "].includes(event.key) && !steps[event.key]) return;
      event.preventDefault();
      const name = isTold(i) ? "qdd" : "tau";
      if (steps[event.key])
        give(i, name, talk.request[name][column[i]] + (event.shiftKey ? 10 : 2) * steps[event.key] * stepOf(i, name));
      else if (!event.repeat) toggle(i);
    });
    stage.handles.append(element);
    let drawn = null;
    return (place, shift) => {
      const told = isTold(i);
      if (told !== drawn) {
        knob.replaceChildren(...signOf(told, turns(i)));
        const does = told
          ? "prescribed, its acceleration is given; Enter sets it free"
          : "free, its force is given; Enter prescribes its acceleration";
        element.setAttribute("aria-label", `${names[i]} is ${does}. Arrow keys up and down change what is given.`);
      }
      drawn = told;
      element.setAttribute("transform", `translate(${add(place, [shift, 0])})`);
      leader.setAttribute("x2", -shift);
    };
  }
  const signs = movable.map(sign);

  // Joints at one place stand side by side.
  function placeSigns({ p }) {
    const taken = [];
    movable.forEach((i, k) => {
      const place = camera.project(p[i]);
      let shift = 0;
      while (taken.some((other) => norm(subtract(other, add(place, [shift, 0]))) < 30)) shift += 32;
      taken.push(add(place, [shift, 0]));
      signs[k](place, shift);
    });
  }

  const rate = (i) =>
    row(
      numberRow(
        names[i],
        { of: "velocity of", min: -8, max: 8, step: 0.1, unit: turns(i) ? "rad/s" : "m/s" },
        () => talk.request.qd[column[i]],
        (value) => talk.ask(replaced("qd", column[i], value)),
      ),
    );
  const bars = html("div");
  const controls = [
    group("All joints", button("swap given and answered", swap)),
    bars,
    section(
      "What each joint is given",
      false,
      group(
        "All joints",
        button("all prescribed: inverse dynamics", all(true)),
        button("all free: forward dynamics", all(false)),
        button("zero all given", zero),
      ),
      ...movable.map(givenRow),
    ),
    section(
      "Posture",
      false,
      ...movable.map((i) =>
        row(
          jointRow(
            tree,
            i,
            () => talk.request.q[column[i]],
            (value) => setJoint(i, value),
          ),
        ),
      ),
    ),
    section(
      "Velocities, and how far to look ahead",
      false,
      ...movable.map(rate),
      group(
        "Velocities",
        button("hold still", () => talk.ask({ qd: scale(0, talk.request.qd) })),
      ),
      row(
        numberRow(
          "look ahead",
          { min: 0, max: 0.5, step: 0.01, unit: "s" },
          () => ahead,
          (value) => {
            ahead = Math.max(0, value);
            talk.update();
          },
        ),
      ),
    ),
  ];
  const numbers = html("div", {}, html("p", { class: "work" }), keyOfMarks());
  const tell = layout(el, stage, controls, numbers);

  function keyOfMarks() {
    const mark = (told) =>
      svg(
        "svg",
        { class: "mark ink", viewBox: "-12 -12 24 24", "aria-hidden": "true" },
        svg("g", { class: "handle" }, ...signOf(told, true)),
      );
    const bar = (which) => html("span", { class: `swatch ${which}`, "aria-hidden": "true" });
    const where =
      "Click a joint to change its part. Arrows: how the links\u2019 centres of mass accelerate. Dashed blue: " +
      "the chain a little later, were the accelerations to stay. Arcs, and arrows along slides: the " +
      "joints\u2019 forces, dashed where given.";
    return html(
      "p",
      { class: "legend" },
      mark(true),
      " prescribed: acceleration given, force answered. ",
      mark(false),
      " free: force given, acceleration answered. ",
      bar("given"),
      " given, ",
      bar("answered"),
      ` answered. ${where}`,
    );
  }

  // --- Outputs -----------------------------------------------------------------------------------------------------

  function show() {
    const result = talk.result();
    const { values } = result;
    placeSigns(values);
    stage.draw(() => paint(values));
    refreshers.forEach((refresh) => refresh());
    bars.replaceChildren(barTable(values));
    numbers.firstChild.textContent = explained();
    if (talk.live) result.error ||= disagreement(values);
    else result.error = withoutAnswer();
    tell(result, movable.map((i) => told(i, values)).join(" "));
  }

  const listed = (links) => links.map((i) => names[i]).join(", ");
  function explained() {
    const [given, free] = [movable.filter(isTold), movable.filter((i) => !isTold(i))];
    if (free.length === 0)
      return "All prescribed: inverse dynamics. Nothing is solved; every force follows from the motion.";
    if (given.length === 0)
      return (
        `All free: forward dynamics. ${count(free.length)} solved for all accelerations, and no force is left ` +
        "to find."
      );
    return (
      `Prescribed: ${listed(given)}. Free: ${listed(free)}. ${count(free.length)} solved for the accelerations ` +
      "of the free joints; then the forces of the others follow."
    );
  }
  const count = (n) => (n === 1 ? "One equation is" : `${n} equations are`);
  function told(i, { qdd, tau }) {
    const [a, f] = [
      [qdd, "qdd"],
      [tau, "tau"],
    ].map(([x, name]) => `${shown(x[column[i]])} ${units(i)[name]}`);
    return isTold(i)
      ? `${names[i]}: acceleration ${a} is given, force ${f} answers.`
      : `${names[i]}: force ${f} is given, acceleration ${a} answers.`;
  }

  // The least of 1, 2, 5, 10, 20 ... that is not below the largest, so that bars and arrows keep their scale for a
  // while.
  function roundUp(sizes) {
    const largest = Math.max(...sizes.map(Math.abs).filter(Number.isFinite));
    if (!(largest > 1e-9)) return 1;
    const power = 10 ** Math.floor(Math.log10(largest));
    return [1, 2, 5, 10].map((m) => m * power).find((x) => x >= largest);
  }
  const scaleOf = (x, i) => roundUp(movable.filter((k) => turns(k) === turns(i)).map((k) => x[column[k]]));

  // One row for each joint; turns and slides have each their own scale.
  function barTable({ qdd, tau }) {
    const cell = (x, i, name) => {
      const [value, most] = [x[column[i]], scaleOf(x, i)];
      const share = Number.isFinite(value) ? (50 * value) / most : 0;
      const given = isTold(i) === (name === "qdd");
      const style = `--from: ${50 + Math.min(0, share)}%; --to: ${50 + Math.max(0, share)}%`;
      const colour = name === "qdd" ? "motion" : "force";
      return html(
        "td",
        { class: `${colour} ${given ? "given" : "answered"}`, style },
        html("span", {}, `${shown(value)}\u00a0${units(i)[name]}`),
        html("span", { class: "unseen" }, given ? " given" : " answered"),
      );
    };
    const body = movable.map((i) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, names[i].replaceAll("_", "_\u200b")),
        cell(qdd, i, "qdd"),
        cell(tau, i, "tau"),
      ),
    );
    const head = html(
      "tr",
      {},
      html("td"),
      ...["acceleration", "force"].map((text) => html("th", { scope: "col" }, text)),
    );
    const caption = html("caption", {}, "Of each joint one is given (hollow bar), the other answers (filled, bold)");
    return html("table", { class: "bars answers" }, caption, html("thead", {}, head), html("tbody", {}, ...body));
  }

  // The page's own reason to have no answer.
  function withoutAnswer() {
    const { singularAt } = fromEquations(tree, talk.request);
    if (singularAt === undefined) return "";
    return (
      `The equations of the free joints are singular: joint ${names[singularAt]} feels no inertia in this ` +
      "posture. The link, or what it carries, needs mass that this joint moves; or tell it its acceleration."
    );
  }

  // What a reader's function may have wrong: it keeps what it is given, and the answers obey the laws of motion.
  function disagreement({ qdd, tau }) {
    const { request } = talk;
    if (request.serial !== talk.answer.serial || [...qdd, ...tau].includes(null)) return "";
    const close = (x, given) => Math.abs(x - given) <= 1e-6 * Math.max(1, Math.abs(given));
    const kept = (i) =>
      isTold(i) ? close(qdd[column[i]], request.qdd[column[i]]) : close(tau[column[i]], request.tau[column[i]]);
    const changed = movable.find((i) => !kept(i));
    if (changed !== undefined) return `hybrid_dynamics did not keep what joint ${names[changed]} was given.`;
    const [needed, bias] = [qdd, scale(0, qdd)].map((a) => efforts(tree, request.q, request.qd, a));
    const largest = Math.max(...[needed, bias, subtract(needed, bias)].flat().map(Math.abs));
    const wrong = movable.find((i) => !(Math.abs(needed[column[i]] - tau[column[i]]) <= 1e-6 * largest));
    if (wrong === undefined) return "";
    const [law, ours] = [needed, tau].map((x) => `${shown(x[column[wrong]])} ${units(wrong).tau}`);
    return (
      "These accelerations and forces do not fit together: by Newton\u2019s and Euler\u2019s laws joint " +
      `${names[wrong]} needs ${law}, not ${ours}.`
    );
  }

  function paint({ R, p, qdd, tau }) {
    for (const i of movable.filter((i) => !turns(i))) {
      const half = scale(0.3 * reach, apply(R[i], tree.axis[i]));
      stage.line([subtract(p[i], half), add(p[i], half)], "slide", { width: 1.5, dash: "2 6" });
    }
    if (qdd.every(Number.isFinite)) paintLater(qdd);
    paintLinks(stage, tree, ends, { R, p }, -1, { axes: false }); // whose colours mean other things here
    for (const i of movable)
      if (Number.isFinite(tau[column[i]]))
        paintForce(i, p[i], apply(R[i], tree.axis[i]), tau[column[i]] / scaleOf(tau, i));
    if (!qdd.every(Number.isFinite)) return;
    const [accelerations] = compute(CENTRE_ACCELERATIONS, tree, [talk.request.q, talk.request.qd, qdd]);
    const metres = (0.45 * reach) / roundUp(accelerations.map(norm)); // a m/s^2 of the arrows
    accelerations.forEach((a, i) => {
      if (mass[i] > 0 && norm(a) > 1e-9)
        stage.arrow(add(p[i], apply(R[i], tree.com[i])), scale(metres, a), "motion", { width: 3 });
    });
  }

  // Where the chain is a little later, to second order.
  function paintLater(qdd) {
    const { q, qd } = talk.request;
    const { R, p } = poses(
      tree,
      q.map((x, k) => x + ahead * qd[k] + (ahead ** 2 / 2) * qdd[k]),
    );
    ends.forEach((own, i) =>
      own.forEach((end) => stage.line([p[i], add(p[i], apply(R[i], end))], "motion", { width: 2.5, dash: "5 7" })),
    );
  }

  // A share of three quarters of a turn about the axis, or of an arrow along it.
  function paintForce(i, centre, axis, share) {
    const look = isTold(i) ? { width: 3 } : { width: 2, dash: "4 5" };
    if (Math.abs(share) < 1e-6) return;
    if (!turns(i)) return paintPush(centre, scale((70 / camera.zoom) * share, axis), look);
    const { right, up } = camera.axes();
    const [u] = [up, right].map((e) => subtract(e, scale(dot(e, axis), axis))).filter((e) => norm(e) > 0.5);
    const [radius, w] = [24 / camera.zoom / norm(u), cross(axis, u)];
    const at = (angle) => add(centre, add(scale(radius * Math.cos(angle), u), scale(radius * Math.sin(angle), w)));
    const angles = Array.from({ length: 25 }, (_, k) => (1.5 * Math.PI * share * k) / 24);
    stage.line(angles.map(at), "force", look);
    const [tip, before] = [at(angles[24]), at(angles[24] - Math.sign(share) * 0.35)];
    stage.arrow(before, subtract(tip, before), "force", { width: 3 });
  }
  // Beside the slide, where the accelerations are not.
  function paintPush(centre, displacement, { width, dash }) {
    const [dx, dy] = camera.flatten(displacement);
    const beside = add(centre, camera.lift(scale(16 / (Math.hypot(dx, dy) || 1), dx > 0 ? [dy, -dx] : [-dy, dx])));
    stage.line([beside, add(beside, displacement)], "force", { width, dash });
    stage.arrow(add(beside, scale(0.7, displacement)), scale(0.3, displacement), "force", { width });
  }

  show();
  talk.ask();
  return () => {
    stage.close();
    talk.close();
  };
}

export default { render };
