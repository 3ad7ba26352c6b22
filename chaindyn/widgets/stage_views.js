// The buttons of a stage: where it is looked at from, and how links look.

import { PRESETS } from "./camera.js";
import { group, html, pickerRow } from "./elements.js";

const LOOKS = [
  ["links", "as they reach"],
  ["box", "boxes with the same inertia"],
  ["ellipsoid", "ellipsoids with the same inertia"],
];

export function viewButtons(stage) {
  const look = (preset) => () => {
    stage.camera.look(PRESETS[preset]);
    stage.redraw();
  };
  const zoom = (factor) => () => {
    stage.camera.zoom *= factor;
    stage.redraw();
  };
  const named = (text, label, onclick) => html("button", { type: "button", "aria-label": label, onclick }, text);
  const buttons = group(
    "View",
    ...Object.keys(PRESETS).map((preset) => named(preset, `view ${preset}`, look(preset))),
    named("+", "zoom in", zoom(1.2)),
    named("\u2212", "zoom out", zoom(1 / 1.2)),
    named("reset", "view reset", () => stage.reset()),
  );
  const picker = pickerRow(
    "Links",
    LOOKS,
    () => stage.look,
    (value) => {
      stage.look = value;
      stage.redraw();
    },
  );
  const rows = stage.looks ? [buttons, picker.row] : [buttons];
  return html(
    "details",
    { class: "views" },
    html("summary", {}, "View"),
    ...rows,
    html(
      "p",
      { class: "aside" },
      "Drag to turn; pinch, or turn the wheel with Ctrl held, to zoom. In the picture: arrow keys turn it, " +
        "plus and minus zoom, 0 resets.",
    ),
  );
}
