// What a sketch does before it is touched: its first slider goes a little way and back, once, when the picture is first
// in sight. So the reader sees what the slider does.

import { sinceFrame } from "./film.js";

const LASTS = 2.4; // [s]
const SHARE = 0.3; // how far it goes, of its range

// How far from its start a slider goes: towards its farther end.
export function reachOf([low, high], start) {
  const room = high - start >= start - low ? high - start : low - start;
  return Math.sign(room) * Math.min(Math.abs(room), SHARE * (high - low));
}

// `set` takes a value, and whether the sweep goes on. Whoever takes hold of anything ends it, where it began.
export function sweepOnce(stage, bounds, get, set) {
  stage.beginWith(() => {
    const [start, over] = [get(), new AbortController()];
    const far = reachOf(bounds, start);
    let [gone, latest] = [0, null];
    const end = () => {
      over.abort();
      set(start, false);
    };
    const tick = (now) => {
      if (over.signal.aborted) return;
      gone += sinceFrame(latest, now);
      latest = now;
      if (gone >= LASTS) return end();
      set(start + far * Math.sin((Math.PI * gone) / LASTS) ** 2, true);
      requestAnimationFrame(tick);
    };
    const root = stage.element.closest(".chaindyn");
    for (const kind of ["pointerdown", "keydown", "focusin"]) root.addEventListener(kind, end, { signal: over.signal });
    stage.ending.signal.addEventListener("abort", () => over.abort());
    requestAnimationFrame(tick);
  });
}
