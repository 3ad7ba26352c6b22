// Symbols in the formulas around a picture, and the arrows that stand for them: each lights the other.

import { html } from "./elements.js";

// What MathJax made of a formula, as nested names of its parts: equal for equal symbols, wherever they stand.
function outline(element) {
  const inner = [...element.children].filter((child) => child.localName !== "mjx-assistive-mml").map(outline);
  const glyph = element.localName === "mjx-c" ? element.className.match(/mjx-c[0-9A-F]+/)?.[0] : "";
  if (inner.length === 1 && ["mjx-texatom", "mjx-mrow", "mjx-mstyle"].includes(element.localName)) return inner[0];
  return `${element.localName}${glyph}(${inner})`;
}

const SCRIPTS = "mjx-msub, mjx-msup, mjx-msubsup";

// Whether an element is what carries an index or an accent: v in v_O is no v.
function carries(element) {
  const around = element.parentElement;
  if (around.localName === "mjx-base") return true;
  if (around.localName === "mjx-texatom" && around.childElementCount === 1) return carries(around);
  return around.matches(SCRIPTS) && around.firstElementChild === element;
}

// Where a symbol that MathJax has set stands in the formulas of an element.
function placesOf(sign, root) {
  const wanted = outline(sign.querySelector("mjx-math")).replace(/^mjx-math\((.*)\)$/, "$1");
  const kind = wanted.match(/^[a-z-]+/)?.[0];
  if (!kind) return [];
  return [...root.querySelectorAll(`mjx-container:not([data-key]) ${kind}`)].filter(
    (element) => outline(element) === wanted && !carries(element),
  );
}

// When MathJax has set the page's formulas; false where there is none.
async function formulasAreSet() {
  if (!globalThis.MathJax) return false;
  if (!globalThis.MathJax.startup && document.readyState !== "complete")
    await new Promise((done) => addEventListener("load", done, { once: true }));
  if (!globalThis.MathJax.tex2chtmlPromise) return false;
  await globalThis.MathJax.startup.promise;
  return true;
}

// The symbols of one picture. `marks` are what stands for one: {symbol, name, words, colour}; `update` draws again,
// with `lit`, the symbol that is pointed at. Its `element` is the key: one stop of the tab key, arrow keys go from
// one to the next; `others`, which stand for no symbol, are only told. `ask(mark)` is called where one is pressed.
export class Symbols {
  constructor(marks, others, update, ask = (_mark) => {}) {
    this.ask = ask;
    this.marks = marks;
    this.update = update;
    this.lit = null;
    this.places = new Map();
    this.over = new AbortController();
    this.items = marks.map((mark, k) => this.item(mark, k));
    this.element = html(
      "div",
      { class: "symbols", role: "group", "aria-label": "Key" },
      ...this.items,
      ...others.map((mark) => this.plain(mark)),
    );
  }
  plain({ name, words, colour }) {
    return html("span", { class: "plain" }, html("span", { class: `sign ${colour}` }, name || "\u2014"), ` ${words}`);
  }
  item({ symbol, name, words, colour }, k) {
    const sign = html("span", { class: `sign ${colour}` }, name || symbol);
    return html(
      "button",
      {
        type: "button",
        "data-symbol": symbol,
        tabindex: k ? -1 : 0,
        "aria-pressed": "false",
        onpointerenter: () => this.light(symbol),
        onpointerleave: () => this.light(null),
        onfocus: (event) => event.target.matches(":focus-visible") && this.light(symbol),
        onblur: () => this.light(null),
        onclick: () => {
          this.light(symbol);
          this.ask(this.marks[k]);
        },
        onkeydown: (event) => this.key(event, k),
      },
      sign,
      ` ${words || name}`,
    );
  }
  key(event, k) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = this.items[(k + step + this.items.length) % this.items.length];
    this.items.forEach((item) => {
      item.tabIndex = item === next ? 0 : -1;
    });
    next.focus();
  }
  light(symbol) {
    if (this.lit === symbol) return;
    this.lit = symbol;
    this.items.forEach((item, k) => item.setAttribute("aria-pressed", String(this.marks[k].symbol === symbol)));
    for (const [own, places] of this.places) places.forEach((place) => place.classList.toggle("lit", own === symbol));
    this.update();
  }
  // Say beside symbols of the text what they are now: a map of texts.
  report(now) {
    for (const [own, places] of this.places)
      for (const place of places) {
        place.classList.toggle("told", now.has(own));
        if (now.has(own)) place.dataset.now = now.get(own);
      }
  }
  // Find the symbols in the section around an element, give them the colours of their marks, and follow the pointer
  // over them.
  async findAround(el) {
    const root = el.closest("section, article");
    if (!root || !this.marks.length || !(await formulasAreSet()) || this.over.signal.aborted) return;
    const { signal } = this.over;
    for (const [k, { symbol, colour }] of this.marks.entries()) {
      const sign = await globalThis.MathJax.tex2chtmlPromise(symbol, { display: false });
      sign.dataset.key = "";
      const places = placesOf(sign, root);
      for (const place of places) {
        place.classList.add("means", colour);
        place.dataset.symbol = symbol;
        place.addEventListener("pointerenter", () => this.light(symbol), { signal });
        place.addEventListener("pointerleave", () => this.light(null), { signal });
      }
      this.places.set(symbol, places);
      this.items[k].firstElementChild.replaceChildren(sign);
    }
    globalThis.MathJax.chtmlStylesheet(); // with the glyphs of the key
  }
  close() {
    this.over.abort();
    for (const places of this.places.values())
      places.forEach((place) => place.classList.remove("means", "lit", "told"));
  }
}
