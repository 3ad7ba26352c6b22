// What the book adds to JupyterLab: words for the pictures that cells draw; names, and keys of their own, for
// sliders; a way in for the keyboard where an output scrolls; a way back to the page, what to do at an exercise that
// the page led to (`exercise` in the address), and trust in the book's own notebooks.
"use strict";

/** A picture is described by its cell, as on the site: metadata mystnb.image.alt. */
function describePictures() {
  for (const image of /** @type {NodeListOf<HTMLImageElement>} */ (
    document.querySelectorAll(".jp-OutputArea-output img:not([alt])")
  )) {
    const cells = window.jupyterapp?.shell.currentWidget?.content.widgets ?? [];
    const metadata = cells.find((cell) => cell.node.contains(image))?.model.metadata;
    image.alt = metadata?.mystnb?.image?.alt ?? "What this cell draws; its code says how";
  }
}

/** The label beside a slider is its name, and its arrow keys do not move the notebook's cursor. */
function mindSliders() {
  for (const handle of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(".noUi-handle:not([aria-label])")
  )) {
    const label = handle.closest(".jupyter-widgets")?.querySelector(".widget-label")?.textContent;
    handle.setAttribute("aria-label", label || "value");
    handle.dataset.lmSuppressShortcuts = "true";
  }
}

/** Let the keyboard reach an output that scrolls. */
function markScrollable() {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(".jp-OutputArea-output, .jp-OutputArea-output pre")
  )) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }
}

const asked = new URLSearchParams(location.search); // JupyterLab writes an address of its own later
const exercise = asked.get("exercise");

function made(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** What a cell is, whoever holds it: its text, and what it shows. Jupyter's files break text into lines. */
function cellKey({ cell_type, source, attachments = {}, outputs = [] }) {
  const plain = (value) => {
    if (Array.isArray(value)) return value.every((x) => typeof x === "string") ? value.join("") : value.map(plain);
    if (value === null || typeof value !== "object") return value;
    return Object.keys(value)
      .sort()
      .map((key) => [key, plain(value[key])]);
  };
  const shown = outputs.map(({ execution_count, ...rest }) => plain(rest));
  return JSON.stringify([cell_type, plain(source), plain(attachments), shown]);
}

/** Trust the cells that are the book's own, whatever name the notebook has: what else it holds must be run first. */
async function trustOwn(panel, page) {
  const answer = await fetch(new URL(`../files/${page}.ipynb`, location.href));
  if (!answer.ok) return;
  const own = new Set((await answer.json()).cells.map(cellKey));
  for (const cell of panel.content.model.cells) if (own.has(cellKey(cell.toJSON()))) cell.trusted = true;
}

/** Once its notebook is there: the cells of the book are trusted, the toolbar leads back, an exercise is shown. */
async function arrive() {
  const page = asked.get("path")?.match(/^(?:chapters|book)\/[\w-]+(?=\.ipynb$)/)?.[0];
  if (!page) return;
  const panel = await notebookPanel();
  await trustOwn(panel, page);
  const address = new URL(`../../${page}.html${asked.get("at") ? `#${asked.get("at")}` : ""}`, location.href);
  const back = made("a", { class: "book-back", href: address.href }, "\u2190 Back to the page");
  back.style.cssText = "align-self: center; margin: 0 12px; color: var(--jp-content-link-color)";
  panel.toolbar.node.prepend(back);
  if (exercise) showExercise(panel);
}

async function notebookPanel() {
  for (;;) {
    const panel = window.jupyterapp?.shell?.currentWidget;
    if (panel?.content?.model?.cells?.length && panel.context?.isReady && panel.toolbar) return panel;
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Go to the cell of the exercise, and say what to do there. */
function showExercise(panel) {
  const notebook = panel.content;
  const cells = notebook.widgets.map((cell) => cell.model.sharedModel.getSource());
  const start = cells.findIndex((text) => text.startsWith(`#### Exercise ${exercise}:`));
  if (start < 0) return;
  const types = notebook.widgets.map((cell) => cell.model.type);
  const after = types.findIndex((type, k) => k > start && type === "code");
  const next = cells.findIndex((text, k) => k > start && text.startsWith("#### "));
  const own = after > 0 && (next < 0 || after < next);
  notebook.activeCellIndex = own ? after : start;
  const show = () => notebook.widgets[start].node.scrollIntoView({ block: "start" });
  show();
  setTimeout(show, 1500); // formulas and pictures above have come by then
  const above = () => {
    notebook.activeCellIndex = own ? after : start;
    void jupyterapp.commands.execute("notebook:run-all-above").then(show);
  };
  const button = (text, onclick) =>
    made("button", { type: "button", class: "jp-mod-styled jp-mod-accept", onclick }, text);
  const words = own
    ? "Run the cells above once, write your answer in the selected cell, and run it with Shift and Enter: it " +
      "says whether the answer is right."
    : "Run the cells above once, add a cell below the exercise, and try what you like.";
  const note = made(
    "aside",
    { class: "book-exercise", "aria-label": `Exercise ${exercise}` },
    made("strong", {}, `Exercise ${exercise}. `),
    `${words} Your work is saved by itself, in this browser. `,
  );
  note.append(
    button("Run the cells above", above),
    " ",
    button("Close", () => note.remove()),
  );
  note.style.cssText =
    "position: fixed; z-index: 100; right: 16px; bottom: 16px; max-width: min(26rem, calc(100vw - 64px)); " +
    "padding: 12px 16px; font: 14px/1.5 var(--jp-ui-font-family); color: var(--jp-ui-font-color1); " +
    "background: var(--jp-layout-color1); border: 1px solid var(--jp-border-color1); box-shadow: " +
    "var(--jp-elevation-z8)";
  document.body.append(note);
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
  void arrive();
});
