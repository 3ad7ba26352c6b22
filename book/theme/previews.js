// Cards that show what a link of the text leads to, when the pointer rests on it or the keyboard has come to it: an
// equation, a figure, a term and its definition, the beginning of a section or an exercise, an entry of the references.
// A card is a look only: it has no links of its own, and touch has no cards, for a tap follows the link.
// Loaded when the page is at rest (book.js).

const LINKS = "a.reference.internal:not(.download, .chapter-map *)";
const REST = 300; // how long the pointer rests before a card comes, and may be on its way before it goes [ms]
const GAP = 6; // between a line and its card [px]

const article = document.querySelector("article");
const card = Object.assign(document.createElement("div"), {
  id: "link-preview",
  className: "preview",
  role: "tooltip",
  popover: "manual",
});

/** The definition below a term, or the first words of that of a function. */
function defined(term) {
  let definition = term;
  do definition = definition.nextElementSibling;
  while (definition?.matches("dt"));
  return [term, definition?.querySelector("p")];
}

// What is shown of a place on a page, by what it is or stands in.
const KINDS = {
  "div.math, figure, .citation": (whole) => [whole],
  table: (table) => [table.caption],
  dt: defined,
  ".exercise": (exercise) =>
    [".admonition-title", ".admonition-title ~ * p"].map((part) => exercise.querySelector(part)),
  section: (section) =>
    ["h1, h2, h3, h4", ":scope > p:not([class]), :scope > details > p"].map((part) => section.querySelector(part)),
};

function excerpt(page, id) {
  const place = id ? page.getElementById(id) : page.querySelector("article section");
  for (const [kind, parts] of Object.entries(KINDS)) {
    const found = place?.closest(kind);
    if (found) return parts(found).filter(Boolean);
  }
  return [];
}

/** A copy of a part of a page for the card: its addresses are whole, its links words, its names left to the page. */
function copyOf(part, address) {
  const copy = document.importNode(part, true);
  copy.removeAttribute("role"); // an item of a list that is not here
  copy.querySelectorAll(".headerlink, .minutes, button, script").forEach((tool) => tool.remove());
  copy.querySelectorAll("a").forEach((link) => link.replaceWith(...link.childNodes));
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    each.removeAttribute("id");
    each.removeAttribute("tabindex");
    if (each.hasAttribute("src")) each.setAttribute("src", new URL(each.getAttribute("src"), address));
  }
  if (!copy.matches("h1, h2, h3, h4, dt, caption, .admonition-title")) return copy;
  const title = Object.assign(document.createElement("p"), { className: "preview-title" });
  title.append(...copy.childNodes);
  return title;
}

const pages = new Map([[location.href.split("#")[0], Promise.resolve(document)]]);

/** A page of the site, asked for once. */
function pageAt(address) {
  if (!pages.has(address)) {
    const page = fetch(address).then(async (answer) => {
      if (!answer.ok) throw new Error(`${answer.status} ${address}`);
      return new DOMParser().parseFromString(await answer.text(), "text/html");
    });
    page.catch(() => pages.delete(address)); // to be asked for again
    pages.set(address, page);
  }
  return pages.get(address);
}

let wanted = null; // the link whose card is there or on its way, in an object of its own each time it is asked for
let timer;

async function show(link, y) {
  hide();
  const asked = { link };
  wanted = asked;
  const [address, id] = link.href.split("#");
  const page = await pageAt(address).catch(() => null);
  await window.MathJax?.startup?.promise;
  if (wanted !== asked || !page) return;
  card.replaceChildren(...excerpt(page, decodeURIComponent(id ?? "")).map((part) => copyOf(part, address)));
  if (!card.hasChildNodes()) return;
  article.append(card);
  if (page !== document) await window.MathJax?.typesetPromise?.([card]); // here all is set
  if (wanted !== asked) return;
  card.showPopover();
  fitDisplays(card); // of book.js
  put(link, y);
  link.setAttribute("aria-describedby", card.id);
  link.removeAttribute("title"); // the browser's own card, which says less
}

/** Put the card below the line of the link at some height, or above it where there is more room. */
function put(link, y) {
  const lines = [...link.getClientRects()];
  const line = lines.find(({ top, bottom }) => top <= y && y <= bottom) ?? lines[0];
  const { width, height } = card.getBoundingClientRect();
  const below = line.bottom + GAP + height <= innerHeight || line.top < innerHeight - line.bottom;
  const left = Math.max(GAP, Math.min(line.left, document.documentElement.clientWidth - width - GAP));
  card.style.left = `${left + scrollX}px`;
  card.style.top = `${(below ? line.bottom + GAP : line.top - GAP - height) + scrollY}px`;
}

function hide() {
  clearTimeout(timer);
  wanted?.link.removeAttribute("aria-describedby");
  wanted = null;
  if (card.matches(":popover-open")) card.hidePopover();
  window.MathJax?.typesetClear?.([card]);
}

function soon(act) {
  clearTimeout(timer);
  timer = setTimeout(act, REST);
}

/** The card stays while the pointer is on it or on its link, or the link has the keyboard. */
const held = () => card.matches(":hover") || wanted?.link.matches(":hover, :focus-visible");
const hideSoon = () => soon(() => held() || hide());

if (article && card.showPopover) {
  document.addEventListener("pointerover", (event) => {
    const { pointerType, clientY } = event;
    const target = /** @type {Element} */ (event.target);
    const link = article.contains(target) && target.closest(LINKS);
    if (!link) hideSoon();
    else if (link === wanted?.link) clearTimeout(timer);
    else if (pointerType !== "touch") soon(() => show(link, clientY));
  });
  document.addEventListener("focusin", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (
      target !== wanted?.link &&
      article.contains(target) &&
      target.matches(LINKS) &&
      target.matches(":focus-visible")
    )
      soon(() => show(target));
  });
  document.addEventListener("focusout", hideSoon);
  document.addEventListener("click", ({ target }) => /** @type {Element} */ (target).closest(LINKS) && hide());
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
}

export {}; // a module: book.js imports it
