// What a chapter remembers of a reader, in this browser alone: which exercises are solved, which second readings are
// open, and where the reading stopped. Without this script, and where nothing may be kept, all is still there to read.
"use strict";

(() => {
  const SOLVED = "chaindyn-solved";
  const OPENED = "chaindyn-opened";

  /** What is kept under a name; null where it is nothing that was written here. */
  function kept(name) {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  }

  /** Keep a set under a name. */
  function keep(name, all) {
    try {
      localStorage.setItem(name, JSON.stringify([...all]));
    } catch {
      // full, or forbidden: it holds until the page is left
    }
  }

  const setOf = (name) => new Set([kept(name) ?? []].flat());
  const solved = setOf(SOLVED);

  function mark(exercise, is) {
    if (is) solved.add(exercise);
    else solved.delete(exercise);
    keep(SOLVED, solved);
    show();
  }

  /** @type {() => NodeListOf<HTMLElement>} */
  const folds = () => document.querySelectorAll(".folded-exercise");

  /** Say of each exercise whether it is solved, and of each list how many are. */
  function show() {
    for (const fold of folds()) {
      const is = solved.has(fold.dataset.exercise);
      fold.classList.toggle("solved", is);
      /** @type {HTMLInputElement | null} */
      const box = fold.querySelector(".mark-solved input");
      if (box) box.checked = is;
      const sign = fold.querySelector("summary .sign");
      if (sign && sign.textContent !== (is ? " · solved" : "")) sign.textContent = is ? " · solved" : "";
    }
    /** @type {NodeListOf<HTMLElement>} */
    const counts = document.querySelectorAll(".solved-count");
    for (const count of counts) {
      const all = count.dataset.exercises.split(" ");
      const done = all.filter((one) => solved.has(one)).length;
      count.textContent = done ? `, ${done} of ${all.length} solved` : "";
    }
  }

  /** Below each exercise a box to tick; what the check takes as right ticks it. */
  function offer() {
    for (const fold of folds()) {
      const box = Object.assign(document.createElement("input"), { type: "checkbox" });
      box.addEventListener("change", () => mark(fold.dataset.exercise, box.checked));
      const label = document.createElement("label");
      label.className = "mark-solved";
      label.append(box, " I have solved it");
      const sign = document.createElement("span");
      sign.className = "sign";
      fold.querySelector("summary .line").append(sign);
      fold.append(label);
    }
  }

  /** What is for a second reading opens by its title too, and stays as the reader left it. */
  function stayOpen() {
    const before = setOf(OPENED);
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const waiting = document.querySelectorAll("details.second-reading");
    for (const waits of waiting) {
      const section = waits.parentElement;
      const name = `${location.pathname}#${section.id}`;
      if (before.has(name)) waits.open = true;
      waits.addEventListener("toggle", () => {
        const all = setOf(OPENED); // other pages may have added to it
        if (waits.open) all.add(name);
        else all.delete(name);
        keep(OPENED, all);
      });
      section.querySelector(":scope > :is(h2, h3)").addEventListener("click", ({ target }) => {
        if (target instanceof Element && !target.closest("a")) waits.open = true;
      });
    }
  }

  /** The minutes of each section beside its title in the contents. */
  function timesInContents() {
    for (const heading of document.querySelectorAll("article section > h2:has(.minutes)")) {
      const time = heading.querySelector(".minutes");
      const links = document.querySelectorAll(`.toc-h2 > a[href="#${CSS.escape(heading.parentElement.id)}"]`);
      for (const link of links) link.append(" ", time.cloneNode(true)); // beside the text, and in a drawer
    }
  }

  /** On the opening page: the place where the reading stopped. */
  function goOn() {
    const place = kept("chaindyn-place");
    const heading = document.querySelector("article h1");
    if (!place?.pathname || !heading || !/(^|\/)book\/intro(\.html)?$/.test(location.pathname)) return;
    const line = document.createElement("p");
    line.className = "go-on";
    const link = document.createElement("a");
    link.href = `${place.pathname}#${place.id}`;
    link.textContent = `${place.title} · ${place.section}`;
    line.append("Go on where you stopped: ", link);
    heading.after(line);
  }

  document.addEventListener("DOMContentLoaded", () => {
    stayOpen();
    offer();
    show();
    timesInContents();
    goOn();
  });
  addEventListener("chaindyn:solved", (event) => mark(/** @type {CustomEvent} */ (event).detail, true));
  addEventListener("storage", ({ key }) => {
    if (key !== SOLVED) return;
    solved.clear();
    for (const one of kept(SOLVED) ?? []) solved.add(one);
    show();
  });
})();
