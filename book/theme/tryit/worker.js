// Python for cells that run on a page, in a worker: NumPy and chaindyn, and what else a cell asks for when it does.
// It is told {live, page, sources} at first: where the lab's files are, the page's data, and Python's own files; then
// {name, code}, a cell to run, or {codes}, in which explorers' functions may be redefined, with a serial number. It
// answers {ready}, {loading: module}, {said: [kind, text]}, {done: serial, result}, {failed: why}.
"use strict";

const text = async (address) => {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is not there (${response.status})`);
  return response.text();
};

let python, page, live;
const ASKED_WITH = { matplotlib: ["matplotlib-fontlist"] };

async function start(told) {
  ({ live } = told);
  const packages = `${live}static/pyodide/`;
  importScripts(`${packages}pyodide.js`);
  const [list, data, ...sources] = await Promise.all(
    [`${packages}pyodide-lock.json`, told.page, ...told.sources].map(text),
  );
  page = JSON.parse(data);
  const lock = JSON.parse(list);
  lock.packages.chaindyn.depends = ["numpy"]; // what it imports beside comes when it does
  const lockFileURL = URL.createObjectURL(new Blob([JSON.stringify(lock)], { type: "application/json" }));
  python = await loadPyodide({ indexURL: packages, lockFileURL, packages: ["numpy", "chaindyn"] });
  URL.revokeObjectURL(lockFileURL);
  told.sources.forEach((address, k) => python.FS.writeFile(address.split("/").pop(), sources[k]));
  python.runPython("import sys; sys.path.insert(0, '.'); import chaindyn, run");
}

const tell = (kind, text) => postMessage({ said: [kind, text] });

// Call a Python function that returns the name of a module that is missing; bring it, and begin again.
async function whole(call) {
  const brought = new Set();
  for (;;) {
    const missing = call();
    if (!missing) return;
    if (brought.has(missing)) return tell("problem", `There is no Python module ${missing} here.\n`);
    brought.add(missing);
    tell("again", "");
    postMessage({ loading: missing });
    const silent = { messageCallback() {}, errorCallback() {} };
    await python.loadPackage([missing, ...(ASKED_WITH[missing] ?? [])], silent).catch(() => {});
  }
}

// Files that the cells above read, once.
async function bringFiles() {
  for (const name of page.files.splice(0)) {
    python.FS.writeFile(name.split("/").pop(), await text(`${live}files/${name}`));
  }
}

async function run({ name, code }) {
  const { above, check } = page.tries[name];
  await bringFiles();
  const cells = python.toPy(page.cells.slice(0, above));
  const runCell = python.pyimport("run").run;
  try {
    await whole(() => runCell(cells, code, tell, check));
  } finally {
    cells.destroy();
  }
}

// Record anew what the page's explorers compute by functions that some code redefines; null if it redefines none.
function follow(codes) {
  const { redefined, follow } = python.pyimport("follow");
  const cells = python.toPy(page.cells);
  const changed = new Map(codes.map((code) => [code, redefined(code, cells).toJs()]));
  const own = codes.filter((code) => changed.get(code).some((name) => page.followed[name]));
  const names = [...new Set(own.flatMap((code) => changed.get(code)))].filter((name) => page.followed[name]);
  const functions = [...new Set(names.flatMap((name) => page.followed[name]))].sort();
  const text = own.length ? follow(python.toPy(own), python.toPy(names), python.toPy(functions), tell) : null;
  return text ? { text, names } : null;
}

let begun;
self.onmessage = async ({ data }) => {
  try {
    if (data.live) {
      begun = start(data);
      await begun;
      postMessage({ ready: true });
      return python.pyimport("run").prepare(python.toPy(page.cells));
    }
    await begun;
    if (data.codes) return postMessage({ done: data.serial, result: follow(data.codes) });
    await run(data);
    postMessage({ done: data.serial });
  } catch (error) {
    postMessage({ failed: String(error.message ?? error) });
  }
};
