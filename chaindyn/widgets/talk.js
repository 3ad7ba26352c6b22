// The talk with Python, and the frame around an explorer.

import { html } from "./elements.js";

/**
 * What anywidget hands a view.
 * @typedef {object} Model
 * @property {(key: string) => any} get
 * @property {(key: string, value: any) => void} set
 * @property {(event: string, listener: () => void) => void} on
 * @property {(event: string, listener: () => void) => void} off
 * @property {() => void} save_changes
 */

/**
 * What is shown: values by name, what went wrong, and where the values are from.
 * @typedef {{ values: any, error?: string, source: string }} Result
 */

// Keeps one view in step with the model: `embedded` computes from the page's own data, which `data` names, what
// Python would answer; `show` draws. What Python answered is shown if there is a Python that answers; every request
// is numbered, to know.
export class Talk {
  /**
   * @param {Model} model
   * @param {{ embedded: (request: any) => any, data: string, show: () => void }} own
   */
  constructor(model, { embedded, data, show }) {
    this.model = model;
    this.embedded = embedded;
    this.data = data;
    this.live = false;
    this.patience = 1500;
    /** @type {number | null} */
    this.frame = null;
    this.alarm = 0;
    this.update = () => {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        show();
      });
    };
    this.heard = () => {
      this.live = true;
      if (this.answer.serial >= this.request.serial) clearTimeout(this.alarm);
      this.update();
    };
    model.on("change:answer", this.heard);
    model.on("change:request", this.update);
    this.again = () => this.ask(); // when the reader has redefined what the page computes by
    this.redefined = () => this.again();
    addEventListener("chaindyn-physics", this.redefined);
  }
  get request() {
    return this.model.get("request");
  }
  get answer() {
    return this.model.get("answer");
  }
  ask(change = {}) {
    this.model.set("request", { ...this.request, ...change, serial: this.request.serial + 1 });
    this.model.save_changes();
    clearTimeout(this.alarm);
    this.alarm = setTimeout(() => {
      this.live = false;
      this.update();
    }, this.patience);
    this.update();
  }
  // {values, error, source}: what to draw (of an answer that failed, the page's own), and in words where it is from.
  /** @returns {Result} */
  result() {
    const functions = this.model.get("scene").functions.join(", ");
    const { values, error } = this.answer;
    if (this.live && values) return { values, source: `Computed by Python with your ${functions}.` };
    const yours = globalThis.chaindynPhysics?.names.join(", ");
    if (yours && !this.live)
      return { values: this.embedded(this.request), error: "", source: `Computed by the page with your ${yours}.` };
    const own = `computed by the page from ${this.data}.`;
    const source = this.live
      ? `Python reports an error: ${own}`
      : `All of this is ${own} In a notebook, Python answers, with your ${functions}.`;
    return { values: this.embedded(this.request), error: this.live ? error : "", source };
  }
  close() {
    clearTimeout(this.alarm);
    this.model.off("change:answer", this.heard);
    this.model.off("change:request", this.update);
    removeEventListener("chaindyn-physics", this.redefined);
  }
}

// The frame around an explorer: the picture as wide as the card, below it what it says in short, then the controls and
// folded tables; behind an "i" where the numbers are from, and before all eyes where they are not the page's own;
// errors, and for screen readers the numbers in words, said once the reader rests. `beside`: what is pointed at, a
// matrix or a map, lights up in the picture, and stands beside it where there is room. Returns what shows them.
/**
 * @param {HTMLElement} el
 * @param {import("./stage.js").LitStage} stage
 * @param {Node[]} controls
 * @param {HTMLElement} short
 * @param {{ beside?: boolean }} look
 * @returns {(result: Result, words: string) => void}
 */
export function layout(el, stage, controls, short, { beside = false } = {}) {
  const source = html("p", { class: "source" });
  const error = html("p", { class: "error", role: "alert" });
  const spoken = html("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const views = stage.views(); // behind its "i" stands where the numbers are from
  views.append(source);
  const picture = html("div", {}, stage.element, error, short, views, spoken);
  const columns = html("div", { class: beside ? "columns beside" : "columns" }, picture, html("div", {}, ...controls));
  el.append(html("div", { class: "chaindyn" }, columns));
  // A key pressed here is not JupyterLab's, which looks for this mark on whatever has the focus.
  const focusable = columns.querySelectorAll("[tabindex], button, input, select, summary");
  for (const element of focusable) element.setAttribute("data-lm-suppress-shortcuts", "true");
  let rest;
  return (result, words) => {
    source.textContent = result.source;
    const own = result.source.startsWith("All of this");
    if (views.contains(source) !== own) (own ? views : picture).append(source);
    error.textContent = result.error ?? "";
    clearTimeout(rest);
    rest = setTimeout(() => {
      spoken.textContent = words;
    }, 700);
  };
}
