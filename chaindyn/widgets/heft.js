// The view of HeftExplorer. The request is {q, body}; the scene is the tree, the links' masses, inertias about the
// centres of mass, and a first view.

import { firstFew, html, numberTable, pickerRow, section } from "./elements.js";
import { MASSES_FELT } from "./emitted/masses_felt.js";
import { compute } from "./physics.js";
import { singular, withoutInertia } from "./singular.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, dot, scale, shown } from "./vectors.js";

// --- Without Python: articulated inertias as the book's own lines have them, emitted -------------------------------

// The mass felt in every direction; NaN, and the link at fault, where M is singular.
function fromInertias(tree, { q, body }) {
  const at = poses(tree, q);
  const [felt, kept, sure] = compute(MASSES_FELT, tree, [q]);
  const singularAt = withoutInertia(tree, q, kept, sure);
  if (singularAt !== undefined)
    return { values: { ...at, felt: at.R[body].map((row) => row.map(() => NaN)) }, singularAt };
  return { values: { ...at, felt: felt[body] } };
}

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, column, reach } = tree;
  const mass = tree.mass.reduce((sum, x) => sum + x, 0);
  const embedded = (request) => fromInertias(tree, request).values;
  const talk = new Talk(model, {
    embedded,
    data: "the chain\u2019s embedded inertias, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const camera = cameraOn(tree, poses(tree, talk.request.q));
  camera.look(tree.view);
  const stage = new LitStage("The chain", camera, talk.update, sceneAround(tree, talk.request));
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null);
  const setJoint = (i, value) => talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  const heldAt = pickerRow(
    "Held at",
    names.map((name, i) => [i, name]),
    () => talk.request.body,
    (value) => talk.ask({ body: Number(value) }),
  );
  const rows = movable.map((i) =>
    jointRow(
      tree,
      i,
      () => talk.request.q[column[i]],
      (value) => setJoint(i, value),
    ),
  );
  const ends = endsOf(tree);
  stage.onGrab = (link, where, moved) => {
    const [i, change] = pulled(tree, camera, talk.result().values, link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[column[i]] + change);
  };
  const numbers = html("div");
  const words = html("p", { class: "work" });
  const tell = layout(
    el,
    stage,
    [
      heldAt.row,
      ...firstFew(
        "Other joints",
        rows.map(({ row }) => row),
      ),
      section("All numbers", false, numbers),
    ],
    words,
  );

  // The mass felt along directions in the plane of the picture, and its least and greatest.
  function slice(felt) {
    const { right, up } = camera.axes();
    const along = (e) => dot(e, apply(felt, e));
    const curve = Array.from({ length: 181 }, (_, k) => {
      const e = add(scale(Math.cos((k * Math.PI) / 90), right), scale(Math.sin((k * Math.PI) / 90), up));
      return scale(along(e), e);
    });
    const middle = (along(right) + along(up)) / 2;
    const half = Math.hypot((along(right) - along(up)) / 2, dot(right, apply(felt, up)));
    return { curve, least: middle - half, greatest: middle + half };
  }

  function show() {
    const result = talk.result();
    const { p, felt } = result.values;
    if (!talk.live) {
      const { singularAt } = fromInertias(tree, talk.request);
      if (singularAt !== undefined) result.error = `${singular(names[singularAt])}.`;
    }
    const { body } = talk.request;
    const { curve, least, greatest } = slice(felt);
    stage.draw(() => {
      paintLinks(stage, tree, ends, result.values, body);
      for (const i of movable)
        stage.line([p[i], p[i]], i === body ? "force" : "motion", { width: i === body ? 14 : 10 });
      const metres = (0.5 * reach) / mass; // a kilogram of the curve
      if (felt.flat().every(Number.isFinite))
        stage.line(
          curve.map((x) => add(p[body], scale(metres, x))),
          "force",
          { width: 2.5 },
        );
    });
    [heldAt, ...rows].forEach(({ refresh }) => refresh());
    const diagonal = felt.map((row, i) => row[i]);
    numbers.replaceChildren(
      numberTable(
        `Mass felt at the joint of ${names[body]} along the world\u2019s axes; all links together weigh ` +
          `${shown(mass)} kg`,
        ["x", "y", "z"],
        [["[kg]", ...diagonal]],
      ),
      numberTable("In the plane of the picture", ["least", "greatest"], [["[kg]", least, greatest]]),
    );
    words.textContent =
      `Held at ${names[body]}, the chain feels like ${shown(least)} to ${shown(greatest)} kg along directions ` +
      `in the plane of the picture (curve), of ${shown(mass)} kg in all.`;
    tell(result, words.textContent);
  }

  show();
  talk.ask();
  return () => {
    stage.close();
    talk.close();
  };
}

export default { render };
