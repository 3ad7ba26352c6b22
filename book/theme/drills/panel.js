// A drill as a reader sees it, and the list of what is to be repeated. drills.js loads this.

import { button, element } from "../tryit/elements.js";
import { drawn, judged, read, short, told } from "./judge.js";
import { advance, again, all, due, file, note, of, take } from "./kept.js";

let count = 0;

/** One drill: its question, fields for the answers, and what becomes of them. */
class Drill {
  constructor(place) {
    this.label = place.dataset.drill;
    this.own = window.drills[this.label];
    this.hint = hintAbove(place);
    const name = `drill-${++count}`;
    this.text = element("p", { class: "drill-text", tabindex: -1 });
    this.picture = element("div", { class: "drill-picture" });
    this.fields = this.own.asked.map(([, unit], k) => this.field(`${name}-${k}`, unit));
    this.says = element("p", { class: "drill-says", role: "status", "aria-live": "polite" });
    this.more = element("div", { class: "drill-more" });
    this.asks = button("Hint", () => this.help());
    this.solves = button(this.own.solution ? "Solution" : "Answers", () => this.solve());
    const bar = element(
      "div",
      { class: "drill-bar" },
      element("button", { type: "submit" }, "Check"),
      this.asks,
      this.solves,
      button("New numbers", () => this.renew()),
    );
    this.record = element("p", { class: "drill-kept" });
    const form = element("form", { novalidate: "", autocomplete: "off" }, ...this.fields.map((x) => x.row), bar);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.check();
    });
    const fold = element(
      "details",
      { class: "drill-fold" },
      element("summary", {}, place.dataset.title),
      this.text,
      this.picture,
      form,
      this.says,
      this.more,
      this.record,
    );
    place.append(fold);
    fold.addEventListener("toggle", () => fold.open && this.text.textContent === "" && this.draw());
    if (location.hash === `#drill-${this.label}`) fold.open = true;
  }
  field(name, unit) {
    const label = element("label", { for: name });
    const input = element("input", { id: name, type: "text", spellcheck: "false", "aria-describedby": `${name}-is` });
    const verdict = element("span", { id: `${name}-is`, class: "drill-verdict" });
    const unitShown = element("span", { class: "drill-unit" }, unit);
    return { label, input, verdict, row: element("div", { class: "drill-field" }, label, input, unitShown, verdict) };
  }
  /** Show the question that is next. */
  draw() {
    this.seed = of(this.label).next;
    this.question = drawn(this.own, this.label, this.seed);
    this.open = true; // nothing is noted of it yet
    this.tries = 0;
    this.text.textContent = told(this.own.text, this.own, this.question);
    if (this.own.picture) {
      const text = told(this.own.picture, this.own, this.question);
      this.show(/** @type {any} */ (new DOMParser().parseFromString(text, "image/svg+xml").documentElement));
    }
    this.fields.forEach(({ label, input }, k) => {
      const [what, unit] = this.own.asked[k];
      label.textContent = told(what, this.own, this.question);
      input.setAttribute("aria-label", `${label.textContent}, in ${unit}`);
      input.value = "";
    });
    this.mark([]);
    this.says.textContent = "";
    this.more.replaceChildren();
    this.asks.hidden = !this.hint;
    this.asks.disabled = this.solves.disabled = true; // first a try
    this.tell();
  }
  /** Show a picture, without the room that other numbers would need. */
  show(svg) {
    this.picture.replaceChildren(svg);
    const { x, y, width, height } = svg.getBBox();
    svg.setAttribute("viewBox", [x - 8, y - 8, width + 16, height + 16].join(" "));
    svg.setAttribute("width", width + 16);
    svg.setAttribute("height", height + 16);
  }
  renew() {
    if (this.open) advance(this.label);
    this.draw();
    this.text.focus();
  }
  check() {
    const given = this.fields.map(({ input }) => read(input.value));
    const { right, said } = judged(this.own, this.question, given);
    this.mark(right);
    this.asks.disabled = this.solves.disabled = false;
    // a live region says nothing of words that stay
    this.says.textContent = "";
    requestAnimationFrame(() => {
      this.says.textContent = said;
    });
    this.says.dataset.verdict = right.every(Boolean) ? "right" : "wrong";
    if (given.some(Number.isNaN)) return;
    this.tries++;
    this.noted(right.every(Boolean));
    const first = right.indexOf(false);
    if (first >= 0) this.fields[first].input.focus();
  }
  /** Note how this draw went, the first time that something is known of it. */
  noted(isRight) {
    if (!this.open) return;
    this.open = false;
    this.isKept = note(this.label, isRight);
    this.tell();
  }
  mark(right) {
    this.fields.forEach(({ input, verdict }, k) => {
      const isJudged = right[k] !== undefined;
      if (isJudged) input.setAttribute("aria-invalid", String(!right[k]));
      else input.removeAttribute("aria-invalid");
      verdict.textContent = isJudged ? (right[k] ? "✓ right" : "✗ not yet") : "";
      verdict.dataset.is = right[k] ? "right" : "wrong";
    });
  }
  help() {
    this.asks.disabled = true;
    this.say("Hint", ...[...this.hint.children].slice(1).map((part) => part.cloneNode(true)));
  }
  solve() {
    this.noted(false);
    this.solves.disabled = true;
    const answers = this.question.answers.map((x, k) => `${short(x)} ${this.own.asked[k][1]}`).join(", ");
    const numbers = element("p", {}, `Answers: ${answers}.`);
    if (!this.own.solution) return this.say("Answers", numbers);
    this.say("Solution", element("p", {}, told(this.own.solution, this.own, this.question)), numbers);
  }
  say(title, ...parts) {
    const box = element("div", { tabindex: -1, role: "group", "aria-label": title });
    box.append(element("p", { class: "drill-title" }, title), ...parts);
    this.more.append(box);
    box.focus();
  }
  tell() {
    const own = of(this.label);
    const tried = own.right + own.wrong;
    const words = tried ? ` Right at the first try: ${own.right} of ${tried}. ${again(own)}` : "";
    const lost = this.isKept === false ? " This browser does not keep it." : "";
    this.record.textContent = `Numbers ${this.seed}.${words}${lost}`;
  }
}

/** The hint of the exercise to which a place belongs. */
function hintAbove(place) {
  for (let node = place.previousElementSibling; node; node = node.previousElementSibling) {
    if (node.matches(".hint")) return node;
    if (node.matches(".exercise")) return null;
  }
  return null;
}

export const drillIn = (place) => new Drill(place);

/** The list of drills that are to be repeated, and buttons that save and take what is kept. */
export function recordIn(place) {
  const drills = JSON.parse(place.querySelector("script").textContent);
  const says = element("p", { role: "status", "aria-live": "polite" });
  const list = element("ul");
  const show = () => {
    const labels = Object.keys(drills);
    const now = due(labels);
    const tried = labels.filter((label) => all()[label]);
    const are = now.length === 1 ? "is" : "are";
    says.textContent = tried.length
      ? `You have tried ${tried.length} of ${labels.length} drills; ${now.length} ${are} to be repeated now.`
      : `There are ${labels.length} drills. Those that you try are listed here when they are to be repeated.`;
    const links = now.map((label) => element("a", { href: drills[label][1] }, drills[label][0]));
    list.replaceChildren(...links.map((link) => element("li", {}, link)));
  };
  const chosen = element("input", { type: "file", accept: ".json,application/json", "aria-label": "A saved file" });
  chosen.addEventListener("change", async () => {
    try {
      const taken = take(await chosen.files[0].text());
      show();
      says.textContent += ` Taken from the file: ${taken}.`;
    } catch (error) {
      says.textContent = `Nothing was taken: ${error.message}.`;
    }
    chosen.value = "";
  });
  place.append(
    says,
    list,
    element(
      "p",
      { class: "drill-bar" },
      button("Save as a file", save),
      element("label", {}, "Take from a file: ", chosen),
    ),
  );
  addEventListener("drills-kept", show);
  show();
}

function save() {
  const address = URL.createObjectURL(new Blob([file()], { type: "application/json" }));
  element("a", { href: address, download: "chaindyn-drills.json" }).click();
  URL.revokeObjectURL(address);
}
