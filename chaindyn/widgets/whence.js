// Where a number comes from: a button on the number, and a panel that opens the steps behind it.

import { button, html } from "./elements.js";

/**
 * A step: a number by its name with its value now, the page's own line, the same with numbers, what it rests on, and
 * links to the laws in it. `words` stand for those that have no line.
 * @typedef {object} Step
 * @property {string} name
 * @property {string} value
 * @property {string} [line]
 * @property {string} [formula]
 * @property {string} [words]
 * @property {[string, string][]} [laws] what a link says, and the page of the book
 * @typedef {{ steps: Step[], sentence: string, at: number[], lit?: Map<string, string> }} Origin
 * @typedef {{ key: string, name: string, origin: () => Origin, button?: HTMLElement }} Asked
 */

const PREFIX = "#where=";
const short = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
export const keyOf = (...texts) => texts.map(short).join(".");

// What an address asks for: a number's key, and where the sliders stood.
export function askedIn(hash) {
  if (!hash.startsWith(PREFIX)) return null;
  const [key, at] = hash.slice(PREFIX.length).split("&at=");
  const numbers = at ? at.split(",").map(Number) : [];
  return { key, at: numbers.every(Number.isFinite) ? numbers : [] };
}

// A page of the book; null where there is no book around, as in a notebook.
function pageOf(page) {
  const root = document.documentElement.dataset.content_root;
  return root === undefined ? null : `${root}chapters/${page}`;
}

const linkTo = ([text, page]) => {
  const href = pageOf(page);
  return href ? html("a", { href }, text) : html("span", {}, text);
};

// The cell of the page before a panel, or around it, in which a line stands.
function cellOf(line, panel) {
  const bare = (text) => text.replace(/\s+/g, "");
  const first = bare(line.match(/^def \w+\(/)?.[0] ?? line.split("; ")[0]);
  const stands = (code) => bare(code.textContent).includes(first);
  const before = (code) => code.compareDocumentPosition(panel) & Node.DOCUMENT_POSITION_FOLLOWING;
  const cells = [...document.querySelectorAll(".cell_input pre")];
  return cells.findLast((code) => before(code) && stands(code))?.closest(".cell");
}

// A link to that cell, whose fold it opens; null where there is none, as in a notebook.
function linkToCell(line, panel) {
  const cell = cellOf(line, panel);
  if (!cell) return null;
  cell.id ||= `cell-${[...document.querySelectorAll(".cell")].indexOf(cell) + 1}`;
  const open = () => cell.querySelector("details.folded-code")?.setAttribute("open", "");
  return html("a", { href: `#${cell.id}`, onclick: open }, "its cell");
}

// Arrow keys go from one of some buttons to the next; they are one stop of the tab key.
/** @param {KeyboardEvent} event @param {HTMLElement} own @param {HTMLElement[]} buttons */
export function goOn(event, own, buttons) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const next = buttons[(buttons.indexOf(own) + step + buttons.length) % buttons.length];
  for (const each of buttons) each.tabIndex = each === next ? 0 : -1;
  next.focus();
}

// The panel of one picture, which `asks` may open. `restore` takes the numbers of an address.
export class Whence {
  /** @param {(numbers: number[]) => void} restore @param {(lit: Map<string, string>) => void} light */
  constructor(restore, light = () => {}) {
    this.restore = restore;
    this.light = light;
    /** @type {Map<string, Asked>} */
    this.asks = new Map();
    /** @type {Asked | null} */
    this.open = null;
    this.title = html("p", { class: "title" });
    this.list = html("ol", {});
    this.link = html("a", {}, "Link to this");
    const foot = html(
      "p",
      {},
      this.link,
      " ",
      button("Close", () => this.close()),
    );
    // no section: on a slide, reveal.js would take it for a slide of its own
    this.panel = html("div", { class: "whence", role: "region", hidden: "" }, this.title, this.list, foot);
    this.spoken = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.element = html("div", { onkeydown: (event) => this.key(event) }, this.panel, this.spoken);
    this.over = new AbortController();
    addEventListener("hashchange", () => this.follow(), { signal: this.over.signal });
  }
  // A button on a number, which `content` shows.
  /** @param {Asked} asked */
  ask(asked, ...content) {
    const own = html(
      "button",
      {
        type: "button",
        class: "asks",
        "aria-expanded": String(this.open === asked),
        onclick: () => this.toggle(asked),
      },
      ...content,
    );
    this.join(asked, own);
    return own;
  }
  // A button that is there already may ask too.
  /** @param {Asked} asked @param {HTMLElement} own */
  join(asked, own) {
    asked.button = own;
    this.asks.set(asked.key, asked);
    own.addEventListener("keydown", (event) => this.key(event));
  }
  /** @param {Asked} asked */
  toggle(asked) {
    if (this.open === asked) this.close();
    else this.show(asked);
  }
  key(event) {
    if (event.key !== "Escape" || !this.open) return;
    event.stopPropagation();
    this.close();
  }
  /** @param {Asked} asked */
  show(asked) {
    this.open?.button?.setAttribute("aria-expanded", "false");
    this.open = asked;
    asked.button?.setAttribute("aria-expanded", "true");
    this.panel.hidden = false;
    this.panel.setAttribute("aria-label", `Where ${asked.name} comes from`);
    this.title.textContent = `Where ${asked.name} comes from`;
    const { steps, sentence } = asked.origin();
    this.rows = steps.map((step) => rowOf(step, this.panel));
    this.list.replaceChildren(...this.rows.map(({ element }) => element));
    this.spoken.textContent = sentence;
    this.refresh();
  }
  // Show the values of now.
  refresh() {
    if (!this.open) return;
    const { steps, at, lit = new Map() } = this.open.origin();
    steps.forEach((step, k) => this.rows[k]?.refresh(step));
    const numbers = at.map((x) => Number(x.toFixed(4))).join(",");
    this.link.setAttribute("href", `${PREFIX}${this.open.key}&at=${numbers}`);
    this.light(lit);
  }
  close() {
    const asked = this.open;
    if (!asked) return;
    this.open = null;
    this.panel.hidden = true;
    this.spoken.textContent = "";
    asked.button?.setAttribute("aria-expanded", "false");
    asked.button?.focus();
    this.light(new Map());
  }
  // Open what the page's address asks for.
  follow() {
    const wanted = askedIn(location.hash);
    const asked = wanted && this.asks.get(wanted.key);
    if (!asked || this.open === asked) return;
    if (wanted.at.length) this.restore(wanted.at);
    for (let fold = this.element.closest("details"); fold; fold = fold.parentElement.closest("details"))
      fold.open = true;
    this.show(asked);
    asked.button?.scrollIntoView({ block: "center" });
  }
  end() {
    this.over.abort();
  }
}

// A step of the panel, and how it is shown anew.
/** @param {Step} step @param {HTMLElement} panel */
function rowOf({ name, line, words, laws = [] }, panel) {
  const [value, formula] = [html("output"), html("span", { class: "formula" })];
  const cell = line && linkToCell(line, panel);
  const links = [...laws.map(linkTo), ...(cell ? [cell] : [])].flatMap((link) => [" ", link]);
  const element = html(
    "li",
    {},
    html("span", { class: "of" }, name),
    " ",
    value,
    ...(words ? [html("p", {}, words, ...links)] : []),
    ...(line ? [html("p", {}, html("code", {}, line), ...(words ? [] : links))] : []),
    formula,
  );
  const refresh = (step) => {
    value.textContent = step.value;
    formula.textContent = step.formula ?? "";
  };
  return { element, refresh };
}
