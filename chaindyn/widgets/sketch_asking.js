// How a reader asks where a number of a sketch is from.

import { originOf } from "./sketch_whence.js";
import { goOn, keyOf, Whence } from "./whence.js";

// A button on each value, and the arrows of the key. The values are one stop of the tab key;
// arrow keys go from one to the next.
export class Asking {
  constructor(scene, chosen, controls, light) {
    this.scene = scene;
    this.chosen = chosen;
    this.buttons = [];
    this.whence = new Whence((numbers) => controls().restore(numbers), light);
  }
  asked(mark) {
    const name = mark.kind === "Value" ? mark.name : mark.words || mark.name;
    const key = keyOf(this.scene.title, ...(mark.kind === "Value" ? [] : ["arrow"]), name);
    return { key, name, origin: () => originOf(this.scene, mark, this.chosen) };
  }
  value(mark, output) {
    const own = this.whence.ask(this.asked(mark), output);
    own.setAttribute("aria-label", `${mark.name}: where is it from?`);
    own.tabIndex = this.buttons.length ? -1 : 0;
    own.addEventListener("keydown", (event) => goOn(event, own, this.buttons));
    this.buttons.push(own);
    return own;
  }
  // The arrows of the key, whose buttons are there already.
  join({ marks, items }) {
    marks.forEach((mark, k) => this.whence.join(this.asked(mark), items[k]));
  }
  arrow(mark) {
    const asked = this.whence.asks.get(this.asked(mark).key);
    if (asked) this.whence.toggle(asked);
  }
}
