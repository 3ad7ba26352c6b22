// The view of RotationExplorer. The request is {w, target}: the rotation vectors that are set [rad].

import { Camera } from "./camera.js";
import { numberTable } from "./elements.js";
import { exp_so3 } from "./emitted/exp_so3.js";
import { log_so3 } from "./emitted/log_so3.js";
import { addControls } from "./rotation_controls.js";
import { AXES, NEAR_FLIP, paint } from "./rotation_picture.js";
import { fromVectors, judge, WAYS } from "./rotation_ways.js";
import { LitStage } from "./stage.js";
import { Talk } from "./talk.js";
import { add, degrees, dot, multiply, norm, scale, shown, subtract } from "./vectors.js";
import { rendering, View } from "./view.js";

const ARCBALL = 0.8; // radius of the ball that is turned by pulling at the brick [m]
const shortened = (w) => scale(Math.min(1, (2 * Math.PI) / (norm(w) || 1)), w);

class RotationView extends View {
  constructor(given) {
    super(given);
    this.talk = new Talk(this.model, {
      embedded: (request) => fromVectors(this.scene, request),
      data: "Rodrigues\u2019 formula and its inverse",
      show: () => this.show(),
    });
    this.camera = new Camera(132);
    this.stage = new LitStage("A brick and its rotation vector", this.camera, this.talk.update, {
      floor: -1.4,
      extent: 1.4,
      looks: false,
    });
    this.chosen = "one turn";
    this.place = 0; // on the way, a whole number of steps
    this.began = null; // while it plays: when, by the clock of the page [ms]
    this.controls = addControls(this);
    this.show();
    this.talk.ask();
    this.stage.beginWith(() => this.play());
  }

  set(values) {
    const { talk } = this;
    [this.place, this.began] = [0, null];
    talk.ask(Object.fromEntries(Object.entries(values).map(([name, w]) => [name, shortened(w)])));
  }

  turnBy(R) {
    this.set({ w: log_so3(multiply(R, exp_so3(this.talk.request.w))) });
  }

  setPlace(s) {
    const { scene, talk } = this;
    this.place = Math.round(scene.steps * Math.max(0, Math.min(1, s)));
    talk.update();
  }

  play() {
    const { scene, talk } = this;
    this.began =
      this.began === null ? performance.now() - 3000 * (this.place < scene.steps ? this.place / scene.steps : 0) : null;
    if (this.began !== null) requestAnimationFrame((now) => this.advance(now));
    talk.update();
  }

  advance(now) {
    const { scene } = this;
    if (this.began === null) return;
    this.setPlace((now - this.began) / 3000);
    if (this.place < scene.steps) requestAnimationFrame((now) => this.advance(now));
    else this.began = null;
  }

  // Pulled at, the brick turns with the point of a ball about it that is under the pointer.
  onBall(where) {
    const { camera } = this;
    const across = camera.lift(subtract(where, camera.project([0, 0, 0])));
    const inside = ARCBALL ** 2 - dot(across, across);
    return inside > 0
      ? add(across, scale(Math.sqrt(inside), camera.axes().toward))
      : scale(ARCBALL / norm(across), across);
  }

  show() {
    const { refreshers, scene, stage, talk } = this;
    const { angleWords, numbers, playButton, report, verdictWords, ways } = this.controls;
    const result = talk.result();
    const { log } = result.values;
    const way = WAYS[this.chosen](result.values, scene.steps);
    stage.draw(() => paint(this, result.values, way));
    refreshers.forEach((refresh) => refresh());
    ways.forEach((each) => each.setAttribute("aria-pressed", each.textContent === this.chosen));
    playButton.textContent = this.began === null ? "play" : "stop";
    const angle = norm(log);
    const where = this.place
      ? `At s = ${shown(this.place / scene.steps)} of the way: the matrix`
      : "Attitude R = exp w";
    const verdict = judge(this.chosen, way);
    angleWords.textContent = this.aboutAngle(angle, talk.request.w);
    verdictWords.textContent = verdict;
    numbers.replaceChildren(
      numberTable(
        `${where}; its columns are the axes of the brick`,
        AXES,
        way[this.place].map((entries, i) => [AXES[i], ...entries]),
      ),
      numberTable("What is set, and what is found in R [rad]", AXES, [
        ["w", ...talk.request.w],
        ["log R", ...log],
      ]),
    );
    report(
      result,
      `Angle ${shown(degrees(angle), 0)} degrees. log R: ${log.map((x) => shown(x)).join(", ")}. ${verdict}`,
    );
  }

  aboutAngle(angle, w) {
    const { talk } = this;
    const quaternion = [
      Math.cos(angle / 2),
      ...scale(angle ? Math.sin(angle / 2) / angle : 0.5, talk.result().values.log),
    ];
    const text =
      `Angle ${shown(degrees(angle), 1)}\u00b0 about the arrow, quaternion ` +
      `(${quaternion.map((x) => shown(x)).join(", ")}).`;
    if (norm(w) > Math.PI)
      return `${text} w is longer than half a turn: log R goes the shorter way, and points to the other side.`;
    if (angle > NEAR_FLIP)
      return (
        `${text} Another ${shown(180 - degrees(angle), 1)}\u00b0, and log R jumps to the other side of the ball ` +
        "(dashed)."
      );
    return (
      `${text} Pull at the brick, or at the tip of the arrow. The circle is the ball of half a turn: no log R ` +
      "leaves it."
    );
  }

  close() {
    this.began = null;
    super.close();
  }
}

const render = rendering(RotationView);

export default { render };
