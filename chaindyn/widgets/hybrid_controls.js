// The controls of HybridExplorer.

import { button, group, html, numberRow, section, svg } from "./elements.js";
import { layout } from "./talk.js";
import { jointRow } from "./tree.js";
import { add, norm, scale, subtract } from "./vectors.js";

// What stands on a joint in the picture: a motor's turning arrow in a square, or an empty ring.
const SQUARE = { x: -10, y: -10, width: 20, height: 20, rx: 3 };
const TURNING = "M -4.5 3 A 5.5 5.5 0 1 1 4.5 3 M 4.5 3 L 5.5 -1 M 4.5 3 L 0.8 1.6";
const SLIDING = "M -6 0 H 6 M 6 0 L 2.5 -3 M 6 0 L 2.5 3 M -6 0 L -2.5 -3 M -6 0 L -2.5 3";

const signOf = (prescribed, turns) =>
  prescribed
    ? [svg("rect", { class: "knob", ...SQUARE }), svg("path", { class: "knob sign", d: turns ? TURNING : SLIDING })]
    : [svg("circle", { class: "knob", r: 9 })];

// Put the controls beside the picture.
export function addControls(view) {
  const { column, el, movable, stage, talk, tree } = view;
  const signs = movable.map((i) => sign(view, i));
  const bars = html("div");
  const playButton = button("move it", () => view.play(!view.motion.playing));
  const controls = [
    section(
      "Given and answered, in numbers",
      false,
      group(
        "All joints",
        button("swap given and answered", () => view.swap()),
      ),
      bars,
    ),
    section(
      "What each joint is given",
      false,
      group(
        "All joints",
        button("all prescribed: inverse dynamics", view.all(true)),
        button("all free: forward dynamics", view.all(false)),
        button("zero all given", () => view.zero()),
      ),
      ...movable.map((i) => givenRow(view, i)),
    ),
    section(
      "Posture",
      false,
      ...movable.map((i) =>
        view.row(
          jointRow(
            tree,
            i,
            () => talk.request.q[column[i]],
            (value) => view.setJoint(i, value),
          ),
        ),
      ),
    ),
    section(
      "Velocities, and how far to look ahead",
      false,
      ...movable.map((i) => rate(view, i)),
      group(
        "Velocities",
        button("hold still", () => view.ask({ qd: scale(0, talk.request.qd) })),
      ),
      view.row(
        numberRow(
          "look ahead",
          { min: 0, max: 0.5, step: 0.01, unit: "s" },
          () => view.ahead,
          (value) => {
            view.ahead = Math.max(0, value);
            talk.update();
          },
        ),
      ),
    ),
  ];
  const marks = section("What the marks mean", false, keyOfMarks());
  const hint = html("p", {}, "Tap a joint: its motor switches on, and stiffens it; tap again, and it falls limp.");
  const numbers = html("div", {}, html("p", { class: "work" }), hint, group("Motion", playButton), marks);
  const report = layout(el, stage, controls, numbers);
  return { bars, numbers, playButton, signs, report };
}

function givenRow(view, i) {
  const { column, names, refreshers, talk } = view;
  const numbersOf = ["qdd", "tau"].map((name) => {
    const of = name === "qdd" ? "acceleration of" : "force of";
    const limits = {
      min: -view.range(i, name),
      max: view.range(i, name),
      step: view.stepOf(i, name),
      digits: view.range(i, name) < 5 ? 5 : 2,
    };
    return numberRow(
      names[i],
      { of, ...limits, unit: view.units(i)[name] },
      () => talk.request[name][column[i]],
      (value) => view.give(i, name, value),
    );
  });
  const switches = numbersOf.map(({ row }) => {
    const button = html("button", {
      type: "button",
      onclick: () => {
        view.toggle(i);
        refresh();
        switches.find((each) => !each.closest("[hidden]")).focus();
      },
    });
    row.prepend(button);
    return button;
  });
  function refresh() {
    const prescribed = view.isPrescribed(i);
    numbersOf.forEach((each, k) => {
      each.refresh();
      each.row.hidden = prescribed !== (k === 0);
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

function sign(view, i) {
  const { column, names, stage, talk } = view;
  const [leader, knob] = [svg("line", { class: "leader" }), svg("g")];
  const attributes = { class: "handle role ink", tabindex: 0, role: "button", "data-joint": names[i] };
  const element = svg("g", attributes, leader, svg("circle", { class: "reach", r: 18 }), knob);
  element.addEventListener("pointerdown", (event) => event.stopPropagation());
  element.addEventListener("click", () => view.toggle(i));
  element.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: 1, ArrowDown: -1 };
    if (!["Enter", " "].includes(event.key) && !steps[event.key]) return;
    event.preventDefault();
    const name = view.isPrescribed(i) ? "qdd" : "tau";
    if (steps[event.key])
      view.give(
        i,
        name,
        talk.request[name][column[i]] + (event.shiftKey ? 10 : 2) * steps[event.key] * view.stepOf(i, name),
      );
    else if (!event.repeat) view.toggle(i);
  });
  stage.handles.append(element);
  let drawn = null;
  return (place, shift) => {
    const prescribed = view.isPrescribed(i);
    if (prescribed !== drawn) {
      knob.replaceChildren(...signOf(prescribed, view.turns(i)));
      const does = prescribed
        ? "prescribed, its acceleration is given; Enter sets it free"
        : "free, its force is given; Enter prescribes its acceleration";
      element.setAttribute("aria-label", `${names[i]} is ${does}. Arrow keys up and down change what is given.`);
    }
    drawn = prescribed;
    element.setAttribute("transform", `translate(${add(place, [shift, 0])})`);
    leader.setAttribute("x2", -shift);
  };
}

// Joints at one place stand side by side.
export function placeSigns(view, { p }) {
  const { camera, movable } = view;
  const { signs } = view.controls;
  const taken = [];
  movable.forEach((i, k) => {
    const place = camera.project(p[i]);
    let shift = 0;
    while (taken.some((other) => norm(subtract(other, add(place, [shift, 0]))) < 30)) shift += 32;
    taken.push(add(place, [shift, 0]));
    signs[k](place, shift);
  });
}

function rate(view, i) {
  const { column, names, talk } = view;
  return view.row(
    numberRow(
      names[i],
      { of: "velocity of", min: -8, max: 8, step: 0.1, unit: view.turns(i) ? "rad/s" : "m/s" },
      () => talk.request.qd[column[i]],
      (value) => view.ask(view.replaced("qd", column[i], value)),
    ),
  );
}

function keyOfMarks() {
  const mark = (prescribed) =>
    svg(
      "svg",
      { class: "mark ink", viewBox: "-12 -12 24 24", "aria-hidden": "true" },
      svg("g", { class: "handle" }, ...signOf(prescribed, true)),
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
