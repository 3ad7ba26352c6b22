// The view of BalanceExplorer. The request is {system, count, drive, places, rates, effort, limit, joint, aside,
// rate, widest, fastest}: which chain and which of its joints have motors; the powers of ten of its weights; the
// largest force; the knock; and how far the basin goes. The answer is {A, B, K}: the linear model and the gain.

import { addControls, bound, fewest, refreshJoints } from "./balance_controls.js";
import { Basin, feedback, gainOf, knocked, standing } from "./balance_laws.js";
import { knock, over, wake } from "./balance_motion.js";
import { FADING } from "./balance_panels.js";
import { paint } from "./balance_picture.js";
import { fateInWords, gainTable, historyTable, motionInWords, sourceOf } from "./balance_words.js";
import { cameraBefore } from "./camera.js";
import { eigenvaluesOf } from "./riccati.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { degrees } from "./vectors.js";
import { rendering, View } from "./view.js";

const BELOW = -60; // below all of it [m]
const keyOf = ({ system, count, drive }) => `${system} ${count} ${drive}`;

class BalanceView extends View {
  constructor(given) {
    super(given);
    this.systems = this.scene.systems;
    this.ranges = this.scene.ranges;
    this.talk = new Talk(this.model, {
      embedded: (request) => this.embedded(request),
      data: "the chain\u2019s masses, with the book\u2019s own laws",
      show: () => this.show(),
    });
    // What is shown: the linear model of the chain (`still`), the feedback and all that moves by it (`world`), the
    // motion, the basin.
    this.held = {
      key: "",
      still: null,
      world: null,
      values: null,
      gains: "",
      motion: null,
      knock: "",
      latest: null,
      basin: null,
      trail: [],
      knocks: [],
      listed: null,
      playing: false,
      looping: false,
      inSight: false,
      pace: 1,
      reach: 1,
      owed: 0,
      last: 0,
      fault: "",
    };
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera = cameraBefore(100);
    this.stage = new LitStage("The chain. Space knocks it, pauses and goes on", this.camera, this.talk.update, {
      looks: false,
    });
    this.computed = { asked: "", values: null }; // by the page, for the latest weights
    this.watcher = new IntersectionObserver(([{ isIntersecting }]) => {
      this.held.inSight = isIntersecting;
      if (isIntersecting) wake(this);
    });
    this.controls = addControls(this);
    this.aim();
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => knock(this));
    this.watcher.observe(this.controls.root);
  }

  turned(request, joint = request.joint) {
    return this.systems[request.system].tree.kind[joint] === "Revolute";
  }

  nameOf({ system, joint }) {
    return `the ${this.systems[system].tree.names[joint]}`.replace("the rod", "rod");
  }

  embedded(request) {
    const { computed } = this;
    const { places, rates, effort } = request;
    const asked = JSON.stringify([keyOf(request), places, rates, effort]);
    if (computed.asked !== asked) {
      const still = this.stillOf(request);
      Object.assign(computed, { asked, values: { A: still.A, B: still.B, K: gainOf(still, request) } });
    }
    return computed.values;
  }

  stillOf(request) {
    const { held, scene } = this;
    if (held.key !== keyOf(request))
      Object.assign(held, { key: keyOf(request), still: standing(scene, request), values: null, gains: "", trail: [] });
    return held.still;
  }

  // Python's answer to this request; while it computes, what there was; without it, the page's own.
  valuesOf(request) {
    const { held, talk } = this;
    this.stillOf(request);
    const { answer } = talk;
    if (talk.live && answer.values && answer.serial === request.serial) return answer.values;
    if (talk.live && answer.serial < request.serial && held.values) return held.values;
    return this.embedded(request);
  }

  // Take up what a request changes: another feedback, another knock.
  follow(request) {
    const { held } = this;
    const { plane } = this.controls;
    const values = this.valuesOf(request);
    const gains = JSON.stringify([held.key, values.K, request.limit]);
    const another = !held.world || held.world.tree !== held.still.tree;
    if (gains !== held.gains) {
      if (held.world && !another) held.trail = [...held.trail, held.world.values].slice(-FADING);
      const world = feedback(held.still, values.K, request.limit);
      Object.assign(held, { gains, values, world, basin: null });
      plane.draw(world.values, eigenvaluesOf(world.A), held.trail);
    }
    const { joint, aside, rate, widest, fastest } = request;
    const knock = JSON.stringify([held.key, joint, aside, rate]);
    if (another) Object.assign(held, { knocks: [], latest: null });
    if (another || knock !== held.knock)
      Object.assign(held, { knock, playing: false, motion: knocked(held.world, request) });
    const { basin } = held;
    if (!basin || basin.joint !== joint || basin.widest !== widest || basin.fastest !== fastest)
      held.basin = new Basin(held.world, request);
  }

  ask(change) {
    return this.talk.ask(change);
  }

  // Another chain, another knock.
  take(change) {
    this.talk.ask(change);
    this.aim();
    knock(this);
  }

  aim() {
    const { camera, stage, talk } = this;
    const { system, count } = talk.request;
    camera.zoom = system === "cart-pole" ? 150 : 172 / count;
    camera.centre = [0, 0, system === "cart-pole" ? 0.1 : 0.08 * count];
    Object.assign(
      stage,
      system === "cart-pole" ? { floor: BELOW, extent: 1.6 } : { floor: -1.02 * count, extent: 1.4 * count },
    );
    stage.settle();
  }

  show() {
    const { held, refreshers, stage, systems, talk } = this;
    const {
      area,
      asideSlide,
      asideTurn,
      countRow,
      driveRow,
      limitRow,
      plane,
      playButton,
      rateSlide,
      rateTurn,
      report,
      verdict,
      where,
    } = this.controls;
    const { request } = talk;
    held.fault = "";
    try {
      this.follow(request);
    } catch (problem) {
      held.fault = `${problem.message[0].toUpperCase()}${problem.message.slice(1)}.`;
      if (!held.world) throw problem;
    }
    stage.draw(() => paint(this));
    refreshers.forEach((refresh) => refresh());
    refreshJoints(this);
    driveRow.row.hidden = countRow.row.hidden = request.system !== "chain";
    const slide = !this.turned(request);
    asideTurn.row.hidden = rateTurn.row.hidden = slide;
    asideSlide.row.hidden = rateSlide.row.hidden = !slide;
    bound(asideTurn, degrees(request.widest));
    bound(asideSlide, request.widest);
    for (const each of [rateTurn, rateSlide]) bound(each, request.fastest);
    bound(limitRow, systems[request.system].strongest, 1);
    bound(countRow, systems.chain.drives[request.drive] ?? 10, fewest(request));
    playButton.textContent = held.playing ? "pause" : "go on";
    playButton.disabled = !held.playing && (over(this) || held.motion.time === 0);
    where.textContent = motionInWords(this, request);
    verdict.textContent = fateInWords(this);
    if (!held.playing || held.listed !== held.knocks) this.drawTables(request);
    if (!held.playing || held.basin.done === 0) this.drawBasin();
    if (!held.basin.complete) wake(this);
    report(
      sourceOf(this, request),
      `${where.textContent} ${verdict.textContent} ${plane.words.textContent} ${area.words.textContent}`,
    );
  }

  // What is not read while it moves.
  drawTables(request) {
    const { held } = this;
    const { gainList, gains, history } = this.controls;
    held.listed = held.knocks;
    history.replaceChildren(historyTable(this, request));
    if (gainList.open) gains.replaceChildren(gainTable(this, request));
  }

  drawBasin() {
    const { held, talk } = this;
    const { area } = this.controls;
    area.draw(
      held.basin,
      talk.request,
      held.latest?.joint === talk.request.joint ? held.latest : null,
      this.nameOf(talk.request),
    );
  }

  close() {
    const { held, watcher } = this;
    watcher.disconnect();
    held.playing = held.looping = false;
    super.close();
  }
}

const render = rendering(BalanceView);

export default { render };
