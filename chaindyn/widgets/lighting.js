// When the stage of an explorer is lit, and when it begins to move.

import { World } from "./world.js";

const THREE_AT = () => document.documentElement.dataset.stage; // where the site has three.js; other places have none

// Wait until the picture comes near and the page is painted, then light it, if that can be done here.
export function lightOnceNear(stage) {
  if (!THREE_AT()) return;
  const { signal } = stage.ending;
  const near = new IntersectionObserver(
    (seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      const light = () => lightNow(stage);
      // also where the page never rests
      window.requestIdleCallback ? requestIdleCallback(light, { timeout: 500 }) : setTimeout(light);
    },
    { rootMargin: "50%" },
  );
  near.observe(stage.element);
  signal.addEventListener("abort", () => near.disconnect());
}

async function lightNow(stage) {
  const context = stage.canvas.getContext("webgl2", { alpha: true, antialias: true });
  if (!context) return;
  try {
    const three = await import(THREE_AT());
    if (stage.ending.signal.aborted) return;
    stage.world = new World(three, stage.canvas, context, stage.element);
  } catch {
    return; // the strokes serve on
  }
  stage.turnOn(true);
  keepUp(stage);
}

// Draw anew where the page changes: its colours, its size, its print; and where the context of WebGL is lost.
function keepUp(stage) {
  const { signal } = stage.ending;
  stage.canvas.addEventListener(
    "webglcontextlost",
    (event) => {
      event.preventDefault();
      stage.turnOn(false);
    },
    { signal },
  );
  stage.canvas.addEventListener("webglcontextrestored", () => stage.turnOn(true), { signal });
  addEventListener(
    "beforeprint",
    () => {
      stage.turnOn(false);
      stage.again();
    },
    { signal },
  );
  addEventListener("afterprint", () => stage.turnOn(true), { signal });
  const repaint = () => {
    stage.world.palette = null;
    stage.redraw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal });
  const changes = new MutationObserver(repaint);
  for (const element of [document.documentElement, document.body])
    changes.observe(element, { attributeFilter: ["data-theme", "data-mode", "data-jp-theme-light"] });
  const sizes = new ResizeObserver(() => {
    stage.world.size = null;
    stage.again();
  });
  sizes.observe(stage.canvas);
  signal.addEventListener("abort", () => {
    changes.disconnect();
    sizes.disconnect();
  });
}

// Begin to move when most of the picture is first in sight, for readers who do not mind that, unless they were
// quicker and took hold of something.
export function playOnceSeen(stage, play) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const root = stage.element.closest(".chaindyn");
  const watcher = new IntersectionObserver(
    (seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      over.abort();
      play();
    },
    { threshold: 0.6 },
  );
  const over = new AbortController();
  over.signal.addEventListener("abort", () => watcher.disconnect());
  stage.ending.signal.addEventListener("abort", () => over.abort());
  for (const kind of ["pointerdown", "keydown", "focusin"])
    root.addEventListener(kind, () => over.abort(), { signal: over.signal });
  watcher.observe(stage.element);
}
