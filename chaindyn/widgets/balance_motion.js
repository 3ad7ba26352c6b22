// How the chain of BalanceExplorer moves from frame to frame, and its basin grows.

import { knocked, stepOn } from "./balance_laws.js";

// how long a frame may move the chain, and work on the basin, beside that or alone [ms]
const BUSY = { move: 5, basin: 4, alone: 6 };
const AFTER = 3; // for how long a chain that fell is seen to swing [s]
const KEPT = 4; // knocks in the table

export function knock(view) {
  const { held, talk } = view;
  view.follow(talk.request); // what was changed since the last frame
  const { joint, aside, rate } = talk.request;
  Object.assign(held, {
    motion: knocked(held.world, talk.request),
    latest: { joint, aside, rate },
    playing: true,
    owed: 0,
  });
  wake(view);
  view.show();
}

export function strike(view) {
  const { held, talk } = view;
  const { joint, rate } = talk.request;
  const { motion } = held;
  Object.assign(motion, {
    qd: motion.qd.map((x, k) => (k === joint ? x + rate : x)),
    fate: "",
    quiet: null,
    since: motion.time,
    noted: false,
  });
  Object.assign(held, { playing: true, owed: 0, latest: null });
  wake(view);
  view.show();
}

export function stand(view) {
  const { held } = view;
  Object.assign(held, { playing: false, latest: null, motion: knocked(held.world, { joint: 0, aside: 0, rate: 0 }) });
  view.show();
}

export function over(view) {
  const { held } = view;
  const { fate, time, ended, gone } = held.motion;
  return fate !== "" && (fate !== "fell" || gone || time > ended + AFTER);
}

export function play(view) {
  const { held } = view;
  if (!held.playing && (over(view) || held.motion.time === 0)) return knock(view);
  held.playing = !held.playing;
  wake(view);
  view.show();
}

function move(view, seconds) {
  const { held } = view;
  const { motion, world } = held;
  held.owed += seconds * held.pace;
  const enough = performance.now() + BUSY.move;
  while (held.owed >= world.step && !over(view) && performance.now() < enough) {
    held.owed -= world.step;
    stepOn(world, motion);
    if (motion.fate && !motion.noted) note(view);
  }
  held.owed = Math.min(held.owed, world.step);
  if (over(view)) held.playing = false;
}

// The fate of a knock, for the table.
function note(view) {
  const { held } = view;
  const { motion, world } = held;
  Object.assign(motion, { noted: true, ended: motion.time });
  const settled = motion.fate === "recovered" ? motion.quiet - (motion.since ?? 0) : null;
  held.knocks = [{ slowest: world.values[0][0], peak: motion.peak, settled, fate: motion.fate }, ...held.knocks].slice(
    0,
    KEPT,
  );
}

// One loop for the motion and for the basin, while there is anything to do and somebody sees it.
export function wake(view) {
  const { held } = view;
  held.last = performance.now();
  if (!held.looping && held.inSight) requestAnimationFrame((now) => frame(view, now));
  held.looping = held.inSight;
}

function frame(view, now) {
  const { calm, held } = view;
  if (!held.looping) return;
  const drawn = Math.floor(2 * held.motion.time);
  if (held.playing) {
    move(view, Math.min(0.05, Math.max(0, now - held.last) / 1000));
    // a still every half second, for who wants no motion
    if (!held.playing || !calm.matches || Math.floor(2 * held.motion.time) !== drawn) view.show();
  }
  held.last = now;
  if (held.basin && !held.basin.complete) {
    const before = Math.floor(held.basin.done / 8);
    held.basin.work(held.playing ? BUSY.basin : BUSY.alone);
    if (held.basin.complete || Math.floor(held.basin.done / 8) !== before) view.drawBasin();
  }
  held.looping = held.inSight && (held.playing || !held.basin?.complete);
  if (held.looping) requestAnimationFrame((now) => frame(view, now));
}
