// Boxes that fold, and tables on a narrow screen. Without this script they are open, and scroll.
"use strict";

/** Let a click on any word in the title of a box that folds do what its button does, and give that button a name. The
    theme's script knows the button and the bare title alone. */
function foldByTitle() {
  let exercise = "";
  for (const box of document.querySelectorAll(".exercise, .admonition.toggle")) {
    const title = box.querySelector(".admonition-title");
    // the exercise stands right above: a link to it would be in the way of a finger
    if (box.matches(".toggle")) for (const link of title.querySelectorAll("a")) link.replaceWith(...link.childNodes);
    const words = title.textContent.replace(/\s+/g, " ").trim();
    /** @type {HTMLElement | null} */
    const button = title.querySelector(".toggle-button");
    if (box.matches(".exercise")) exercise = words.match(/^Exercise [\d.]+\d/)?.[0] ?? "";
    if (!button) continue;
    button.setAttribute("aria-label", exercise && words === "Hint" ? `Hint to ${exercise}` : words);
    title.addEventListener(
      "click",
      (event) => {
        const { target } = event;
        if (!(target instanceof Element) || target === title || target.closest("button")) return;
        event.stopImmediatePropagation();
        button.click();
      },
      true,
    );
  }
}

const WORDY = 24; // characters of a cell from which on a table is read row by row, and not along its columns

/** Tables of words that are too wide for their place: each row becomes a card, whose lines say their columns. */
function tablesAsCards() {
  /** @type {NodeListOf<HTMLTableElement>} */
  const tables = document.querySelectorAll("article table.table");
  for (const table of tables) {
    const room = table.parentElement.clientWidth;
    if (!room || table.dataset.fittedTo === String(room)) continue;
    table.dataset.fittedTo = String(room);
    table.classList.remove("cards");
    if (table.offsetWidth <= room + 1 || !isWordy(table)) continue;
    nameCells(table);
    table.classList.add("cards");
  }
}

const isWordy = (table) =>
  table.tHead?.rows.length === 1 && [...table.querySelectorAll("td")].some((cell) => cell.textContent.length > WORDY);

const isShort = (cell) => cell.textContent.length <= 12 && !cell.querySelector("mjx-container, .math, code");

/** Say of each cell its column, and what it is: shown as cards, a table loses its meaning for screen readers. */
function nameCells(table) {
  if (table.hasAttribute("role")) return;
  table.setAttribute("role", "table");
  for (const part of [table.tHead, ...table.tBodies]) part.setAttribute("role", "rowgroup");
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) head.setAttribute("role", "columnheader");
  const columns = heads.map((_, k) => [...table.tBodies].flatMap(({ rows }) => [...rows].map((row) => row.cells[k])));
  const short = columns.map((cells, k) => k > 0 && cells.every((cell) => !cell || isShort(cell)));
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    [...row.cells].forEach((cell, k) => {
      if (heads.includes(cell)) return;
      cell.setAttribute("role", "cell");
      cell.classList.toggle("short", short[k] && short.filter(Boolean).length > 2);
      cell.dataset.column = heads[k]?.textContent.trim() ?? "";
      cell.classList.toggle(
        "empty",
        /^[\s–—-]*$/.test(cell.textContent) && !cell.querySelector("img, svg, mjx-container"),
      );
    });
  }
}

document.addEventListener("DOMContentLoaded", () => {
  foldByTitle();
  new ResizeObserver(tablesAsCards).observe(document.querySelector("article") ?? document.body);
});
