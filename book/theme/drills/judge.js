// A drill without its page: numbers that hang on a seed alone, the same as in Python (book/drills.py), and what becomes
// of an answer.

const TRIES = 1000;
const APART = 3;

/** Numbers in [0, 1) that hang on a text alone: FNV-1a, then mulberry32. */
export function* chances(text) {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  for (;;) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  }
}

function pick([, low, high, step], chance) {
  const count = Math.round((high - low) / step) + 1;
  return Number((low + step * Math.floor(chance * count)).toFixed(9));
}

const near = (value, right, within) => Math.abs(value - right) <= within * Math.abs(right);

/** Whether answers are there, not zero, and not those of a mistake. */
function isGood(answers, mistakes, within) {
  if (!answers.every((x) => Number.isFinite(x) && Math.abs(x) > 1e-9)) return false;
  return mistakes.every((wrong) =>
    wrong.some((x, k) => Math.abs(x - answers[k]) > APART * within * Math.abs(answers[k])),
  );
}

/** The question of a seed: its numbers, its answers, and what each mistake gives. */
export function drawn(drill, label, seed) {
  if (drill.kept) {
    const [numbers, answers, ...mistakes] = drill.kept[(seed - 1) % drill.kept.length];
    return { numbers, answers, slots: drill.picture ? mistakes.pop() : [], mistakes };
  }
  const chance = chances(`${label}/${seed}`);
  for (let k = 0; k < TRIES; k++) {
    const numbers = drill.given.map((grid) => pick(grid, chance.next().value));
    const [answers, ...mistakes] = drill.law(...numbers);
    const slots = drill.picture ? mistakes.pop() : [];
    if (isGood(answers, mistakes, drill.within)) return { numbers, answers, mistakes, slots };
  }
  throw new Error(`${label}: no draw of seed ${seed} is good`);
}

/** A text with the numbers of a question in place of their names. */
export function told(text, drill, { numbers, answers, slots }) {
  const named = new Map(drill.given.map(([name], k) => [name, String(numbers[k])]));
  answers.forEach((x, k) => {
    named.set(`answer_${k}`, short(x));
  });
  slots.forEach((x, k) => {
    named.set(`p${k}`, x.toFixed(1));
  });
  return text.replace(/\{(\w+)\}/g, (_, name) => named.get(name));
}

/** Four digits of a number. */
export const short = (x) => String(Number(x.toPrecision(4)));

/** What a reader wrote, as a number: a comma for the point, a fraction, a power of ten; NaN if it is none. */
export function read(text) {
  const plain = text
    .trim()
    .replace(/[−–]/g, "-")
    .replace(",", ".")
    .replace(/\s*[×·*]\s*10\s*\^?\s*/, "e");
  const [above, below, ...more] = plain.split("/").map((part) => (part.trim() ? Number(part) : Number.NaN));
  return more.length || !plain ? Number.NaN : below === undefined ? above : above / below;
}

/** What an answer deserves: which of its numbers are right, and a sentence. */
export function judged(drill, { answers, mistakes }, given) {
  const right = answers.map((x, k) => near(given[k], x, drill.within));
  if (right.every(Boolean)) return { right, said: "Right." };
  const wrong = right.flatMap((is, k) => (is ? [] : [k]));
  const missing = wrong.filter((k) => Number.isNaN(given[k]));
  if (missing.length) return { right, said: "A number is missing: write 0.25, 1/4 or 2.5e-1." };
  // the mistake that explains most of what is wrong
  const explains = mistakes.map((own) => wrong.filter((k) => near(given[k], own[k], drill.within)).length);
  const most = Math.max(...explains);
  if (most) return { right, said: drill.said[explains.indexOf(most)] };
  return {
    right,
    said: wrong.map((k) => usual(given[k] / answers[k], drill.within)).find(Boolean) ?? "Not yet right.",
  };
}

/** What is wrong with a number that is so many times the right one, if it is one of the mistakes of every chapter. */
function usual(ratio, within) {
  if (near(ratio, -1, within)) return "The size is right, the sign is not.";
  const power = Math.round(Math.log10(Math.abs(ratio)));
  if (power && near(Math.abs(ratio), 10 ** power, within)) return "The digits are right, the power of ten is not.";
  const turn = 180 / Math.PI;
  if ([turn, 1 / turn].some((x) => near(Math.abs(ratio), x, within)))
    return "This looks like degrees in place of radians.";
  return "";
}
