// The search: sections, terms and functions by their names and by what they say, from one file (extensions/find.py).
const GREEK = (
  "alpha α beta β gamma γ delta δ epsilon ε eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ " +
  "sigma σ tau τ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ " +
  "Omega Ω times × cdot · le ≤ ge ≥ ne ≠ in ∈ sum ∑ partial ∂ infty ∞ to → pm ± dots …"
).split(" ");
const SIGNS = new Map(GREEK.flatMap((name, k) => (k % 2 ? [] : [[name, GREEK[k + 1]]])));

/** A formula as a line of text: signs for their names, and no other markup. */
function plainFormula(tex) {
  if (/\\begin|\\\\/.test(tex)) return "…";
  return tex
    .replace(/\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\([A-Za-z]+) ?/g, (_, name) => SIGNS.get(name) ?? "")
    .replace(/\\[,;: !]/g, " ")
    .replace(/[{}\\]/g, "");
}
const readable = (text) => text.replace(/\$([^$]*)\$/g, (_, tex) => plainFormula(tex));

// Words that every question has.
const PLAIN = new Set(
  "a an and are by do does for from how i in is it my of on or s that the to what when why with".split(" "),
);
const ENDINGS = /(?:'s|ies|es|s|ing|ed)$/;

const folded = (text) =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
// Words that are written in two ways.
const SPELLINGS = new Map([
  ["center", "centre"],
  ["linearize", "linearise"],
  ["stabilization", "stabilisation"],
  ["behavior", "behaviour"],
]);
const words = (text) => (folded(text).match(/[a-z0-9]+/g) ?? []).map((word) => SPELLINGS.get(word) ?? word);
const stem = (word) => (word.length > 4 ? word.replace(ENDINGS, "") : word);

/** How much each kind of page has to say to somebody who searches. */
function weightOf(page, anchor, title) {
  if (/^(Exercises|Solutions|Summary|Further reading|What comes next|Notes)/.test(title) || anchor.startsWith("ex-"))
    return 0.45;
  if (page.startsWith("chapters/") || page === "book/intro") return 1;
  if (page.startsWith("book/api/")) return 0.6;
  return { "book/glossary": 0.55, "book/notation": 0.6, "book/conventions": 0.6 }[page] ?? 0.4;
}

/** The rows of the index, each with its words. */
export function read(rows) {
  return rows.map(([page, anchor, title, within, also, text]) => {
    const counts = new Map();
    for (const word of words(text)) counts.set(stem(word), (counts.get(stem(word)) ?? 0) + 1);
    const named = also.split(", ").map((name) => words(name).map(stem).join(" "));
    return {
      ...{ page, anchor, title, within, text, counts },
      ...{ head: words(title).map(stem), home: words(within).map(stem), also: words(also).map(stem), named },
      weight: weightOf(page, anchor, title),
    };
  });
}

/** How well some words meet one that is sought: whole, or as its beginning. */
const met = (list, sought) =>
  list.includes(sought) ? 1 : sought.length > 2 && list.some((word) => word.startsWith(sought)) ? 0.6 : 0;

/** The rows that answer best, best first. */
export function find(rows, question) {
  const all = [...new Set(words(question))];
  const telling = all.filter((word) => !PLAIN.has(word) && (word.length > 1 || all.length === 1));
  const sought = (telling.length ? telling : all).map(stem);
  if (!sought.length) return [];
  const phrase = sought.join(" ");
  const inText = (row, one) => {
    if (row.counts.has(one)) return row.counts.get(one);
    if (one.length < 4) return 0;
    for (const [word, count] of row.counts) if (word.startsWith(one)) return count / 2;
    return 0;
  };
  const found = sought.map((one) =>
    rows.map((row) => [met(row.head, one), met(row.also, one), met(row.home, one), inText(row, one)]),
  );
  const rare = found.map((hits) => Math.log(1 + rows.length / (1 + hits.filter((hit) => hit.some(Boolean)).length)));
  const most = rare.reduce((sum, one) => sum + one, 0);
  return rows
    .map((row, k) => {
      let [score, covered] = [0, 0];
      sought.forEach((_, j) => {
        const [head, also, home, text] = found[j][k];
        score += rare[j] * (5 * head + 5 * also + 1.5 * home + Math.min(2.5, Math.sqrt(text)));
        if (head || also || home || text) covered += rare[j];
      });
      const exact = row.named.includes(phrase) || row.head.join(" ") === phrase;
      if (exact) score += 8 * most;
      else if (`${row.head.join(" ")} | ${row.also.join(" ")}`.includes(phrase)) score += 2 * most;
      return { row, score: score * row.weight * (covered / most) ** 2 };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 30)
    .map(({ row }) => ({ row, sought }));
}

/** A passage of a section around the words that were sought, which are marked. */
function passage({ text }, sought) {
  const whole = readable(text);
  const plain = folded(whole);
  const places = sought.map((one) => plain.search(new RegExp(`\\b${one}`))).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, whole.length) - 60);
  const from = !places.length || start === 0 ? 0 : whole.indexOf(" ", start) + 1;
  const shown = whole.slice(from, from + 220).replace(/\s\S*$/, "");
  const line = document.createElement("p");
  line.className = "context";
  line.append(from ? "… " : "");
  const marks = new RegExp(`\\b(?:${sought.join("|")})\\w*`, "g");
  let done = 0;
  for (const { index, 0: word } of folded(shown).matchAll(marks)) {
    const mark = document.createElement("mark");
    mark.textContent = shown.slice(index, index + word.length);
    line.append(shown.slice(done, index), mark);
    done = index + word.length;
  }
  line.append(shown.slice(done), " …");
  return line;
}

function entry(top, { row, sought }) {
  const link = document.createElement("a");
  link.href = `${top}${row.page}.html${row.anchor ? `#${row.anchor}` : ""}`;
  link.textContent = readable(row.title);
  const where = document.createElement("span");
  where.className = "found-in";
  where.textContent = row.within === row.title ? "" : readable(row.within);
  const item = document.createElement("li");
  item.append(link, where, passage(row, sought));
  return item;
}

async function search(place) {
  const top = document.documentElement.dataset.content_root ?? "./";
  /** @type {HTMLInputElement} */
  const field = document.querySelector(".bd-search-container input[name=q]");
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const list = document.createElement("ol");
  list.className = "found";
  place.append(status, list);
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  status.textContent = "Fetching the index …";
  const rows = read(await (await fetch(`${top}find.json`)).json());
  const show = () => {
    const found = find(rows, field.value);
    list.replaceChildren(...found.map((one) => entry(top, one)));
    const none = field.value.trim() ? "Nothing is found. Try fewer words, or other ones." : "";
    status.textContent = found.length ? `${found.length === 30 ? "The best 30" : found.length} places` : none;
  };
  field.addEventListener("input", show);
  show();
}

const place = document.getElementById("search-results");
if (place) search(place);
