// Drills on a page: what is behind them is loaded when a reader comes near. In a file that is opened there are none.
"use strict";

(() => {
  const here = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
  const places = document.querySelectorAll(".drill, .drill-record");
  if (!location.protocol.startsWith("http") || !places.length) return;
  const near = new IntersectionObserver(
    async (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        if (!document.querySelector("link[data-drills]")) {
          const link = document.createElement("link");
          Object.assign(link, { rel: "stylesheet", href: `${here}drills.css` });
          link.dataset.drills = "";
          document.head.append(link);
        }
        const { drillIn, recordIn } = await import(`${here}panel.js`);
        target.matches(".drill") ? drillIn(target) : recordIn(target);
      }
    },
    { rootMargin: "800px" },
  );
  places.forEach((place) => near.observe(place));
})();
