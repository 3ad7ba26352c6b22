// A page once read is there without a network (offline/worker.js). This tells the worker what the page shows: what came
// before there was a worker, pictures that wait until they are in sight, and the stage of explorers.
"use strict";

(() => {
  const workers = navigator.serviceWorker;
  const top = new URL("../", /** @type {HTMLScriptElement} */ (document.currentScript).src);
  if (!workers || !location.protocol.startsWith("http")) return; // a file that is opened has no worker

  function shown() {
    const came = performance.getEntriesByType("resource").map(({ name }) => name);
    /** @type {NodeListOf<HTMLImageElement>} */
    const images = document.querySelectorAll("article img");
    const stage = document.documentElement.dataset.stage; // widgets.js has said where it is
    const all = [location.href, ...came, ...[...images].map(({ src }) => src), ...(stage ? [stage] : [])];
    return all.filter((address) => address.startsWith(top.href));
  }

  const keep = () => {
    const saves = "connection" in navigator && /** @type {any} */ (navigator.connection).saveData;
    if (!saves) workers.controller?.postMessage({ keep: shown() });
  };

  addEventListener("load", async () => {
    const idle = window.requestIdleCallback ?? setTimeout;
    if (workers.controller) idle(keep);
    else workers.addEventListener("controllerchange", keep, { once: true });
    await workers.register(new URL("sw.js", top)).catch(() => {}); // where the reader forbids it
  });
})();
