// The view of MassMatrixExplorer. The request is {q}; the scene is the tree, the links' masses and inertias about their
// centres, and the entry to begin with.

import { massMatrix } from "./crba.js";
import { firstFew, html } from "./elements.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, pathOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, cross, scale, shown, subtract } from "./vectors.js";

// --- Without Python: crba of the book, emitted ------------------------
const fromComposites = (tree, { q }) => ({ ...poses(tree, q), M: massMatrix(tree, q) });

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, kind, column, reach, mass, com } = tree;
  const talk = new Talk(model, {
    embedded: (request) => fromComposites(tree, request),
    data: "the chain\u2019s embedded inertias, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const camera = cameraOn(tree, poses(tree, talk.request.q));
  const stage = new LitStage("The chain", camera, talk.update, sceneAround(tree, talk.request));
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null); // the link of each row and column
  let chosen = tree.entry;
  let pointed = null; // while the mouse is over the matrix
  const numbered = { ...tree, names: names.map((name, i) => (column[i] === null ? name : `${column[i] + 1} ${name}`)) };

  const setJoint = (i, value) => talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  const rows = movable.map((i) =>
    jointRow(
      numbered,
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

  // The bodies that hang on both joints.
  const carriedBy = ([row, col]) =>
    names.map((_, k) => k).filter((k) => [row, col].every((joint) => pathOf(tree, k).includes(movable[joint])));

  // The matrix, as a grid: one entry has the place in the tab order, arrow keys move on.
  const choose = (entry) => {
    chosen = entry;
    talk.update();
  };
  function step(event, [row, col]) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (!steps[event.key]) return;
    event.preventDefault();
    const [i, j] = add([row, col], steps[event.key]).map((x) => Math.max(0, Math.min(movable.length - 1, x)));
    cells[i][j].focus();
  }
  const cells = movable.map((_, i) =>
    movable.map((_, j) => {
      const point = (where) => (event) => {
        if (event.pointerType === "touch") return;
        pointed = where;
        talk.update();
      };
      const events = {
        onclick: () => cells[i][j].focus(),
        onfocus: () => choose([i, j]),
        onkeydown: (event) => step(event, [i, j]),
        onpointerenter: point([i, j]),
        onpointerleave: point(null),
      };
      return html("td", { role: "gridcell", tabindex: -1, ...events }, html("span"));
    }),
  );
  const head = (k, scope, role) =>
    html("th", { scope, role, title: names[movable[k]], "aria-label": `joint ${names[movable[k]]}` }, String(k + 1));
  const grid = html(
    "table",
    { class: "matrix", role: "grid", "aria-label": "Mass matrix" },
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        html("td", { class: "none", style: "outline: none; cursor: auto" }, "M"),
        ...movable.map((_, k) => head(k, "col", "columnheader")),
      ),
    ),
    html("tbody", {}, ...cells.map((row, k) => html("tr", {}, head(k, "row", "rowheader"), ...row))),
  );
  const legend = html(
    "p",
    { class: "legend" },
    "Point at an entry, or move by arrow keys. The stronger the colour, the larger; orange is negative. " +
      "Dashed: zero, whatever the posture.",
  );
  const numbers = html("div");
  const tell = layout(
    el,
    stage,
    [
      grid,
      legend,
      ...firstFew(
        "Other joints",
        rows.map(({ row }) => row),
      ),
    ],
    numbers,
  );

  function show() {
    const result = talk.result();
    const { M } = result.values;
    const entry = pointed ?? chosen;
    stage.draw(() => paint(result.values, entry));
    rows.forEach(({ refresh }) => refresh());
    const largest = Math.max(...M.flat().map(Math.abs)) || 1;
    M.forEach((row, i) => row.forEach((x, j) => showCell(cells[i][j], x, [i, j], entry, largest)));
    const words = explained(result.values, entry);
    numbers.replaceChildren(...words.map((text, k) => html("p", k ? {} : { class: "work" }, text)));
    if (talk.live) result.error ||= doubted(result.values, entry, largest);
    tell(result, words.join(" "));
  }

  function showCell(cell, x, [i, j], [row, col], largest) {
    const none = carriedBy([i, j]).length === 0;
    cell.firstChild.textContent = none && x === 0 ? "0" : shown(x);
    cell.className = none ? "none" : x < 0 ? "force" : "motion";
    cell.style.setProperty("--share", Math.sqrt(Math.abs(x ?? 0) / largest));
    cell.setAttribute("aria-selected", i === row && j === col);
    cell.tabIndex = i === chosen[0] && j === chosen[1] ? 0 : -1;
  }

  const centreOf = ({ R, p }, bodies) =>
    scale(1 / weightOf(bodies), bodies.map((k) => scale(mass[k], add(p[k], apply(R[k], com[k])))).reduce(add));
  const weightOf = (bodies) => bodies.reduce((sum, k) => sum + mass[k], 0);

  function explained(values, [row, col]) {
    const [felt, moving] = [row, col].map((k) => movable[k]);
    const bodies = carriedBy([row, col]);
    const units = ["kg", "kg m", "kg m\u00b2"];
    const turns = [felt, moving].filter((i) => kind[i] === "Revolute").length;
    const effort = kind[felt] === "Revolute" ? "torque [N m]" : "force [N]";
    const rate = kind[moving] === "Revolute" ? "1 rad/s\u00b2" : "1 m/s\u00b2";
    const value = `M(${row + 1}, ${col + 1}) = ${shown(values.M[row][col], 3)} ${units[turns]}`;
    const meaning =
      `the ${effort} at joint ${names[felt]} when joint ${names[moving]} alone accelerates by ${rate}, from ` +
      "rest and without weight.";
    if (bodies.length === 0)
      return [`${value}: ${meaning}`, `No body hangs on both joints: this entry is zero in every posture.`];
    const whose = bodies.map((k) => names[k]).join(", ");
    const where =
      weightOf(bodies) > 0
        ? ` Together ${shown(weightOf(bodies))} kg, centred at (${centreOf(values, bodies)
            .map((x) => shown(x))
            .join(", ")}) m: the dot, and the arrow is how it sets off.`
        : "";
    const one = bodies.length === 1;
    return [
      `${value}: ${meaning}`,
      `${one ? "One body hangs" : `${bodies.length} bodies hang`} on ` +
        `${row === col ? "this joint" : "both joints"} and ${one ? "makes" : "make"} this entry (thick): ` +
        `${whose}.${where}`,
    ];
  }

  // What a reader's crba may have wrong, by the page's own sum.
  function doubted({ M }, [row, col], largest) {
    const ours = massMatrix(tree, talk.request.q)[row][col];
    if (M[row][col] !== null && Math.abs(M[row][col] - ours) < 1e-6 * largest) return "";
    return `By the book\u2019s own crba, this entry is ${shown(ours, 3)}.`;
  }

  function paint({ R, p }, entry) {
    const bodies = carriedBy(entry);
    paintLinks(stage, tree, ends, { R, p }, -1);
    for (const k of bodies)
      for (const end of ends[k]) stage.line([p[k], add(p[k], apply(R[k], end))], "force", { width: 9 });
    const [felt, moving] = entry.map((k) => movable[k]);
    for (const i of movable) {
      const held = i === felt || i === moving;
      stage.line([p[i], p[i]], held ? "motion" : "faint", { width: held ? 15 : 10, seen: held || !stage.lit });
      stage.text(p[i], String(column[i] + 1), [-18, -10]);
      if (!held) continue;
      const half = scale(0.22 * reach, apply(R[i], tree.axis[i]));
      stage.line([subtract(p[i], half), add(p[i], half)], "motion", { width: 3, dash: i === felt ? "none" : "7 6" });
    }
    if (weightOf(bodies) === 0) return;
    const centre = centreOf({ R, p }, bodies);
    stage.line([centre, centre], "ink", { width: 16 });
    stage.text(centre, `${shown(weightOf(bodies))} kg`, [12, 18]);
    const axis = apply(R[moving], tree.axis[moving]);
    const start =
      kind[moving] === "Revolute" ? scale(0.4, cross(axis, subtract(centre, p[moving]))) : scale(0.25 * reach, axis);
    stage.arrow(centre, start, "ink", { width: 2.5 });
  }

  show();
  talk.ask();
  return () => {
    stage.close();
    talk.close();
  };
}

export default { render };
