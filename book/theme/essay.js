// An essay: its picture stays in sight while its scenes come by, and takes what each of them sets. Two buttons below
// the picture go from scene to scene. Without this script picture and text stand one after the other.
"use strict";

(() => {
  /** @type {HTMLElement[]} */
  const scenes = [...document.querySelectorAll(".scene")].filter((each) => each instanceof HTMLElement);
  const picture = scenes[0]?.previousElementSibling;
  if (!(picture instanceof HTMLElement)) return;
  document.documentElement.classList.add("walks-by-scenes");
  picture.classList.add("essay-picture");
  // what follows the scenes goes without the picture
  const essay = Object.assign(document.createElement("div"), { className: "essay" });
  picture.before(essay);
  essay.append(picture, ...scenes);

  const status = Object.assign(document.createElement("span"), { className: "essay-place" });
  const spoken = Object.assign(document.createElement("span"), { className: "essay-spoken" });
  spoken.setAttribute("role", "status");
  const [back, on] = [
    ["Back", -1],
    ["Next", 1],
  ].map(([said, step]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: said });
    button.addEventListener("click", () => goTo(current + Number(step)));
    return button;
  });
  const ways = Object.assign(document.createElement("div"), { className: "essay-ways" });
  ways.append(back, status, on, spoken);
  picture.append(ways);

  let [current, waiting, taken] = [0, false, -1];

  /** Go where a scene is the one that is read; by a button, that its words are also heard. */
  function goTo(k) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const top = k ? scenes[k].getBoundingClientRect().top - lineOf() + 8 : essay.getBoundingClientRect().top - 150;
    scrollBy({ top, behavior: calm ? "auto" : "smooth" });
    spoken.textContent = scenes[k].textContent;
  }

  /** Where on the screen one reads: somewhat below the picture, where that stays. */
  const lineOf = () => {
    const bottom = Number.parseFloat(getComputedStyle(picture).top) + picture.offsetHeight;
    return bottom + 0.3 * Math.max(0, innerHeight - bottom);
  };

  function show() {
    waiting = false;
    const line = lineOf();
    const found = scenes.findLastIndex((scene) => scene.getBoundingClientRect().top < line);
    current = Math.max(0, found);
    scenes.forEach((scene, k) => scene.classList.toggle("read-now", k === current));
    status.textContent = `${current + 1} of ${scenes.length}`;
    back.disabled = current === 0;
    on.disabled = current === scenes.length - 1;
    take();
  }

  /** The picture takes all that the scenes up to this one set, once it is there; the first scene's is its own. */
  function take() {
    const widget = picture.querySelector(".chaindyn");
    if (!widget || taken === current || (taken < 0 && current === 0)) return;
    taken = current;
    const detail = Object.assign({}, ...scenes.slice(0, current + 1).map((scene) => JSON.parse(scene.dataset.take)));
    widget.dispatchEvent(new CustomEvent("chaindyn-take", { detail, bubbles: true }));
  }

  const soon = () => {
    if (!waiting) requestAnimationFrame(show);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  // on a page that is loaded again further down
  const coming = new MutationObserver(() => {
    if (!picture.querySelector(".chaindyn")) return;
    coming.disconnect();
    soon();
  });
  coming.observe(picture, { childList: true, subtree: true });
  soon();
})();
