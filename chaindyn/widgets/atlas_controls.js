// The controls of AtlasExplorer.

import { MassChart } from "./atlas_chart.js";
import { blowOf, heaviestWay } from "./atlas_model.js";
import { tiltOf, toDirection, turnOf } from "./blow.js";
import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { atJointShare, jointShare, PostureMap } from "./map.js";
import { layout } from "./talk.js";
import { jointRow } from "./tree.js";
import { dot, scale } from "./vectors.js";

// Put the controls beside the picture.
export function addControls(view) {
  const { atlas, column, el, movable, names, stage, talk, tree } = view;
  const map = new PostureMap(
    () => talk.request.axes.map((i) => jointShare(tree, talk.request.q, i)),
    (shares) =>
      view.ask({ q: talk.request.axes.reduce((q, i, k) => atJointShare(tree, q, i, shares[k]), talk.request.q) }),
  );
  const [least, most] = [html("span"), html("span")];
  const legend = html("div", { class: "line" }, least, html("span", { class: "shade" }), most);
  const chart = new MassChart(tree.range, atlas);
  const tally = html("p", { class: "aside" });
  const rank = html("p", { class: "result" });
  const draw = button("Draw blows", () => {
    view.drawing = !view.drawing;
    view.ask({});
  });
  const one = button("Look at one", () => view.ask(blowOf(tree, view.next++)));
  const heaviest = button("Heaviest direction here", () => {
    const way = heaviestWay(tree, talk.request.q);
    view.aim(dot(way, talk.request.direction) < 0 ? scale(-1, way) : way);
  });
  const cases = tree.cases.map(({ name, q, direction }) => button(name, () => view.ask({ q, direction })));
  const quantities = [
    ["mass 0", "effective mass"],
    ...movable.flatMap((i) => [
      [`force ${i}`, `impulse of the bearing of ${names[i]}`],
      [`moment ${i}`, `moment on the bearing of ${names[i]}`],
    ]),
  ];
  const table = html("div");
  const short = html("div", {}, group("Blows", ...cases, heaviest, one), rank);
  const shading = pickerRow(
    "Shading",
    quantities,
    () => talk.request.quantity.join(" "),
    (value) => view.ask({ quantity: [value.split(" ")[0], Number(value.split(" ")[1])] }),
  );
  const report = layout(
    el,
    stage,
    [
      angle(view, "tilt", 90, tiltOf, (tilt) => toDirection(turnOf(talk.request.direction), tilt)),
      chart.svg,
      group("A sample of your own", draw),
      tally,
      map.svg,
      legend,
      section("What the map shows", false, view.row(shading), axis(view, "Across", 0), axis(view, "Up", 1)),
      section(
        "Posture and direction in numbers",
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
        angle(view, "turn", 180, turnOf, (turn) => toDirection(turn, tiltOf(talk.request.direction))),
      ),
      section("What each bearing carries", false, table),
    ],
    short,
    { beside: true },
  );
  return { chart, draw, least, map, most, rank, table, tally, report };
}

function axis(view, name, k) {
  const { movable, names, talk } = view;
  return view.row(
    pickerRow(
      name,
      movable.map((i) => [i, names[i]]),
      () => talk.request.axes[k],
      (value) => {
        const axes = [...talk.request.axes];
        if (axes[1 - k] === Number(value)) axes[1 - k] = axes[k]; // exchanged
        axes[k] = Number(value);
        view.ask({ axes });
      },
    ),
  );
}

function angle(view, name, range, from, to) {
  return view.row(
    numberRow(
      name,
      { of: "direction", min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
      () => from(view.talk.request.direction),
      (value) => view.aim(to(value)),
    ),
  );
}
