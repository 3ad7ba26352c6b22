// What the book adds to JupyterLab: words for the pictures that cells draw; names, and keys of their own, for
// sliders; and a way in for the keyboard where an output scrolls.
"use strict";

/** A picture is described by its cell, as on the site: metadata mystnb.image.alt. */
function describePictures() {
  for (const image of document.querySelectorAll(".jp-OutputArea-output img:not([alt])")) {
    const cells = window.jupyterapp?.shell.currentWidget?.content.widgets ?? [];
    const metadata = cells.find((cell) => cell.node.contains(image))?.model.metadata;
    image.alt = metadata?.mystnb?.image?.alt ?? "What this cell draws; its code says how";
  }
}

/** The label beside a slider is its name, and its arrow keys do not move the notebook's cursor. */
function mindSliders() {
  for (const handle of document.querySelectorAll(".noUi-handle:not([aria-label])")) {
    const label = handle.closest(".jupyter-widgets")?.querySelector(".widget-label")?.textContent;
    handle.setAttribute("aria-label", label || "value");
    handle.dataset.lmSuppressShortcuts = "true";
  }
}

/** Let the keyboard reach an output that scrolls. */
function markScrollable() {
  for (const box of document.querySelectorAll(".jp-OutputArea-output, .jp-OutputArea-output pre")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }
}

let waiting = false;
function lookAround() {
  if (waiting) return;
  waiting = true;
  setTimeout(() => {
    waiting = false;
    describePictures();
    mindSliders();
    markScrollable();
  }, 100);
}

document.addEventListener("DOMContentLoaded", () => {
  addEventListener("resize", lookAround);
  new MutationObserver(lookAround).observe(document.body, { childList: true, subtree: true });
});
