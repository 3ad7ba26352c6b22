// The view of ImpactExplorer. The request is {chain, q, qd, body, point, normal, restitution, axes, feel, quantity,
// map}: which of the scene's chains, its state, the link that is struck, where (in the link's frame) and against
// which direction (of the world), the map's two coordinates (links whose joints turn, or "along" the struck link),
// whose line is drawn in it (["jump" or "reaction", link]), what it shows ("impulse" or "mass"), and the name under
// which a new one is wanted, or null.

import { ARM, cameraFor, fastest, paintWall, tiltOf, toDirection, turnOf } from "./blow.js";
import { atShare, fromBlow, shareAlong, shareOf } from "./blow_answer.js";
import { courseOf, cutOf, paintFilm, sceneAt } from "./course.js";
import { button, group, html, numberRow, pickerRow, pointRow, section, svg } from "./elements.js";
import { Film } from "./film.js";
import { coordinateOf, mostOf, PostureMap } from "./map.js";
import { LitStage } from "./stage.js";
import { layout, Talk } from "./talk.js";
import { endsOf, jointRow, paintLinks, pathOf, poses, pulled, sceneAround, withJoint } from "./tree.js";
import { add, apply, dot, norm, rounded, scale, shown, subtract, transpose } from "./vectors.js";

const QUANTITIES = { impulse: "impulse [N s]", mass: "effective mass [kg]" };

function render({ model, el }) {
  const { chains, labels } = model.get("scene");
  const tree = () => chains[talk.request.chain];
  const computed = (request) =>
    fromBlow(chains[request.chain], { ...request, map: request.map === held.key ? null : request.map });
  const embedded = (request) => computed(request).values;
  const talk = new Talk(model, {
    embedded,
    data: "the chain\u2019s embedded masses, by the book\u2019s own lines, put into JavaScript",
    show,
  });
  const camera = cameraFor(tree(), talk.request);
  const stage = new LitStage("The chain and the wall", camera, talk.update, sceneAround(tree(), talk.request));
  let held = { key: null }; // the map that is shown, until a newer one is there
  let resting; // the timer until a new one is asked for
  // The film of the blow, which is made when it is asked for. Without it the chain stands at the instant of the blow,
  // with all arrows.
  let course = null;
  let seen = {}; // the request, the answer and the values that all but the film was drawn for
  const film = new Film(() => cutOf(course).end, talk.update);
  const unwatch = film.watch(el);
  function play() {
    if (film.playing) return film.play(false);
    const { request } = talk;
    const { qd_after } = valuesFor(request);
    course ??= courseOf(tree(), request, qd_after.includes(null) ? request.qd : qd_after);
    film.play();
  }
  function stand() {
    Object.assign(film, { playing: false, clock: 0 });
    course = null;
  }
  // Another chain than Python's last answer was about is the page's own until Python has caught up.
  function valuesFor(request) {
    const { values } = talk.result();
    return values.chain === request.chain ? values : embedded(request);
  }
  const refreshers = [];
  const row = ({ row, refresh }) => {
    refreshers.push(refresh);
    return row;
  };

  // The map depends on all that is asked for but its own two coordinates.
  function keyOf(request) {
    const { chain, body, normal, restitution, axes, feel } = request;
    const q = request.q.map((x, k) =>
      axes.some((axis) => axis !== "along" && chains[chain].column[axis] === k) ? 0 : x,
    );
    const end = chains[chain].end[body];
    const point = axes.includes("along")
      ? subtract(request.point, scale(shareAlong(chains[chain], request), end)).map((x) => rounded(x, 9))
      : request.point;
    const physics = globalThis.chaindynPhysics?.version;
    return JSON.stringify([chain, q, request.qd, body, point, normal, restitution, axes, feel, physics]);
  }
  // The blow is asked for at once, a new map when the hand rests: it takes longer.
  function ask(change) {
    stand();
    talk.ask({ ...change, map: null });
    clearTimeout(resting);
    resting = setTimeout(askMap, 80);
  }
  talk.again = () => ask({});
  function askMap() {
    const key = keyOf(talk.request);
    if (key !== held.key || (talk.live && !held.python)) talk.ask({ map: key });
  }
  const setJoint = (i, value) => ask({ q: withJoint(tree(), talk.request.q, i, value) });
  const aim = (direction) => norm(direction) > 1e-6 && ask({ normal: scale(1 / norm(direction), direction) });
  function setPlace([across, up]) {
    const there = atShare(
      tree(),
      atShare(tree(), talk.request, talk.request.axes[0], across),
      talk.request.axes[1],
      up,
    );
    ask({ q: there.q, point: there.point });
  }

  // Pulled at, the point of the blow stays on the line of its link where it comes near it.
  function strikeAt(wanted) {
    const { R, p } = poses(tree(), talk.request.q);
    const { body } = talk.request;
    const point = apply(transpose(R[body]), subtract(wanted, p[body]));
    const end = tree().end[body];
    const on = scale(Math.max(0, Math.min(1, shareAlong(tree(), { body, point }))), end);
    ask({ point: norm(subtract(point, on)) < 0.04 * tree().reach ? on : point });
  }
  const arm = () => ARM * tree().reach;
  const struck = () => {
    const { R, p } = poses(tree(), talk.request.q);
    return add(p[talk.request.body], apply(R[talk.request.body], talk.request.point));
  };
  stage.handle(
    "Direction of the blow",
    "force",
    () => subtract(struck(), scale(arm(), talk.request.normal)),
    (tail) => aim(subtract(struck(), tail)),
  );
  stage.handle("Point of the blow", "force", struck, strikeAt);
  stage.onGrab = (link, where, moved) => {
    const [i, change] = pulled(tree(), camera, talk.result().values, link, where, moved);
    if (i !== undefined) setJoint(i, talk.request.q[tree().column[i]] + change);
  };

  const map = new PostureMap(() => talk.request.axes.map((axis) => shareOf(tree(), talk.request, axis)), setPlace);
  const about = html("p");
  const least = html("span", {}, "0");
  const most = html("span");
  const legend = html("div", { class: "line" }, least, html("span", { class: "shade" }), most);
  const line = html("p", { class: "key" });

  function choose(index) {
    const { start } = chains[index];
    Object.assign(camera, cameraFor(chains[index], start));
    Object.assign(stage, sceneAround(chains[index], start));
    stage.settle();
    ask({ ...start, chain: index });
  }

  // The controls of one of the chains; only those of the present one are on the page.
  function panelOf(tree, index) {
    const movable = tree.names.map((_, i) => i).filter((i) => tree.column[i] !== null);
    const state = () => (talk.request.chain === index ? talk.request : tree.start);
    const own = (row) => ({ row: row.row, refresh: () => talk.request.chain === index && row.refresh() });
    const speed = (i) => {
      const largest = Math.max(3, 2 * Math.abs(tree.start.qd[tree.column[i]]));
      const unit = tree.kind[i] === "Revolute" ? "rad/s" : "m/s";
      const set = (value) => ask({ qd: talk.request.qd.map((old, k) => (k === tree.column[i] ? value : old)) });
      return row(
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
      (share) => ask({ point: atShare(tree, talk.request, "along", share).point }),
    );
    const point = pointRow(
      "point",
      "blow",
      () => state().point,
      (point) => ask({ point }),
    );
    const angle = (name, range, from, to) =>
      row(
        own(
          numberRow(
            name,
            { of: "blow", min: -range, max: range, step: 1, unit: "\u00b0", digits: 1 },
            () => from(state().normal),
            (value) => aim(to(value)),
          ),
        ),
      );
    const pick = (...of) => row(own(pickerRow(...of)));
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
          ask({ axes });
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
          (quantity) => ask({ quantity }),
        ),
        pick(
          "Line where",
          feels,
          () => state().feel.join(" "),
          (value) => ask({ feel: [value.split(" ")[0], Number(value.split(" ")[1])] }),
        ),
        axis("Across", 0),
        axis("Up", 1),
      ),
      section(
        "Blow",
        false,
        row(
          own(
            numberRow(
              "restitution",
              { of: "", min: 0, max: 1, step: 0.01 },
              () => talk.request.restitution,
              (value) => ask({ restitution: Math.max(0, Math.min(1, value)) }),
            ),
          ),
        ),
        pick(
          "Struck link",
          tree.names.map((name, i) => [i, name]).filter(([i]) => pathOf(tree, i).some((k) => tree.column[k] !== null)),
          () => state().body,
          (value) => ask({ body: Number(value), point: tree.end[Number(value)] }),
        ),
        row(own(along)),
        row(own(point)),
        angle("turn", 180, turnOf, (turn) => toDirection(turn, tiltOf(talk.request.normal))),
        angle("tilt", 90, tiltOf, (tilt) => toDirection(turnOf(talk.request.normal), tilt)),
      ),
      section(
        "Posture, and joint speeds before the blow",
        false,
        ...movable.map((i) =>
          row(
            own(
              jointRow(
                tree,
                i,
                () => state().q[tree.column[i]],
                (value) => setJoint(i, value),
              ),
            ),
          ),
        ),
        ...movable.map(speed),
      ),
    );
  }
  const panels = chains.map(panelOf);
  const panel = html("div", {}, ...panels);
  const chooser = row(
    pickerRow(
      "Chain",
      labels.map((label, i) => [i, label]),
      () => talk.request.chain,
      (value) => choose(Number(value)),
    ),
  );
  const numbers = html("div");
  const playButton = button("play the blow", play);
  const standButton = button("stand at the blow", () => {
    stand();
    talk.update();
  });
  const words = html("p", { class: "result" });
  const short = html("div", {}, group("Film", playButton, standButton), keyOfColours(), words);
  const tell = layout(
    el,
    stage,
    [about, map.svg, legend, line, chooser, panel, section("Joint by joint", false, numbers)],
    short,
  );
  el.querySelector(".chaindyn").prepend(
    html(
      "p",
      { class: "opening" },
      "A moving chain strikes a fixed, smooth wall. Drag the dot on the chain to where it strikes, the dot " +
        "behind the wall to turn it, a link to bend the chain; or click another posture in the map.",
    ),
  );

  const paintScene = (values, request) => paintFilm(stage, tree(), values, request, sceneAt(course, film.clock));
  function show() {
    if (film.playing && seen.request === talk.request && seen.answer === talk.answer)
      return stage.draw(() => paintScene(seen.values, seen.request));
    const result = talk.result();
    const { request } = talk;
    if (result.values.map) held = { ...result.values.map, python: talk.live && !result.error };
    const values = valuesFor(request);
    if (!talk.live) result.error = fromBlow(tree(), { ...request, map: null }).fault;
    stage.draw(() => (course ? paintScene : paint)(values, request));
    playButton.textContent = film.playing ? "pause" : course ? "go on" : "play the blow";
    standButton.disabled = !course;
    refreshers.forEach((refresh) => refresh());
    if (panel.childElementCount > 1 || panel.firstChild !== panels[request.chain])
      panel.replaceChildren(panels[request.chain]);
    showMap(request);
    words.textContent = judge(values, request);
    numbers.replaceChildren(jointTable(values, request));
    tell({ ...result, error: result.error || (held.error ?? "") }, words.textContent);
    seen = { request, answer: talk.answer, values };
  }

  function judge({ impulse, mass, before, after, energy }, { normal }) {
    const [came, left] = [before, after].map((v) => (v.includes(null) ? null : dot(v, normal)));
    const lost = energy.includes(null) ? null : energy[0] - energy[1];
    if (impulse === 0 && mass === null)
      return "The chain cannot move in the direction of the blow: no impulse acts, and it weighs infinitely much.";
    if (impulse === 0)
      return (
        `No blow: the point ${came > 0 ? "is leaving the wall" : "rests against the wall"}. It would weigh ` +
        `${shown(mass)} kg there.`
      );
    return (
      `Impulse ${shown(impulse)} N s. The wall feels a mass of ${shown(mass)} kg that comes at ` +
      `${shown(-came)} m/s and leaves at ${shown(left)} m/s. ` +
      `Energy lost: ${shown(lost)} J of ${shown(energy[0])} J, ` +
      `${shown(lost === null ? null : (100 * lost) / energy[0], 0)} %.`
    );
  }

  function keyOfColours() {
    const entry = (colour, style, words) =>
      html("span", { class: colour }, html("i", { class: style }), html("span", {}, words));
    return html(
      "p",
      { class: "key" },
      entry("faint", "dashed", "before"),
      entry("motion", "", "after"),
      entry("force", "", "blow"),
      entry("force", "thin", "push of each bearing on its link"),
    );
  }

  // The speeds of each joint as numbers and as bars, and what its bearing hands on.
  function jointTable({ qd_after, reactions, moments }, { qd }) {
    const { names, column, kind } = tree();
    const largest = Math.max(1e-9, ...qd.map(Math.abs), ...qd_after.map(Math.abs));
    const bar = (x, kind, y) =>
      svg("rect", {
        class: kind,
        x: x < 0 ? 100 + (100 * x) / largest : 100,
        y,
        width: (100 * Math.abs(x)) / largest,
        height: 7,
      });
    const cells = (i) => {
      const force = reactions[i].includes(null) ? null : norm(reactions[i]);
      const moment = moments[i].includes(null) ? null : norm(moments[i]);
      const heard = [shown(force), shown(moment)].map((text) => html("td", {}, text));
      if (column[i] === null) return ["\u2013", "\u2013", "\u2013"].map((text) => html("td", {}, text)).concat(heard);
      const [was, now] = [qd[column[i]], qd_after[column[i]]];
      const bars = svg(
        "svg",
        { viewBox: "0 0 200 18", preserveAspectRatio: "none", "aria-hidden": "true" },
        bar(was, "was", 1),
        bar(now ?? 0, "now", 10),
        svg("line", { class: "axis", x1: 100, x2: 100, y1: 0, y2: 18 }),
      );
      const jump = now === null ? null : now - was;
      return [html("td", {}, shown(was)), html("td", {}, shown(now)), html("td", {}, shown(jump), bars), ...heard];
    };
    const unit = kind.includes("Prismatic") ? "rad/s or m/s" : "rad/s";
    const heads = ["before", "after", "jump", "push [N\u00a0s]", "moment [N\u00a0m\u00a0s]"].map((text) =>
      html("th", { scope: "col" }, text),
    );
    return html(
      "table",
      { class: "joints" },
      html("caption", {}, `Joint speeds [${unit}], and the impulse of each bearing on its link`),
      html("thead", {}, html("tr", {}, html("td"), ...heads)),
      html(
        "tbody",
        {},
        ...names.map((name, i) =>
          html("tr", {}, html("th", { scope: "row" }, name.replaceAll("_", "_\u200b")), ...cells(i)),
        ),
      ),
    );
  }

  function showMap(request) {
    const { axes, feel, quantity } = request;
    const { names } = tree();
    const coordinate = (axis) =>
      axis === "along"
        ? { name: `blow along ${names[request.body]}`, ticks: ["0", "\u00bd", "1"] }
        : coordinateOf(tree(), axis);
    map.name(...axes.map(coordinate));
    map.place();
    const fresh = held.key === keyOf(request);
    map.cells.classList.toggle("late", !fresh);
    about.textContent =
      `Map: the ${quantity === "impulse" ? "impulse" : "effective mass"} in other postures, all else as it is: ` +
      "none where the point would be leaving. The ring is the present one.";
    if (held.impulse === undefined) return;
    if (held !== map.drawn || quantity !== map.quantity) {
      const { most: top, capped } = mostOf(held[quantity]);
      map.shade(held[quantity], top);
      map.trace(held.felt);
      Object.assign(map, { drawn: held, quantity });
      most.textContent = `${shown(top)}${capped ? " and more" : ""} ${quantity === "impulse" ? "N s" : "kg"}`;
    }
    const where =
      feel[0] === "jump"
        ? `joint ${names[feel[1]]} keeps its speed`
        : `bearing ${names[feel[1]]} feels nothing along the blow`;
    const there = map.line.getAttribute("d") ? "" : " (nowhere here)";
    line.replaceChildren(html("span", { class: "motion" }, html("i"), html("span", {}, `where ${where}${there}`)));
  }

  // A chain moved on, or back, for a moment: thin, with its ends where the arrows of the velocity point.
  function ghost(rates, time, colour, dash) {
    const at = poses(tree(), add(talk.request.q, scale(time, rates)));
    tree().names.forEach((_, i) => {
      for (const end of endsOf(tree())[i])
        stage.line([at.p[i], add(at.p[i], apply(at.R[i], end))], colour, { width: 2.5, dash, opacity: 0.75 });
    });
  }

  function paint(values, { q, qd, body, normal }) {
    const { p, point, before, after, impulse, reactions, qd_after } = values;
    const { reach, column } = tree();
    if (point.includes(null)) return;
    paintWall(stage, point, normal, reach);
    const finite = !qd_after.includes(null);
    const quickest = Math.max(fastest(tree(), q, qd), finite ? fastest(tree(), q, qd_after) : 0);
    const usual = fastest(tree(), tree().start.q, tree().start.qd);
    const moment = Math.min((0.25 * reach) / (usual || 1), (0.4 * reach) / (quickest || 1));
    ghost(qd, -moment, "faint", "6 5");
    if (finite) ghost(qd_after, moment, "motion", "none");
    // their colours are those of pushes and speeds
    paintLinks(stage, tree(), endsOf(tree()), values, body, { axes: false });
    p.forEach((at, i) => column[i] !== null && stage.line([at, at], "ink", { width: 11, seen: !stage.lit }));
    // Velocities of the struck point: arriving, and leaving.
    stage.arrow(subtract(point, scale(moment, before)), scale(moment, before), "faint", { width: 3.5 });
    if (!after.includes(null)) stage.arrow(point, scale(moment, after), "motion", { width: 3.5 });
    stage.line([point, subtract(point, scale(arm(), normal))], "force", { width: 1.5, dash: "3 5" });
    if (!impulse) return;
    const largest = Math.max(impulse, ...reactions.filter((f) => !f.includes(null)).map(norm));
    const metres = (0.3 * reach) / largest; // a newton second of the arrows
    reactions.forEach((f, i) => {
      if (!f.includes(null) && norm(f) > 1e-9 * largest) stage.arrow(p[i], scale(metres, f), "force", { width: 2.5 });
    });
    const blow = scale(metres * impulse, normal); // out of the wall
    stage.arrow(subtract(point, blow), blow, "force", { width: 5 });
  }

  show();
  ask({});
  stage.beginWith(play);
  return () => {
    clearTimeout(resting);
    unwatch();
    stage.close();
    talk.close();
  };
}

export default { render };
