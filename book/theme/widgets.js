// Between require.js and the widget manager: what they load lies on this site.
(() => {
  const vendor = new URL("../vendor/", document.currentScript.src).href;
  document.documentElement.dataset.stage = `${vendor}three/three.js`; // what the stage of the explorers asks for
  window.require.config({
    paths: {
      anywidget: `${vendor}anywidget`,
      // The manager's two modules, beside which it looks for its icon font.
      "@jupyter-widgets/html-manager": `${vendor}html-manager/dist/manager`,
      "@jupyter-widgets/html-manager/dist": `${vendor}html-manager/dist`,
    },
  });
})();
