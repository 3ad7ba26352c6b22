// What a reader has done of the drills, and what comes again: kept in the browser, saved as a file, taken from one.

const KEY = "chaindyn:drills";
const DAY = 86_400_000;
const WAITS = [0, 1, 3, 7, 16, 35]; // days until a drill comes again, by how often it was right in a row
const NEW = { next: 1, right: 0, wrong: 0, row: 0, due: 0 };

/** All that is kept, by the labels of drills. */
export function all() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {}; // somebody else wrote there
  }
}

export const of = (label) => ({ ...NEW, ...all()[label] });

/** Keep what changed of a drill; false where the browser keeps nothing. */
function keep(label, own) {
  return write({ ...all(), [label]: own });
}

function write(records) {
  try {
    localStorage.setItem(KEY, JSON.stringify(records));
  } catch {
    return false; // it is full
  }
  dispatchEvent(new Event("drills-kept"));
  return !localStorage.fleeting; // as where the reader lets pages keep nothing (begin.js)
}

/** Note how a draw went, once: right at the first try, or not. It does not come again. */
export function note(label, isRight, now = Date.now()) {
  const own = of(label);
  const row = isRight ? Math.min(own.row + 1, WAITS.length - 1) : 0;
  const counts = { right: own.right + Number(isRight), wrong: own.wrong + Number(!isRight) };
  return keep(label, { ...own, ...counts, row, due: now + WAITS[row] * DAY, next: own.next + 1 });
}

/** Go past a draw that was not tried. */
export function advance(label) {
  const own = of(label);
  keep(label, { ...own, next: own.next + 1 });
}

/** When a drill comes again, in words; nothing before it was tried. */
export function again({ right, wrong, due }, now = Date.now()) {
  if (!right && !wrong) return "";
  const days = Math.ceil((due - now) / DAY);
  return days <= 0 ? "It is to be repeated now." : `It comes again in ${days} ${days === 1 ? "day" : "days"}.`;
}

/** Of some drills those that are due, the longest waiting first. */
export const due = (labels, now = Date.now()) => {
  const records = all();
  return labels.filter((x) => records[x]?.due <= now).sort((a, b) => records[a].due - records[b].due);
};

/** The text of a file with all that is kept. */
export const file = (now = Date.now()) =>
  `${JSON.stringify({ kind: KEY, saved: new Date(now).toISOString(), drills: all() }, null, 1)}\n`;

/** Take what such a file knows more of than the browser; how many drills that are. Error if it is none. */
export function take(text) {
  const { kind, drills } = JSON.parse(text);
  if (kind !== KEY) throw new Error("this file was not saved here");
  const own = all();
  const tries = (x) => (x ? x.right + x.wrong : -1);
  const isWhole = (x) => Object.keys(NEW).every((name) => Number.isFinite(x?.[name]));
  const better = Object.entries(drills).filter(([label, x]) => isWhole(x) && tries(x) > tries(own[label]));
  write({ ...own, ...Object.fromEntries(better) });
  return better.length;
}
