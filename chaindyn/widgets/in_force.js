// What the page computes by, where a reader may have redefined it.

let redefined = true; // whether that counts

// What the page computes by: its own function of a name, or the same recorded with what the reader redefined.
export const inForce = (name, own) => (redefined && globalThis.chaindynPhysics?.runs[name]) || own;

// What a call returns with the book's own functions, whatever the reader redefined.
/** @type {<T>(call: () => T) => T} */
export function byTheBook(call) {
  redefined = false;
  try {
    return call();
  } finally {
    redefined = true;
  }
}
