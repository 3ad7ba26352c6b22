// The explorers of a page, which follow what the reader redefines.

import { element } from "./elements.js";

/** The explorers of a page, which compute by what the reader redefines, as widgets/physics.js does for them. */
export class Followers {
  constructor(python, followed) {
    this.python = python;
    this.any = Object.keys(followed).length > 0;
    this.codes = new Map(); // by cell, as it last ran
    this.own = null; // {names, runs}: recorded with the reader's definitions
  }
  async take(name, code, heard) {
    if (!this.any) return;
    this.codes.set(name, code);
    const { how, result } = await this.python.ask({ codes: [...this.codes.values()] }, heard);
    if (how !== "done") return;
    this.own = result && { names: result.names, runs: (await moduleOf(result.text)).runs };
    this.use(Boolean(this.own));
    this.offer();
  }
  /** Let all explorers compute by the reader's functions, or by the book's. */
  use(own) {
    const { names, runs } = own ? this.own : { names: [], runs: {} };
    globalThis.chaindynPhysics = { names, runs, version: (globalThis.chaindynPhysics?.version ?? 0) + 1 };
    dispatchEvent(new Event("chaindyn-physics"));
  }
  /** Above each explorer, the choice between the two. */
  offer() {
    document.querySelectorAll(".try-choice").forEach((old) => old.remove());
    if (!this.own) return;
    document.querySelectorAll("article .chaindyn:not(.sketch)").forEach((explorer, k) => {
      const choice = (text, own) => {
        const input = element("input", {
          type: "radio",
          name: `try-choice-${k}`,
          onchange: () => {
            this.use(own);
            this.mark(own);
          },
        });
        input.value = own ? "yours" : "book";
        return element("label", {}, input, ` ${text}`);
      };
      const label = "This explorer computes by";
      explorer.before(
        element(
          "div",
          { class: "try-choice", role: "radiogroup", "aria-label": label },
          `${label} `,
          choice(`your ${this.own.names.join(", ")}`, true),
          choice("the book\u2019s", false),
        ),
      );
    });
    this.mark(true);
  }
  mark(own) {
    /** @type {NodeListOf<HTMLInputElement>} */
    const inputs = document.querySelectorAll(".try-choice input");
    for (const input of inputs) input.checked = (input.value === "yours") === own;
  }
}

async function moduleOf(text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}
