// Before the first paint: light or dark. Where the reader lets pages keep nothing, scripts find a store that forgets.
(() => {
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].length;
    } catch {
      const kept = new Map();
      const fleeting = {
        fleeting: true,
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, String(value)),
        removeItem: (key) => void kept.delete(key),
      };
      Object.defineProperty(window, name, { value: fleeting });
    }
  }
  const mode = localStorage.getItem("mode") || "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
  Object.assign(document.documentElement.dataset, { mode, theme });
})();
