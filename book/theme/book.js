// What the pages of the book need beyond the theme. Without this script everything is still there to read.
"use strict";

/** Let the keyboard reach a box that scrolls sideways, and only such a box. */
function markScrollable() {
  /** @type {NodeListOf<HTMLElement>} */
  const boxes = document.querySelectorAll(
    "mjx-container[display=true], div.cell_output, div.cell_output .output, figure, div.highlight pre, " +
      "div.signatures, .pst-scrollable-table-container",
  );
  // all are measured before one is changed: each change would have the page laid out anew for the next
  const wide = new Set([...boxes].filter((box) => box.scrollWidth > box.clientWidth));
  for (const box of boxes) {
    if (!wide.has(box)) box.removeAttribute("tabindex");
    else if (box.tabIndex !== 0) box.tabIndex = 0;
  }
}

// Where a display may be broken, best first: at wide spaces, before relations, before plus and minus, after products.
const BREAKS = [
  "mjx-mtext",
  ["3D", "2260", "2261", "2248", "223C", "2264", "2265", "3C", "3E", "2208", "27F9", "21D2", "27F6", "2192", "21A6"],
  ["2B", "2212", "B1"],
].map((kind) =>
  typeof kind === "string" ? kind : kind.map((glyph) => `mjx-mo:has(> .mjx-c${glyph}:only-child)`).join(),
);
const SMALLEST = 0.8;

/** A display that is wider than the page is broken into lines, or, if little is missing, set smaller; what can be
    neither scrolls. */
/** @param {ParentNode} root */
function fitDisplays(root = document) {
  /** @type {NodeListOf<HTMLElement>} */
  const formulas = root.querySelectorAll("div.math mjx-container[display=true]");
  for (const formula of formulas) {
    const width = String(formula.clientWidth);
    if (width === "0" || formula.dataset.fittedTo === width) continue; // 0: in what is folded
    formula.dataset.fullSize ??= String(parseFloat(getComputedStyle(formula).fontSize));
    join(formula);
    formula.style.fontSize = `${formula.dataset.fullSize}px`;
    if (excess(formula) > 1 / 0.9) BREAKS.some((_, k) => breakInto(formula, BREAKS.slice(0, k + 1).join(), k > 0));
    const scale = Math.max(SMALLEST, 0.99 / excess(formula));
    if (excess(formula) > 1) formula.style.fontSize = `${Number(formula.dataset.fullSize) * scale}px`;
    formula.dataset.fittedTo = String(formula.clientWidth);
  }
}

/** How many times wider a display is than its place; a pixel is rounding. */
const excess = (formula) => (formula.scrollWidth - 1) / formula.clientWidth;

/** The outermost row of a display, out of the table of one cell that Sphinx puts around some. */
function outermostRow(formula) {
  let row = formula.querySelector("mjx-math");
  while (row.childElementCount === 1) {
    const [only] = row.children;
    const cells = only.matches("mjx-mtable")
      ? only.querySelectorAll(":scope > mjx-table > mjx-itable > mjx-mtr > mjx-mtd")
      : [];
    if (cells.length === 1) {
      cells[0].querySelector(":scope > mjx-tstrut")?.remove();
      only.replaceWith(...cells[0].childNodes);
    } else if (only.matches("mjx-mrow, mjx-mstyle, mjx-texatom")) row = only;
    else break;
  }
  return row;
}

/** Whether a part of a display is space, of a quad or more. */
function isWideSpace(part) {
  const space = part.matches("mjx-mspace, mjx-mstyle:has(> mjx-mspace:only-child)");
  return space && part.getBoundingClientRect().width > 0.9 * parseFloat(getComputedStyle(part).fontSize);
}

/** Break the outermost row of a display before each of some parts; true if it fits then. `apart`: what stands between
    wide spaces has lines of its own, where it does not fit on one, so that no equation begins at another's end. */
function breakInto(formula, places, apart) {
  join(formula);
  const row = outermostRow(formula);
  let [line, whole] = [null, null];
  for (const part of [...row.children]) {
    const space = isWideSpace(part);
    if (!line || space || part.matches(places) || line.matches(".break-space")) {
      if (apart && !space && (!whole || line?.matches(".break-space"))) {
        whole = document.createElement("span");
        whole.className = "break-whole";
        row.append(whole);
      }
      line = document.createElement("span");
      line.className = space ? "break-space" : "break-line";
      (space || !apart ? row : whole).append(line);
    }
    line.append(part);
  }
  formula.classList.add("broken");
  formula.classList.toggle("apart", row.querySelectorAll(":scope > .break-whole").length > 1);
  return excess(formula) <= 1;
}

/** Take the breaks out of a display. */
function join(formula) {
  formula.classList.remove("broken", "apart");
  for (const line of formula.querySelectorAll(".break-whole, .break-line, .break-space"))
    line.replaceWith(...line.childNodes);
}

/** What is fitted to the page's width is fitted anew when that changes, or something unfolds. */
function fit() {
  fitDisplays();
  markScrollable();
}

/** Where the lines of some code begin and end that fold, each with what its button says. */
function* foldable(lines) {
  const imports = importsAbove(lines);
  if (imports >= 4 && imports < lines.length) yield [0, imports, `imports, ${imports} lines`];
  for (let k = imports; k < lines.length; k++) {
    if (!lines[k].startsWith("def judge_")) continue;
    let end = k + 1;
    while (end < lines.length && !/^[^\s)]/.test(lines[end])) end++;
    while (!lines[end - 1].trim()) end--;
    const count = end - k - 1;
    if (count > 3) yield [k + 1, end, `the check: ${count} lines`];
    k = end - 1;
  }
}

/** How many lines at the top of some code only import. */
function importsAbove(lines) {
  let end = 0;
  for (let k = 0, open = false; k < lines.length; k++) {
    if (!open && lines[k].trim() && !/^(import|from) /.test(lines[k])) break;
    open = open ? !lines[k].includes(")") : lines[k].includes("(") && !lines[k].includes(")");
    if (lines[k].trim()) end = k + 1;
  }
  return end;
}

/** Fold imports above other code and the judges of exercises: whole cells are folded by the page itself
    (extensions/folding.py). */
function foldParts() {
  for (const code of document.querySelectorAll(".cell_input pre")) {
    if (code.closest("details.folded-code, .tag_solution")) continue;
    const lines = code.textContent.split("\n");
    // from below, that what is above keeps its place
    for (const [start, end, says] of [...foldable(lines)].reverse()) {
      const range = document.createRange();
      const [from, to] = [start, end].map((line) => place(code, lines, line));
      range.setStart(from.node, from.left);
      range.setEnd(to.node, to.left);
      hide(range, says, (button) => [lines[start].match(/^ */)[0], button, "\n"]);
    }
  }
}

/** The text node, and the place in it, where a line of some code begins. */
function place(code, lines, line) {
  let left = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  for (; node && left > node.textContent.length; node = walker.nextNode()) left -= node.textContent.length;
  return { node, left };
}

/** Fold what follows the first line of a long docstring in an exported cell. Pygments marks its lines one by one. */
function foldDocstrings() {
  for (const first of document.querySelectorAll(".tag_export .cell_input .sd")) {
    if (!/^[rRbB]?("""|''')/.test(first.textContent) || first.closest(".folded-lines, details.folded-code")) continue;
    const quotes = first.textContent.match(/"""|'''/)[0];
    if (first.textContent.trim().split(quotes).length > 2) continue; // opened and closed on one line
    let last = first;
    do last = last.nextElementSibling;
    while (last && !(last.matches(".sd") && last.textContent.includes(quotes)));
    if (!last) continue;
    const range = document.createRange();
    range.setStartAfter(first);
    range.setEndAfter(last);
    const count = range.toString().split("\n").length - 1;
    const indent = first.previousSibling?.textContent.match(/ *$/)[0] ?? "";
    if (count >= 4) hide(range, `${count} more lines`, (button) => [`\n${indent}`, button]);
  }
}

/** Put a part of some code behind a button, on the line that `line` makes of it. The copy button leaves that line out
    (_config.yml), and takes what is hidden. */
function hide(range, says, line) {
  const rest = document.createElement("span");
  rest.className = "folded-lines";
  rest.append(range.extractContents());
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fold-toggle";
  const show = (open) => {
    rest.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "less" : says;
  };
  button.addEventListener("click", () => show(rest.hidden));
  const own = document.createElement("span");
  own.className = "fold-line";
  own.append(...line(button));
  range.insertNode(rest);
  rest.before(own);
  show(false);
}

/** Open what is folded around the place that the address names, and the cell below the mark of what it exports. */
function openTarget() {
  let target = null;
  try {
    target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return; // an address with a stray percent sign names nothing
  }
  if (!target) return;
  // what once stood here stands elsewhere (extensions/api.py)
  const moved = /** @type {HTMLAnchorElement | null} */ (target.querySelector(":scope.moved > a"));
  if (moved) return location.replace(moved.href);
  const cell = target.matches(".exported") ? target.nextElementSibling : null;
  const inside = cell?.querySelector("details.folded-code");
  if (inside) inside.open = true;
  // a section that waits below its title is named by the section, or by a mark above the title
  const section = target.matches("section > span:empty") ? target.parentElement : target;
  /** @type {HTMLDetailsElement | null} */
  const waits = section.querySelector(":scope > details.second-reading");
  if (waits) waits.open = true;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}

/** On paper everything is open but code that steps back and what explorers fold, which go with their controls
    (book.css); what was closed is closed again afterwards. */
function openForPrint() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open], .folded-code, .chaindyn *)")];
    closed.forEach((fold) => {
      fold.open = true;
    });
  });
  addEventListener("afterprint", () =>
    closed.forEach((fold) => {
      fold.open = false;
    }),
  );
}

/** What shows where links lead (previews.js) waits until all else is there; in a file that is opened it cannot look. */
function loadPreviews() {
  const idle = window.requestIdleCallback ?? setTimeout;
  if (location.protocol.startsWith("http")) addEventListener("load", () => idle(() => import("./previews.js")));
}

/** The arrows of the sidebar, which the theme leaves without a name. */
function nameArrows() {
  for (const arrow of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    const over = arrow.closest("li")?.querySelector("a")?.textContent.trim();
    arrow.setAttribute("aria-label", `pages under ${over}`);
  }
}

document.addEventListener("DOMContentLoaded", async () => {
  nameArrows();
  foldParts();
  foldDocstrings();
  openForPrint();
  loadPreviews();
  openTarget();
  addEventListener("hashchange", openTarget);
  // to the place where the address already leads, in what was folded again meanwhile
  document.addEventListener("click", ({ target }) => {
    const link =
      target instanceof Element ? /** @type {HTMLAnchorElement | null} */ (target.closest("a[href*='#']")) : null;
    if (link?.hash && link.href === location.href) openTarget();
  });
  // not the window's resizing: sidebars come and go after that, and by hand
  new ResizeObserver(fit).observe(document.querySelector("article") ?? document.body);
  markScrollable();
  if (!window.MathJax) return;
  // The widget manager asks for formulas in the way of MathJax 2.
  window.MathJax.Hub = { Queue: ([, , element]) => window.MathJax.typesetPromise?.([element]) };
  await window.MathJax.startup?.promise;
  fit();
});
