// The controls of ImpactExplorer.

import { tiltOf, toDirection, turnOf } from "./blow.js";
import { atShare, shareAlong, shareOf } from "./blow_answer.js";
import { button, group, html, numberRow, pickerRow, pointRow, section } from "./elements.js";
import { PostureMap } from "./map.js";
import { layout } from "./talk.js";
import { jointRow, pathOf } from "./tree.js";

const QUANTITIES = { impulse: "impulse [N s]", mass: "effective mass [kg]" };

// Put the controls beside the picture.
export function addControls(view) {
  const { chains, el, labels, stage, talk } = view;
  const map = new PostureMap(
    () => talk.request.axes.map((axis) => shareOf(view.tree(), talk.request, axis)),
    (place) => view.setPlace(place),
  );
  const about = html("p");
  const least = html("span", {}, "0");
  const most = html("span");
  const legend = html("div", { class: "line" }, least, html("span", { class: "shade" }), most);
  const line = html("p", { class: "key" });
  const panels = chains.map((tree, index) => panelOf(view, tree, index));
  const panel = html("div", {}, ...panels);
  const chooser = view.row(
    pickerRow(
      "Chain",
      labels.map((label, i) => [i, label]),
      () => talk.request.chain,
      (value) => view.choose(Number(value)),
    ),
  );
  const numbers = html("div");
  const playButton = button("play the blow", () => view.play());
  const standButton = button("stand at the blow", () => {
    view.stand();
    talk.update();
  });
  const otherButton = button("other postures", () => view.compare());
  const colours = html("div");
  const words = html("p", { class: "result" });
  const short = html("div", {}, group("Film", playButton, standButton, otherButton), colours, words);
  const report = layout(
    el,
    stage,
    [about, map.svg, legend, line, chooser, panel, section("Joint by joint", false, numbers)],
    short,
    { beside: true },
  );
  el.querySelector(".chaindyn").prepend(
    html(
      "p",
      { class: "opening" },
      "A moving chain strikes a fixed, smooth wall. Drag the dot on the chain to where it strikes, the dot " +
        "behind the wall to turn it, a link to bend the chain; or click another posture in the map.",
    ),
  );
  return {
    about,
    line,
    map,
    most,
    numbers,
    colours,
    otherButton,
    panel,
    panels,
    playButton,
    standButton,
    report,
    words,
  };
}

// The controls of one of the chains; only those of the present one are on the page.
function panelOf(view, tree, index) {
  const { talk } = view;
  const movable = tree.names.map((_, i) => i).filter((i) => tree.column[i] !== null);
  const state = () => (talk.request.chain === index ? talk.request : tree.start);
  const own = (row) => ({ row: row.row, refresh: () => talk.request.chain === index && row.refresh() });
  const speed = (i) => {
    const largest = Math.max(3, 2 * Math.abs(tree.start.qd[tree.column[i]]));
    const unit = tree.kind[i] === "Revolute" ? "rad/s" : "m/s";
    const set = (value) => view.ask({ qd: talk.request.qd.map((old, k) => (k === tree.column[i] ? value : old)) });
    return view.row(
      own(
        numberRow(
          tree.names[i],
          { of: "speed of", min: -largest, max: largest, step: 0.05, unit },
          () => state().qd[tree.column[i]],
          set,
        ),
      ),
    );
  };
  const along = numberRow(
    "along link",
    { of: "blow", min: 0, max: 1, step: 0.01 },
    () => shareAlong(tree, state()),
    (share) => view.ask({ point: atShare(tree, talk.request, "along", share).point }),
  );
  const point = pointRow(
    "point",
    "blow",
    () => state().point,
    (point) => view.ask({ point }),
  );
  const angle = (name, range, from, to) =>
    view.row(
      own(
        numberRow(
          name,
          { of: "blow", min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
          () => from(state().normal),
          (value) => view.aim(to(value)),
        ),
      ),
    );
  const pick = (...of) => view.row(own(pickerRow(...of)));
  const coordinates = [...movable.map((i) => [i, tree.names[i]]), ["along", "along the struck link"]];
  const axis = (name, k) =>
    pick(
      name,
      coordinates,
      () => state().axes[k],
      (value) => {
        const chosen = value === "along" ? value : Number(value);
        const axes = [...talk.request.axes];
        if (axes[1 - k] === chosen) axes[1 - k] = axes[k]; // exchanged
        axes[k] = chosen;
        view.ask({ axes });
      },
    );
  const feels = [
    ...movable.map((i) => [`jump ${i}`, `joint ${tree.names[i]} keeps its speed`]),
    ...tree.names.map((name, i) => [`reaction ${i}`, `bearing ${name} feels nothing along the blow`]),
  ];
  return html(
    "div",
    {},
    section(
      "Map",
      false,
      pick(
        "Shading",
        Object.entries(QUANTITIES),
        () => talk.request.quantity,
        (quantity) => view.ask({ quantity }),
      ),
      pick(
        "Line where",
        feels,
        () => state().feel.join(" "),
        (value) => view.ask({ feel: [value.split(" ")[0], Number(value.split(" ")[1])] }),
      ),
      axis("Across", 0),
      axis("Up", 1),
    ),
    section(
      "Blow",
      false,
      view.row(
        own(
          numberRow(
            "restitution",
            { of: "", min: 0, max: 1, step: 0.01 },
            () => talk.request.restitution,
            (value) => view.ask({ restitution: Math.max(0, Math.min(1, value)) }),
          ),
        ),
      ),
      pick(
        "Struck link",
        tree.names.map((name, i) => [i, name]).filter(([i]) => pathOf(tree, i).some((k) => tree.column[k] !== null)),
        () => state().body,
        (value) => view.ask({ body: Number(value), point: tree.end[Number(value)] }),
      ),
      view.row(own(along)),
      view.row(own(point)),
      angle("turn", 180, turnOf, (turn) => toDirection(turn, tiltOf(talk.request.normal))),
      angle("tilt", 90, tiltOf, (tilt) => toDirection(turnOf(talk.request.normal), tilt)),
    ),
    section(
      "Posture, and joint speeds before the blow",
      false,
      ...movable.map((i) =>
        view.row(
          own(
            jointRow(
              tree,
              i,
              () => state().q[tree.column[i]],
              (value) => view.setJoint(i, value),
            ),
          ),
        ),
      ),
      ...movable.map(speed),
    ),
  );
}
