// An editor in place of a cell, Python in a worker, and below what it prints and draws. tryit.js loads this.

import { button, element } from "./elements.js";
import { Followers } from "./followers.js";
import { Python } from "./python.js";

const KEYS = "Control and Enter run it; Escape, then Tab, leaves the editor. ";
const KEPT = "What you write is kept in this browser.";
const LOST = "This browser does not keep what you write: save it as a file before you leave the page.";
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** The editor and the output of one cell. */
class Panel {
  constructor(place, opener, { python, followers, source, check, editor, lab }) {
    this.place = place;
    this.opener = opener;
    this.python = python;
    this.followers = followers;
    this.source = source;
    this.said = check ? `Run also checks your answer. ${KEYS}` : KEYS;
    const { title, kind } = place.dataset;
    this.key = `chaindyn:${location.pathname}:${place.dataset.try}`;
    this.cell = kind === "cell" ? place.previousElementSibling : null;
    this.runs = button("Run", () => this.run());
    this.stops = button("Stop", () => python.stop());
    this.stops.hidden = true;
    this.state = element("span", { class: "try-state", role: "status" });
    this.output = element("div", {
      class: "try-output",
      role: "region",
      "aria-label": `Output of ${title}`,
      tabindex: 0,
    });
    this.output.hidden = true;
    const more = [button("Save as a file", () => this.download()), button("Begin again", () => this.reset())];
    const number = title.match(/^Exercise (.+)/)?.[1];
    const link = element(
      "a",
      { href: number ? `${lab}&exercise=${number}&at=${place.dataset.try}` : lab },
      "Open in the lab",
    );
    const bar = element(
      "div",
      { class: "try-bar" },
      this.runs,
      this.stops,
      this.state,
      element(
        "span",
        { class: "try-more" },
        ...more,
        link,
        button("Close", () => this.close()),
      ),
    );
    this.hint = element("p", { class: "try-hint" });
    const box = element("div", { class: "try-editor" });
    this.node = element(
      "section",
      { class: "try-panel", "aria-label": `Try ${title}` },
      box,
      bar,
      this.hint,
      this.output,
    );
    place.after(this.node);
    const label = `Python for ${title}. Escape, then Tab, leaves the editor.`;
    this.editor = editor(box, this.kept(), { label, run: () => this.run(), changed: (text) => this.keep(text) });
    this.keep(this.editor.text());
    this.show(true);
  }
  kept() {
    return localStorage.getItem(this.key) ?? this.source;
  }
  keep(text) {
    let kept = !localStorage.fleeting; // as where the reader lets pages keep nothing (begin.js)
    try {
      if (text === this.source) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, text);
    } catch {
      kept = false; // it is full
    }
    const said = this.said + (kept ? KEPT : LOST);
    if (this.hint.textContent !== said) this.hint.textContent = said;
  }
  show(open) {
    this.node.hidden = !open;
    this.place.hidden = open;
    if (this.cell) this.cell.hidden = open;
    (open ? this.editor : this.opener).focus();
  }
  close() {
    this.show(false);
    this.opener.textContent = localStorage.getItem(this.key) === null ? "Try it" : "Go on with it";
  }
  reset() {
    this.editor.replace(this.source);
    this.state.textContent = "As in the book again; Control and Z brings yours back.";
    this.editor.focus();
  }
  download() {
    const file = new Blob([`# ${this.place.dataset.title}, ${document.title}\n\n${this.editor.text()}\n`], {
      type: "text/x-python",
    });
    const link = element("a", { href: URL.createObjectURL(file), download: `${this.place.dataset.try}.py` });
    link.click();
    URL.revokeObjectURL(link.href);
  }
  async run() {
    const began = performance.now();
    const [name, code] = [this.place.dataset.try, this.editor.text()];
    const heard = (kind, text) => this.hear(kind, text);
    this.output.replaceChildren();
    this.output.hidden = false;
    this.busy(true);
    const { how } = await this.python.ask({ name, code }, heard);
    const failed = this.output.querySelector(".problem");
    const words = {
      done: `${failed ? "An error, after" : "Done in"} ${seconds(began)}.`,
      stopped: "Stopped. A new Python is starting.",
      failed: "Python could not go on.",
    };
    if (how === "done" && !failed) await this.followers.take(name, code, heard);
    this.busy(false);
    this.state.textContent =
      how === "done" && !this.output.hasChildNodes() ? `${words.done} It printed nothing.` : words[how];
  }
  busy(now) {
    this.runs.disabled = now;
    this.stops.hidden = !now;
  }
  hear(kind, text) {
    if (kind === "state") this.state.textContent = text;
    else if (kind === "again") this.output.replaceChildren();
    else if (kind === "svg") this.output.append(figure(text));
    else this.print(kind, text);
  }
  print(kind, text) {
    let last = this.output.lastElementChild;
    if (!last?.matches(`pre.${kind}`)) {
      last = element("pre", { class: kind });
      this.output.append(last);
    }
    last.append(text);
    const verdict =
      kind === "out" && last.textContent.match(/^Exercise [\d.]+: (solved|not yet right|not attempted yet)/m)?.[1];
    if (verdict) last.dataset.verdict = verdict;
    if (verdict === "solved") dispatchEvent(new CustomEvent("chaindyn:solved", { detail: this.place.dataset.try }));
  }
}

function figure(text) {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  return element("img", {
    src: address,
    alt: "The figure that your cell draws",
    onload: () => URL.revokeObjectURL(address),
  });
}

/** What a page's buttons call; `here`: the folder of these scripts, `site`: the top of the site. */
export async function panelsOf({ here, site }) {
  const name = location.pathname
    .split("/")
    .pop()
    .replace(/\.html$/, "");
  const page = `${site}tryit/${name}.json`;
  const python = new Python({
    here,
    page,
    live: `${site}live/`,
    sources: [`${site}tryit/judging.py`, `${here}run.py`, `${here}follow.py`],
  });
  const lab = `${site}live/notebooks/index.html?path=chapters/${name}.ipynb`;
  const open = new Map();
  let parts, followers;
  const load = () =>
    (parts ??= Promise.all([
      import(`${site}vendor/editor.js`),
      fetch(page).then((response) => response.json()),
      style(`${here}tryit.css`),
    ]));
  return {
    prepare() {
      python.start();
      load();
    },
    async open(place, opener) {
      python.start();
      if (open.has(place)) return open.get(place).show(true);
      const [{ editor }, { tries, followed }] = await load();
      followers ??= new Followers(python, followed);
      const { source, check } = tries[place.dataset.try];
      open.set(place, new Panel(place, opener, { python, followers, source, check, editor, lab }));
    },
  };
}

function style(address) {
  return new Promise((done) =>
    document.head.append(element("link", { rel: "stylesheet", href: address, onload: done, onerror: done })),
  );
}
