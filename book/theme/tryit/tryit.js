// Buttons at the cells and exercises that run on the page. What is behind them is loaded when a reader looks like
// wanting it. Where there is no Python to load (a page opened as a file, a copy of the site without it), no button is.
"use strict";

(() => {
  const here = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
  const places = document.querySelectorAll(".try");
  if (!location.protocol.startsWith("http") || !places.length || !window.Worker) return;
  const site = new URL("../../", here).href;
  const python = fetchable(`${site}live/static/pyodide/pyodide-lock.json`);
  let panels;
  const load = () => (panels ??= import(`${here}panel.js`).then(({ panelsOf }) => panelsOf({ here, site })));

  /** Asked once a reader comes near: whether a file is there. */
  function fetchable(address) {
    let answer;
    return () =>
      (answer ??= fetch(address, { method: "HEAD" }).then(
        // read to its end: what nobody reads, Chromium tells as a request that failed
        (response) => response.text().then(() => response.ok),
        () => false,
      ));
  }

  function offer(place) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent =
      localStorage.getItem(`chaindyn:${location.pathname}:${place.dataset.try}`) === null ? "Try it" : "Go on with it";
    button.setAttribute("aria-label", `${button.textContent}: ${place.dataset.title}`);
    for (const sign of ["pointerenter", "focus"])
      button.addEventListener(sign, () => load().then((own) => own.prepare()), { once: true });
    button.addEventListener("click", () => load().then((own) => own.open(place, button)));
    place.append(button);
  }

  const near = new IntersectionObserver(
    async (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        if (await python()) offer(target);
      }
    },
    { rootMargin: "800px" },
  );
  places.forEach((place) => near.observe(place));
})();
