// "Share this blow": a sentence about it, and a link that shows it again.

import { button, html } from "./elements.js";
import { requestAt } from "./strike_whence.js";
import { shown } from "./vectors.js";

const SHARED = "#blow=";

export const addressOf = ({ q, qd, normal, restitution }) =>
  SHARED + [...q, ...qd, ...normal, restitution].map((x) => Number(x.toFixed(4))).join(",");

// What an address says of a blow; null if it says nothing of one, or not of this chain.
export function sharedIn(hash, tree) {
  if (!hash.startsWith(SHARED)) return null;
  const numbers = hash.slice(SHARED.length).split(",").map(Number);
  return numbers.every(Number.isFinite) ? requestAt(tree, numbers) : null;
}

export function sharedWords({ impulse, mass }) {
  const blow = impulse
    ? `hits a wall with ${shown(impulse)} N s, as a ball of ${shown(mass)} kg would`
    : "comes to a wall without a blow";
  return `A robot arm ${blow}. Where does a blow go?`;
}

// A button, and the line with sentence and link that it shows. Where the device has a way to share, it is asked;
// elsewhere both go to the clipboard.
export function sharing(view) {
  const link = html("a", {}, "Link to this blow");
  const [said, done] = [html("span", {}), html("span", { role: "status" })];
  const line = html("p", { class: "shared", hidden: "" }, said, " ", link, " ", done);
  const own = button("Share this blow", async () => {
    const { request } = view.talk;
    const sentence = sharedWords(view.talk.result().values);
    const url = new URL(addressOf(request), location.href).href;
    said.textContent = sentence;
    link.setAttribute("href", addressOf(request));
    line.hidden = false;
    done.textContent = "";
    try {
      if (navigator.share) await navigator.share({ title: "Where does a blow go?", text: sentence, url });
      else {
        await navigator.clipboard.writeText(`${sentence} ${url}`);
        done.textContent = "Copied.";
      }
    } catch {
      done.textContent = ""; // called off, or forbidden: the line has both
    }
  });
  return { button: own, line };
}
