// Between require.js and the widget manager: what they load lies on this site.
(() => {
  const vendor = new URL("../vendor/", document.currentScript.src).href;
  window.require.config({
    paths: {
      anywidget: `${vendor}anywidget`,
      // The manager's two modules, beside which it looks for its icon font.
      "@jupyter-widgets/html-manager": `${vendor}html-manager/dist/manager`,
      "@jupyter-widgets/html-manager/dist": `${vendor}html-manager/dist`,
    },
  });
})();
