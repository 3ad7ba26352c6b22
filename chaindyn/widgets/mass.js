// The view of MassMatrixExplorer. The request is {q}; the scene is the tree, the links' masses and inertias about their
// centres, and the entry to begin with.

import { massMatrix } from "./crba.js";
import { firstFew, html } from "./elements.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, pathOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, cross, scale, shown, subtract } from "./vectors.js";
import { rendering, View } from "./view.js";

const fromComposites = (tree, { q }) => ({ ...poses(tree, q), M: massMatrix(tree, q) });

const UNITS = ["kg", "kg m", "kg m\u00b2"]; // by how many of the two joints turn

class MassView extends View {
  constructor(given) {
    super(given);
    this.tree = this.scene;
    this.names = this.tree.names;
    this.kind = this.tree.kind;
    this.column = this.tree.column;
    this.reach = this.tree.reach;
    this.mass = this.tree.mass;
    this.com = this.tree.com;
    this.talk = new Talk(this.model, {
      embedded: (request) => fromComposites(this.tree, request),
      data: "the chain\u2019s embedded inertias, by the book\u2019s own lines, put into JavaScript",
      show: () => this.show(),
    });
    this.camera = cameraOn(this.tree, poses(this.tree, this.talk.request.q));
    this.stage = new LitStage("The chain", this.camera, this.talk.update, sceneAround(this.tree, this.talk.request));
    // the link of each row and column
    this.movable = this.names.map((_, i) => i).filter((i) => this.column[i] !== null);
    this.chosen = this.tree.entry;
    this.pointed = null; // while the mouse is over the matrix
    this.numbered = {
      ...this.tree,
      names: this.names.map((name, i) => (this.column[i] === null ? name : `${this.column[i] + 1} ${name}`)),
    };
    this.addControls();
    this.stage.fitting = 0.84;
    this.touring = undefined; // the timer of what it points at by itself
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.tour());
  }

  // Put the controls beside the picture.
  addControls() {
    this.rows = this.movable.map((i) =>
      jointRow(
        this.numbered,
        i,
        () => this.talk.request.q[this.column[i]],
        (value) => this.setJoint(i, value),
      ),
    );
    this.ends = endsOf(this.tree);
    this.stage.onGrab = (link, where, moved) => {
      const [i, change] = pulled(this.tree, this.camera, this.talk.result().values, link, where, moved);
      if (i !== undefined) this.setJoint(i, this.talk.request.q[this.column[i]] + change);
    };
    this.cells = this.movable.map((_, i) => this.movable.map((_, j) => this.cell(i, j)));
    const legend = html(
      "p",
      { class: "legend" },
      "Point at an entry, or move by arrow keys. The stronger the colour, the larger; orange is negative. " +
        "Dashed: zero, whatever the posture.",
    );
    this.numbers = html("div");
    this.report = layout(
      this.el,
      this.stage,
      [
        this.grid(),
        legend,
        ...firstFew(
          "Other joints",
          this.rows.map(({ row }) => row),
        ),
      ],
      this.numbers,
      { beside: true },
    );
  }

  // The field of an entry of the matrix.
  cell(i, j) {
    const point = (where) => (event) => {
      if (event.pointerType === "touch") return;
      this.stay();
      this.pointed = where;
      this.talk.update();
    };
    const events = {
      onclick: () => this.cells[i][j].focus(),
      onfocus: () => this.choose([i, j]),
      onkeydown: (event) => this.step(event, [i, j]),
      onpointerenter: point([i, j]),
      onpointerleave: point(null),
    };
    return html("td", { role: "gridcell", tabindex: -1, ...events }, html("span"));
  }

  // The matrix, with heads that choose.
  grid() {
    return html(
      "table",
      { class: "matrix", role: "grid", "aria-label": "Mass matrix" },
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("td", { class: "none", style: "outline: none; cursor: auto" }, "M"),
          ...this.movable.map((_, k) => this.head(k, "col", "columnheader")),
        ),
      ),
      html("tbody", {}, ...this.cells.map((row, k) => html("tr", {}, this.head(k, "row", "rowheader"), ...row))),
    );
  }

  // Point at all entries of the first one's row, one after another.
  tour(column = 0) {
    const [row] = this.chosen;
    const ends = column === this.movable.length;
    this.pointed = ends ? null : [row, column];
    this.talk.update();
    this.touring = ends ? undefined : setTimeout(() => this.tour(column + 1), 1500);
  }

  stay() {
    clearTimeout(this.touring);
    this.touring = undefined;
  }

  close() {
    this.stay();
    super.close();
  }

  setJoint(i, value) {
    const { talk, tree } = this;
    talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  }

  // The bodies that hang on both joints.
  carriedBy([row, col]) {
    const { movable, names, tree } = this;
    return names.map((_, k) => k).filter((k) => [row, col].every((joint) => pathOf(tree, k).includes(movable[joint])));
  }

  // The matrix, as a grid: one entry has the place in the tab order, arrow keys move on.
  choose(entry) {
    const { talk } = this;
    this.stay();
    Object.assign(this, { chosen: entry, pointed: null });
    talk.update();
  }

  step(event, [row, col]) {
    const { cells, movable } = this;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (!steps[event.key]) return;
    event.preventDefault();
    const [i, j] = add([row, col], steps[event.key]).map((x) => Math.max(0, Math.min(movable.length - 1, x)));
    cells[i][j].focus();
  }

  head(k, scope, role) {
    const { movable, names } = this;
    return html(
      "th",
      { scope, role, title: names[movable[k]], "aria-label": `joint ${names[movable[k]]}` },
      String(k + 1),
    );
  }

  show() {
    const { cells, numbers, rows, stage, talk, report } = this;
    const result = talk.result();
    const { M } = result.values;
    const entry = this.pointed ?? this.chosen;
    stage.draw(() => this.paint(result.values, entry));
    rows.forEach(({ refresh }) => refresh());
    const largest = Math.max(...M.flat().map(Math.abs)) || 1;
    M.forEach((row, i) => row.forEach((x, j) => this.showCell(cells[i][j], x, [i, j], entry, largest)));
    const words = this.explained(result.values, entry);
    numbers.replaceChildren(...words.map((text, k) => html("p", k ? {} : { class: "work" }, text)));
    if (talk.live) result.error ||= this.doubted(result.values, entry, largest);
    report(result, (this.touring ? this.explained(result.values, this.chosen) : words).join(" "));
  }

  showCell(cell, x, [i, j], [row, col], largest) {
    const none = this.carriedBy([i, j]).length === 0;
    cell.firstChild.textContent = none && x === 0 ? "0" : shown(x);
    cell.className = none ? "none" : x < 0 ? "force" : "motion";
    cell.style.setProperty("--share", Math.sqrt(Math.abs(x ?? 0) / largest));
    cell.setAttribute("aria-selected", i === row && j === col);
    cell.tabIndex = i === this.chosen[0] && j === this.chosen[1] ? 0 : -1;
  }

  centreOf({ R, p }, bodies) {
    const { com, mass } = this;
    return scale(
      1 / this.weightOf(bodies),
      bodies.map((k) => scale(mass[k], add(p[k], apply(R[k], com[k])))).reduce(add),
    );
  }

  weightOf(bodies) {
    return bodies.reduce((sum, k) => sum + this.mass[k], 0);
  }

  explained(values, [row, col]) {
    const { kind, movable, names } = this;
    const [felt, moving] = [row, col].map((k) => movable[k]);
    const bodies = this.carriedBy([row, col]);
    const turns = [felt, moving].filter((i) => kind[i] === "Revolute").length;
    const effort = kind[felt] === "Revolute" ? "torque [N m]" : "force [N]";
    const rate = kind[moving] === "Revolute" ? "1 rad/s\u00b2" : "1 m/s\u00b2";
    const value = `M(${row + 1}, ${col + 1}) = ${shown(values.M[row][col], 3)} ${UNITS[turns]}`;
    const meaning =
      `the ${effort} at joint ${names[felt]} when joint ${names[moving]} alone accelerates by ${rate}, from ` +
      "rest and without weight.";
    if (bodies.length === 0)
      return [`${value}: ${meaning}`, `No body hangs on both joints: this entry is zero in every posture.`];
    const whose = bodies.map((k) => names[k]).join(", ");
    const where =
      this.weightOf(bodies) > 0
        ? ` Together ${shown(this.weightOf(bodies))} kg, centred at (${this.centreOf(values, bodies)
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
  doubted({ M }, [row, col], largest) {
    const { talk, tree } = this;
    const ours = massMatrix(tree, talk.request.q)[row][col];
    if (M[row][col] !== null && Math.abs(M[row][col] - ours) < 1e-6 * largest) return "";
    return `By the book\u2019s own crba, this entry is ${shown(ours, 3)}.`;
  }

  paint({ R, p, M }, entry) {
    const { column, ends, kind, movable, reach, stage, tree } = this;
    const bodies = this.carriedBy(entry);
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
    const turns = [felt, moving].filter((i) => kind[i] === "Revolute").length;
    if (bodies.length) stage.text(p[felt], `${shown(M[entry[0]][entry[1]])} ${UNITS[turns]}`);
    if (this.weightOf(bodies) === 0) return;
    const centre = this.centreOf({ R, p }, bodies);
    stage.line([centre, centre], "ink", { width: 16 });
    stage.text(centre, `${shown(this.weightOf(bodies))} kg`, [12, 18]);
    const axis = apply(R[moving], tree.axis[moving]);
    const start =
      kind[moving] === "Revolute" ? scale(0.4, cross(axis, subtract(centre, p[moving]))) : scale(0.25 * reach, axis);
    stage.arrow(centre, start, "ink", { width: 2.5 });
  }
}

const render = rendering(MassView);

export default { render };
