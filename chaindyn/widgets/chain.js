// The view of ChainExplorer. The request is {q, body, frame}; the scene is the tree: parents, where each joint sits in
// its parent, its kind and axis, and which entry of q is its own (null for a fixed joint).

// --- Without Python: the same product of joint transforms ---------------------------------------------------------

// The pose {R, p} of a link in the frame of its joint's seat. Rodrigues' formula, column by column.
function jointPose(kind, axis, q) {
  const identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  if (kind === "Prismatic") return { R: identity, p: scale(q, axis) };
  if (kind !== "Revolute") return { R: identity, p: [0, 0, 0] };
  const turned = (e) =>
    [scale(Math.cos(q), e), scale(Math.sin(q), cross(axis, e)), scale((1 - Math.cos(q)) * dot(axis, e), axis)].reduce(add);
  return { R: transpose(identity.map(turned)), p: [0, 0, 0] };
}

function poses(tree, q) {
  const R = [];
  const p = [];
  tree.parent.forEach((parent, i) => {
    const joint = jointPose(tree.kind[i], tree.axis[i], q[tree.column[i]]);
    const seat = add(tree.offset[i], apply(tree.rotation[i], joint.p));
    const turned = multiply(tree.rotation[i], joint.R);
    R.push(parent < 0 ? turned : multiply(R[parent], turned));
    p.push(parent < 0 ? seat : add(p[parent], apply(R[parent], seat)));
  });
  return { R, p };
}

// The links from a body in to the ground.
function pathOf(tree, body) {
  return body < 0 ? [] : [body, ...pathOf(tree, tree.parent[body])];
}

// The Jacobian (6 rows) about a point, in the axes that are the columns of `axes`.
function jacobian(tree, { R, p }, body, about, axes) {
  const columns = tree.column.filter((column) => column !== null).map(() => [0, 0, 0, 0, 0, 0]);
  for (const i of pathOf(tree, body)) {
    if (tree.column[i] === null) continue;
    const axis = apply(R[i], tree.axis[i]);
    const revolute = tree.kind[i] === "Revolute";
    const w = revolute ? axis : [0, 0, 0];
    const v = revolute ? cross(axis, subtract(about, p[i])) : axis;
    columns[tree.column[i]] = [...apply(transpose(axes), w), ...apply(transpose(axes), v)];
  }
  return columns.length ? transpose(columns) : [[], [], [], [], [], []];
}

function fromTree(tree, { q, body, frame }) {
  const at = poses(tree, q);
  const world = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const J_world = jacobian(tree, at, body, [0, 0, 0], world);
  const J = frame === "world" ? J_world : jacobian(tree, at, body, at.p[body], frame === "body" ? at.R[body] : world);
  return { ...at, J, J_world };
}

// --- The view -----------------------------------------------------------------------------------------------------

const FRAMES = {
  world: "about the world origin, in world axes",
  body: "about the link\u2019s origin, in link axes",
  mixed: "about the link\u2019s origin, in world axes",
};

function render({ model, el }) {
  const tree = model.get("scene");
  const { names, kind, column, reach, limits } = tree;
  const embedded = (request) => fromTree(tree, request);
  const talk = new Talk(model, { embedded, data: "the chain\u2019s embedded parameters, by a product of joint transforms of its own", show });
  const start = poses(tree, talk.request.q);
  const middle = scale(0.5, [0, 1, 2].map((k) => Math.min(0, ...start.p.map((p) => p[k])) + Math.max(0, ...start.p.map((p) => p[k]))));
  // Fits the posture that it starts in; a third of the reach at least, so that a folded chain has room to unfold.
  const extent = Math.max(reach / 3, ...start.p.map((p) => norm(subtract(p, middle))));
  const camera = new Camera(150 / extent, middle);
  const stage = new Stage("The chain", camera, talk.update);
  const movable = names.map((_, i) => i).filter((i) => column[i] !== null);
  // The link whose joint's column is shown: at first the last joint that moves the body.
  let chosen = pathOf(tree, talk.request.body).find((i) => column[i] !== null) ?? movable[0];
  const refreshers = [];

  function setJoint(i, value) {
    const [low, high] = limits[column[i]];
    chosen = i;
    talk.ask({ q: talk.request.q.map((old, k) => (k === column[i] ? Math.max(low, Math.min(high, value)) : old)) });
  }
  function choose(i) {
    chosen = i;
    talk.update();
  }
  const sliders = movable.map((i) => {
    const [low, high] = limits[column[i]];
    const inDegrees = kind[i] === "Revolute";
    const [to, from] = inDegrees ? [degrees, radians] : [(x) => x, (x) => x];
    const range = { min: rounded(to(low)), max: rounded(to(high)), unit: inDegrees ? "\u00b0" : "m", step: inDegrees ? 1 : 0.01, digits: inDegrees ? 1 : 3 };
    const { row, refresh } = numberRow(names[i], range, () => to(talk.request.q[column[i]]), (value) => setJoint(i, from(value)));
    row.addEventListener("focusin", () => choose(i));
    refreshers.push(refresh);
    return row;
  });

  // The links' strokes: from a link's origin to its children's seats; the end of a leaf is its centre of mass, or the tip.
  const ends = names.map((_, i) => {
    const seats = tree.offset.filter((_, k) => tree.parent[k] === i);
    return seats.length ? seats : [i === names.length - 1 ? tree.tip : tree.com[i]];
  });

  // A link pulled at: its joint (or, if that is fixed, the next one inward) goes as far as takes the point along.
  stage.onGrab = (link, where, moved) => {
    const i = pathOf(tree, Number(link)).find((k) => column[k] !== null);
    if (i === undefined) return;
    const { R, p } = talk.result().values;
    const axis = apply(R[i], tree.axis[i]);
    const point = add(p[i], camera.lift(subtract(where, camera.project(p[i]))));
    const velocity = kind[i] === "Revolute" ? cross(axis, subtract(point, p[i])) : axis;
    const seen = camera.flatten(velocity); // pixels a unit of q
    const most = (0.05 * camera.zoom * reach) ** 2; // keeps a joint that is seen edge-on from racing
    setJoint(i, talk.request.q[column[i]] + dot(seen, moved) / Math.max(dot(seen, seen), most));
  };

  function picker(label, options, get, set) {
    const items = options.map(([value, text]) => html("option", { value }, text));
    const select = html("select", { "aria-label": label, onchange: () => set(select.value) }, ...items);
    refreshers.push(() => (select.value = get()));
    return named(label, select);
  }
  const controls = [
    ...sliders,
    picker("Body", names.map((name, i) => [i, name]), () => talk.request.body, (value) => talk.ask({ body: Number(value) })),
    picker("Joint", movable.map((i) => [i, names[i]]), () => chosen, (value) => choose(Number(value))),
    picker("Frame", Object.entries(FRAMES).map(([key]) => [key, key]), () => talk.request.frame, (frame) => talk.ask({ frame })),
  ];
  const numbers = html("div");
  const tell = layout(el, stage, controls, numbers);

  function show() {
    const result = talk.result();
    const { body, frame } = talk.request;
    stage.draw(() => paint(result.values, body));
    refreshers.forEach((refresh) => refresh());
    if (chosen === undefined) return tell(result, "No joint of this chain can move.");
    const J = result.values.J.map((row) => row[column[chosen]]);
    const rate = kind[chosen] === "Revolute" ? "1 rad/s" : "1 m/s";
    const caption = `Twist of ${names[body]} when only joint ${names[chosen]} moves, at ${rate}: column ${column[chosen] + 1} of J, ${FRAMES[frame]}`;
    const units = ["angular \u03c9 [rad/s]", "linear v [m/s]"];
    numbers.replaceChildren(numberTable(caption, ["x", "y", "z"], units.map((unit, k) => [unit, ...J.slice(3 * k, 3 * k + 3)])));
    tell(result, `${names[chosen]} ${shown(talk.request.q[column[chosen]])}. Column of J: ${J.map((x) => shown(x)).join(", ")}.`);
  }

  function paint({ R, p, J_world }, body) {
    stage.axes([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "", 0.15 * reach);
    names.forEach((_, i) => {
      const parent = tree.parent[i];
      const seat = parent < 0 ? tree.offset[i] : add(p[parent], apply(R[parent], tree.offset[i]));
      if (parent < 0) stage.line([[0, 0, 0], seat], "faint", { width: 2 });
      stage.line([seat, p[i]], "slide", { width: 3 });
      for (const end of ends[i]) {
        stage.line([p[i], add(p[i], apply(R[i], end))], i === body ? "ink" : "faint", { width: i === body ? 9 : 7, opacity: 0.8, grab: i });
      }
    });
    for (const i of movable) paintJoint(i, p[i], J_world.map((row) => row[column[i]]));
    stage.axes(p[body], R[body], names[body], 0.12 * reach);
    if (chosen === undefined) return;
    const twist = J_world.map((row) => row[column[chosen]]);
    const velocity = add(twist.slice(3), cross(twist.slice(0, 3), p[body])); // of the body's origin
    if (!twist.includes(null)) stage.arrow(p[body], scale(0.25, velocity), "force", { width: 3 });
  }

  // A joint's axis, where its column of the Jacobian says that it is: a line along w through w x v / w.w, or along v.
  function paintJoint(i, near, screw) {
    const colour = kind[i] === "Revolute" ? "motion" : "slide";
    stage.line([near, near], colour, { width: i === chosen ? 16 : 11 });
    const [w, v] = [screw.slice(0, 3), screw.slice(3)];
    if (screw.includes(null) || norm(screw) === 0) return;
    const turning = norm(w) > 1e-9 * norm(screw);
    const along = turning ? scale(1 / norm(w), w) : scale(1 / norm(v), v);
    const foot = turning ? scale(1 / dot(w, w), cross(w, v)) : near;
    const centre = add(foot, scale(dot(along, subtract(near, foot)), along));
    const half = scale((i === chosen ? 0.3 : 0.15) * reach, along);
    stage.line([subtract(centre, half), add(centre, half)], colour, { width: i === chosen ? 3 : 1.5, dash: turning ? "none" : "7 5" });
  }

  show();
  talk.ask();
  return () => talk.close();
}

export default { render };
