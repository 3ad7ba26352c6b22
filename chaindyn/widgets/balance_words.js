// What BalanceExplorer says of a motion: its state, its fate, and those before.

import { PATIENCE } from "./balance_laws.js";
import { html, numberTable } from "./elements.js";
import { grown } from "./graph.js";
import { shown } from "./vectors.js";

export function sourceOf(view, request) {
  const { held, talk } = view;
  const result = talk.result();
  if (held.fault) result.error ||= held.fault;
  const { answer } = talk;
  if (!talk.live || result.error) return result;
  if (answer.serial < request.serial)
    return { ...result, source: "Python is computing; until then, the feedback stays as it was." };
  const { A, B } = held.still;
  const far = (M, N) =>
    Math.max(...M.flatMap((row, i) => row.map((x, j) => Math.abs(x - N[i][j])))) / Math.max(...N.flat().map(Math.abs));
  const off = Math.max(far(answer.values.A, A), far(answer.values.B, B));
  const judged =
    off < 1e-8
      ? "The chain\u2019s own linear model is the same."
      : `Of the chain\u2019s own linear model yours misses ${sizeInWords(off)}; the eigenvalues are those of ` +
        "the chain itself with your gain.";
  return { ...result, source: `${result.source} ${judged}` };
}

const sizeInWords = (x) => (x < 1e-3 ? x.toExponential(0).replace("-", "\u2212") : `${grown(100 * x, 1)}\u00a0%`);
const unitOf = ({ system }) => (system === "cart-pole" ? "N" : "N\u00a0m");

export function motionInWords(view, request) {
  const { held } = view;
  const { time, peak, tau } = held.motion;
  const unit = unitOf(request);
  const now = tau ? Math.max(...tau.map(Math.abs)) : 0;
  return (
    `Time ${shown(time)} s. Largest ${unit === "N" ? "force" : "torque"} now ${shown(now, 1)}\u00a0${unit}, ` +
    `so far ${shown(peak, 1)}\u00a0${unit}, of at most ${shown(request.limit, 1)}\u00a0${unit}.`
  );
}

export function fateInWords(view) {
  const { held } = view;
  const { fate, time, quiet, ended, since = 0 } = held.motion;
  const { values } = held.world;
  if (fate === "recovered") return `It recovered: quiet ${shown(quiet - since)} s after the knock.`;
  if (fate === "fell")
    return (
      `It fell ${shown(ended - since)} s after the knock: its centre of mass came below its foot. Its motors ` +
      "are off."
    );
  if (fate === "neither") return `Neither quiet nor fallen after ${PATIENCE} s.`;
  if (time > 0) return "It is on its way.";
  return values[0][0] < 0 ? "It is held, and waits for a knock." : "It is held by a feedback that does not balance it.";
}

export function historyTable(view, request) {
  const { held } = view;
  const head = html(
    "tr",
    {},
    ...["knock", "slowest [1/s]", `peak [${unitOf(request)}]`, "quiet after [s]"].map((text) =>
      html("th", { scope: "col" }, text),
    ),
  );
  const rows = held.knocks.map(({ slowest, peak, settled, fate }) => [
    fate,
    shown(slowest),
    shown(peak, 1),
    settled === null ? "\u2013" : shown(settled),
  ]);
  const body = (rows.length ? rows : [["none yet", "\u2013", "\u2013", "\u2013"]]).map(([name, ...cells]) =>
    html("tr", {}, html("th", { scope: "row" }, name), ...cells.map((cell) => html("td", {}, cell))),
  );
  return html(
    "table",
    { class: "knocks" },
    html("caption", {}, "The latest knocks, the last one first"),
    html("thead", {}, head),
    html("tbody", {}, ...body),
  );
}

// The gains of all motors on the joint that is knocked would say little; these are all gains of the motor that is
// knocked, or of the first.
export function gainTable(view, { joint }) {
  const { held } = view;
  const { K, motors, tree } = held.world;
  const m = Math.max(0, motors.indexOf(joint));
  const n = tree.names.length;
  return numberTable(
    `Gains of the motor of ${tree.names[motors[m]]}: its force is minus the sum of these times the deviations`,
    ["on place", "on rate"],
    tree.names.map((name, k) => [name, K[m][k], K[m][n + k]]),
  );
}
