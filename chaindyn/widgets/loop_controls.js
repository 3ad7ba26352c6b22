// The controls of LoopExplorer.

import { button, group, html, numberRow, pickerRow, section } from "./elements.js";
import { Graph } from "./graph.js";
import { ruleFor } from "./loop_model.js";
import { CURES } from "./loop_words.js";
import { layout } from "./talk.js";
import { degrees, radians, rounded } from "./vectors.js";

// Put the controls beside the picture, and the graphs below.
export function addControls(view) {
  const { el, mechanisms, player, scene, stage, sweep, t, talk } = view;
  const panels = mechanisms.map((each, index) => panelOf(view, each, index));
  const panel = html("div", {}, ...panels);
  const rate = numberRow(
    "rate",
    { of: "Baumgarte\u2019s", min: 1, max: 200, step: 1, unit: "1/s" },
    () => talk.request.rate,
    (value) => value > 0 && talk.ask({ rate: value }),
  );
  const bars = html("div");
  const cures = Object.entries(CURES).map(([value, [name]]) => [value, name]);
  const controls = [
    view.row(
      pickerRow(
        "Mechanism",
        mechanisms.map(({ name }, i) => [i, name]),
        () => talk.request.mechanism,
        (value) => view.choose(Number(value)),
      ),
    ),
    view.row(
      pickerRow(
        "Cure",
        cures,
        () => talk.request.cure,
        (cure) => view.cured(cure),
      ),
    ),
    section(
      "Posture, lengths and steps",
      false,
      panel,
      view.row(rate),
      view.row(
        pickerRow(
          "Step",
          scene.steps.map((h) => [h, `${rounded(1000 * h, 2)}\u00a0ms`]),
          () => talk.request.step,
          (value) => view.afresh(value),
        ),
      ),
    ),
    section("Singular values", false, bars),
  ];
  const playButton = button("drop", () => view.play());
  const stepButton = button("step", () => view.step());
  const timeRow = view.row(player.row());
  const where = html("p", { class: "readout" });
  const verdict = html("p", { class: "work" });
  const short = html(
    "div",
    {},
    group(
      "Fall",
      playButton,
      stepButton,
      button("reset", () => player.scrub(t[0])),
      timeRow,
    ),
    where,
    verdict,
  );
  const report = layout(el, stage, controls, short);
  const root = el.querySelector(".chaindyn");
  root.prepend(
    html(
      "p",
      { class: "opening" },
      "A loop that falls opens a little with each step, and leaps open where its rods lie in line. Each lens shows " +
        "how far, with another cure. Turn the crank by its ring, and drop it again.",
    ),
  );
  const turning = new Graph("Smaller singular value", sweep.map(degrees), (angle) => view.turnTo(0, radians(angle)), {
    ticks: [-180, -90, 0, 90, 180],
  });
  const [gaps, energies] = ["Gap", "Change of the total energy"].map(
    (title) => new Graph(title, t, (time) => player.scrub(time), { log: true }),
  );
  root.append(html("div", { class: "graphs" }, ...[gaps, energies, turning].map(({ element }) => element)));
  player.listen(root, () => view.play());
  return { bars, energies, gaps, panel, panels, playButton, rate, root, stepButton, report, turning, verdict, where };
}

// Of one mechanism; only the present one's are on the page.
function panelOf(view, each, index) {
  const { refreshers, talk } = view;
  const now = () => (talk.request.mechanism === index ? talk.request : { ...each, held: each.start });
  const own = ({ row: element, refresh }) =>
    view.row({ row: element, refresh: () => talk.request.mechanism === index && refresh() });
  const angle = (name, k) =>
    own(
      numberRow(
        name,
        { of: "angle of", min: -180, max: 180, step: 1, unit: "\u00b0", digits: 1 },
        () => degrees(view.falling() ? view.cranks()[k] : now().held[k]),
        (value) => view.turnTo(k, radians(value)),
      ),
    );
  const length = ([name, which]) => {
    const resized = (value) => talk.request.lengths.map((old, i) => (which.includes(i) ? value : old));
    return own(
      numberRow(
        name,
        { of: "length of", min: 0.2, max: 1.6, step: 0.05, unit: "m" },
        () => now().lengths[which[0]],
        (value) => {
          if (!(value > 0)) return;
          view.restart({ lengths: resized(value), dropped: false });
          view.aim();
        },
      ),
    );
  };
  const other = button("the other assembly", () => view.restart({ flipped: !talk.request.flipped, dropped: false }));
  const rule = html("p", { class: "legend" });
  refreshers.push(() => {
    rule.textContent = each.lengths.length === 3 ? ruleFor({ ...now(), base: each.base }) : "";
  });
  return html("div", {}, ...each.held.map(angle), group("Assembly", other), ...each.adjustable.map(length), rule);
}
