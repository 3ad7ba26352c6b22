// Blows at contacts: the law of each kind, and blows one after another.

import { largest, submatrix, times } from "./contact_algebra.js";
import { contactImpulses } from "./contact_laws.js";
import { moreau_blow } from "./emitted/moreau_blow.js";
import { newton_blow } from "./emitted/newton_blow.js";
import { poisson_blow } from "./emitted/poisson_blow.js";
import { add } from "./vectors.js";

const BLOWS = { newton: newton_blow, poisson: poisson_blow, moreau: moreau_blow };
export const normalsOf = (v) => v.map((_, k) => Number(k % 2 === 0));
export const forEach = (v, x) => v.map(() => x);

// Whom a law of impact asks. With one restitution, at most 1, energy allows all that Moreau's law returns.
export const struckBy = (W, mu, how) => ({
  impulses: (b, known) => contactImpulses({ W, b, mu, known: known.filter((_, k) => k % 2 === 0) }, how),
  response: (p) => times(W, p),
  affordable: (again) => again,
});

function blowBy(law, W, v, restitution, mu, how) {
  const [p] = BLOWS[law](struckBy(W, mu, how), v, forEach(v, restitution), normalsOf(v), forEach(v, mu));
  return p;
}

// Which contacts take part in the next blow: all, or those that approach fastest; none if nothing approaches.
function struckNext(v, order, limit) {
  const contacts = v.filter((_, k) => k % 2 === 0);
  const fastest = Math.min(...contacts);
  if (!(fastest < -limit)) return [];
  return contacts.map((_, j) => j).filter((j) => order === "together" || contacts[j] <= fastest * (1 - 1e-9));
}

// The impulses of all blows until nothing approaches faster than the limit, and their number. After 100 for each
// contact a last one is together and without restitution.
export function seriesOfBlows(W, v, { restitution, friction, law, order }, how, limit = 1e-12 * largest(v)) {
  const total = v.map(() => 0);
  const most = 50 * v.length;
  for (let count = 0; count <= most; count++) {
    const now = add(v, times(W, total));
    const struck = struckNext(now, count === most ? "together" : order, limit);
    if (!struck.length) return { p: total, blows: count };
    if (largest(now) > 1e6 * largest(v))
      throw new Error(`the law gains energy with each blow: after ${count} blows all is 1e6 times faster`);
    const own = struck.flatMap((j) => [2 * j, 2 * j + 1]);
    const more = blowBy(
      law,
      submatrix(W, own, own),
      own.map((k) => now[k]),
      count === most ? 0 : restitution,
      friction,
      how,
    );
    own.forEach((k, i) => {
      total[k] += more[i];
    });
  }
  return { p: total, blows: most + 1 };
}
