// The picture of AtlasExplorer, and its maps.

import { heavy } from "./atlas_words.js";
import { paintWall } from "./blow.js";
import { coordinateOf } from "./map.js";
import { paintLinks } from "./tree.js";
import { add, apply, scale, shown, subtract } from "./vectors.js";

const ENOUGH = 100000; // blows that a reader may draw
export const BEHIND = 0.3; // how far behind the struck point the handle of the direction is, in reaches of the chain
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");

// More blows are drawn with each picture, while the reader wants them and looks.
export function showDrawn(view, failed) {
  const { el, talk } = view;
  const { chart, draw, tally } = view.controls;
  if (failed || view.drawn.length >= ENOUGH || !el.isConnected) view.drawing = false;
  if (view.drawing && talk.request.sample !== view.drawn.length)
    setTimeout(() => view.drawing && talk.ask({ sample: view.drawn.length }));
  draw.textContent = view.drawing ? "Pause" : view.drawn.length ? "Draw more" : "Draw blows";
  if (view.drawn.length === view.counted) return;
  view.counted = view.drawn.length;
  if (!view.drawn.length) {
    tally.textContent = "None drawn yet.";
    chart.dots.replaceChildren();
    return;
  }
  chart.drawOwn(view.drawn);
  const sorted = Float64Array.from(view.drawn).sort();
  const at = (share) => shown(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))], 2);
  tally.textContent =
    `${grouped(view.drawn.length)} blows of your own: half of them are lighter than ${at(0.5)} kg, one in a ` +
    `hundred is heavier than ${at(0.99)} kg.`;
}

// Shades go with the logarithm, from a tenth of the median to ten times as much.
export function showMap(view, request) {
  const { tree } = view;
  const { least, map, most } = view.controls;
  map.name(...request.axes.map((i) => coordinateOf(tree, i)));
  map.place();
  map.cells.classList.toggle("late", view.held.key !== view.keyOf(request));
  if (!view.held.cells || view.held === map.drawn) return;
  map.drawn = view.held;
  const sorted = view.held.cells
    .flat()
    .filter((x) => x !== null && x > 0)
    .sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const [low, high] = [
    sorted[Math.floor(0.02 * sorted.length)] ?? middle / 10,
    Math.min(10 * middle, sorted.at(-1) ?? 10),
  ];
  map.shade(
    view.held.cells.map((cells) =>
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

export function paint(view, { R, p, mass, force }, { direction }) {
  const { ends, movable, reach, stage, tree } = view;
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
