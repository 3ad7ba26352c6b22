// The view of AtlasExplorer. The request is {q, direction, axes, quantity, map, sample}: a posture, the direction in
// which the chain strikes, the two joints of the map, what it shows (["mass" | "force" | "moment", joint]), the name
// under which a new map is wanted, or null, and from which index on blows are to be drawn at random, or null.

import { MassChart } from "./atlas_chart.js";
import { blowOf, fromBlows, heaviestWay, shareBelow } from "./atlas_model.js";
import { paintWall, tiltOf, toDirection, turnOf } from "./blow.js";
import { button, group, html, numberRow, numberTable, pickerRow, section } from "./elements.js";
import { atJointShare, coordinateOf, jointShare, PostureMap } from "./map.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, dot, norm, scale, shown, subtract } from "./vectors.js";

const ENOUGH = 100000; // blows that a reader may draw
const BEHIND = 0.3; // how far behind the struck point the handle of the direction is, in reaches of the chain
const heavy = (mass) => `${shown(mass, mass < 100 ? 2 : 0)} kg`;

function percent(share) {
  if (share < 1e-5 || share > 1 - 1e-5) return share < 0.5 ? "less than 0.001 %" : "more than 99.999 %";
  return `${shown(100 * share, share > 0.999 || share < 0.001 ? 3 : 1)} %`;
}

const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, column, reach, atlas } = tree;
  const embedded = (request) =>
    fromBlows(tree, { ...request, map: request.map === held.key ? null : request.map }).values;
  const talk = new Talk(model, {
    embedded,
    data: "the chain\u2019s masses, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const camera = cameraOn(tree, poses(tree, talk.request.q));
  camera.look(tree.view);
  const stage = new LitStage("The chain and the wall", camera, talk.update, sceneAround(tree, talk.request));
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null);
  const ends = endsOf(tree);
  let held = { key: null }; // the map that is shown
  let drawn = []; // masses of random blows
  let drawing = false;
  let next = 0; // which random blow the reader looks at next
  let resting;
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  // The blow is asked for at once, a new map when the hand rests.
  const keyOf = ({ q, direction, axes, quantity }) =>
    JSON.stringify([
      q.map((x, k) => (axes.some((axis) => column[axis] === k) ? 0 : x)),
      direction,
      axes,
      quantity,
      globalThis.chaindynPhysics?.version,
    ]);
  function ask(change) {
    talk.ask({ map: null, sample: drawing ? drawn.length : null, ...change });
    clearTimeout(resting);
    resting = setTimeout(() => keyOf(talk.request) !== held.key && talk.ask({ map: keyOf(talk.request) }), 80);
  }
  talk.again = () => {
    drawn = [];
    held = { key: null };
    ask({});
  };
  const setJoint = (i, value) => ask({ q: withJoint(tree, talk.request.q, i, value) });
  const aim = (direction) => norm(direction) > 1e-6 && ask({ direction: scale(1 / norm(direction), direction) });
  const struck = () => {
    const { R, p } = poses(tree, talk.request.q);
    return add(p[tree.body], apply(R[tree.body], tree.point));
  };
  stage.handle(
    "Direction of the blow",
    "force",
    () => subtract(struck(), scale(BEHIND * reach, talk.request.direction)),
    (tail) => aim(subtract(struck(), tail)),
  );
  stage.onGrab = (link, where, moved) => {
    const [i, change] = pulled(tree, camera, talk.result().values, link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[column[i]] + change);
  };

  const map = new PostureMap(
    () => talk.request.axes.map((i) => jointShare(tree, talk.request.q, i)),
    (shares) => ask({ q: talk.request.axes.reduce((q, i, k) => atJointShare(tree, q, i, shares[k]), talk.request.q) }),
  );
  const [least, most] = [html("span"), html("span")];
  const legend = html("div", { class: "line" }, least, html("span", { class: "shade" }), most);
  const chart = new MassChart(tree.range, atlas);
  const tally = html("p", { class: "aside" });
  const rank = html("p", { class: "result" });
  const draw = button("Draw blows", () => {
    drawing = !drawing;
    ask({});
  });
  const one = button("Look at one", () => ask(blowOf(tree, next++)));
  const heaviest = button("Heaviest direction here", () => {
    const way = heaviestWay(tree, talk.request.q);
    aim(dot(way, talk.request.direction) < 0 ? scale(-1, way) : way);
  });
  const cases = tree.cases.map(({ name, q, direction }) => button(name, () => ask({ q, direction })));

  const quantities = [
    ["mass 0", "effective mass"],
    ...movable.flatMap((i) => [
      [`force ${i}`, `impulse of the bearing of ${names[i]}`],
      [`moment ${i}`, `moment on the bearing of ${names[i]}`],
    ]),
  ];
  const axis = (name, k) =>
    row(
      pickerRow(
        name,
        movable.map((i) => [i, names[i]]),
        () => talk.request.axes[k],
        (value) => {
          const axes = [...talk.request.axes];
          if (axes[1 - k] === Number(value)) axes[1 - k] = axes[k]; // exchanged
          axes[k] = Number(value);
          ask({ axes });
        },
      ),
    );
  const angle = (name, range, from, to) =>
    row(
      numberRow(
        name,
        { of: "direction", min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
        () => from(talk.request.direction),
        (value) => aim(to(value)),
      ),
    );
  const table = html("div");
  const short = html("div", {}, group("Blows", ...cases, heaviest, one), rank);
  const shading = pickerRow(
    "Shading",
    quantities,
    () => talk.request.quantity.join(" "),
    (value) => ask({ quantity: [value.split(" ")[0], Number(value.split(" ")[1])] }),
  );
  const tell = layout(
    el,
    stage,
    [
      angle("tilt", 90, tiltOf, (tilt) => toDirection(turnOf(talk.request.direction), tilt)),
      chart.svg,
      group("A sample of your own", draw),
      tally,
      map.svg,
      legend,
      section("What the map shows", false, row(shading), axis("Across", 0), axis("Up", 1)),
      section(
        "Posture and direction in numbers",
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
        angle("turn", 180, turnOf, (turn) => toDirection(turn, tiltOf(talk.request.direction))),
      ),
      section("What each bearing carries", false, table),
    ],
    short,
  );

  function show() {
    const result = talk.result();
    const { values } = result;
    const { request } = talk;
    if (values.map) held = values.map;
    if (values.sample?.start === drawn.length && drawing)
      drawn = drawn.concat(values.sample.mass.filter((m) => m !== null));
    if (!talk.live) result.error = fromBlows(tree, { ...request, map: null, sample: null }).fault;
    stage.draw(() => paint(values, request));
    refreshers.forEach((refresh) => refresh());
    showMap(request);
    const words = judge(values);
    rank.textContent = words;
    chart.mark(values.mass);
    showDrawn(result.error);
    const { force, moment, mass } = values;
    table.replaceChildren(
      numberTable(
        "At 1 m/s: what each bearing carries of the blow, in newton seconds, its moment, and its share of the impulse",
        ["impulse [N s]", "moment [N m s]", "share [%]"],
        names.map((name, i) => [name, force[i], moment[i], mass ? (100 * force[i]) / mass : 0]),
      ),
    );
    tell(result, words);
  }

  // More blows are drawn with each picture, while the reader wants them and looks.
  function showDrawn(failed) {
    if (failed || drawn.length >= ENOUGH || !el.isConnected) drawing = false;
    if (drawing && talk.request.sample !== drawn.length)
      setTimeout(() => drawing && talk.ask({ sample: drawn.length }));
    draw.textContent = drawing ? "Pause" : drawn.length ? "Draw more" : "Draw blows";
    if (drawn.length === showDrawn.before) return;
    showDrawn.before = drawn.length;
    if (!drawn.length) {
      tally.textContent = "None drawn yet.";
      chart.dots.replaceChildren();
      return;
    }
    chart.drawOwn(drawn);
    const sorted = Float64Array.from(drawn).sort();
    const at = (share) => shown(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))], 2);
    tally.textContent =
      `${grouped(drawn.length)} blows of your own: half of them are lighter than ${at(0.5)} kg, one in a ` +
      `hundred is heavier than ${at(0.99)} kg.`;
  }

  function judge({ mass }) {
    if (mass === null) return "No joint can move the struck point this way: it weighs infinitely much.";
    const beside = atlas
      ? `${percent(shareBelow(atlas, mass))} of the blows in the atlas are lighter`
      : `the whole chain weighs ${heavy(tree.total)}`;
    return `Here it weighs ${heavy(mass)}; ${beside}.`;
  }

  // Shades go with the logarithm, from a tenth of the median to ten times as much.
  function showMap(request) {
    map.name(...request.axes.map((i) => coordinateOf(tree, i)));
    map.place();
    map.cells.classList.toggle("late", held.key !== keyOf(request));
    if (!held.cells || held === map.drawn) return;
    map.drawn = held;
    const sorted = held.cells
      .flat()
      .filter((x) => x !== null && x > 0)
      .sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)] ?? 1;
    const [low, high] = [
      sorted[Math.floor(0.02 * sorted.length)] ?? middle / 10,
      Math.min(10 * middle, sorted.at(-1) ?? 10),
    ];
    map.shade(
      held.cells.map((cells) =>
        cells.map((x) =>
          x === null ? 1 : Math.max(0, Math.log(Math.max(x, low) / low) / Math.log(Math.max(high, 1.01 * low) / low)),
        ),
      ),
      1,
    );
    const unit = { mass: "kg", force: "N s", moment: "N m s" }[request.quantity[0]];
    least.textContent = `${shown(low)} and less`;
    most.textContent = `${shown(high)} ${unit} and more`;
  }

  function paint({ R, p, mass, force }, { direction }) {
    const point = add(p[tree.body], apply(R[tree.body], tree.point));
    const greatest = Math.max(1e-9, ...force);
    paintWall(stage, point, scale(-1, direction), reach);
    paintLinks(stage, tree, ends, { R, p }, tree.body, { axes: false, glow: force.map((f) => f / greatest) });
    movable.forEach((i) =>
      stage.line([p[i], p[i]], "force", {
        width: 6 + (8 * force[i]) / greatest,
        opacity: 0.25 + (0.75 * force[i]) / greatest,
        seen: !stage.lit,
      }),
    );
    stage.arrow(subtract(point, scale(BEHIND * reach, direction)), scale(BEHIND * reach, direction), "force", {
      width: 4,
    });
    stage.text(point, mass === null ? "\u221e" : heavy(mass));
  }

  show();
  ask({});
  return () => {
    clearTimeout(resting);
    drawing = false;
    stage.close();
    talk.close();
  };
}

export default { render };
