// Two pictures beside the chain: the plane of the eigenvalues, and the basin of knocks.

import { CELLS } from "./balance_laws.js";
import { html, svg } from "./elements.js";
import { placeIn } from "./picture.js";
import { degrees, radians, rounded, shown, subtract } from "./vectors.js";

const FATES = { recovered: "recovered", fell: "fell", neither: "neither" };

// A picture with two axes: across and up take a place to pixels.
const PANEL = { width: 360, height: 260, left: 52, right: 12, top: 10, bottom: 44 };

function panelOf(title, marks) {
  const name = html("p", { class: "title" }, title);
  const picture = svg("svg", { viewBox: `0 0 ${PANEL.width} ${PANEL.height}`, role: "img", class: "panel" }, marks);
  const key = html("p", { class: "key" });
  const words = html("p", { class: "readout" });
  return { picture, key, words, element: html("div", {}, name, picture, key, words) };
}

const minus = (x) => String(x).replace("-", "\u2212");
const EDGES = { left: -600, right: 40, high: 60 };

export function planeOf() {
  const { width, height, left, right, top, bottom } = PANEL;
  const [low, high] = [Math.asinh(EDGES.left), Math.asinh(EDGES.right)];
  const within = (x, least, most) => Math.max(least, Math.min(most, x));
  const across = (x) => left + ((within(Math.asinh(x), low, high) - low) / (high - low)) * (width - left - right);
  const up = (y) =>
    (top + height - bottom) / 2 - (within(Math.asinh(y) / Math.asinh(EDGES.high), -1, 1) * (height - top - bottom)) / 2;
  const upright = [-100, -10, -1, 0, 1, 10].map((x) => [
    svg("line", { class: x ? "rule" : "zero", x1: across(x), x2: across(x), y1: top, y2: height - bottom }),
    svg("text", { x: across(x), y: height - bottom + 18, "text-anchor": "middle" }, minus(x)),
  ]);
  const level = [-10, -1, 0, 1, 10].map((y) => [
    svg("line", { class: y ? "rule" : "zero", x1: left, x2: width - right, y1: up(y), y2: up(y) }),
    svg("text", { x: left - 6, y: up(y) + 5, "text-anchor": "end" }, y ? `${minus(y)}i` : "0"),
  ]);
  const grows = svg("rect", {
    class: "grows",
    x: across(0),
    y: top,
    width: width - right - across(0),
    height: height - top - bottom,
  });
  const axis = svg(
    "text",
    { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" },
    "decay or growth [1/s]",
  );
  const drawn = svg("g");
  const panel = panelOf("Eigenvalues", svg("g", {}, grows, ...upright.flat(), ...level.flat(), axis, drawn));
  const cross = ([x, y], s = 5) => `M${across(x) - s} ${up(y) - s}l${2 * s} ${2 * s}m${-2 * s} 0l${2 * s} ${-2 * s}`;
  const spot = ([x, y]) => `M${across(x)} ${up(y)}h0`;
  const sample = (child) => svg("svg", { viewBox: "0 0 28 16", "aria-hidden": "true" }, child);
  panel.key.append(
    html(
      "span",
      {},
      sample(svg("path", { class: "stroke motion", "stroke-width": 2.5, d: "M9 3l10 10m-10 0l10-10" })),
      "with feedback",
    ),
    html("span", {}, sample(svg("circle", { class: "stroke faint", cx: 14, cy: 8, r: 5 })), "without"),
    html(
      "span",
      {},
      sample(svg("path", { class: "spots motion", "stroke-width": 4, d: "M6 8h0m8 0h0m8 0h0" })),
      "a moment ago",
    ),
  );
  const draw = (values, alone, trail) => {
    const sorts = [
      ["motion", values.filter(([x]) => x < 0)],
      ["force", values.filter(([x]) => x >= 0)],
    ];
    drawn.replaceChildren(
      ...trail.map((set, k) =>
        svg("path", {
          class: "spots motion",
          "stroke-width": 4,
          opacity: rounded(0.25 + (0.5 * k) / FADING),
          d: set.map(spot).join(""),
        }),
      ),
      ...alone.map(([x, y]) =>
        svg("circle", { class: "stroke faint", cx: across(x), cy: up(y), r: 5, "stroke-width": 1.5 }),
      ),
      ...sorts.map(([colour, some]) =>
        svg("path", { class: `stroke ${colour}`, "stroke-width": 2.5, d: some.map((value) => cross(value)).join("") }),
      ),
    );
    panel.words.textContent = eigenvaluesInWords(values, alone);
    panel.picture.setAttribute("aria-label", `Eigenvalues in the complex plane. ${panel.words.textContent}`);
  };
  return { ...panel, draw };
}

const complexInWords = ([x, y]) =>
  Math.abs(y) < 1e-9 * Math.hypot(x, y) ? shown(x) : `${shown(x)} \u00b1 ${shown(Math.abs(y))}i`;

function eigenvaluesInWords(values, alone) {
  const growing = (some) => some.filter(([x]) => x > 1e-9).length;
  const without = `Without feedback ${growing(alone)} of ${alone.length} grow.`;
  if (growing(values))
    return (
      `${growing(values)} of ${values.length} grow, the fastest with ${complexInWords(values[0])} /s: this ` +
      `feedback does not balance. ${without}`
    );
  return `All ${values.length} decay, the slowest with ${complexInWords(values[0])} /s. ${without}`;
}

export function basinPanel(pick) {
  const { width, height, left, right, top, bottom } = PANEL;
  const [w, h] = [(width - left - right) / CELLS, (height - top - bottom) / CELLS];
  const cells = Object.fromEntries(Object.keys(FATES).map((fate) => [fate, svg("path", { class: `cells ${fate}` })]));
  const [marks, points] = [svg("g"), svg("g")];
  const frame = svg("rect", {
    class: "frame",
    x: left,
    y: top,
    width: width - left - right,
    height: height - top - bottom,
  });
  const panel = panelOf("Knocks that it survives", svg("g", {}, ...Object.values(cells), frame, marks, points));
  panel.picture.classList.add("pick");
  // What a cell's mark is: recovered all of it, fell a stroke across, neither a dot.
  const shapes = {
    recovered: (x, y) => `M${x} ${y}h${w}v${h}h${-w}z`,
    fell: (x, y) => `M${x + w / 2 - 2} ${y + h / 2 + 2}l4 -4`,
    neither: (x, y) => `M${x + w / 2} ${y + h / 2}h0`,
  };
  panel.key.append(
    ...Object.keys(FATES).map((fate) =>
      html(
        "span",
        {},
        svg(
          "svg",
          { viewBox: `0 0 ${w} ${h}`, "aria-hidden": "true" },
          svg("path", { class: `cells ${fate}`, d: shapes[fate](0, 0) }),
        ),
        FATES[fate],
      ),
    ),
  );
  let now = null; // the basin that is drawn
  const middle = () => [(left + width - right) / 2, (top + height - bottom) / 2];
  // pixels for each unit
  const span = () => [(width - left - right - w) / 2 / now.widest, (height - top - bottom - h) / 2 / now.fastest];
  const place = ({ aside, rate }) => [middle()[0] + aside * span()[0], middle()[1] - rate * span()[1]];
  panel.picture.addEventListener("click", (event) => {
    const [x, y] = subtract(placeIn(panel.picture, event), middle());
    pick(x / span()[0], -y / span()[1]);
  });
  function axes(turns) {
    const far = turns ? degrees(now.widest) : now.widest;
    const across = [-far, 0, far].map((x) =>
      svg(
        "text",
        { x: place({ aside: turns ? radians(x) : x, rate: 0 })[0], y: height - bottom + 18, "text-anchor": "middle" },
        minus(rounded(x, 1)),
      ),
    );
    const up = [-now.fastest, 0, now.fastest].map((y) =>
      svg("text", { x: left - 6, y: place({ aside: 0, rate: y })[1] + 5, "text-anchor": "end" }, minus(rounded(y, 2))),
    );
    const [one, other] = turns ? ["\u00b0", "rad/s"] : ["m", "m/s"];
    marks.replaceChildren(
      ...across,
      ...up,
      svg("text", { x: middle()[0], y: height - 6, "text-anchor": "middle" }, `aside [${one}]`),
      svg("text", { x: left - 6, y: middle()[1] - 22, "text-anchor": "end" }, other),
    );
  }
  function draw(basin, { aside, rate }, latest, name) {
    if (now !== basin) {
      now = basin;
      axes(basin.world.turns[basin.joint]);
    }
    const paths = { recovered: [], fell: [], neither: [] };
    basin.fates.forEach(
      (fate, k) =>
        fate &&
        paths[fate].push(shapes[fate](rounded(left + (k % CELLS) * w), rounded(top + Math.floor(k / CELLS) * h))),
    );
    for (const [fate, some] of Object.entries(paths)) cells[fate].setAttribute("d", some.join(""));
    const ring = (knock, look) => svg("circle", { ...look, cx: place(knock)[0], cy: place(knock)[1] });
    points.replaceChildren(
      ring({ aside, rate }, { class: "stroke ink", r: 6, "stroke-width": 2 }),
      ...(latest ? [ring(latest, { class: "spot", r: 3.5 })] : []),
    );
    const { all, done, recovered } = basin.count();
    const share = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0}\u00a0%`;
    panel.words.textContent =
      `${share(done, all)} of ${all} knocks on ${name} tried; it recovered from ${share(recovered, done)} of ` +
      "these.";
    panel.picture.setAttribute("aria-label", `The basin. ${panel.words.textContent}`);
  }
  return { ...panel, draw };
}

export const FADING = 40;
