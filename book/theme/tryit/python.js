// Python in a worker, for the cells that run on a page.

/** Python in a worker of its own, started when it is first wanted, and anew after a stop. One cell runs at a time. */
export class Python {
  constructor(told) {
    this.told = told; // what worker.js is told at first
    this.job = null; // what runs: {serial, heard, end}
    this.serial = 0;
  }
  start() {
    if (this.worker) return;
    this.worker = new Worker(`${this.told.here}worker.js`);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.hear({ failed: event.message || "the worker did not start" });
    this.ready = false;
    this.worker.postMessage({ live: this.told.live, page: this.told.page, sources: this.told.sources });
  }
  /** @param {Record<string, any>} message */
  hear({ ready, said, loading, done, result, failed }) {
    if (ready) this.ready = true;
    if (ready) this.job?.heard("state", "Running …");
    if (loading) this.job?.heard("state", `Loading ${loading} …`);
    if (said) this.job?.heard(...said);
    if (failed) {
      this.job?.heard("problem", `${failed}\n`);
      this.end({ how: "failed" });
      this.halt();
    }
    if (done === this.job?.serial) this.end({ how: "done", result });
  }
  end(result) {
    const { job } = this;
    this.job = null;
    job?.end(result);
  }
  /** Do what worker.js does with a task; `heard(kind, text)` is called for what comes. Resolves to {how: "done",
   * "stopped" or "failed", result}. */
  ask(task, heard) {
    this.stop();
    this.start();
    heard("state", this.ready ? "Running …" : "Starting Python …");
    return new Promise((end) => {
      this.job = { serial: ++this.serial, heard, end };
      this.worker.postMessage({ ...task, serial: this.serial });
    });
  }
  halt() {
    this.worker?.terminate();
    this.worker = null;
  }
  /** End what runs, and have a new Python ready for what comes. */
  stop() {
    if (!this.job) return;
    this.halt();
    this.end({ how: "stopped" });
    this.start();
  }
}
