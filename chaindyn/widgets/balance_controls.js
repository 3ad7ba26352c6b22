// The controls of BalanceExplorer.

import { knock, play, stand, strike } from "./balance_motion.js";
import { basinPanel, planeOf } from "./balance_panels.js";
import { button, group, html, named, numberRow, pickerRow, section } from "./elements.js";
import { layout } from "./talk.js";
import { degrees, radians, rounded } from "./vectors.js";

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

// Put the controls beside the picture, and two graphs below.
export function addControls(view) {
  const { el, stage, talk } = view;
  const rows = rowsOf(view);
  const controls = sectionsOf(view, rows);
  const playButton = button("pause", () => play(view));
  const [where, verdict] = ["readout", "work"].map((name) => html("p", { class: name }));
  const [history, gains] = [html("div"), html("div")];
  const gainList = section("Latest knocks, and gains", false, history, gains);
  gainList.addEventListener("toggle", () => talk.update());
  const short = html(
    "div",
    {},
    group(
      "Knock",
      button("knock", () => knock(view)),
      button("strike again", () => strike(view)),
      playButton,
      button("stand up", () => stand(view)),
    ),
    where,
    verdict,
  );
  const report = layout(el, stage, [...controls, gainList], short);
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
    view.ask({ aside: within(aside, widest), rate: within(rate, fastest) });
    knock(view);
  });
  root.append(html("div", { class: "graphs" }, plane.element, area.element));
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select, summary, input[type='number']")) return;
    event.preventDefault();
    play(view);
  });
  return { ...rows, area, gainList, gains, history, plane, playButton, root, report, verdict, where };
}

// Rows that are not always there, or have other limits at times.
function rowsOf(view) {
  const { talk } = view;
  const countRow = numberRow("rods", { min: 1, max: 10, step: 1, digits: 0 }, own(view, "count"), (count) =>
    chooseCount(view, count),
  );
  const driveRow = pickerRow("Motors", CHOICES.drive, own(view, "drive"), (drive) => chooseDrive(view, drive));
  const limitRow = numberRow(
    "limit",
    { min: 1, max: 1000, step: 1, unit: "N or N\u00a0m", digits: 1 },
    own(view, "limit"),
    (value) => value > 0 && view.ask({ limit: value }),
  );
  // The joints by name, which are others in another chain.
  const jointSelect = html("select", {
    "aria-label": "Knocked",
    onchange: () => chooseJoint(view, Number(jointSelect.value)),
  });
  const [asideTurn, asideSlide] = [
    numberRow(
      "aside",
      { min: -90, max: 90, step: 0.5, unit: "\u00b0", digits: 1 },
      () => degrees(talk.request.aside),
      between(-180, 180, (value) => view.ask({ aside: radians(value) })),
    ),
    numberRow(
      "aside",
      { min: -2, max: 2, step: 0.01, unit: "m", digits: 3 },
      own(view, "aside"),
      between(-10, 10, (value) => view.ask({ aside: value })),
    ),
  ];
  const [rateTurn, rateSlide] = ["rad/s", "m/s"].map((unit) =>
    numberRow(
      "rate",
      { min: -5, max: 5, step: 0.05, unit },
      own(view, "rate"),
      between(-100, 100, (value) => view.ask({ rate: value })),
    ),
  );
  return { asideSlide, asideTurn, countRow, driveRow, jointSelect, limitRow, rateSlide, rateTurn };
}

function sectionsOf(view, rows) {
  const { held, talk } = view;
  const { asideSlide, asideTurn, countRow, driveRow, jointSelect, limitRow, rateSlide, rateTurn } = rows;
  return [
    view.row(pickerRow("System", CHOICES.system, own(view, "system"), (system) => choose(view, system))),
    section("The chain", false, view.row(driveRow), view.row(countRow), view.row(limitRow)),
    section(
      "Weights, as powers of ten",
      false,
      power(view, "places", "places"),
      power(view, "rates", "rates"),
      power(view, "effort", "effort"),
    ),
    section(
      "The knock",
      false,
      named("Knocked", jointSelect),
      ...[asideTurn, asideSlide, rateTurn, rateSlide].map((each) => view.row(each)),
      view.row(
        pickerRow(
          "Basin\u2019s size",
          CHOICES.reach,
          () => held.reach,
          (value) => {
            held.reach = Number(value);
            view.ask(spansOf(view, talk.request));
          },
        ),
      ),
      view.row(
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
}

function own(view, name) {
  return () => view.talk.request[name];
}

const between = (low, high, set) => (value) => value >= low && value <= high && set(value);

// How far knocks go, by the joint that is knocked.
function spansOf(view, request) {
  const { held, systems } = view;
  const { widest, fastest } = view.turned(request) ? systems[request.system] : SLIDE;
  return { widest: widest * held.reach, fastest: fastest * held.reach };
}

function choose(view, system) {
  const { held, systems } = view;
  const { count, drives, places, rates, effort, limit, joint, aside, rate } = systems[system];
  const change = { system, count, drive: Object.keys(drives)[0], places, rates, effort, limit, joint, aside, rate };
  held.reach = 1;
  view.ask({ ...change, ...spansOf(view, change) });
  view.aim();
}

function chooseCount(view, count) {
  const { systems, talk } = view;
  const { drive, joint } = talk.request;
  if (!Number.isInteger(count) || count < fewest(talk.request) || count > systems.chain.drives[drive]) return;
  view.ask({ count, joint: Math.min(joint, count - 1), limit: limitFor(view, count) });
  view.aim();
}

// What holds more rods must be stronger as the square of their number.
function limitFor(view, count) {
  return rounded(view.systems.chain.limit * (count / view.systems.chain.count) ** 2);
}

export const fewest = ({ drive, system }) => (drive === "others" || system !== "chain" ? 2 : 1);

function chooseDrive(view, drive) {
  const { systems, talk } = view;
  const count = Math.max(fewest({ drive, system: "chain" }), Math.min(talk.request.count, systems.chain.drives[drive]));
  view.ask({ drive, count, joint: Math.min(talk.request.joint, count - 1), limit: limitFor(view, count) });
  view.aim();
}

function chooseJoint(view, joint) {
  const { talk } = view;
  const request = { ...talk.request, joint };
  const change = view.turned(request) === view.turned(talk.request) ? {} : { aside: 0, ...spansOf(view, request) };
  view.ask({ joint, ...change });
}

function power(view, name, text) {
  const { ranges } = view;
  return view.row(
    numberRow(
      text,
      { min: ranges[name][0], max: ranges[name][1], step: 0.1, of: "power of ten of the weight on" },
      own(view, name),
      between(...ranges[name], (value) => view.ask({ [name]: value })),
    ),
  );
}

export function refreshJoints(view) {
  const { systems, talk } = view;
  const { jointSelect } = view.controls;
  const { system, count, joint } = talk.request;
  const names = systems[system].tree.names.slice(0, count);
  if (jointSelect.textContent !== names.join(""))
    jointSelect.replaceChildren(...names.map((name, k) => html("option", { value: k }, name)));
  jointSelect.value = joint;
}

export function bound({ row: element }, most, least = -most) {
  const slider = element.querySelector("input[type='range']");
  const value = slider.value;
  [slider.min, slider.max] = [rounded(least, 3), rounded(most, 3)];
  slider.value = value;
}
