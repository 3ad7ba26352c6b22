// The controls of ContactExplorer.

import { MODES, signOf } from "./contact_picture.js";
import { button, group, html, numberRow, pickerRow, section, svg } from "./elements.js";
import { Graph } from "./graph.js";
import { layout } from "./talk.js";
import { degrees, radians, rounded } from "./vectors.js";

export const EVERY = 0.02; // between samples that are kept, and between points of the curves [s]

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

// Put the controls beside the picture, and the graphs below.
export function addControls(view) {
  const { el, held, longest, stage, t, talk } = view;
  const rows = rowsOf(view);
  const [where, verdict, worth] = ["readout", "work", "readout"].map((name) => html("p", { class: name }));
  const controls = sectionsOf(view, rows, worth);
  const playButton = button("start", () => view.play());
  const timeRow = view.row(
    numberRow(
      "time",
      { min: 0, max: longest, step: EVERY, unit: "s" },
      () => held.now?.time ?? 0,
      (time) => view.goTo(time),
    ),
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
      button("step", () => view.stepOn()),
      button("throw again", () => view.throwAgain()),
      timeRow,
    ),
    where,
    verdict,
  );
  const report = layout(el, stage, [...controls, list], short);
  const root = el.querySelector(".chaindyn");
  root.prepend(
    html(
      "p",
      { class: "opening" },
      "Start it, and change laws and solvers while it runs. The arrow on what is thrown is its speed at the " +
        "start; the arrow at each contact is its force, and friction keeps it in the cone.",
    ),
  );
  const energies = new Graph("Energy", t, (time) => view.goTo(time));
  const worths = new Graph("Residual and overlap", t, (time) => view.goTo(time), { log: true });
  root.append(html("div", { class: "graphs" }, energies.element, worths.element));
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select, summary, input[type='number']")) return;
    event.preventDefault();
    view.play();
  });
  return { ...rows, energies, list, playButton, table, report, verdict, where, worth, worths };
}

// Rows that are not always there, or have other limits at times.
function rowsOf(view) {
  const { kinds, talk } = view;
  const ground = pickerRow("Ground", NAMES.ground, own(view, "ground"), (value) => view.afresh({ ground: value }));
  const angle = numberRow(
    "slope",
    { min: 0, max: 45, step: 1, unit: "\u00b0", digits: 1 },
    () => degrees(talk.request.angle),
    between(0, 45, (value) => view.restart({ angle: radians(value) })),
  );
  const count = numberRow(
    "how many",
    { min: 1, max: 10, step: 1, digits: 0 },
    own(view, "count"),
    (value) =>
      Number.isInteger(value) && value >= 1 && value <= kinds[talk.request.scene].most && view.afresh({ count: value }),
  );
  const sweeps = number(
    view,
    "sweeps",
    { min: 1, max: 200, step: 1, digits: 0 },
    (value) => Number.isInteger(value) && value >= 1 && value <= 1000 && view.ask({ sweeps: value }),
  );
  return { angle, count, ground, sweeps };
}

function sectionsOf(view, { angle, count, ground, sweeps }, worth) {
  const { fastest, held, steps } = view;
  return [
    picker(view, "Scene", "scene", (scene) => view.choose(scene)),
    section(
      "What is thrown",
      false,
      view.row(ground),
      view.row(angle),
      view.row(count),
      view.row(
        number(
          view,
          "speed",
          { min: 0, max: fastest, step: 0.1, unit: "m/s" },
          between(0, fastest, (speed) => view.restart({ speed })),
        ),
      ),
    ),
    section(
      "Laws",
      false,
      view.row(
        number(
          view,
          "restitution",
          { min: 0, max: 1, step: 0.05 },
          between(0, 1, (restitution) => view.ask({ restitution })),
        ),
      ),
      view.row(
        number(
          view,
          "friction",
          { min: 0, max: 1.5, step: 0.05 },
          between(0, Infinity, (friction) => view.ask({ friction })),
        ),
      ),
      picker(view, "Law", "law", (law) => view.ask({ law })),
      picker(view, "Blows", "order", (order) => view.ask({ order })),
    ),
    section(
      "Solver",
      false,
      picker(view, "Solver", "solver", (solver) => view.ask({ solver })),
      view.row(sweeps),
      view.row(
        pickerRow(
          "Step",
          steps.map((h) => [h, `${rounded(1000 * h, 3)}\u00a0ms`]),
          own(view, "step"),
          (step) => view.ask({ step: Number(step) }),
        ),
      ),
      view.row(
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
}

function own(view, name) {
  return () => view.talk.request[name];
}

function picker(view, label, name, set) {
  return view.row(pickerRow(label, NAMES[name], own(view, name), set));
}

function number(view, name, options, set = (value) => view.ask({ [options.name ?? name]: value })) {
  return numberRow(name, options, own(view, options.name ?? name), set);
}

const between = (low, high, set) => (value) => value >= low && value <= high && set(value);
