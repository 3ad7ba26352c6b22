// What every explorer's view is: it talks with Python about a model's request, draws on a stage, and has rows of
// controls that follow what changes elsewhere. What it computes without Python stands in a module of its own, without a
// page (NAME_model.js and the like); where they are long, its controls, its picture and its words are functions of the
// view in modules of theirs.

const TAKE = "chaindyn-take";

export class View {
  /** @param {{ model: import("./talk.js").Model, el: HTMLElement }} given */
  constructor({ model, el }) {
    this.model = model;
    this.el = el;
    this.scene = model.get("scene");
    this.refreshers = [];
    /** @type {import("./stage.js").LitStage} */
    this.stage = undefined;
    /** @type {import("./talk.js").Talk} */
    this.talk = undefined;
    /** @param {CustomEvent} event */
    this.onTake = (event) => this.take(event.detail);
    el.addEventListener(TAKE, this.onTake);
  }
  // What the page around it sets, as an essay does from scene to scene.
  take(change) {
    this.talk.ask(change);
  }
  // A row of controls, which is refreshed with the rest from now on.
  /** @param {{ row: HTMLElement, refresh: () => void }} parts */
  row({ row, refresh }) {
    this.refreshers.push(refresh);
    return row;
  }
  refresh() {
    for (const refresh of this.refreshers) refresh();
  }
  close() {
    this.el.removeEventListener(TAKE, this.onTake);
    this.stage.close();
    this.talk.close();
  }
}

// What anywidget asks for: a function that makes such a view, and returns how to end it.
/** @type {(Kind: new (given: any) => View) => (given: any) => () => void} */
export const rendering = (Kind) => (given) => {
  const view = new Kind(given);
  return () => view.close();
};
