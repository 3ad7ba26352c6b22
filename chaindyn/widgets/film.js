// A film: it plays from start to end and begins again, as long as it is in sight.

// The time since the frame before [s], at most a tenth of a second, however long the page was not looked at.
export const sinceFrame = (latest, now) => Math.min(100, now - (latest ?? now)) / 1000;

export class Film {
  constructor(length, update) {
    this.length = length;
    this.update = update;
    this.clock = 0;
    this.playing = false;
    this.still = false; // whether it shows the blow, and waits
    this.inSight = true;
    /** @type {number | null} */
    this.ticking = null;
    /** @type {number | null} */
    this.latest = null;
  }
  play(wanted = true) {
    const idle = !this.ticking;
    this.playing = wanted;
    if (wanted && idle) this.next();
    this.update();
  }
  next() {
    this.ticking = requestAnimationFrame((now) => this.tick(now));
  }
  tick(now) {
    this.ticking = null;
    if (!this.playing || !this.inSight) {
      this.latest = null;
      return;
    }
    const gone = sinceFrame(this.latest, now);
    this.latest = now;
    this.clock = (this.clock + gone) % this.length();
    this.update();
    this.next();
  }
  watch(element) {
    const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
      this.inSight = isIntersecting;
      if (isIntersecting && this.playing && !this.ticking) this.next();
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      this.playing = false;
    };
  }
}
