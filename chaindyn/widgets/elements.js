// Elements of HTML and SVG, and of them what the controls of explorers are made of.

import { rounded, shown } from "./vectors.js";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

export const button = (text, onclick) => html("button", { type: "button", onclick }, text);

export const group = (label, ...children) =>
  html("div", { class: "line", role: "group", "aria-label": label }, ...children);

export const section = (title, open, ...children) =>
  html("details", open ? { open: "" } : {}, html("summary", {}, title), ...children);

// Rows of which the first few stand open and the others are folded, so that who goes on by the keyboard is soon past
// them.
export const firstFew = (title, rows, count = 3) =>
  rows.length > count + 1 ? [...rows.slice(0, count), section(title, false, ...rows.slice(count))] : rows;

// A row of inputs that have labels of their own, with a name to see, which may break after an underscore.
export const named = (text, ...inputs) =>
  html(
    "div",
    { class: "line" },
    html("span", { class: "name", "aria-hidden": "true" }, text.replaceAll("_", "_\u200b")),
    ...inputs,
  );

// A named number: a field to type in and, where it has a range, a slider. `get` and `set` read and write the request;
// `of` says whose number it is to who cannot see where the row stands. Returns the row, and how to show a value
// changed elsewhere.
/**
 * @param {string} name
 * @param {{ of?: string, min?: number, max?: number, step?: number, unit?: string, digits?: number }} range
 * @param {() => number} get
 * @param {(value: number) => void} set
 */
export function numberRow(name, { of = "", min, max, step = 0.01, unit = "", digits = 2 }, get, set) {
  const text = unit ? `${name} [${unit}]` : name;
  const label = `${of} ${text}`.trim();
  const take = (event) => event.target.value !== "" && set(Number(event.target.value));
  const field = html("input", { type: "number", step, "aria-label": label, oninput: take, onchange: () => refresh() });
  const inputs = [field];
  if (min !== undefined) {
    inputs.unshift(html("input", { type: "range", min, max, step, "aria-label": `${label}, slider`, oninput: take }));
  }
  function refresh() {
    for (const input of inputs) {
      const typing = input === field && input.getRootNode().activeElement === field;
      if (!typing || Number(input.value) !== rounded(get(), digits)) input.value = rounded(get(), digits);
    }
  }
  refresh();
  return { row: named(text, ...inputs), refresh };
}

// The three coordinates of a point, side by side.
export function pointRow(name, of, get, set) {
  const cells = ["x", "y", "z"].map((axis, i) => {
    const setOne = (value) => set(get().map((old, k) => (k === i ? value : old)));
    return numberRow(`${name} ${axis}`, { of, step: 0.05, unit: "m" }, () => get()[i], setOne);
  });
  const fields = cells.map((cell) => cell.row.querySelector("input"));
  return { row: named(`${name} [m]`, ...fields), refresh: () => cells.forEach((cell) => cell.refresh()) };
}

// A named choice: options are [value, text]; returns the row, and how to show a choice made elsewhere.
export function pickerRow(label, options, get, set) {
  const items = options.map(([value, text]) => html("option", { value }, text));
  const select = html("select", { "aria-label": label, onchange: () => set(select.value) }, ...items);
  return {
    row: named(label, select),
    refresh: () => {
      select.value = get();
    },
  };
}

// Rows of numbers under a caption. `rows` are [name, number, number, ...].
export function numberTable(caption, heads, rows) {
  const head = html("tr", {}, html("td"), ...heads.map((text) => html("th", { scope: "col" }, text)));
  const body = rows.map(([name, ...numbers]) =>
    html("tr", {}, html("th", { scope: "row" }, name), ...numbers.map((x) => html("td", {}, shown(x)))),
  );
  return html("table", {}, html("caption", {}, caption), html("thead", {}, head), html("tbody", {}, ...body));
}
