// The view of EffortExplorer. The request is {q, qd, qdd, load}; the scene is the tree, masses, inertias about the
// centres of mass, gravity, and the names of the parts.

import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { LOADS } from "./emitted/loads.js";
import { compute } from "./physics.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { cameraOn, endsOf, jointRow, paintLinks, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, cross, dot, norm, scale, shown, subtract, transpose } from "./vectors.js";

// --- Without Python: rnea and joint_wrenches of the book, emitted ----------------------------------------------------
function fromLaws(tree, { q, qd, qdd, load }) {
  const at = poses(tree, q);
  const [still, last] = [scale(0, qd), tree.names.length - 1];
  const weight = scale(load, tree.gravity);
  const external = tree.names.map((_, i) =>
    i < last ? scale(0, [...weight, ...weight]) : [...cross(apply(at.R[last], tree.tip), weight), ...weight],
  );
  const free = external.map((x) => scale(0, x));
  const steps = [
    [still, still, free],
    [qd, still, free],
    [qd, qdd, free],
    [qd, qdd, external],
  ].map((step) => compute(LOADS, tree, [q, ...step]));
  const parts = steps.map(([effort], k) => (k ? subtract(effort, steps[k - 1][0]) : effort));
  return { ...at, parts, wrench: steps[3][1] };
}

const COLOURS = { weight: "z", velocity: "y", acceleration: "x", load: "slide", all: "ink" };

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, kind, column, reach } = tree;
  const talk = new Talk(model, {
    embedded: (request) => fromLaws(tree, request),
    data: "the chain\u2019s embedded parameters, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const tipOf = ({ R, p }) => add(p.at(-1), apply(R.at(-1), tree.tip));
  const first = poses(tree, talk.request.q);
  const camera = cameraOn(tree, { p: [...first.p, tipOf(first)] });
  const stage = new LitStage("The chain", camera, talk.update, sceneAround(tree, talk.request));
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null);
  let chosen = tree.joint;
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  const turns = (i) => kind[i] === "Revolute";
  const unit = (i) => (turns(i) ? "N\u00a0m" : "N");
  const setJoint = (i, value) => {
    chosen = i;
    talk.ask({ q: withJoint(tree, talk.request.q, i, value) });
  };
  const setRate = (name, value) =>
    talk.ask({ [name]: talk.request[name].map((old, k) => (k === column[chosen] ? value : old)) });
  const ends = endsOf(tree);
  stage.onGrab = (link, where, moved) => {
    const [i, change] = pulled(tree, camera, talk.result().values, link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[column[i]] + change);
  };

  // One row of inputs for each joint's position; those of the rates are the chosen joint's.
  const positions = movable.map((i) => {
    const { row: element, refresh } = jointRow(
      tree,
      i,
      () => talk.request.q[column[i]],
      (value) => setJoint(i, value),
    );
    element.addEventListener("focusin", () => choose(i));
    refreshers.push(refresh);
    return element;
  });
  const choose = (i) => {
    chosen = i;
    talk.update();
  };
  const per = ["rad", "m"].filter((_, k) => movable.some((i) => turns(i) === (k === 0)));
  const rateRow = (text, name, largest, time) =>
    row(
      numberRow(
        text,
        { min: -largest, max: largest, step: 0.1, unit: per.map((of) => of + time).join(" or ") },
        () => talk.request[name][column[chosen]],
        (value) => setRate(name, value),
      ),
    );
  const still = () => talk.request.qd.map(() => 0);
  const bars = html("div");
  const controls = [
    row(
      pickerRow(
        "Joint",
        movable.map((i) => [i, names[i]]),
        () => chosen,
        (value) => choose(Number(value)),
      ),
    ),
    rateRow("velocity", "qd", 8, "/s"),
    rateRow("acceleration", "qdd", 30, "/s\u00b2"),
    row(
      numberRow(
        "load",
        { min: 0, max: tree.heaviest, step: 0.1, unit: "kg" },
        () => talk.request.load,
        (load) => talk.ask({ load: Math.max(0, load) }),
      ),
    ),
    group(
      "All joints",
      button("hold still", () => talk.ask({ qd: still(), qdd: still() })),
      button("no load", () => talk.ask({ load: 0 })),
    ),
    section("Posture", false, ...positions),
    bars,
  ];
  const numbers = html("div");
  const tell = layout(el, stage, controls, numbers);

  const signed = (x) => (x < 0 ? `\u2212 ${shown(-x)}` : `+ ${shown(x)}`);
  const totals = ({ parts }) => parts.reduce(add);

  function show() {
    const result = talk.result();
    const { parts, wrench } = result.values;
    stage.draw(() => paint(result.values));
    refreshers.forEach((refresh) => refresh());
    bars.replaceChildren(barTable(parts));
    const k = column[chosen];
    const total = totals(result.values)[k];
    const [moment, force] = [wrench[chosen].slice(0, 3), wrench[chosen].slice(3)].map(norm);
    const sum = tree.parts.map((name, part) => `${signed(parts[part][k])} (${name})`).join(" ");
    const words =
      `Joint ${names[chosen]}: ${shown(total)} ${unit(chosen)} = ` +
      `${sum.replace(/^\+ /, "").replace(/^\u2212 /, "\u2212")}. At its velocity the motor gives ` +
      `${shown(total * talk.request.qd[k])} W.`;
    const own = turns(chosen) ? "moment" : "force";
    const carried =
      `All that goes through this joint is a force of ${shown(force)} N (arrow) and a moment of ` +
      `${shown(moment)} N m; the motor makes the part of the ${own} along the joint\u2019s axis, the bearing ` +
      "carries the rest.";
    numbers.replaceChildren(html("p", { class: "work" }, words), html("p", {}, carried));
    if (talk.live) result.error ||= disagreement(result.values);
    tell(result, `${words} Force through the joint: ${shown(force)} newtons.`);
  }

  // One row for each joint; turns and slides have each their own scale.
  function barTable(parts) {
    const rows = transpose([...parts, parts.reduce(add)]);
    const heads = [...tree.parts, "all"];
    const scaleOf = (i) =>
      Math.max(...movable.filter((k) => turns(k) === turns(i)).flatMap((k) => rows[column[k]].map(Math.abs))) || 1;
    const cell = (x, head, largest) => {
      const share = 50 * Math.max(-1, Math.min(1, x / largest));
      const style = `--from: ${50 + Math.min(0, share)}%; --to: ${50 + Math.max(0, share)}%`;
      return html("td", { class: COLOURS[head], style }, html("span", {}, shown(x, largest >= 10 ? 1 : 2)));
    };
    const body = movable.map((i) => {
      const name = html("th", { scope: "row" }, `${names[i].replaceAll("_", "_\u200b")} [${unit(i)}]`);
      return html(
        "tr",
        i === chosen ? { class: "chosen" } : {},
        name,
        ...rows[column[i]].map((x, k) => cell(x, heads[k], scaleOf(i))),
      );
    });
    const short = { velocity: "veloc\u00adity", acceleration: "accel\u00ader\u00adation" };
    const head = html("tr", {}, html("td"), ...heads.map((name) => html("th", { scope: "col" }, short[name] ?? name)));
    return html(
      "table",
      { class: "bars" },
      html("caption", {}, "What each joint must do, and for what"),
      html("thead", {}, head),
      html("tbody", {}, ...body),
    );
  }

  // What a reader's functions may have wrong: the joint force is the wrench's part along the joint.
  function disagreement(values) {
    const efforts = totals(values);
    const largest = Math.max(...efforts.map(Math.abs));
    const other = (i) =>
      dot(apply(values.R[i], tree.axis[i]), turns(i) ? values.wrench[i].slice(0, 3) : values.wrench[i].slice(3));
    const wrong = movable.find((i) => !(Math.abs(other(i) - efforts[column[i]]) <= 1e-6 * largest));
    return wrong === undefined
      ? ""
      : `rnea and joint_wrenches disagree at joint ${names[wrong]}: ${shown(efforts[column[wrong]])} and ` +
          `${shown(other(wrong))} ${unit(wrong)}.`;
  }

  function paint({ R, p, wrench }) {
    paintLinks(stage, tree, ends, { R, p }, chosen);
    const forces = wrench.map((x) => x.slice(3));
    const metres = (0.4 * reach) / (Math.max(...forces.map(norm)) || 1); // a newton of the arrows
    for (const i of movable) {
      stage.line([p[i], p[i]], i === chosen ? "motion" : "faint", {
        width: i === chosen ? 15 : 11,
        seen: i === chosen || !stage.lit,
      });
      if (!forces[i].includes(null))
        stage.arrow(p[i], scale(metres, forces[i]), "force", { width: i === chosen ? 4 : 2 });
    }
    const half = scale(0.2 * reach, apply(R[chosen], tree.axis[chosen]));
    stage.line([subtract(p[chosen], half), add(p[chosen], half)], "motion", { width: 2.5 });
    if (!forces[chosen].includes(null))
      stage.text(add(p[chosen], scale(metres, forces[chosen])), `${shown(norm(forces[chosen]), 1)} N`, [8, 2]);
    const { load } = talk.request;
    if (load === 0) return;
    const tip = tipOf({ R, p });
    stage.line([tip, tip], "slide", { width: 12 });
    stage.arrow(tip, scale(metres * load, tree.gravity), "slide", { width: 3 });
    stage.text(tip, `${shown(load, 1)} kg`, [10, -8]);
  }

  show();
  talk.ask();
  return () => {
    stage.close();
    talk.close();
  };
}

export default { render };
