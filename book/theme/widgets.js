// Shows the widgets of a page, whose state stands in the page. Loaded when a page has any, after its first paint.
//
// The book's own widgets are modules of anywidget, which need no more than a place and a model. A page with any other
// widget of Jupyter's asks for its widget manager (require.js and 3.6 MB more).
"use strict";

(() => {
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  // What the explorers' stage asks for; the slides have brought it.
  document.documentElement.dataset.stage ??= new URL("../vendor/three/three.js", here).href;
  const KIND = "application/vnd.jupyter.widget";
  const views = [...document.querySelectorAll(`script[type="${KIND}-view+json"]`)];

  // Each has room for it (extensions/rooms.py), on a page that is loaded again what it had before, so that the reader's
  // place stays where it was.
  const ROOM = `chaindyn-room:${location.pathname}`;
  const places = views.map((view) => {
    const { nextElementSibling: next } = view;
    if (next instanceof HTMLElement && next.matches(".widget-room")) return next;
    const place = document.createElement("div");
    view.after(place);
    return place;
  });
  const kept = sessionStorageIfAny();
  const had = JSON.parse(kept?.getItem(ROOM) ?? "[]");
  places.forEach((place, k) => {
    if (had[k]) place.style.minHeight = `${had[k]}px`;
  });
  addEventListener("pagehide", () => kept?.setItem(ROOM, JSON.stringify(places.map((place) => place.offsetHeight))));

  /** What a page may remember until its tab is closed; nothing where the reader forbids it. */
  function sessionStorageIfAny() {
    try {
      return window.sessionStorage;
    } catch {
      return null;
    }
  }

  /** The state of all widgets of the page, by the name of their model. */
  function allStates() {
    const scripts = [...document.querySelectorAll(`script[type="${KIND}-state+json"]`)];
    const all = Object.assign({}, ...scripts.map((script) => JSON.parse(script.textContent).state));
    for (const { state } of Object.values(all)) {
      // a text that another model has too stands there (extensions/hosting.py)
      for (const key of ["_esm", "_css"]) if (state[key]?.as_in) state[key] = all[state[key].as_in].state[key];
    }
    return all;
  }

  /** What a module of anywidget may ask its model for. There is no kernel: what is saved stays on the page. */
  function pageModel(state) {
    const listeners = new Map();
    const of = (event) => listeners.get(event) ?? listeners.set(event, new Set()).get(event);
    return {
      get: (key) => state[key],
      set(key, value) {
        state[key] = value;
        of(`change:${key}`).forEach((listener) => listener());
        of("change").forEach((listener) => listener());
      },
      on: (event, listener) => void of(event).add(listener),
      off: (event, listener) => void (listener ? of(event).delete(listener) : listeners.delete(event)),
      save_changes() {},
      send() {},
    };
  }

  /** The module that a text is, once for all widgets of the page that are shown by it. */
  const modules = new Map();
  function moduleOf(text) {
    const made = async () => {
      const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const module = await import(address);
      URL.revokeObjectURL(address);
      return module;
    };
    return modules.get(text) ?? modules.set(text, made()).get(text);
  }

  async function show(place, state) {
    if (!document.querySelector(`style[data-widget="${state._anywidget_id}"]`)) {
      const style = document.createElement("style");
      style.dataset.widget = state._anywidget_id;
      style.textContent = state._css ?? "";
      document.head.append(style);
    }
    const module = await moduleOf(state._esm);
    const model = pageModel(state);
    const { initialize, render } = module.default;
    await initialize?.({ model });
    await render({ model, el: place });
    place.className = place.style.minHeight = "";
  }

  const load = (src, data = {}) =>
    new Promise((done, failed) => {
      const script = Object.assign(document.createElement("script"), { src, onload: done, onerror: failed });
      for (const [name, value] of Object.entries(data)) script.setAttribute(name, value);
      document.head.append(script);
    });

  /** A slider of the widget manager is named by the label beside it. */
  function nameSliders() {
    for (const handle of document.querySelectorAll(".noUi-handle:not([aria-label])")) {
      const label = handle.closest(".jupyter-widgets")?.querySelector(".widget-label")?.textContent;
      handle.setAttribute("aria-label", label || "value");
    }
  }

  async function loadManager() {
    new MutationObserver(nameSliders).observe(document.body, { childList: true, subtree: true });
    const vendor = new URL("../vendor/", here).href;
    await load(`${vendor}require.js`);
    window.require.config({
      paths: {
        anywidget: `${vendor}anywidget`,
        // The manager's two modules, beside which it looks for its icon font.
        "@jupyter-widgets/html-manager": `${vendor}html-manager/dist/manager`,
        "@jupyter-widgets/html-manager/dist": `${vendor}html-manager/dist`,
      },
    });
    await load(`${vendor}html-manager/dist/embed-amd.js`, { "data-jupyter-widgets-cdn": "" });
  }

  function showAll() {
    const states = allStates();
    const stateOf = (view) => states[JSON.parse(view.textContent).model_id].state;
    if (views.every((view) => "_esm" in stateOf(view))) {
      views.forEach((view, k) => show(places[k], stateOf(view)));
    } else {
      places.forEach((place) => place.remove());
      loadManager();
    }
  }

  // Two frames later what there is to read has been painted.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(showAll)));
})();
