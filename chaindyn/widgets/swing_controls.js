// The controls of SwingExplorer.

import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { Graph } from "./graph.js";
import { MOTORS } from "./swing_model.js";
import { layout } from "./talk.js";
import { jointRow } from "./tree.js";
import { rounded } from "./vectors.js";

const START = "Posture and speeds at the start";

// Put the controls beside the picture, and the graphs below.
export function addControls(view) {
  const { chains, el, labels, player, scene, stage, t } = view;
  const playButton = button("play", () => player.play());
  const timeRow = view.row(player.row());
  const gains = html(
    "div",
    {},
    gain(view, "frequency", { min: 0.5, max: 20, step: 0.1 }, "frequency", "rad/s"),
    gain(view, "damping", { min: 0.05, max: 2, step: 0.05 }, "damping ratio", ""),
  );
  const stepRow = view.row(
    pickerRow(
      "Step",
      scene.steps.map((h) => [h, milli(h)]),
      () => view.state().step,
      (value) => view.change({ step: Number(value) }),
    ),
  );
  const panels = chains.map((tree, index) => panelOf(view, tree, index));
  const panel = html("div", {}, ...panels);
  const chainRow = view.row(
    pickerRow(
      "Chain",
      labels.map((label, i) => [i, label]),
      () => view.state().chain,
      (value) => view.choose(Number(value)),
    ),
  );
  const methodRow = view.row(
    pickerRow(
      "Method",
      scene.methods.map((name) => [name, name]),
      () => view.state().method,
      set(view, "method"),
    ),
  );
  const motorsRow = view.row(
    pickerRow("Motors", Object.entries(MOTORS), () => view.state().motors, set(view, "motors")),
  );
  // What the chapter is about stands open: of a free chain the method, of a driven one the gains.
  const controls =
    view.state().motors === "off"
      ? [methodRow, stepRow, chainRow, motorsRow, gains, section(START, false, panel)]
      : [motorsRow, gains, chainRow, section(`Method; ${START.toLowerCase()}`, false, methodRow, stepRow, panel)];
  const where = html("p", { class: "readout" });
  const verdict = html("p", { class: "work" });
  const numbers = html("div", {}, group("Motion", playButton, timeRow), where, verdict);
  const report = layout(el, stage, controls, numbers);
  const root = el.querySelector(".chaindyn");
  const lead = html("p", { class: "opening" });
  root.prepend(lead);
  const graphs = ["Energy", "Change of the total energy", "Tracking error", "Torque"].map(
    (title) => new Graph(title, t, (time) => player.scrub(time)),
  );
  const shelf = html("div", { class: "graphs" }, ...graphs.map(({ element }) => element));
  root.append(shelf);
  player.listen(root);
  return { gains, graphs, lead, panel, panels, playButton, root, shelf, stepRow, report, verdict, where };
}

function set(view, name) {
  return (value) => view.change({ [name]: value });
}

function gain(view, name, range, text, unit) {
  return view.row(
    numberRow(
      text,
      { ...range, unit },
      () => view.state()[name],
      (value) => value > 0 && view.change({ [name]: value }),
    ),
  );
}

export const milli = (h) => `${rounded(1000 * h, 2)}\u00a0ms`;

// The posture of one of the chains; only the present one's is on the page.
function panelOf(view, tree, index) {
  const movable = tree.names.map((_, i) => i).filter((i) => tree.column[i] !== null);
  const now = () => (view.state().chain === index ? view.state() : tree.start);
  const own = ({ row: element, refresh }) =>
    view.row({ row: element, refresh: () => view.state().chain === index && refresh() });
  const unit = (i) => (tree.kind[i] === "Revolute" ? "rad/s" : "m/s");
  const speed = (i) => {
    const replaced = (value) => now().qd.map((old, k) => (k === tree.column[i] ? value : old));
    return own(
      numberRow(
        tree.names[i],
        { of: "speed of", min: -6, max: 6, step: 0.1, unit: unit(i) },
        () => now().qd[tree.column[i]],
        (value) => view.change({ qd: replaced(value) }),
      ),
    );
  };
  return html(
    "div",
    {},
    ...movable.map((i) =>
      own(
        jointRow(
          tree,
          i,
          () => now().q[tree.column[i]],
          (value) => view.setJoint(i, value),
        ),
      ),
    ),
    ...movable.map(speed),
  );
}
