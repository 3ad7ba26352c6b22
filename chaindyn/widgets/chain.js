// The view of ChainExplorer. The request is {q, body, frame}; the scene is the tree: parents, where each joint sits in
// its parent, its kind and axis, and which entry of q is its own (null for a fixed joint).

import { firstFew, html, numberTable, pickerRow, section } from "./elements.js";
import { SCREWS } from "./emitted/screws.js";
import { compute } from "./physics.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, pathOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, cross, dot, norm, scale, shown, subtract, transpose } from "./vectors.js";

// --- Without Python: the Jacobian of the posed tree -----------------------------------------------------------------

// The Jacobian (6 rows) of a body about a point, in the axes that are the columns of `axes`: the screws of the joints
// that carry it.
function jacobian(tree, q, body, about, axes) {
  const [all] = compute(SCREWS, tree, [q, axes, about]);
  const carriers = pathOf(tree, body).map((i) => tree.column[i]);
  const columns = all.map((screw, k) => (carriers.includes(k) ? screw : screw.map(() => 0)));
  return columns.length ? transpose(columns) : [[], [], [], [], [], []];
}

function fromTree(tree, { q, body, frame }) {
  const at = poses(tree, q);
  const world = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const J_world = jacobian(tree, q, body, [0, 0, 0], world);
  const J = frame === "world" ? J_world : jacobian(tree, q, body, at.p[body], frame === "body" ? at.R[body] : world);
  return { ...at, J, J_world };
}

// The velocity of a point that moves with a twist about the origin.
const velocityAt = (point, twist) => add(twist.slice(3), cross(twist.slice(0, 3), point));

const FRAMES = {
  world: "about the world origin, in world axes",
  body: "about the link\u2019s origin, in link axes",
  mixed: "about the link\u2019s origin, in world axes",
};

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, kind, column, reach } = tree;
  const embedded = (request) => fromTree(tree, request);
  const talk = new Talk(model, {
    embedded,
    data: "the chain\u2019s embedded parameters, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const camera = cameraOn(tree, poses(tree, talk.request.q));
  const stage = new LitStage("The chain", camera, talk.update, sceneAround(tree, talk.request));
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null);
  // The link whose joint's column is shown: at first the one that moves the body's origin fastest.
  let chosen = quickest(talk.request.body) ?? movable[0];
  function quickest(body) {
    const { p, J_world } = embedded(talk.request);
    const speed = (i) =>
      norm(
        velocityAt(
          p[body],
          J_world.map((row) => row[column[i]]),
        ),
      );
    const carriers = pathOf(tree, body).filter((i) => column[i] !== null);
    return carriers.reduce((best, i) => (best === undefined || speed(i) > 1.001 * speed(best) ? i : best), undefined);
  }
  const refreshers = [];

  function setJoint(i, value) {
    chosen = i;
    talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }
  function choose(i) {
    chosen = i;
    talk.update();
  }
  const sliders = movable.map((i) => {
    const { row, refresh } = jointRow(
      tree,
      i,
      () => talk.request.q[column[i]],
      (value) => setJoint(i, value),
    );
    row.addEventListener("focusin", () => choose(i));
    refreshers.push(refresh);
    return row;
  });

  const ends = endsOf(tree);
  stage.onGrab = (link, where, moved) => {
    const [i, change] = pulled(tree, camera, talk.result().values, link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[column[i]] + change);
  };

  function picker(...of) {
    const { row, refresh } = pickerRow(...of);
    refreshers.push(refresh);
    return row;
  }
  const numbers = html("div");
  const words = html("p", { class: "work" });
  const controls = [
    ...firstFew("Other joints", sliders),
    section(
      "Body, joint and frame",
      false,
      picker(
        "Body",
        names.map((name, i) => [i, name]),
        () => talk.request.body,
        (value) => talk.ask({ body: Number(value) }),
      ),
      picker(
        "Joint",
        movable.map((i) => [i, names[i]]),
        () => chosen,
        (value) => choose(Number(value)),
      ),
      picker(
        "Frame",
        Object.entries(FRAMES).map(([key]) => [key, key]),
        () => talk.request.frame,
        (frame) => talk.ask({ frame }),
      ),
    ),
    section("Its column of J", false, numbers),
  ];
  const tell = layout(el, stage, controls, words);

  function show() {
    const result = talk.result();
    const { body, frame } = talk.request;
    stage.draw(() => paint(result.values, body));
    refreshers.forEach((refresh) => refresh());
    if (chosen === undefined) return tell(result, "No joint of this chain can move.");
    const J = result.values.J.map((row) => row[column[chosen]]);
    const rate = kind[chosen] === "Revolute" ? "1 rad/s" : "1 m/s";
    const caption =
      `Twist of ${names[body]} when only joint ${names[chosen]} moves, at ${rate}: column ${column[chosen] + 1} ` +
      `of J, ${FRAMES[frame]}`;
    const units = ["angular \u03c9 [rad/s]", "linear v [m/s]"];
    numbers.replaceChildren(
      numberTable(
        caption,
        ["x", "y", "z"],
        units.map((unit, k) => [unit, ...J.slice(3 * k, 3 * k + 3)]),
      ),
    );
    const speed = norm(
      velocityAt(
        result.values.p[body],
        result.values.J_world.map((row) => row[column[chosen]]),
      ),
    );
    words.textContent =
      `When joint ${names[chosen]} alone moves, at ${rate}, the origin of ${names[body]} moves at ` +
      `${shown(speed)} m/s (arrow).`;
    tell(
      result,
      `${names[chosen]} ${shown(talk.request.q[column[chosen]])}. Column of J: ${J.map((x) => shown(x)).join(", ")}.`,
    );
  }

  function paint({ R, p, J_world }, body) {
    paintLinks(stage, tree, ends, { R, p }, body);
    for (const i of movable)
      paintJoint(
        i,
        p[i],
        J_world.map((row) => row[column[i]]),
      );
    stage.axes(p[body], R[body], names[body], 0.12 * reach);
    if (chosen === undefined) return;
    const twist = J_world.map((row) => row[column[chosen]]);
    if (!twist.includes(null)) stage.arrow(p[body], scale(0.25, velocityAt(p[body], twist)), "force", { width: 3 });
  }

  // A joint's axis, where its column of the Jacobian says that it is: a line along w through w x v / w.w, or along v.
  function paintJoint(i, near, screw) {
    const colour = kind[i] === "Revolute" ? "motion" : "slide";
    stage.line([near, near], colour, { width: i === chosen ? 16 : 11, seen: i === chosen || !stage.lit });
    const [w, v] = [screw.slice(0, 3), screw.slice(3)];
    if (screw.includes(null) || norm(screw) === 0) return;
    const turning = norm(w) > 1e-9 * norm(screw);
    const along = turning ? scale(1 / norm(w), w) : scale(1 / norm(v), v);
    const foot = turning ? scale(1 / dot(w, w), cross(w, v)) : near;
    const centre = add(foot, scale(dot(along, subtract(near, foot)), along));
    const half = scale((i === chosen ? 0.3 : 0.15) * reach, along);
    stage.line([subtract(centre, half), add(centre, half)], colour, {
      width: i === chosen ? 3 : 1.5,
      dash: turning ? "none" : "7 5",
    });
  }

  show();
  talk.ask();
  return () => {
    stage.close();
    talk.close();
  };
}

export default { render };
