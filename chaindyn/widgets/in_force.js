// What the page computes by, where a reader may have redefined it.

// What the page computes by: its own function of a name, or the same recorded with what the reader redefined.
export const inForce = (name, own) => globalThis.chaindynPhysics?.runs[name] ?? own;
