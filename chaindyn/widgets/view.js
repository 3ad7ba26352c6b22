// What every explorer's view is: it talks with Python about a model's request, draws on a stage, and has rows of
// controls that follow what changes elsewhere. A view's model is its own module of functions, NAME_model.js or the like,
// without a page; its controls and its picture are functions of the view, each in a module of theirs where they are long.

export class View {
  constructor({ model, el }) {
    this.model = model;
    this.el = el;
    this.scene = model.get("scene");
    this.refreshers = [];
  }
  // A row of controls, which is refreshed with the rest from now on.
  row({ row, refresh }) {
    this.refreshers.push(refresh);
    return row;
  }
  refresh() {
    for (const refresh of this.refreshers) refresh();
  }
  close() {
    this.stage.close();
    this.talk.close();
  }
}

// What anywidget asks for: a function that makes such a view, and returns how to end it.
export const rendering = (Kind) => (given) => {
  const view = new Kind(given);
  return () => view.close();
};
