// What the pages of the book need beyond the theme. Without this script everything is still there to read.
"use strict";

/** Let the keyboard reach a box that scrolls sideways, and only such a box. */
function markScrollable() {
  for (const box of document.querySelectorAll("mjx-container[display=true], div.cell_output, div.cell_output .output, div.highlight pre, .pst-scrollable-table-container")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
    } else {
      box.removeAttribute("tabindex");
    }
  }
}

/** Fold what follows the first line of a long docstring in an exported cell. Pygments marks its lines one by one. */
function foldDocstrings() {
  for (const first of document.querySelectorAll(".tag_export .cell_input .sd")) {
    if (!/^[rRbB]?("""|''')/.test(first.textContent) || first.closest(".docstring-rest")) continue;
    const quotes = first.textContent.match(/"""|'''/)[0];
    if (first.textContent.trim().split(quotes).length > 2) continue; // opened and closed on one line
    let last = first;
    do last = last.nextElementSibling; while (last && !(last.matches(".sd") && last.textContent.includes(quotes)));
    if (last) fold(first, last);
  }
}

/** Put what lies between the end of `first` and the end of `last` behind a button. */
function fold(first, last) {
  const range = document.createRange();
  range.setStartAfter(first);
  range.setEndAfter(last);
  const count = range.toString().split("\n").length - 1;
  if (count < 4) return;
  const rest = document.createElement("span");
  rest.className = "docstring-rest";
  rest.append(range.extractContents());
  const button = document.createElement("button");
  button.type = "button";
  button.className = "docstring-toggle";
  const show = (open) => {
    rest.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "less" : `${count} more lines`;
    markScrollable();
  };
  button.addEventListener("click", () => show(rest.hidden));
  addEventListener("beforeprint", () => show(true));
  // On a line of its own, in reach on a narrow screen; the copy button leaves this line out (_config.yml).
  const line = document.createElement("span");
  line.className = "docstring-fold";
  line.append(`\n${first.previousSibling?.textContent.match(/ *$/)[0] ?? ""}`, button);
  first.after(line, rest);
  show(false);
}

/** A slider of the widget manager is named by the label beside it. */
function nameSliders() {
  for (const handle of document.querySelectorAll(".noUi-handle:not([aria-label])")) {
    const label = handle.closest(".jupyter-widgets")?.querySelector(".widget-label")?.textContent;
    handle.setAttribute("aria-label", label || "value");
  }
}

document.addEventListener("DOMContentLoaded", async () => {
  foldDocstrings();
  if (document.querySelector("script[type='application/vnd.jupyter.widget-view+json']")) {
    new MutationObserver(nameSliders).observe(document.body, { childList: true, subtree: true });
  }
  // not the window's resizing: sidebars come and go after that, and by hand
  new ResizeObserver(markScrollable).observe(document.querySelector("article") ?? document.body);
  markScrollable();
  if (!window.MathJax) return;
  // The widget manager asks for formulas in the way of MathJax 2.
  window.MathJax.Hub = { Queue: ([, , element]) => window.MathJax.typesetPromise?.([element]) };
  await window.MathJax.startup?.promise;
  markScrollable();
});
